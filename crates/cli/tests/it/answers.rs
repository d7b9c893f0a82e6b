//! Guards whose own `anyhook get` or `anyhook say` fails.

use serde_json::json;

use crate::env::{Left, TestEnv};

/// Events of which a hook's own `anyhook get` or `say` fails while its shell goes on.
fn failing(line: &str, guard: bool) -> Left {
    let hook = json!({"type": "command", "guard": guard, "command": line});
    let env = TestEnv::hook("pre-tool-use", &hook);
    env.claude(&env.pre("Write", &json!({"file_path": "/p/.env", "content": "x"})))
}

#[test]
fn a_guard_whose_get_failed_refuses_although_its_shell_went_on() {
    for line in [
        // The payload cannot be read any more.
        "ANYHOOK_PAYLOAD=/nowhere; export ANYHOOK_PAYLOAD; exec </dev/null; case \"$(anyhook get tool_input.file_path)\" in */.env) anyhook say deny no;; esac",
        "anyhook get 2>/dev/null; exit 0",
        "anyhook get --unknown x 2>/dev/null || true",
        "anyhook say nonsense 2>/dev/null || true",
        "anyhook say rewrite a.b.c x --and notify 2>/dev/null || exit 0",
    ] {
        let left = failing(line, true);
        assert_eq!(left.decision().as_deref(), Some("deny"), "{line}: {left:?}");
        assert!(left.stdout.contains("anyhook get"), "{line}: {left:?}");
        let left = failing(line, false);
        assert_eq!(left.decision(), None, "{line}: {left:?}");
        assert!(
            left.stdout.contains("did not see the whole event"),
            "{line}: {left:?}"
        );
    }
}

#[test]
fn a_guard_that_asks_for_a_field_that_is_missing_or_reads_enough_did_not_fail() {
    for line in [
        "anyhook get tool_input.none || true",
        "anyhook get tool_input.none --default x >/dev/null",
        "anyhook get tool_input | head -c 1 >/dev/null",
    ] {
        let left = failing(line, true);
        assert_eq!((left.code, &*left.stdout), (0, ""), "{line}: {left:?}");
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn an_event_too_large_for_get_is_refused_by_the_guard_of_the_front_page() {
        let line =
            r#"case "$(anyhook get tool_input.file_path)" in *.env) anyhook say deny no;; esac"#;
        let guard = json!({"type": "command", "guard": true, "command": line});
        let env = TestEnv::hook("pre-tool-use", &guard);
        let content = "x y\n".repeat(33 * 256 * 1024);
        let left = env.claude(&env.pre(
            "Write",
            &json!({"file_path": "/p/.env", "content": content}),
        ));
        assert_eq!(left.decision().as_deref(), Some("deny"), "{}", left.code);
    }
}
