//! Known defects and known-good idioms of other people's hooks, each as small as it can be.

use super::*;

/// A file of hooks, and what stands beside it.
type Case = (&'static str, String, Vec<(&'static str, String)>);

const SETTINGS: &str = ".claude/settings.json";
const PLUGIN: &str = "hooks/hooks.json";

fn findings((place, text, beside): &Case) -> Vec<LintFinding> {
    let files = beside.iter().map(|(path, text)| program(path, text));
    let package = Package::of(&files.collect::<Vec<_>>());
    let file = package.path(place);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    package.check(place, &[])
}

/// One command of one event of Claude's own file.
fn line(event: &str, matcher: &str, command: &str) -> Case {
    let hook = serde_json::json!({"type": "command", "command": command, "timeout": 5});
    let file =
        serde_json::json!({"hooks": {event: [{"matcher": matcher, "hooks": [hook]}]}}).to_string();
    (SETTINGS, file, vec![])
}

/// A script of one event, run as the command says.
fn script(event: &str, command: &str, path: &'static str, text: &str) -> Case {
    let (place, file, _) = line(event, "Bash", command);
    let file = if event.starts_with("Pre") || event.starts_with("Post") || event.starts_with("Perm")
    {
        file
    } else {
        file.replace(r#""matcher":"Bash","#, "")
    };
    (place, file, vec![(path, text.to_owned())])
}

fn sh(event: &str, text: &str) -> Case {
    script(event, "\"$CLAUDE_PROJECT_DIR/a.sh\"", "a.sh", text)
}

fn python(event: &str, text: &str) -> Case {
    script(event, "python3 \"$CLAUDE_PROJECT_DIR/a.py\"", "a.py", text)
}

fn universal(group: &str) -> Case {
    let text = format!(r#"{{"version": 1, "hooks": {{{group}}}}}"#);
    (PLUGIN, text, vec![])
}

fn settings(hooks: &str) -> Case {
    (SETTINGS, format!(r#"{{"hooks": {{{hooks}}}}}"#), vec![])
}

/// The code of a defect, where it stands, and its text. `⏎` is the end of a line.
const DEFECTS: &str = r#"
# `$NAME` without braces.
AH022 line PostToolUse Write ⇒ python3 $CLAUDE_PROJECT_DIR/missing.py | cat
AH022 line PostToolUse Write ⇒ uv run $CLAUDE_PROJECT_DIR/.claude/hooks/log.py
AH022 line PostToolUse Write ⇒ cat $HOME/.claude/log.txt
AH022 line PostToolUse Write ⇒ f=$(jq -r .tool_input.file_path); prettier --write $f; wc $file_path
AH022 line PostToolUse Write ⇒ [ -f ${CLAUDE_PROJECT_DIR}/x ] && date
AH022 line PostToolUse Write ⇒ x=$(cat $CLAUDE_PROJECT_DIR/a.txt)
AH022 line PostToolUse Write ⇒ npx prettier@3 --write $FILE_PATH || true
# Unknown and misspelt keys.
AH003 universal ⇒ "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "date", "timeout": 5, "gaurd": true}]}]
AH003 universal ⇒ "pre-tool-use": [{"matchr": "Bash", "hooks": [{"type": "command", "command": "date", "timeout": 5}]}]
AH003 settings ⇒ "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "date", "timout": 5, "timeout": 5}]}]
AH003 settings ⇒ "PreToolUse": [{"macther": "Bash", "hooks": [{"type": "command", "command": "date", "timeout": 5}]}]
AH002 settings ⇒ "PreToolUze": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "date", "timeout": 5}]}]
AH003 file ⇒ {"hook": {"Stop": []}}
# Answers in a form that no host reads.
AH027 sh PreToolUse ⇒ #!/bin/sh⏎cat <<EOF⏎{"decision": "deny", "reason": "no"}⏎EOF⏎
AH027 sh PreToolUse ⇒ #!/bin/sh⏎jq -n --arg w "$w" '{decision: "deny", reason: $w}'⏎
AH027 sh PreToolUse ⇒ #!/bin/sh⏎echo '{"permissionDecision": "deny"}'⏎
AH027 sh PostToolUse ⇒ #!/bin/sh⏎echo '{"additionalContext": "x"}'⏎
AH027 sh PreToolUse ⇒ #!/bin/sh⏎echo '{"block": true}'⏎
AH027 sh PreToolUse ⇒ #!/bin/sh⏎echo '{"feedback": "use rg"}'⏎
AH027 sh PermissionRequest ⇒ #!/bin/sh⏎echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "allow"}}'⏎
AH027 sh PermissionRequest ⇒ #!/bin/sh⏎jq -n --arg w "$w" '{hookSpecificOutput: {hookEventName: "PermissionRequest", permissionDecision: "deny", permissionDecisionReason: $w}}'⏎
AH027 sh PreToolUse ⇒ #!/bin/sh⏎echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "decision": {"behavior": "deny"}}}'⏎
AH027 python PreToolUse ⇒ import json⏎print(json.dumps({"permissionDecision": "deny", "reason": "no"}))⏎
AH027 python PreToolUse ⇒ import json⏎said = {"hookSpecificOutput": {"permision": "deny", "additionalContext": 3}}⏎print(json.dumps(said))⏎
AH027 line PreToolUse Bash ⇒ echo '{"permissionDecision": "deny"}'
AH027 line PostToolUse Write ⇒ npm ci && echo '{"feedback": "done", "suppressOutput": true}' || exit 1
# Files that are not there.
AH017 line PostToolUse Write ⇒ ~/.claude/hooks/x.sh
AH017 line PostToolUse Write ⇒ bash "$HOME/.claude/hooks/x.sh"
AH017 line PostToolUse Write ⇒ python3 ~/.claude/hooks/x.py --all
AH017 line PostToolUse Write ⇒ uv run --quiet "$CLAUDE_PROJECT_DIR/.claude/hooks/x.py" --notify
AH017 line PostToolUse Write ⇒ bash -c 'date'; sh "$CLAUDE_PROJECT_DIR/x.sh"
# Dead words of closed matchers, and names of other cases.
AH009 line SessionStart start ⇒ date
AH009 line PreCompact manuel ⇒ date
AH009 line Notification permission ⇒ date
AH009 line SessionStart startup|resum ⇒ date
AH009 line PreToolUse bash ⇒ date
AH009 line PreToolUse edit|Write ⇒ date
AH009 universal ⇒ "session-start": [{"matcher": "start", "hooks": [{"type": "command", "command": "date", "timeout": 5}]}]
# Variables that no host sets.
AH023 line PreToolUse Bash ⇒ echo "$TOOL_INPUT" >&2
AH023 line PreToolUse Bash ⇒ echo "$CLAUDE_SESSION_ID" >&2
AH023 python PreToolUse ⇒ import os⏎print(os.environ.get('CLAUDE_TOOL_INPUT'))⏎
AH023 line PreToolUse Bash ⇒ sh "${CLAUDE_PLUGIN_ROOT}/a.sh"
AH024 line PreToolUse Bash ⇒ echo 'not allowed' >&2; exit 1
AH025 sh Stop ⇒ #!/bin/sh⏎echo 'go on' >&2⏎exit 2⏎
AH012 settings ⇒ "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "date", "timeout": 5000}]}]"#;

