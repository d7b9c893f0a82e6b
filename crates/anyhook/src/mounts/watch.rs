//! Watching a module in a session of its own: it is mounted, asked about samples, and unmounted.

mod asking;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhook_core::event::{Event, EventName};
use anyhook_core::fault::FaultKind;
use anyhook_core::hook::Hook;
use anyhook_engine::Session;
use anyhook_engine::session::{Begins, Failed, OBSERVABLE, Setup};
use anyhook_registry::registry::{LogLevel, Registered, Rules, wait};
use serde_json::Value;

use super::catalogue::Found;
use super::checks::Why;
use super::module::{self, Asking, Cleanup, MountError, Seen};
use super::plan::Entry;
pub(super) use asking::Asked;
use asking::ask;

/// Whether handlers that start processes are asked.
///
/// ```
/// use anyhook::mounts::Trial;
/// assert_eq!(Trial::default(), Trial::Look);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trial {
    /// No: they are looked at.
    #[default]
    Look,
    /// Yes: they run.
    Run,
}

/// Everything that was seen of one module.
pub(super) struct Watched {
    pub(super) asking: Asking,
    pub(super) not_found: Option<MountError>,
    pub(super) not_mounted: Option<MountError>,
    pub(super) registered: Vec<Registered>,
    pub(super) cleanups: usize,
    pub(super) seen: Vec<Seen>,
    pub(super) not_ready: Vec<Failed>,
    /// Why its handlers were not asked.
    pub(super) not_asked: Option<&'static str>,
    pub(super) asked: Vec<Asked>,
    /// The events that it emitted and that the catalogue does not know.
    pub(super) emitted: BTreeSet<String>,
    /// The events that it says it emits.
    pub(super) contributed: Vec<String>,
    pub(super) not_cleaned: Vec<Failed>,
    pub(super) left: Vec<String>,
    /// What it heard that was not enabled, in a second session that enabled one event only.
    pub(super) limited: Option<Result<Vec<String>, MountError>>,
}

/// Tells whether an event is named by one of these, which may have a `*`.
pub(super) fn is_covered(event: &str, names: &[String]) -> bool {
    let event = EventName::new(event);
    names.iter().any(|name| EventName::new(name).covers(&event))
}

impl Watched {
    fn nothing() -> Self {
        Self {
            asking: Asking::InProcess,
            not_found: None,
            not_mounted: None,
            registered: Vec::new(),
            cleanups: 0,
            seen: Vec::new(),
            not_ready: Vec::new(),
            not_asked: None,
            asked: Vec::new(),
            emitted: BTreeSet::new(),
            contributed: Vec::new(),
            not_cleaned: Vec::new(),
            left: Vec::new(),
            limited: None,
        }
    }

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
    pub(super) fn seen_by(&self, check: &str) -> Result<(), Why> {
        let mut seen = self.seen.iter();
        seen.find(|seen| seen.check == check)
            .map_or(Ok(()), |seen| {
                let fix = seen
                    .fix
                    .as_deref()
                    .unwrap_or("run `anyhook check` for more");
                Err((seen.what.clone(), fix.to_owned()))
            })
    }

    /// Says which handler failed in one of these ways.
    pub(super) fn failing(&self, is_wanted: fn(FaultKind) -> bool) -> Option<String> {
        let mut asked = self.asked.iter();
        asked.find_map(|asked| {
            let fault = asked.fault(is_wanted)?;
            Some(format!("{}: {}", asked.place(), fault.text))
        })
    }
}

/// Watches a module that was found.
pub(super) fn watch(found: Result<Found, MountError>, entry: &Entry, trial: Trial) -> Watched {
    let mut watched = Watched::nothing();
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            watched.not_found = Some(error);
            return watched;
        }
    };
    watched.asking = found.module.asking();
    watched.seen = found.module.look();
    if watched.asking == Asking::Processes && trial == Trial::Look {
        watched.not_asked = Some("its commands are not started; `--run` starts them");
    }
    first_session(&found, entry, &mut watched);
    if watched.ended_early().is_none() {
        watched.limited = Some(second_session(&found, entry, &watched.registered));
    }
    watched
}

