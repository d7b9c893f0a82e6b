//! The first hour of a person who never saw the program: what each screen says, and what one types next.

mod adding;

use std::fs;

use serde_json::{Value, json};

use crate::approvals::typed;
use crate::env::{Left, Shows as _, TestEnv, command, finish, start};

/// Runs a command for a reader whose terminal has so many columns.
fn at(columns: usize, env: &TestEnv, args: &[&str]) -> Left {
    let mut command = env.command(args);
    command.env("COLUMNS", columns.to_string());
    finish(start(command, b""))
}

fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or_default()
}

/// Which add-ons are there depends on what was built.
pub(crate) fn without_add_ons(help: &str) -> String {
    let lines = help.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("Add-ons")).collect()
}

fn shown(env: &TestEnv, text: &str) -> String {
    text.replace(&*env.path("").to_string_lossy(), "/")
}

fn empty() -> TestEnv {
    let env = TestEnv::new();
    fs::remove_dir(env.path("project/hooks")).unwrap();
    env
}

#[test]
fn the_help_has_seventeen_commands_in_groups_on_one_screen_and_all_of_them_on_demand() {
    let env = TestEnv::new();
    let help = at(80, &env, &["help"]).stdout;
    insta::assert_snapshot!("help-80", without_add_ons(&help));
    let all = at(80, &env, &["help", "all"]).stdout;
    insta::assert_snapshot!("help-all-80", all);
    assert!(widest(&help) <= 80 && widest(&all) <= 80);
    let of = |text: &str| text.lines().filter(|line| line.starts_with("  ")).count();
    assert!(of(&help) == 17 && of(&all) > 17, "{all}");
    assert!(help.lines().count() <= 24, "{help}");
}

#[test]
fn anyhook_alone_and_list_in_an_empty_folder_say_what_to_do_next() {
    let env = empty();
    let alone = at(80, &env, &[]);
    assert_eq!((alone.code, &*alone.stderr), (0, ""));
    insta::assert_snapshot!("alone-80", alone.stdout);
    let list = at(80, &env, &["list"]);
    assert_eq!((list.code, &*list.stderr), (0, ""));
    assert!(alone.stdout.ends_with(&list.stdout), "{list:?}");
    let json = env.anyhook("list --json").json();
    assert_eq!(json, json!({"files": [], "hooks": [], "asked_by": []}));
    // Each step that is done is marked, and the next one is pointed at.
    assert_eq!(env.anyhook("init").code, 0);
    env.run(&[], b"").says("→ anyhook trust");
    env.trust();
    let trusted = env.run(&[], b"").stdout;
    assert!(trusted.contains("✓ anyhook trust"), "{trusted}");
    assert!(trusted.contains("→ anyhook install"), "{trusted}");
    env.write("home/.claude/settings.json", "{}");
    assert_eq!(env.anyhook("install --host claude-code").code, 0);
    env.run(&[], b"").says("→ anyhook doctor");
}

#[test]
fn one_mistake_has_one_wording_and_one_exit_code_whichever_command_meets_it() {
    let env = TestEnv::hook("stop", &command("true"));
    let said = |args: &[&str]| {
        let left = env.run(args, b"{}");
        assert_eq!(left.stdout, "", "{args:?}");
        (left.code, left.stderr)
    };
    let host = "error: no host is called `claude-kode`\nhelp: did you mean `claude-code`?\n";
    for args in [
        &["list", "hosts", "claude-kode"][..],
        &["install", "--host", "claude-kode"],
        &["uninstall", "--host", "claude-kode"],
        &["doctor", "--host", "claude-kode"],
        &["check", "--host", "claude-kode"],
        &["explain", "--event", "stop", "--host", "claude-kode"],
        &["list", "platform", "claude-kode"],
    ] {
        assert_eq!(said(args), (64, host.to_owned()), "{args:?}");
    }
    let event = "error: no event is called `PreTool`\nhelp: did you mean `PreToolUse`?\n";
    for args in [
        &["list", "events", "PreTool"][..],
        &["run", "PreTool"],
        &["explain", "--event", "PreTool"],
        &["test", "--event", "PreTool"],
    ] {
        assert_eq!(said(args), (64, event.to_owned()), "{args:?}");
    }
    let command = "error: no command is called `instal`\nhelp: did you mean `install`?\n";
    for args in [&["instal"][..], &["help", "instal"]] {
        assert_eq!(said(args), (64, command.to_owned()), "{args:?}");
    }
    let file = "error: cannot read `gone.json`: No such file or directory (os error 2)\n";
    for args in [
        &["check", "gone.json"][..],
        &["list", "--manifest", "gone.json"],
        &["run", "stop", "--manifest", "gone.json"],
        &["explain", "--event", "stop", "--manifest", "gone.json"],
        &["trust", "gone.json"],
        &[
            "init",
            "--from",
            "universal",
            "--to",
            "claude-code",
            "gone.json",
        ],
    ] {
        let (code, said) = said(args);
        let first = said.lines().next().unwrap_or_default();
        assert_eq!(
            (code, format!("{first}\n")),
            (66, file.to_owned()),
            "{args:?}"
        );
    }
}

