//! An event's data as Python has it: the caller's own objects, never a round trip through JSON.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhook::core::event::{Datum, Event, Foreign, ForeignValue, Map, TIMESTAMP};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString};
use serde_json::Value;

use crate::isolate;
use crate::json;
use crate::types::Types;

/// The data of one emission.
///
/// Until a handler is asked it is what the caller gave, and costs nothing. The first who is asked makes the mapping that
/// all handlers get copies of: the defaults, the caller's fields, the timestamp.
#[derive(Debug)]
pub(crate) struct PyData {
    given: Py<PyDict>,
    defaults: Option<Py<PyDict>>,
    /// What `data.get("hooks")` is.
    hooks: Py<PyAny>,
    /// Whether a guard may be asked: then each handler has a copy of everything at once.
    is_guarded: bool,
    /// How many seconds each handler has, where replies are collected.
    pub(crate) collecting: Option<f64>,
    merged: OnceLock<Py<PyDict>>,
    name: OnceLock<Py<PyString>>,
    /// The fields of the mapping that the last rewrite gave as a whole: their order is the order.
    order: Mutex<Option<Py<PyList>>>,
    shown: OnceLock<Map>,
    /// A view that its handler did not keep, for the next one.
    spare: Mutex<Option<Py<PyAny>>>,
}

/// A field that a handler rewrote, with its key as Python has it.
#[derive(Debug)]
pub(crate) struct PyField {
    pub(crate) key: Py<PyAny>,
    pub(crate) value: Py<PyAny>,
}

impl PyField {
    fn stands_at(&self, py: Python<'_>, field: &str) -> bool {
        let key = self.key.bind(py).cast::<PyString>();
        key.map_or(true, |key| key.to_string_lossy() == field)
    }
}

impl ForeignValue for PyField {
    fn json(&self) -> Value {
        Python::attach(|py| json::shown(self.value.bind(py)))
    }
}

impl PyData {
    pub(crate) fn new(
        given: Bound<'_, PyDict>,
        defaults: Option<Py<PyDict>>,
        hooks: Py<PyAny>,
        is_guarded: bool,
    ) -> Self {
        Self {
            given: given.unbind(),
            defaults,
            hooks,
            is_guarded,
            collecting: None,
            merged: OnceLock::new(),
            name: OnceLock::new(),
            order: Mutex::new(None),
            shown: OnceLock::new(),
            spare: Mutex::new(None),
        }
    }

    /// Finds the Python data of an event.
    pub(crate) fn of(event: &Event) -> Option<&Self> {
        match &event.data {
            anyhook::core::event::Data::Foreign(foreign) => {
                let any: &dyn std::any::Any = &**foreign;
                any.downcast_ref()
            }
            anyhook::core::event::Data::Json(_) | anyhook::core::event::Data::NoObject(_) => None,
        }
    }

    /// Returns the event's name, as a string of Python's.
    pub(crate) fn name<'a, 'py>(
        &'a self,
        py: Python<'py>,
        event: &Event,
    ) -> &'a Bound<'py, PyString> {
        let name = || PyString::intern(py, event.name.as_str()).unbind();
        self.name.get_or_init(name).bind(py)
    }

