//! What a registry came to, as the `HookResult` that Python knows.

use anyhook::core::effects::{Level, Role};
use anyhook::core::event::{Event, Map};
use anyhook::core::question::{AnswerLifetime, Choice, DefaultAnswer, Grants};
use anyhook::core::result::{HookResult, Kind};
use anyhook::registry::EmitOutcome;
use anyhook::wires::dialects::amplifier::{Flat, FlatAction};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::data::PyData;
use crate::outside::Composite;
use crate::turn::{Spoken, Turn};
use crate::types::Types;

/// Fields that are the engine's to say, whatever the one handler that spoke wrote there.
const OURS: [&str; 3] = ["action", "data", "context_injections"];

/// Fields that mean nothing beside a list of texts.
const ONE_TEXT: [&str; 4] = [
    "context_injection",
    "context_injection_role",
    "ephemeral",
    "append_to_last_tool_result",
];

/// Makes the flat result of an emit.
pub(crate) fn result<'py>(
    py: Python<'py>,
    emitted: EmitOutcome,
    turn: &Turn,
) -> PyResult<Bound<'py, PyAny>> {
    let types = Types::get(py)?;
    let EmitOutcome { result, event } = emitted;
    let fields = types.blank.bind(py).copy()?;
    let action = if result.is_identity() {
        // The caller may add to it, and the blank one is everybody's.
        let none = PyList::empty(py);
        fields.set_item(intern!(py, "context_injections"), none)?;
        FlatAction::Continue
    } else {
        say(py, &fields, result, &event, turn)?
    };
    if !matches!(action, FlatAction::Deny | FlatAction::Halted)
        && let Some(data) = PyData::of(&event)
    {
        fields.set_item(intern!(py, "data"), data.merged_or_given(py)?)?;
    }
    let class = match action {
        FlatAction::Allowed => &types.allowed,
        FlatAction::Halted => &types.halted,
        FlatAction::Continue
        | FlatAction::Deny
        | FlatAction::Modify
        | FlatAction::InjectContext
        | FlatAction::AskUser => &types.result,
    };
    types.make(class.bind(py), &fields)
}

/// Writes what was said into the fields, and returns the action.
fn say(
    py: Python<'_>,
    fields: &Bound<'_, PyDict>,
    mut result: HookResult,
    event: &Event,
    turn: &Turn,
) -> PyResult<FlatAction> {
    let types = Types::get(py)?;
    // The data stays Python's: it is no part of the projection.
    if !result.effects.patch().is_empty() {
        result.effects.edit().patch.clear();
    }
    let bare = Event::named(event.name.clone(), Map::new());
    let flat = Flat::of(&result, &bare, &[]);
    write(py, fields, &flat, types)?;
    injections(py, fields, &flat, turn, types)?;
    let kind = result.verdict.kind();
    if kind >= Kind::Deny
        && let Some(refusal) = turn.spoken.iter().find(|one| is_refusal(py, one))
    {
        let data = refusal.answer.bind(py).getattr(intern!(py, "data"))?;
        fields.set_item(intern!(py, "data"), data)?;
    }
    if let [alone] = turn.spoken.as_slice() {
        verbatim(py, fields, alone, flat.action)?;
    }
    Ok(flat.action)
}

fn is_refusal(py: Python<'_>, one: &Spoken) -> bool {
    if one.answer.bind(py).is_instance_of::<Composite>() {
        return false;
    }
    let action = one.answer.bind(py).getattr(intern!(py, "action"));
    action.is_ok_and(|action| action.eq("deny").unwrap_or(false))
}

/// Where one handler alone spoke, and its action is the action of all, its words are passed on as they are.
fn verbatim(
    py: Python<'_>,
    fields: &Bound<'_, PyDict>,
    alone: &Spoken,
    action: FlatAction,
) -> PyResult<()> {
    let answer = alone.answer.bind(py);
    if answer.is_instance_of::<Composite>() {
        return Ok(());
    }
    let word: String = answer.getattr(intern!(py, "action"))?.extract()?;
    let word = if word == "modify" { "continue" } else { &word };
    if word != action.as_str() {
        return Ok(());
    }
    let has_list = answer
        .getattr(intern!(py, "context_injections"))?
        .is_truthy()?;
    let theirs = answer.getattr(intern!(py, "__dict__"))?;
    for (name, value) in theirs.cast::<PyDict>()? {
        let word = name.cast::<PyString>()?.to_string_lossy();
        let is_ours = OURS.contains(&&*word) || (has_list && ONE_TEXT.contains(&&*word));
        if !is_ours && fields.contains(&name)? {
            fields.set_item(name, value)?;
        }
    }
    Ok(())
}

