use anyhook_core::event::Event;
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use super::*;

mod attack;
mod chains;
mod ordinary;
mod packs;

fn holds(event: &Event, text: &str) -> Result<bool, String> {
    let (project, home) = (std::path::Path::new("/p"), std::path::Path::new("/home/me"));
    let facts = Facts::new(event, project, Some(home));
    let when = CompiledCondition::read(text)
        .map_err(|error| format!("{}: {}", error.what, error.at.start))?;
    when.decide(&facts).map(|decided| decided.holds)
}

fn bash(command: &str) -> Event {
    Event::new(
        "pre-tool-use",
        json!({"cwd": "/p", "tool_name": "Bash", "tool_input": {"command": command, "timeout": 5}}),
    )
}

#[test]
fn what_waits_for_commands_of_a_terminal_is_told_from_what_is_told_what_to_run() {
    let rows = include_str!("tests/terminals.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let (waits, line) = row.split_at(2);
        assert_eq!(
            holds(&bash(line), "interactive()"),
            Ok(waits == "! "),
            "{line}"
        );
    }
}

#[test]
fn a_way_to_push_that_is_nearly_one_is_a_slip_and_a_branch_is_none() {
    let error = CompiledCondition::read("pushes('forse')").unwrap_err();
    assert_eq!(error.what, "`forse` is nearly `force`");
    for text in ["pushes('main')", "pushes('{forse}')", "pushes('release/*')"] {
        assert!(CompiledCondition::read(text).is_ok(), "{text}");
    }
    let push = bash("git push origin forse");
    assert_eq!(holds(&push, "pushes('{forse}')"), Ok(true));
    assert_eq!(holds(&push, "pushes('{main}')"), Ok(false));
}

#[test]
fn each_form_means_what_it_means_in_cel_and_where_there_is_no_answer_it_says_why() {
    let event = bash("git push --force origin");
    for row in include_str!("tests/cel.txt").split("\n\n").skip(1) {
        let (text, expected) = row.trim_end().split_once("\n  ").unwrap();
        let answer = holds(&event, text).map_or_else(|why| why, |holds| holds.to_string());
        assert_eq!(answer, expected, "{text}");
    }
}

#[test]
fn an_expression_that_takes_too_many_steps_is_an_error_whatever_is_beside_it() {
    let nested = |depth: usize| {
        let each = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].exists(x, ";
        format!("{}x > 10{}", each.repeat(depth), ")".repeat(depth))
    };
    assert_eq!(holds(&bash("ls"), &nested(3)), Ok(false));
    for text in [nested(7), nested(40), format!("{} || true", nested(7))] {
        let error = holds(&bash("ls"), &text).unwrap_err();
        assert!(
            error.starts_with("it takes more than 200000 steps"),
            "{error}"
        );
    }
    let many: Vec<Value> = (0..1500)
        .map(|number| json!(format!("word {number}")))
        .collect();
    let event = Event::new("pre-tool-use", json!({"tool_input": {"l": many}}));
    let linear = "tool_input.l.exists(x, x == 'word 1499')";
    assert_eq!(holds(&event, linear), Ok(true));
    let quadratic = "tool_input.l.exists(x, tool_input.l.exists(y, x == 'z' && y == 'z'))";
    assert!(holds(&event, quadratic).unwrap_err().contains("steps"));
}

#[test]
fn a_long_text_costs_steps_so_that_no_pattern_takes_seconds_over_it() {
    let event = bash(&"a".repeat(8 << 20));
    assert_eq!(holds(&event, "tool_input.command.contains('b')"), Ok(false));
    let error = holds(&event, "tool_input.command.matches('a*b')").unwrap_err();
    assert!(error.contains("steps"), "{error}");
    let heavy = "tool_input.command.matches('(a?){300}b')";
    let error = holds(&bash(&"a".repeat(1 << 20)), heavy).unwrap_err();
    assert!(error.contains("steps"), "{error}");
    assert_eq!(holds(&bash("ab"), heavy), Ok(true));
    let bomb = "tool_input.command.matches('((a{100}){100}){100}')";
    let error = holds(&bash("a"), bomb).unwrap_err();
    assert!(error.contains("the pattern cannot be read"), "{error}");
}

