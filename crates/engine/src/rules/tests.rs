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
    let when = When::read(text).map_err(|error| format!("{}: {}", error.what, error.at.start))?;
    when.decide(&facts).map(|decided| decided.holds)
}

fn bash(command: &str) -> Event {
    Event::new(
        "pre-tool-use",
        json!({"cwd": "/p", "tool_name": "Bash", "tool_input": {"command": command, "timeout": 5}}),
    )
}

fn write(path: &str) -> Event {
    Event::new(
        "pre-tool-use",
        json!({"cwd": "/p", "tool_name": "Write", "tool_input": {"file_path": path, "content": ""}}),
    )
}

#[test]
fn a_way_to_push_that_is_nearly_one_is_a_slip_and_a_branch_is_none() {
    let error = When::read("pushes('forse')").unwrap_err();
    assert_eq!(error.what, "`forse` is nearly `force`");
    for text in ["pushes('main')", "pushes('{forse}')", "pushes('release/*')"] {
        assert!(When::read(text).is_ok(), "{text}");
    }
    let push = bash("git push origin forse");
    assert_eq!(holds(&push, "pushes('{forse}')"), Ok(true));
    assert_eq!(holds(&push, "pushes('{main}')"), Ok(false));
}

#[test]
fn what_runs_elsewhere_is_judged_by_its_commands() {
    for (line, rule) in [
        ("ssh h 'kubectl delete ns prod'", "runs('kubectl delete')"),
        ("ssh h 'psql -c \"drop table x\"'", "sql('drop')"),
        ("docker exec db psql -c 'drop table x'", "sql('drop')"),
        (
            "ssh h 'curl -X DELETE https://x.example/y'",
            "http('DELETE')",
        ),
        (
            "docker run -v .:/app alpine rm -r /app/src",
            "deletes('src/**')",
        ),
        ("kubectl exec web -- rm -rf /data", "runs('rm', '-rf')"),
    ] {
        assert_eq!(holds(&bash(line), rule), Ok(true), "{line}");
    }
    for (line, rule) in [
        ("ssh h 'rm -rf src'", "deletes()"),
        ("ssh h 'cat .env'", "touches('**/.env')"),
        ("ssh h \"$LINE\"", "unread()"),
    ] {
        assert_eq!(holds(&bash(line), rule), Ok(false), "{line}");
    }
}

#[test]
fn each_form_means_what_it_means_in_cel() {
    let event = bash("git push --force origin");
    let cases = [
        ("tool_name == 'Bash'", true),
        ("tool_name != \"Bash\"", false),
        ("tool_name in ['Write', 'Bash']", true),
        ("tool_input.command.contains('--force')", true),
        (
            "tool_input.command.startsWith('git ') && !tool_input.command.endsWith('main')",
            true,
        ),
        ("tool_input['command'].contains('push')", true),
        ("tool_input.timeout > 4 && tool_input.timeout <= 5.0", true),
        ("size(tool_input.command) < 10", false),
        ("has(tool_input.file_path)", false),
        (
            "has(tool_input.command) || tool_input.file_path == 'x'",
            true,
        ),
        ("event == 'pre-tool-use' && host == ''", true),
        ("data.tool_name == 'Bash'", true),
        (
            "(tool_name == 'Bash' || tool_name == 'Write') && true",
            true,
        ),
        ("!(tool_name == 'Bash')", false),
        (r"tool_input.command.matches('^git\\s+push')", true),
        (r"tool_input.command.matches(r'\bmain\b')", false),
        (
            "['rm', 'git'].exists(p, tool_input.command.startsWith(p))",
            true,
        ),
        (
            "['rm', 'git'].all(p, tool_input.command.startsWith(p))",
            false,
        ),
        ("[].all(x, false) && ![].exists(x, true)", true),
        ("[[1, 2], [3]].all(x, x.exists(y, y > 1))", true),
        ("data.exists(name, name == 'tool_name')", true),
        ("'tool_name' in data && !('x' in data)", true),
        ("[1, 2][1] == 2 && [[1.0]] == [[1]]", true),
        (
            "tool_input.command.size() == size(tool_input['command'])",
            true,
        ),
        ("'deploy now'.contains('deploy') == true", true),
        ("tool_input.command.glob('*.pem') == false", true),
        ("[1].exists(x, x == 'a' || x.contains('a')) || true", true),
        ("[1, 'a'].exists(x, x.contains('a'))", true),
    ];
    for (text, expected) in cases {
        assert_eq!(holds(&event, text), Ok(expected), "{text}");
    }
}

