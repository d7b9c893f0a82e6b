//! What is found in scripts and in the lines of commands.

use super::*;

#[test]
fn an_exit_with_one_that_is_no_refusal_and_an_object_that_is_no_answer_are_left_alone() {
    for script in [
        "echo 'no input' >&2\nexit 1\n",
        "# blocked commands end with exit 1 elsewhere\nexit 0\n",
        "echo blocked >&2\nexit 127\n",
        "if true; then\n  echo blocked >&2\n  exit 2\nfi\nexit 1\n",
        "curl -d '{\"decision\": \"x\"}' http://localhost/\n",
        "# echo '{\"decision\": \"x\"}'\n",
    ] {
        let script = format!("#!/bin/sh\n{script}");
        let found = of(&[("hooks/hooks.json", RUNS_A), ("scripts/a.sh", &script)]);
        assert_eq!(codes(&found), [""; 0], "{script}");
    }
}

#[test]
fn a_refusal_by_one_is_found_in_python_at_its_line() {
    let python = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "python3 ${PACKAGE_ROOT}/a.py", "timeout": 5}
]}]}}"#;
    let script =
        "import sys\nif True:\n    print('Blocked: no', file=sys.stderr)\n    sys.exit(1)\n";
    let found = of(&[("hooks/hooks.json", python), ("a.py", script)]);
    assert_eq!((codes(&found), found[0].at.line), (vec!["AH024"], 4));
}

#[test]
fn a_guard_that_ends_with_one_refuses_by_its_failure_and_is_left_alone() {
    let guard = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "echo 'not allowed' >&2; exit 1", "timeout": 5, "guard": true}
]}]}}"#;
    assert_eq!(of_manifest(guard), [""; 0]);
}

#[test]
fn jq_is_missed_where_a_script_needs_it_and_does_not_ask() {
    let how = |text: &'static str| {
        let package = Package::of(&[
            program("hooks/hooks.json", RUNS_A),
            program("scripts/a.sh", text),
        ]);
        let _ = package.programs();
        fs::remove_file(package.path("bin-of-the-test/jq")).unwrap();
        let file = package.path("hooks/hooks.json");
        let path = Some(package.path("bin-of-the-test").into());
        codes(&check(
            &file,
            RUNS_A,
            &LintContext {
                path,
                ..LintContext::default()
            },
        ))
    };
    assert_eq!(
        how("#!/bin/sh\ncommand=$(jq -r .tool_input.command)\n"),
        ["AH021"]
    );
    assert_eq!(how("#!/bin/sh\ncat | jq -r .tool_name\n"), ["AH021"]);
    for text in [
        "#!/bin/sh\n# jq is not needed\nls # jq .\n",
        "#!/bin/sh\ncat <<'EOF'\njq -r .tool_name\nEOF\n",
        "#!/bin/sh\necho 'jq .' \"jq .\" # it's\n",
    ] {
        assert_eq!(how(text), [""; 0], "{text}");
    }
    assert_eq!(
        how("#!/bin/sh\ncommand -v jq >/dev/null || exit 0\njq .\n"),
        [""; 0]
    );
}

#[test]
fn a_word_behind_a_comment_sign_or_in_a_here_document_is_no_missing_program() {
    for command in [
        "# Prevent a push\\nls",
        "ls # Auto-format what was written",
        "cat <<'EOF' | wc -l\\nno-such-program x\\nEOF",
        "for no-such in a b; do ls; done",
    ] {
        let text: &'static str = Box::leak(
            format!(
                r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [
                {{"type": "command", "command": "{command}", "timeout": 5}}]}}]}}}}"#
            )
            .into_boxed_str(),
        );
        let package = Package::of(&[program("hooks/hooks.json", text)]);
        let path = Some("/usr/bin:/bin".into());
        let found = codes(&check(
            &package.path("hooks/hooks.json"),
            text,
            &LintContext {
                path,
                ..LintContext::default()
            },
        ));
        assert!(!found.contains(&"AH021"), "{command}: {found:?}");
    }
}
