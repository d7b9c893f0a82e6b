//! Matchers: which events a hook selects by the event's subject, such as a tool's name or a session's source.
//!
//! A matcher is everything, a list of exact names, or an unanchored pattern; it is compiled once and is case-sensitive. The
//! patterns of a manifest are read by `regex-lite`, in linear time; those that were written for another engine may look around
//! and refer back, with a bound.
//!
//! ```
//! use anyhook_core::matcher::{Hit, Matcher, PatternError, Subject};
//!
//! // This host calls it `apply_patch`; elsewhere the same tool is `Write` or `Edit`.
//! let patch = Subject { name: "apply_patch", also: &["Write", "Edit"], canonical: None };
//! let hit = |text| Ok::<_, PatternError>(Matcher::parse(text)?.selects(Some(&patch)));
//!
//! assert_eq!(hit("apply_patch")?, Hit::Name);
//! assert_eq!(hit("Edit|Bash")?, Hit::Alias);
//! assert_eq!(hit("edit")?, Hit::No);
//! assert_eq!(hit("apply_.*")?, Hit::Name);
//! # Ok::<(), PatternError>(())
//! ```

mod pcre;
#[cfg(test)]
mod tests;

use regex_lite::{Regex, RegexBuilder};
use serde::Serialize;

/// The longest pattern. A longer one takes longer to read than an agent waits.
const LONGEST_PATTERN: usize = 8 * 1024;

/// The upper bound of a compiled pattern, in bytes: ample for a list of tools, too small to be a burden.
const PATTERN_SIZE: usize = 256 * 1024;

/// How much of a broken pattern is searched for the place of its error.
const SEARCHED: usize = 128;

/// The bound of a compiled prefix in that search; a hostile file may hold many heavy patterns.
const PREFIX_SIZE: usize = 8 * 1024;

/// What a matcher looks at: the subject of one event.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The name that the host itself uses.
    pub name: &'a str,
    /// Every other name that any host uses for the same thing.
    pub also: &'a [&'static str],
    /// The canonical name, where the host has one of its own: a tool of an MCP server, say.
    pub canonical: Option<&'a str>,
}

/// Whether a matcher selects a subject, and by which of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hit {
    /// It does not select it.
    No,
    /// It selects the subject's own name, or it asks for no name.
    Name,
    /// It selects another name of the same thing only; such a hit never carries an Allow.
    Alias,
}

/// A compiled matcher.
///
/// ```
/// use anyhook_core::matcher::{Hit, Matcher, Subject};
///
/// let bash = Subject { name: "BashOutput", also: &[], canonical: None };
/// let [listed, pattern] = [Matcher::parse("Bash")?, Matcher::unanchored("Bash")?];
/// assert_eq!(listed.selects(Some(&bash)), Hit::No, "a plain word is an exact name");
/// assert_eq!(pattern.selects(Some(&bash)), Hit::Name, "a pattern may stand anywhere");
/// assert_eq!(listed.as_str(), pattern.as_str());
///
/// // An event without a subject is never a way around a guard.
/// assert_eq!(listed.selects(None), Hit::Name);
/// assert!(Matcher::all().is_all() && !listed.is_all());
/// # Ok::<(), anyhook_core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct Matcher {
    text: Box<str>,
    kind: MatcherKind,
    own: Option<&'static [&'static str]>,
}

/// Two matchers are the same if they are written the same and read the same way.
impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        let kind = std::mem::discriminant::<MatcherKind>;
        self.text == other.text && self.own == other.own && kind(&self.kind) == kind(&other.kind)
    }
}

#[derive(Debug, Clone, Serialize)]
enum MatcherKind {
    All,
    Names(Box<[Box<str>]>),
    Pattern(#[serde(skip)] Regex),
    Pcre(#[serde(skip)] fancy_regex::Regex),
}

/// A matcher that cannot be compiled.
///
/// ```
/// use anyhook_core::matcher::{Matcher, PatternError};
///
/// let PatternError { offset, help, .. } = Matcher::parse("mcp__(?!safe)").unwrap_err();
/// assert_eq!(offset, 5);
/// assert!(help.starts_with("look-ahead and look-behind are not supported"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct PatternError {
    /// What is wrong, as a fragment.
    pub reason: String,
    /// Where in the text it is wrong, in bytes from its start; 0 where no better place is known.
    pub offset: usize,
    /// What to write instead.
    pub help: String,
}

impl Matcher {
    /// Selects everything.
    pub fn all() -> Self {
        Self::of("*", MatcherKind::All)
    }

