//! The catalogue of events: the only place that knows an event by its name.
//!
//! One row per event (`tables/events.txt`), one event under every name. Names outside the table are legal events of an open taxonomy:
//! [`find`] answers `None` for them, and [`suggest`] helps when such a name looks like a misspelled one.
//!
//! ```
//! use anyhook_core::taxonomy::{COMMON, Class, EVENTS, FieldKind, Presence, find, suggest};
//!
//! let row = find("PreToolUse").unwrap();
//! assert_eq!((row.name, row.universal), ("tool:pre", Some("pre-tool-use")));
//! assert_eq!(
//!     (row.class, row.subject, row.mutable),
//!     (Class::Gate, Some("tool_name"), &["tool_input"][..])
//! );
//!
//! // Each row says what its data holds, and any event may carry the common fields besides.
//! let input = row.fields.iter().find(|field| field.name == "tool_input").unwrap();
//! assert_eq!((input.kind, input.presence), (FieldKind::Object, Presence::Required));
//! assert!(COMMON.iter().any(|field| field.name == "session_id"));
//!
//! // An event of your own is no mistake; a slip is one letter away from a row.
//! assert!(find("my-hook:debug").is_none() && suggest("my-hook:debug").is_none());
//! assert_eq!(suggest("PreTooluse"), Some("PreToolUse"));
//! assert!(EVENTS.iter().all(|row| find(row.name) == Some(row)));
//! ```

mod field;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::words::words;

pub use self::field::{Field, FieldKind, Mismatch, Presence};

// `COMMON`, `EVENTS`, and `INDEX`: every name of every row with the row's position, by length and then by letters.
include!(concat!(env!("OUT_DIR"), "/events.rs"));

/// One row of the catalogue: everything that is known about an event before it happens.
///
/// ```
/// use anyhook_core::taxonomy::{EventSpec, find};
///
/// let EventSpec { name, aliases, .. } = find("prompt:submit").unwrap();
/// assert_eq!(*name, "prompt:submit");
/// assert!(aliases.contains(&"UserPromptSubmit"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EventSpec {
    /// The canonical, namespaced name: `tool:pre`.
    pub name: &'static str,
    /// The name in a universal `hooks.json`, if it has one: `pre-tool-use`.
    pub universal: Option<&'static str>,
    /// Every other name that means this event: `PreToolUse`, legacy spellings.
    pub aliases: &'static [&'static str],
    /// What refusing it means.
    pub class: Class,
    /// The field of the payload that a matcher looks at; `None` where a matcher has nothing to look at.
    pub subject: Option<&'static str>,
    /// The fields whose rewriting is said to a host.
    pub mutable: &'static [&'static str],
    /// Other names that programs give to a field: the canonical one, and the other. Handlers read and rewrite the field
    /// under each of them.
    pub twins: &'static [(&'static str, &'static str)],
    /// What its data holds, besides the fields that any event may carry ([`COMMON`]).
    pub fields: &'static [Field],
    /// One sentence for help and reference pages.
    pub summary: &'static str,
}

/// Shows the name: everything else stands in the table.
impl fmt::Debug for EventSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventSpec").field(&self.name).finish()
    }
}

/// What a refusal of an event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Something is about to happen: refusing prevents it.
    Gate,
    /// The agent wants to stop: refusing means "go on working".
    Continuation,
    /// It happened: refusing can only tell the model so.
    After,
    /// It takes no answer: everything becomes a notice.
    Notice,
}

words!(Class { Gate = "gate", Continuation = "continuation", After = "after", Notice = "notice" });

/// Finds the row of an event by its canonical name, its universal name, or an alias.
///
/// The comparison is case-sensitive, but a name that one host writes as `PreToolUse` is also found as another writes it,
/// `preToolUse`, and as the atom of an Elixir program, `:PreToolUse`. The index is built by the compiler, so a call costs a
/// binary search and a process pays nothing at its start.
pub fn find(name: &str) -> Option<&'static EventSpec> {
    let name = name.strip_prefix(':').unwrap_or(name);
    exact(name).or_else(|| exact(&pascal(name)?))
}

fn exact(name: &str) -> Option<&'static EventSpec> {
    let at = INDEX
        .binary_search_by(|(known, _)| (known.len(), *known).cmp(&(name.len(), name)))
        .ok()?;
    EVENTS.get(INDEX.get(at)?.1)
}

/// Writes a name in camel case as the hosts do that begin with a capital.
fn pascal(name: &str) -> Option<String> {
    let is_camel = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        && name.bytes().any(|byte| byte.is_ascii_uppercase());
    let (first, rest) = name.split_at_checked(1)?;
    is_camel.then(|| first.to_ascii_uppercase() + rest)
}

/// Names the known event name that an unknown one was probably meant to be.
///
/// The answer comes from the naming family of the input (`tool:pre`, `pre-tool-use` or `PreToolUse`) where that family has
/// a name that is near enough, else from any family. A known name and a name that is far from all give `None`.
pub fn suggest(name: &str) -> Option<&'static str> {
    // Longer than any name could be misspelled; also bounds the work that a hostile name can cause.
    if name.len() > 64 || find(name).is_some() {
        return None;
    }
    let known = || INDEX.iter().map(|(known, _)| *known);
    let alike = known().filter(|known| style(known) == style(name));
    nearest(name, alike).or_else(|| nearest(name, known()))
}

/// Picks the candidate nearest to a misspelled word; the case of letters counts for nothing.
///
/// ```
/// use anyhook_core::taxonomy::nearest;
///
/// let verbs = ["install", "list", "trust"];
/// assert_eq!(nearest("instal", verbs.into_iter()), Some("install"));
/// assert_eq!(nearest("frobnicate", verbs.into_iter()), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    // One slip in three letters, and never more than three slips.
    let long = wanted.chars().count();
    let most = (long / 3).clamp(1, 3);
    candidates
        .map(|known| (known.to_lowercase(), known))
        // Each letter more or less is a slip: most words need not be compared.
        .filter(|(lower, _)| lower.chars().count().abs_diff(long) <= most)
        .map(|(lower, known)| (strsim::osa_distance(&wanted, &lower), known))
        .filter(|(distance, known)| *distance <= most && *distance < known.len())
        .min()
        .map(|(_, known)| known)
}

/// The way in which a name is written: whether as `kind:name`, and whether as `PascalCase`.
fn style(name: &str) -> (bool, bool) {
    let has_upper = name.contains(|c: char| c.is_ascii_uppercase());
    let is_pascal = has_upper && !name.contains([':', '-', '_']);
    (name.contains(':'), is_pascal)
}
