//! Plugins of Claude Code, and packages with a key.

use std::path::Path;

use serde_json::{Value, json};

use crate::env::TestEnv;

const SCRIPT: &str = "echo frozen >&2; exit 2\n";

/// Installs a plugin of Claude Code for every project, as its `/plugin` does.
fn install_plugin(env: &TestEnv, enabled: bool) -> String {
    let settings = json!({"enabledPlugins": {"frozen@market": enabled}});
    env.write("home/.claude/settings.json", &settings.to_string());
    install_plugin_as(env, json!({"scope": "user"}))
}

/// Installs a plugin of Claude Code with such an entry in the person's list.
fn install_plugin_as(env: &TestEnv, mut entry: Value) -> String {
    let root = env.path("home/.claude/plugins/cache/market/frozen/1.0.0");
    let script = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/lib/frozen.sh\""}
    ]}]}}"#;
    let at = "home/.claude/plugins/cache/market/frozen/1.0.0";
    env.write(&format!("{at}/hooks/hooks.json"), script);
    env.write(&format!("{at}/lib/frozen.sh"), SCRIPT);
    env.write(
        &format!("{at}/.claude-plugin/plugin.json"),
        r#"{"name": "frozen"}"#,
    );
    entry["installPath"] = json!(root);
    let list = json!({"version": 2, "plugins": {"frozen@market": [entry]}});
    env.write(
        "home/.claude/plugins/installed_plugins.json",
        &list.to_string(),
    );
    root.join("hooks/hooks.json").to_str().unwrap().to_owned()
}

#[test]
fn an_enabled_plugin_of_claude_code_reaches_the_other_agents_once_it_is_trusted_and_is_not_asked_twice()
 {
    let env = TestEnv::new();
    let manifest = install_plugin(&env, true);
    let under = |host: &str| {
        let mut payload = env.pre("Bash", &json!({"command": "ls"}));
        payload["turn_id"] = json!("t-1");
        env.told_by(host, &payload)
    };
    let told = under("codex");
    told.passes();
    told.says("anyhook trust");
    env.trust_file(&manifest);
    under("codex").decides("deny");
    assert_eq!(
        under("claude-code").decision(),
        None,
        "it runs the plugin itself"
    );
    let page = env.anyhook("list --json").json();
    let hook = &page["hooks"][0];
    assert_eq!(
        (&hook["name"], &hook["layer"]),
        (&json!("frozen.sh"), &json!("package"))
    );
    install_plugin(&env, false);
    assert_eq!(
        under("codex").decision(),
        None,
        "the person switched it off"
    );
}

#[test]
fn a_plugin_of_claude_code_for_one_project_is_there_and_nowhere_else_and_the_project_does_not_decide_it()
 {
    let env = TestEnv::new();
    let count = || {
        let page = env.anyhook("list --json").json();
        page["hooks"].as_array().map_or(0, Vec::len)
    };
    let project = env.path("project");
    let of_project = |scope: &str, path: &Path| json!({"scope": scope, "projectPath": path});
    for scope in ["project", "local"] {
        install_plugin_as(&env, of_project(scope, &project));
        assert_eq!(count(), 1, "{scope}");
    }
    install_plugin_as(&env, of_project("project", &env.path("other")));
    assert_eq!(count(), 0, "it was installed for another project");
    install_plugin_as(&env, json!({"scope": "project"}));
    assert_eq!(count(), 0, "no project is named");

    install_plugin_as(&env, of_project("project", &project));
    let says = |enabled: bool| json!({"enabledPlugins": {"frozen@market": enabled}}).to_string();
    env.write("project/.claude/settings.json", &says(false));
    assert_eq!(count(), 1, "a project takes nothing away");
    env.write("home/.claude/settings.json", &says(false));
    env.write("project/.claude/settings.json", &says(true));
    assert_eq!(count(), 0, "the person said no");
}

/// A key of minisign, and what it signed: two files.
const KEY: &str = "RWQBAgMEBQYHCONvkTMrUQL9XdnzReRN2B8tJwDN9585OCiZf/nANhUm";
const SIGNED: &str = "untrusted comment: of the tests\n\
    RUQBAgMEBQYHCC6MB/KR8Js022I9xV0Sue/mkZ4u/VwCfMjBrGoZiieRCwdU8gV11kJyOupGMG3DAhaEEiD/AIZlodXtU9Y2pwQ=\n\
    trusted comment: the package of the tests\n\
    5JrrPgaQmEu8/+XCvB8X+reAjFVOMbrS5SRVc8BTV6fyp769e3BqpvZFAyGQci/08uW3ITyx8iHNoqqHnxUBCA==\n\n";

#[test]
fn a_package_with_a_key_is_added_and_updated_only_as_it_was_signed() {
    let env = TestEnv::new();
    let (manifest, guard) = ("{\"version\": 1, \"hooks\": {}}\n", "exit 2\n");
    let line =
        |name: &str, text: &str| format!("{}  {name}\n", anyhook::files::digest(text.as_bytes()));
    let list = line("hooks/hooks.json", manifest) + &line("hooks/guard.sh", guard);
    for (name, text) in [
        ("hooks/hooks.json", manifest),
        ("hooks/guard.sh", guard),
        ("SHA256SUMS", &list),
        ("SHA256SUMS.minisig", SIGNED),
    ] {
        env.write(&format!("project/style/{name}"), text);
    }
    let added = env.run(&["add", "./style", "--key", KEY], b"");
    assert_eq!(added.code, 0, "{added:?}");
    let lock = std::fs::read_to_string(env.path("project/.agent-packages/anyhook.lock")).unwrap();
    assert!(lock.contains(KEY), "{lock}");
    env.write("project/style/hooks/guard.sh", "exit 0\n");
    let updated = env.anyhook("add --update");
    assert!(
        updated.code != 0
            && updated
                .stderr
                .contains("`hooks/guard.sh` is not what was signed"),
        "{updated:?}"
    );
    let kept =
        std::fs::read_to_string(env.path("project/.agent-packages/style/hooks/guard.sh")).unwrap();
    assert_eq!(kept, guard);
    assert_eq!(env.anyhook("add --remove style").code, 0);
    let refused = env.run(&["add", "./style", "--key", KEY], b"");
    assert_ne!(refused.code, 0, "{refused:?}");
    assert!(!env.path("project/.agent-packages/style").exists());
}
