//! The files of each host but Claude Code.

use super::*;

#[test]
fn the_toml_of_codex_reads_as_its_json_does_with_places() {
    let toml = "model = \"gpt\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
                command = \"./x.sh\"\ntimeout = 7\n";
    let json = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./x.sh", "timeout": 7}]}]}}"#;
    let read = |text, syntax| {
        crate::hosts::codex_cli::table::FORMAT
            .read(text, syntax)
            .unwrap()
    };
    let (toml, json) = (read(toml, Syntax::Toml), read(json, Syntax::Json));
    assert_eq!((toml.findings.len(), json.findings.len()), (0, 0));
    let (toml, json) = (&toml.manifest.groups[0], &json.manifest.groups[0]);
    assert_eq!(toml.entries[0].action, json.entries[0].action);
    assert_eq!(toml.entries[0].timeout, json.entries[0].timeout);
    assert_eq!((toml.at.line, toml.entries[0].at.line), (2, 4));
    let broken = crate::hosts::codex_cli::table::FORMAT
        .read("[hooks\nx", Syntax::Toml)
        .unwrap_err();
    assert_eq!(broken.at.line, 1);
}

#[test]
fn a_file_of_gemini_counts_in_milliseconds_and_reads_every_matcher_as_a_pattern() {
    let text = r#"{"hooks": {"BeforeTool": [{"matcher": "write_.*|run", "sequential": true, "hooks": [
        {"type": "command", "command": "x", "timeout": 1500, "env": {"A": "b"}}]}], "AfterAgent": [{"matcher": "y", "hooks": [{"command": "z"}]}]}}"#;
    let parsed = crate::hosts::gemini_cli::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    assert_eq!(parsed.findings, []);
    let [tool, stop] = &parsed.manifest.groups[..] else {
        panic!("{parsed:?}");
    };
    assert_eq!(
        (tool.event.as_str(), tool.matcher.as_str()),
        ("tool:pre", "write_.*|run")
    );
    assert!(tool.sequential);
    assert_eq!(tool.entries[0].timeout, Some(Duration::from_millis(1500)));
    assert_eq!((stop.event.as_str(), stop.matcher.is_all()), ("stop", true));
    assert_eq!(stop.entries[0].timeout, Some(Duration::from_mins(1)));
}

#[test]
fn an_event_of_cursor_is_about_its_tools_and_its_matcher_about_what_it_says() {
    let text = r#"{"version": 1, "hooks": {
        "beforeShellExecution": [{"command": "./a.sh", "matcher": "curl|wget", "failClosed": true}],
        "preToolUse": [{"command": "./b.sh", "matcher": "Write"}],
        "stop": [{"command": "./c.sh", "matcher": "nobody looks"}]
    }}"#;
    let parsed = crate::hosts::cursor::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    assert_eq!(parsed.findings, []);
    let [shell, tool, stop] = &parsed.manifest.groups[..] else {
        panic!("{parsed:?}");
    };
    assert_eq!(
        (shell.event.as_str(), shell.matcher.as_str()),
        ("tool:pre", "Bash")
    );
    assert_eq!(
        &*shell.speaks.as_ref().unwrap().native,
        "beforeShellExecution"
    );
    let only = shell.entries[0].only.as_ref().unwrap();
    assert_eq!(only.at, At::Field(&["tool_input", "command"]));
    assert_eq!(only.matcher.as_str(), "curl|wget");
    assert_eq!(shell.entries[0].on_failure, Some(OnFault::Deny));
    // What is an edit elsewhere is a write there.
    assert_eq!(tool.matcher.selects(Some(&subject("Edit"))), Hit::Name);
    assert_eq!(tool.matcher.selects(Some(&subject("Bash"))), Hit::No);
    assert_eq!(tool.entries[0].on_failure, Some(OnFault::Continue));
    assert!(stop.matcher.is_all() && stop.entries[0].only.is_none());
}

