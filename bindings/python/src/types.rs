//! The Python types and functions that the native half needs: handed over once, when the package is imported.

use anyhook::core::taxonomy;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

static TYPES: PyOnceLock<Types> = PyOnceLock::new();

/// What `anyhook` hands over.
#[derive(Debug)]
pub(crate) struct Types {
    pub(crate) result: Py<PyType>,
    pub(crate) allowed: Py<PyType>,
    pub(crate) halted: Py<PyType>,
    pub(crate) injection: Py<PyAny>,
    pub(crate) option: Py<PyAny>,
    unknown_argument: Py<PyType>,
    pub(crate) view: Py<PyAny>,
    /// A view with fields that are copied when they are read.
    pub(crate) unread: Py<PyAny>,
    pub(crate) coroutine: Py<PyAny>,
    pub(crate) cancelled: Py<PyType>,
    /// The fields of a result that says nothing.
    pub(crate) blank: Py<PyDict>,
    /// By event, the other names of each field that has some, the canonical one first.
    twins: Py<PyDict>,
    /// Whether one thread at a time runs Python code.
    pub(crate) has_lock: bool,
    /// The contents of the module `sys`.
    sys: Py<PyDict>,
    new: Py<PyAny>,
    is_awaitable: Py<PyAny>,
    /// `failed(name, event, error)`: logs an exception.
    failed: Py<PyAny>,
    /// `warn(text)`: logs a warning.
    warn: Py<PyAny>,
    /// `within(awaitable, seconds)`: a coroutine that gives up in time.
    within: Py<PyAny>,
    /// `is_cancelling()`: whether the task of this moment is to end.
    is_cancelling: Py<PyAny>,
    /// `coerced(mapping)`: a result made of a mapping.
    coerced: Py<PyAny>,
    /// `isolated(value)`: a copy of what can be changed in place, else the value itself.
    isolated: Py<PyAny>,
    /// `plain(value)`: a value made of what JSON knows.
    plain: Py<PyAny>,
}

/// Hands over what the native half needs from Python; called once, by the package itself.
#[pyfunction]
pub(crate) fn install(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<()> {
    let get = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        let found = given.get_item(name)?;
        found.ok_or_else(|| PyRuntimeError::new_err(format!("`{name}` was not handed over")))
    };
    let class = |name: &str| -> PyResult<Py<PyType>> { Ok(get(name)?.cast_into()?.unbind()) };
    let object = py.import("builtins")?.getattr("object")?;
    let types = Types {
        result: class("HookResult")?,
        allowed: class("Allowed")?,
        halted: class("Halted")?,
        injection: get("ContextInjection")?.unbind(),
        option: get("ApprovalOption")?.unbind(),
        unknown_argument: class("UnknownArgument")?,
        view: get("EventData")?.unbind(),
        unread: get("UnreadData")?.unbind(),
        coroutine: py.import("types")?.getattr("CoroutineType")?.unbind(),
        cancelled: py
            .import("asyncio")?
            .getattr("CancelledError")?
            .cast_into()?
            .unbind(),
        blank: get("blank")?.cast_into()?.unbind(),
        twins: twins(py)?.unbind(),
        has_lock: has_lock(py)?,
        sys: py.import("sys")?.dict().unbind(),
        new: object.getattr("__new__")?.unbind(),
        is_awaitable: py.import("inspect")?.getattr("isawaitable")?.unbind(),
        failed: get("failed")?.unbind(),
        warn: get("warn")?.unbind(),
        within: get("within")?.unbind(),
        is_cancelling: get("is_cancelling")?.unbind(),
        coerced: get("coerced")?.unbind(),
        isolated: get("isolated")?.unbind(),
        plain: get("plain")?.unbind(),
    };
    // A second import of the package hands over the same things.
    let _ = TYPES.set(py, types);
    Ok(())
}

fn twins(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("", PyDict::new(py))?;
    for row in taxonomy::EVENTS.iter().filter(|row| !row.twins.is_empty()) {
        let of_event = PyDict::new(py);
        for (canonical, other) in row.twins {
            let mut names = vec![*canonical];
            names.extend(
                row.twins
                    .iter()
                    .filter(|twin| twin.0 == *canonical)
                    .map(|twin| twin.1),
            );
            for name in [canonical, other] {
                let others: Vec<_> = names.iter().filter(|one| *one != name).collect();
                of_event.set_item(name, PyTuple::new(py, others)?)?;
            }
        }
        all.set_item(row.name, of_event)?;
    }
    Ok(all)
}

