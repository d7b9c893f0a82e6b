//! `replay` and `backtest` as a person calls them: real hooks, and nothing of a person's is touched.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::{TestEnv, on};
use crate::terminal::Person;

fn force(then: &Value) -> Value {
    let rule = json!({"name": "pushes", "type": "rule", "when": "pushes('force')", "then": then});
    on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [rule]}]),
    )
}

/// Everything below a folder, with its content.
fn all_below(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            into.insert(path.clone(), Vec::new());
            all_below(&path, into);
        } else {
            into.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
}

fn snapshot(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    all_below(&env.path("home"), &mut all);
    all_below(&env.path("project"), &mut all);
    // When the copies were last looked through is no news of anything: each command that reads them keeps it.
    all.retain(|path, _| path.parent() != Some(&*env.state().join("trust/copies")));
    all
}

fn bash(env: &TestEnv, command: &str) {
    env.claude(&env.pre("Bash", &json!({"command": command})));
}

#[test]
fn a_replay_says_what_the_hooks_of_now_would_say_and_writes_nothing_of_a_persons() {
    let logs = json!({"type": "builtin", "module": "logging", "config": {"level": "DEBUG"}});
    let mut hooks = force(&json!({"deny": "no"}));
    hooks["hooks"]["session-start"] = json!([{"hooks": [logs]}]);
    let env = TestEnv::with(&hooks);
    bash(&env, "git push --force");
    bash(&env, "git status");
    bash(&env, "rm -rf hooks/hooks.json");
    let before = snapshot(&env);
    let left = env.run(&["replay", "--json"], b"");
    let now = snapshot(&env);
    let other: Vec<_> = before
        .iter()
        .chain(&now)
        .filter(|(path, bytes)| before.get(*path) != Some(*bytes) || now.get(*path) != Some(*bytes))
        .collect();
    assert!(left.code == 0 && other.is_empty(), "{left:?} {other:?}");
    let page = left.json();
    assert_eq!(
        (&page["events"], &page["groups"]),
        (&json!(3), &json!([])),
        "{page}"
    );
    assert_eq!(
        page["verdicts"],
        json!({"ask": 1, "continue": 1, "deny": 1}),
        "the guard of what guards is asked as well"
    );

    // Another rule is trusted: now the record and the hooks differ.
    env.manifest(&force(&json!({"ask": "really?"})).to_string());
    env.trust();
    let page = env.run(&["replay", "--json"], b"").json();
    let [group] = &page["groups"].as_array().unwrap()[..] else {
        panic!("{page}")
    };
    assert_eq!(
        (&group["change"], &group["hook"], &group["shape"]),
        (
            &json!("newly-allowed"),
            &json!("pushes"),
            &json!("Bash git push")
        )
    );
    let some = env.run(&["replay", "--denied", "--json"], b"").json();
    assert_eq!(some["events"], 1);
}

