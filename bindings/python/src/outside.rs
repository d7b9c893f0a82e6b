//! What lies outside of a registry: hosts' payloads, packages of `hooks.json`, and texts on their way to a model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::Session;
use anyhook::core::event::{Data, Event};
use anyhook::core::fit::Loss;
use anyhook::core::manifest::{Finding, Severity};
use anyhook::core::result::HookResult;
use anyhook::event::{Caller, Context, EventAnswer};
use anyhook::load::{Layer, LoadOptions, ManifestFile, load, parse};
use anyhook::session::{InjectionLimits, Setup};
use anyhook::wires::dialects::amplifier::Flat;
use anyhook::wires::{Host, host, hosts::HOSTS};
use anyhook::world::World;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::json;

/// A result of the engine's own, from hooks outside of this process: it says more than a flat one can.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Composite {
    pub(crate) result: HookResult,
    pub(crate) texts: usize,
}

/// A package of hooks, read from its manifest.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Package {
    file: PathBuf,
    #[pyo3(get)]
    events: Vec<String>,
    #[pyo3(get)]
    names: Vec<String>,
}

#[pymethods]
impl Package {
    /// Reads a manifest; one that cannot be used is an error that says where.
    #[new]
    fn new(py: Python<'_>, file: PathBuf) -> PyResult<Self> {
        let file = py.detach(|| {
            let file = World::real().absolute(&file);
            sound(&file).map(|()| file)
        });
        let file = file.map_err(PyValueError::new_err)?;
        let found = [ManifestFile {
            file: file.clone(),
            layer: Layer::Named,
        }];
        let loaded = py.detach(|| load(&found, None, LoadOptions::default()));
        if loaded.hooks.is_empty() {
            let why: Vec<String> = loaded.remarks.into_iter().map(|one| one.text).collect();
            let why = if why.is_empty() {
                format!("`{}` has no hooks", file.display())
            } else {
                why.join("\n")
            };
            return Err(PyValueError::new_err(why));
        }
        let mut events = Vec::new();
        let mut names = Vec::new();
        for hook in &loaded.hooks {
            let event = hook.event.as_str().to_owned();
            if !events.contains(&event) {
                events.push(event);
            }
            names.push(hook.info.name.to_string());
        }
        Ok(Self {
            file,
            events,
            names,
        })
    }

    /// Asks the package's hooks about an event, on this thread and without the interpreter's lock.
    fn ask(
        &self,
        py: Python<'_>,
        event: &str,
        data: &Bound<'_, PyDict>,
        timeout: Option<f64>,
    ) -> PyResult<Composite> {
        let data = json::shown_map(data);
        let universal = found("universal")?;
        let deadline = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let answered = py.detach(|| {
            let event = Event::new(event, data);
            let payload = universal.write_event(&event).to_string();
            let world = World::real();
            let line = Context {
                hint: Some(event.name.as_str()),
                manifest: Some(self.file.clone()),
                deadline,
                ..Context::new(&world, universal, Caller::Person)
            };
            let mut answered: EventAnswer = line.run(payload.as_bytes());
            answered.settle();
            answered
        });
        let mut result = answered.report.result;
        unattributed(&mut result);
        let texts = result.effects.inject().len();
        Ok(Composite { result, texts })
    }
}

/// Tells everything that is wrong with a manifest, with its places. A command line runs what is left of one; a program
/// that names it wants to know.
fn sound(file: &Path) -> Result<(), String> {
    let shown = file.display();
    let text = std::fs::read(file).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    let placed = |finding: &Finding| {
        let (line, column) = (finding.at.line, finding.at.column);
        format!("{shown}:{line}:{column}: {}", finding.message)
    };
    let parsed = parse(file, &String::from_utf8_lossy(&text)).map_err(|one| placed(&one))?;
    let errors = parsed.findings.iter();
    let errors = errors.filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<String> = errors.map(placed).collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(errors.join("\n"))
}

/// The ids in a result are those of the package's own hooks, which are not known here.
fn unattributed(result: &mut HookResult) {
    if result.effects.get().is_none() {
        return;
    }
    let given = result.effects.edit();
    given.patch.iter_mut().for_each(|one| one.by = None);
    given.inject.iter_mut().for_each(|one| one.by = None);
    given.notify.iter_mut().for_each(|one| one.by = None);
    given.native.iter_mut().for_each(|one| one.by = None);
}

fn found(id: &str) -> PyResult<&'static Host> {
    host(id).ok_or_else(|| PyValueError::new_err(format!("`{id}` is no host")))
}

/// Lists the ids of all hosts.
#[pyfunction]
pub(crate) fn hosts() -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.id()).collect()
}

/// Reads a host's payload: the event's canonical name, and its data.
#[pyfunction]
#[pyo3(signature = (host, payload, event=None))]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    host: &str,
    payload: &[u8],
    event: Option<&str>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let read = found(host)?.read_event(payload, event);
    let event = read.map_err(|error| {
        let at = error.at.map(|(line, column)| format!("{line}:{column}: "));
        PyValueError::new_err(format!("{}{}", at.unwrap_or_default(), error.what))
    })?;
    let data = json::dict(py, &event.data.json())?;
    Ok((event.name.as_str().to_owned(), data))
}

/// Writes a result as a host reads it: standard output, standard error, exit code, and what could not be said.
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    host: &str,
    payload: &[u8],
    event: Option<&str>,
    result: &Bound<'py, PyAny>,
) -> PyResult<(String, String, u8, Bound<'py, PyList>)> {
    let host = found(host)?;
    let event = host
        .read_event(payload, event)
        .map_err(|error| PyValueError::new_err(error.what))?;
    let Value::Object(flat) = json::shown(result) else {
        return Err(PyValueError::new_err("a result is a mapping of its fields"));
    };
    let flat = Flat::from_json(flat).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let said = flat.emitted(&event);
    let (fitted, losses) = anyhook::wires::fitted(host, &event, said, &host.can(&event));
    let reply = host.write_result(&event, &fitted);
    let lost = losses.iter().map(worded);
    let lost = PyList::new(py, lost.collect::<Vec<_>>())?;
    Ok((reply.stdout, reply.stderr, reply.exit, lost))
}

fn worded(loss: &Loss) -> String {
    serde_json::to_string(loss).unwrap_or_else(|_| "a loss that cannot be written".to_owned())
}

/// Returns a text as a model or a person may read it: without what is invisible and what a terminal obeys.
#[pyfunction]
pub(crate) fn clean(text: &Bound<'_, pyo3::types::PyString>) -> String {
    let text = json::text(text);
    Session::own_output(&text, &HookResult::proceed()).unwrap_or_default()
}

/// Holds a text to a limit in bytes: what is longer is cut, and a private file has all of it.
#[pyfunction]
pub(crate) fn cut(py: Python<'_>, text: String, limit: usize) -> PyResult<String> {
    let fitted = py.detach(|| {
        let setup = Setup {
            settings: InjectionLimits {
                injection_size_limit: Some(limit),
                injection_budget_per_turn: None,
                strict: false,
            },
            display: None,
            approvers: Vec::new(),
            ..Setup::terminal()
        };
        let session = Session::with("", setup);
        let event = Event::new("tool:pre", Data::from(Value::Null));
        session.process_blocking(HookResult::proceed().inject(text), &event, "hook")
    });
    if let Some(failed) = fitted.faults.first() {
        return Err(PyValueError::new_err(failed.fault.text.to_string()));
    }
    let texts = fitted.result.effects.inject().iter();
    Ok(texts.map(|one| one.text.as_ref()).collect())
}
