//! Watching a module in a session of its own: it is mounted, asked about samples, and unmounted.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhook_core::event::{Event, EventName};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::Hook;
use anyhook_core::report::Report;
use anyhook_core::result::Verdict;
use anyhook_core::taxonomy::EVENTS;
use anyhook_engine::Session;
use anyhook_engine::session::{HookFailure, OBSERVABLE, SessionOrigin, Setup};
use anyhook_registry::registry::{Registration, Rules, wait};
use serde_json::Value;

use super::catalogue::FoundModule;
use super::module::{self, ExecutionMode, ModuleProblem, MountError};
use super::plan::ModuleEntry;
use super::sample::{self, EventSample};

/// Whether handlers that start processes are asked.
///
/// ```
/// use anyhook::mounts::TrialMode;
/// assert_eq!(TrialMode::default(), TrialMode::Look);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TrialMode {
    /// No: they are looked at.
    #[default]
    Look,
    /// Yes: they run.
    Run,
}

/// Everything that was seen of one module.
#[derive(Default)]
pub(super) struct Observation {
    pub(super) asking: ExecutionMode,
    pub(super) not_found: Option<MountError>,
    pub(super) not_mounted: Option<MountError>,
    pub(super) registered: Vec<Registration>,
    pub(super) cleanups: usize,
    seen: Vec<ModuleProblem>,
    pub(super) not_ready: Vec<HookFailure>,
    /// Why its handlers were not asked.
    pub(super) not_asked: Option<&'static str>,
    pub(super) asked: Vec<SampleAnswer>,
    /// The events that it emitted and that the catalogue does not know.
    emitted: BTreeSet<String>,
    /// The events that it says it emits.
    contributed: Vec<EventName>,
    pub(super) not_cleaned: Vec<HookFailure>,
    /// The handlers that are still in the session after its end.
    pub(super) left: Vec<String>,
}

impl Observation {
    /// Tells why nothing more can be said, where it did not come so far.
    pub(super) fn ended_early(&self) -> Option<&'static str> {
        match (&self.not_found, &self.not_mounted) {
            (Some(_), _) => Some("it could not be loaded"),
            (None, Some(_)) => Some("it could not be mounted"),
            (None, None) if self.registered.is_empty() => Some("it registers nothing"),
            (None, None) => None,
        }
    }

    /// Judges by what was seen without mounting.
    pub(super) fn seen_by(&self, check: &str) -> Option<ModuleProblem> {
        let mut seen = self.seen.iter();
        seen.find(|seen| seen.check == check).cloned()
    }

    /// Says which handler failed in one of these ways.
    pub(super) fn failing(&self, is_wanted: fn(FaultKind) -> bool) -> Option<String> {
        self.asked.iter().find_map(|asked| {
            let fault = asked.fault(is_wanted)?;
            Some(format!("{}: {}", asked.place(), fault.text))
        })
    }

    /// Returns an event that it emits and does not declare.
    pub(super) fn hidden_event(&self) -> Option<&String> {
        let is_covered = |event: &String| {
            let event = EventName::new(event);
            self.contributed.iter().any(|name| name.covers(&event))
        };
        self.emitted.iter().find(|event| !is_covered(event))
    }
}

/// Watches a module that was found.
pub(super) fn watch(
    found: Result<FoundModule, MountError>,
    entry: &ModuleEntry,
    trial: TrialMode,
) -> Observation {
    let mut watched = Observation::default();
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            watched.not_found = Some(error);
            return watched;
        }
    };
    watched.asking = found.module.asking();
    watched.seen = found.module.look();
    if watched.asking == ExecutionMode::Processes && trial == TrialMode::Look {
        watched.not_asked = Some("its commands are not started here; `anyhook test` runs them");
    }
    in_session(&found, entry, &mut watched);
    watched
}

/// The name of our own listener.
const LISTENER: &str = "anyhook:validate";

/// The names of events that are emitted in a session, and that are not known.
fn listen(session: &Session) -> Receiver<String> {
    let (tell, heard) = channel();
    let listen = move |event: &Event| {
        if event.name.spec().is_none() {
            // What is emitted after the validation is not counted.
            let _ = tell.send(event.name.as_str().to_owned());
        }
    };
    let hook = Hook::on("*", listen).named(LISTENER);
    session.hooks().register(hook.observing());
    heard
}