#[test]
fn a_backtest_compares_the_file_with_what_is_trusted_with_a_revision_and_with_another_file() {
    let env = TestEnv::with(&force(&json!({"deny": "no"})));
    bash(&env, "git push -f");
    bash(&env, "git push");
    let none = env.run(&["backtest"], b"");
    assert!(
        none.code == 0 && none.stdout.contains("no difference"),
        "{none:?}"
    );
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(env.path("project"))
            .env("HOME", env.path("home"))
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        assert!(
            git.args(args).output().unwrap().status.success(),
            "{args:?}"
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "one"]);
    env.manifest(&force(&json!({"allow": "fine"})).to_string());
    let failing = ["--fail-on", "newly-allowed"];
    for before in [&[][..], &["--before", "git:HEAD"]] {
        let args = [&["backtest", "--format", "json"], before, &failing].concat();
        let left = env.run(&args, b"");
        assert_eq!(left.code, 1, "{left:?}");
        let [group] = &left.json()["groups"].as_array().unwrap().clone()[..] else {
            panic!("{left:?}")
        };
        assert_eq!(
            (&group["change"], &group["count"], &group["then"]["refused"]),
            (&json!("newly-allowed"), &json!(1), &json!(1))
        );
    }
    for (format, part) in [
        ("text", "newly-allowed  1"),
        ("markdown", "| newly-allowed | `pushes` |"),
        ("junit", "<failure message="),
    ] {
        let args = [
            "backtest",
            "--before",
            "git:HEAD",
            "--format",
            format,
            "--fail-on",
            "newly-allowed,new-fault",
        ];
        let [one, two] = [(), ()].map(|()| env.run(&args, b"").stdout);
        assert!(one == two && one.contains(part), "{one}");
    }
    let unknown = env.run(&["backtest", "--before", "git:nowhere"], b"");
    assert!(
        unknown.code == 66 && unknown.stderr.contains("git knows no revision"),
        "{unknown:?}"
    );
    let unknown = env.run(&["backtest", "--fail-on", "newly-allow"], b"");
    assert!(
        unknown.code == 64 && unknown.stderr.contains("newly-allowed"),
        "{unknown:?}"
    );
    let other = env.write(
        "other/hooks/hooks.json",
        &force(&json!({"deny": "no"})).to_string(),
    );
    let untrusted = env.run(&["backtest", "--after", other.to_str().unwrap()], b"");
    assert!(
        untrusted.code == 66 && untrusted.stderr.contains("was never trusted"),
        "{untrusted:?}"
    );
}

