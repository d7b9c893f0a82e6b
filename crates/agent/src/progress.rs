//! Whether the iterations of a run make progress, counted as `ex_athena` does. Only a hook ends a run because of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use crate::message::ChatMessage;

/// What the iterations of a run came to.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// How many in a row called the same, with the same results, and said nothing.
    pub(crate) unproductive: u32,
    /// What the last one called, and a number for what came of it.
    fingerprint: Option<Value>,
    /// Where in the conversation the iteration began.
    from: usize,
}

impl Progress {
    /// Returns what the last iteration called, and a number for what came of it; before the first, an empty list.
    pub(crate) fn fingerprint(&self) -> Value {
        self.fingerprint.clone().unwrap_or_else(|| json!([]))
    }

    /// Begins an iteration.
    pub(crate) fn begin(&mut self, conversation: &[ChatMessage]) {
        self.from = conversation.len();
    }

    /// Weighs what an iteration added to the conversation.
    pub(crate) fn weigh(&mut self, conversation: &[ChatMessage]) {
        // A conversation that was made shorter meanwhile has changed.
        let added = conversation.get(self.from..).unwrap_or_default();
        let (mut calls, mut results, mut has_text) = (Vec::new(), DefaultHasher::new(), false);
        for message in added {
            match message {
                ChatMessage::Assistant { text, calls: all } => {
                    has_text |= !text.is_empty();
                    calls.extend(all.iter().map(|call| {
                        let input = Value::Object(call.input.clone()).to_string();
                        (call.name.clone(), input)
                    }));
                }
                ChatMessage::Tool { text, .. } => text.hash(&mut results),
                ChatMessage::System { .. } | ChatMessage::User { .. } => {}
            }
        }
        calls.sort_unstable();
        let fingerprint = json!([calls, results.finish() >> 32]);
        let is_other = self.fingerprint.as_ref() != Some(&fingerprint);
        self.unproductive = if has_text || is_other {
            0
        } else {
            self.unproductive.saturating_add(1)
        };
        self.fingerprint = Some(fingerprint);
    }
}
