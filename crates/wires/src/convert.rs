//! From one format of hooks to another: the universal one, and hosts' own.
//!
//! What is converted is the file: when each hook runs, and what, with the variables that the other host sets. The scripts
//! stay what they are. What the other format has no word for is a [`Lost`], never silence: so is a variable that the other
//! host does not set, and a hook whose refusal it would not hear.
//!
//! ```
//! use anyhook_wires::convert::{Converted, Format, Lost, convert};
//! use anyhook_wires::native_files::Syntax;
//!
//! let universal = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "./check.sh", "recheck": false}
//! ]}]}}"#;
//! let claude = Format::named("claude-code").unwrap();
//! let Converted { text, lost } =
//!     convert(universal, Syntax::Json, Format::Universal, claude).unwrap();
//! assert!(text.contains("PreToolUse") && text.contains("./check.sh"));
//! let Lost { at, what } = &lost[0];
//! assert!(at.line == 2 && what.contains("recheck"), "{what}");
//! ```

mod answers;
mod matchers;
mod shape;
mod variables;
mod write;

use anyhook_core::manifest::{FIELDS, FieldSpec, Finding, Level, Manifest, Parsed, Place};

use crate::native_files::{self, NativeFormat, Syntax};

/// A format of hooks.
#[derive(Debug, Clone, Copy)]
pub enum Format {
    /// The universal `hooks.json`.
    Universal,
    /// A host's own.
    Native(&'static NativeFormat),
}

/// Something that the other format cannot say, or says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Where it stands in the file that was read.
    pub at: Place,
    /// What it is, and what becomes of it.
    pub what: String,
}

/// A file in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Its text.
    pub text: String,
    /// What could not be said, in the order of the file that was read.
    pub lost: Vec<Lost>,
}

impl Format {
    /// Finds a format by the name of its host, or one of its short names.
    ///
    /// ```
    /// use anyhook_wires::convert::Format;
    /// assert_eq!(Format::named("claude-code").map(Format::name), Some("claude-code"));
    /// assert!(Format::named("no-such-agent").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let host = crate::host(name)?;
        if host.id() == crate::hosts::universal::ID {
            return Some(Self::Universal);
        }
        NativeFormat::of_host(host.id()).map(Self::Native)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Universal => crate::hosts::universal::ID,
            Self::Native(format) => format.host,
        }
    }

    fn read(self, text: &str, syntax: Syntax) -> Result<Parsed, Finding> {
        match self {
            Self::Universal => Manifest::parse(text),
            Self::Native(format) => format.read(text, syntax),
        }
    }
}

/// The fields of a universal hook or group that are not written, and of which nothing else is told.
const UNTOLD: &[&str] = &["sandbox", "description", "module", "config"];

/// Tells whether a field of a universal hook or group is written, or told where it is not.
fn is_told(key: &str) -> bool {
    let is_it = |field: &FieldSpec| field.name == key || field.also == Some(key);
    let mut fields = FIELDS.iter().filter(|field| field.level != Level::File);
    !UNTOLD.contains(&key) && fields.any(is_it)
}

/// Converts a text. One with an error is not converted: the findings say what is wrong with it.
///
/// ```
/// use anyhook_wires::convert::{Format, convert};
/// use anyhook_wires::native_files::Syntax;
///
/// let claude = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./done.sh", "timeout": 9}]}]}}"#;
/// let (from, to) = (Format::named("claude-code").unwrap(), Format::Universal);
/// let converted = convert(claude, Syntax::Json, from, to).unwrap();
/// assert!(converted.text.contains(r#""stop""#));
/// assert_eq!(converted.lost, []);
/// ```
pub fn convert(
    text: &str,
    syntax: Syntax,
    from: Format,
    to: Format,
) -> Result<Converted, Vec<Finding>> {
    let parsed = from.read(text, syntax).map_err(|finding| vec![finding])?;
    if parsed.has_errors() {
        return Err(parsed.findings);
    }
    if from.name() == to.name() {
        return Ok(Converted {
            text: text.to_owned(),
            lost: Vec::new(),
        });
    }
    let mut lost = Vec::new();
    let unread = match from {
        Format::Universal => native_files::unread(text, syntax, |_| false, is_told),
        Format::Native(format) => {
            // What was a warning about a host's file says what is read otherwise here.
            lost.extend(parsed.findings.into_iter().map(|finding| Lost {
                at: finding.at,
                what: finding.message,
            }));
            format.unread(text, syntax)
        }
    };
    lost.extend(unread.into_iter().map(|(at, field)| Lost {
        at,
        what: format!("`{field}` is left out"),
    }));
    let (text, more) = write::file(&parsed.manifest, from, to);
    lost.extend(more);
    lost.sort_by_key(|lost| lost.at.span.start);
    // A group that stands on several events of the other format lost the same on each.
    lost.dedup();
    Ok(Converted { text, lost })
}

#[cfg(test)]
mod tests;
