//! Packages that a person adds, updates and removes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::approvals::{Shown, typed};
use crate::env::{Shows as _, TestEnv, git, repository};

const FROZEN: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
    {"type": "command", "name": "frozen", "command": "sh ${PACKAGE_ROOT}/lib/frozen.sh", "guard": true}
]}]}}"#;
const SCRIPT: &str = "echo frozen >&2; exit 2\n";
const LOCK: &str = "project/.agent-packages/anyhook.lock";

/// A package beside the project, with a script that would leave a trace if it ran.
fn stage(manifest_at: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(&format!("style/{manifest_at}"), FROZEN);
    env.write("style/lib/frozen.sh", SCRIPT);
    env.write("style/.git/config", "[core]\n");
    env
}

fn ok(env: &TestEnv, line: &str) -> Shown {
    let shown = typed(env, line, "");
    assert_eq!(shown.code, 0, "{line}: {shown:?}");
    shown
}

/// Types a line that fails, and returns what was said.
fn refused(env: &TestEnv, line: &str) -> String {
    let shown = typed(env, line, "");
    assert_ne!(shown.code, 0, "{line}: {shown:?}");
    shown.text
}

/// Every file below a folder, with its text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                all.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

fn decision(env: &TestEnv) -> Option<String> {
    env.bash("make deploy").decision()
}

#[test]
fn a_folder_is_added_locked_trusted_and_guards_and_remove_leaves_the_project_as_it_was() {
    for manifest_at in ["hooks/hooks.json", "hooks.json"] {
        let env = stage(manifest_at);
        env.write("project/README.md", "# Shop\n");
        let before = files(&env.path("project"));
        let shown = ok(&env, "anyhook add ../style");
        let next = "anyhook trust .agent-packages/style/hooks/hooks.json";
        shown.says(next);
        let package = files(&env.path("project/.agent-packages/style"));
        let names: Vec<&str> = package.keys().map(String::as_str).collect();
        assert_eq!(names, ["hooks/hooks.json", "lib/frozen.sh"], "no .git");
        let lock: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(env.path(LOCK)).unwrap()).unwrap();
        let source = env.path("style");
        assert_eq!(
            lock["packages"]["style"]["source"],
            json!(source),
            "outside of the project"
        );
        assert_eq!(
            decision(&env),
            None,
            "nothing runs before a person trusts it"
        );
        let trusted = typed(&env, next, "y\n");
        assert_eq!(trusted.code, 0, "{trusted:?}");
        assert_eq!(decision(&env).as_deref(), Some("deny"));
        ok(&env, "anyhook add --remove style");
        assert_eq!(files(&env.path("project")), before);
        assert_eq!(decision(&env), None, "the trust is forgotten with it");
    }
}

