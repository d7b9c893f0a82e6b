//! Hooks that were moved to us.

use super::*;

#[test]
fn moved_hooks_come_back_into_a_file_that_changed_since_or_is_gone() {
    let hook = |line: &str| json!({"hooks": [{"type": "command", "command": line}]});
    let home = Home::new();
    home.write(&json!({"hooks": {"Stop": [hook("./a.sh")]}}).to_string());
    home.adopt();
    let text = home.text().replacen('{', "{\"model\": \"opus\",", 1);
    home.write(&text);
    let more = json!({"Stop": [hook("./b.sh")]});
    let mut value = json_of(&home.text());
    value["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .extend(more["Stop"].as_array().unwrap().clone());
    home.write(&value.to_string());
    home.adopt();
    home.uninstall();
    let back = json!({"model": "opus", "hooks": {"Stop": [hook("./b.sh"), hook("./a.sh")]}});
    assert_eq!(json_of(&home.text()), back);

    home.adopt();
    std::fs::remove_file(home.settings()).unwrap();
    home.uninstall();
    assert_eq!(json_of(&home.text()), json!({"hooks": back["hooks"]}));
}

#[test]
fn hooks_of_a_project_are_not_moved_to_one_person() {
    let home = Home::new();
    let errors = home.plan_in(Scope::Project, Adopting::Yes).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "hooks of project settings cannot be moved to one person"
    );
}
