//! `anyhook init` and `anyhook schema`.

use std::fs;

use crate::confining::cannot_confine;
use crate::env::{TestEnv, repository};

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
