//! Where a host tells its version to hooks: a field of the payload, or a variable.

/// Where a host tells its own version.
///
/// ```
/// use anyhook_wires::{VersionSource, host};
///
/// let at = |id| host(id).and_then(|host| host.facts().version_at);
/// assert_eq!(at("copilot-cli"), Some(VersionSource::Variable("COPILOT_CLI_BINARY_VERSION")));
/// assert_eq!(at("cursor"), Some(VersionSource::Field("cursor_version")));
/// assert_eq!(at("gemini-cli"), None, "it tells it nowhere");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionSource {
    /// In this environment variable of a hook.
    Variable(&'static str),
    /// In this environment variable, behind this prefix, with `-` for the points: `claude-code_2-1-330_harness`.
    Dashed(&'static str, &'static str),
    /// In this field of each payload.
    Field(&'static str),
}
