//! Breakages that one agent alone has.

use super::*;

#[test]
fn an_agent_that_reads_the_settings_of_another_one_too() {
    let machine = Machine::installed();
    machine.env.write("home/.cursor/hooks.json", "{}");
    assert_eq!(machine.run(&["install", "--host", "cursor"]).code, 0);
    let advice = machine.advice();
    let expected = told(
        "twice",
        "it reads the entries for claude-code too, beside its own",
        "anyhook uninstall --host cursor   # or keep both",
    );
    assert!(advice.contains(&expected), "{advice:?}");
}

#[test]
fn an_agent_to_which_nothing_to_say_is_an_allow() {
    let machine = Machine::bare();
    machine.put_program();
    assert_eq!(machine.run(&["install", "--host", "cursor"]).code, 0);
    let advice = machine.advice();
    let neutral: Vec<&Told> = advice
        .iter()
        .filter(|(check, ..)| check == "neutral")
        .collect();
    let [(_, what, _)] = neutral.as_slice() else {
        panic!("{advice:?}");
    };
    assert!(
        what.contains("`beforeShellExecution`") && what.ends_with("nothing to say is an allow"),
        "{what}"
    );
}

#[test]
fn entries_of_droid_where_the_agent_does_not_look_are_none_and_installing_again_adds_them() {
    let machine = Machine::bare();
    machine.put_program();
    let file = "home/.factory/hooks.json";
    machine.env.write(file, "{}");
    let install = || machine.run(&["install", "--host", "factory-droid"]).code;
    assert_eq!(install(), 0);
    let flat = machine.read(file);
    let events: serde_json::Value = serde_json::from_str(&flat).unwrap();
    assert!(events["PreToolUse"].is_array() && events.get("hooks").is_none());
    assert_eq!(machine.problems(), Vec::<Told>::new());

    machine
        .env
        .write(file, &format!("{{\"hooks\": {}}}", flat.trim_end()));
    let problems = machine.problems();
    let [(check, what, _)] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(check, "entries");
    assert!(what.contains("are gone"), "{what}");
    assert_eq!(install(), 0);
    assert_eq!(machine.problems(), Vec::<Told>::new());
    let again: serde_json::Value = serde_json::from_str(&machine.read(file)).unwrap();
    assert_eq!(again["PreToolUse"], events["PreToolUse"]);
}

/// What Codex keeps of its trust, for one entry of each event.
fn codex_state(machine: &Machine, events: &[&str], pin: &str) -> String {
    let file = machine.env.path("home/.codex/hooks.json");
    let mut state = String::new();
    for event in events {
        state.push_str(&format!(
            "[hooks.state.\"{}:{event}:0:0\"]\n{pin}\n",
            file.display()
        ));
    }
    state
}

#[test]
fn entries_that_codex_does_not_trust_and_its_switch() {
    let machine = Machine::bare();
    machine.put_program();
    machine.env.write("home/.codex/config.toml", "");
    assert_eq!(machine.run(&["install", "--host", "codex-cli"]).code, 0);
    let rows = HOSTS
        .iter()
        .find(|host| host.id() == "codex-cli")
        .unwrap()
        .rows();
    // Events at which no answer does anything are not installed.
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| !row.name.ends_with("ModelRequest"))
        .collect();
    let names: Vec<String> = rows.iter().map(|row| snake(row.name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let write = |text: &str| machine.env.write("home/.codex/config.toml", text);

    write(&codex_state(
        &machine,
        &names,
        "trusted_hash = \"sha256:00\"",
    ));
    assert_eq!(machine.problems(), Vec::<Told>::new());

    write(&codex_state(
        &machine,
        &names[1..],
        "trusted_hash = \"sha256:00\"",
    ));
    let fix =
        "codex   # then choose `Trust all and continue`, or type /hooks and trust the entries";
    let what = format!("the agent does not trust the entry for `{}`", rows[0].name);
    assert_eq!(machine.problems(), [told("trust", &what, fix)]);

    write(&codex_state(
        &machine,
        &names,
        "trusted_hash = \"sha256:00\"\nenabled = false",
    ));
    let what = format!(
        "the agent does not trust the entries for `{}`, `{}`, `{}` and {} more",
        rows[0].name,
        rows[1].name,
        rows[2].name,
        rows.len() - 3
    );
    assert_eq!(machine.problems(), [told("trust", &what, fix)]);

    let trusted = codex_state(&machine, &names, "trusted_hash = \"sha256:00\"");
    write(&format!("[features]\nhooks = false\n{trusted}"));
    let what = "`features.hooks` turns off the hooks of the user settings";
    let fix = "\"${EDITOR:-vi}\" @/home/.codex/config.toml   # and take `features.hooks` out";
    assert_eq!(machine.problems(), [told("switches", what, fix)]);
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
