//! Driving a Python awaitable by hand, one step at a time.

use pyo3::exceptions::{PyAttributeError, PyStopIteration};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use pyo3::types::iterator::PySendResult;

use crate::types::Types;

/// An awaitable that has begun, or is about to.
#[derive(Debug)]
pub(crate) struct Awaited(Py<PyAny>);

/// What one step came to.
pub(crate) enum Step<'py> {
    /// It waits for something of the event loop's.
    Yielded(Bound<'py, PyAny>),
    /// It is over.
    Returned(Bound<'py, PyAny>),
}

impl Awaited {
    /// Returns what `await` would drive, or nothing if the object cannot be awaited.
    pub(crate) fn of(object: &Bound<'_, PyAny>, types: &Types) -> PyResult<Option<Self>> {
        let py = object.py();
        if object.get_type().is(types.coroutine.bind(py)) {
            return Ok(Some(Self(object.clone().unbind())));
        }
        match object.call_method0(intern!(py, "__await__")) {
            Ok(steps) => Ok(Some(Self(steps.unbind()))),
            Err(error) if !error.is_instance_of::<PyAttributeError>(py) => Err(error),
            // A generator that `types.coroutine` made awaitable has no method to say so.
            Err(_) => Ok(types
                .is_awaitable(object)?
                .then(|| Self(object.clone().unbind()))),
        }
    }

    pub(crate) fn object(&self) -> &Py<PyAny> {
        &self.0
    }

    /// Sends a value in: nothing to begin with, and whatever the event loop answers after that.
    pub(crate) fn send<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Step<'py>> {
        let py = value.py();
        #[expect(
            unsafe_code,
            reason = "`PyIter_Send` takes any object, and PyO3 offers it for its own iterator type only"
        )]
        // SAFETY: the cast is used for `PyIter_Send` alone, which asks the object's type for `am_send`, `__next__` or
        // `send` and raises where it has none of them. A coroutine has the first and is no iterator.
        let steps = unsafe { self.0.bind(py).cast_unchecked::<PyIterator>() };
        Ok(match steps.send(value)? {
            PySendResult::Next(yielded) => Step::Yielded(yielded),
            PySendResult::Return(value) => Step::Returned(value),
        })
    }

    /// Raises an exception at the place where it waits.
    pub(crate) fn throw<'py>(&self, py: Python<'py>, error: PyErr) -> PyResult<Step<'py>> {
        let Ok(throw) = self.0.bind(py).getattr(intern!(py, "throw")) else {
            return Err(error);
        };
        match throw.call1((error.into_value(py),)) {
            Ok(yielded) => Ok(Step::Yielded(yielded)),
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
                let value = error.value(py).getattr(intern!(py, "value"))?;
                Ok(Step::Returned(value))
            }
            Err(error) => Err(error),
        }
    }
}