#[test]
fn a_file_of_droid_names_tools_exactly_and_its_commands_have_a_minute() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Create|Edit", "hooks": [
            {"type": "command", "command": "./a.sh", "async": true},
            {"type": "prompt", "prompt": "is this fine?"}]}],
        "Stop": [{"matcher": "nobody looks", "hooks": [{"type": "command", "command": "./b.sh", "timeout": 5}]}]
    }}"#;
    let parsed = crate::hosts::factory_droid::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    let said: Vec<&str> = parsed
        .findings
        .iter()
        .map(|found| &*found.message)
        .collect();
    assert_eq!(
        said,
        ["a hook of type `prompt` of `factory-droid` cannot run here"]
    );
    let [tool, stop] = &parsed.manifest.groups[..] else {
        panic!("{parsed:?}");
    };
    assert_eq!(tool.event, "tool:pre");
    assert_eq!(tool.matcher.selects(Some(&subject("Edit"))), Hit::Name);
    assert_eq!(tool.matcher.selects(Some(&subject("EditAll"))), Hit::No);
    // It knows no hook in the background: it waits, and hears a refusal.
    let first = &tool.entries[0];
    assert_eq!(
        (first.pace, first.timeout, first.on_failure),
        (
            Pace::Waited,
            Some(Duration::from_mins(1)),
            Some(OnFault::Continue)
        )
    );
    assert!(stop.matcher.is_all());
    assert_eq!(stop.entries[0].timeout, Some(Duration::from_secs(5)));
}

/// A file as the agent itself reads it: 0.215.0 wants the events of `hooks.json` at the top.
const FLAT: &str = r#"{
  "PreToolUse": [{"matcher": "Execute", "hooks": [{"type": "command", "command": "./guard.sh", "guard": 1}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]
}"#;

#[test]
fn the_events_of_droid_stand_at_the_top_of_one_file_and_below_hooks_in_the_other_and_both_count() {
    let events = |text: &str| -> Vec<String> {
        let parsed = crate::hosts::factory_droid::table::FORMAT
            .read(text, Syntax::Json)
            .unwrap();
        let groups = parsed.manifest.groups.iter();
        groups.map(|group| group.event.clone()).collect()
    };
    assert_eq!(events(FLAT), ["tool:pre", "stop"]);
    let settings = format!(r#"{{"model": "m", "hooks": {FLAT}}}"#);
    assert_eq!(events(&settings), ["tool:pre", "stop"]);
    let both = FLAT.replacen(
        '{',
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "a"}]}]},"#,
        1,
    );
    assert_eq!(events(&both), ["session:start", "tool:pre", "stop"]);
    let unread = crate::hosts::factory_droid::table::FORMAT.unread(FLAT, Syntax::Json);
    let unread: Vec<&str> = unread.iter().map(|(_, field)| &**field).collect();
    assert_eq!(unread, ["guard"], "a field that the agent does not read");
}

#[test]
fn a_misspelt_event_at_the_top_of_a_file_of_droid_is_named() {
    let text = FLAT.replace("PreToolUse", "preToolUse");
    let parsed = crate::hosts::factory_droid::table::FORMAT
        .read(&text, Syntax::Json)
        .unwrap();
    let said: Vec<_> = parsed
        .findings
        .iter()
        .map(|found| (&*found.message, found.help.as_deref()))
        .collect();
    assert_eq!(
        said,
        [(
            "`factory-droid` has no event `preToolUse`, and ignores it",
            Some("did you mean `PreToolUse`?")
        )]
    );
}

#[test]
fn a_command_for_another_system_is_said_and_refuses_nothing() {
    let text = r#"{"version": 1, "hooks": {"preToolUse": [
        {"type": "command", "powershell": "exit 0", "cwd": ".", "timeoutSec": 10},
        {"type": "command", "powershell": "exit 0", "bash": "exit 1"},
        {"type": "command", "cwd": "."}]}}"#;
    let parsed = crate::hosts::copilot_cli::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    let said: Vec<_> = parsed
        .findings
        .iter()
        .map(|finding| (finding.severity, &*finding.message))
        .collect();
    let powershell = "`powershell` is for another system, and nothing is there for this one";
    let missing = "`bash` is missing";
    assert_eq!(
        said,
        [(Severity::Warning, powershell), (Severity::Error, missing)]
    );
    let entries = parsed
        .manifest
        .groups
        .iter()
        .flat_map(|group| &group.entries);
    let read: Vec<_> = entries
        .map(|entry| (entry.on_failure, &entry.action))
        .collect();
    let [windows, both, neither] = &read[..] else {
        panic!("{read:?}");
    };
    let broken = |why: &str| Action::Broken(why.to_owned());
    assert_eq!(*windows, (Some(OnFault::Continue), &broken(powershell)));
    assert!(matches!(both, (Some(OnFault::Deny), Action::Command(_))));
    assert_eq!(*neither, (Some(OnFault::Deny), &broken(missing)));
}

