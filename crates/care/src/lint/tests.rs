mod scripts;
mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use anyhook_wires::host;

use super::*;

/// A package on the disk.
struct Package {
    folder: tempfile::TempDir,
}

impl Package {
    fn of(files: &[SampleFile]) -> Self {
        let package = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for file in files {
            let path = package.path(file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &file.text).unwrap();
            let mode = if file.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        package
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The programs that samples take for granted, and no others.
    fn programs(&self) -> OsString {
        let bin = self.path("bin-of-the-test");
        fs::create_dir_all(&bin).unwrap();
        for name in [
            "bash", "date", "jq", "npx", "node", "python3", "prettier", "sh", "sort", "wc",
        ] {
            fs::write(bin.join(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        bin.into()
    }

    fn check(&self, manifest: &str, hosts: &[&str]) -> Vec<LintFinding> {
        let file = self.path(manifest);
        let text = fs::read_to_string(&file).unwrap();
        let how = LintContext {
            hosts: hosts.iter().map(|id| host(id).unwrap()).collect(),
            path: Some(self.programs()),
            home: Some(self.path("home")),
        };
        check(&file, &text, &how)
    }
}

fn of_sample(sample: &LintSample) -> Vec<LintFinding> {
    let manifest = sample.files.first().unwrap().path;
    Package::of(&sample.files).check(manifest, sample.host.as_slice())
}

fn codes(found: &[LintFinding]) -> Vec<&'static str> {
    found.iter().map(|found| found.lint.code).collect()
}

fn program(path: &'static str, text: &str) -> SampleFile {
    SampleFile {
        path,
        text: text.to_owned(),
        executable: true,
    }
}

fn of(files: &[(&'static str, &str)]) -> Vec<LintFinding> {
    let files: Vec<SampleFile> = files
        .iter()
        .map(|(path, text)| program(path, text))
        .collect();
    Package::of(&files).check(files[0].path, &[])
}

/// A hook that runs `scripts/a.sh` before a tool of the shell.
const RUNS_A: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/a.sh", "timeout": 5}
]}]}}"#;

fn of_manifest(text: &'static str) -> Vec<&'static str> {
    codes(&of(&[("hooks/hooks.json", text)]))
}

#[test]
fn every_rule_finds_exactly_itself_in_its_bad_sample_and_nothing_in_its_good_one() {
    for lint in LINTS.iter() {
        let bad = of_sample(&lint.bad);
        assert_eq!(codes(&bad), [lint.code], "{}: {bad:#?}", lint.slug);
        assert_eq!(bad[0].severity, lint.severity, "{}", lint.slug);
        let good = of_sample(&lint.good);
        assert!(good.is_empty(), "{}: {good:#?}", lint.slug);
    }
}

#[test]
fn every_page_has_all_its_parts_and_codes_go_up() {
    let codes: Vec<&str> = LINTS.iter().map(|lint| lint.code).collect();
    assert!(codes.is_sorted_by(|one, other| one < other), "{codes:?}");
    let slugs: BTreeSet<&str> = LINTS.iter().map(|lint| lint.slug).collect();
    assert_eq!(slugs.len(), codes.len());
    for lint in LINTS.iter() {
        let texts = [lint.about, lint.page];
        assert!(
            texts.iter().all(|text| text.ends_with('.')),
            "{}",
            lint.code
        );
        let samples = [&lint.bad, &lint.good];
        assert!(
            samples.iter().all(|sample| !sample.files.is_empty()),
            "{}",
            lint.code
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints");
    assert_eq!(fs::read_dir(folder).unwrap().count(), codes.len());
}

#[test]
fn what_a_fix_mends_is_gone_and_nothing_else_comes() {
    let mut mended = BTreeSet::new();
    for lint in LINTS.iter() {
        for found in of_sample(&lint.bad) {
            let Some(fix) = &found.fix else { continue };
            let package = Package::of(&lint.bad.files);
            let manifest = lint.bad.files[0].path;
            let again = package.check(manifest, &[]);
            let file = &again[0].file;
            let text = fs::read_to_string(file).unwrap();
            let again = again[0].fix.as_ref().unwrap();
            fs::write(file, apply(&text, std::iter::once(again))).unwrap();
            if let Some(script) = &again.executable {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                fs::set_permissions(script, mode).unwrap();
            }
            assert_eq!(package.check(manifest, &[]), [], "{}: {fix:?}", lint.slug);
            mended.insert(lint.slug);
        }
    }
    assert_eq!(
        mended,
        BTreeSet::from(["crlf-shebang", "no-version", "not-executable", "unquoted"])
    );
}

#[test]
fn a_matcher_of_a_tool_of_any_agent_is_known_and_one_of_a_server_is_not_judged() {
    let rule = |matcher: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"matcher": "{matcher}", "hooks": [
  {{"type": "rule", "when": "true", "then": {{"ask": "Go on?"}}}}
]}}]}}}}"#
        );
        let how = LintContext::default();
        codes(&check(Path::new("hooks/hooks.json"), &text, &how))
    };
    for known in [
        "write_file",
        "Bash|exec_command",
        "mcp__git__push",
        "^mcp__.*__delete",
        ".*Edit.*",
        "fs_.*",
    ] {
        assert_eq!(rule(known), [""; 0], "{known}");
    }
    for unknown in ["Wirte", "Wrtie|Bash", "^NoSuchTool$", "NoSuchToolAtAll"] {
        assert_eq!(rule(unknown), ["AH009"], "{unknown}");
    }
}