fn write(py: Python<'_>, fields: &Bound<'_, PyDict>, flat: &Flat, types: &Types) -> PyResult<()> {
    fields.set_item(intern!(py, "action"), flat.action.as_str())?;
    fields.set_item(intern!(py, "reason"), &flat.reason)?;
    fields.set_item(intern!(py, "context_injection"), &flat.context_injection)?;
    let role = role(flat.context_injection_role);
    fields.set_item(intern!(py, "context_injection_role"), role)?;
    fields.set_item(intern!(py, "ephemeral"), flat.ephemeral)?;
    fields.set_item(intern!(py, "approval_prompt"), &flat.approval_prompt)?;
    let options = flat.approval_options.as_ref().map(|all| {
        let options = all.iter().map(|choice| option(py, choice, types));
        options.collect::<PyResult<Vec<_>>>()
    });
    fields.set_item(intern!(py, "approval_options"), options.transpose()?)?;
    fields.set_item(intern!(py, "approval_timeout"), flat.approval_timeout)?;
    let default = match flat.approval_default {
        DefaultAnswer::Allow => "allow",
        DefaultAnswer::Deny => "deny",
    };
    fields.set_item(intern!(py, "approval_default"), default)?;
    fields.set_item(intern!(py, "suppress_output"), flat.suppress_output)?;
    fields.set_item(intern!(py, "user_message"), &flat.user_message)?;
    let level = match flat.user_message_level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    fields.set_item(intern!(py, "user_message_level"), level)?;
    let source = &flat.user_message_source;
    fields.set_item(intern!(py, "user_message_source"), source)?;
    let append = flat.append_to_last_tool_result;
    fields.set_item(intern!(py, "append_to_last_tool_result"), append)
}

/// A choice whose label says what it grants is that label.
fn option<'py>(py: Python<'py>, choice: &Choice, types: &Types) -> PyResult<Bound<'py, PyAny>> {
    if *choice == Choice::labelled(&choice.label) {
        return Ok(PyString::new(py, &choice.label).into_any());
    }
    let grants = match choice.grants {
        Grants::Proceed => "proceed",
        Grants::Allow => "allow",
        Grants::Deny => "deny",
    };
    let remember = match choice.remember {
        AnswerLifetime::Once => "once",
        AnswerLifetime::Session => "session",
        AnswerLifetime::Always => "always",
    };
    types
        .option
        .bind(py)
        .call1((&*choice.label, grants, remember))
}

/// Writes each text for the model with who said it.
fn injections(
    py: Python<'_>,
    fields: &Bound<'_, PyDict>,
    flat: &Flat,
    turn: &Turn,
    types: &Types,
) -> PyResult<()> {
    let names = turn.spoken.iter().flat_map(|one| {
        let name: &str = &one.name;
        std::iter::repeat_n(name, one.texts)
    });
    let mut names = names.collect::<Vec<_>>().into_iter();
    let all = PyList::empty(py);
    for injection in &flat.context_injections {
        let given = PyDict::new(py);
        given.set_item(intern!(py, "content"), &injection.content)?;
        given.set_item(intern!(py, "role"), role(injection.role))?;
        given.set_item(intern!(py, "ephemeral"), injection.ephemeral)?;
        let append = injection.append_to_last_tool_result;
        given.set_item(intern!(py, "append_to_last_tool_result"), append)?;
        let name = names.next().unwrap_or("unknown");
        given.set_item(intern!(py, "hook_name"), name)?;
        given.set_item(intern!(py, "event"), &injection.event)?;
        all.append(types.make(types.injection.bind(py), &given)?)?;
    }
    fields.set_item(intern!(py, "context_injections"), all)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}