#[test]
fn a_file_of_qwen_counts_commands_below_1000_and_prompts_in_seconds_and_else_in_milliseconds() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "^run_", "hooks": [
            {"type": "command", "command": "./a.sh", "timeout": 1500},
            {"type": "command", "command": "./b.sh", "async": true},
            {"type": "command", "command": "./d.sh", "timeout": 10},
            {"type": "command", "command": "./e.sh", "timeout": 60000},
            {"type": "prompt", "prompt": "fine?", "timeout": 20},
            {"type": "prompt", "prompt": "really?"}]}],
        "Stop": [{"matcher": "nobody looks", "hooks": [{"command": "./c.sh"}]}]
    }}"#;
    let parsed = crate::hosts::qwen_code::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    assert_eq!(parsed.findings, []);
    let [tool, stop] = &parsed.manifest.groups[..] else {
        panic!("{parsed:?}");
    };
    let times: Vec<_> = tool.entries.iter().map(|entry| entry.timeout).collect();
    assert_eq!(
        times,
        [1_500, 60_000, 10_000, 60_000, 20_000, 30_000]
            .map(|time| Some(Duration::from_millis(time)))
    );
    let paces: Vec<_> = tool.entries.iter().map(|entry| entry.pace).collect();
    assert_eq!(
        paces,
        [
            Pace::Waited,
            Pace::Background,
            Pace::Waited,
            Pace::Waited,
            Pace::Waited,
            Pace::Waited
        ]
    );
    assert_eq!(tool.matcher.selects(Some(&subject("run_shell"))), Hit::Name);
    assert!(stop.matcher.is_all());
    let off = r#"{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}"#;
    let off = crate::hosts::qwen_code::table::FORMAT
        .read(off, Syntax::Json)
        .unwrap();
    assert!(off.manifest.groups.is_empty());
}

#[test]
fn a_field_of_another_host_puts_no_hook_into_the_background() {
    let pace_of = |row: &'static NativeFormat, event: &str| {
        let text = format!(r#"{{"hooks": {{"{event}": [{{"command": "x", "async": true}}]}}}}"#);
        let parsed = row.read(&text, Syntax::Json).unwrap();
        parsed.manifest.groups[0].entries[0].pace
    };
    for row in [
        &crate::hosts::claude_code::table::FORMAT,
        &crate::hosts::codex_cli::table::FORMAT,
        &crate::hosts::qwen_code::table::FORMAT,
    ] {
        assert_eq!(pace_of(row, "PreToolUse"), Pace::Background, "{}", row.host);
    }
    for (row, event) in [
        (&crate::hosts::factory_droid::table::FORMAT, "PreToolUse"),
        (&crate::hosts::gemini_cli::table::FORMAT, "BeforeTool"),
        (&crate::hosts::cursor::table::FORMAT, "preToolUse"),
        (&crate::hosts::copilot_cli::table::FORMAT, "preToolUse"),
    ] {
        assert_eq!(pace_of(row, event), Pace::Waited, "{}", row.host);
    }
}

/// Reads a text that has nothing to be said about.
fn clean(format: &'static NativeFormat, text: &str) -> Vec<Group> {
    let parsed = format.read(text, Syntax::Json).unwrap();
    assert_eq!(parsed.findings, []);
    parsed.manifest.groups
}

#[test]
fn an_event_of_windsurf_is_about_its_tools_and_no_matcher_narrows_it() {
    let text = r#"{"hooks": {
        "pre_run_command": [{"command": "./a.sh", "show_output": true, "working_directory": "sub", "matcher": "ls"}],
        "pre_write_code": [{"command": "./b.sh"}],
        "pre_mcp_tool_use": [{"command": "./c.sh"}],
        "pre_user_prompt": [{"command": "./d.sh"}]
    }}"#;
    let groups = clean(&crate::hosts::windsurf::table::FORMAT, text);
    let about: Vec<(&str, &str)> = groups
        .iter()
        .map(|group| (group.event.as_str(), group.matcher.as_str()))
        .collect();
    assert_eq!(
        about,
        [
            ("tool:pre", "Bash"),
            ("tool:pre", "Write|Edit"),
            ("tool:pre", "^(mcp__|MCP:)"),
            ("prompt:submit", Matcher::all().as_str()),
        ]
    );
    let first = &groups[0].entries[0];
    assert_eq!(
        (&first.only, first.timeout, first.on_failure),
        (
            &None,
            Some(Duration::from_secs(30)),
            Some(OnFault::Continue)
        )
    );
    let Action::Command(command) = &first.action else {
        panic!("{first:?}");
    };
    assert_eq!(command.cwd.as_deref(), Some("sub"));
}

