//! The registry itself, and what registering gives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use anyhook::core::event::{Data, EventName, Foreign};
use anyhook::core::hook::{Hook, OnFault};
use anyhook::core::matcher::Matcher;
use anyhook::core::taxonomy;
use anyhook::registry::{Handle, Ledger, Patience, Rules};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

use crate::data::PyData;
use crate::emission::{Emission, Ended, Run, Stepped};
use crate::handler::{PyHandler, Slot};
use crate::json::shown_map;

/// The part of `HookRegistry` that is not Python's.
#[pyclass(subclass, frozen, weakref, module = "anyhook._core")]
pub(crate) struct Registry {
    hooks: anyhook::HookRegistry,
    slots: Mutex<Slots>,
    defaults: Mutex<Option<Py<PyDict>>>,
    /// Whether there ever was a guard here.
    is_guarded: AtomicBool,
}

#[derive(Default)]
struct Slots {
    all: Vec<Weak<Slot>>,
    /// At this many they are looked through for those that are gone.
    full: usize,
}

impl Registry {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, slot: &Arc<Slot>) {
        let mut slots = self.slots();
        if slots.all.len() >= slots.full {
            slots.all.retain(|slot| slot.strong_count() > 0);
            slots.full = slots.all.len() * 2 + 16;
        }
        slots.all.push(Arc::downgrade(slot));
    }

    /// Returns the data of an emission.
    fn data(
        slf: &Bound<'_, Self>,
        given: &Bound<'_, PyAny>,
        collecting: Option<f64>,
    ) -> PyResult<Data> {
        let py = slf.py();
        let given = match given.cast_exact::<PyDict>() {
            Ok(dict) => dict.clone(),
            Err(_) => mapping(given)?,
        };
        let defaults = {
            let this = slf.get();
            let defaults = this.defaults.lock().unwrap_or_else(PoisonError::into_inner);
            defaults.as_ref().map(|defaults| defaults.clone_ref(py))
        };
        let hooks = slf.clone().into_any().unbind();
        let is_guarded = slf.get().is_guarded.load(Ordering::Acquire);
        let mut data = PyData::new(given, defaults, hooks, is_guarded);
        data.collecting = collecting;
        let data: Box<dyn Foreign> = Box::new(data);
        Ok(data.into())
    }
}

/// Takes any mapping, a pydantic model, or nothing at all.
fn mapping<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = given.py();
    if given.is_none() {
        return Ok(PyDict::new(py));
    }
    if given.hasattr(intern!(py, "keys"))? {
        return Ok(py.get_type::<PyDict>().call1((given,))?.cast_into()?);
    }
    // A model of pydantic is read field by field: its values stay what they are. What only looks like one is asked for them.
    let class = given.get_type();
    let made = if class.hasattr(intern!(py, "model_fields"))? {
        py.get_type::<PyDict>().call1((given,))?
    } else if given.hasattr(intern!(py, "model_dump"))? {
        given.call_method0(intern!(py, "model_dump"))?
    } else {
        let text = format!("an event's data is a mapping, not {}", class.name()?);
        return Err(PyTypeError::new_err(text));
    };
    Ok(made.cast_into()?)
}

