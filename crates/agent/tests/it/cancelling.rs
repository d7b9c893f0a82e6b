//! Cancelled at any moment, a run ends in order.

use std::process::Command;
use std::sync::Arc;

use anyhook::core::event::Event;
use anyhook::core::ports::Approver;
use anyhook::core::question::{Answer, Question};
use anyhook::core::result::HookResult;
use anyhook_agent::agent::AgentSetup;
use anyhook_agent::cancel::CancelToken;
use anyhook_agent::limits::RunLimits;
use anyhook_agent::message::ChatMessage;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permission, Permissions};
use anyhook_agent::provider::{Provider, ProviderError, ProviderReply, ProviderRequest};

use crate::kit::Kit;
use crate::laws::assert_answered;

/// A run in which nearly everything happens.
const FULL: &str = r#"[
    {"calls": [{"name": "read", "input": {"file_path": "a"}}, {"name": "read", "input": {"file_path": "none"}}]},
    {"calls": [{"name": "bash", "input": {"command": "seq 20000"}}, {"name": "bash", "input": {"command": "true"}}]},
    {"error": "again"},
    {"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]},
    "looked", "a summary", "done"]"#;

#[test]
fn cancelled_at_any_event_a_run_ends_in_order_with_every_call_answered() {
    let events = "
        session:start prompt:submit execution:start context:pre_compact athena:pre-compact-stage context:post_compact
        athena:pre-iteration athena:chat-params provider:request provider:response provider:retry
        decision:tool_resolution tool:pre approval:required user:notification approval:granted
        tool:post tool:error agent:spawn agent:complete";
    for at in events.split_whitespace() {
        let kit = Kit::new(FULL);
        std::fs::write(kit.path().join("a"), "1").unwrap();
        let cancel = CancelToken::default();
        let limits = RunLimits {
            window: 10_000,
            ..RunLimits::default()
        };
        let permissions = Permissions {
            can_use_tool: Some(Arc::new(|_| Permission::Allow)),
            ..Permissions::default()
        };
        let mut agent = kit.agent(AgentSetup {
            cancel: cancel.clone(),
            limits,
            permissions,
            ..kit.setup()
        });
        agent.on(at, move |_: &Event| cancel.now());
        assert_eq!(agent.run("go").finish, Finish::Cancelled, "{at}");
        let ends = ["cancel:completed", "stop-failure", "session:end"];
        assert!(
            kit.seen.only(&ends).ends_with(&ends.map(str::to_owned)),
            "{at}"
        );
        assert_eq!(kit.seen.names().last().unwrap(), "session:end", "{at}");
        assert_answered(&agent.transcript.messages());
    }
}

#[test]
fn a_command_ends_when_its_run_is_cancelled() {
    let kit = Kit::new(
        r#"[{"calls": [{"name": "bash", "input": {"command": "echo begun; echo go > pipe; sleep 300"}}]}]"#,
    );
    let pipe = kit.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let cancel = CancelToken::default();
    let mut agent = kit.agent(AgentSetup {
        cancel: cancel.clone(),
        ..kit.setup()
    });
    let waits = std::thread::spawn(move || {
        // Is there to be read when the command runs.
        let read = std::fs::read_to_string(pipe);
        cancel.now();
        read
    });
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
    assert_eq!(waits.join().unwrap().unwrap(), "go\n");
    let said = agent
        .transcript
        .messages()
        .into_iter()
        .find_map(|message| match message {
            ChatMessage::Tool { text, .. } => Some(text),
            _ => None,
        });
    assert_eq!(
        said.as_deref(),
        Some("begun\n\n(ended, because the run was cancelled)")
    );
}

/// A server that is busy for a day, and a person who has enough of it.
struct Busy(CancelToken);

impl Provider for Busy {
    fn name(&self) -> &'static str {
        "busy"
    }

    fn answer(&self, _: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
        assert!(!self.0.is_now(), "a cancelled run asks no person");
        self.0.now();
        Err(ProviderError::Again {
            what: "busy".into(),
            wait: Some(std::time::Duration::from_hours(24)),
        })
    }
}

#[test]
fn a_run_that_is_cancelled_while_a_server_is_busy_asks_it_no_more() {
    let kit = Kit::new("[]");
    let cancel = CancelToken::default();
    let mut agent = kit.agent(AgentSetup {
        provider: Arc::new(Busy(cancel.clone())),
        cancel,
        ..kit.setup()
    });
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
}

const WRITES: &str =
    r#"[{"calls": [{"name": "write", "input": {"file_path": "m.txt", "content": "x"}}]}, "done"]"#;

/// Who is asked answers only when the test ends; the run is cancelled as soon as the question is there.
fn asked_for_ever() -> (CancelToken, impl Fn() + Send + Sync + Clone) {
    let cancel = CancelToken::default();
    let now = cancel.clone();
    let ask = move || {
        now.now();
        std::thread::sleep(std::time::Duration::from_mins(5));
    };
    (cancel, ask)
}

#[test]
fn a_yes_after_the_cancellation_admits_nothing() {
    let kit = Kit::new(WRITES);
    let cancel = CancelToken::default();
    let now = cancel.clone();
    let says_yes = move |_: &_| {
        now.now();
        Permission::Allow
    };
    let mut agent = kit.agent(AgentSetup {
        cancel,
        permissions: Permissions {
            can_use_tool: Some(Arc::new(says_yes)),
            ..Permissions::default()
        },
        ..kit.setup()
    });
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
    assert!(!kit.path().join("m.txt").exists());
    assert_eq!(kit.seen.only(&["approval:granted", "tool:post"]), [""; 0]);
}

#[test]
fn a_cancellation_is_heard_while_a_person_is_asked() {
    let kit = Kit::new(WRITES);
    let (cancel, ask) = asked_for_ever();
    let waits = move |_: &_| {
        ask();
        Permission::Allow
    };
    let mut agent = kit.agent(AgentSetup {
        cancel,
        permissions: Permissions {
            can_use_tool: Some(Arc::new(waits)),
            ..Permissions::default()
        },
        ..kit.setup()
    });
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
    assert!(!kit.path().join("m.txt").exists());
}

/// A person who looks at the question of a hook for a long time, and then says yes.
struct Thinks<F>(F);

impl<F: Fn() + Send + Sync> Approver for Thinks<F> {
    fn answer(&self, _: &Event, _: &Question) -> Answer {
        (self.0)();
        Answer::AllowOnce
    }
}

#[test]
fn a_cancellation_is_heard_while_the_question_of_a_hook_is_put() {
    let kit = Kit::new(WRITES);
    let (cancel, ask) = asked_for_ever();
    let session = anyhook::session::Setup {
        approvers: vec![Arc::new(Thinks(ask))],
        ..anyhook::session::Setup::default()
    };
    let mut agent = kit.agent(AgentSetup {
        cancel,
        session,
        ..kit.setup()
    });
    agent.on("tool:pre", |_: &Event| HookResult::ask("really?"));
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
    assert!(!kit.path().join("m.txt").exists());
}

/// A model that thinks for a long time.
struct Slow<F>(F);

impl<F: Fn() + Send + Sync> Provider for Slow<F> {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn answer(&self, _: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
        (self.0)();
        Ok(ProviderReply::default())
    }
}

#[test]
fn a_cancellation_is_heard_while_the_model_thinks() {
    let kit = Kit::new("[]");
    let (cancel, ask) = asked_for_ever();
    let mut agent = kit.agent(AgentSetup {
        provider: Arc::new(Slow(ask)),
        cancel,
        ..kit.setup()
    });
    assert_eq!(agent.run("go").finish, Finish::Cancelled);
}