#[test]
fn the_events_of_devin_stand_below_hooks_or_at_the_top_and_every_failure_of_a_gate_refuses() {
    let hooks =
        r#"{"matcher": "exec", "hooks": [{"type": "command", "command": "./a.sh", "timeout": 5}]}"#;
    let bare = clean(
        &crate::hosts::devin_cli::table::FORMAT,
        &format!(r#"{{"PreToolUse": [{hooks}]}}"#),
    );
    let nested =
        format!(r#"{{"model": "x", "hooks": {{"PreToolUse": [{hooks}]}}, "Stop": [{hooks}]}}"#);
    let nested = clean(&crate::hosts::devin_cli::table::FORMAT, &nested);
    for groups in [&bare, &nested] {
        let [group] = &groups[..] else {
            panic!("{groups:?}");
        };
        let entry = &group.entries[0];
        assert_eq!(
            (group.event.as_str(), entry.timeout, entry.on_failure),
            (
                "tool:pre",
                Some(Duration::from_secs(5)),
                Some(OnFault::Deny)
            )
        );
        assert_eq!(group.matcher.selects(Some(&subject("exec"))), Hit::Name);
        assert_eq!(group.matcher.selects(Some(&subject("read"))), Hit::No);
    }
    // A setting that is no event is none; a name that is nearly one is a slip.
    let parsed = crate::hosts::devin_cli::table::FORMAT.read(
        r#"{"model": "x", "stop": {}, "pretooluse": []}"#,
        Syntax::Json,
    );
    let said: Vec<String> = parsed
        .unwrap()
        .findings
        .into_iter()
        .filter_map(|found| found.help)
        .collect();
    assert_eq!(said, ["did you mean `Stop`?", "did you mean `PreToolUse`?"]);
}

#[test]
fn a_hook_of_kiro_says_itself_when_it_runs_and_what() {
    let text = r#"{"version": "v1", "hooks": [
        {"name": "no push", "trigger": "PreToolUse", "matcher": "shell",
         "action": {"type": "command", "command": "./a.sh"}, "timeout": 0},
        {"name": "tidy", "trigger": "PostFileSave", "matcher": "\\.rs$", "enabled": false,
         "action": {"type": "command", "command": "./b.sh"}, "timeout": 5}
    ]}"#;
    let groups = clean(&crate::hosts::kiro::table::FORMAT, text);
    let [shell, save] = &groups[..] else {
        panic!("{groups:?}");
    };
    let entry = &shell.entries[0];
    assert_eq!(
        (
            shell.event.as_str(),
            entry.name.as_deref(),
            entry.enabled,
            entry.timeout,
            entry.on_failure
        ),
        (
            "tool:pre",
            Some("no push"),
            true,
            Some(Duration::from_hours(24)),
            Some(OnFault::Deny)
        )
    );
    let entry = &save.entries[0];
    assert_eq!(
        (
            save.event.as_str(),
            save.matcher.as_str(),
            entry.enabled,
            entry.timeout,
            entry.on_failure
        ),
        (
            "tool:post",
            "Write|Edit",
            false,
            Some(Duration::from_secs(5)),
            Some(OnFault::Continue)
        )
    );
    let only = entry.only.as_ref().unwrap();
    assert_eq!(
        (only.at, only.matcher.as_str()),
        (At::Field(&["tool_input", "file_path"]), r"\.rs$")
    );
}

