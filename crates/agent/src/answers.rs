//! The answers that the model gets for its calls: one each, also for a call that was refused or never ran.

use anyhook::core::event::Event;
use anyhook::core::result::Kind as Verdicts;
use anyhook::session::SessionEmission;
use serde_json::Value;

use crate::agent::Agent;
use crate::message::{ChatMessage, ToolUse};
use crate::outcome::Finish;

impl Agent {
    /// A refusal of what has happened is told to the model beside it.
    pub(crate) fn refused_after(&mut self, call: &ToolUse, acted: &SessionEmission) {
        let verdict = &acted.processed.result.verdict;
        if verdict.kind() == Verdicts::Deny {
            let why = verdict.text();
            self.edit_answer(call, |text| {
                text.push_str(&format!("\n\nA hook objects: {why}"));
            });
        }
    }

    /// Gives the model the result as hooks left it; what they added to it stays behind it.
    pub(crate) fn replace_answer(&mut self, call: &ToolUse, before: &str, event: &Event) {
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

    fn edit_answer(&mut self, call: &ToolUse, edit: impl FnOnce(&mut String)) {
        self.transcript.edit(|messages| {
            let found = messages.iter_mut().rev().find_map(|message| match message {
                ChatMessage::Tool { id, text, .. } if *id == call.id => Some(text),
                _ => None,
            });
            if let Some(text) = found {
                edit(text);
            }
        });
    }

    pub(crate) fn answer(&mut self, call: &ToolUse, text: String, failed: bool) {
        self.transcript.push(ChatMessage::Tool {
            id: call.id.clone(),
            name: call.name.clone(),
            text,
            failed,
        });
    }

    /// Answers every call that the end of the run left open.
    pub(crate) fn answer_open(&mut self, finish: &Finish) {
        let open: Vec<ToolUse> = self.transcript.edit(|messages| {
            let at = messages.iter().rposition(|message| matches!(message, ChatMessage::Assistant { calls, .. } if !calls.is_empty()));
            let (turn, after) = messages.split_at(at.map_or(messages.len(), |at| at + 1));
            let is_answered = |call: &ToolUse| {
                let is_its = |message: &ChatMessage| matches!(message, ChatMessage::Tool { id, .. } if *id == call.id);
                after.iter().any(is_its)
            };
            match turn.last() {
                Some(ChatMessage::Assistant { calls, .. }) => {
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
