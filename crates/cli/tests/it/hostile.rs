//! The hostile corpus, through the real program with a guard configured: nothing goes through, nothing panics, and each
//! case ends in an answer that can be parsed.

use std::collections::BTreeMap;
use std::fs::File;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, finish, on, repository, start};

/// Guards as a careful author writes them: by what the event says, refusing where it says nothing.
fn guarded() -> TestEnv {
    let env = TestEnv::new();
    env.write("project/hooks/scripts/guard.sh", GUARD);
    env.manifest(&on("pre-tool-use", &json!([{"hooks": [
        {"type": "command", "guard": true, "name": "guard", "command": "sh ${PACKAGE_ROOT}/hooks/scripts/guard.sh"},
    ]}])).to_string());
    env.trust();
    env
}

const GUARD: &str = r#"
tool=$(anyhook get tool_name) || { anyhook say deny "an event without a tool"; exit; }
input=$(anyhook get tool_input) || { anyhook say deny "a call without an input"; exit; }
case "$(printf '%s' "$input" | tr '[:upper:]' '[:lower:]')" in
  *.env*|*"rm -rf"*|*"rm -fr"*) anyhook say deny "protected";;
esac
case "$tool" in Write|Bash|Edit) ;; *) anyhook say deny "an unknown tool";; esac
"#;

fn claude(env: &TestEnv, payload: &[u8]) -> Left {
    env.run(
        &[
            "run",
            "PreToolUse",
            "--host",
            "claude-code",
            "--deadline",
            "20",
        ],
        payload,
    )
}

/// Tells whether Claude Code would run the action after this answer, by the independent reader.
fn refused(left: &Left) -> bool {
    let reader = anyhook_readers::reader("claude-code").unwrap();
    let behaviour = reader.reads(&anyhook_readers::Answer {
        event: "PreToolUse",
        payload: &json!({"tool_name": "Write", "tool_input": {"file_path": ".env"}}),
        stdout: left.stdout.as_bytes(),
        stderr: left.stderr.as_bytes(),
        exit: left.code,
    });
    behaviour.gravity() >= anyhook_readers::Gravity::Ask
}

fn is_an_answer(left: &Left) -> bool {
    let parses = left.stdout.is_empty() || serde_json::from_str::<Value>(&left.stdout).is_ok();
    parses && (left.code == 0 || left.code == 2) && !left.stderr.contains("panicked")
}

/// The cases of the corpus: name and bytes.
fn cases() -> BTreeMap<String, Vec<u8>> {
    let folder = repository().join("fixtures/hostile");
    let mut cases = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.as_bytes()[0].is_ascii_digit() {
            cases.insert(name, std::fs::read(&path).unwrap());
        }
    }
    let recipes = std::fs::read_to_string(folder.join("generated.json")).unwrap();
    let recipes: Vec<Value> = serde_json::from_str(&recipes).unwrap();
    cases.extend(recipes.iter().map(|recipe| {
        (
            recipe["name"].as_str().unwrap().to_owned(),
            cook(&recipe["parts"]),
        )
    }));
    cases
}

/// Makes a payload from its recipe; the grammar stands in the corpus' own page.
fn cook(parts: &Value) -> Vec<u8> {
    let mut text = String::new();
    for part in parts.as_array().unwrap() {
        let times = part["times"].as_u64().unwrap_or(1);
        if let Some(whole) = part.as_str() {
            text.push_str(whole);
        } else if let Some(repeat) = part["repeat"].as_str() {
            text.push_str(&repeat.repeat(usize::try_from(times).unwrap()));
        } else if let Some(each) = part["each"].as_str() {
            text.extend((0..times).map(|n| each.replace("{n}", &n.to_string())));
        }
    }
    text.into_bytes()
}