    fn of(text: impl Into<Box<str>>, kind: MatcherKind) -> Self {
        Self {
            text: text.into(),
            kind,
            own: None,
        }
    }

    /// Reads the matcher of a manifest.
    ///
    /// Empty and `*` select everything. Text of only ASCII letters, digits, `_`, `-`, space, `,` and `|` is a list of exact
    /// names, split at `|` and `,`. Anything else is an unanchored pattern. A list without a name is an error: it would
    /// select nothing, and a guard would be off without a word.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if matches!(text.trim_matches(' '), "" | "*") {
            return Ok(Self::of(text, MatcherKind::All));
        }
        if !text.bytes().all(is_plain) {
            return Self::unanchored(text);
        }
        let names: Box<[Box<str>]> = text
            .split(['|', ','])
            .map(|name| name.trim_matches(' '))
            .filter(|name| !name.is_empty())
            .map(Box::from)
            .collect();
        if names.is_empty() {
            return Err(PatternError {
                reason: "the list has no name in it".into(),
                offset: 0,
                help: "write the names between the bars, or `*` for every one".into(),
            });
        }
        Ok(Self::of(text, MatcherKind::Names(names)))
    }

    /// Reads text that is a pattern whatever it looks like; empty text matches everything.
    pub fn unanchored(text: &str) -> Result<Self, PatternError> {
        short_enough(text)?;
        match compile(text, PATTERN_SIZE) {
            Ok(regex) => Ok(Self::from(regex)),
            Err(error) => Err(explain(text, &error)),
        }
    }

    /// Reads a pattern that was written for PCRE, as a table of `ex_athena` holds it, or for JavaScript: it may look
    /// ahead and refer back. What engines read differently is an error. Matching is bounded, and a name that takes longer
    /// is selected.
    ///
    /// ```
    /// use anyhook_core::matcher::{Hit, Matcher, Subject};
    ///
    /// let all_but_bash = Matcher::pcre("^(?!bash$)")?;
    /// let hit = |name| all_but_bash.selects(Some(&Subject { name, also: &[], canonical: None }));
    /// assert_eq!((hit("bash"), hit("bash_output")), (Hit::No, Hit::Name));
    /// assert!(Matcher::pcre(r"\<write\>").unwrap_err().reason.contains("engines differ"));
    /// # Ok::<(), anyhook_core::matcher::PatternError>(())
    /// ```
    pub fn pcre(text: &str) -> Result<Self, PatternError> {
        short_enough(text)?;
        Ok(Self::of(text, MatcherKind::Pcre(pcre::compile(text)?)))
    }

    /// Tells whether the matcher selects a subject, and by which name.
    ///
    /// Without a subject there is nothing to refuse by, so it selects: a guard is never skipped because an event or a
    /// payload has no such field.
    #[inline]
    pub fn selects(&self, subject: Option<&Subject<'_>>) -> Hit {
        let Some(subject) = subject else {
            return Hit::Name;
        };
        match &self.kind {
            MatcherKind::All => Hit::Name,
            MatcherKind::Names(names) => {
                self.hit(subject, |name| names.iter().any(|known| **known == *name))
            }
            MatcherKind::Pattern(regex) => self.hit(subject, |name| regex.is_match(name)),
            MatcherKind::Pcre(regex) => self.hit(subject, |name| pcre::is_match(regex, name)),
        }
    }

    /// Tells whether the matcher selects something of this name that is called so elsewhere too.
    ///
    /// ```
    /// use anyhook_core::matcher::{Matcher, PatternError};
    ///
    /// let edits = Matcher::parse("Edit|Write")?;
    /// assert!(edits.takes("apply_patch", &["Edit"]) && !edits.takes("apply_patch", &[]));
    /// # Ok::<(), PatternError>(())
    /// ```
    pub fn takes(&self, name: &str, also: &[&'static str]) -> bool {
        let subject = Subject {
            name,
            also,
            canonical: None,
        };
        self.selects(Some(&subject)) != Hit::No
    }

    /// Looks at the names of one host only, which are these: a matcher of its file means no other host's name for a tool.
    /// What has none of these names keeps those that it has.
    ///
    /// ```
    /// use anyhook_core::matcher::{Hit, Matcher, PatternError, Subject};
    ///
    /// let shell = Subject { name: "shell", also: &["Bash", "bash"], canonical: None };
    /// let hit = |text| {
    ///     let matcher = Matcher::parse(text)?.looking_at(&["Bash", "Edit"]);
    ///     Ok::<_, PatternError>(matcher.selects(Some(&shell)))
    /// };
    /// assert_eq!((hit("Bash")?, hit("bash")?, hit("shell")?), (Hit::Alias, Hit::No, Hit::No));
    /// # Ok::<(), PatternError>(())
    /// ```
    #[must_use]
    pub fn looking_at(self, own: &'static [&'static str]) -> Self {
        Self {
            own: Some(own),
            ..self
        }
    }

    #[inline]
    fn hit(&self, subject: &Subject<'_>, matches: impl Fn(&str) -> bool) -> Hit {
        let also = || subject.also.iter().copied().chain(subject.canonical);
        let is_own = |name: &str| self.own.is_some_and(|own| own.contains(&name));
        if is_own(subject.name) {
            let hits = matches(subject.name);
            return if hits { Hit::Name } else { Hit::No };
        }
        if self.own.is_some() && also().any(is_own) {
            let hits = also().any(|name| is_own(name) && matches(name));
            return if hits { Hit::Alias } else { Hit::No };
        }
        if matches(subject.name) {
            Hit::Name
        } else if also().any(matches) {
            Hit::Alias
        } else {
            Hit::No
        }
    }

    /// Tells whether it selects everything by its form.
    #[inline]
    pub fn is_all(&self) -> bool {
        matches!(self.kind, MatcherKind::All)
    }

    /// Returns the names of a list of exact names; none where it is everything or a pattern.
    ///
    /// ```
    /// use anyhook_core::matcher::{Matcher, PatternError};
    ///
    /// let names = |text| Ok::<_, PatternError>(Matcher::parse(text)?.names().join("+"));
    /// assert_eq!((names("Write | Edit")?, names("mcp__.*")?), ("Write+Edit".into(), "".into()));
    /// # Ok::<(), PatternError>(())
    /// ```
    pub fn names(&self) -> &[Box<str>] {
        match &self.kind {
            MatcherKind::Names(names) => names,
            MatcherKind::All | MatcherKind::Pattern(_) | MatcherKind::Pcre(_) => &[],
        }
    }

    /// The text it was read from.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<Regex> for Matcher {
    fn from(regex: Regex) -> Self {
        let text = regex.as_str().to_owned();
        Self::of(text, MatcherKind::Pattern(regex))
    }
}

