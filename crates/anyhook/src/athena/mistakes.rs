//! Mistakes in a table, each with its place.

use std::fmt;

use anyhook_core::hook::SourceLocation;

/// Where an entry of a table stands.
///
/// ```
/// use anyhook::athena::EntryLocation;
/// use anyhook::hooks;
/// let mistakes = hooks! { PreTool: [|_, _| ()] }.finish().unwrap_err();
/// let at: &EntryLocation = &mistakes.0[0].at;
/// assert!(at.source.line > 0 && at.entry == "PreTool[0]");
/// assert!(at.to_string().starts_with(&*at.source.file));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLocation {
    /// The file, and the line; the first of the macro.
    pub source: SourceLocation,
    /// The entry within the table, such as `PreToolUse[0].matcher`.
    pub entry: String,
}

impl EntryLocation {
    /// Says where a part of this entry stands.
    pub(super) fn below(&self, part: &str) -> Self {
        Self {
            entry: format!("{}.{part}", self.entry),
            source: self.source.clone(),
        }
    }
}

impl fmt::Display for EntryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourceLocation { file, line } = &self.source;
        write!(f, "{file}:{line}: {}", self.entry)
    }
}

/// Something that is wrong with a table.
///
/// ```
/// use anyhook::hooks;
/// use anyhook::athena::Mistake;
/// let mistakes = hooks! { Stop: [{ matcher: "write", hooks: [|_, _| ()] }] }.finish().unwrap_err();
/// let first: &Mistake = &mistakes.0[0];
/// assert_eq!(first.what, "`Stop` takes a flat list of functions and no groups");
/// assert!(first.help.as_deref().unwrap().contains("without a group"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}")]
pub struct Mistake {
    /// Where.
    pub at: EntryLocation,
    /// What.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Everything that is wrong with a table.
///
/// ```
/// use anyhook::athena::Mistakes;
/// use anyhook::hooks;
/// let wrong: Mistakes = hooks! {
///     PreToolUse: [{ matcher: "*", hooks: [|_, _| ()] }],
///     PostTooluse: [|_, _| ()],
/// }
/// .finish()
/// .unwrap_err();
/// assert_eq!(wrong.0.len(), 2);
/// assert_eq!(wrong.0[1].help.as_deref(), Some("did you mean `PostToolUse`?"));
/// assert_eq!(wrong.to_string().lines().count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("\n"))
    }
}

impl std::error::Error for Mistakes {}
