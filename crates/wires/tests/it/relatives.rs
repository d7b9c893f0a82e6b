//! The relatives of Claude Code: every answer of a hook in their corpus, as its host acts on it and as it is heard here.

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::Kind;
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Behaviour, Gravity, reader};
use anyhook_wires::{Host, host};
use serde_json::Value;

use crate::fixtures::{payloads, responses};

const RELATIVES: &[&str] = &["codex-cli", "qwen-code", "factory-droid", "devin-cli"];

/// One answer of one hook.
struct Case {
    wire: &'static dyn Host,
    what: String,
    native: String,
    payload: Value,
    event: Event,
    raw: Transcript,
}

impl Case {
    fn heard(&self) -> Said {
        self.wire.read_result(&self.raw, &self.event)
    }

    fn reads(&self, stdout: &[u8], stderr: &[u8], exit: i32) -> Behaviour {
        reader(self.wire.id()).unwrap().reads(&Answer {
            event: &self.native,
            payload: &self.payload,
            stdout,
            stderr,
            exit,
        })
    }

    /// What the host does with the hook itself.
    fn native(&self) -> Behaviour {
        let End::Code(exit) = self.raw.end else {
            unreachable!("a process that ended");
        };
        self.reads(&self.raw.stdout.kept, &self.raw.stderr.kept, exit)
    }

    /// What the host does with what we say for the hook.
    fn said_again(&self) -> Option<Behaviour> {
        let heard = self.heard().ok()?;
        let (class, mutable) = (self.event.name.class(), self.event.name.mutable());
        let (fitted, _) = heard.fit(class, mutable, &self.wire.can(&self.event));
        let reply = self.wire.write_result(&self.event, &fitted);
        let (stdout, stderr) = (reply.stdout.as_bytes(), reply.stderr.as_bytes());
        Some(self.reads(stdout, stderr, i32::from(reply.exit)))
    }
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for id in RELATIVES {
        let wire = host(id).unwrap();
        for (native, name, raw) in responses(id) {
            let sent = payloads(id).into_iter().find(|(event, _)| *event == native);
            let (_, payload) = sent.unwrap_or_else(|| panic!("{id} {native} has no payload"));
            all.push(Case {
                wire,
                what: format!("{id} {native} {name}"),
                event: wire
                    .read_event(payload.to_string().as_bytes(), None)
                    .unwrap(),
                native,
                payload,
                raw,
            });
        }
    }
    all
}

#[test]
fn no_answer_is_heard_softer_than_its_host_acts_on_it() {
    for case in cases() {
        let (what, done, heard) = (&case.what, case.native(), case.heard());
        let least = match done.gravity() {
            Gravity::Allow | Gravity::Nothing => Kind::Continue,
            Gravity::Ask => Kind::Ask,
            Gravity::Refuse => Kind::Deny,
            Gravity::Halt => Kind::Halt,
        };
        let kind = heard.as_ref().map(|said| said.verdict.kind());
        if done.errors.is_empty() {
            assert!(kind.is_ok_and(|kind| kind >= least), "{what}: {heard:?}");
        } else {
            assert!(
                kind.is_ok_and(|kind| kind >= Kind::Ask) || heard.is_err(),
                "{what}"
            );
        }
    }
}

#[test]
fn an_approval_that_its_host_would_not_honour_is_none() {
    let mut approvals = 0;
    for case in cases() {
        let heard = case.heard();
        if heard.is_ok_and(|said| said.verdict.kind() == Kind::Allow) {
            assert_eq!(case.native().gravity(), Gravity::Allow, "{}", case.what);
            approvals += 1;
        }
    }
    // A rewrite and a dialog of Codex CLI; Qwen Code; Factory Droid. None of Devin CLI, whose documents are not sure of it.
    assert!(approvals >= 6, "{approvals}");
}

#[test]
fn what_is_heard_and_said_again_does_at_least_what_the_hook_did() {
    for case in cases() {
        let Some(again) = case.said_again() else {
            continue;
        };
        let (what, first) = (&case.what, case.native());
        assert_eq!(again.errors, Vec::<String>::new(), "{what}");
        assert!(again.gravity() >= first.gravity(), "{what}: {again:?}");
        if !first.errors.is_empty() {
            continue;
        }
        let is_same = (again.input == first.input) && (again.result == first.result);
        assert!(is_same || again.gravity() >= Gravity::Refuse, "{what}");
        for text in &first.model_sees {
            let told = again.model_sees.iter().chain(&again.person_sees);
            assert!(told.into_iter().any(|seen| seen.contains(text)), "{what}");
        }
    }
}