#[test]
fn a_backtest_that_asked_about_nothing_or_could_not_read_all_of_it_is_not_good() {
    let env = TestEnv::with(&force(&json!({"deny": "no"})));
    let code = |file: &str, text: &str, words: &str| {
        let file = env.write(file, text);
        let args = ["backtest", "--fail-on", "newly-allowed"];
        let left = env.run(&[&args[..], &[file.to_str().unwrap()]].concat(), b"");
        assert!(left.code == 65 && left.stderr.contains(words), "{left:?}");
    };
    code(
        "nothing.jsonl",
        "",
        "no event of the history could be asked",
    );
    code("notes.txt", "\ndear diary\n", "notes.txt:2` is no record");
    bash(&env, "git push -f");
    let record = env.run(&["log", "--format", "json"], b"").stdout;
    code(
        "torn.jsonl",
        &format!("{record}{{\n"),
        "1 lines of the history cannot be read",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_python_hook_in_a_backtest_can_neither_write_nor_connect() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let env = TestEnv::new();
    let script = format!(
        "import json, os, socket, sys, tempfile\n\
         done = []\n\
         for place in [{:?}, {:?}]:\n\
         \x20   try:\n        open(place, 'w').write('x')\n        done.append('wrote')\n    except OSError: pass\n\
         try:\n    socket.create_connection(('127.0.0.1', {port}), 2)\n    done.append('connected')\nexcept OSError: pass\n\
         open(os.path.join(tempfile.gettempdir(), 'scratch'), 'w').write('x')\n\
         print(json.dumps({{'decision': 'block', 'reason': 'did ' + ','.join(done) + ' at ' + os.environ['SOURCE_DATE_EPOCH']}}))\n",
        env.path("project/written"),
        env.path("home/written"),
    );
    env.write("project/hooks/scripts/look.py", &script);
    let hook = json!({"type": "command", "name": "look", "command": "python3 ${PACKAGE_ROOT}/hooks/scripts/look.py"});
    let old = env.write("old.json", &on("pre-tool-use", &json!([])).to_string());
    env.manifest(
        &on(
            "pre-tool-use",
            &json!([{"matcher": "Bash", "hooks": [hook]}]),
        )
        .to_string(),
    );
    let line = json!({
        "version": 1, "id": "r1", "at": 1_790_000_000_000_u64,
        "event": {"name": "tool:pre", "host": "claude-code", "native": "PreToolUse", "session": "s", "subject": "Bash"},
        "result": {"verdict": "continue"}, "hooks": [], "steps": [],
        "action": {"project": env.path("project"), "data": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": env.path("project")}},
    });
    let history = env.write("history.jsonl", &format!("{line}\n"));
    let before = snapshot(&env);
    let args = [
        "backtest",
        "--before",
        old.to_str().unwrap(),
        history.to_str().unwrap(),
        "--format",
        "json",
    ];
    let left = env.run(&args, b"");
    assert_eq!(snapshot(&env), before, "nothing was written");
    assert!(server.accept().is_err(), "nothing connected");
    let page = left.json();
    if page["without"]["look"] == json!(1) {
        return; // This kernel cannot confine, so the hook was not started, and that is counted.
    }
    let after = page["groups"][0]["examples"][0]["after"]
        .as_str()
        .unwrap_or_default();
    assert_eq!(after, "deny: did  at 1790000000", "{page}");
    assert_eq!(env.run(&args, b"").stdout, left.stdout);
}

#[test]
fn shrink_makes_the_smallest_session_with_a_difference_a_case_that_fails_until_the_hook_is_mended()
{
    let rule = json!({"name": "pushes", "type": "rule", "when": "pushes('force')", "then": {"deny": "no"}});
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [rule]}]),
    ));
    for command in [
        "ls",
        "make all",
        "cd /tmp && FOO=1 git push --force --verbose origin main && echo done",
        "ls",
    ] {
        bash(&env, command);
    }
    let manifest = std::fs::read_to_string(env.path("project/hooks/hooks.json")).unwrap();
    env.manifest(&manifest.replace("'force'", "'delete'"));
    let left = env.run(&["shrink", "--change", "newly-allowed"], b"");
    assert!(
        left.code == 0
            && left
                .stdout
                .contains("newly-allowed by pushes: 1 of 3 events are left"),
        "{left:?}"
    );
    let fixtures: Vec<_> = std::fs::read_dir(env.path("project/hooks/tests/fixtures"))
        .unwrap()
        .flatten()
        .collect();
    let [fixture] = &fixtures[..] else {
        panic!("{fixtures:?}")
    };
    let fixture: Value = serde_json::from_slice(&std::fs::read(fixture.path()).unwrap()).unwrap();
    assert_eq!(
        fixture["toolInput"],
        json!({"command": "git push --force"}),
        "{fixture}"
    );
    let test = env.run(&["test"], b"");
    assert!(
        test.code == 1 && test.stdout.contains("decision"),
        "{test:?}"
    );
    env.manifest(&manifest);
    let test = env.run(&["test"], b"");
    assert_eq!(test.code, 0, "{test:?}");
    let none = env.run(&["shrink"], b"");
    assert!(
        none.code == 1 && none.stderr.contains("no such difference"),
        "{none:?}"
    );
}

/// A history of questions, each answered: what was asked, and whether the person said yes.
fn questions(asked: &[(&str, bool)]) -> String {
    let lines = asked.iter().enumerate().flat_map(|(number, (command, is_yes))| {
        let answer = if *is_yes {
            ("tool:post", "PostToolUse")
        } else {
            ("approval:denied", "PermissionDenied")
        };
        let question = ("permission-request", "PermissionRequest");
        [question, answer].into_iter().enumerate().map(move |(part, (name, native))| {
            let number = 2 * number + part;
            json!({
                "version": 1, "id": format!("r{number}"), "at": 1_790_000_000_000_u64 + number as u64,
                "event": {"name": name, "native": native, "host": "claude-code", "subject": "Bash",
                          "session": format!("s{}", number / 2)},
                "result": {"verdict": "continue"}, "hooks": [], "steps": [],
                "action": {"project": "/", "data": {
                    "session_id": "s", "cwd": "/", "tool_name": "Bash", "permission_mode": "default",
                    "tool_use_id": format!("t{}", number / 2), "tool_input": {"command": command},
                }},
            })
            .to_string()
                + "\n"
        })
    });
    lines.collect()
}

