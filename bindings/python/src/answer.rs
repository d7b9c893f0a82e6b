//! What a Python handler answered, as the engine's result.

use anyhook::core::effects::{Level, Rewrite, RewriteFallback, Role};
use anyhook::core::event::{Datum, Event};
use anyhook::core::fault::{Fault, FaultKind};
use anyhook::core::handler::HandlerResult;
use anyhook::core::question::{AnswerLifetime, Choice, DefaultAnswer, Grants};
use anyhook::core::result::HookResult;
use anyhook::wires::dialects::amplifier::{ContextInjection, Flat, FlatAction};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;

use crate::data::{PyData, PyField};
use crate::isolate;
use crate::json;
use crate::types::Types;

/// An answer that has been read.
pub(crate) struct Read {
    pub(crate) said: HandlerResult,
    /// How many texts for the model are in it.
    pub(crate) texts: usize,
}

/// The fields of one result.
struct Fields<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    types: &'a Types,
}

/// Reads an instance of `HookResult`; nothing if it says nothing.
pub(crate) fn read(
    answer: &Bound<'_, PyAny>,
    event: &Event,
    types: &Types,
    collecting: bool,
) -> PyResult<Option<Read>> {
    let py = answer.py();
    let dict = held(answer, intern!(py, "__dict__"))?.cast_into()?;
    let fields = Fields { dict: &dict, types };
    let word = fields.get(intern!(py, "action"))?;
    let class = answer.get_type();
    let goes_on = class.is(types.result.bind(py)) && word.eq(intern!(py, "continue"))?;
    if goes_on && fields.are_blank()? {
        return Ok(None);
    }
    let action = match fields.action(&word, &class)? {
        Ok(action) => action,
        Err(word) => return Ok(Some(refused(&word))),
    };
    let flat = fields.flat(action)?;
    let texts = count(&flat);
    let mut said = flat.answer(event);
    fields.add_data(&mut said, action, event, collecting)?;
    Ok(Some(Read {
        said: Ok(said),
        texts,
    }))
}

/// Tells at a glance of what nearly every answer looks like that it goes on and says no more. Of any other answer it tells
/// nothing: [`read`] looks closely.
pub(crate) fn is_plain(answer: &Bound<'_, PyAny>, types: &Types) -> bool {
    let py = answer.py();
    if !types.has_lock {
        return false;
    }
    let (action, goes_on) = (intern!(py, "action"), intern!(py, "continue"));
    let (injections, set) = (
        intern!(py, "context_injections"),
        intern!(py, "__pydantic_fields_set__"),
    );
    #[expect(
        unsafe_code,
        reason = "PyO3 has no such functions, or counts references and makes an error of each way out"
    )]
    // SAFETY: all objects are alive, and this thread has the interpreter's lock. What is borrowed from the dict is looked at
    // before Python code runs, which could take it out.
    unsafe {
        let dict = ffi::PyObject_GenericGetDict(answer.as_ptr(), std::ptr::null_mut());
        let dict = Bound::from_owned_ptr_or_opt(py, dict);
        let set = ffi::PyObject_GenericGetAttr(answer.as_ptr(), set.as_ptr());
        let set = Bound::from_owned_ptr_or_opt(py, set);
        if let (Some(dict), Some(set)) = (dict, set)
            && ffi::PyDict_Check(dict.as_ptr()) != 0
            && ffi::PyDict_GetItemWithError(dict.as_ptr(), action.as_ptr()) == goes_on.as_ptr()
            && ffi::PySet_Check(set.as_ptr()) != 0
        {
            let injections = ffi::PyDict_GetItemWithError(dict.as_ptr(), injections.as_ptr());
            // A list can be added to without being set.
            let says_no_more = !injections.is_null()
                && ffi::PyList_CheckExact(injections) != 0
                && ffi::PyList_Size(injections) == 0
                && match ffi::PySet_Size(set.as_ptr()) {
                    0 => true,
                    1 => ffi::PySet_Contains(set.as_ptr(), action.as_ptr()) == 1,
                    _ => false,
                };
            if says_no_more {
                return true;
            }
        }
        ffi::PyErr_Clear();
    }
    false
}

/// Returns what a model holds by itself, past the `__getattr__` that it has for its fields.
fn held<'py>(
    answer: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    #[expect(unsafe_code, reason = "PyO3 has no such function")]
    // SAFETY: both are objects that are alive; what comes back is a new reference, or nothing and an exception.
    unsafe {
        let held = ffi::PyObject_GenericGetAttr(answer.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(answer.py(), held)
    }
}