/// Reads a row of the table: the code, and what is to be checked.
fn defect(row: &str) -> (&str, Case) {
    let (place, text) = row.split_once(" ⇒ ").unwrap();
    let text = text.replace('⏎', "\n");
    let words: Vec<&str> = place.split(' ').collect();
    let case = match words[1..] {
        ["line", event, matcher] => line(event, matcher, &text),
        ["sh", event] => sh(event, &text),
        ["python", event] => python(event, &text),
        ["universal"] => universal(&text),
        ["settings"] => settings(&text),
        ["file"] => (SETTINGS, text, vec![]),
        _ => panic!("{row}"),
    };
    (words[0], case)
}

#[test]
fn at_least_nine_of_ten_known_defects_are_found() {
    let rows = DEFECTS.lines().skip(1).filter(|row| !row.starts_with('#'));
    let all: Vec<_> = rows.map(defect).collect();
    let missed: Vec<String> = all
        .iter()
        .filter_map(|(code, case)| {
            let found = findings(case);
            let is_found = found.iter().any(|found| found.lint.code == *code);
            let shown = format!(
                "{code}: {}\n    {:?}\n    {:?}",
                case.1,
                case.2,
                codes(&found)
            );
            (!is_found).then_some(shown)
        })
        .collect();
    let share = (all.len() - missed.len()) * 100 / all.len();
    println!("{share} % of {} known defects are found", all.len());
    assert!(
        all.len() >= 30 && share >= 90,
        "{share} %\n{}",
        missed.join("\n")
    );
}