fn in_session(found: &FoundModule, entry: &ModuleEntry, watched: &mut Observation) {
    let session = Session::with("validation", Setup::default());
    let heard = listen(&session);
    // What the plan says of priorities is not what the module asked for.
    let rules = Rules {
        priority: None,
        ..entry.rules.clone()
    };
    let scoped = session.scoped(&entry.module, rules);
    let mount = module::mount(&*found.module, &scoped, &entry.module, &entry.config);
    let mounted = wait(mount);
    watched.registered = scoped.registered();
    watched.cleanups = scoped.cleanups();
    if let Err(error) = mounted {
        watched.not_mounted = Some(error);
        wait(scoped.take_back());
        return;
    }
    if watched.not_asked.is_none() {
        let begun = session.start_blocking(SessionOrigin::New);
        let begun = begun.map(|acted| acted.processed.faults);
        watched.not_ready = begun.unwrap_or_default();
        watched.registered = scoped.registered();
        watched.cleanups = watched.cleanups.max(scoped.cleanups());
        watched.asked = ask(&session, &watched.registered);
    }
    let contributed = session.collect_contributions_blocking(OBSERVABLE);
    let contributed = contributed.values().flat_map(texts);
    watched.contributed = contributed.map(EventName::new).collect();
    watched.not_cleaned = wait(scoped.take_back());
    // What we asked about ourselves was emitted by no module.
    let is_ours = |event: &str| {
        watched
            .asked
            .iter()
            .any(|asked| asked.sample.event == event)
    };
    watched.emitted = heard.try_iter().filter(|event| !is_ours(event)).collect();
    let left = session.hooks().list_handlers(None).into_values().flatten();
    watched.left = left.filter(|name| name != LISTENER).collect();
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// How long one answer to a sample is waited for. A module is judged by it, so it is longer than any busy machine needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of one sample.
pub(super) struct SampleAnswer {
    sample: EventSample,
    /// What failed, each with the name of its handler.
    faults: Vec<(String, Fault)>,
    /// Whether it refused, or asked, without a word.
    pub(super) is_wordless: bool,
    /// Whether the asking ended before it answered.
    is_abandoned: bool,
}

impl SampleAnswer {
    fn fault(&self, is_wanted: impl Fn(FaultKind) -> bool) -> Option<&Fault> {
        let mut faults = self.faults.iter();
        let found = faults.find(|(_, fault)| is_wanted(fault.kind));
        found.map(|(_, fault)| fault)
    }

    /// Tells whether an answer did not come in time.
    pub(super) fn is_late(&self) -> bool {
        self.is_abandoned || self.fault(|kind| kind == FaultKind::TimedOut).is_some()
    }

    /// Names the sample, and the handler where one failed.
    pub(super) fn place(&self) -> String {
        let EventSample { event, label, .. } = &self.sample;
        match self.faults.first() {
            Some((hook, _)) => format!("`{hook}`, asked about `{event}` {label}"),
            None => format!("asked about `{event}` {label}"),
        }
    }
}

/// Asks the handlers about samples of everything that they listen to. Where no answer comes the rest is not waited for: code
/// that hangs cannot be stopped.
fn ask(session: &Session, registered: &[Registration]) -> Vec<SampleAnswer> {
    let names = registered.iter().map(|one| EventName::new(&one.event));
    let names: Vec<EventName> = names.collect();
    let known = EVENTS.iter().map(|row| row.name);
    let known = known.filter(|row| names.iter().any(|name| name.covers(&EventName::new(row))));
    let own = names.iter().map(EventName::as_str);
    let own = own.filter(|name| !name.contains('*'));
    let events: BTreeSet<&str> = known.chain(own).collect();
    let samples: Vec<EventSample> = events.into_iter().flat_map(sample::of).collect();
    let (tell, told) = channel();
    let (session, asking) = (session.clone(), samples.clone());
    let run = move || {
        for sample in asking {
            let mut event = Event::new(&sample.event, sample.data.clone());
            let report = session.hooks().dispatch_blocking(&mut event);
            if tell.send(judged(sample, &report)).is_err() {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("anyhook-validate".into());
    if thread.spawn(run).is_err() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for sample in samples {
        let Ok(asked) = told.recv_timeout(PATIENCE) else {
            all.push(SampleAnswer {
                sample,
                faults: Vec::new(),
                is_wordless: false,
                is_abandoned: true,
            });
            break;
        };
        all.push(asked);
    }
    all
}

fn judged(sample: EventSample, report: &Report) -> SampleAnswer {
    let name = |id| report.hook(id).map_or("a handler", |hook| &*hook.name);
    let faults = report.faults();
    let faults = faults.map(|(id, fault)| (name(id).to_owned(), fault.clone()));
    let faults: Vec<(String, Fault)> = faults.collect();
    let is_wordless = match &report.result.verdict {
        Verdict::Continue | Verdict::Allow { .. } => false,
        // A failing guard refuses in our words.
        Verdict::Deny { .. } | Verdict::Halt { .. } if !faults.is_empty() => false,
        Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
            reasons.iter().any(|reason| reason.text.trim().is_empty())
        }
        Verdict::Ask { questions } => questions.iter().any(|it| it.prompt.trim().is_empty()),
    };
    SampleAnswer {
        sample,
        faults,
        is_wordless,
        is_abandoned: false,
    }
}
