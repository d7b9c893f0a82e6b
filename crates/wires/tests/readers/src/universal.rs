//! The universal protocol of `hooks.json`: one answer form for ten events, and an exit code table.
//!
//! The form names no field for context and notices, though its event table promises both. This reader takes the two
//! names that the hosts share: `hookSpecificOutput.additionalContext` for the model, `systemMessage` for the person.

use serde_json::{Deserializer, Map, Value};

use crate::output::{Kind, field, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

/// The reader of the universal protocol.
#[derive(Debug)]
pub(crate) struct Universal;

/// What one event honours.
struct Row {
    event: &'static str,
    /// What a block does; `None` where the event cannot be blocked, and a block is feedback.
    block: Option<Gate>,
    /// Plain text on standard output is context.
    text: Text,
}

#[derive(Clone, Copy)]
enum Text {
    Context,
    Kept,
}

const REFUSED: Option<Gate> = Some(Gate::Refused { erased: false });
const GOES_ON: Option<Gate> = Some(Gate::KeepsWorking);

const fn row(event: &'static str, block: Option<Gate>, text: Text) -> Row {
    Row { event, block, text }
}

static ROWS: &[Row] = &[
    row("pre-tool-use", REFUSED, Text::Kept),
    row("permission-request", REFUSED, Text::Kept),
    row("post-tool-use", None, Text::Kept),
    row("pre-prompt", REFUSED, Text::Context),
    row("session-start", None, Text::Context),
    row("session-end", None, Text::Kept),
    row("stop", GOES_ON, Text::Kept),
    row("sub-agent-end", GOES_ON, Text::Kept),
    row("pre-compact", None, Text::Kept),
    row("notification", None, Text::Kept),
];

/// The top-level names that this protocol owns.
const TOP: &[&str] = &["hookSpecificOutput", "decision", "reason", "systemMessage"];
/// The names it owns inside `hookSpecificOutput`.
const SPECIFIC: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
];
/// What the model is told when a hook blocks without a word.
const NO_REASON: &str = "blocked by a hook that gave no reason";

impl Reader for Universal {
    fn id(&self) -> &'static str {
        "universal"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = ROWS.iter().find(|row| row.event == answer.event) else {
            return Behaviour {
                errors: vec![format!("unknown event `{}`", answer.event)],
                ..Behaviour::default()
            };
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let mut reading = Reading::new(row);
        match answer.exit {
            0 => {
                reading.stdout(&stdout);
                reading.drops("stderr", &stderr);
            }
            2 => {
                reading.stdout(&stdout);
                reading.block(&stderr);
            }
            code => {
                reading.drops("stdout", &stdout);
                reading.error(match stderr.lines().next() {
                    Some(line) => format!("exit {code}: {line}"),
                    None => format!("exit {code}"),
                });
            }
        }
        reading.settle()
    }
}

/// What a document decides, from the mildest to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Only the input is replaced.
    Silent,
    Allow,
    Ask,
    Block,
}

struct Decision {
    verdict: Verdict,
    reason: Option<String>,
    input: Option<Value>,
}

struct Reading {
    row: &'static Row,
    done: Behaviour,
    decision: Option<Decision>,
}

impl Reading {
    fn new(row: &'static Row) -> Self {
        Self {
            row,
            done: Behaviour::default(),
            decision: None,
        }
    }

    /// Reads a stream of documents, or plain text.
    fn stdout(&mut self, stdout: &str) {
        if !stdout.starts_with(['{', '[']) {
            match self.row.text {
                Text::Context if !stdout.is_empty() => self.done.model_sees.push(stdout.to_owned()),
                Text::Context | Text::Kept => self.drops("stdout", stdout),
            }
            return;
        }
        for document in Deserializer::from_str(stdout).into_iter::<Map<String, Value>>() {
            let read = match document {
                Ok(object) => self.document(&object),
                Err(why) => Err(format!("stdout is not valid JSON: {why}")),
            };
            if let Err(why) = read {
                self.error(why);
                return;
            }
        }
    }

