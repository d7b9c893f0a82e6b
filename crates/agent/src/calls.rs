//! The calls of one turn: each is offered, permitted, run and told, and none is left without an answer.

use std::thread;

use anyhook::core::event::{Event, Map};
use anyhook::core::result::Kind as Verdicts;
use anyhook::session::Acted;
use anyhook::wires::tools::canonical;
use serde_json::{Value, json};

use crate::agent::{Agent, Gated, Goes};
use crate::fields::set;
use crate::message::{Call, Message};
use crate::outcome::Finish;
use crate::permissions::{Denial, Gate, Permission};
use crate::tools::{At, Kind, Tool, ToolError, named};

/// What became of one call before it ran.
enum Admitted {
    /// It may run, as it is now.
    Runs(&'static dyn Tool),
    /// It may not, and the model reads why.
    Refused(String),
    /// It cannot: nobody has such a tool.
    Unknown,
}

impl Agent {
    /// Carries out the calls of one turn, in their order. Calls that only look run side by side; hooks are asked about
    /// each in the order of the calls all the same.
    pub(crate) async fn call_all(&mut self, calls: Vec<Call>) -> Goes<()> {
        let mut left = calls.into_iter().peekable();
        while let Some(first) = left.next() {
            let mut batch = vec![first];
            while looks(&batch)
                && left
                    .peek()
                    .is_some_and(|next| looks(std::slice::from_ref(next)))
            {
                batch.extend(left.next());
            }
            if let Err(finish) = self.call_batch(batch).await {
                self.answer_open(&finish);
                return Err(finish);
            }
        }
        Ok(())
    }

    async fn call_batch(&mut self, mut batch: Vec<Call>) -> Goes<()> {
        self.still_wanted()?;
        let mut admitted = Vec::with_capacity(batch.len());
        for call in &mut batch {
            admitted.push(self.admit(call).await?);
        }
        let results = self.run_all(&batch, &admitted).await?;
        let mut ends = Ok(());
        for ((call, admitted), result) in batch.iter().zip(admitted).zip(results) {
            // All of them have happened: a halt about one leaves none of the others untold.
            ends = ends.and(self.told(call, admitted, result).await);
        }
        ends
    }

    /// Asks the hooks and the permissions about one call; `call` is left as it will run.
    async fn admit(&mut self, call: &mut Call) -> Goes<Admitted> {
        let names = self.offered.clone();
        // What a hook took out of the request is no tool of this turn, whatever the model remembers.
        let tool = named(&call.name).filter(|tool| names.iter().any(|name| name == tool.name()));
        if tool.is_some_and(|tool| matches!(tool.kind(), Kind::Reads | Kind::Edits)) {
            self.root.name_plainly(&mut call.input);
        }
        let data = json!({
            "available_tools": names, "selected_tool": tool.map(Tool::name),
            "reason": "the model named it", "tool_use_id": call.id,
        });
        self.tell("decision:tool_resolution", data).await?;
        let order = self.setup.order;
        let kind = tool.map(Tool::kind);
        if order.permissions_first
            && let Some(kind) = kind
            && let Some(why) = self.permit(call, kind, false).await?
        {
            return Ok(Admitted::Refused(why));
        }
        let approved = match self.gate("tool:pre", about(call)).await? {
            Gated::Refused(why) => {
                self.denied(call, &why, None).await?;
                return Ok(Admitted::Refused(format!("denied by a hook: {why}")));
            }
            Gated::Open { event, approved } => {
                call.input = input_of(&event);
                approved
            }
        };
        let Some(tool) = tool else {
            return Ok(Admitted::Unknown);
        };
        if !order.permissions_first
            && let Some(why) = self.permit(call, tool.kind(), approved).await?
        {
            return Ok(Admitted::Refused(why));
        }
        self.denied = None;
        Ok(Admitted::Runs(tool))
    }

    /// Asks the permissions about a call; returns why it is refused, if it is.
    async fn permit(
        &mut self,
        call: &mut Call,
        kind: Kind,
        approved: bool,
    ) -> Goes<Option<String>> {
        match self.setup.permissions.gate(&call.name, kind) {
            Gate::Open => Ok(None),
            Gate::Denied(denial) => {
                self.denied(call, &denial.reason.clone(), Some(denial.clone()))
                    .await?;
                Ok(Some(denial.reason))
            }
            Gate::Asks if approved => Ok(None),
            Gate::Asks => self.ask_permission(call).await,
        }
    }