#[test]
fn suggest_shows_a_rule_for_what_was_always_answered_the_same_way_and_writes_nothing_without_a_person()
 {
    let env = TestEnv::new();
    let round = |mixed| {
        [
            ("make test", true),
            ("make deploy", false),
            ("make mixed", mixed),
        ]
    };
    let asked = [true, false, true, false].map(round).concat();
    env.write("project/history.jsonl", &questions(&asked));
    let suggest = |more: &[&str]| env.run(&[&["suggest", "history.jsonl"], more].concat(), b"y\n");

    let told = suggest(&["--json"]);
    assert_eq!(told.stderr.matches("records in").count(), 1, "{told:?}");
    let page = told.json();
    let seen: Vec<Value> = page
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            json!([
                one["what"],
                one["event"],
                one["seen"],
                one["allowed"],
                one["refused"]
            ])
        })
        .collect();
    assert_eq!(
        seen,
        [
            json!([
                "deny Bash {\"command\":\"make deploy\"} in /",
                "pre-tool-use",
                4,
                0,
                0
            ]),
            json!([
                "allow Bash {\"command\":\"make test\"} in /",
                "permission-request",
                4,
                4,
                0
            ]),
        ],
        "{page}"
    );

    // A pipe is no person: its "y" writes nothing.
    let shown = suggest(&[]);
    assert!(
        shown.code == 0
            && shown
                .stdout
                .contains("it would have allowed 4 events and refused 0")
            && !shown.stdout.contains("make mixed")
            && !env.path("project/hooks/hooks.json").exists(),
        "{shown:?}"
    );
    let rare = suggest(&["--least", "5"]);
    assert!(
        rare.code == 0
            && rare.stdout.is_empty()
            && rare.stderr.contains("nothing was asked often enough"),
        "{rare:?}"
    );
}

/// What stood in the file before a person said yes.
const OWN: &str = r#"{
  // The rules of this shop.
  "version": 1,
  "hooks": {
    "stop": [],
    "pre-tool-use": [
      /* Nothing is published by hand. */
      {"matcher": "Bash", "hooks": [{"type": "rule", "name": "no-publish", "when": "publishes()", "then": {"deny": "no"}}]},
    ], // and so on
  },
}
"#;

/// What stands there after it.
const WRITTEN: &str = r#"{
  // The rules of this shop.
  "version": 1,
  "hooks": {
    "stop": [],
    "pre-tool-use": [
      /* Nothing is published by hand. */
      {"matcher": "Bash", "hooks": [{"type": "rule", "name": "no-publish", "when": "publishes()", "then": {"deny": "no"}}]},
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "rule",
            "name": "seen-deny-DIGEST",
            "when": "host == 'claude-code' && tool_name == 'Bash' && has(data.cwd) && data.cwd == '/shop' && size(tool_input) == 1 && has(data.permission_mode) && data.permission_mode == 'default' && has(tool_input.command) && tool_input.command == 'make deploy'",
            "then": {
              "deny": "The user answered this with no 4 times.",
            },
          },
        ],
      },
    ], // and so on
    "permission-request": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "rule",
            "name": "seen-allow-DIGEST",
            "when": "host == 'claude-code' && tool_name == 'Bash' && has(data.cwd) && data.cwd == '/shop' && size(tool_input) == 1 && has(data.permission_mode) && data.permission_mode == 'default' && has(tool_input.command) && tool_input.command == 'make test'",
            "then": {
              "allow": "You answered this with yes 4 times."
            }
          }
        ]
      }
    ],
  },
}
"#;