#[test]
fn d26_every_hostile_payload_is_refused_or_answered_as_its_table_says() {
    let text = std::fs::read_to_string(repository().join("fixtures/hostile/expect.json")).unwrap();
    let expect: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    let cases = cases();
    assert!(cases.len() >= 40, "at least forty cases: {}", cases.len());
    let env = guarded();
    let mut wrong = Vec::new();
    for (name, payload) in &cases {
        let left = claude(&env, payload);
        let must_refuse = expect
            .get(name)
            .is_none_or(|expected| expected == "refused");
        if !is_an_answer(&left) {
            wrong.push(format!("{name}: no answer: {left:?}"));
        } else if must_refuse && !refused(&left) {
            wrong.push(format!("{name}: went through: {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn secret(env: &TestEnv) -> Vec<u8> {
    env.pre("Write", &json!({"file_path": "/p/.env", "content": "x"}))
        .to_string()
        .into_bytes()
}

#[test]
fn d26_a_closed_standard_output_still_refuses_by_the_exit_code() {
    let env = guarded();
    let mut command = env.command(&["run", "--host", "claude-code"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(Stdio::from(writer));
    let left = finish(start(command, &secret(&env)));
    assert_eq!(left.code, 2, "{left:?}");
    assert!(left.stderr.contains("protected"), "{left:?}");
}

#[test]
fn d26_a_full_standard_output_still_refuses_by_the_exit_code() {
    let env = guarded();
    let mut command = env.command(&["run", "--host", "claude-code"]);
    command.stdout(Stdio::from(
        File::options().write(true).open("/dev/full").unwrap(),
    ));
    let left = finish(start(command, &secret(&env)));
    assert_eq!(left.code, 2, "{left:?}");
}

#[test]
fn d26_a_disk_on_which_nothing_can_be_written_does_not_switch_a_guard_off() {
    let env = guarded();
    let program = env!("CARGO_BIN_EXE_anyhook");
    let mut shell = std::process::Command::new("/bin/sh");
    shell
        .args([
            "-c",
            &format!("ulimit -f 0; exec {program} run --host claude-code"),
        ])
        .current_dir(env.path("project"))
        .env_clear()
        .env("HOME", env.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let left = finish(start(shell, &secret(&env)));
    assert!(is_an_answer(&left) && refused(&left), "{left:?}");
}

#[test]
fn d26_state_that_cannot_be_read_or_is_garbage_does_not_switch_a_guard_off() {
    for spoil in ["sessions", "reports", "payloads"] {
        let env = guarded();
        let folder = env.state().join(spoil);
        std::fs::create_dir_all(env.state()).unwrap();
        std::fs::write(&folder, "a file where a folder belongs").unwrap();
        let left = claude(&env, &secret(&env));
        assert!(is_an_answer(&left) && refused(&left), "{spoil}: {left:?}");
    }
    let env = guarded();
    claude(
        &env,
        &env.pre("Bash", &json!({"command": "ls"}))
            .to_string()
            .into_bytes(),
    );
    for entry in std::fs::read_dir(env.state().join("sessions")).unwrap() {
        let _ = std::fs::write(entry.unwrap().path(), "\u{0}garbage");
    }
    let left = claude(&env, &secret(&env));
    assert!(is_an_answer(&left) && refused(&left), "{left:?}");
}

#[test]
fn d26_a_hostile_environment_does_not_switch_a_guard_off() {
    type Spoil = fn(&mut std::process::Command, &TestEnv);
    let environments: [(&str, Spoil); 6] = [
        ("no home", |command, _| {
            command.env_remove("HOME");
        }),
        ("an empty path", |command, _| {
            command.env("PATH", "");
        }),
        ("names of ours set by somebody else", |command, env| {
            command.env(
                "ANYHOOK_PAYLOAD",
                env.write("fake.json", r#"{"tool_name":"Read","tool_input":{}}"#),
            );
            command
                .env("ANYHOOK_EVENT", "post-tool-use")
                .env("ANYHOOK_COMMAND", "ls")
                .env("file", "/harmless");
            command
                .env("PACKAGE_ROOT", "/nowhere")
                .env("ANYHOOK_RECHECK", "1");
        }),
        ("state in a file", |command, env| {
            command.env("XDG_STATE_HOME", env.write("not-a-folder", ""));
        }),
        ("a project that is not there", |command, _| {
            command.env("CLAUDE_PROJECT_DIR", "/nowhere/at/all");
        }),
        ("a shell with a start-up file", |command, env| {
            command
                .env("ENV", env.write("evil.sh", "exit 0\n"))
                .env("BASH_ENV", env.path("evil.sh"));
        }),
    ];
    for (name, spoil) in environments {
        let env = guarded();
        let mut command = env.command(&["run", "--host", "claude-code", "--trust-all"]);
        spoil(&mut command, &env);
        let left = finish(start(command, &secret(&env)));
        assert!(is_an_answer(&left) && refused(&left), "{name}: {left:?}");
    }
}
