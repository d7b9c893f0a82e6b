//! Columns that several hosts share: the answers they understand, and the fields that a hook must see.

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use crate::payload::Need;

/// Texts for the model: beside the event, without roles or places, and also where the action is refused.
pub(in crate::hosts) const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::Yes,
};

/// The same, where no document tells what becomes of such a text when the action is refused, or the host drops it.
pub(in crate::hosts) const UNLESS_REFUSED: Manner = Manner {
    when_refused: Shown::No,
    ..CONTEXT
};

/// Nothing now; what cannot be said waits for an event that takes it.
pub(in crate::hosts) const WAITS: Can = Can {
    later: Later::Outbox,
    ..Can::NOTHING
};

/// A text for the model, also beside a refusal.
pub(in crate::hosts) const HEARS: Can = Can {
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

/// A text for the model, unless the action is refused.
pub(in crate::hosts) const INFORMS: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..Can::NOTHING
};

/// A system message, and nothing else.
pub(in crate::hosts) const TELLS: Can = Can {
    notify: Shown::Yes,
    ..Can::NOTHING
};

/// A system message and `continue: false`.
pub(in crate::hosts) const HALTS: Can = Can {
    verdicts: &[Kind::Halt],
    ..TELLS
};

/// A refusal, a system message and `continue: false`.
pub(in crate::hosts) const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..TELLS
};

/// A refusal, and nothing beside it.
pub(in crate::hosts) const ONLY_REFUSES: Can = Can {
    verdicts: &[Kind::Deny],
    ..Can::NOTHING
};

/// New arguments, carried by an approval. Whether they come along with a question is documented by no relative, and an
/// approval of the old arguments would open a gate.
pub(in crate::hosts) const REWRITES: Can = Can {
    rewrite: &["tool_input"],
    coupling: Coupling::Approval,
    later: Later::Never,
    ..TELLS
};

/// What a hook must see of a call.
pub(in crate::hosts) const CALL: &[Need] = &[Need::Text("tool_name"), Need::Object("tool_input")];

/// What a hook must see of a prompt.
pub(in crate::hosts) const PROMPT: &[Need] = &[Need::Text("prompt")];

/// What a hook must see of a tool that has run.
pub(in crate::hosts) const TOOL: &[Need] = &[Need::Text("tool_name")];

/// What a hook must see of a request to the model.
pub(in crate::hosts) const MODEL_REQUEST: &[Need] = &[Need::Object("llm_request")];
