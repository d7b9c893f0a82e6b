use std::fmt::Write as _;
use std::fs;

use anyhook_core::event::Event;
use anyhook_core::hook::MatchTarget;
use anyhook_core::manifest::{Entry, Group};
use anyhook_core::matcher::{Hit, Matcher, Subject};
use serde_json::json;

use super::*;

/// Tools that a matcher may select.
const TOOLS: &[&str] = &[
    "Bash",
    "Edit",
    "EditAll",
    "NotebookEdit",
    "Read",
    "ReadMany",
    "WebFetch",
    "Write",
    "exec",
    "execute_bash",
    "mcp__git__pull",
    "mcp__git__push",
    "mcp__github__push",
    "my_github__push",
    "run_shell",
];

/// The files of `tests/files`, each named after its host: every group, every hook and every finding.
#[test]
#[expect(clippy::disallowed_methods, reason = "the corpus is files")]
fn what_is_read_of_the_files_of_every_host() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/native_files/tests/files");
    let files = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let host = name.split('.').next().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let format = NativeFormat::of_host(host).unwrap();
        insta::assert_snapshot!(name, shown(format, &text, Syntax::of(&file)));
    }
}

fn shown(format: &'static NativeFormat, text: &str, syntax: Syntax) -> String {
    let mut all = String::new();
    let parsed = match format.read(text, syntax) {
        Ok(parsed) => parsed,
        Err(finding) => return format!("{finding:?}"),
    };
    for group in &parsed.manifest.groups {
        let selected = TOOLS.iter().filter(|tool| selects(&group.matcher, tool));
        let selected: Vec<&str> = selected.copied().collect();
        let Group {
            event,
            matcher_text,
            sequential,
            index,
            speaks,
            ..
        } = group;
        let native = &speaks.as_ref().unwrap().native;
        let matcher = group.matcher.as_str();
        writeln!(
            all,
            "{event} {index} ({native}) {matcher_text:?} as {matcher} {selected:?} sequential: {sequential}"
        )
        .unwrap();
        for entry in &group.entries {
            let Entry {
                action,
                on_failure,
                timeout,
                pace,
                enabled,
                only,
                when,
                at,
                ..
            } = entry;
            let name = group.name_of(entry);
            let only = only.as_ref().map(|only| (only.at, only.matcher.as_str()));
            let when = when.as_ref().map(|when| &when.text);
            let (line, column) = (at.line, at.column);
            writeln!(
                all,
                "  {line}:{column} {name} {action:?}\n    {on_failure:?} {timeout:?} {pace:?} enabled: {enabled} only: {only:?} when: {when:?}"
            )
            .unwrap();
        }
    }
    for finding in &parsed.findings {
        let (severity, at, help) = (finding.severity, &finding.at, &finding.help);
        let (line, column, said) = (at.line, at.column, &finding.message);
        writeln!(all, "{severity:?} {line}:{column} {said} {help:?}").unwrap();
    }
    let unread = format.unread(text, syntax);
    let unread: Vec<&str> = unread.iter().map(|(_, field)| &**field).collect();
    writeln!(all, "not read: {unread:?}").unwrap();
    all
}

fn selects(matcher: &Matcher, name: &str) -> bool {
    let subject = Subject {
        name,
        also: &[],
        canonical: None,
    };
    matcher.selects(Some(&subject)) != Hit::No
}

#[test]
fn a_plugin_is_known_by_what_its_text_says() {
    let text = |version: &str, event: &str, root: &str| {
        format!(
            r#"{{{version}"hooks": {{"{event}": [{{"hooks": [{{"command": "${{{root}}}/x"}}]}}]}}}}"#
        )
    };
    assert!(is_claude_plugin(&text(
        "",
        "PreToolUse",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text(
        r#""version": 1, "#,
        "PreToolUse",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text(
        "",
        "pre-tool-use",
        "CLAUDE_PLUGIN_ROOT"
    )));
    assert!(!is_claude_plugin(&text("", "PreToolUse", "PACKAGE_ROOT")));
}

#[test]
fn a_condition_beside_the_matcher_looks_where_it_says() {
    let only = |at: MatchTarget, pattern: &str| anyhook_core::hook::MatchCondition {
        at,
        matcher: anyhook_core::matcher::Matcher::unanchored(pattern).unwrap(),
    };
    let selects = |condition: anyhook_core::hook::MatchCondition, input: serde_json::Value| {
        let mut hook = anyhook_core::hook::Hook::on("tool:pre", |_: &Event| {
            anyhook_core::result::HookResult::proceed()
        });
        hook.only = Some(Box::new(condition));
        let event = Event::new(
            "tool:pre",
            json!({"tool_name": "Bash", "tool_input": input}),
        );
        hook.selects(&event) != Hit::No
    };
    let command = MatchTarget::Field(&["tool_input", "command"]);
    assert!(selects(
        only(command, "curl|wget"),
        json!({"command": "curl x"})
    ));
    assert!(!selects(
        only(command, "curl|wget"),
        json!({"command": "ls"})
    ));
    // Without the field there is nothing to leave the hook out by.
    assert!(selects(only(command, "curl|wget"), json!({})));
    assert!(selects(only(MatchTarget::Subject, "Bash"), json!({})));
    assert!(!selects(only(MatchTarget::Subject, "Write"), json!({})));
}

#[test]
#[cfg(unix)]
fn a_file_is_known_by_its_path_although_a_folder_or_the_file_has_a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let path = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
    let host = |file: &Path| NativeFormat::of_file(file).map(|(format, _)| format.host);
    let plugin = path(b"/p/.agents/plugins/\xff/hooks/hooks.json");
    let package = path(b"/p/.agents/plugins/\xff").to_path_buf();
    assert_eq!(NativeFormat::package_of(plugin), Some(package));
    assert_eq!(
        host(path(b"/p/.github/hooks/\xff.json")),
        Some("copilot-cli")
    );
    assert_eq!(host(path(b"/p/.github/hooks/.json")), None);
    assert_eq!(host(path(b"/p/.github/hooks/\xff")), None);
    // The folder above is no name of a plugin.
    assert_eq!(host(path(b"/p/.agents/plugins/../hooks/hooks.json")), None);
    assert_eq!(
        NativeFormat::package_of(Path::new(".claude/settings.json")),
        Some(".".into())
    );
    assert_eq!(
        host(path(b"/\xff/.claude//./settings.json")),
        Some("claude-code")
    );
}
