//! `anyhook trust` offers to write `sandbox` into a file of hooks that run open.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use anyhook::trust::{Standing, Trust};
use serde_json::json;

use crate::env::{TestEnv, command, on};
use crate::terminal::Person;

/// A file as a person writes it, whose hook leaves a file in the project where it may.
const WRITTEN: &str = "{\r\n\t// What we agreed on.\r\n\t\"version\": 1,\r\n\t\"hooks\": {\"pre-tool-use\": [\r\n\t\t\
    {\"hooks\": [{\"type\": \"command\", \"command\": \"sh ${PACKAGE_ROOT}/hooks/leave.sh\"},]} /* one */\r\n\t]}\r\n}";
const OFFER: &str = ", s confines them first";

fn open() -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "project/hooks/leave.sh",
        "echo x > \"$PROJECT_ROOT/left\"\n",
    );
    env.manifest(WRITTEN);
    env
}

fn manifest(env: &TestEnv) -> String {
    fs::read_to_string(env.path("project/hooks/hooks.json")).unwrap()
}

fn standing(env: &TestEnv, file: &str) -> Standing {
    Trust::new(env.state().join("trust")).standing(&env.path(file))
}

/// Answers the question once it stands there and `meanwhile` was done.
fn answered(env: &TestEnv, args: &[&str], answer: &str, meanwhile: impl Fn()) -> (i32, String) {
    let mut person = Person::runs(env, args);
    person.sees("[y/N]");
    meanwhile();
    person.answers(answer);
    person.left()
}

/// Whether an event leaves what its hook writes into the project.
fn leaves(env: &TestEnv) -> bool {
    env.claude(&env.pre("Bash", &json!({"command": "ls"})));
    env.path("project/left").exists()
}

#[test]
fn a_person_who_wants_it_trusts_the_file_with_sandbox_and_every_other_byte_as_it_was() {
    let env = open();
    let file = env.path("project/hooks/hooks.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let (code, shown) = answered(&env, &["trust"], "s", || {});
    assert_eq!(code, 0, "{shown}");
    let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "1 command runs unconfined: nothing says `sandbox`.",
        "Reads the project and the package's own folder, writes its private folder, and has no network.",
        "This machine can confine: ",
        "written `\"sandbox\": {}`, line 2 of ",
        "to take it back, remove it there and run: anyhook trust ",
    ] {
        assert!(told.contains(words), "{words}: {shown}");
    }
    let begin = "{\r\n\t\"sandbox\": {},\r\n\t// What";
    let expected = WRITTEN.replacen("{\r\n\t// What", begin, 1);
    assert_eq!(manifest(&env), expected);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(
        standing(&env, "project/hooks/hooks.json"),
        Standing::Trusted
    );
    assert!(!leaves(&env), "the hook runs confined");
    // It is taken back as the page says.
    env.manifest(WRITTEN);
    let (code, shown) = answered(&env, &["trust"], "y", || {});
    assert_eq!(code, 0, "{shown}");
    assert!(leaves(&env), "the hook runs open");
}

#[test]
fn a_trusted_file_that_a_person_names_is_offered_sandbox_and_one_that_is_not_named_is_not() {
    let env = open();
    assert_eq!(answered(&env, &["trust"], "y", || {}).0, 0);
    let again = Person::runs(&env, &["trust"]).left();
    assert_eq!(again, (0, "trusted already, and unchanged\n".to_owned()));
    let file = "hooks/hooks.json";
    let named = |answer: &str, meanwhile: &dyn Fn()| {
        let mut person = Person::runs(&env, &["trust", file]);
        person.sees("Enter to leave it]");
        meanwhile();
        person.answers(answer);
        person.left()
    };
    for answer in ["", "y"] {
        let (code, shown) = named(answer, &|| {});
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("nothing changed"), "{shown}");
        assert_eq!(manifest(&env), WRITTEN, "{answer}");
    }
    // What was edited while the person read is neither written nor trusted.
    let script = env.path("project/hooks/leave.sh");
    let before = fs::read(&script).unwrap();
    let (code, shown) = named("s", &|| fs::write(&script, "evil\n").unwrap());
    assert_eq!((code, manifest(&env)), (1, WRITTEN.to_owned()), "{shown}");
    fs::write(&script, before).unwrap();
    let (code, shown) = named("s", &|| {});
    assert_eq!(code, 0, "{shown}");
    assert!(manifest(&env).contains("\"sandbox\": {}"), "{shown}");
    assert_eq!(
        standing(&env, "project/hooks/hooks.json"),
        Standing::Trusted
    );
    assert!(!leaves(&env), "the hook runs confined");
    let left = Person::runs(&env, &["trust", file]).left();
    assert_eq!(left, (0, "trusted already, and unchanged\n".to_owned()));
}

