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