    /// Returns a copy of the data for one handler, which also knows the registry. A change of the handler
    /// reaches no other one, however deep it lies.
    pub(crate) fn view<'py>(
        &self,
        py: Python<'py>,
        event: &Event,
        types: &Types,
    ) -> PyResult<Bound<'py, PyAny>> {
        let merged = self.merged(py, event)?;
        let spare = self
            .spare
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(spare) = spare {
            let view = spare.into_bound(py);
            if isolate::is_untouched(view.cast()?, merged) {
                return Ok(view);
            }
        }
        self.copied(py, event, types)
    }

    /// Makes a copy of the data that no handler has had.
    #[inline(never)]
    fn copied<'py>(
        &self,
        py: Python<'py>,
        event: &Event,
        types: &Types,
    ) -> PyResult<Bound<'py, PyAny>> {
        let merged = self.merged(py, event)?;
        let mut unread = Vec::new();
        let mut copied = Vec::new();
        for (key, value) in merged {
            let is_large = isolate::is_large(&value);
            if is_large && !self.is_guarded {
                unread.push(key);
            } else if let Some(copy) = isolate::copy_of(&value, is_large, types)? {
                copied.push((key, copy));
            }
        }
        let is_whole = unread.is_empty();
        let class = if is_whole { &types.view } else { &types.unread };
        let view = class.bind(py).call1((merged,))?;
        let dict: &Bound<'py, PyDict> = view.cast()?;
        for (key, copy) in copied {
            dict.set_item(key, copy)?;
        }
        view.setattr(intern!(py, "_hooks"), &self.hooks)?;
        view.setattr(intern!(py, "_twins"), types.twins(self.name(py, event))?)?;
        if !is_whole {
            view.setattr(intern!(py, "_unread"), PySet::new(py, unread)?)?;
        }
        Ok(view)
    }

    /// Takes a view back from a handler that is done. If nothing else holds it and nothing in it was changed, it serves
    /// the next handler, and no handler can tell the difference.
    pub(crate) fn done_with(&self, view: Bound<'_, PyAny>, types: &Types) {
        if !types.has_lock || holders(&view) != 1 {
            return;
        }
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        *spare = Some(view.unbind());
    }

    /// Returns the data as it stands: what the next handler sees, and what an emit ends with.
    pub(crate) fn merged<'py>(
        &self,
        py: Python<'py>,
        event: &Event,
    ) -> PyResult<&Bound<'py, PyDict>> {
        let merged = match self.merged.get() {
            Some(merged) => merged,
            None => self.merge(py, event)?,
        };
        let merged = merged.bind(py);
        self.reorder(py, merged)?;
        Ok(merged)
    }

    /// Returns the data that an emit ends with: the caller's own where no handler was asked.
    pub(crate) fn merged_or_given<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyDict>> {
        let current = self.current(py);
        self.reorder(py, current)?;
        Ok(current)
    }

    /// Returns the data as it stands, made or not.
    pub(crate) fn current<'py>(&self, py: Python<'py>) -> &Bound<'py, PyDict> {
        self.merged.get().unwrap_or(&self.given).bind(py)
    }

    #[inline(never)]
    fn merge(&self, py: Python<'_>, event: &Event) -> PyResult<&Py<PyDict>> {
        let given = self.given.bind(py);
        let merged = match &self.defaults {
            None => given.copy()?,
            Some(defaults) => {
                let merged = defaults.bind(py).copy()?;
                merged.update(given.as_mapping())?;
                merged
            }
        };
        if event.at.is_some()
            && let Some(Cow::Owned(Value::String(stamp))) = event.get(TIMESTAMP)
        {
            merged.set_item(intern!(py, "timestamp"), stamp)?;
        }
        Ok(self.merged.get_or_init(|| merged.unbind()))
    }

    /// Keeps the mapping that a handler gave as a whole, for its order.
    pub(crate) fn ordered_by(&self, whole: &Bound<'_, PyDict>) {
        let fields = Some(whole.keys().unbind());
        *self.order.lock().unwrap_or_else(PoisonError::into_inner) = fields;
    }

    /// Puts the fields into the order of the last rewrite, where it has the same ones.
    fn reorder(&self, py: Python<'_>, merged: &Bound<'_, PyDict>) -> PyResult<()> {
        let order = self
            .order
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match order {
            None => Ok(()),
            Some(order) => put_into(order.bind(py), merged),
        }
    }

    fn find<'py>(&self, py: Python<'py>, field: &str) -> Option<Bound<'py, PyAny>> {
        if let Some(merged) = self.merged.get() {
            return merged.bind(py).get_item(field).ok().flatten();
        }
        let given = self.given.bind(py).get_item(field).ok().flatten();
        let defaults = || self.defaults.as_ref()?.bind(py).get_item(field).ok()?;
        given.or_else(defaults)
    }
}

