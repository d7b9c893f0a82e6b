//! A Python callable as a handler of the engine's registry.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use anyhook::core::event::Event;
use anyhook::core::fault::{Fault, FaultKind};
use anyhook::core::handler::{HandlerReply, HandlerResult, HookHandler};
use anyhook::core::result::HookResult;
use pyo3::exceptions::PyException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::answer;
use crate::awaited::{Awaited, Step};
use crate::data::PyData;
use crate::output;
use crate::outside::Composite;
use crate::turn::{self, Given, Spoken};
use crate::types::Types;

/// Where a handler lies, so that Python's garbage collector can see it from the registry and take it away.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) call: Mutex<Option<Py<PyAny>>>,
    pub(crate) name: Box<str>,
    pub(crate) event: Box<str>,
    pub(crate) priority: i32,
    pub(crate) is_guard: bool,
    /// How many seconds an answer may take; nothing means as many as it likes.
    pub(crate) timeout: Option<f64>,
    /// Whether its answers count: it decides, and is not tried out.
    pub(crate) counts: bool,
    pub(crate) warned: AtomicBool,
}

/// The handler that the engine asks.
#[derive(Debug)]
pub(crate) struct PyHandler(pub(crate) Arc<Slot>);

impl HookHandler for PyHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        Python::attach(|py| match self.0.ask(py, event) {
            Ok(Some(said)) => HandlerReply::Ready(said),
            Ok(None) => HandlerReply::Pending(Box::pin(Answering {
                slot: &self.0,
                event,
                has_begun: false,
            })),
            Err(error) => self.0.raised(py, event, error),
        })
    }
}

/// What a call came to.
enum First<'py> {
    Said(HandlerResult),
    /// Its coroutine waits for something of the event loop's.
    Waits(Awaited, Bound<'py, PyAny>),
}

/// An answer that takes a while: its coroutine waits in the turn of the emission.
struct Answering<'a> {
    slot: &'a Slot,
    event: &'a Event,
    has_begun: bool,
}

impl Future for Answering<'_> {
    type Output = HandlerResult;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<HandlerResult> {
        // The first poll follows at once, and what was yielded already lies in the turn.
        if !std::mem::replace(&mut self.has_begun, true) {
            return Poll::Pending;
        }
        Python::attach(|py| match self.slot.go_on(py, self.event) {
            Ok(Some(said)) => Poll::Ready(said),
            Ok(None) => Poll::Pending,
            Err(error) => match self.slot.raised(py, self.event, error) {
                HandlerReply::Ready(said) => Poll::Ready(said),
                HandlerReply::Pending(_) => Poll::Pending,
            },
        })
    }
}

impl Slot {
    /// Calls the handler; nothing means that it waits for the event loop.
    fn ask(&self, py: Python<'_>, event: &Event) -> PyResult<Option<HandlerResult>> {
        let types = Types::get(py)?;
        let call = {
            let call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
            call.as_ref().map(|call| call.clone_ref(py))
        };
        let Some(call) = call else {
            let text = "the handler is gone with its registry";
            return Ok(Some(Err(Fault::new(FaultKind::NotStarted, text).into())));
        };
        let Some(data) = PyData::of(event) else {
            let text = "the event was not emitted from Python";
            return Ok(Some(Err(Fault::new(FaultKind::NotStarted, text).into())));
        };
        let view = data.view(py, event, types)?;
        let answer = called(call.bind(py), data.name(py, event), &view)?;
        match self.first(answer, event, data, types)? {
            First::Said(said) => {
                self.show(py, &said);
                data.done_with(view, types);
                Ok(Some(said))
            }
            First::Waits(awaited, yielded) => {
                turn::with(|turn| {
                    turn.view = Some(view.unbind());
                    turn.current = Some(awaited);
                    turn.yielded = Some(yielded.unbind());
                });
                Ok(None)
            }
        }
    }

    /// Shows what it has printed, unless its answer asks for silence.
    fn show(&self, py: Python<'_>, said: &HandlerResult) {
        let effects = said.as_ref().ok().and_then(|said| said.effects.get());
        let is_quiet = effects.is_some_and(|effects| effects.suppress_output);
        output::release(py, is_quiet && self.counts);
    }