fn short_enough(pattern: &str) -> Result<(), PatternError> {
    if pattern.len() <= LONGEST_PATTERN {
        return Ok(());
    }
    Err(PatternError {
        reason: format!("a pattern is at most {LONGEST_PATTERN} bytes long"),
        offset: 0,
        help: "write several hooks, or a list of names".into(),
    })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ' | b',' | b'|')
}

fn compile(text: &str, size: usize) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(text).size_limit(size).build()
}

/// Says where a pattern goes wrong, and what to write instead.
fn explain(text: &str, error: &regex_lite::Error) -> PatternError {
    let offset = longest_valid_prefix(text);
    let rest = text.get(offset..).unwrap_or_default();
    let help = if rest.starts_with("(?=") || rest.starts_with("(?!") || rest.starts_with("(?<") {
        "look-ahead and look-behind are not supported: match more tools, and let the hook itself leave those it does not want"
    } else if rest.starts_with('*') {
        "`*` alone selects everything; in a pattern write `.*`, and `mcp__.*` for every name that begins so"
    } else if rest.starts_with('\\') {
        "back-references and Unicode classes are not supported; `\\\\.` in JSON is a dot that means itself"
    } else {
        "names separated by `|` are matched exactly; anything else is a regular expression"
    };
    PatternError {
        reason: error.to_string(),
        offset,
        help: help.into(),
    }
}

/// Finds the end of the longest prefix that is a pattern by itself: the error begins there.
///
/// The engine does not say where it stopped. The search is bounded; beyond the bounds the place is less exact.
fn longest_valid_prefix(text: &str) -> usize {
    let ends = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= SEARCHED);
    let valid = ends.filter(|end| {
        text.get(..*end)
            .is_some_and(|prefix| compile(prefix, PREFIX_SIZE).is_ok())
    });
    valid.last().unwrap_or(0)
}
