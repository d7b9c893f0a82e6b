//! The tool calls of one turn: each is offered to hooks, permitted, run and answered.

use anyhook::core::event::{Event, Map};
use anyhook::wires::tools::canonical;
use serde_json::{Value, json};

use crate::agent::{Agent, Flow, GateOutcome};
use crate::fields::with;
use crate::message::ToolUse;
use crate::order::EventOrder;
use crate::running::{CallAdmission, ToolOutcome};
use crate::tools::{Tool, ToolKind, named};

impl Agent {
    /// Carries out the calls of one turn, in their order. Hooks are asked about all calls that only look before
    /// the first of them runs.
    pub(crate) async fn call_all(&mut self, calls: Vec<ToolUse>) -> Flow<()> {
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

    async fn call_batch(&mut self, mut batch: Vec<ToolUse>) -> Flow<()> {
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
    async fn admit(&mut self, call: &mut ToolUse) -> Flow<CallAdmission> {
        let tool = self.resolve(call).await?;
        if self.setup.order == EventOrder::Athena {
            return self.admit_as_original(call, tool).await;
        }
        let approved = match self.offer(call).await? {
            Err(why) => return Ok(CallAdmission::Refused(why)),
            Ok(approved) => approved,
        };
        let Some(tool) = tool else {
            return Ok(CallAdmission::Unknown);
        };
        if let Some(why) = self.permit(call, tool.kind, approved).await? {
            return Ok(CallAdmission::Refused(why));
        }
        self.denied = None;
        Ok(CallAdmission::Runs(tool))
    }

    /// Finds the tool of a call. What a hook took out of the request is no tool of this turn, whatever the model remembers.
    async fn resolve(&mut self, call: &mut ToolUse) -> Flow<Option<&'static Tool>> {
        let names = self.offered.clone();
        let tool = named(&call.name).filter(|tool| names.iter().any(|name| name == tool.name));
        if tool.is_some_and(|tool| matches!(tool.kind, ToolKind::Reads | ToolKind::Edits)) {
            self.root.name_plainly(&mut call.input);
        }
        let data = json!({
            "available_tools": names, "selected_tool": tool.map(|tool| tool.name),
            "reason": "the model named it", "tool_use_id": call.id,
        });
        self.tell("decision:tool_resolution", data).await?;
        Ok(tool)
    }

    /// Offers a call to the hooks, which may refuse or rewrite it: says whether one approved it, or why it is refused.
    pub(crate) async fn offer(&mut self, call: &mut ToolUse) -> Flow<Result<bool, String>> {
        match self.gate("tool:pre", about(call)).await? {
            GateOutcome::Refused(why) => {
                self.denied(call, &why, None).await?;
                Ok(Err(format!("denied by a hook: {why}")))
            }
            GateOutcome::Open { event, approved } => {
                call.input = input_of(&event);
                Ok(Ok(approved))
            }
        }
    }

    /// Puts what came of a call into the conversation, and tells of it.
    async fn told(
        &mut self,
        call: &ToolUse,
        admitted: CallAdmission,
        result: ToolOutcome,
    ) -> Flow<()> {
        match (admitted, result) {
            (CallAdmission::Refused(why), _) => {
                self.answer(call, why, true);
                Ok(())
            }
            (CallAdmission::Unknown, _) => {
                let told = format!(
                    "there is no tool `{}`; there are: {}",
                    shortened(&call.name),
                    self.offered.join(", ")
                );
                self.answer(call, told.clone(), true);
                match self.setup.order {
                    EventOrder::Ours => self.failed(call, &told).await,
                    EventOrder::Athena => Ok(()),
                }
            }
            (CallAdmission::Runs(_), Some(Ok(text))) => {
                self.answer(call, text.clone(), false);
                self.ran(call, &text).await
            }
            (CallAdmission::Runs(_), failed) => {
                let told = failed
                    .and_then(Result::err)
                    .map_or_else(String::new, |error| error.0);
                self.answer(call, told.clone(), true);
                self.failed(call, &told).await?;
                match self.setup.order {
                    EventOrder::Ours => Ok(()),
                    EventOrder::Athena => self.ran(call, &told).await,
                }
            }
        }
    }

    async fn ran(&mut self, call: &ToolUse, text: &str) -> Flow<()> {
        let cwd = self.root.path().to_string_lossy();
        let data = with(about(call), json!({"tool_result": text, "cwd": cwd}));
        let acted = self.emit("tool:post", data).await;
        self.replace_answer(call, text, &acted.event);
        self.refused_after(call, &acted);
        self.goes_on(&acted)
    }

    async fn failed(&mut self, call: &ToolUse, told: &str) -> Flow<()> {
        let failure = json!({"error": told, "reason": told, "tool_result": told});
        let data = with(about(call), failure);
        let acted = self.emit("tool:error", data).await;
        self.replace_answer(call, told, &acted.event);
        self.refused_after(call, &acted);
        self.goes_on(&acted)
    }
}

/// A call as hooks read it: the tool has the name that all hosts share.
pub(crate) fn about(call: &ToolUse) -> Value {
    json!({"tool_name": canonical(&call.name), "tool_input": call.input, "tool_use_id": call.id})
}

/// The arguments as the hooks left them. What is no object any more is no arguments: every tool says what it misses.
pub(crate) fn input_of(event: &Event) -> Map {
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

fn looks(calls: &[ToolUse]) -> bool {
    let is_look =
        |call: &ToolUse| named(&call.name).is_some_and(|tool| tool.kind == ToolKind::Reads);
    calls.iter().all(is_look)
}
