//! Files and folders that lead elsewhere.

use super::*;

#[test]
fn a_link_is_followed_and_stays_and_the_mode_stays() {
    let home = Home::new();
    let dotfiles = home.path("home/dotfiles.json");
    std::fs::write(&dotfiles, "{}").unwrap();
    std::fs::set_permissions(&dotfiles, Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles.json", home.settings()).unwrap();
    home.install();
    assert!(home.settings().symlink_metadata().unwrap().is_symlink());
    let text = std::fs::read_to_string(&dotfiles).unwrap();
    assert!(text.contains("--host claude-code"), "{text}");
    let mode = dotfiles.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    home.uninstall();
    assert_eq!(std::fs::read_to_string(&dotfiles).unwrap(), "{}");
}

#[test]
fn a_project_cannot_lead_out_of_itself() {
    let home = Home::new();
    std::fs::write(home.path("home/.netrc.json"), "{}").unwrap();
    std::fs::create_dir(home.path("project/.claude")).unwrap();
    let settings = home.path("project/.claude/settings.json");
    let refused = |to: &str| {
        let _ = std::fs::remove_file(&settings);
        symlink(to, &settings).unwrap();
        let plan = home.plan_in(Scope::Project);
        plan.unwrap_err()[0].to_string()
    };
    let shown = settings.display();
    for (to, why) in [
        ("../../home/.netrc.json", "leads out of the project"),
        ("../../home/none", "is a link that leads nowhere"),
    ] {
        assert_eq!(refused(to), format!("`{shown}` {why}"));
    }
}

#[test]
fn a_folder_that_became_a_link_is_not_followed_to_take_something_out() {
    let home = Home::new();
    home.install_in(Scope::Project);
    home.install();
    std::fs::remove_dir_all(home.path("project/.claude")).unwrap();
    symlink(home.path("home/.claude"), home.path("project/.claude")).unwrap();
    let errors = home
        .ask(|installer| installer.plan_undo(claude(), Some(Scope::Project)))
        .unwrap_err();
    let shown = home.path("project/.claude/settings.json");
    let shown = shown.display();
    let why = format!("`{shown}` leads somewhere else than when it was written");
    assert_eq!(errors[0].to_string(), why);
}
