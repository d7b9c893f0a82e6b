//! `OpenCode` (1.18.33) and our plugin in it, as the two were seen to act.
//!
//! The plugin throws where an answer refuses: before a tool, where the model is told why, and at a prompt, of which the model
//! then hears nothing. Every exit code but 0 refuses, for the reason on the standard error; so does an answer that is no
//! object. `continue: false` ends the session's turn. `opencode run` ends whatever is said about its end.

use serde_json::{Map, Value};

use crate::output::text;
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of `OpenCode`.
#[derive(Debug)]
pub(crate) struct OpenCode;

/// What an answer can do at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Tool,
    Result,
    Prompt,
    Start,
    End,
    Permission,
    Compaction,
    Notice,
}

static EVENTS: &[(&str, Moment)] = &[
    ("tool.execute.before", Moment::Tool),
    ("tool.execute.after", Moment::Result),
    ("permission.asked", Moment::Permission),
    ("chat.message", Moment::Prompt),
    ("session.created", Moment::Start),
    ("session.idle", Moment::End),
    ("experimental.session.compacting", Moment::Compaction),
    ("session.compacted", Moment::Notice),
    ("dispose", Moment::Notice),
];

/// What the plugin takes out of an answer.
#[derive(Default)]
struct Said {
    reason: Option<String>,
    stops: bool,
    approval: Option<String>,
    input: Option<Value>,
    result: Option<Value>,
    context: Option<String>,
    notice: Option<String>,
}

const REFUSED: &str = "refused by a hook";

impl Reader for OpenCode {
    fn id(&self) -> &'static str {
        "opencode"
    }

    /// What fails is told as an error alone; [`Reader::reads_closed`] tells that it refuses.
    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        judged(answer, |_, done| done)
    }

    fn reads_closed(&self, answer: &Answer<'_>) -> Behaviour {
        judged(answer, refused)
    }
}

/// Judges an answer; `failed` tells what becomes of one that failed.
fn judged(answer: &Answer<'_>, failed: fn(Moment, Behaviour) -> Behaviour) -> Behaviour {
    let fails = |why: String| Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    };
    let Some((_, moment)) = EVENTS.iter().find(|(event, _)| *event == answer.event) else {
        return fails(format!("unknown event `{}`", answer.event));
    };
    match said(answer) {
        Ok(said) => {
            let is_heard = answer.exit == 2 && *moment != Moment::Permission;
            if answer.exit == 0 || is_heard {
                return does(*moment, said, answer.payload);
            }
            let done = fails(format!("exit code {}", answer.exit));
            match moment {
                Moment::Tool | Moment::Result => Behaviour {
                    model_sees: said.reason.into_iter().collect(),
                    ..failed(*moment, done)
                },
                // A reason is passed over where nothing is refused.
                moment => failed(*moment, done),
            }
        }
        Err(why) => {
            let done = fails(why);
            // The start of a session is told with its first prompt, which then is not taken.
            match moment {
                Moment::Start => Behaviour {
                    stops_agent: Some(String::new()),
                    ..done
                },
                moment => failed(*moment, done),
            }
        }
    }
}

fn refused(moment: Moment, done: Behaviour) -> Behaviour {
    let gate = match moment {
        Moment::Tool => Gate::Refused { erased: false },
        Moment::Prompt => Gate::Refused { erased: true },
        Moment::Result
        | Moment::Start
        | Moment::End
        | Moment::Permission
        | Moment::Compaction
        | Moment::Notice => Gate::Runs,
    };
    Behaviour { gate, ..done }
}

