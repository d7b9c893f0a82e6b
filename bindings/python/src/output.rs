//! What a handler prints: held until its answer is known, because the answer may ask to hide it.
//!
//! From the first handler to the end of an emit an [`Output`] stands at `sys.stdout` and another at `sys.stderr`. They hold
//! what is printed on a thread where a handler runs; what others print while the handler waits, and other threads, goes
//! straight on.

use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::turn::{self, Turn};
use crate::types::Types;

/// Stands in the place of a stream while a handler runs; everything but writing is the real one's.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Output {
    real: Py<PyAny>,
}

/// A text that was printed, and where.
pub(crate) struct Printed {
    to: Py<Output>,
    text: Py<PyString>,
}

#[pymethods]
impl Output {
    fn write<'py>(slf: &Bound<'py, Self>, text: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        match text.cast::<PyString>() {
            Ok(held) if turn::is_running() => {
                let printed = Printed {
                    to: slf.clone().unbind(),
                    text: held.clone().unbind(),
                };
                turn::with(|turn| turn.held.push(printed));
                Ok(held.len()?.into_pyobject(py)?.into_any())
            }
            Ok(_) | Err(_) => slf
                .get()
                .real
                .bind(py)
                .call_method1(intern!(py, "write"), (text,)),
        }
    }

    fn writelines<'py>(slf: &Bound<'py, Self>, lines: Bound<'py, PyAny>) -> PyResult<()> {
        for line in lines.try_iter()? {
            Self::write(slf, line?)?;
        }
        Ok(())
    }

    /// What is flushed is to be seen at once: a question at the terminal, most often.
    fn flush(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        if turn::is_running() {
            let held = turn::with(|turn| std::mem::take(&mut turn.held));
            let (here, elsewhere) = held.into_iter().partition(|one| one.to.is(slf));
            turn::with(|turn| turn.held = elsewhere);
            show(py, here);
        }
        let real = slf.get().real.bind(py);
        real.call_method0(intern!(py, "flush"))?;
        Ok(())
    }

    fn __getattr__<'py>(&self, name: Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.real.bind(name.py()).getattr(name)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.real)
    }
}

fn names(py: Python<'_>) -> [&Bound<'_, PyString>; 2] {
    [intern!(py, "stdout"), intern!(py, "stderr")]
}

/// Puts the outputs of this turn in the place of the real streams.
pub(crate) fn enter(py: Python<'_>, turn: &mut Turn) -> PyResult<()> {
    let types = Types::get(py)?;
    for (name, output) in names(py).into_iter().zip(&mut turn.outputs) {
        let Some(now) = types.stream(name)? else {
            continue;
        };
        // An emit inside a handler finds the one of the outer emit there.
        if !now.is_none() && !now.is_exact_instance_of::<Output>() {
            stand_in(types, name, output, &now)?;
        }
    }
    Ok(())
}

#[inline(never)]
fn stand_in(
    types: &Types,
    name: &Bound<'_, PyString>,
    output: &mut Option<Py<Output>>,
    now: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = name.py();
    if output.is_none() {
        let real = now.clone().unbind();
        *output = Some(Py::new(py, Output { real })?);
    }
    match output {
        Some(output) if output.get().real.is(now) => types.set_stream(name, output.bind(py)),
        // Other code redirected it meanwhile, and gets it.
        Some(_) | None => Ok(()),
    }
}

/// Puts the real ones back, and shows what was printed about the last handler, by a logger for example.
pub(crate) fn leave(py: Python<'_>, turn: &mut Turn) -> PyResult<()> {
    let types = Types::get(py)?;
    for (name, output) in names(py).into_iter().zip(&turn.outputs) {
        let Some(output) = output else { continue };
        if types.stream(name)?.is_some_and(|now| output.is(&now)) {
            types.set_stream(name, output.get().real.bind(py))?;
        }
    }
    show(py, std::mem::take(&mut turn.held));
    Ok(())
}

/// Shows what a handler printed, or drops it where the handler asks for silence.
pub(crate) fn release(py: Python<'_>, is_hidden: bool) {
    if turn::with(|turn| !turn.held.is_empty()) {
        let held = turn::with(|turn| std::mem::take(&mut turn.held));
        if !is_hidden {
            show(py, held);
        }
    }
}

fn show(py: Python<'_>, held: Vec<Printed>) {
    for one in held {
        let real = one.to.get().real.bind(py);
        // A terminal that is gone must not change what a gate says.
        let _ = real.call_method1(intern!(py, "write"), (one.text,));
    }
}