#[test]
fn what_only_cel_has_is_an_error_that_says_what_to_write() {
    let error = CompiledCondition::read("tool_name == 'x' ? true : false").unwrap_err();
    let help = error.help.unwrap_or_default();
    let begins = "`when` is a part of CEL: fields, `==`";
    assert!(help.starts_with(begins), "{help}");
    assert_eq!(error.at, 17..18);
    let error = CompiledCondition::read("contains('x')").unwrap_err();
    let help = "write it as in `prompt.contains('deploy')`";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[test]
fn each_function_is_read_as_it_is_shown_and_stands_in_the_guide() {
    let guide = include_str!("../../../../docs/rules.md");
    let rows = include_str!("functions.txt").lines().skip(1);
    assert_eq!(FUNCTIONS.len(), rows.count(), "each row does something");
    for function in FUNCTIONS.iter() {
        let usage = function.usage.replace(", …", "");
        let read = CompiledCondition::read(&usage);
        assert!(read.is_ok(), "{usage}: {read:?}");
        assert!(usage.contains(&format!("{}(", function.name)), "{usage}");
        let in_guide = format!("{}(", function.name);
        assert!(guide.contains(&in_guide), "{in_guide}");
    }
}

#[test]
fn a_commit_and_a_push_land_on_the_branch_that_the_line_checked_out_before() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let lands = |branch: &str, line: &str| {
        std::fs::write(
            root.join(".git/HEAD"),
            format!("ref: refs/heads/{branch}\n"),
        )
        .unwrap();
        let data = json!({"cwd": root, "tool_name": "Bash", "tool_input": {"command": line}});
        let event = Event::new("pre-tool-use", data);
        let facts = Facts::new(&event, root, None);
        let decided = CompiledCondition::read("commits_to('main') || pushes('main')")
            .unwrap()
            .decide(&facts);
        decided.unwrap().holds
    };
    let mut head = ("", "");
    for row in include_str!("tests/branches.txt").lines().skip(1) {
        match row.strip_prefix("  ") {
            Some(line) => assert_eq!(lands(head.0, line), head.1 == "lands", "{head:?}: {line}"),
            None => head = row.split_once(' ').unwrap(),
        }
    }
    // A setting may send the branch to another name.
    let settings = "[remote \"origin\"]\n\tpush = HEAD:refs/heads/main\n";
    std::fs::write(root.join(".git/config"), settings).unwrap();
    assert!(lands("main", "git switch -c x && git push origin HEAD"));
}