fn said(answer: &Answer<'_>) -> Result<Said, String> {
    if answer.exit != 0 {
        let stderr = Some(text(answer.stderr)).filter(|text| !text.is_empty());
        return Ok(Said {
            reason: Some(stderr.unwrap_or_else(|| REFUSED.to_owned())),
            ..Said::default()
        });
    }
    let stdout = text(answer.stdout);
    if stdout.is_empty() {
        return Ok(Said::default());
    }
    let object: Map<String, Value> =
        serde_json::from_str(&stdout).map_err(|_| "the answer is no object".to_owned())?;
    let own = object.get("hookSpecificOutput").and_then(Value::as_object);
    let own = |name: &str| own.and_then(|own| own.get(name));
    let filled = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let words = [own("permissionDecision"), object.get("decision")];
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<&str> = words.collect();
    let stops = object.get("continue") == Some(&Value::Bool(false));
    let says = |word| words.contains(&word);
    let refuses = stops || says("deny") || says("ask") || says("block");
    let reasons = [
        own("permissionDecisionReason"),
        object.get("reason"),
        object.get("stopReason"),
    ];
    let reason = reasons.into_iter().find_map(filled);
    let input = own("updatedInput").filter(|value| !value.is_null());
    if input.is_some_and(|input| !input.is_object()) {
        return Err("the new arguments are no object".to_owned());
    }
    let behavior = own("decision").and_then(|decision| decision.get("behavior"));
    Ok(Said {
        reason: refuses.then(|| reason.unwrap_or_else(|| REFUSED.to_owned())),
        stops,
        approval: filled(behavior),
        input: own("updatedInput")
            .filter(|value| !value.is_null())
            .cloned(),
        result: own("updatedToolOutput")
            .filter(|value| !value.is_null())
            .cloned(),
        context: filled(own("additionalContext")),
        notice: filled(object.get("systemMessage")),
    })
}

fn does(moment: Moment, said: Said, payload: &Value) -> Behaviour {
    let mut done = Behaviour {
        person_sees: said.notice.into_iter().collect(),
        ..Behaviour::default()
    };
    let stops = said.stops.then(|| said.reason.clone().unwrap_or_default());
    match moment {
        Moment::Tool if said.stops => {
            done.gate = Gate::Stops;
            done.stops_agent = stops;
        }
        Moment::Tool if said.reason.is_some() => {
            done.gate = Gate::Refused { erased: false };
            done.model_sees.extend(said.reason);
        }
        Moment::Tool => match said.input {
            Some(input) if !fits(&input, payload) => {
                done.gate = Gate::Refused { erased: false };
                done.errors
                    .push("the tool takes no such arguments".to_owned());
            }
            input => done.input = input,
        },
        Moment::Result => {
            if said.stops {
                done.gate = Gate::Stops;
            }
            done.result = said.result;
            done.stops_agent = stops;
            done.model_sees.extend(said.reason);
            done.model_sees.extend(said.context);
        }
        Moment::Prompt if said.reason.is_some() => {
            done.gate = Gate::Refused { erased: true };
            done.person_sees.extend(said.reason);
        }
        Moment::Prompt | Moment::Start | Moment::Compaction => {
            done.model_sees.extend(said.context);
        }
        Moment::End if payload.get("ends_when_idle") == Some(&Value::from("yes")) => {}
        Moment::End if said.stops => {
            done.gate = Gate::Stops;
            done.stops_agent = stops;
        }
        Moment::End if said.reason.is_some() => {
            done.gate = Gate::KeepsWorking;
            done.model_sees.extend(said.reason);
        }
        Moment::Permission => {
            done.gate = match said.approval.as_deref() {
                Some("allow") => Gate::RunsWithoutPrompt,
                Some("deny") => Gate::Refused { erased: false },
                _ => Gate::Runs,
            };
        }
        Moment::End | Moment::Notice => {}
    }
    done
}

/// The arguments without which a tool does not run.
static NEEDED: &[(&str, &[&str])] = &[
    ("bash", &["command"]),
    ("read", &["filePath"]),
    ("write", &["filePath", "content"]),
    ("edit", &["filePath", "oldString", "newString"]),
    ("apply_patch", &["patchText"]),
];

fn fits(input: &Value, payload: &Value) -> bool {
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let needed = NEEDED.iter().filter(|(name, _)| Some(*name) == tool);
    let mut needed = needed.flat_map(|(_, needed)| *needed);
    needed.all(|name| input.get(name).is_some_and(Value::is_string))
}
