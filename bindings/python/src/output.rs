//! What a handler prints: held until its answer is known, because the answer may ask to hide it.
//!
//! From the first handler to the end of an emit an [`Output`] stands at `sys.stdout`. It holds what is printed on a thread
//! where a handler runs; what others print while the handler waits, and other threads, goes straight on.

use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::turn::{self, Turn};
use crate::types::Types;

/// Stands at `sys.stdout` while a handler runs; everything but writing is the real one's.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Output {
    real: Py<PyAny>,
}

#[pymethods]
impl Output {
    fn write<'py>(&self, text: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        match text.cast::<PyString>() {
            Ok(held) if turn::is_running() => {
                turn::with(|turn| turn.held.push(held.clone().unbind()));
                Ok(held.len()?.into_pyobject(py)?.into_any())
            }
            Ok(_) | Err(_) => self
                .real
                .bind(py)
                .call_method1(intern!(py, "write"), (text,)),
        }
    }

    fn writelines(&self, lines: Bound<'_, PyAny>) -> PyResult<()> {
        for line in lines.try_iter()? {
            self.write(line?)?;
        }
        Ok(())
    }

    /// What is flushed is to be seen at once: a question at the terminal, most often.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        if turn::is_running() {
            self.show(py, turn::with(|turn| std::mem::take(&mut turn.held)));
        }
        self.real.bind(py).call_method0(intern!(py, "flush"))?;
        Ok(())
    }

    fn __getattr__<'py>(&self, name: Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.real.bind(name.py()).getattr(name)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.real)
    }
}

impl Output {
    fn show(&self, py: Python<'_>, held: Vec<Py<PyString>>) {
        for text in held {
            // A terminal that is gone must not change what a gate says.
            let _ = self
                .real
                .bind(py)
                .call_method1(intern!(py, "write"), (text,));
        }
    }
}

/// Puts the output of this turn in the place of the real one.
pub(crate) fn enter(py: Python<'_>, turn: &mut Turn) -> PyResult<()> {
    let types = Types::get(py)?;
    let Some(now) = types.stdout(py)? else {
        return Ok(());
    };
    // An emit inside a handler finds the one of the outer emit there.
    if now.is_none() || now.is_exact_instance_of::<Output>() {
        return Ok(());
    }
    stand_in(py, turn, now)
}

#[inline(never)]
fn stand_in<'py>(py: Python<'py>, turn: &mut Turn, now: Bound<'py, PyAny>) -> PyResult<()> {
    let types = Types::get(py)?;
    match &turn.output {
        None => {
            let output = Output { real: now.unbind() };
            turn.output = Some(Py::new(py, output)?);
        }
        // Other code redirected it meanwhile, and gets it.
        Some(output) if !output.get().real.is(&now) => return Ok(()),
        Some(_) => {}
    }
    match &turn.output {
        Some(output) => types.set_stdout(output.bind(py)),
        None => Ok(()),
    }
}

/// Puts the real one back.
pub(crate) fn leave(py: Python<'_>, turn: &Turn) -> PyResult<()> {
    let (types, Some(output)) = (Types::get(py)?, &turn.output) else {
        return Ok(());
    };
    let is_there = types.stdout(py)?.is_some_and(|now| output.is(&now));
    if is_there {
        types.set_stdout(output.get().real.bind(py))?;
    }
    Ok(())
}

/// Shows what a handler printed, or drops it where the handler asks for silence.
pub(crate) fn release(py: Python<'_>, types: &Types, is_hidden: bool) {
    if turn::with(|turn| !turn.held.is_empty()) {
        let held = turn::with(|turn| std::mem::take(&mut turn.held));
        if !is_hidden {
            show(py, types, held);
        }
    }
}

#[cold]
fn show(py: Python<'_>, types: &Types, held: Vec<Py<PyString>>) {
    let now = types.stdout(py).ok().flatten();
    let output = now.and_then(|now| now.cast_into_exact::<Output>().ok());
    let output = output.map(Bound::unbind);
    let output = output.or_else(|| turn::with(|turn| Some(turn.output.as_ref()?.clone_ref(py))));
    if let Some(output) = output {
        output.get().show(py, held);
    }
}