#[test]
fn what_a_hook_of_kiro_cannot_do_here_is_said() {
    let text = r#"{"version": "v1", "hooks": [
        {"name": "ask", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "think"}},
        {"name": "x", "trigger": "preTool", "action": {"type": "command", "command": "./a.sh"}},
        {"name": "y", "action": {"type": "command", "command": "./a.sh"}},
        {"name": "z", "trigger": "Stop"}
    ]}"#;
    let parsed = crate::hosts::kiro::table::FORMAT
        .read(text, Syntax::Json)
        .unwrap();
    let said: Vec<(Severity, &str)> = parsed
        .findings
        .iter()
        .map(|found| (found.severity, &*found.message))
        .collect();
    assert_eq!(
        said,
        [
            (
                Severity::Warning,
                "a hook of type `agent` talks to `kiro` and decides nothing, so it is left out"
            ),
            (
                Severity::Warning,
                "`kiro` has no event `preTool`, and ignores it"
            ),
            (Severity::Error, "a hook must name its `trigger`"),
            (Severity::Error, "`command` is missing"),
        ]
    );
    let events: Vec<&str> = parsed
        .manifest
        .groups
        .iter()
        .map(|group| group.event.as_str())
        .collect();
    assert_eq!(events, ["stop"]);
    let table = crate::hosts::kiro::table::FORMAT
        .read(r#"{"hooks": {"preToolUse": []}}"#, Syntax::Json)
        .unwrap();
    assert_eq!(
        table.findings[0].message,
        "`hooks` must be a list of hooks, found an object"
    );
}

#[test]
fn a_matcher_of_kiro_selects_kinds_of_tools_and_those_of_servers() {
    let selects = |matcher: &str, tool: &str| {
        let text = format!(
            r#"{{"hooks": [{{"trigger": "PreToolUse", "matcher": "{matcher}", "action": {{"command": "x"}}}}]}}"#
        );
        let groups = clean(&crate::hosts::kiro::table::FORMAT, &text);
        groups[0].matcher.selects(Some(&subject(tool))) != Hit::No
    };
    for (matcher, yes, no) in [
        ("shell", "Bash", "Read"),
        ("read|web", "WebFetch", "Write"),
        ("write", "NotebookEdit", "Grep"),
        ("@mcp", "mcp__git__push", "Bash"),
        ("@git/push", "mcp__git__push", "mcp__git__pull"),
        ("@git", "mcp__git__pull", "mcp__files__read"),
        ("execute_bash", "execute_bash", "fs_read"),
    ] {
        assert!(selects(matcher, yes), "{matcher} {yes}");
        assert!(!selects(matcher, no), "{matcher} {no}");
    }
    // What does not say which tools it means is asked about all.
    assert!(selects("@builtin", "Bash") && selects("spec", "Bash") && selects("*", "Bash"));
}

#[test]
fn an_event_of_goose_that_doubles_a_call_looks_at_what_the_call_does() {
    let text = r#"{"hooks": {
        "BeforeShellExecution": [{"matcher": "push", "hooks": [{"type": "command", "command": "./a.sh"}]}],
        "PreToolUse": [{"matcher": "^github__", "hooks": [
            {"type": "command", "command": "./b.sh", "on_failure": "block"},
            {"type": "command", "command": "./c.sh", "on_failure": "allow"},
            {"type": "command", "command": "./d.sh", "on_failure": "blokc"}]}],
        "UserPromptSubmit": [{"matcher": "secret", "hooks": [{"type": "command", "command": "./e.sh"}]}]
    }}"#;
    let groups = clean(&crate::hosts::goose::table::FORMAT, text);
    let [shell, tool, prompt] = &groups[..] else {
        panic!("{groups:?}");
    };
    assert_eq!(
        (shell.event.as_str(), shell.matcher.as_str()),
        ("tool:pre", "Bash")
    );
    let only = |group: &Group| {
        group.entries[0]
            .only
            .clone()
            .map(|only| (only.at, only.matcher.as_str().to_owned()))
    };
    assert_eq!(
        only(shell),
        Some((At::Field(&["tool_input", "command"]), "push".into()))
    );
    assert_eq!(
        only(prompt),
        Some((At::Field(&["prompt"]), "secret".into()))
    );
    assert!(prompt.matcher.is_all());
    // A tool of a server has another name here, which its pattern means too; a class is no beginning.
    assert_eq!(
        tool.matcher.selects(Some(&subject("mcp__github__push"))),
        Hit::Name
    );
    assert_eq!(
        tool.matcher.selects(Some(&subject("my_github__push"))),
        Hit::No
    );
    let failures: Vec<Option<OnFault>> =
        tool.entries.iter().map(|entry| entry.on_failure).collect();
    assert_eq!(
        failures,
        [
            Some(OnFault::Deny),
            Some(OnFault::Continue),
            Some(OnFault::Deny)
        ]
    );
    let class = clean(
        &crate::hosts::goose::table::FORMAT,
        r#"{"hooks": {"PreToolUse": [{"matcher": "[^a]b\\^", "command": "x"}]}}"#,
    );
    assert_eq!(class[0].matcher.as_str(), r"[^a]b\^");
}
