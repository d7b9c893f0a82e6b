//! What an emission and its handlers hand to each other while the engine stands between them.
//!
//! The engine polls a future and knows nothing of Python. What a handler's coroutine yields has to reach the event loop, and
//! what the loop sends back has to reach the coroutine: both lie here, in a place of this thread, for as long as one poll
//! takes. An emit inside a handler puts its own turn there and puts ours back.

use std::cell::RefCell;

use pyo3::prelude::*;

use crate::awaited::Awaited;
use crate::output::{Output, Printed};

thread_local! {
    static TURN: RefCell<Option<Box<Turn>>> = const { RefCell::new(None) };
}

/// What the event loop gives when it resumes us.
#[derive(Debug)]
pub(crate) enum Given {
    /// A value, nearly always `None`.
    Value(Py<PyAny>),
    /// An exception, raised where the handler waits.
    Error(PyErr),
}

/// One answer that was not empty, as its handler gave it.
#[derive(Debug)]
pub(crate) struct Spoken {
    /// Which handler: the address of its slot.
    pub(crate) by: usize,
    pub(crate) name: Box<str>,
    pub(crate) answer: Py<PyAny>,
    /// How many texts for the model are in it.
    pub(crate) texts: usize,
}

/// The state of one emission that is not the engine's.
#[derive(Default)]
pub(crate) struct Turn {
    /// The coroutine that is being awaited.
    pub(crate) current: Option<Awaited>,
    /// The data that its handler has.
    pub(crate) view: Option<Py<PyAny>>,
    /// Whether it was told to give up, and has not ended since.
    pub(crate) was_cancelled: bool,
    pub(crate) given: Option<Given>,
    pub(crate) yielded: Option<Py<PyAny>>,
    /// What no handler may hold back: it ends the emission.
    pub(crate) fatal: Option<PyErr>,
    pub(crate) spoken: Vec<Spoken>,
    /// What stands at `sys.stdout` and at `sys.stderr` while its handlers run.
    pub(crate) outputs: [Option<Py<Output>>; 2],
    /// What the handler has printed.
    pub(crate) held: Vec<Printed>,
}

/// Runs a poll with this turn in place, and returns both.
pub(crate) fn during<T>(turn: Box<Turn>, poll: impl FnOnce() -> T) -> (T, Box<Turn>) {
    let outer = TURN.replace(Some(turn));
    let done = poll();
    let turn = TURN.replace(outer);
    (done, turn.unwrap_or_else(fresh))
}

/// Looks at the turn of this moment. There is one whenever a handler is asked.
pub(crate) fn with<T>(look: impl FnOnce(&mut Turn) -> T) -> T {
    TURN.with_borrow_mut(|turn| look(turn.get_or_insert_with(fresh)))
}

/// Makes a turn of nothing. It is never inlined: the event loop has emptied the caches of the processor between two steps,
/// so what a step does not need is kept out of its way.
#[cold]
pub(crate) fn fresh() -> Box<Turn> {
    Box::default()
}

/// Tells whether a handler runs on this thread.
pub(crate) fn is_running() -> bool {
    TURN.with_borrow(Option::is_some)
}
