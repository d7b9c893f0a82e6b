//! Hooks that were taken over to us.

use super::*;

fn hook(line: &str) -> Value {
    json!({"hooks": [{"type": "command", "command": line}]})
}

#[test]
fn hooks_that_were_taken_over_come_back_into_a_file_that_changed_since_or_is_gone() {
    let home = Home::new();
    home.write(&json!({"hooks": {"Stop": [hook("./a.sh")]}}).to_string());
    home.take_over(Scope::User);
    let mut value = json_of(&home.text().replacen('{', "{\"model\": \"opus\",", 1));
    let list = value["hooks"]["Stop"].as_array_mut().unwrap();
    list.push(hook("./b.sh"));
    home.write(&value.to_string());
    home.take_over(Scope::User);
    home.uninstall();
    let back = json!({"model": "opus", "hooks": {"Stop": [hook("./b.sh"), hook("./a.sh")]}});
    assert_eq!(json_of(&home.text()), back);

    home.take_over(Scope::User);
    std::fs::remove_file(home.settings()).unwrap();
    home.uninstall();
    assert_eq!(json_of(&home.text())["hooks"], back["hooks"]);
}

#[test]
fn a_hook_that_only_its_agent_runs_stays_with_its_group() {
    let agent = json!({"hooks": [
        {"type": "command", "command": "./b.sh"},
        {"type": "mcp_tool", "server": "s", "tool": "t"}
    ]});
    let home = Home::new();
    let text = json!({"hooks": {"Stop": [hook("./a.sh"), agent]}}).to_string();
    home.write(&text);
    let hooks = home.take_over(Scope::User);
    assert!(
        hooks.contains("./a.sh") && !hooks.contains("./b.sh"),
        "{hooks}"
    );
    assert!(!home.text().contains("./a.sh") && home.text().contains("./b.sh"));
    home.uninstall();
    assert_eq!(home.text(), text);
}

#[test]
fn a_hook_of_an_event_that_gets_no_entry_stays() {
    let home = Home::new();
    let tree = hook("./tree.sh");
    let text = json!({"hooks": {"Stop": [hook("./a.sh")], "WorktreeCreate": [tree]}}).to_string();
    home.write(&text);
    let hooks = home.take_over(Scope::User);
    assert!(
        hooks.contains("./a.sh") && !hooks.contains("./tree.sh"),
        "{hooks}"
    );
    assert_eq!(
        json_of(&home.text())["hooks"]["WorktreeCreate"],
        json!([tree])
    );
    home.uninstall();
    assert_eq!(home.text(), text);
}