/// The model accepts any assignment after it was made, so an answer may hold what it would not have been made with.
fn refused(word: &str) -> Read {
    let text = format!("`{word}` is no action");
    Read {
        said: Err(Box::new(Fault::new(FaultKind::InvalidAnswer, text))),
        texts: 0,
    }
}

fn count(flat: &Flat) -> usize {
    match flat.context_injections.len() {
        0 => usize::from(
            flat.action == FlatAction::InjectContext && flat.context_injection.is_some(),
        ),
        some => some,
    }
}

impl<'py> Fields<'_, 'py> {
    fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        match self.dict.get_item(name)? {
            Some(value) => Ok(value),
            None => Ok(self.blank(name)?),
        }
    }

    fn blank(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = name.py();
        let blank = self.types.blank.bind(py).get_item(name)?;
        Ok(blank.unwrap_or_else(|| py.None().into_bound(py)))
    }

    /// Tells whether an answer that goes on says nothing besides.
    fn are_blank(&self) -> PyResult<bool> {
        let py = self.dict.py();
        let is_none = |name| -> PyResult<bool> { Ok(self.get(name)?.is_none()) };
        let is_false = |name| -> PyResult<bool> { Ok(!self.get(name)?.is_truthy()?) };
        Ok(is_none(intern!(py, "data"))?
            && is_none(intern!(py, "user_message"))?
            && is_none(intern!(py, "reason"))?
            && is_false(intern!(py, "suppress_output"))?
            && is_false(intern!(py, "context_injections"))?)
    }

    fn action(
        &self,
        word: &Bound<'py, PyAny>,
        class: &Bound<'py, PyAny>,
    ) -> PyResult<Result<FlatAction, String>> {
        let py = word.py();
        let is = |of: &Py<pyo3::types::PyType>| -> PyResult<bool> {
            let class: &Bound<'py, pyo3::types::PyType> = class.cast()?;
            class.is_subclass(of.bind(py))
        };
        let text = optional(word)?.unwrap_or_default();
        Ok(Ok(match text.as_str() {
            "continue" if is(&self.types.allowed)? => FlatAction::Allowed,
            "continue" => FlatAction::Continue,
            "deny" if is(&self.types.halted)? => FlatAction::Halted,
            "deny" => FlatAction::Deny,
            "modify" => FlatAction::Modify,
            "inject_context" => FlatAction::InjectContext,
            "ask_user" => FlatAction::AskUser,
            _ => return Ok(Err(text)),
        }))
    }

    fn text(&self, name: &Bound<'py, PyString>) -> PyResult<Option<String>> {
        optional(&self.get(name)?)
    }

    fn flag(&self, name: &Bound<'py, PyString>) -> PyResult<bool> {
        self.get(name)?.is_truthy()
    }

    /// Reads everything but the data, which stays Python's.
    fn flat(&self, action: FlatAction) -> PyResult<Flat> {
        let py = self.dict.py();
        let options = self.get(intern!(py, "approval_options"))?;
        let default = self.text(intern!(py, "approval_default"))?;
        let level = self.text(intern!(py, "user_message_level"))?;
        let role = self.text(intern!(py, "context_injection_role"))?;
        let mut flat = Flat {
            action,
            reason: self.text(intern!(py, "reason"))?,
            context_injection: self.text(intern!(py, "context_injection"))?,
            context_injection_role: role_of(role.as_deref()),
            ephemeral: self.flag(intern!(py, "ephemeral"))?,
            approval_prompt: self.text(intern!(py, "approval_prompt"))?,
            approval_options: choices(&options)?,
            approval_timeout: self.get(intern!(py, "approval_timeout"))?.extract()?,
            approval_default: match default.as_deref() {
                Some("allow") => DefaultAnswer::Allow,
                _ => DefaultAnswer::Deny,
            },
            suppress_output: self.flag(intern!(py, "suppress_output"))?,
            user_message: self.text(intern!(py, "user_message"))?,
            user_message_level: level_of(level.as_deref()),
            user_message_source: self.text(intern!(py, "user_message_source"))?,
            append_to_last_tool_result: self.flag(intern!(py, "append_to_last_tool_result"))?,
            ..Flat::default()
        };
        // An empty text is none: there is nothing that a model could be told with it.
        flat.context_injection = flat.context_injection.filter(|text| !text.is_empty());
        flat.user_message = flat.user_message.filter(|text| !text.is_empty());
        let injections = self.get(intern!(py, "context_injections"))?;
        if !injections.is_none() {
            for injection in injections.try_iter()? {
                flat.context_injections.push(injection_of(&injection?)?);
            }
        }
        Ok(flat)
    }

    /// Adds what the answer says of the data: the changed fields of a `modify`, else a reply to the caller that collects.
    fn add_data(
        &self,
        said: &mut HookResult,
        action: FlatAction,
        event: &Event,
        collecting: bool,
    ) -> PyResult<()> {
        let py = self.dict.py();
        let data = self.get(intern!(py, "data"))?;
        let Ok(whole) = data.cast::<PyDict>() else {
            return Ok(());
        };
        if collecting || matches!(action, FlatAction::Continue | FlatAction::Allowed) {
            let key = intern!(py, "data").clone().into_any().unbind();
            said.effects.edit().reply = Some(datum(key, &data));
        }
        if action == FlatAction::Modify
            && let Some(data) = PyData::of(event)
        {
            let current = data.current(py);
            said.effects.edit().patch = rewrites(current, whole, self.types)?;
            data.ordered_by(whole);
        }
        Ok(())
    }
}

