//! Halts and texts that an agent drops, with what it can be told given: its row may promise more or less.

use std::path::Path;

use anyhook::core::can::Can;
use anyhook::core::event::Event;
use anyhook::core::handler::Said;
use anyhook::core::result::{HookResult, Kind};
use anyhook::core::taxonomy::Class;
use anyhook::core::transcript::Transcript;
use anyhook::event::{Answered, Context};
use anyhook::state::FileState;
use anyhook::wires::{DecodeError, Host, HostFacts, NativeEvent, Reply, Wire, host};
use serde_json::{Value, json};

use crate::lines::{line, world};

/// An agent that hears a halt before it does something, and nowhere else; a text at a stop sends it on.
struct Drops(&'static str);

static CLAUDE: Drops = Drops("claude-code");
static CODEX: Drops = Drops("codex-cli");

impl Drops {
    fn real(&self) -> &'static dyn Host {
        host(self.0).unwrap()
    }
}

impl Wire for Drops {
    fn id(&self) -> &'static str {
        self.0
    }
    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        self.real().read_event(bytes, hint)
    }
    fn write_event(&self, event: &Event) -> Value {
        self.real().write_event(event)
    }
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        self.real().read_result(raw, event)
    }
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.real().write_result(event, result)
    }
}

impl Host for Drops {
    fn rows(&self) -> &'static [NativeEvent] {
        self.real().rows()
    }
    fn can(&self, event: &Event) -> Can {
        let can = self.real().can(event);
        match event.name.class() {
            Class::Gate => can,
            Class::Continuation => Can {
                inject: None,
                ..can
            },
            Class::After | Class::Notice if can.says(Kind::Deny) => Can {
                verdicts: &[Kind::Deny],
                ..can
            },
            Class::After | Class::Notice => Can {
                verdicts: &[],
                ..can
            },
        }
    }
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        self.real().refuse_unread(row, reason)
    }
    fn facts(&self) -> &'static HostFacts {
        self.real().facts()
    }
}

/// Tells an event, with nothing kept but what is in the state's files.
fn told(home: &Path, host: &'static Drops, hooks: &Value, event: &str, more: &Value) -> Answered {
    let manifest = home.join("hooks.json");
    std::fs::write(&manifest, json!({"version": 1, "hooks": hooks}).to_string()).unwrap();
    let (world, state) = (world(home), FileState::new(home.join("sessions")));
    let line = Context {
        host,
        manifest: Some(manifest),
        state: Some(&state),
        ..line(&world)
    };
    let mut payload = json!({
        "session_id": "s-1", "transcript_path": "/t", "cwd": home, "hook_event_name": event, "turn_id": "t",
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    line.run(payload.to_string().as_bytes())
}

fn rule(then: &Value) -> Value {
    json!([{"hooks": [{"type": "rule", "name": "it", "when": "true", "then": then}]}])
}

fn call(line: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": line}, "tool_response": {}, "tool_use_id": line})
}

#[test]
fn a_halt_when_a_session_begins_refuses_each_prompt_in_the_agents_own_words() {
    let home = tempfile::tempdir().unwrap();
    let hooks = json!({"session-start": rule(&json!({"halt": "no VPN"}))});
    let tell = |event, more: Value| told(home.path(), &CLAUDE, &hooks, event, &more);
    let begun = tell("SessionStart", json!({"source": "startup"}));
    assert_eq!(begun.report.said.unwrap().verdict.kind(), Kind::Continue);
    for text in ["hello", "hello again"] {
        let said: Value = serde_json::from_str(
            &tell("UserPromptSubmit", json!({"prompt": text}))
                .reply
                .stdout,
        )
        .unwrap();
        assert_eq!(said["continue"], false, "{said}");
        assert!(said.to_string().contains("no VPN"), "{said}");
    }
}

#[test]
fn a_halt_after_a_tool_refuses_the_next_tool_in_the_agents_own_words_until_a_prompt() {
    let home = tempfile::tempdir().unwrap();
    let hooks = json!({"post-tool-use": rule(&json!({"halt": "the disk is full"}))});
    let tell = |event, more: Value| told(home.path(), &CODEX, &hooks, event, &more);
    let prompt = |text: &str| tell("UserPromptSubmit", json!({"prompt": text}));
    prompt("build it");
    let after = tell("PostToolUse", call("make"));
    assert!(
        after
            .report
            .losses
            .iter()
            .any(anyhook::core::fit::Loss::is_kept_halt)
    );
    let said: Value = serde_json::from_str(&tell("PreToolUse", call("ls")).reply.stdout).unwrap();
    let said = &said["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "deny");
    assert!(
        said["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .starts_with("the disk is full\n")
    );
    prompt("go on");
    assert_eq!(tell("PreToolUse", call("ls")).reply.stdout, "");
}

#[test]
fn what_waits_is_not_told_at_a_stop_of_an_agent_that_it_sends_on() {
    let home = tempfile::tempdir().unwrap();
    let hooks = json!({"stop": rule(&json!({"inject": "look at the tests"}))});
    let tell = |event, more: Value| told(home.path(), &CLAUDE, &hooks, event, &more);
    for round in 0..2 {
        let stop = json!({"stop_hook_active": false, "last_assistant_message": format!("{round}")});
        assert_eq!(tell("Stop", stop).reply, Reply::default());
    }
    let said = tell("UserPromptSubmit", json!({"prompt": "go on"}))
        .reply
        .stdout;
    assert_eq!(said.matches("look at the tests").count(), 2, "{said}");
}