fn has_lock(py: Python<'_>) -> PyResult<bool> {
    match py.import("sys")?.getattr_opt("_is_gil_enabled")? {
        Some(is_enabled) => is_enabled.call0()?.extract(),
        // Before 3.13 there always is one.
        None => Ok(true),
    }
}

impl Types {
    /// Returns what was handed over.
    pub(crate) fn get(py: Python<'_>) -> PyResult<&'static Self> {
        let missing = || PyRuntimeError::new_err("import `anyhook`, not `anyhook._core`");
        TYPES.get(py).ok_or_else(missing)
    }

    /// Returns what stands at `sys.stdout` or `sys.stderr`.
    pub(crate) fn stream<'py>(
        &self,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.sys.bind(name.py()).get_item(name)
    }

    pub(crate) fn set_stream(
        &self,
        name: &Bound<'_, PyString>,
        output: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.sys.bind(name.py()).set_item(name, output)
    }

    /// Returns the other names of an event's fields.
    pub(crate) fn twins<'py>(
        &self,
        event: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let all = self.twins.bind(event.py());
        match all.get_item(event)? {
            Some(twins) => Ok(Some(twins)),
            None => all.get_item(""),
        }
    }

    /// Makes a model instance of fields that are known to be valid, without validating them again.
    pub(crate) fn make<'py>(
        &self,
        class: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        let made = self.new.bind(py).call1((class,))?;
        let none = py.None().into_bound(py);
        set(&made, intern!(py, "__dict__"), fields)?;
        set(
            &made,
            intern!(py, "__pydantic_fields_set__"),
            &names(fields)?,
        )?;
        set(&made, intern!(py, "__pydantic_extra__"), &none)?;
        set(&made, intern!(py, "__pydantic_private__"), &none)?;
        Ok(made)
    }

    pub(crate) fn is_awaitable(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let is = self.is_awaitable.bind(object.py()).call1((object,))?;
        is.extract()
    }

    pub(crate) fn failed(&self, py: Python<'_>, name: &str, event: &str, error: &PyErr) {
        // A logger that fails must not change what a gate says.
        let _ = self.failed.bind(py).call1((name, event, error.value(py)));
    }

    /// Tells whether a handler failed while it said that it refuses.
    pub(crate) fn refuses(&self, py: Python<'_>, error: &PyErr) -> bool {
        error.get_type(py).is(self.unknown_argument.bind(py))
            && error
                .value(py)
                .getattr(intern!(py, "refuses"))
                .and_then(|refuses| refuses.is_truthy())
                .unwrap_or(true)
    }

    pub(crate) fn warn(&self, py: Python<'_>, text: &str) {
        let _ = self.warn.bind(py).call1((text,));
    }

    pub(crate) fn within<'py>(
        &self,
        awaitable: &Bound<'py, PyAny>,
        seconds: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let within = self.within.bind(awaitable.py());
        within.call1((awaitable, seconds))
    }

    pub(crate) fn is_cancelling(&self, py: Python<'_>) -> bool {
        let is = self.is_cancelling.bind(py).call0();
        is.and_then(|is| is.extract()).unwrap_or(false)
    }

    pub(crate) fn coerced<'py>(&self, mapping: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.coerced.bind(mapping.py()).call1((mapping,))
    }

    pub(crate) fn isolated<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.isolated.bind(value.py()).call1((value,))
    }

    pub(crate) fn plain<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.plain.bind(value.py()).call1((value,))
    }
}

/// Does what `object.__setattr__` does, without the tuple of arguments that a call of it takes.
fn set(
    object: &Bound<'_, PyAny>,
    name: &Bound<'_, PyString>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    #[expect(unsafe_code, reason = "PyO3 has no such function")]
    // SAFETY: all three are objects that are alive, and the interpreter is attached.
    let done =
        unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if done == 0 {
        Ok(())
    } else {
        Err(PyErr::fetch(object.py()))
    }
}

/// Returns the set of a dict's keys, which Python makes of their known hashes.
fn names<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    #[expect(unsafe_code, reason = "PyO3 makes a set of single elements only")]
    // SAFETY: the dict is alive, and the interpreter is attached. What comes back is a new reference, or nothing and an
    // exception.
    unsafe {
        Bound::from_owned_ptr_or_err(fields.py(), ffi::PySet_New(fields.as_ptr()))
    }
}