impl Foreign for PyData {
    fn text(&self, field: &str) -> Option<Cow<'_, str>> {
        Python::attach(|py| {
            let value = self.find(py, field)?;
            let string = value.cast::<PyString>().ok()?;
            Some(Cow::Owned(string.to_string_lossy().into_owned()))
        })
    }

    fn set(&mut self, field: &str, value: Option<&Datum>) {
        self.shown = OnceLock::new();
        Python::attach(|py| {
            let dict = if let Some(merged) = self.merged.get() {
                merged.bind(py).clone()
            } else {
                let copy = self.given.bind(py).copy();
                let copy = copy.unwrap_or_else(|_| PyDict::new(py));
                let _ = self.merged.set(copy.clone().unbind());
                copy
            };
            let done = match value {
                None => remove(&dict, field),
                Some(Datum::Json(value)) => {
                    json::object(py, value).and_then(|value| dict.set_item(field, value))
                }
                Some(Datum::Foreign(foreign)) => {
                    let any: &dyn std::any::Any = &**foreign;
                    match any.downcast_ref::<PyField>() {
                        Some(given) if given.stands_at(py, field) => {
                            dict.set_item(&given.key, &given.value)
                        }
                        // The program calls the field otherwise.
                        Some(given) => dict.set_item(field, &given.value),
                        None => json::object(py, &foreign.json())
                            .and_then(|value| dict.set_item(field, value)),
                    }
                }
            };
            // A text is hashable and a dict of our own takes it: there is nothing that could fail but memory.
            debug_assert!(done.is_ok());
        });
    }

    fn holds(&self, field: &str, value: Option<&Datum>) -> bool {
        Python::attach(|py| {
            let held = self.find(py, field);
            match (held, value) {
                (None, None) => true,
                (Some(held), Some(Datum::Foreign(foreign))) => {
                    let any: &dyn std::any::Any = &**foreign;
                    any.downcast_ref::<PyField>()
                        .is_some_and(|field| field.value.is(&held))
                }
                (Some(held), Some(Datum::Json(value))) => json::shown(&held) == *value,
                (None, Some(_)) | (Some(_), None) => false,
            }
        })
    }

    fn json(&self) -> Cow<'_, Map> {
        Cow::Borrowed(self.shown.get_or_init(|| {
            Python::attach(|py| {
                let mut all = match (self.merged.get(), &self.defaults) {
                    (None, Some(defaults)) => json::shown_map(defaults.bind(py)),
                    (Some(_), _) | (None, None) => Map::new(),
                };
                all.extend(json::shown_map(self.current(py)));
                all
            })
        }))
    }

    fn copy(&self) -> Box<dyn Foreign> {
        Python::attach(|py| {
            let copy = self.current(py).copy();
            let copy = copy.unwrap_or_else(|_| PyDict::new(py));
            let hooks = self.hooks.clone_ref(py);
            let mut made = Self::new(copy.clone(), None, hooks, self.is_guarded);
            made.collecting = self.collecting;
            if self.merged.get().is_some() {
                made.merged = OnceLock::from(copy.unbind());
            } else {
                made.defaults = self.defaults.as_ref().map(|all| all.clone_ref(py));
            }
            Box::new(made)
        })
    }
}

/// Puts a dict into an order, where that has the same fields.
#[cold]
fn put_into(order: &Bound<'_, PyList>, merged: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = merged.py();
    let ordered = PyDict::new(py);
    for key in order {
        if let Some(value) = merged.get_item(&key)? {
            ordered.set_item(key, value)?;
        }
    }
    if ordered.len() == merged.len() {
        merged.clear();
        merged.update(ordered.as_mapping())?;
    }
    Ok(())
}

/// Counts who holds an object. Without the interpreter's lock the number says nothing about who is about to.
fn holders(object: &Bound<'_, PyAny>) -> isize {
    #[expect(unsafe_code, reason = "PyO3 has no safe function for it any more")]
    // SAFETY: the object is alive as long as the reference to it, and the interpreter is attached.
    unsafe {
        pyo3::ffi::Py_REFCNT(object.as_ptr())
    }
}

/// Removes a field. One whose name is no text of Rust's is found by how it reads.
fn remove(dict: &Bound<'_, PyDict>, field: &str) -> PyResult<()> {
    if dict.contains(field)? {
        return dict.del_item(field);
    }
    let reads_so = |key: &Bound<'_, PyAny>| {
        key.cast::<PyString>()
            .is_ok_and(|key| json::text(key) == field)
    };
    match dict.keys().iter().find(reads_so) {
        Some(key) => dict.del_item(key),
        None => Ok(()),
    }
}