/// The names of events that are emitted in a session, and that are not known.
/// The name of our own listener.
const LISTENER: &str = "anyhook:validate";

type Heard = Arc<Mutex<BTreeSet<String>>>;

fn listen(session: &Session) -> Heard {
    let heard = Heard::default();
    let kept = Arc::clone(&heard);
    let listen = move |event: &Event| {
        if event.name.spec().is_none() {
            let mut all = kept.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(event.name.as_str().to_owned());
        }
    };
    session
        .hooks()
        .register(Hook::on("*", listen).named(LISTENER).observing());
    heard
}

fn mount(
    session: &Session,
    found: &Found,
    entry: &Entry,
    config: &Value,
    rules: Rules,
) -> (Session, Result<(), MountError>) {
    let scoped = session.scoped(&entry.module, rules);
    let mounted = wait(module::mount(&*found.module, &scoped, config));
    let mounted = mounted.map(|cleanup: Option<Cleanup>| {
        if let Some(cleanup) = cleanup {
            scoped.register_cleanup_async(&entry.module, move || cleanup.run());
        }
    });
    (scoped, mounted)
}

fn first_session(found: &Found, entry: &Entry, watched: &mut Watched) {
    let session = Session::with("validation", Setup::default());
    let heard = listen(&session);
    // The plan's own priority is none of the module's.
    let rules = Rules {
        priority: None,
        ..entry.rules.clone()
    };
    let (scoped, mounted) = mount(&session, found, entry, &entry.config, rules);
    watched.registered = scoped.registered();
    watched.cleanups = scoped.cleanups();
    if let Err(error) = mounted {
        watched.not_mounted = Some(error);
        wait(scoped.take_back());
        return;
    }
    if watched.not_asked.is_none() {
        let begun = session.start_blocking(Begins::New);
        watched.not_ready = begun
            .map(|acted| acted.processed.faults)
            .unwrap_or_default();
        watched.registered = scoped.registered();
        watched.cleanups = watched.cleanups.max(scoped.cleanups());
        watched.asked = ask(&session, &watched.registered);
    }
    let contributed = session.collect_contributions_blocking(OBSERVABLE);
    watched.contributed = contributed.values().flat_map(texts).collect();
    watched.not_cleaned = wait(scoped.take_back());
    let all = heard.lock().unwrap_or_else(PoisonError::into_inner);
    // What we asked about ourselves was emitted by no module.
    let ours = |event: &String| watched.asked.iter().any(|asked| asked.event == *event);
    watched.emitted = all.iter().filter(|event| !ours(event)).cloned().collect();
    drop(all);
    watched.left = left(&session);
}

fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Array(list) => list.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    }
}

/// What of a module is still in the session: everything but our own listener.
fn left(session: &Session) -> Vec<String> {
    let all = session.hooks().list_handlers(None);
    let mut left: BTreeSet<String> = BTreeSet::new();
    for name in all.into_values().flatten() {
        if name != LISTENER {
            left.insert(format!("the handler `{name}`"));
        }
    }
    left.into_iter().collect()
}

/// Mounts the module once more, where it may hear one event only, and tells what it could hear besides.
fn second_session(
    found: &Found,
    entry: &Entry,
    registered: &[Registered],
) -> Result<Vec<String>, MountError> {
    let one = registered.iter().find(|one| !one.event.contains('*'));
    let enabled = one.map_or("session:start", |one| &one.event).to_owned();
    let mut config = entry.config.clone();
    if let Some(fields) = config.as_object_mut() {
        fields.insert("enabled_events".into(), vec![enabled.clone()].into());
    }
    let rules = Rules {
        priority: None,
        enabled: Some(vec![enabled.as_str().into()]),
        log: LogLevel::Info,
    };
    let session = Session::with("validation", Setup::default());
    let (scoped, mounted) = mount(&session, found, entry, &config, rules);
    let handlers = session.hooks().list_handlers(None);
    let heard = handlers
        .into_keys()
        .filter(|event| !event.contains('*') && *event != enabled);
    let heard: Vec<String> = heard.collect();
    wait(scoped.take_back());
    mounted.map(|()| heard)
}
