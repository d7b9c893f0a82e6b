//! One emit, from the first handler to the result: what Python awaits.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::{Context, Poll, Waker};

use anyhook::core::event::Datum;
use anyhook::registry::{CollectOutcome, EmitOutcome};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyGeneratorExit, PyRuntimeError, PyStopIteration};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::data::PyField;
use crate::json;
use crate::output;
use crate::project;
use crate::turn::{self, Given, Turn};

/// What an emission came to.
pub(crate) enum Ended {
    /// One result of all handlers.
    Together(Box<EmitOutcome>),
    /// Every handler's own reply.
    Each(Box<CollectOutcome>),
}

type Going = Pin<Box<dyn Future<Output = Ended> + Send>>;

/// An emission that waits for the event loop.
pub(crate) struct Run {
    future: Going,
    /// Nothing while a poll has it.
    turn: Option<Box<Turn>>,
}

/// What a step of an emission came to.
pub(crate) enum Stepped<'py> {
    /// It is over, and this is the result.
    Done(Bound<'py, PyAny>),
    /// A handler waits for this.
    Waits(Bound<'py, PyAny>, Box<Run>),
}

impl Run {
    pub(crate) fn new(future: Going) -> Self {
        Self { future, turn: None }
    }

    /// Goes on until a handler waits, or no handler is left to be asked.
    fn poll<'py>(&mut self, py: Python<'py>, given: Option<Given>) -> PyResult<Polled<'py>> {
        let mut turn = self.turn.take().unwrap_or_else(turn::fresh);
        turn.given = given;
        output::enter(py, &mut turn)?;
        let poll = || {
            let context = &mut Context::from_waker(Waker::noop());
            self.future.as_mut().poll(context)
        };
        let (polled, mut turn) = turn::during(turn, poll);
        if polled.is_ready() || turn.fatal.is_some() {
            output::leave(py, &mut turn)?;
        }
        if let Some(fatal) = turn.fatal.take() {
            return Err(fatal);
        }
        if let Poll::Ready(ended) = polled {
            return said(py, ended, &turn).map(Polled::Done);
        }
        let Some(yielded) = turn.yielded.take() else {
            let text = "a handler waits for nothing that the event loop knows";
            return Err(PyRuntimeError::new_err(text));
        };
        self.turn = Some(turn);
        Ok(Polled::Waits(yielded.into_bound(py)))
    }

    /// Takes the first step.
    pub(crate) fn begin(mut self, py: Python<'_>) -> PyResult<Stepped<'_>> {
        Ok(match self.poll(py, None)? {
            Polled::Done(result) => Stepped::Done(result),
            Polled::Waits(first) => Stepped::Waits(first, Box::new(self)),
        })
    }
}

/// What a poll came to.
enum Polled<'py> {
    Done(Bound<'py, PyAny>),
    Waits(Bound<'py, PyAny>),
}

#[inline(never)]
fn said<'py>(py: Python<'py>, ended: Ended, turn: &Turn) -> PyResult<Bound<'py, PyAny>> {
    let collected = match ended {
        Ended::Together(emitted) => return project::result(py, *emitted, turn),
        Ended::Each(collected) => collected,
    };
    let replies = PyList::empty(py);
    for reply in &collected.replies {
        replies.append(object(py, reply)?)?;
    }
    Ok(replies.into_any())
}

fn object<'py>(py: Python<'py>, datum: &Datum) -> PyResult<Bound<'py, PyAny>> {
    if let Datum::Foreign(foreign) = datum {
        let any: &dyn std::any::Any = &**foreign;
        if let Some(field) = any.downcast_ref::<PyField>() {
            return Ok(field.value.bind(py).clone());
        }
    }
    json::object(py, &datum.json())
}

/// The rest of an emit whose handler waits for the event loop; awaited by `emit` itself.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Emission {
    state: Mutex<State>,
}

struct State {
    /// What the handler waits for, until it was handed to the event loop.
    first: Option<Py<PyAny>>,
    run: Option<Box<Run>>,
}

impl Emission {
    pub(crate) fn new(first: Py<PyAny>, run: Box<Run>) -> Self {
        Self {
            state: Mutex::new(State {
                first: Some(first),
                run: Some(run),
            }),
        }
    }

    /// Locks the state, unless a step is being taken: that holds the lock from its beginning to its end.
    fn state(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn resume<'py>(&self, py: Python<'py>, given: Option<Given>) -> PyResult<Bound<'py, PyAny>> {
        let mut state = self.state().ok_or_else(is_busy)?;
        // An exception that comes before the first wait was seen is raised in the handler all the same.
        if let Some(first) = state.first.take()
            && !matches!(given, Some(Given::Error(_)))
        {
            return Ok(first.into_bound(py));
        }
        let polled = match &mut state.run {
            None => return Err(is_busy()),
            Some(run) => run.poll(py, given),
        };
        let ended = match polled {
            Ok(Polled::Waits(yielded)) => return Ok(yielded),
            Ok(Polled::Done(result)) => PyStopIteration::new_err((result.unbind(),)),
            Err(error) => error,
        };
        let run = state.run.take();
        // What is dropped may run Python code, which may come back here.
        drop(state);
        drop(run);
        Err(ended)
    }
}

#[cold]
fn is_busy() -> PyErr {
    PyRuntimeError::new_err("this emit is over, or being run")
}

#[pymethods]
impl Emission {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.resume(py, None)
    }

    fn send<'py>(&self, py: Python<'py>, value: Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.resume(py, Some(Given::Value(value)))
    }

    #[pyo3(signature = (kind, value=None, _traceback=None))]
    fn throw<'py>(
        &self,
        py: Python<'py>,
        kind: Bound<'py, PyAny>,
        value: Option<Bound<'py, PyAny>>,
        _traceback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let error = match value {
            Some(value) if kind.is_callable() => kind.call1((value,))?,
            Some(_) | None => kind,
        };
        self.resume(py, Some(Given::Error(PyErr::from_value(error))))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let has_run = self.state().map(|state| state.run.is_some());
        if has_run != Some(true) {
            return Ok(());
        }
        let error = PyGeneratorExit::new_err(());
        match self.resume(py, Some(Given::Error(error))) {
            Ok(_) => Err(PyRuntimeError::new_err("a handler ignored GeneratorExit")),
            Err(error) if error.is_instance_of::<PyGeneratorExit>(py) => Ok(()),
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Who holds the lock is running, and whatever runs is alive.
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        visit.call(&state.first)?;
        let Some(turn) = state.run.as_ref().and_then(|run| run.turn.as_ref()) else {
            return Ok(());
        };
        if let Some(current) = &turn.current {
            visit.call(current.object())?;
        }
        visit.call(&turn.view)?;
        for output in &turn.outputs {
            visit.call(output)?;
        }
        for spoken in &turn.spoken {
            visit.call(&spoken.answer)?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let state = self
            .state
            .try_lock()
            .map(|mut state| (state.first.take(), state.run.take()));
        drop(state);
    }
}