#[test]
fn what_is_empty_is_no_error_and_json_says_it_to_a_script() {
    let env = TestEnv::new();
    let nothing = "no event is recorded yet\n\
                   help: anyhook install lets agents ask your hooks; anyhook doctor says whether they do\n";
    for (args, out, err) in [
        (&["log"][..], "", nothing),
        (&["why"], "", nothing),
        (&["why", "--json"], "null\n", nothing),
        (&["approve", "--revoke"], "", "nothing is approved\n"),
        (&["approve", "--revoke", "--json"], "[]\n", ""),
        (&["uninstall"], "no agent calls anyhook here\n", ""),
    ] {
        let left = env.run(args, b"");
        let first = left.stdout.split_inclusive('\n').next().unwrap_or_default();
        assert_eq!((left.code, first, &*left.stderr), (0, out, err), "{args:?}");
    }
    // What was asked for by name and is not there is still a no.
    assert_eq!(env.anyhook("why zzzz").code, 1);
}

#[test]
fn every_command_that_prints_facts_takes_json() {
    let env = TestEnv::on("stop", &json!([{"name": "a", "hooks": [command("true")]}]));
    for args in [
        &["add"][..],
        &["check"],
        &["list", "config"],
        &["doctor"],
        &["list", "events"],
        &["explain", "--event", "stop"],
        &["list", "hosts"],
        &["install", "--host", "claude-code", "--dry-run"],
        &["uninstall", "--dry-run"],
        &["list"],
        &["log"],
        &["module", "list"],
        &["approve", "--revoke"],
    ] {
        let short = env.run(&[args, &["--json"]].concat(), b"");
        assert!(short.code < 2, "{args:?}: {short:?}");
        if !short.stdout.is_empty() {
            short.json();
        }
    }
    let stop = env.run(&["run", "stop", "--json"], b"{}").json();
    assert_eq!(stop["event"]["name"], "stop");
}

#[test]
fn check_of_a_folder_looks_at_all_that_is_below_it_and_at_nothing_foreign() {
    let env = TestEnv::new();
    let bad = r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "comand", "command": "true"}]}]}}"#;
    for place in [
        "apps/web/hooks/hooks.json",
        "apps/api/.claude/settings.json",
    ] {
        env.write(&format!("project/{place}"), bad);
    }
    for place in [
        "node_modules/x/hooks/hooks.json",
        "hooks/tests/w/hooks/hooks.json",
        ".git/hooks/hooks.json",
    ] {
        env.write(&format!("project/{place}"), bad);
    }
    let left = env.anyhook("check --json");
    assert_eq!(left.code, 1, "{left:?}");
    let found = left.json();
    let files: Vec<&str> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        files,
        [
            "apps/api/.claude/settings.json",
            "apps/web/hooks/hooks.json"
        ]
    );
}

#[test]
fn install_without_a_host_lists_the_exact_commands_where_no_person_can_be_asked() {
    let env = TestEnv::new();
    env.write("home/.claude/settings.json", "{}");
    fs::create_dir_all(env.path("home/.cursor")).unwrap();
    let left = at(80, &env, &["install"]);
    assert_eq!(left.code, 64);
    insta::assert_snapshot!("install-which", left.stderr);
    assert_eq!(
        fs::read_to_string(env.path("home/.claude/settings.json")).unwrap(),
        "{}"
    );
}

