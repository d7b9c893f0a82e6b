//! The form of a file of hooks: its place says which host's words it uses.

use std::path::Path;

use anyhook_core::manifest::{
    Action, Code, Entry, Finding, Group, Manifest, ParsedManifest, Place, Severity,
};
use anyhook_wires::native_files::{self, NativeFormat, Syntax};

use crate::text::plain;
use crate::trust::{is_description, is_plugin, package_root};
use crate::{modules, rules};

/// In whose form a file is written.
#[derive(Debug, Clone, Copy)]
pub enum ManifestFormat {
    /// The universal one.
    Universal,
    /// A host's own.
    Native(&'static NativeFormat, Syntax),
}

impl ManifestFormat {
    /// Tells the form of a file by its path, such as `.claude/settings.json` of a project.
    ///
    /// ```
    /// use anyhook_engine::load::ManifestFormat;
    /// assert!(matches!(ManifestFormat::of("p/.claude/settings.json".as_ref()), ManifestFormat::Native(..)));
    /// assert!(matches!(ManifestFormat::of("p/hooks/hooks.json".as_ref()), ManifestFormat::Universal));
    /// ```
    pub fn of(file: &Path) -> Self {
        NativeFormat::of_file(file).map_or(Self::Universal, |(format, _)| {
            Self::Native(format, Syntax::of(file))
        })
    }
}

/// The most hooks of one file. More take longer than an agent waits, whatever they are.
const MOST_HOOKS: usize = 10_000;

/// The most hooks of one file that are more than a rule: each of them starts something.
const MOST_STARTED: usize = 1000;

/// Refuses a file of more hooks than can be asked.
fn bounded(parsed: ParsedManifest) -> Result<ParsedManifest, Finding> {
    let groups = parsed.manifest.groups.iter();
    let all: Vec<&Entry> = groups.flat_map(|group| &group.entries).collect();
    let mut started = all.clone();
    started.retain(|entry| !matches!(entry.action, Action::Rule(_)));
    for (entries, what, most) in [
        (started, "hooks that are no rules", MOST_STARTED),
        (all, "hooks", MOST_HOOKS),
    ] {
        if let Some(first) = entries.get(most) {
            let count = entries.len();
            let message =
                format!("the file has {count} {what}, and at most {most} can be asked in time");
            let help = "write one hook that reads a list, or several files";
            return Err(error(&first.at, message, help));
        }
    }
    Ok(parsed)
}

fn error(at: &Place, message: String, help: &str) -> Finding {
    Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message,
        help: Some(help.into()),
        at: at.clone(),
    }
}

/// Reads the text of a file in the form that the file is written in, and finds everything that is wrong with it, its
/// conditions and rules included, in the order of the text.
///
/// ```
/// use anyhook_engine::load::parse;
///
/// let parsed = parse(
///     "hooks/hooks.json".as_ref(),
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
///         {"type": "command", "command": "./check.sh", "when": "tool_nam == 'Bash'"}
///     ]}]}}"#,
/// )?;
/// let finding = &parsed.findings[0];
/// assert_eq!(finding.message, "`when`: `pre-tool-use` has no field `tool_nam`");
/// # Ok::<(), anyhook_engine::core::manifest::Finding>(())
/// ```
pub fn parse(file: &Path, text: &str) -> Result<ParsedManifest, Finding> {
    parse_in(&package_root(file), file, text)
}

/// Reads it as a part of this package, whose own description may say in whose words it is.
pub(super) fn parse_in(root: &Path, file: &Path, text: &str) -> Result<ParsedManifest, Finding> {
    match ManifestFormat::of(file) {
        ManifestFormat::Native(format, syntax) => bounded(format.read(text, syntax)?),
        ManifestFormat::Universal if is_description(file) || is_plugin(root, text) => {
            bounded(native_files::claude_code().read(text, Syntax::Json)?)
        }
        ManifestFormat::Universal => universal(text),
    }
}

/// Adds what is wrong with conditions and rules, in the order of the text.
fn universal(text: &str) -> Result<ParsedManifest, Finding> {
    let mut parsed = bounded(Manifest::parse(text)?)?;
    let strangers = parsed.manifest.groups.iter().filter_map(stranger);
    parsed.findings.extend(strangers);
    parsed.findings.extend(rules::check(&parsed.manifest));
    parsed.findings.extend(modules::check(&parsed.manifest));
    parsed.findings.sort_by_key(|finding| finding.at.span.start);
    Ok(parsed)
}

/// Says that no agent has the event in whose words the scripts of a group are.
fn stranger(group: &Group) -> Option<Finding> {
    let speaks = group.speaks.as_ref()?;
    let format = NativeFormat::of_host(&speaks.host);
    let event = format.and_then(|format| format.event_of(&speaks.native));
    let is_known = event.is_some_and(|event| group.spec.is_some_and(|spec| spec.name == event));
    let message = format!(
        "`speaks`: no agent `{}` calls this event `{}`",
        plain(&speaks.host),
        plain(&speaks.native)
    );
    let help = "anyhook list hosts NAME shows an agent's events";
    (!is_known).then(|| error(&group.at, message, help))
}

#[cfg(test)]
mod tests {
    use anyhook_core::hook::OnFault;

    use super::*;
    use crate::load;

    #[test]
    fn hooks_in_words_that_no_agent_has_refuse_and_those_of_an_agent_s_event_are_read() {
        let file = "hooks/hooks.json".as_ref();
        for (speaks, is_known) in [
            ("claude-code PreToolUse", true),
            ("cursor beforeShellExecution", true),
            ("claude-code Stop", false),
            ("claude-code PreToolUze", false),
            ("nothing PreToolUse", false),
        ] {
            let text = format!(
                r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"speaks": "{speaks}", "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
            );
            let parsed = parse(file, &text).unwrap();
            assert_eq!(!parsed.has_errors(), is_known, "{speaks}");
            let hooks = load::hooks(&load::usable(parsed).unwrap(), file);
            assert_eq!(hooks[0].on_fault == OnFault::Continue, is_known, "{speaks}");
            assert!(hooks[0].speaks.is_some());
        }
    }
}
