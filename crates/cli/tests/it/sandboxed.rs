//! Hooks that run confined: `sandbox` of a manifest, and packages that came from elsewhere.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::confining::cannot_confine;
use crate::env::{Left, Shows as _, TestEnv, command, on, with};

const PACKAGE: &str = ".agent-packages/strange/hooks/hooks.json";

/// A project with a trusted package whose only hook, a guard, is this script.
fn package(script: &str, more: &Value) -> TestEnv {
    let env = TestEnv::new();
    env.write("home/.ssh/id", "the secret\n");
    env.write("project/notes", "of the project\n");
    env.write(
        "project/.agent-packages/strange/hooks/scripts/guard.sh",
        script,
    );
    let mut hook = command("sh ${PACKAGE_ROOT}/hooks/scripts/guard.sh");
    hook["guard"] = json!(true);
    hook["name"] = json!("strange");
    let manifest = on("pre-tool-use", &json!([{"hooks": [with(hook, more)]}]));
    env.write(&format!("project/{PACKAGE}"), &manifest.to_string());
    env.trust_file(PACKAGE);
    env
}

fn asked(env: &TestEnv) -> Left {
    env.bash("ls")
}

/// The last report, as `anyhook why` tells it.
fn why(env: &TestEnv) -> String {
    let told = env.anyhook("why").stdout;
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_hook_of_a_package_does_its_work_and_is_refused_everything_else() {
    if cannot_confine() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    let script = format!(
        r#"
        cat > /dev/null
        t() {{ if eval "$2" > /dev/null 2>&1; then echo "$1: got through"; else echo "$1: refused"; fi; }}
        {{
            t project 'grep -q of.the.project "$PROJECT_DIR/notes"'
            t itself 'grep -q got "$PACKAGE_ROOT/hooks/scripts/guard.sh"'
            t payload 'grep -q tool_input "$ANYHOOK_PAYLOAD"'
            t private 'echo x > "$PRIVATE/kept" && test -s "$PRIVATE/kept"'
            t temporary 'test -f "$(mktemp)"'
            t key 'cat ~/.ssh/id'
            t home 'ls ~'
            t write 'echo x > "$PROJECT_DIR/notes"'
            t state 'echo x > ~/.local/state/anyhook/trust/x'
            t marks 'rm ~/.local/state/anyhook/payloads/*'
            t trust '"$(command -v anyhook)" trust --forget "$PACKAGE_ROOT/hooks/hooks.json"'
            t itself 'echo x > "$PACKAGE_ROOT/hooks/scripts/guard.sh"'
            t socket 'bash -c "exec 3<>/dev/tcp/127.0.0.1/{port}"'
            t variable 'test -n "$AWS_SECRET_ACCESS_KEY"'
        }} > "$PRIVATE/said"
        anyhook say deny "$(cat "$PRIVATE/said")"
        "#
    );
    let env = package(&script, &json!({}));
    let call = env.pre("Bash", &json!({"command": "ls"}));
    let left = env.told_in("claude-code", &call, |run| {
        run.env("AWS_SECRET_ACCESS_KEY", "k")
    });
    let expected = "project: got through\nitself: got through\npayload: got through\nprivate: got through\n\
                    temporary: got through\nkey: refused\nhome: refused\nwrite: refused\nstate: refused\n\
                    marks: refused\ntrust: refused\nitself: refused\nsocket: refused\nvariable: refused";
    assert_eq!(left.reason(), expected, "{left:?}");
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    let told = why(&env);
    for part in [
        "the hook `strange` runs confined. Reads the project and the package's own folder, writes its private folder, and has no \
         network.",
        "confined: files by Landlock",
        "network none by seccomp",
    ] {
        told.shows(part);
    }
    if sees_refusals() {
        let home = env.path("home").canonicalize().unwrap();
        for path in [".ssh/id", ""] {
            let path = home.join(path);
            let path = path.to_str().unwrap().trim_end_matches('/');
            told.shows(&format!("to read `{path}`"));
        }
        // The copy is read only: the system refuses a person who is not root before anything else is asked.
        let copy = "/hooks/scripts/guard.sh`, ";
        let is_told = told.contains(copy) || !rustix::process::getuid().is_root();
        assert!(is_told && told.contains(", a socket for IPv4"), "{told}");
    }
    // A list of events tells what happened; how each hook was confined is for `why`.
    let log = env.anyhook("log").stdout;
    assert!(
        log.contains("strange") && !log.contains("runs confined"),
        "{log}"
    );
}

/// Tells whether this kernel says what it refuses.
pub(crate) fn sees_refusals() -> bool {
    let level = anyhook_confine::level();
    level.seccomp && level.landlock.is_some_and(|version| version >= 3)
}

#[test]
fn what_was_refused_is_in_the_record_unless_a_person_switched_it_off_or_nothing_was() {
    if cannot_confine() || !sees_refusals() {
        return;
    }
    let tries = "cat > /dev/null; cat ~/.ssh/id; exit 0";
    let env = package(tries, &json!({}));
    asked(&env);
    let key = env.path("home/.ssh/id").canonicalize().unwrap();
    let refused = format!(
        "the hook `strange` was refused: to read `{}`",
        key.display()
    );
    let record = env.anyhook("log --json").stdout;
    let record: Value = serde_json::from_str(record.lines().last().unwrap()).unwrap();
    let remarks = record["remarks"].as_array().unwrap();
    assert!(remarks.contains(&json!(refused)), "{remarks:?}");
    assert!(!why(&env).contains("is not seen here"), "{}", why(&env));

    let env = package(tries, &json!({}));
    env.config("[record]\nrefusals = false\n");
    asked(&env);
    let told = why(&env);
    told.shows("What the kernel refuses to it is not seen here.");
    assert!(!told.contains("was refused"), "{told}");

    let env = package(
        "cat > /dev/null; cat \"$PROJECT_DIR/notes\"; exit 0",
        &json!({}),
    );
    asked(&env);
    why(&env).shows("Nothing that it opened was refused.");
}

#[test]
fn a_package_gets_what_its_manifest_says_and_no_more() {
    if cannot_confine() {
        return;
    }
    let script = r#"
        cat > /dev/null
        cat ~/.config/tool/settings && echo x > "$PROJECT_DIR/build/x" && ! cat ~/.ssh/id && test "$TOOL_KEY" = k &&
            anyhook say deny all
    "#;
    let sandbox = json!({
        "read": ["./**", "${PACKAGE_ROOT}/**", "~/.config/tool/**"], "write": ["./build/**"], "env": ["PATH", "HOME", "TOOL_*"],
    });
    let env = package(script, &json!({"sandbox": sandbox, "env": {"SET": "x"}}));
    env.write("home/.config/tool/settings", "");
    env.write("project/build/y", "");
    let call = env.pre("Bash", &json!({"command": "ls"}));
    let keys = [("TOOL_KEY", "k"), ("OTHER_KEY", "k")];
    let left = env.told_in("claude-code", &call, |run| run.envs(keys));
    assert_eq!(
        left.decision().as_deref(),
        Some("deny"),
        "{left:?} {}",
        why(&env)
    );
    assert_eq!(left.reason(), "all");
}

#[test]
fn hooks_of_the_project_run_open_unless_they_say_otherwise() {
    let line =
        "cat ~/.ssh/id > /dev/null && exec anyhook say deny open; exec anyhook say deny closed";
    let said = |env: &TestEnv| {
        env.write("home/.ssh/id", "the secret\n");
        asked(env).reason()
    };
    let open = TestEnv::hook("pre-tool-use", &command(line));
    assert_eq!(said(&open), "open");
    assert!(!why(&open).contains("confined"), "{}", why(&open));
    if cannot_confine() {
        return;
    }
    let mut manifest = on("pre-tool-use", &json!([{"hooks": [command(line)]}]));
    manifest["sandbox"] = json!({"read": ["./**"]});
    assert_eq!(said(&TestEnv::with(&manifest)), "closed");
}

#[test]
fn a_guard_that_cannot_be_confined_refuses_and_another_hook_is_a_failure() {
    // A place that is not there is noted, one that cannot be said is an error, and a helper that fails starts nothing.
    let line = "touch ~/ran; exit 0";
    let mut hook = command(line);
    let long = format!("./{}/**", "a".repeat(200_000));
    hook["sandbox"] = json!({"write": ["~/**", long]});
    let manifest = |hook: &Value| on("pre-tool-use", &json!([{"hooks": [hook]}]));
    let env = TestEnv::with(&manifest(&hook));
    asked(&env).passes();
    assert!(!env.path("home/ran").exists());
    hook["guard"] = json!(true);
    let env = TestEnv::with(&manifest(&hook));
    asked(&env).decides("deny");
    assert!(!env.path("home/ran").exists());
}

#[test]
fn what_a_confined_guard_cannot_see_of_the_event_is_its_failure() {
    if cannot_confine() {
        return;
    }
    let script = "cat > /dev/null; case \"$(anyhook get --no-such-flag)\" in *rm*) anyhook say deny no;; esac; exit 0";
    let left = asked(&package(script, &json!({})));
    left.decides("deny");
    left.says("did not see the whole event");
}