#[pymethods]
impl Registry {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            hooks: anyhook::HookRegistry::new(),
            slots: Mutex::default(),
            defaults: Mutex::default(),
            is_guarded: AtomicBool::new(false),
        }
    }

    #[pyo3(signature = (event, handler, priority, name, *, guard=false, once=false, on_fault=None, matcher=None, timeout=None, shadow=false, module=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the keywords of a Python function"
    )]
    fn _register(
        &self,
        event: &str,
        handler: Bound<'_, PyAny>,
        priority: i32,
        name: &str,
        guard: bool,
        once: bool,
        on_fault: Option<&str>,
        matcher: Option<&str>,
        timeout: Option<f64>,
        shadow: bool,
        module: Option<&Module>,
    ) -> PyResult<Unregister> {
        let slot = Arc::new(Slot {
            call: Mutex::new(Some(handler.unbind())),
            name: name.into(),
            event: EventName::new(event).as_str().into(),
            priority,
            is_guard: guard,
            timeout,
            counts: !shadow,
            warned: AtomicBool::new(false),
        });
        let handler = PyHandler(Arc::clone(&slot));
        let mut hook = Hook::in_process(event, name, handler).priority(priority);
        if let Some(matcher) = matcher {
            let matcher = Matcher::parse(matcher);
            hook = hook.when(matcher.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        if guard {
            self.is_guarded.store(true, Ordering::Release);
            hook = hook.guard();
        }
        if let Some(rule) = on_fault {
            hook = hook.on_fault(rule_of(rule)?);
        }
        if once {
            hook = hook.once();
        }
        if shadow {
            hook = hook.shadow();
        }
        self.keep(&slot);
        let handle = match module {
            Some(Module { ledger }) => self.hooks.accounted(Arc::clone(ledger)).register(hook),
            None => self.hooks.register(hook),
        };
        Ok(Unregister { handle })
    }

    fn _unregister(&self, name: &str) -> bool {
        self.hooks.unregister(name)
    }

    fn _set_defaults(&self, fields: Bound<'_, PyDict>) {
        let fields = (!fields.is_empty()).then(|| fields.unbind());
        let earlier = {
            let mut defaults = self.defaults.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *defaults, fields)
        };
        drop(earlier);
    }

    /// Begins an emit: returns its result, or what is left to be awaited.
    fn _emit<'py>(
        slf: &Bound<'py, Self>,
        event: String,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let data = Self::data(slf, data, None)?;
        let hooks = slf.get().hooks.clone();
        let future = async move { Ended::Together(Box::new(hooks.emit(&event, data).await)) };
        begun(slf.py(), Run::new(Box::pin(future)))
    }

    /// Begins to collect replies: returns them, or what is left to be awaited.
    fn _collect<'py>(
        slf: &Bound<'py, Self>,
        event: String,
        data: &Bound<'py, PyAny>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let patience = match timeout {
            None => Patience::from(Duration::MAX),
            Some(seconds) => Patience::seconds(seconds)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
        };
        let data = Self::data(slf, data, Some(timeout.unwrap_or(300.0)))?;
        let hooks = slf.get().hooks.clone();
        let future = async move {
            let collected = hooks.emit_and_collect(&event, data, patience).await;
            Ended::Each(Box::new(collected))
        };
        begun(slf.py(), Run::new(Box::pin(future)))
    }

    #[pyo3(signature = (event=None))]
    fn _names<'py>(&self, py: Python<'py>, event: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (name, all) in self.hooks.list_handlers(event) {
            names.set_item(name, all)?;
        }
        Ok(names)
    }

    /// Lists who is registered: (event, name, priority, handler, guard), in the order of registration.
    fn _rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        let alive: Vec<Arc<Slot>> = self.slots().all.iter().filter_map(Weak::upgrade).collect();
        for slot in alive {
            let call = {
                let call = slot.call.lock().unwrap_or_else(PoisonError::into_inner);
                call.as_ref().map(|call| call.clone_ref(py))
            };
            rows.append((
                &*slot.event,
                &*slot.name,
                slot.priority,
                call,
                slot.is_guard,
            ))?;
        }
        Ok(rows)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(defaults) = self.defaults.try_lock() {
            visit.call(&*defaults)?;
        }
        let Ok(slots) = self.slots.try_lock() else {
            return Ok(());
        };
        for slot in slots.all.iter().filter_map(Weak::upgrade) {
            if let Ok(call) = slot.call.try_lock() {
                visit.call(&*call)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let defaults = self.defaults.try_lock().map(|mut defaults| defaults.take());
        drop(defaults);
        let slots: Vec<Arc<Slot>> = match self.slots.try_lock() {
            Ok(slots) => slots.all.iter().filter_map(Weak::upgrade).collect(),
            Err(_) => return,
        };
        for slot in slots {
            let call = slot.call.try_lock().map(|mut call| call.take());
            drop(call);
        }
    }
}

fn begun(py: Python<'_>, run: Run) -> PyResult<Bound<'_, PyAny>> {
    match run.begin(py)? {
        Stepped::Done(result) => Ok(result),
        Stepped::Waits(first, run) => {
            let emission = Emission::new(first.unbind(), run);
            Ok(Bound::new(py, emission)?.into_any())
        }
    }
}

fn rule_of(word: &str) -> PyResult<OnFault> {
    match word {
        "continue" => Ok(OnFault::Continue),
        "deny" => Ok(OnFault::Deny),
        "halt" => Ok(OnFault::Halt),
        other => {
            let text = format!("`{other}` is no rule for a failure: say continue, deny or halt");
            Err(PyValueError::new_err(text))
        }
    }
}

/// Removes one registration when it is called; twice is once.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Unregister {
    handle: Handle,
}

#[pymethods]
impl Unregister {
    fn __call__(&self) {
        self.handle.unregister();
    }

    fn __repr__(&self) -> String {
        format!("<unregister '{}'>", self.handle.name())
    }
}

/// What one module registers, under the rules that its mount plan sets.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Module {
    ledger: Arc<Ledger>,
}

#[pymethods]
impl Module {
    /// `rules` has `enabled_events` and `log_level`, where the plan says them.
    #[new]
    fn new(priority: Option<i32>, rules: &Bound<'_, PyDict>) -> PyResult<Self> {
        let told = serde_json::from_value::<Rules>(Value::Object(shown_map(rules)));
        let rules = Rules {
            priority,
            ..told.map_err(|error| PyValueError::new_err(error.to_string()))?
        };
        let ledger = Arc::new(Ledger::new(rules));
        Ok(Self { ledger })
    }

    fn take_back(&self) {
        self.ledger.take_back();
    }
}

/// Returns the canonical spelling of an event's name.
#[pyfunction]
pub(crate) fn canonical_name(name: &str) -> String {
    EventName::new(name).as_str().to_owned()
}

/// Returns the event that was probably meant by a name that is none.
#[pyfunction]
pub(crate) fn meant_event(name: &str) -> Option<&'static str> {
    let event = EventName::new(name);
    let is_known = event.spec().is_some() || event.stands_for_known();
    (!is_known).then(|| taxonomy::suggest(name)).flatten()
}

/// Lists the rows of the taxonomy: (name, summary, class).
#[pyfunction]
pub(crate) fn event_rows() -> Vec<(&'static str, &'static str)> {
    let rows = taxonomy::EVENTS.iter();
    rows.map(|row| (row.name, row.summary)).collect()
}
