//! `anyhook init` and `anyhook schema`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::confining::cannot_confine;
use crate::env::{TestEnv, finish, repository, start};

#[test]
fn init_lets_the_kernel_hold_what_the_first_rule_cannot_read() {
    let env = TestEnv::new();
    fs::remove_dir(env.path("project/hooks")).unwrap();
    let left = env.anyhook("init --confine");
    if cannot_confine() {
        assert_eq!(left.code, 78, "{left:?}");
        assert!(!env.path("project/hooks/hooks.json").exists());
        return;
    }
    assert_eq!((left.code, env.anyhook("test").code), (0, 0), "{left:?}");
    env.trust();
    let told = |line: &str| {
        let left = env.claude(&env.pre("Bash", &serde_json::json!({"command": line})));
        (left.decision(), left.stdout.contains("confine --"))
    };
    assert_eq!(told("rm -rf \"$WHICH\""), (None, true), "it runs confined");
    assert_eq!(told("rm -rf /"), (Some("deny".to_owned()), false));
    // Inside of the project the kernel holds nothing back.
    let code = "python3 -c \"open('production/a', 'w')\"";
    assert_eq!(told(code).0.as_deref(), Some("deny"));
}

#[test]
fn each_schema_that_is_printed_is_the_committed_one() {
    for (args, file) in [
        (&["check", "--schema"][..], "hooks-1.json"),
        (&["check", "--schema=closed"], "hooks-closed-1.json"),
    ] {
        let printed = TestEnv::new().run(args, b"").stdout;
        let committed = fs::read_to_string(repository().join("schema").join(file)).unwrap();
        assert_eq!(printed, committed, "{file}");
    }
}

#[test]
fn a_folder_whose_name_is_no_text_is_told_to_programs_as_well_as_can_be() {
    let env = TestEnv::new();
    let folder = env.path("project").join(OsStr::from_bytes(b"b\xff"));
    fs::create_dir_all(folder.join("hooks")).unwrap();
    fs::write(
        folder.join("hooks/hooks.json"),
        r#"{"version": 1, "hooks": {}}"#,
    )
    .unwrap();
    for args in [&["list", "--json"][..], &["add", "no-force-push", "--json"]] {
        let mut command = env.command(args);
        command.current_dir(&folder);
        let left = finish(start(command, b""));
        assert!(
            left.code == 0 && left.json().to_string().contains("b\u{fffd}"),
            "{left:?}"
        );
    }
}