/// Reads a whole mapping as the fields that changed, were added, or went away. What the handler may still change in
/// place is copied: guards judge what the program gets.
fn rewrites(
    before: &Bound<'_, PyDict>,
    after: &Bound<'_, PyDict>,
    types: &Types,
) -> PyResult<Vec<Rewrite>> {
    let mut patch = Vec::new();
    for (key, value) in after {
        let held = before.get_item(&key)?;
        if held.is_some_and(|held| isolate::same(&held, &value)) {
            continue;
        }
        let field = name_of(&key);
        let value = isolate::copy(&value, types)?.unwrap_or(value);
        patch.push(rewrite(field, Some(datum(key.unbind(), &value))));
    }
    for key in before.keys() {
        // A key that is no text cannot stand in a result, so its absence says nothing.
        if key.is_instance_of::<PyString>() && !after.contains(&key)? {
            patch.push(rewrite(name_of(&key), None));
        }
    }
    Ok(patch)
}

fn name_of(key: &Bound<'_, PyAny>) -> String {
    match key.cast::<PyString>() {
        Ok(key) => json::text(key),
        Err(_) => key.to_string(),
    }
}

fn rewrite(field: String, value: Option<Datum>) -> Rewrite {
    Rewrite {
        field: field.into(),
        value,
        if_unsayable: RewriteFallback::default(),
        by: None,
    }
}

fn datum(key: Py<PyAny>, value: &Bound<'_, PyAny>) -> Datum {
    let value = value.clone().unbind();
    Datum::Foreign(Arc::new(PyField { key, value }))
}

fn optional(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() {
        return Ok(None);
    }
    Ok(Some(json::text(value.cast::<PyString>()?)))
}

fn choices(options: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Choice>>> {
    if options.is_none() {
        return Ok(None);
    }
    let mut choices = Vec::new();
    for option in options.try_iter()? {
        choices.push(choice(&option?)?);
    }
    Ok(Some(choices))
}

fn choice(option: &Bound<'_, PyAny>) -> PyResult<Choice> {
    let py = option.py();
    let label = json::text(option.cast::<PyString>()?);
    let mut choice = Choice::labelled(&label);
    if option.is_exact_instance_of::<PyString>() || !option.hasattr(intern!(py, "grants"))? {
        return Ok(choice);
    }
    let word = |name| optional(&option.getattr(name)?);
    choice.grants = match word(intern!(py, "grants"))?.as_deref() {
        Some("proceed") => Grants::Proceed,
        Some("allow") => Grants::Allow,
        Some(_) | None => Grants::Deny,
    };
    choice.remember = match word(intern!(py, "remember"))?.as_deref() {
        Some("session") => AnswerLifetime::Session,
        Some("always") => AnswerLifetime::Always,
        Some(_) | None => AnswerLifetime::Once,
    };
    Ok(choice)
}

fn injection_of(injection: &Bound<'_, PyAny>) -> PyResult<ContextInjection> {
    let py = injection.py();
    let text =
        |name| -> PyResult<String> { Ok(optional(&injection.getattr(name)?)?.unwrap_or_default()) };
    Ok(ContextInjection {
        content: text(intern!(py, "content"))?,
        role: role_of(Some(&text(intern!(py, "role"))?)),
        ephemeral: injection.getattr(intern!(py, "ephemeral"))?.is_truthy()?,
        append_to_last_tool_result: injection
            .getattr(intern!(py, "append_to_last_tool_result"))?
            .is_truthy()?,
        hook_name: text(intern!(py, "hook_name"))?,
        event: text(intern!(py, "event"))?,
        name: None,
    })
}

fn role_of(word: Option<&str>) -> Role {
    match word {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    }
}

fn level_of(word: Option<&str>) -> Level {
    match word {
        Some("warning") => Level::Warning,
        Some("error") => Level::Error,
        _ => Level::Info,
    }
}