    async fn ask_permission(&mut self, call: &mut Call) -> Goes<Option<String>> {
        let order = self.setup.order;
        let can_ask = self.setup.permissions.can_use_tool.is_some();
        if order.unasked_runs && !can_ask {
            return Ok(None);
        }
        if order.asks_hooks_for_permission {
            match self.gate("approval:required", about(call)).await? {
                Gated::Refused(why) => {
                    self.denied(call, &why, None).await?;
                    return Ok(Some(format!("denied by a hook: {why}")));
                }
                Gated::Open { event, approved } => {
                    if let Some(why) = self.rewritten(call, &event).await? {
                        return Ok(Some(why));
                    }
                    if approved {
                        return self.granted(call, "a hook").await;
                    }
                }
            }
        }
        if can_ask {
            let message = format!("`{}` waits for your permission", call.name);
            let data = json!({"message": message, "notification_type": "permission_prompt"});
            self.tell("user:notification", data).await?;
        }
        match self.setup.permissions.asks(call) {
            Permission::Allow => self.granted(call, "the person").await,
            Permission::Deny(denial) => {
                self.denied(call, &denial.reason.clone(), Some(denial.clone()))
                    .await?;
                Ok(Some(denial.reason))
            }
            Permission::Halt(why) => Err(Finish::Halted(why)),
        }
    }

    /// Takes over what a hook of the permission rewrote. Nobody has looked at this call yet, so it goes past the guards of
    /// the call again, and has to stay as it is; returns why it is refused, if it is.
    async fn rewritten(&mut self, call: &mut Call, event: &Event) -> Goes<Option<String>> {
        let input = input_of(event);
        if input == call.input {
            return Ok(None);
        }
        call.input = input;
        let why = match self.gate("tool:pre", about(call)).await? {
            Gated::Open { event, .. } if input_of(&event) == call.input => return Ok(None),
            Gated::Open { .. } => "hooks do not agree on what is to be run".to_owned(),
            Gated::Refused(why) => why,
        };
        self.denied(call, &why, None).await?;
        Ok(Some(format!("denied by a hook: {why}")))
    }

    async fn granted(&mut self, call: &Call, by: &str) -> Goes<Option<String>> {
        let mut data = about(call);
        set(
            &mut data,
            "reason",
            Value::from(format!("permitted by {by}")),
        );
        self.tell("approval:granted", data).await?;
        Ok(None)
    }

    /// Tells of a refusal, and counts equal ones.
    async fn denied(&mut self, call: &Call, why: &str, denial: Option<Denial>) -> Goes<()> {
        let mut data = about(call);
        set(
            &mut data,
            "reason",
            match &denial {
                Some(denial) => denial.json(),
                None => Value::from(why),
            },
        );
        set(&mut data, "arguments", Value::Object(call.input.clone()));
        self.tell("approval:denied", data.clone()).await?;
        if let Some(denial) = denial {
            set(&mut data, "denial", denial.json());
            self.tell("athena:tool-denied", data).await?;
        }
        let same = format!("{} {}", call.name, Value::Object(call.input.clone()));
        let times = match self.denied.take() {
            Some((last, times)) if last == same => times + 1,
            _ => 1,
        };
        self.denied = Some((same, times));
        if times >= self.setup.limits.equal_denials {
            return Err(Finish::Denials(format!("`{}`", call.name)));
        }
        Ok(())
    }

