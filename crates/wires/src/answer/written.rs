//! Writing an answer: the parts that several hosts read in the same words.

use anyhook_core::can::{Capabilities, Visibility};
use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::NO_REASON;
use crate::Reply;

/// Returns a reason that is not empty: without one, some hosts overlook the refusal.
pub(crate) fn given(reason: &str) -> &str {
    match reason.trim() {
        "" => NO_REASON,
        _ => reason,
    }
}

/// Returns what the person is told, as one text, where the event has a place for it.
pub(crate) fn notices(can: &Capabilities, result: &HookResult) -> Option<String> {
    let said = result.effects.notify();
    let is_said = can.notify == Visibility::Yes && !said.is_empty();
    let texts = || said.iter().map(|said| &*said.text).collect::<Vec<_>>();
    is_said.then(|| texts().join("\n"))
}

impl Reply {
    /// Prints this, and nothing else.
    pub(crate) fn printing(stdout: impl Into<String>) -> Self {
        Self {
            stdout: stdout.into(),
            ..Self::default()
        }
    }

    /// Says one object on a line of the standard output.
    pub(crate) fn object(object: Map) -> Self {
        Self::printing(format!("{}\n", Value::Object(object)))
    }

    /// Refuses by exit code 2, with the reason on the standard error.
    pub(crate) fn exit_2(reason: &str) -> Self {
        Self {
            stderr: format!("{}\n", given(reason)),
            exit: 2,
            ..Self::default()
        }
    }
}