#[test]
fn a_repository_is_added_at_its_commit_and_an_update_shows_files_and_hooks_and_asks_for_trust() {
    let env = stage("hooks/hooks.json");
    let style = env.path("style");
    fs::remove_dir_all(style.join(".git")).unwrap();
    git(&style, &["init", "--quiet"]);
    git(&style, &["add", "."]);
    git(&style, &["commit", "--quiet", "-m", "first"]);
    git(&style, &["tag", "v1"]);
    let first = git(&style, &["rev-parse", "HEAD"]);
    ok(&env, "anyhook add ../style@main");
    let lock = fs::read_to_string(env.path(LOCK)).unwrap();
    assert!(lock.contains(&first) && lock.contains("@main"), "{lock}");
    ok(&env, "anyhook add --update").says("up to date");
    assert_eq!(
        fs::read_to_string(env.path(LOCK)).unwrap(),
        lock,
        "the same text"
    );
    env.trust_file(".agent-packages/style/hooks/hooks.json");

    let later = FROZEN.replace("\"frozen\"", "\"thawed\"").replace(
        "}\n]}]}}",
        r#"},
        {"type": "rule", "name": "opens", "when": "true", "then": {"allow": true}}]}]}}"#,
    );
    fs::write(style.join("hooks/hooks.json"), later).unwrap();
    fs::write(style.join("lib/frozen.sh"), "exit 0\n").unwrap();
    git(&style, &["commit", "--quiet", "--all", "-m", "second"]);
    let dry = ok(&env, "anyhook add --update=try style").text;
    assert!(dry.contains("would update"), "{dry}");
    assert_eq!(fs::read_to_string(env.path(LOCK)).unwrap(), lock);
    let would: Value =
        serde_json::from_str(&ok(&env, "anyhook add --update=try --json").text).unwrap();
    let [would] = would.as_array().unwrap().as_slice() else {
        panic!("{would}")
    };
    let names = would["hooks"].as_array().unwrap().iter();
    let mut names: Vec<&str> = names.map(|hook| hook["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        (&would["name"], &would["files"], &*names),
        (
            &json!("style"),
            &json!([
                ["hooks/hooks.json", {"changed": {"added": 2, "removed": 2}}],
                ["lib/frozen.sh", {"changed": {"added": 1, "removed": 1}}],
            ]),
            &["frozen", "opens", "thawed"][..]
        )
    );
    assert_eq!(fs::read_to_string(env.path(LOCK)).unwrap(), lock);
    let shown = ok(&env, "anyhook add --update style").text;
    for words in [
        "~ lib/frozen.sh (+1 -1 lines)",
        "- frozen",
        "+ thawed",
        "+ opens",
        "approve an action without a question",
        "Now: anyhook trust .agent-packages/style/hooks/hooks.json",
    ] {
        shown.shows(words);
    }
    assert!(!fs::read_to_string(env.path(LOCK)).unwrap().contains(&first));
    assert_ne!(
        decision(&env).as_deref(),
        Some("allow"),
        "it has to be trusted again"
    );
    env.anyhook("list").says("style/hooks/hooks.json");
}

#[test]
fn a_tag_stays_where_it_is_and_a_folder_of_a_repository_can_be_named() {
    let env = TestEnv::new();
    env.write("many/a/hooks/hooks.json", FROZEN);
    env.write("many/b/hooks/hooks.json", FROZEN);
    let many = env.path("many");
    git(&many, &["init", "--quiet"]);
    git(&many, &["add", "."]);
    git(&many, &["commit", "--quiet", "-m", "first"]);
    git(&many, &["tag", "v1"]);
    let said = refused(&env, "anyhook add ../many@v1");
    said.shows("a, b");
    said.shows("#subdirectory=FOLDER");
    assert!(!env.path(LOCK).exists());
    ok(&env, "anyhook add '../many@v1#subdirectory=b'");
    assert!(
        env.path("project/.agent-packages/b/hooks/hooks.json")
            .exists()
    );
    fs::write(
        many.join("b/hooks/hooks.json"),
        FROZEN.replace("frozen", "other"),
    )
    .unwrap();
    git(&many, &["commit", "--quiet", "--all", "-m", "second"]);
    ok(&env, "anyhook add --update b").says("up to date");
}

#[test]
fn files_that_were_changed_by_hand_are_told_and_never_lost_without_a_word() {
    let env = stage("hooks/hooks.json");
    ok(&env, "anyhook add ../style");
    env.write("project/.agent-packages/style/lib/frozen.sh", "exit 0\n");
    env.anyhook("list")
        .stderr
        .shows("its files are not those of `anyhook.lock`");
    for command in ["update", "remove"] {
        refused(&env, &format!("anyhook add --{command} style"))
            .shows(&format!("anyhook add --{command} style --force"));
    }
    ok(&env, "anyhook add --update style --force");
    let script =
        fs::read_to_string(env.path("project/.agent-packages/style/lib/frozen.sh")).unwrap();
    assert_eq!(script, SCRIPT);
    assert_eq!(env.anyhook("list").stderr, "");
}