    /// Runs what was admitted. A sub-agent is run by the loop, everything else by its tool.
    async fn run_all(
        &mut self,
        batch: &[Call],
        admitted: &[Admitted],
    ) -> Goes<Vec<Option<Result<String, ToolError>>>> {
        if let ([call], [Admitted::Runs(tool)]) = (batch, admitted)
            && tool.kind() == Kind::Spawns
        {
            return Ok(vec![Some(self.spawn(call).await?)]);
        }
        let at = At {
            root: &self.root,
            deadline: self.setup.limits.tool,
            cancel: &self.setup.cancel,
        };
        Ok(match (batch, admitted) {
            ([call], [Admitted::Runs(tool)]) => vec![Some(run(*tool, &call.input, at))],
            _ => thread::scope(|scope| {
                let started: Vec<_> = batch
                    .iter()
                    .zip(admitted)
                    .map(|(call, admitted)| match admitted {
                        Admitted::Runs(tool) => {
                            Some(scope.spawn(move || run(*tool, &call.input, at)))
                        }
                        Admitted::Refused(_) | Admitted::Unknown => None,
                    })
                    .collect();
                let ended = |running: thread::ScopedJoinHandle<'_, _>| {
                    running.join().unwrap_or_else(|_| Err(panicked()))
                };
                started
                    .into_iter()
                    .map(|running| running.map(ended))
                    .collect()
            }),
        })
    }

    /// Puts what came of a call into the conversation, and tells of it.
    async fn told(
        &mut self,
        call: &Call,
        admitted: Admitted,
        result: Option<Result<String, ToolError>>,
    ) -> Goes<()> {
        let order = self.setup.order;
        match (admitted, result) {
            (Admitted::Refused(why), _) => {
                self.answer(call, why, true);
                Ok(())
            }
            (Admitted::Unknown, _) => {
                let told = format!(
                    "there is no tool `{}`; there are: {}",
                    shortened(&call.name),
                    self.offered.join(", ")
                );
                self.answer(call, told.clone(), true);
                if order.failures_have_run {
                    return Ok(());
                }
                self.failed(call, &told).await
            }
            (Admitted::Runs(_), Some(Ok(text))) => {
                self.answer(call, text.clone(), false);
                self.ran(call, &text).await
            }
            (Admitted::Runs(_), failed) => {
                let told = match failed {
                    Some(Err(error)) => error.0,
                    _ => panicked().0,
                };
                self.answer(call, told.clone(), true);
                self.failed(call, &told).await?;
                if order.failures_have_run {
                    return self.ran(call, &told).await;
                }
                Ok(())
            }
        }
    }

    async fn ran(&mut self, call: &Call, text: &str) -> Goes<()> {
        let mut data = about(call);
        set(&mut data, "tool_result", Value::from(text));
        set(
            &mut data,
            "cwd",
            Value::from(self.root.path().to_string_lossy()),
        );
        let acted = self.emit("tool:post", data).await;
        self.replace_answer(call, text, &acted.event);
        self.refused_after(call, &acted);
        self.halted(&acted)
    }

    async fn failed(&mut self, call: &Call, told: &str) -> Goes<()> {
        let mut data = about(call);
        set(&mut data, "error", Value::from(told));
        set(&mut data, "reason", Value::from(told));
        set(&mut data, "tool_result", Value::from(told));
        let acted = self.emit("tool:error", data).await;
        self.replace_answer(call, told, &acted.event);
        self.refused_after(call, &acted);
        self.halted(&acted)
    }

    /// A refusal of what has happened is told to the model beside it.
    fn refused_after(&mut self, call: &Call, acted: &Acted) {
        let verdict = &acted.processed.result.verdict;
        if verdict.kind() == Verdicts::Deny {
            let why = verdict.text();
            self.edit_answer(call, |text| {
                text.push_str(&format!("\n\nA hook objects: {why}"));
            });
        }
    }