#[test]
fn a_misspelt_field_is_an_error_and_an_unknown_one_a_warning() {
    let of = |field: &str| {
        let hook = format!(
            r#""pre-tool-use": [{{"matcher": "Bash", "hooks": [{{"type": "command", "command": "date", "timeout": 5, {field}}}]}}]"#
        );
        let found = findings(&universal(&hook));
        (codes(&found), found[0].severity, found[0].help.clone())
    };
    let near = Some("did you mean `guard`?".to_owned());
    assert_eq!(
        of(r#""gaurd": true"#),
        (vec!["AH003"], Severity::Error, near)
    );
    assert_eq!(
        of(r#""since": 2024"#),
        (vec!["AH003"], Severity::Warning, None)
    );
}

fn idioms() -> Vec<Case> {
    let edit = "PostToolUse";
    vec![
        // Qwen Code takes small numbers for seconds.
        (
            ".qwen/settings.json",
            r#"{"hooks": {"PreToolUse": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "date", "timeout": 10}]}]}}"#.to_owned(),
            vec![],
        ),
        line(edit, "Write", "exit_code=${PIPESTATUS}; exit $exit_code"),
        line(edit, "Write", "f=$(jq -r '.tool_input.file_path // empty'); [ -n \"$f\" ] && prettier --write \"$f\""),
        line(edit, "Write", "FLAGS='-a -b'; date $FLAGS # Auto-run it, Prevent nothing"),
        line(edit, "Write", "jq -r .tool_input.file_path | { read -r f; case $f in *.ts) prettier --write \"$f\";; esac; }"),
        line(edit, "Write", "command -v no-such >/dev/null 2>&1 && date || true"),
        line(edit, "Write", "bash -c 'if [[ -n \"$1\" ]]; then date; fi' x"),
        line(edit, "Write", "echo \"$(date) done\" >> \"$CLAUDE_PROJECT_DIR/log.txt\""),
        line("Stop", "*", "date"),
        line("Stop", "", "date"),
        line("SessionStart", "startup|resume", "date"),
        line("SessionStart", "startup", "date"),
        line("PreCompact", "auto", "date"),
        line("Notification", "permission_prompt|idle_prompt", "date"),
        line("Notification", "*", "date"),
        line("PreToolUse", "Edit|Write|MultiEdit", "date"),
        line("PreToolUse", "mcp__.*", "date"),
        line("PreToolUse", "Task|Agent", "date"),
        line("PreToolUse", "Bash|bash|run_shell_command", "date"),
        settings(r#""PreToolUse": [{"id": "x", "description": "why", "matcher": "Bash", "hooks": [
            {"type": "command", "command": "date", "timeout": 5, "statusMessage": "wait", "once": true}]}]"#),
        // A variable that is compared, and never printed.
        sh("PreToolUse", "#!/bin/sh\nout='{\"decision\": \"maybe\", \"message\": \"\"}'\n[ \"$1\" = x ] || emit \"$out\"\n"),
        sh("PreToolUse", "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"no\"}}'\n"),
        sh("PreToolUse", "#!/bin/sh\necho '{\"decision\": \"block\", \"reason\": \"no\"}'\n"),
        sh("PermissionRequest", "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"hookEventName\": \"PermissionRequest\", \"decision\": {\"behavior\": \"allow\"}}}'\n"),
        sh("Stop", "#!/bin/sh\n[ \"$(jq -r .stop_hook_active)\" = true ] && exit 0\necho '{\"decision\": \"block\", \"reason\": \"go on\"}'\n"),
        sh("UserPromptSubmit", "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"hookEventName\": \"UserPromptSubmit\", \"additionalContext\": \"x\"}}'\n"),
        // One script for several agents.
        sh("PreToolUse", "#!/bin/sh\nif [ -n \"$CURSOR_VERSION\" ]; then\n  echo '{\"permission\": \"deny\", \"agent_message\": \"no\"}'\nelse\n  echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\"}}'\nfi\n"),
        sh("PreToolUse", "#!/bin/sh\necho '{\"continue\": true, \"suppressOutput\": true}'\n"),
        // A polyglot, and a script without a first line, which a shell runs.
        sh("PostToolUse", ": << 'CMDBLOCK'\n@echo off\nexit /b\nCMDBLOCK\ndate\n"),
        sh("PostToolUse", "# says the time\ndate\n"),
        sh("PostToolUse", "#!/bin/bash\nset -euo pipefail\nnames=(a b)\n[[ -n \"${names[0]}\" ]] && date >&2\n"),
        sh("PostToolUse", "#!/usr/bin/env bash\ncat <<'EOF' >&2\nno-such-program --force\njq .\nEOF\n"),
        sh("PostToolUse", "#!/bin/sh\ninput=\"${CLAUDE_TOOL_INPUT:-$(cat)}\"\nTOOL_NAME=$(date)\necho \"$TOOL_NAME $input\" >&2\n"),
        python("PreToolUse", "import json\nif a():\n    print(json.dumps(b()))\nelse:\n    print(json.dumps(c()))\n"),
        python("PostToolUse", "import json, sys\nprint(json.dumps(a()), file=sys.stderr)\nprint(json.dumps(b()))\n"),
        universal(r#""pre-tool-use": [{"hooks": [{"type": "rule", "when": "has(tool_input.file_path) && tool_input.file_path.endsWith('.env')", "then": {"deny": "no"}}]}]"#),
        universal(r#""pre-tool-use": [{"hooks": [{"type": "rule", "when": "touches('**/.env') || runs('sudo')", "then": {"deny": "no"}}]}]"#),
        universal(r#""pre-tool-use": [{"matcher": "Write", "hooks": [{"type": "rule", "when": "tool_input.content.contains('x')", "then": {"modify": {"tool_input": {"content": "y"}}}}]},
            {"matcher": "Bash", "hooks": [{"type": "rule", "when": "runs('npm')", "then": {"modify": {"tool_input": {"command": "y"}}}}]}]"#),
        universal(r#""post-tool-use": [{"matcher": "Write", "hooks": [{"type": "command", "command": "prettier --write ${file}", "timeout": 600}]}]"#),
        ("templates/settings.json", r#"{"$schema": "https://json.schemastore.org/claude-code-settings.json", "permissions": {"deny": []}, "env": {},
            "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/a.sh\"", "timeout": 5}]}]}}"#.to_owned(), vec![]),
    ]
}