#[test]
fn install_without_a_host_lets_a_person_choose_among_the_agents_that_are_here() {
    let env = TestEnv::new();
    for folder in [".claude", ".gemini"] {
        fs::create_dir_all(env.path("home").join(folder)).unwrap();
    }
    let left = typed(&env, "anyhook install", "claude\n");
    assert_eq!(left.code, 0, "{left:?}");
    let question = "Which of them shall ask your hooks? [names, or Enter for all]";
    left.says(question);
    assert!(env.path("home/.claude/settings.json").exists());
    assert!(!env.path("home/.gemini/settings.json").exists());
}

#[test]
fn list_names_the_agents_that_ask_or_that_none_does_in_words_and_in_json() {
    let env = TestEnv::new();
    for folder in [".claude", ".gemini"] {
        fs::create_dir_all(env.path("home").join(folder)).unwrap();
    }
    assert_eq!(env.anyhook("add no-rm-rf").code, 0);
    let list = || env.anyhook("list").stdout;
    let json = || env.anyhook("list --json").json()["asked_by"].clone();
    let none = "\n! no agent asks these hooks yet: anyhook install\n";
    assert!(list().ends_with(none), "{}", list());
    assert_eq!(json(), json!([]));
    for (host, agents) in [
        ("gemini-cli", &["gemini-cli"][..]),
        ("claude-code", &["claude-code", "gemini-cli"]),
    ] {
        let left = env.run(&["install", "--host", host], b"");
        assert_eq!(left.code, 0, "{left:?}");
        let told = format!("\nasked by {}\n", agents.join(", "));
        assert!(list().ends_with(&told), "{}", list());
        assert_eq!(json(), json!(agents));
    }
    env.anyhook("uninstall")
        .says("what it recorded (~/.local/state/anyhook) stay.");
    assert!(list().ends_with(none), "{}", list());
}

#[test]
fn doctor_says_that_no_agent_asks_your_hooks_where_none_does() {
    let env = TestEnv::new();
    env.write("home/.claude/settings.json", "{}");
    let left = at(80, &env, &["doctor"]);
    assert_eq!(left.code, 1, "{left:?}");
    insta::assert_snapshot!("doctor-none-asks", left.stdout);
    let json = env.anyhook("doctor --json").json();
    assert_eq!(
        (&json["healthy"], &json["asked"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(env.anyhook("install --host claude-code").code, 0);
    let json = env.anyhook("doctor --json").json();
    assert_eq!(json["asked"], true);
}

#[test]
fn doctor_and_check_tell_what_is_wrong_in_the_settings() {
    let env = TestEnv::new();
    env.config("[record]\ninput = \"all\"\n");
    let left = at(80, &env, &["doctor"]);
    assert_eq!(left.code, 1, "{left:?}");
    insta::assert_snapshot!("doctor-settings", shown(&env, &left.stdout));
    let json = env.anyhook("doctor --json").json();
    assert_eq!(json["settings"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["healthy"], false);
    env.write(
        "home/.config/anyhook/hooks.json",
        r#"{"version": 1, "hooks": {}}"#,
    );
    let checked = env.anyhook("check --user");
    assert_eq!(checked.code, 1, "{checked:?}");
    checked.warns("config.toml:2:9`: `record.input` must be");
}

#[test]
fn explain_shows_a_rule_as_if_it_were_trusted_and_says_so() {
    let env = TestEnv::new();
    assert_eq!(env.anyhook("add no-rm-rf").code, 0);
    let ask = [
        "explain",
        "--event",
        "pre-tool-use",
        "--tool",
        "Bash",
        "--input",
        "command=rm -rf x",
    ];
    let left = at(80, &env, &ask);
    assert_eq!((left.code, &*left.stderr), (0, ""));
    insta::assert_snapshot!("explain-untrusted-80", shown(&env, &left.stdout));
    let json = env.run(&[&ask[..], &["--json"]].concat(), b"").json();
    assert_eq!(
        json["as_if_trusted"],
        json!([env.path("project/hooks/hooks.json")])
    );
    env.trust();
    let left = env.run(&ask, b"").stdout;
    assert!(!left.contains("as if trusted"), "{left}");
}

#[test]
fn tables_and_messages_fit_a_terminal_of_80_and_of_120_columns() {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch|WebSearch", "name": "a-guard-with-a-long-name",
            "hooks": [{"type": "command", "command": "anyhook say deny 'a reason that is longer than a line of a terminal has columns, so that it is cut'", "guard": true, "timeout": 5}]}]),
    );
    env.claude(&env.pre("NotebookEdit", &json!({"command": "x"})));
    for columns in [80, 120] {
        for args in [
            &["log"][..],
            &["list", "events"],
            &["list", "hosts"],
            &["list", "hosts", "claude-code"],
            &["list", "events", "PreToolUse"],
            &["module", "validate", "logging"],
            &["help", "exit-codes"],
            &["check", "--explain", "AH012"],
            &["add"],
            &["demo"],
            &["help"],
            &["help", "all"],
            &["doctor"],
            &[],
        ] {
            let text = at(columns, &env, args).stdout;
            // A path is never cut, because a person copies it.
            let lines = text.lines().filter(|line| !line.contains('/'));
            let text = lines.collect::<Vec<_>>().join("\n");
            assert!(widest(&text) <= columns, "{args:?} at {columns}:\n{text}");
        }
        let list = at(columns, &env, &["list"]).stdout;
        assert!(
            widest(list.split_once('\n').unwrap().1) <= columns,
            "{list}"
        );
    }
    insta::assert_snapshot!("hosts-80", at(80, &env, &["list", "hosts"]).stdout);
    let events = at(80, &env, &["list", "events"]).stdout;
    let first: Vec<&str> = events.lines().take(12).collect();
    insta::assert_snapshot!("events-80", first.join("\n"));
}