    /// Takes what the call returned: an answer, or something that has to be awaited for it.
    fn first<'py>(
        &self,
        answer: Bound<'py, PyAny>,
        event: &Event,
        data: &PyData,
        types: &Types,
    ) -> PyResult<First<'py>> {
        let py = answer.py();
        if answer.get_type().is(types.result.bind(py)) {
            return self.read(&answer, event, types).map(First::Said);
        }
        let seconds = data.collecting.into_iter().chain(self.timeout);
        let answer = match seconds.reduce(f64::min) {
            Some(seconds) if is_awaitable(&answer, types)? => types.within(&answer, seconds)?,
            Some(_) | None => answer,
        };
        let Some(awaited) = Awaited::of(&answer, types)? else {
            return self.read(&answer, event, types).map(First::Said);
        };
        match awaited.send(&py.None().into_bound(py))? {
            Step::Yielded(yielded) => Ok(First::Waits(awaited, yielded)),
            Step::Returned(answer) => self.read(&answer, event, types).map(First::Said),
        }
    }

    /// Resumes the handler's coroutine with what the event loop gave.
    fn go_on(&self, py: Python<'_>, event: &Event) -> PyResult<Option<HandlerResult>> {
        let types = Types::get(py)?;
        let (current, given) = turn::with(|turn| (turn.current.take(), turn.given.take()));
        let Some(current) = current else {
            return Ok(None);
        };
        let step = match given {
            Some(Given::Error(error)) => {
                if error.get_type(py).is_subclass(types.cancelled.bind(py))? {
                    turn::with(|turn| turn.was_cancelled = true);
                }
                current.throw(py, error)
            }
            Some(Given::Value(value)) => current.send(value.bind(py)),
            None => current.send(&py.None().into_bound(py)),
        };
        let step = match step {
            Ok(Step::Yielded(yielded)) => {
                turn::with(|turn| {
                    turn.current = Some(current);
                    turn.yielded = Some(yielded.unbind());
                });
                return Ok(None);
            }
            Ok(Step::Returned(answer)) => Ok(answer),
            Err(error) => Err(error),
        };
        // A coroutine that is over still holds nothing of the view, and is gone before the view is looked at.
        drop(current);
        let (view, was_cancelled) =
            turn::with(|turn| (turn.view.take(), std::mem::take(&mut turn.was_cancelled)));
        let answer = step?;
        if was_cancelled && types.is_cancelling(py) {
            // The handler held back the request to end the task. A hook may not keep its caller alive.
            let error = PyErr::from_value(types.cancelled.bind(py).call0()?);
            turn::with(|turn| turn.fatal = Some(error));
            return Ok(None);
        }
        let said = self.read(&answer, event, types)?;
        drop(answer);
        self.show(py, &said);
        if let (Some(view), Some(data)) = (view, PyData::of(event)) {
            data.done_with(view.into_bound(py), types);
        }
        Ok(Some(said))
    }

    /// Reads what the handler returned.
    fn read(
        &self,
        answer: &Bound<'_, PyAny>,
        event: &Event,
        types: &Types,
    ) -> PyResult<HandlerResult> {
        let is_result = answer.get_type().is(types.result.bind(answer.py()));
        if is_result && answer::is_plain(answer, types) {
            return Ok(Ok(HookResult::proceed()));
        }
        self.read_closely(answer, event, types)
    }

    #[inline(never)]
    fn read_closely(
        &self,
        answer: &Bound<'_, PyAny>,
        event: &Event,
        types: &Types,
    ) -> PyResult<HandlerResult> {
        let py = answer.py();
        if let Ok(composite) = answer.cast::<Composite>() {
            let composite = composite.get();
            if self.counts && !composite.result.is_identity() {
                self.speak(answer, composite.texts);
            }
            return Ok(Ok(composite.result.clone()));
        }
        let made;
        let result = if answer.is_instance(types.result.bind(py))? {
            answer
        } else if answer.is_instance_of::<PyDict>() {
            match types.coerced(answer) {
                Ok(coerced) => {
                    self.warn_once(py, types, "a dict", "it is read as a HookResult");
                    made = coerced;
                    &made
                }
                Err(_) => return Ok(self.wrong(answer, types)),
            }
        } else {
            return Ok(self.wrong(answer, types));
        };
        let collecting = PyData::of(event).is_some_and(|data| data.collecting.is_some());
        let Some(read) = answer::read(result, event, types, collecting)? else {
            return Ok(Ok(HookResult::proceed()));
        };
        if self.counts && read.said.is_ok() {
            self.speak(result, read.texts);
        }
        Ok(read.said)
    }

    /// Keeps an answer as it was given, for the words that Rust's texts cannot hold and the data that JSON cannot. The
    /// second asking of a guard adds a verdict and nothing else, so it is not kept.
    fn speak(&self, answer: &Bound<'_, PyAny>, texts: usize) {
        let by = std::ptr::from_ref(self).addr();
        let spoken = Spoken {
            by,
            name: self.name.clone(),
            answer: answer.clone().unbind(),
            texts,
        };
        turn::with(|turn| {
            if turn.spoken.iter().all(|earlier| earlier.by != by) {
                turn.spoken.push(spoken);
            }
        });
    }

    /// What is no result is a warning and ignored, and a failure of a guard.
    fn wrong(&self, answer: &Bound<'_, PyAny>, types: &Types) -> HandlerResult {
        let class = answer.get_type().to_string();
        if self.is_guard {
            let text = format!("it returned {class}, which is no HookResult");
            types.warn(
                answer.py(),
                &format!("hook handler `{}`: {text}", self.name),
            );
            return Err(Box::new(Fault::new(FaultKind::InvalidAnswer, text)));
        }
        let text = format!(
            "hook handler `{}` for `{}` returned {class}, which is no HookResult: ignored",
            self.name, self.event
        );
        types.warn(answer.py(), &text);
        Ok(HookResult::proceed())
    }

    fn warn_once(&self, py: Python<'_>, types: &Types, what: &str, so: &str) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            let text = format!("hook handler `{}` returned {what}: {so}", self.name);
            types.warn(py, &text);
        }
    }

    /// An exception is a failure of the handler, except where it is not the handler's own: the task is cancelled, the
    /// program is to end.
    #[inline(never)]
    fn raised<'a>(&self, py: Python<'_>, event: &Event, error: PyErr) -> HandlerReply<'a> {
        turn::with(|turn| turn.was_cancelled = false);
        let Ok(types) = Types::get(py) else {
            return HandlerReply::Ready(Err(
                Fault::new(FaultKind::Errored, error.to_string()).into()
            ));
        };
        output::release(py, false);
        let cancelled = types.cancelled.bind(py);
        let is_cancelled = error.get_type(py).is_subclass(cancelled).unwrap_or(false);
        let is_own = if is_cancelled {
            !types.is_cancelling(py)
        } else {
            error.is_instance_of::<PyException>(py)
        };
        if !is_own {
            turn::with(|turn| turn.fatal = Some(error));
            return HandlerReply::Pending(Box::pin(pending()));
        }
        types.failed(py, &self.name, event.name.as_str(), &error);
        let text = error.to_string();
        if types.refuses(py, &error) {
            return HandlerReply::Ready(Ok(HookResult::deny(text)));
        }
        HandlerReply::Ready(Err(Fault::new(FaultKind::Errored, text).into()))
    }
}

/// Calls a handler. `PyO3` makes a tuple of the arguments, which no Python function needs.
fn called<'py>(
    call: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    view: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    #[expect(
        unsafe_code,
        reason = "the stable ABI has nothing safe that does without the tuple"
    )]
    // SAFETY: all three are objects that are alive, and a null pointer ends the arguments. What comes back is a new
    // reference, or nothing and an exception.
    unsafe {
        let end = std::ptr::null_mut::<ffi::PyObject>();
        let (name, view) = (name.as_ptr(), view.as_ptr());
        let answer = ffi::PyObject_CallFunctionObjArgs(call.as_ptr(), name, view, end);
        Bound::from_owned_ptr_or_err(call.py(), answer)
    }
}

fn is_awaitable(answer: &Bound<'_, PyAny>, types: &Types) -> PyResult<bool> {
    Ok(answer.get_type().is(types.coroutine.bind(answer.py())) || types.is_awaitable(answer)?)
}
