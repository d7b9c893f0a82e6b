//! From an agent's own format of hooks to the universal one, and back.
//!
//! What is converted is the file: when each hook runs, and what, with the variables that the other side sets. The scripts
//! stay what they are. What the other format has no word for is a [`ConversionLoss`], never silence: so is a variable that the other
//! side does not set.
//!
//! ```
//! use anyhook_wires::convert::{Conversion, ConversionLoss, to_native, to_universal};
//! use anyhook_wires::native_files::{Syntax, claude_code};
//!
//! let universal = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "./check.sh", "recheck": false}
//! ]}]}}"#;
//! let Conversion { text, lost, .. } = to_native(universal, claude_code()).unwrap();
//! assert!(text.contains("PreToolUse") && text.contains("./check.sh"));
//! let ConversionLoss { at, what } = &lost[0];
//! assert!(at.line == 2 && what.contains("recheck"), "{what}");
//!
//! let back = to_universal(&text, Syntax::Json, claude_code()).unwrap();
//! assert!(back.text.contains("pre-tool-use") && back.lost.is_empty());
//! ```

mod matchers;
mod native;
mod universal;
mod variables;

use std::ops::Range;

use anyhook_core::event::Map;
use anyhook_core::manifest::{Finding, Manifest, ParsedManifest, Place};
use serde_json::Value;

use crate::hosts::universal::table::SAID;
use crate::native_files::{self, NativeFormat, Syntax};
use native::UNIVERSAL_FILE;

/// Something that the other format cannot say, or says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionLoss {
    /// Where it stands in the file that was read.
    pub at: Place,
    /// What it is, and what becomes of it.
    pub what: String,
}

/// A file in another format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversion {
    /// Its text.
    pub text: String,
    /// What could not be said, in the order of the file that was read.
    pub lost: Vec<ConversionLoss>,
    /// Where the hooks of the file that was read stand that are in the text.
    pub hooks: Vec<Range<usize>>,
}

impl Conversion {
    fn lose(&mut self, at: &Place, what: impl Into<String>) {
        self.lost.push(ConversionLoss {
            at: at.clone(),
            what: what.into(),
        });
    }

    fn of(mut self, file: Map) -> Self {
        self.lost.sort_by_key(|lost| lost.at.span.start);
        // A group that stands on several events of the other format lost the same on each.
        self.lost.dedup();
        let text = serde_json::to_string_pretty(&Value::Object(file)).unwrap_or_default();
        self.text = format!("{text}\n");
        self
    }
}

/// Writes a host's file in the universal format. One with an error is not converted: the findings say what is wrong with it.
pub fn to_universal(
    text: &str,
    syntax: Syntax,
    from: &'static NativeFormat,
) -> Result<Conversion, Vec<Finding>> {
    let parsed = sound(from.read(text, syntax))?;
    let mut said = Conversion::default();
    // What was a warning about a host's file says what is read otherwise here.
    for finding in parsed.findings {
        said.lose(&finding.at, finding.message);
    }
    left_out(from.unread(text, syntax), &mut said);
    let file = native::file(&parsed.manifest, Some(from), &UNIVERSAL_FILE, &mut said);
    Ok(said.of(file))
}

/// Writes a universal file in the format of a host. One with an error is not converted: the findings say what is wrong with it.
pub fn to_native(text: &str, to: &'static NativeFormat) -> Result<Conversion, Vec<Finding>> {
    let parsed = sound(Manifest::parse(text))?;
    let mut said = Conversion::default();
    let is_said = |key: &str| SAID.contains(&key) || to.writes.holds.contains(&key);
    let unread = native_files::unread(text, Syntax::Json, |_| false, is_said);
    left_out(unread, &mut said);
    let file = native::file(&parsed.manifest, None, to, &mut said);
    Ok(said.of(file))
}

fn sound(parsed: Result<ParsedManifest, Finding>) -> Result<ParsedManifest, Vec<Finding>> {
    let parsed = parsed.map_err(|finding| vec![finding])?;
    if parsed.has_errors() {
        return Err(parsed.findings);
    }
    Ok(parsed)
}

fn left_out(fields: Vec<(Place, String)>, said: &mut Conversion) {
    for (at, field) in fields {
        said.lose(&at, format!("`{field}` is left out"));
    }
}

#[cfg(test)]
mod tests;