    fn document(&mut self, object: &Map<String, Value>) -> Result<(), String> {
        if !object.is_empty() && !object.keys().any(|key| TOP.contains(&key.as_str())) {
            return Err("no field of the answer is known".to_owned());
        }
        let notice = text_field(object, "systemMessage")?;
        let mut verdict = word(object, "decision", &["approve", "block"])?.map(|said| match said {
            "block" => Verdict::Block,
            _ => Verdict::Allow,
        });
        let mut reason = text_field(object, "reason")?;
        let (mut input, mut context) = (None, None);
        if let Some(Value::Object(specific)) = field(object, "hookSpecificOutput", Kind::Object)?
            && self.is_ours(specific)
        {
            // Of two decisions in one document a block stands.
            if verdict != Some(Verdict::Block) {
                verdict = permission(specific)?.or(verdict);
            }
            reason = text_field(specific, "permissionDecisionReason")?.or(reason);
            input = field(specific, "updatedInput", Kind::Object)?.cloned();
            context = text_field(specific, "additionalContext")?;
            self.ignores(specific, SPECIFIC, "hookSpecificOutput.");
        }
        self.ignores(object, TOP, "");
        self.done.person_sees.extend(notice);
        self.done.model_sees.extend(context);
        let silent = input.as_ref().map(|_| Verdict::Silent);
        match verdict.or(silent) {
            Some(verdict) => self.decide(Decision {
                verdict,
                reason,
                input,
            }),
            None => self.drops("reason", &reason.unwrap_or_default()),
        }
        Ok(())
    }

    fn is_ours(&mut self, specific: &Map<String, Value>) -> bool {
        let Some(name) = specific
            .get("hookEventName")
            .filter(|name| *name != self.row.event)
        else {
            return true;
        };
        self.done.ignored.push("hookSpecificOutput".to_owned());
        self.error(format!(
            "`hookEventName` must be `{}`, not `{name}`",
            self.row.event
        ));
        false
    }

    /// The gravest decision of a stream counts, and of equals the first.
    fn decide(&mut self, mut decision: Decision) {
        match &mut self.decision {
            None if self.row.block.is_none() && decision.verdict != Verdict::Block => {
                // Nothing is announced that could be asked about, allowed or given another input.
                self.done.ignored.push("permissionDecision".to_owned());
            }
            None => self.decision = Some(decision),
            Some(earlier) if decision.verdict > earlier.verdict => {
                decision.input = decision.input.or_else(|| earlier.input.take());
                let was_silent = earlier.verdict == Verdict::Silent;
                *earlier = decision;
                if !was_silent {
                    self.done.ignored.push("an earlier decision".to_owned());
                }
            }
            Some(_) => self.done.ignored.push("a later decision".to_owned()),
        }
    }

    /// Exit code 2: blocks, whatever stdout says; its reason is the JSON's, else stderr.
    fn block(&mut self, stderr: &str) {
        let said = self.decision.take();
        let (reason, input) = said.map_or((None, None), |said| (said.reason, said.input));
        if reason.is_some() {
            self.drops("stderr", stderr);
        }
        let stderr = Some(stderr.to_owned()).filter(|text| !text.is_empty());
        self.decision = Some(Decision {
            verdict: Verdict::Block,
            reason: reason.or(stderr),
            input,
        });
    }

    /// Ends the reading; the reason of the decision leads.
    fn settle(mut self) -> Behaviour {
        let Some(Decision {
            verdict,
            reason,
            mut input,
        }) = self.decision.take()
        else {
            return self.done;
        };
        match verdict {
            Verdict::Block => {
                self.done.gate = self.row.block.unwrap_or_default();
                let told = reason.unwrap_or_else(|| NO_REASON.to_owned());
                self.done.model_sees.insert(0, told);
                if input.take().is_some() {
                    self.done
                        .ignored
                        .push("hookSpecificOutput.updatedInput".to_owned());
                }
            }
            Verdict::Ask => {
                self.done.gate = Gate::AskedOf(Asked::Person);
                self.done.person_sees.splice(0..0, reason);
            }
            Verdict::Allow => {
                self.done.gate = Gate::RunsWithoutPrompt;
                self.drops("reason", &reason.unwrap_or_default());
            }
            Verdict::Silent => self.drops("reason", &reason.unwrap_or_default()),
        }
        self.done.input = input;
        self.done
    }