#[test]
fn what_cannot_be_answered_is_an_error_that_names_no_value() {
    let event = bash("secret");
    let cases = [
        (
            "tool_input.command > 3",
            "a text and a number cannot be compared",
        ),
        (
            "tool_input.timeout.exists(x, true)",
            "`tool_input.timeout` is a number, and no list",
        ),
        (
            "tool_name in tool_input.command",
            "`in` needs a list, and this is a text",
        ),
        (
            "[1, 2][2] == 1",
            "the list or object does not have this element",
        ),
        (
            "tool_input[tool_name == 'x']",
            "true or false is no index of an object",
        ),
        (
            "[1, 2].all(x, x.contains('a'))",
            "`x` is a number, and no text",
        ),
        (
            "size(tool_input.timeout) > 1",
            "`tool_input.timeout` is a number, which has no size",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(holds(&event, text), Err(expected.to_owned()), "{text}");
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
    let error = |text: &str| {
        let error = When::read(text).unwrap_err();
        (error.what, error.help.unwrap_or_default(), error.at)
    };
    let (what, help, at) = error("tool_name == 'x' ? true : false");
    let other = "`when` has no `a ? b : c`; write `(a && b) || (!a && c)`";
    assert_eq!(what, other);
    let begins = "`when` is a part of CEL: fields, `==`";
    assert!(help.starts_with(begins), "{help}");
    assert_eq!(at, 17..18);
    let cases = [
        (
            "size(prompt) + 1 > 5",
            "`when` does not calculate, so it has no `+`",
        ),
        ("prompt == {}", "`when` has no maps, so it has no `{`"),
        (
            "[1].filter(x, x > 0) == [1]",
            "there is no function `filter`",
        ),
        ("timestamp('x') == 1", "there is no function `timestamp`"),
        (
            "[prompt].exists(x, x == '')",
            "a list holds texts, numbers, `true`, `false` and `null`, and no fields",
        ),
        (
            "type == 'x'",
            "`type` is a word of CEL; a field of that name is `data.type`",
        ),
        ("contains('x')", "`contains` is not used like that"),
        ("prompt.touches('x')", "`touches` is not used like that"),
        ("runs(prompt)", "`runs` is not used like that"),
        ("has(prompt)", "`has` is not used like that"),
        ("prompt.matches(prompt)", "`matches` is not used like that"),
        (
            r"prompt.matches('^a\s')",
            r"`\s` is no escape in a text; write `\\s`, or the text as `r'…'`",
        ),
        (
            "prompt == b'x'",
            "`b'…'` is no form of `when`: a text is `'…'`, or `r'…'` without escapes",
        ),
        (
            "prompt == '''x'''",
            r"a text has one quote on each side, and not three; inside of it `'` is `\'`",
        ),
        (
            "size(prompt) > 3u",
            "`3u` is no number of `when`: write digits, as in `60` or `2.5`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text).0, expected, "{text}");
    }
    assert_eq!(
        error("contains('x')").1,
        "write it as in `prompt.contains('deploy')`"
    );
}

#[test]
fn each_function_is_read_as_it_is_shown_and_stands_in_the_guide() {
    let guide = include_str!("../../../../docs/rules.md");
    let rows = include_str!("functions.txt").lines().skip(1);
    assert_eq!(FUNCTIONS.len(), rows.count(), "each row does something");
    for function in FUNCTIONS.iter() {
        let usage = function.usage.replace(", …", "");
        let read = When::read(&usage);
        assert!(read.is_ok(), "{usage}: {read:?}");
        assert!(usage.contains(&format!("{}(", function.name)), "{usage}");
        let in_guide = format!("{}(", function.name);
        assert!(guide.contains(&in_guide), "{in_guide}");
    }
}

#[test]
fn a_negation_binds_closer_than_a_comparison() {
    let event = bash("ls");
    for form in ["!tool_name == 'Bash'", "! 'rm' == 'rm'"] {
        assert!(
            holds(&event, form).is_err(),
            "a text has no opposite: {form}"
        );
    }
    assert_eq!(holds(&event, "!(tool_name == 'Bash')"), Ok(false));
    assert_eq!(holds(&event, "!has(tool_input.file_path)"), Ok(true));
    assert_eq!(
        holds(&event, "!runs('rm') && !(tool_name in ['Read'])"),
        Ok(true)
    );
}

#[test]
fn a_field_that_is_not_there_is_an_error_and_has_asks_first() {
    let event = bash("ls");
    assert_eq!(
        holds(&event, "tool_input.file_path.endsWith('.env')"),
        Err("the event has no `tool_input.file_path`".to_owned())
    );
    assert_eq!(
        holds(
            &event,
            "has(tool_input.file_path) && tool_input.file_path.endsWith('.env')"
        ),
        Ok(false)
    );
    assert_eq!(
        holds(&event, "tool_input.timeout.contains('5')"),
        Err("`tool_input.timeout` is a number, and no text".to_owned())
    );
    assert_eq!(
        holds(&event, "tool_input.timeout"),
        Err("`tool_input.timeout` is a number, and neither true nor false".to_owned())
    );
}

#[test]
fn runs_sees_a_command_through_what_stands_around_it() {
    let seen = [
        "rm -rf /x",
        "rm -r -f /x",
        "rm -fr /x",
        "sudo rm -rf /x",
        "cd /x && rm -rf y",
        "ls; /bin/rm -rf y",
        "bash -c 'rm -rf y'",
        "find . | xargs rm -rf",
        "echo $(rm -rf y)",
        "echo `rm -rf y`",
        "r''m -rf y",
        "\\rm -rf y",
        "ls\nrm -rf y",
        "env FOO=1 rm -rf y",
    ];
    for line in seen {
        assert_eq!(holds(&bash(line), "runs('rm', '-rf')"), Ok(true), "{line}");
    }
    for line in ["rm -r x", "rm x", "ls -rf", "trim -rf", "git rm x"] {
        assert_eq!(holds(&bash(line), "runs('rm', '-rf')"), Ok(false), "{line}");
    }
    for line in [
        "git push --force",
        "git -C x push --force=y origin",
        "git push origin --force",
    ] {
        assert_eq!(
            holds(&bash(line), "runs('git push', '--force')"),
            Ok(true),
            "{line}"
        );
    }
    assert_eq!(
        holds(&bash("git push"), "runs('git push', '--force')"),
        Ok(false)
    );
    assert_eq!(
        holds(&bash("git pull --force"), "runs('git push', '--force')"),
        Ok(false)
    );
}

#[test]
fn only_one_plain_command_is_one() {
    for line in ["ls", "ls -la", "  ls src  ", "l''s", "git status -s"] {
        assert_eq!(
            holds(&bash(line), "only_runs('ls', 'git status')"),
            Ok(true),
            "{line}"
        );
    }
    let more = [
        "lsof; rm -rf /",
        "ls $(rm x)",
        "ls `rm x`",
        "ls && rm x",
        "ls|sh",
        "ls\nrm x",
        "env ls",
        "bash -c 'ls'",
        "ls > ~/.bashrc",
        "ls &",
        "git push",
        "git",
        "",
        "FOO=1 ls",
        "ls <(rm x)",
        "(ls)",
    ];
    for line in more {
        assert_eq!(
            holds(&bash(line), "only_runs('ls', 'git status')"),
            Ok(false),
            "{line}"
        );
    }
}

#[test]
fn touches_finds_a_file_in_arguments_in_patches_and_in_command_lines() {
    let dotenv = "touches('**/.env*', 'secrets/**')";
    for path in [
        "/p/.env",
        ".env",
        "a/../.env.local",
        "/q/deep/.env",
        "secrets/key",
        "./secrets/a/b",
        "secrets",
    ] {
        assert_eq!(holds(&write(path), dotenv), Ok(true), "{path}");
    }
    for path in ["/p/env", "src/secrets.rs", "/q/secrets/key"] {
        assert_eq!(holds(&write(path), dotenv), Ok(false), "{path}");
    }
    for line in [
        "cat .env",
        "cp .env /tmp",
        "cat a/b/../.env",
        "head -c 9 <.env",
        "tar c secrets",
        "x=.env; cat $x",
    ] {
        assert_eq!(holds(&bash(line), dotenv), Ok(true), "{line}");
    }
    for line in ["ls", "cat environment", "echo $ENV"] {
        assert_eq!(holds(&bash(line), dotenv), Ok(false), "{line}");
    }
    let patch = Event::new(
        "pre-tool-use",
        json!({"cwd": "/p", "tool_name": "apply_patch", "tool_input": {"patch": "*** Delete File: a\n*** Add File: .env\n+x"}}),
    );
    assert_eq!(holds(&patch, dotenv), Ok(true));
    assert_eq!(holds(&write("~/.ssh/id"), "touches('~/.ssh/**')"), Ok(true));
    assert_eq!(
        holds(&write("/home/me/.ssh"), "touches('~/.ssh/**')"),
        Ok(true)
    );
    assert_eq!(holds(&write("a/b/key.pem"), "touches('*.pem')"), Ok(true));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_both_by_what_refuses_and_by_what_approves() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("src")).unwrap();
    std::fs::write(root.join(".env"), "").unwrap();
    std::os::unix::fs::symlink(root.join(".env"), root.join("src/plain.txt")).unwrap();
    let event = |path: &str| {
        Event::new(
            "pre-tool-use",
            json!({"cwd": root, "tool_name": "Write", "tool_input": {"file_path": path}}),
        )
    };
    let holds = |event: &Event, text: &str| {
        let facts = Facts::new(event, root, None);
        let decided = When::read(text).unwrap().decide(&facts);
        decided.map(|decided| decided.holds)
    };
    assert_eq!(
        holds(&event("src/plain.txt"), "touches('**/.env')"),
        Ok(true)
    );
    assert_eq!(
        holds(&event("src/plain.txt"), "stays_in('src/**')"),
        Ok(false)
    );
    assert_eq!(holds(&event("src/new.txt"), "stays_in('src/**')"), Ok(true));
    assert_eq!(
        holds(&event("src/../.env"), "stays_in('src/**')"),
        Ok(false)
    );
    assert_eq!(holds(&bash("ls src"), "stays_in('src/**')"), Ok(false));
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
        let decided = When::read(text).unwrap().decide(&facts).unwrap();
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

fn findings(when: &str) -> Vec<(u32, u32, String, Option<String>)> {
    let text = format!(
        "{{\"version\": 1, \"hooks\": {{\"pre-tool-use\": [{{\"hooks\": [\n{{\"type\": \"rule\", \"when\": \"{when}\", \"then\": {{\"deny\": \"no\"}}}}]}}]}}}}"
    );
    let parsed = Manifest::parse(&text).unwrap();
    assert_eq!(parsed.findings, []);
    let all = check(&parsed.manifest).into_iter();
    all.map(|found| (found.at.line, found.at.column, found.message, found.help))
        .collect()
}

#[test]
fn an_unknown_name_is_an_error_with_its_place_and_a_name_that_was_meant() {
    assert_eq!(findings("tool_name == 'x'"), []);
    assert_eq!(
        findings("true && tool_nmae == 'x'"),
        [(
            2,
            35,
            "`when`: `pre-tool-use` has no field `tool_nmae`".to_owned(),
            Some(
                "did you mean `tool_name`? a field that only one host sends is `data.tool_nmae`"
                    .to_owned()
            )
        )]
    );
    assert_eq!(findings("data.sandbox_level == 'x'"), []);
    let found = findings("tool_input.command.startWith('rm')");
    let (line, column, message, help) = found.first().unwrap();
    assert_eq!((*line, *column), (2, 46));
    assert_eq!(message, "`when`: there is no function `startWith`");
    let begins = "did you mean `startsWith`? `when` is a part of CEL: ";
    assert!(help.as_ref().unwrap().starts_with(begins), "{help:?}");
    assert_eq!(
        findings("['rm'].exists(p, tool_input.command.startsWith(p))"),
        []
    );
}

#[test]
fn what_is_no_expression_is_an_error_with_its_place() {
    let place = |when: &str| {
        let found = findings(when);
        assert_eq!(found.len(), 1, "{when}: {found:?}");
        (found[0].0, found[0].1 - 26)
    };
    assert_eq!(place("tool_name =="), (2, 13));
    assert_eq!(place("runs()"), (2, 6));
    assert_eq!(place("runs('@no-such-list')"), (2, 6));
    assert!(!findings(&"x".repeat(5000)).is_empty());
    assert!(!findings(&"!".repeat(200)).is_empty());
    assert!(!findings("tool_name == 'x").is_empty());
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
        if let Ok(when) = When::read(&text) {
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
    let kinds = anyhook_effects::effect::Kind::ALL.iter();
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
    let long = format!("'{}' == 'x'", "y".repeat(LONGEST - 9));
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
        When::read(text)
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
        let when = When::read("reads('**/.env')").unwrap();
        let facts = Facts::new(&event, project, None);
        when.decide(&facts).unwrap().holds
    };
    assert!(holds(std::path::Path::new("/p")));
    assert!(!holds(place.path()));
}