#[test]
fn the_branch_is_read_from_the_repository_also_in_a_work_tree() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let at = |cwd: &str, text: &str| {
        let data = json!({"cwd": root.join(cwd), "tool_name": "Bash", "tool_input": {"command": "git commit"}});
        holds(&Event::new("pre-tool-use", data), text)
    };
    let on_main = "runs('git commit') && on_branch('main', 'master')";
    std::fs::create_dir_all(root.join("repo/src")).unwrap();
    assert_eq!(at("repo", on_main), Ok(false));
    std::fs::create_dir_all(root.join("repo/.git/worktrees/w")).unwrap();
    assert_eq!(
        at("repo/src", on_main),
        Ok(true),
        "a branch that cannot be read counts"
    );
    std::fs::write(root.join("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(at("repo/src", on_main), Ok(true));
    std::fs::write(
        root.join("repo/.git/HEAD"),
        "ref: refs/heads/feature/main\n",
    )
    .unwrap();
    assert_eq!(at("repo", on_main), Ok(false));
    std::fs::create_dir(root.join("tree")).unwrap();
    std::fs::write(root.join("tree/.git"), "gitdir: ../repo/.git/worktrees/w\n").unwrap();
    std::fs::write(
        root.join("repo/.git/worktrees/w/HEAD"),
        "ref: refs/heads/master\n",
    )
    .unwrap();
    assert_eq!(at("tree", on_main), Ok(true));
}

#[test]
fn the_clause_that_decided_is_told() {
    let event = bash("rm -rf x");
    let facts = Facts::new(&event, std::path::Path::new("/p"), None);
    let clause = |text: &str| {
        let decided = CompiledCondition::read(text)
            .unwrap()
            .decide(&facts)
            .unwrap();
        (decided.holds, text.get(decided.clause).unwrap().to_owned())
    };
    assert_eq!(
        clause("tool_name == 'Write' || runs('rm', '-rf') || true"),
        (true, "runs('rm', '-rf')".to_owned())
    );
    assert_eq!(
        clause("tool_name == 'Bash' && (tool_input.timeout > 9 && true)"),
        (false, "tool_input.timeout > 9".to_owned())
    );
}

/// What is found in a condition, each with its place in the text and what helps.
fn findings(when: &str) -> Vec<String> {
    let text = format!(
        "{{\"version\": 1, \"hooks\": {{\"pre-tool-use\": [{{\"hooks\": [\n{{\"type\": \"rule\", \"when\": \"{when}\", \"then\": {{\"deny\": \"no\"}}}}]}}]}}}}"
    );
    let parsed = Manifest::parse(&text).unwrap();
    assert_eq!(parsed.findings, []);
    let told = |found: Finding| {
        assert_eq!(found.at.line, 2);
        let help = found.help.map(|help| format!("; {help}"));
        format!(
            "{}: {}{}",
            found.at.column - 26,
            found.message,
            help.unwrap_or_default()
        )
    };
    check(&parsed.manifest).into_iter().map(told).collect()
}

#[test]
fn what_is_wrong_or_always_the_same_in_a_condition_is_told_with_its_place_and_what_was_meant() {
    for row in include_str!("tests/findings.txt").split("\n\n").skip(1) {
        let (text, expected) = row
            .trim_end()
            .split_once('\n')
            .unwrap_or((row.trim_end(), ""));
        let found = findings(text).into_iter().map(|one| format!("  {one}"));
        let found = found.collect::<Vec<_>>().join("\n");
        match expected.strip_suffix('…') {
            Some(begins) => assert!(found.starts_with(begins), "{text}: {found}"),
            None => assert_eq!(found, expected, "{text}"),
        }
    }
    assert!(!findings(&"x".repeat(5000)).is_empty());
    assert!(!findings(&"!".repeat(200)).is_empty());
}

#[test]
fn a_word_for_an_agent_or_an_event_stands_for_the_one_that_events_have() {
    let event = bash("ls");
    for text in [
        "event == 'PreToolUse'",
        "event == 'tool:pre'",
        "event in ['BeforeTool', 'stop']",
        "'PreToolUse' == event",
        "!['PreToolUse'].exists(event, event == 'pre-tool-use')",
    ] {
        assert_eq!(holds(&event, text), Ok(true), "{text}");
        assert_eq!(findings(text), [""; 0], "{text}");
    }
    let mut codex = bash("ls");
    codex.origin = Some(Box::new(anyhook_core::event::Origin {
        host: "codex-cli".into(),
        ..Default::default()
    }));
    assert_eq!(holds(&codex, "host == 'codex'"), Ok(true));
    assert_eq!(holds(&codex, "host in ['gemini', 'codex']"), Ok(true));
    assert_eq!(holds(&codex, "host != 'codex'"), Ok(false));
}

#[test]
fn a_placeholder_fills_text_and_nothing_else() {
    let entry = |then: Value| {
        let text = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "rule", "then": then}]}]}});
        let parsed = Manifest::parse(&text.to_string()).unwrap();
        assert_eq!(parsed.findings, []);
        parsed.manifest.groups[0].entries[0].clone()
    };
    let says = |then: Value, event: &Event| {
        let entry = entry(then);
        let anyhook_core::manifest::Action::Rule(then) = &entry.action else {
            panic!("{entry:?}")
        };
        said(then, &Facts::new(event, std::path::Path::new("/p"), None))
    };
    let hostile = bash("{{tool_name}} \"}, {\"allow\": true");
    assert_eq!(
        says(
            json!({"deny": "not {{tool_input.command}} nor {{tool_input.nothing}}"}),
            &hostile
        ),
        Ok(HookResult::deny(
            "not {{tool_name}} \"}, {\"allow\": true nor (none)"
        ))
    );
    assert_eq!(
        says(
            json!({"modify": {"tool_input": {"command": "echo {{tool_input.command}}", "n": 1}}, "notify": "n"}),
            &hostile
        ),
        Ok(HookResult::proceed()
            .modify(
                "tool_input",
                json!({"command": "echo {{tool_name}} \"}, {\"allow\": true", "n": 1})
            )
            .notify("n"))
    );
    assert!(
        says(
            json!({"modify": {"tool_input": {"x": "{{tool_input.nothing}}"}}}),
            &hostile
        )
        .is_err()
    );
    let shown = says(
        json!({"inject": "ran {{tool_input.command}}"}),
        &bash("a\u{1b}[2Jb"),
    );
    assert_eq!(shown, Ok(HookResult::proceed().inject("ran a?[2Jb")));
    let broken = entry(json!({"deny": "not {{tool_input..x}}"}));
    assert_eq!(template::check(&broken).len(), 1);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_reading_or_answering_panic(text in "[a-z_'\"()!&|=<>.,\\[\\]{}0-9 \\\\é]{0,60}") {
        if let Ok(when) = CompiledCondition::read(&text) {
            let event = bash("ls");
            let _ = when.decide(&Facts::new(&event, std::path::Path::new("/p"), None));
        }
    }

    #[test]
    fn no_command_line_makes_a_question_panic(line in "[a-z'\"$(){}`;&|<>\\\\ \n.*/~é-]{0,40}") {
        let event = bash(&line);
        let runs = holds(&event, "runs('rm') || only_runs('rm') || touches('**/.env') || stays_in('a/**')");
        assert!(runs.is_ok());
        // What is approved as plain is never unseen by what refuses.
        if holds(&event, "only_runs('rm')") == Ok(true) {
            assert_eq!(holds(&event, "runs('rm')"), Ok(true), "{line}");
        }
    }
}