#[test]
fn nothing_is_written_by_another_answer_or_without_a_terminal() {
    for (answer, trusted) in [("y", true), ("n", false), ("sandbox", false), ("", false)] {
        let env = open();
        let (_, shown) = answered(&env, &["trust"], answer, || {});
        assert!(shown.contains(OFFER), "{shown}");
        assert_eq!(manifest(&env), WRITTEN, "{answer}");
        let standing = standing(&env, "project/hooks/hooks.json");
        assert_eq!(standing == Standing::Trusted, trusted, "{answer}");
    }
    let env = open();
    assert_eq!(env.run(&["trust"], b"s\n").code, 77);
    assert_eq!(manifest(&env), WRITTEN);
}

#[test]
fn what_changed_since_it_was_shown_or_is_not_safe_to_edit_is_neither_written_nor_trusted() {
    type Attack = (&'static str, fn(&Path), &'static str);
    let attacks: [Attack; 8] = [
        (
            "a folder elsewhere",
            |file| {
                let folder = file.parent().unwrap();
                let other = folder.with_file_name("../home/hooks");
                fs::rename(folder, &other).unwrap();
                symlink(other, folder).unwrap();
            },
            "",
        ),
        (
            "edited",
            |file| fs::write(file, WRITTEN.replace("leave", "other")).unwrap(),
            "changed while",
        ),
        ("gone", |file| fs::remove_file(file).unwrap(), ""),
        (
            "a script",
            |file| fs::write(file.with_file_name("leave.sh"), "evil\n").unwrap(),
            "changed while",
        ),
        (
            "a new script",
            |file| fs::write(file.with_file_name("new.sh"), "evil\n").unwrap(),
            "changed while",
        ),
        (
            "a link",
            |file| {
                let other = file.with_file_name("../other.json");
                fs::rename(file, &other).unwrap();
                symlink(other, file).unwrap();
            },
            "",
        ),
        (
            "a second name",
            |file| fs::hard_link(file, file.with_file_name("../two.json")).unwrap(),
            "it has a second name",
        ),
        (
            "read only",
            |file| fs::set_permissions(file, fs::Permissions::from_mode(0o444)).unwrap(),
            if rustix::process::getuid().is_root() {
                "it is read only"
            } else {
                "Permission denied"
            },
        ),
    ];
    for (name, attack, told) in attacks {
        let env = open();
        let file = env.path("project/hooks/hooks.json");
        let (code, shown) = answered(&env, &["trust"], "s", || attack(&file));
        assert_ne!(code, 0, "{name}: {shown}");
        assert!(shown.contains(told), "{name}: {shown}");
        let now = fs::read_to_string(&file).unwrap_or_default();
        assert!(!now.contains("sandbox"), "{name}: {now}");
        assert_ne!(
            standing(&env, "project/hooks/hooks.json"),
            Standing::Trusted,
            "{name}"
        );
        assert!(!leaves(&env), "{name}");
        let names = fs::read_dir(env.path("project/hooks")).unwrap().flatten();
        let rest = names.filter(|name| name.file_name().to_string_lossy().starts_with(".anyhook-"));
        assert_eq!(rest.count(), 0, "{name}");
    }
}

#[test]
fn a_file_that_says_sandbox_or_is_an_agents_own_has_no_such_offer() {
    let env = TestEnv::new();
    let hooks = json!([{"hooks": [{"type": "command", "command": "true", "sandbox": {}}]}]);
    let said = on("stop", &hooks).to_string();
    let native = json!({"hooks": {"Stop": [{"hooks": [command("true")]}]}}).to_string();
    for (file, text, told) in [
        ("hooks/hooks.json", said, None),
        (
            ".claude/settings.json",
            native,
            Some("cannot hold `sandbox`"),
        ),
    ] {
        let path = env.write(&format!("project/{file}"), &text);
        let (code, shown) = answered(&env, &["trust", file], "s", || {});
        assert_eq!(code, 1, "{shown}");
        assert!(!shown.contains(OFFER), "{shown}");
        assert_eq!(shown.contains("unconfined"), told.is_some(), "{shown}");
        assert!(shown.contains(told.unwrap_or_default()), "{shown}");
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}