#[test]
fn color_is_always_there_never_or_as_the_terminal_is() {
    let env = TestEnv::new();
    let has_color = |args: &[&str]| env.run(args, b"").stdout.contains('\u{1b}');
    assert!(
        has_color(&["list", "events", "--color", "always"])
            && has_color(&["--color=always", "list", "events"])
    );
    assert!(
        !has_color(&["list", "events", "--color", "auto"])
            && !has_color(&["list", "events", "--color", "never"])
    );
    assert_eq!(env.anyhook("list events --color blue").code, 64);
}

#[test]
fn every_command_has_a_manual_page() {
    let env = TestEnv::new();
    let left = env.anyhook("man pages");
    assert_eq!((left.code, &*left.stdout, &*left.stderr), (0, "", ""));
    for page in [
        "anyhook.1",
        "anyhook-install.1",
        "anyhook-run.1",
        "anyhook-log.1",
    ] {
        let text = fs::read_to_string(env.path("project/pages").join(page)).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    env.anyhook("man").says("anyhook");
}

#[test]
fn without_a_home_an_agent_is_told_what_is_missing() {
    let env = TestEnv::hook("pre-tool-use", &command("true"));
    let mut run = env.command(&["run", "--host", "claude-code", "--deadline", "20"]);
    run.env("HOME", "/nowhere/at/all");
    let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
    let left = finish(start(run, payload.as_bytes()));
    let said = format!("{}{}", left.stdout, left.stderr);
    for words in [
        "there is no home folder, so your own hooks were not asked and nothing is recorded",
        "it is not known whether you trusted them; set HOME",
    ] {
        assert!(said.contains(words), "{words}: {left:?}");
    }
    // Nothing is recorded, so there is nothing to ask about.
    let mut run = env.command(&["run", "--host", "claude-code", "--deadline", "20"]);
    run.env("HOME", "/nowhere/at/all");
    let left = finish(start(run, br#"{"hook_event_name": "PreToolUse","#));
    left.says("\"deny\"");
    assert!(!left.stdout.contains("anyhook why"), "{left:?}");
}

#[test]
fn why_of_an_event_that_could_not_be_read_does_not_say_that_no_hook_was_there() {
    let env = TestEnv::hook("pre-tool-use", &command("exit 0"));
    let broken = br#"{"hook_event_name": "PreToolUse","#;
    env.run(&["run", "--host", "claude-code", "--strict"], broken)
        .says("A guard stands here");
    let why = env.anyhook("why").stdout;
    why.shows("no hook was asked");
    assert!(!why.contains("there to be asked"), "{why}");
    // What is taken out of the record is counted for a program too.
    let purge = |when: &str| env.run(&["log", "purge", "--until", when, "--json"], b"");
    assert_eq!(purge("30d").json(), json!({"purged": 0}));
    let after = "2999-01-01";
    assert_eq!(purge(after).json(), json!({"purged": 1}));
}