    /// Gives the model the result as hooks left it; what they added to it stays behind it.
    fn replace_answer(&mut self, call: &Call, before: &str, event: &Event) {
        let Some(left) = event.get("tool_result") else {
            return;
        };
        let left = match left.as_ref() {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if left != before {
            self.edit_answer(call, |text| {
                let added = text.strip_prefix(before).unwrap_or_default().to_owned();
                *text = left + &added;
            });
        }
    }

    fn edit_answer(&mut self, call: &Call, edit: impl FnOnce(&mut String)) {
        self.transcript.edit(|messages| {
            let found = messages.iter_mut().rev().find_map(|message| match message {
                Message::Tool { id, text, .. } if *id == call.id => Some(text),
                _ => None,
            });
            if let Some(text) = found {
                edit(text);
            }
        });
    }

    fn answer(&mut self, call: &Call, text: String, failed: bool) {
        self.transcript.push(Message::Tool {
            id: call.id.clone(),
            name: call.name.clone(),
            text,
            failed,
        });
    }

    /// Answers every call that the end of the run left open.
    fn answer_open(&mut self, finish: &Finish) {
        let open: Vec<Call> = self.transcript.edit(|messages| {
            let at = messages.iter().rposition(|message| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty()));
            let (turn, after) = messages.split_at(at.map_or(messages.len(), |at| at + 1));
            let is_answered = |call: &Call| {
                let is_its = |message: &Message| matches!(message, Message::Tool { id, .. } if *id == call.id);
                after.iter().any(is_its)
            };
            match turn.last() {
                Some(Message::Assistant { calls, .. }) => {
                    calls.iter().filter(|call| !is_answered(call)).cloned().collect()
                }
                _ => Vec::new(),
            }
        });
        for call in open {
            self.answer(&call, format!("not run: {}", finish.told()), true);
        }
    }
}

/// A call as hooks read it: the tool has the name that all hosts share.
fn about(call: &Call) -> Value {
    json!({"tool_name": canonical(&call.name), "tool_input": call.input, "tool_use_id": call.id})
}

/// The arguments as the hooks left them. What is no object any more is no arguments: every tool says what it misses.
fn input_of(event: &Event) -> Map {
    let left = event.get("tool_input");
    left.as_deref()
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

/// Returns the beginning of a name that a model made up.
fn shortened(name: &str) -> &str {
    name.get(..name.floor_char_boundary(64)).unwrap_or(name)
}

fn looks(calls: &[Call]) -> bool {
    let is_look = |call: &Call| named(&call.name).is_some_and(|tool| tool.kind() == Kind::Reads);
    calls.iter().all(is_look)
}

/// A tool that panics has failed.
fn run(tool: &dyn Tool, input: &Map, at: At<'_>) -> Result<String, ToolError> {
    let call = std::panic::AssertUnwindSafe(|| tool.run(input, &at));
    std::panic::catch_unwind(call).unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> ToolError {
    ToolError("the tool failed in a way that it does not tell".into())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;
    use crate::agent::Setup;
    use crate::provider::scripted::Scripted;

    /// Where one side sends and the other receives.
    type Ends = (Sender<()>, Receiver<()>);

    /// Ends only if another call runs at the same time.
    struct Meets(Mutex<Vec<Ends>>);

    impl Tool for Meets {
        fn name(&self) -> &'static str {
            "meets"
        }
        fn about(&self) -> &'static str {
            "Waits for another one."
        }
        fn schema(&self) -> Value {
            json!({})
        }
        fn kind(&self) -> Kind {
            Kind::Reads
        }
        fn run(&self, _: &Map, _: &At<'_>) -> Result<String, ToolError> {
            let ends = self.0.lock().ok().and_then(|mut all| all.pop());
            let (other, own) = ends.ok_or_else(|| ToolError("a third one".into()))?;
            let _ = other.send(());
            // Long enough for any machine; it is not waited for where both run.
            let met = own.recv_timeout(Duration::from_mins(1));
            met.map(|()| "met".into())
                .map_err(|_| ToolError("alone".into()))
        }
    }

    #[test]
    fn calls_that_only_look_run_at_the_same_time() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let setup = Setup::new("s1", Arc::new(Scripted::read("[]")?), place.path());
        let mut agent = Agent::new(setup)?;
        let (first, second) = (channel(), channel());
        let ends = vec![(first.0, second.1), (second.0, first.1)];
        let tool: &'static dyn Tool = Box::leak(Box::new(Meets(Mutex::new(ends))));
        let call = |id: &str| Call {
            id: id.into(),
            name: "meets".into(),
            input: Map::new(),
        };
        let runs = [Admitted::Runs(tool), Admitted::Runs(tool)];
        let calls = [call("1"), call("2")];
        let said = agent.carried(move |agent| {
            Box::pin(async move { agent.run_all(&calls, &runs).await.map_err(|_| "it ended") })
        })?;
        let met = || Some(Ok("met".to_owned()));
        assert_eq!(said, [met(), met()]);
        Ok(())
    }
}