#[test]
fn what_people_write_and_what_works_is_found_no_fault_with() {
    let all = idioms();
    assert!(all.len() >= 20);
    let faults = all.iter().flat_map(|case| {
        let found = findings(case).into_iter();
        found.map(|found| {
            let (code, message) = (found.lint.code, &found.message);
            format!("{code} {message}: {} {:?}", case.1, case.2)
        })
    });
    assert_eq!(faults.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_file_without_times_is_told_so_once() {
    let hook = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "date"}]}"#;
    let found = findings(&settings(&format!(
        r#""PreToolUse": [{hook}], "PostToolUse": [{hook}]"#
    )));
    let message = "no timeout: the agent waits up to 600 seconds for each of 2 hooks, of which this is the first";
    assert_eq!(
        (codes(&found), &*found[0].message),
        (vec!["AH013"], message)
    );
}

#[test]
fn a_file_that_codex_leaves_out_is_found_by_each_of_its_causes() {
    let hook = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "TYPE", "command": "date", "timeout": 5}]}]}}"#;
    let said = |from: &str, to: &str| {
        let text = hook.replace("TYPE", "command").replace(from, to);
        let found = findings(&(".codex/hooks.json", text, vec![])).into_iter();
        let dropped = found.filter(|found| found.lint.code == "AH047");
        dropped.map(|found| found.message).collect::<Vec<_>>()
    };
    assert_eq!(said("", ""), [""; 0]);
    let causes = [
        (
            "{\"hooks\": {",
            "{\"version\": 1, \"hooks\": {",
            "`version` at the top",
        ),
        ("\"command\",", "\"http\",", "a hook of type `http`"),
        ("5", "1.5", "a timeout of 1.5 seconds"),
        ("5", "-1", "a timeout of -1 seconds"),
    ];
    for (from, to, cause) in causes {
        let message = format!("`codex-cli` runs no hook of this file: it has {cause}");
        assert_eq!(said(from, to), [message]);
    }
}