#[test]
fn what_suggest_writes_after_a_yes_keeps_the_rest_of_the_file_answers_what_was_seen_and_nothing_wider()
 {
    let env = TestEnv::new();
    let round = [("make test", true), ("make deploy", false)];
    let project = env.path("project");
    let here = format!("\"cwd\":{}", json!(project));
    let history = questions(&[round; 4].concat()).replace(r#""cwd":"/""#, &here);
    env.write("project/history.jsonl", &history);
    env.manifest(OWN);
    let file = || std::fs::read_to_string(env.path("project/hooks/hooks.json")).unwrap();
    let answered = |answer: &str| {
        let mut person = Person::runs(&env, &["suggest", "history.jsonl"]);
        person.sees("Write these 2 rules into");
        person.answers(answer);
        person.left()
    };
    let (code, shown) = answered("n");
    assert!(code == 0 && !shown.contains("written"), "{shown}");
    assert_eq!(file(), OWN, "a no writes nothing");

    let (code, shown) = answered("y");
    assert!(code == 0 && shown.contains("Now: anyhook trust"), "{shown}");
    let written = file();
    let mut shown = written.replace(&project.display().to_string(), "/shop");
    for name in ["seen-deny-", "seen-allow-"] {
        // The end of a name is the digest of what was asked, and the folder is another one each time.
        let at = shown.find(name).unwrap() + name.len();
        shown.replace_range(at..at + 8, "DIGEST");
    }
    assert_eq!(shown, WRITTEN);

    let checked = env.run(&["check"], b"");
    assert_eq!(checked.code, 0, "{checked:?}");
    env.trust();
    let ask = |event: &str, command: &str| {
        let mut payload = env.pre("Bash", &json!({"command": command}));
        payload["hook_event_name"] = event.into();
        let json = env.claude(&payload).stdout;
        let said: Value = serde_json::from_str(&json).unwrap_or_default();
        let said = &said["hookSpecificOutput"];
        let behavior = said["decision"]["behavior"].as_str();
        behavior
            .or(said["permissionDecision"].as_str())
            .map(str::to_owned)
    };
    let permission = |command: &str| ask("PermissionRequest", command);
    assert_eq!(permission("make test").as_deref(), Some("allow"));
    assert_eq!(ask("PreToolUse", "make deploy").as_deref(), Some("deny"));
    for other in [
        "make test x",
        "make  deploy",
        "make test; ls",
        "make",
        "cd / && make test",
    ] {
        assert_eq!(permission(other), None, "{other}");
    }
    for other in ["make test", "make deployed", "make deploy x"] {
        assert_eq!(ask("PreToolUse", other), None, "{other}");
    }
    assert_eq!(ask("PreToolUse", "npm publish").as_deref(), Some("deny"));

    let again = answered("y");
    assert_eq!(
        (again.0, file()),
        (0, written),
        "a rule that is there is not written twice"
    );
}

#[test]
fn suggest_says_which_events_of_a_history_it_does_not_know() {
    let env = TestEnv::new();
    let record = |number: u64, name: &str, host: &str| {
        json!({
            "version": 1, "id": format!("r{number}"), "event": {"name": name, "host": host, "session": "s", "subject": "Bash"},
            "result": {"verdict": "continue"}, "hooks": [], "steps": [],
            "action": {"data": {"tool_name": "Bash", "tool_input": {"command": "make"}, "cwd": "/p"}},
        })
        .to_string()
            + "\n"
    };
    let lines = [
        record(1, "tool:pre", "claude-code"),
        record(2, "tool:dreamt\u{1b}[2J", "claude-code"),
        record(3, "tool:dreamt\u{1b}[2J", "claude-code"),
        record(4, "my:own", ""),
    ];
    env.write("project/history.jsonl", &lines.concat());
    let said = env.run(&["suggest", "history.jsonl"], b"");
    let expected = "2 events have names that this version does not know, so no answer to them counts: `tool:dreamt\\u{1b}[2J` (2)\n\
                    help: anyhook hosts shows which events of each agent are known\n";
    assert!(said.stderr.contains(expected), "{said:?}");
    assert!(!said.stderr.contains("my:own"), "{said:?}");
}