#[test]
fn a_group_can_name_every_kind_of_effect() {
    let kinds = anyhook_effects::effect::EffectKind::ALL.iter();
    let names: Vec<&str> = kinds.map(|kind| kind.name()).collect();
    assert_eq!(names, anyhook_core::manifest::EFFECTS);
}

#[test]
fn a_when_that_is_too_long_together_with_an_effect_is_told_and_one_that_is_broken_stays_so() {
    let of = |when: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"effect": "net", "hooks": [
            {{"type": "command", "command": "x", "when": "{when}"}}]}}]}}}}"#
        );
        let manifest = Manifest::parse(&text).unwrap().manifest;
        let group = &manifest.groups[0];
        (
            check(&manifest).len(),
            condition(group, &group.entries[0]).unwrap(),
        )
    };
    assert_eq!(of("true"), (0, "does('net') && (true)".to_owned()));
    assert_eq!(of("false) || (true"), (1, "false) || (true".to_owned()));
    let long = format!("tool_name == '{}'", "y".repeat(LONGEST - 15));
    assert_eq!(of(&long).0, 1);
}

#[test]
fn nothing_is_looked_at_below_a_folder_where_another_part_decides() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join(".env"), "").unwrap();
    let line = format!("rm -rf {}", place.path().display());
    let event = bash(&line);
    let facts = || Facts::new(&event, std::path::Path::new("/p"), None);
    let looks = |text: &str| {
        CompiledCondition::read(text)
            .unwrap()
            .decide_without_a_look(&facts())
            .is_none()
    };
    assert!(looks("touches('**/.env')"));
    assert!(looks("touches('**/.env') && runs('rm')"));
    assert!(!looks("touches('**/.env') || deletes('**/')"));
    assert!(!looks("touches('**/.env') && runs('git')"));
    assert!(!looks("touches('/x/**')"), "it is another folder");
    assert_eq!(holds(&event, "touches('**/.env')"), Ok(true));
    assert_eq!(holds(&event, "!touches('**/.pem')"), Ok(true));
}

#[test]
fn a_folder_with_more_than_is_looked_at_may_hold_anything_but_the_project_has_room() {
    let place = tempfile::tempdir().unwrap();
    let name = |number| place.path().join(format!("{number}.rs"));
    (0..=crate::files::below::MOST).for_each(|number| std::fs::write(name(number), "").unwrap());
    let event = bash(&format!("grep -r main {}", place.path().display()));
    let holds = |project: &std::path::Path| {
        let when = CompiledCondition::read("reads('**/.env')").unwrap();
        let facts = Facts::new(&event, project, None);
        when.decide(&facts).unwrap().holds
    };
    assert!(holds(std::path::Path::new("/p")));
    assert!(!holds(place.path()));
}

#[test]
fn a_guard_of_a_repository_holds_for_a_session_that_begins_below_its_root() {
    let place = tempfile::tempdir().unwrap();
    let project = place.path().join("sub");
    for folder in [".git", "sub"] {
        std::fs::create_dir(place.path().join(folder)).unwrap();
    }
    let holds = |line: &str, rule: &str| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": line}, "cwd": project});
        let call = Event::new("tool:pre", call);
        let facts = Facts::new(&call, &project, None);
        CompiledCondition::read(rule)
            .unwrap()
            .decide(&facts)
            .unwrap()
            .holds
    };
    assert!(holds("rm ../production/x", "deletes('production/**')"));
    assert!(holds("rm production/x", "deletes('production/**')"));
    assert!(!holds("rm ../x", "deletes('production/**')"));
    // What may go on is said of the project alone.
    assert!(!holds("rm ../production/x", "stays_in('production/**')"));
}

#[test]
fn a_script_in_a_temporary_folder_is_read_and_stays_one_that_may_change() {
    let place = tempfile::Builder::new().tempdir_in("/tmp").unwrap();
    let script = place.path().join("x.sh");
    std::fs::write(&script, "rm -rf /q/src\n").unwrap();
    for how in ["sh", "."] {
        let call = bash(&format!("{how} {}", script.display()));
        for rule in ["opaque()", "deletes('/q/**')"] {
            assert_eq!(holds(&call, rule), Ok(true), "{how}: {rule}");
        }
    }
}