    fn error(&mut self, notice: String) {
        self.done.errors.push(notice);
    }

    fn drops(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.done.ignored.push(name.to_owned());
        }
    }

    fn ignores(&mut self, object: &Map<String, Value>, known: &[&str], prefix: &str) {
        let rest = object.keys().filter(|key| !known.contains(&key.as_str()));
        self.done
            .ignored
            .extend(rest.map(|key| format!("{prefix}{key}")));
    }
}

fn permission(specific: &Map<String, Value>) -> Result<Option<Verdict>, String> {
    let said = word(specific, "permissionDecision", &["allow", "deny", "ask"])?;
    Ok(said.map(|said| match said {
        "allow" => Verdict::Allow,
        "ask" => Verdict::Ask,
        _ => Verdict::Block,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(event: &str, stdout: &str) -> Behaviour {
        Universal.reads(&Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: b"",
            exit: 0,
        })
    }

    #[test]
    fn context_and_notices_survive_a_refusal() {
        let specific = json!({
            "hookEventName": "pre-tool-use", "permissionDecision": "deny",
            "permissionDecisionReason": "no", "additionalContext": "branch: main",
        });
        let answer = json!({"systemMessage": "careful", "hookSpecificOutput": specific});
        assert_eq!(
            says("pre-tool-use", &answer.to_string()),
            Behaviour {
                gate: Gate::Refused { erased: false },
                model_sees: vec!["no".to_owned(), "branch: main".to_owned()],
                person_sees: vec!["careful".to_owned()],
                ..Behaviour::default()
            }
        );
    }

    #[test]
    fn of_two_decisions_in_one_document_the_block_stands() {
        let specific = json!({"permissionDecision": "allow"});
        let answer = json!({"decision": "block", "reason": "no", "hookSpecificOutput": specific});
        assert_eq!(
            says("stop", &answer.to_string()),
            Behaviour {
                gate: Gate::KeepsWorking,
                model_sees: vec!["no".to_owned()],
                ..Behaviour::default()
            }
        );
    }

    #[test]
    fn of_two_documents_the_graver_one_counts_in_either_order() {
        let (allow, block) = (
            r#"{"decision":"approve"}"#,
            r#"{"decision":"block","reason":"no"}"#,
        );
        for (stdout, ignored) in [
            (format!("{allow}{block}"), "an earlier decision"),
            (format!("{block}{allow}"), "a later decision"),
        ] {
            let found = says("pre-tool-use", &stdout);
            assert_eq!(found.gate, Gate::Refused { erased: false }, "{stdout}");
            assert_eq!(found.model_sees, ["no"], "{stdout}");
            assert_eq!(found.ignored, [ignored], "{stdout}");
        }
    }

    #[test]
    fn a_decision_before_broken_json_counts() {
        let found = says("stop", "{\"decision\":\"block\",\"reason\":\"no\"}{");
        assert_eq!(found.gate, Gate::KeepsWorking);
        assert_eq!(found.model_sees, ["no"]);
        assert_eq!(found.errors.len(), 1);
    }

    #[test]
    fn nothing_is_asked_or_allowed_after_the_fact() {
        let specific = json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"});
        let answer = json!({ "hookSpecificOutput": specific });
        assert_eq!(
            says("post-tool-use", &answer.to_string()),
            Behaviour {
                ignored: vec!["permissionDecision".to_owned()],
                ..Behaviour::default()
            }
        );
    }
}
