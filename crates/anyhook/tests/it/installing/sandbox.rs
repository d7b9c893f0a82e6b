//! What rules refuse by files and machines, in the words of each agent's own sandbox.

use super::*;

const RULES: &str = include_str!("rules.json");

/// The agents that have a sheet, their files, and what a person has there.
const AGENTS: [(&str, &str, &str); 4] = [
    (
        "claude-code",
        ".claude/settings.json",
        "\u{feff}{\r\n  // mine\r\n  \"permissions\": {\"deny\": [\"Bash(curl *)\", \"Read(**/.env)\"]}, // too\r\n  \"model\": \"opus\",\r\n}\r\n",
    ),
    (
        "codex-cli",
        ".codex/config.toml",
        "# mine\nmodel = \"gpt\" # here\n\n[projects.\"/a.b\"]\ntrust_level = \"trusted\"",
    ),
    (
        "cursor",
        ".cursor/sandbox.json",
        "{\"networkPolicy\": {\"allow\": [\"a.example\"]}}",
    ),
    (
        "gemini-cli",
        ".gemini/settings.json",
        "{\n\t\"tools\": {\"allowed\": []}\n}\n",
    ),
];

impl Home {
    fn with_rules() -> Self {
        let home = Self::new();
        home.put("home/.config/anyhook/hooks.json", RULES);
        home
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path("home").join(name)).unwrap()
    }

    fn fence(&self, host: &str, scope: Scope) -> Result<InstallPlan, Vec<InstallError>> {
        self.ask(|installer| {
            let which = Some(anyhook::wires::host(host).unwrap());
            let mut plan = installer.plan(which, scope)?;
            installer.add_sandbox(&mut plan, scope)?;
            installer.carry_out(&plan).map_err(|error| vec![error])?;
            Ok(plan)
        })
    }
}

/// A text without our entries.
fn alone(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.contains("anyhook run")).collect()
}

#[test]
fn each_agent_gets_what_its_own_words_can_say_and_every_byte_comes_back() {
    for (host, file, text) in AGENTS {
        for before in [Some(text), None] {
            let home = Home::with_rules();
            if let Some(text) = before {
                home.put(&format!("home/{file}"), text);
            }
            let tree = home.tree();
            let plan = home.fence(host, Scope::User).unwrap();
            if before.is_some() {
                let notes = plan.changes.iter().flat_map(|change| &change.notes);
                let notes: Vec<&str> = notes.map(String::as_str).collect();
                let shown = format!("{}\n---\n{}", alone(&home.read(file)), notes.join("\n"));
                insta::assert_snapshot!(host, shown);
            }
            let again = home.fence(host, Scope::User).unwrap();
            assert!(again.changes.iter().all(PlannedChange::is_none), "{host}");
            home.undo(None, None);
            assert_eq!(home.tree(), tree, "{host}");
        }
    }
}

#[test]
fn what_was_written_beside_stays_and_what_a_rule_says_no_more_goes() {
    for (host, file, text) in AGENTS {
        let home = Home::with_rules();
        home.put(&format!("home/{file}"), text);
        home.fence(host, Scope::User).unwrap();
        let fewer = RULES.replace("'**/id_{rsa,dsa}', ", "");
        home.put("home/.config/anyhook/hooks.json", &fewer);
        home.fence(host, Scope::User).unwrap();
        assert!(!home.read(file).contains("id_rsa"), "{host}");
        let theirs = |text: &str| {
            if file.ends_with("toml") {
                return format!("{text}\n[tui]\nx = 1\n");
            }
            text.replacen('{', "{\"theirs\": 1, ", 1)
        };
        home.put(&format!("home/{file}"), &theirs(&home.read(file)));
        // An install without the flag keeps the sandbox.
        let which = Some(anyhook::wires::host(host).unwrap());
        home.ask(|installer| {
            let plan = installer.plan(which, Scope::User).unwrap();
            installer.carry_out(&plan).unwrap();
        });
        let plan = home.undo(None, None);
        assert!(plan.skipped.is_empty(), "{host}: {plan:?}");
        let squeezed = |text: String| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(home.read(file)), squeezed(theirs(text)), "{host}");
    }
}

#[test]
fn the_rules_of_a_project_go_into_its_own_files_and_to_no_other_scope() {
    let home = Home::new();
    home.put("project/hooks/hooks.json", RULES);
    home.fence("cursor", Scope::Project).unwrap();
    let text = std::fs::read_to_string(home.path("project/.cursor/sandbox.json")).unwrap();
    assert!(text.contains("\"169.254.169.254\""), "{text}");
    let plan = home.fence("codex-cli", Scope::Project).unwrap();
    let note = plan.changes[0].notes.last().unwrap();
    assert!(note.starts_with("no sandbox of its own is known"));
    let refused = |scope| home.fence("claude-code", scope).unwrap_err()[0].chain();
    let file = home.path("home/.config/anyhook/hooks.json");
    let missing = format!(
        "`{}` has no rule that refuses a file or a machine alone",
        file.display()
    );
    assert_eq!(refused(Scope::User), missing);
    home.undo(None, None);
    assert!(!home.path("project/.cursor").exists());
}

#[test]
fn what_a_person_decided_stays_and_a_file_that_cannot_be_read_is_refused_with_its_place() {
    let home = Home::with_rules();
    home.put(
        "home/.claude/settings.json",
        "{\"sandbox\": {\"enabled\": false}}",
    );
    let plan = home.fence("claude-code", Scope::User).unwrap();
    let kept = "`sandbox.enabled` says something else there, and stays";
    assert_eq!(plan.changes[0].notes.last().unwrap(), kept);
    let text = home.read(".claude/settings.json");
    assert!(text.contains("\"enabled\": false"), "{text}");

    for (text, name) in [
        ("sandbox_mode = \"read-only\"\n", "sandbox_mode"),
        ("default_permissions = \"mine\"\n", "default_permissions"),
    ] {
        let told = format!("`{name}` says something else there, and stays");
        home.put("home/.codex/config.toml", text);
        let plan = home.fence("codex-cli", Scope::User).unwrap();
        assert_eq!(plan.changes.len(), 1, "the hooks alone");
        assert_eq!(plan.changes[0].notes.last(), Some(&told));
        assert_eq!(home.read(".codex/config.toml"), text);
    }

    let (codex, cursor) = (AGENTS[1], AGENTS[2]);
    for ((host, file, _), text, told) in [
        (codex, "a = \n", "line 1, column 5"),
        (cursor, "{\n  oops\n}", "line 2, column 3"),
        (cursor, "[]", "must be an object, found a list"),
        (codex, "[permissions.anyhook]\n", "has another sandbox"),
    ] {
        home.put(&format!("home/{file}"), text);
        let error = &home.fence(host, Scope::User).unwrap_err()[0];
        assert!(error.chain().contains(told), "{}", error.chain());
        assert!(!error.help().is_empty());
        assert_eq!(home.read(file), text);
    }
}

#[test]
fn a_profile_that_was_changed_by_hand_is_named_and_does_not_hold_up_the_rest() {
    let home = Home::with_rules();
    home.fence("codex-cli", Scope::User).unwrap();
    let text = home.read(".codex/config.toml");
    let text = text.replace("\"~/.ssh\" = \"deny\"", "\"~/.ssh\" = \"read\"");
    home.put("home/.codex/config.toml", &text);
    let plan = home.undo(None, None);
    let why = "where that of anyhook stands: take it out by hand";
    assert!(plan.skipped[0].why.contains(why), "{plan:?}");
    assert!(!home.path("home/.codex/hooks.json").exists());
    assert_eq!(home.read(".codex/config.toml"), text);
}