#[test]
fn a_plugin_is_not_told_to_say_a_time_that_changes_nothing() {
    let hook = r#""SessionEnd": [{"hooks": [{"type": "command", "command": "date >> \"${CLAUDE_PLUGIN_ROOT}/log\"", "timeout": 9}]}]"#;
    let found = findings(&(PLUGIN, format!(r#"{{"hooks": {{{hook}}}}}"#), vec![]));
    assert_eq!(codes(&found), ["AH038"]);
    assert!(found[0].help.as_ref().unwrap().contains("background"));
    assert!(!codes(&findings(&settings(hook))).contains(&"AH038"));
}

#[test]
fn a_plugin_is_known_by_its_description_and_its_files_are_counted_from_there() {
    let plugin = |hooks: &str| (".claude-plugin/plugin.json", hooks.to_owned());
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "date"}]}]}}"#;
    let beside = vec![plugin(r#"{"name": "x"}"#)];
    let found = findings(&(PLUGIN, text.to_owned(), beside));
    assert_eq!(codes(&found), ["AH013"]);
    assert!(
        found[0].message.contains("600 seconds"),
        "{}",
        found[0].message
    );
    let named = r#"{"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "node \"${CLAUDE_PLUGIN_ROOT}/claude-hooks/a.js\"", "timeout": 5}]}]}}"#;
    let script = ("claude-hooks/a.js", "process.exit(0)\n".to_owned());
    let beside = |hooks| vec![plugin(hooks), script.clone()];
    let of = |hooks| {
        let case = ("claude-hooks/hooks.json", named.to_owned(), beside(hooks));
        codes(&findings(&case))
    };
    assert_eq!(of(r#"{"hooks": "./claude-hooks/hooks.json"}"#), [""; 0]);
    assert_eq!(of(r#"{"hooks": "./other/hooks.json"}"#), ["AH017"]);
}

/// What the check says about a file of Claude's and did not say before it was converted, by its code.
fn new_findings(text: &str, place: &str) -> Vec<&'static str> {
    use anyhook_wires::convert::to_universal;
    use anyhook_wires::native_files::{Syntax, claude_code};
    let Ok(converted) = to_universal(text, Syntax::Json, claude_code()) else {
        return Vec::new();
    };
    let before = codes(&findings(&(SETTINGS, text.to_owned(), vec![])));
    let after = findings(&(PLUGIN, converted.text, vec![]));
    let mut new = codes(&after);
    new.retain(|code| !before.contains(code));
    assert!(!new.contains(&"AH012"), "{place}: {after:#?}");
    new
}

#[test]
fn what_convert_writes_the_check_finds_no_more_fault_with_than_with_what_it_read() {
    for case in idioms().iter().filter(|(place, ..)| *place == SETTINGS) {
        assert_eq!(new_findings(&case.1, &case.1), [""; 0], "{}", case.1);
    }
    let silent = settings(
        r#""PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "date"}]}]"#,
    );
    assert_eq!(new_findings(&silent.1, ""), [""; 0]);
    let Some(corpus) = std::env::var_os("ANYHOOK_CORPUS") else {
        println!("no ANYHOOK_CORPUS: its files are skipped");
        return;
    };
    let mut open = vec![PathBuf::from(corpus)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.ends_with("hooks.json") || path.ends_with(".claude/settings.json") {
            let text = fs::read_to_string(&path).unwrap();
            // Other agents' files are no plugins of Claude.
            if text.contains("CLAUDE_") {
                let place = path.display().to_string();
                assert_eq!(new_findings(&text, &place), [""; 0], "{place}");
            }
        }
    }
}