#[test]
fn an_event_that_one_agent_has_for_some_calls_is_all_of_them_here_unless_a_matcher_says_which() {
    let group = |event: &str, matcher: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"{event}": [{{{matcher}"hooks": [
  {{"type": "rule", "when": "true", "then": {{"ask": "Go on?"}}}}
]}}]}}}}"#
        );
        codes(&check(
            Path::new("hooks/hooks.json"),
            &text,
            &LintContext::default(),
        ))
    };
    assert_eq!(group("beforeReadFile", ""), ["AH011"]);
    assert_eq!(group("pre_run_command", ""), ["AH011"]);
    assert_eq!(group("beforeReadFile", r#""matcher": "Read", "#), [""; 0]);
    for all in [
        "BeforeTool",
        "PreToolUse",
        "preToolUse",
        "pre-tool-use",
        "agentStop",
    ] {
        assert_eq!(group(all, ""), [""; 0], "{all}");
    }
}

#[test]
fn an_allow_by_only_runs_is_fine_and_one_by_a_word_in_a_text_is_not_seen() {
    let rule = |when: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"matcher": "Bash", "hooks": [
  {{"type": "rule", "when": "{when}", "then": {{"allow": true}}}}
]}}]}}}}"#
        );
        codes(&check(
            Path::new("hooks/hooks.json"),
            &text,
            &LintContext::default(),
        ))
    };
    assert_eq!(rule("only_runs('ls') && !runs('rm')"), [""; 0]);
    assert_eq!(rule("tool_input.command == 'runs('"), [""; 0]);
    assert_eq!(rule("tool_input.command.startsWith('ls')"), ["AH032"]);
}

#[test]
fn a_file_that_is_no_json_has_one_finding_of_the_first_rule() {
    let found = check(
        Path::new("hooks/hooks.json"),
        "{\n  'version': 1\n}",
        &LintContext::default(),
    );
    assert_eq!(
        (codes(&found), found[0].at.line, found[0].at.column),
        (vec!["AH001"], 2, 3)
    );
}

#[test]
fn the_examples_of_the_project_have_no_error() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in fs::read_dir(examples).unwrap() {
        let file = entry.unwrap().path().join("hooks/hooks.json");
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let found = check(&file, &text, &LintContext::default());
        let errors: Vec<_> = found
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", file.display());
        seen += 1;
    }
    assert!(seen >= 2);
}

/// The findings about two rules beside each other.
fn of_rules(one: &str, other: &str) -> Vec<&'static str> {
    let text = format!(
        r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"matcher": "Bash", "hooks": [
            {{"type": "rule", "when": {one}}}, {{"type": "rule", "when": {other}}}]}}]}}}}"#
    );
    codes(&check(
        Path::new("hooks/hooks.json"),
        &text,
        &LintContext::default(),
    ))
}

#[test]
fn a_matcher_that_selects_nothing_is_helped_by_the_nearest_tool() {
    let help = |matcher: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"matcher": "{matcher}", "hooks": [
                {{"type": "rule", "when": "runs('rm')", "then": {{"deny": "no"}}}}]}}]}}}}"#
        );
        let found = check(
            Path::new("hooks/hooks.json"),
            &text,
            &LintContext::default(),
        );
        found[0].help.clone().unwrap()
    };
    assert!(
        help("Bsh").starts_with("did you mean `Bash`?"),
        "{}",
        help("Bsh")
    );
    assert!(help("^NoSuchTool$").starts_with("`anyhook list hosts`"));
}

#[test]
fn a_placeholder_of_a_command_line_in_a_text_of_a_rule_does_nothing_and_is_found() {
    let rule = |text: &str| {
        of_rules(
            &format!(
                r#""runs('npm')", "then": {{"modify": {{"tool_input": {{"command": "{text}"}}}}}}"#
            ),
            r#""runs('x')", "then": {"deny": "no"}"#,
        )
    };
    assert_eq!(rule("pnpm ${tool_input.command}"), ["AH008"]);
    assert_eq!(rule("pnpm {{tool_input.command}} ${HOME}"), [""; 0]);
}

#[test]
fn the_files_of_every_agent_that_are_read_are_judged_by_what_that_agent_knows() {
    let of = |file: &str, text: &str| codes(&check(Path::new(file), text, &LintContext::default()));
    let windsurf = |hook: &str| {
        of(
            ".windsurf/hooks.json",
            &format!(r#"{{"hooks": {{"pre_run_command": [{hook}]}}}}"#),
        )
    };
    assert_eq!(windsurf(r#"{"command": "date"}"#), [""; 0]);
    assert_eq!(
        windsurf(r#"{"command": "date", "matcher": "ls"}"#),
        ["AH007"]
    );
    let kiro = |hook: &str| {
        let text = format!(r#"{{"version": "v1", "hooks": [{{"name": "x", {hook}}}]}}"#);
        of(".kiro/hooks/a.json", &text)
    };
    let does = r#""action": {"type": "command", "command": "date"}, "timeout": 5"#;
    assert_eq!(
        kiro(&format!(
            r#""trigger": "PreToolUse", "matcher": "shell", {does}"#
        )),
        [""; 0]
    );
    assert_eq!(kiro(&format!(r#""trigger": "preTool", {does}"#)), ["AH002"]);
    assert_eq!(kiro(does), ["AH001"]);
    assert_eq!(
        of(".devin/hooks.v1.json", r#"{"pretooluse": []}"#),
        ["AH002"]
    );
    let goose = r#"{"hooks": {"BeforeShellExecution": [{"matcher": "push", "hooks": [
        {"type": "command", "command": "date", "timeout": 5}]}]}}"#;
    assert_eq!(of(".agents/plugins/a/hooks/hooks.json", goose), [""; 0]);
}