#[test]
fn what_leads_out_of_a_package_or_is_no_file_is_refused_and_nothing_is_written() {
    let env = stage("hooks/hooks.json");
    let secret = env.write("home/secret", "s3cret");
    symlink(&secret, env.path("style/lib/out.sh")).unwrap();
    refused(&env, "anyhook add ../style").shows("is a link to what is not in the package");
    fs::remove_file(env.path("style/lib/out.sh")).unwrap();
    symlink(env.path("style/.git/config"), env.path("style/lib/git")).unwrap();
    assert!(refused(&env, "anyhook add ../style").contains("not in the package"));
    fs::remove_file(env.path("style/lib/git")).unwrap();
    let pipe = env.path("style/lib/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    assert!(refused(&env, "anyhook add ../style").contains("is no regular file"));
    fs::remove_file(pipe).unwrap();
    assert!(!env.path("project/.agent-packages/style").exists() && !env.path(LOCK).exists());
    // A link inside is the file that it leads to.
    symlink("frozen.sh", env.path("style/lib/same.sh")).unwrap();
    ok(&env, "anyhook add ../style");
    let copy = env.path("project/.agent-packages/style/lib/same.sh");
    assert!(!copy.is_symlink() && fs::read_to_string(copy).unwrap() == SCRIPT);
}

#[test]
fn words_that_git_would_take_for_programs_or_options_are_no_sources() {
    let env = TestEnv::new();
    for source in [
        "'ext::sh -c \"touch ran\"'",
        "'git+ext::sh -c \"touch ran\"'",
        "git+file:///x@--upload-pack=x",
        "https://-oProxyCommand=x/y",
        "https://me:secret@example.com/x",
        "ssh://example.com/x",
        "http://example.com/x",
        "'../x@v1#subdirectory=../y'",
    ] {
        let said = refused(&env, &format!("anyhook add {source}"));
        assert!(said.starts_with("error: "), "{source}: {said}");
    }
    assert!(!env.path("project/ran").exists() && !env.path(LOCK).exists());
}

#[test]
fn the_guardrails_are_in_the_program_and_a_first_guard_is_one_command() {
    let env = TestEnv::new();
    ok(&env, "anyhook add guardrails")
        .text
        .shows("anyhook:guardrails");
    let ours = files(&repository().join("examples/guardrails"));
    assert_eq!(files(&env.path("project/.agent-packages/guardrails")), ours);
    env.trust_file(".agent-packages/guardrails/hooks/hooks.json");
    env.bash("rm -rf /srv").decides("deny");
    ok(&env, "anyhook add --update guardrails").says("up to date");
    ok(&env, "anyhook add guardrails --user");
    assert!(env.path("home/.aam/packages/anyhook.lock").exists());
}

#[test]
fn a_name_is_a_rule_and_a_path_has_a_slash_and_both_are_said() {
    let env = TestEnv::new();
    env.write("project/style/hooks/hooks.json", FROZEN);
    refused(&env, "anyhook add style").shows("to add the folder: anyhook add ./style");
    env.write("project/no-rm-rf/hooks/hooks.json", FROZEN);
    ok(&env, "anyhook add no-rm-rf")
        .text
        .shows("anyhook add ./no-rm-rf");
    ok(&env, "anyhook add ./no-rm-rf");
    let lock = fs::read_to_string(env.path(LOCK)).unwrap();
    assert!(lock.contains(r#""source": "../no-rm-rf""#), "{lock}");
    assert!(refused(&env, "anyhook add ./no-rm-rf").contains("anyhook add --update no-rm-rf"));
    assert!(refused(&env, "anyhook add --update nothing").contains("there are: no-rm-rf"));
}

#[test]
fn a_package_that_requires_a_later_anyhook_is_not_added_and_one_that_is_there_blocks_what_it_guards()
 {
    let env = stage("hooks/hooks.json");
    let later = FROZEN.replace("\"version\": 1", "\"version\": 1, \"requires\": \">=99\"");
    env.write("style/hooks/hooks.json", &later);
    refused(&env, "anyhook add ../style").shows("requires Anyhook >=99");
    env.manifest(&later);
    let checked = env.anyhook("check");
    assert_eq!(checked.code, 1, "{checked:?}");
    checked.says("requires Anyhook >=99");
    env.trust();
    let left = env.bash("ls");
    left.decides("deny");
    left.says("requires Anyhook >=99");
}

#[test]
fn no_agent_adds_updates_or_removes_a_package() {
    let env = stage("hooks/hooks.json");
    let program = env.program("bin/claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    for line in ["add ../style", "add --update", "add --remove style"] {
        let said = refused(&env, &format!("{} anyhook {line}", program.display()));
        assert!(said.contains("is for a person"), "{line}: {said}");
    }
}

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
