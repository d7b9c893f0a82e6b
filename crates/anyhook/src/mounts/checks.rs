//! The checks of a module before a session mounts it: one row and one function each.
//!
//! A check judges what was [watched](super::watch): a session of its own mounted the module, asked its handlers
//! about samples of what they listen to, and unmounted it.

use anyhook_core::event::EventName;
use anyhook_core::fault::FaultKind;
use anyhook_core::taxonomy::suggest;
use serde::Serialize;

use super::module::{Asking, MountError};
use super::watch::{Asked, Watched, is_covered};

/// One check.
///
/// ```
/// use anyhook::mounts::{CHECKS, Check, Weight};
///
/// let Check { weight, about, .. } = CHECKS.iter().find(|check| check.slug == "mounts").unwrap();
/// assert_eq!((*weight, *about), (Weight::Required, "It can be mounted."));
/// ```
#[derive(Debug, Serialize)]
pub struct Check {
    /// Its name for people, in words and hyphens.
    #[serde(rename = "check")]
    pub slug: &'static str,
    /// What its failure means.
    pub weight: Weight,
    /// What holds where it passes, as one sentence.
    pub about: &'static str,
    #[serde(skip)]
    pub(super) judge: fn(&Watched) -> Judged,
}

/// What the failure of a check means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The module does not do.
    Required,
    /// It does, and would do better.
    Recommended,
}

/// What a check came to.
///
/// ```
/// use anyhook::mounts::Judged;
/// let judged = Judged::failed("it registers nothing", "register a handler while it is mounted");
/// assert!(judged.is_failure() && !Judged::Passed.is_failure());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "judged", rename_all = "snake_case")]
pub enum Judged {
    /// It holds.
    Passed,
    /// It does not.
    Failed {
        /// Why, as a fragment.
        why: String,
        /// What to do about it.
        fix: String,
    },
    /// It cannot be known.
    Skipped {
        /// Why.
        why: &'static str,
    },
}

impl Judged {
    /// Makes a failure.
    pub fn failed(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Failed {
            why: why.into(),
            fix: fix.into(),
        }
    }

    /// Tells whether it is one.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

const fn required(slug: &'static str, about: &'static str, judge: fn(&Watched) -> Judged) -> Check {
    Check {
        slug,
        weight: Weight::Required,
        about,
        judge,
    }
}

const fn recommended(
    slug: &'static str,
    about: &'static str,
    judge: fn(&Watched) -> Judged,
) -> Check {
    Check {
        weight: Weight::Recommended,
        ..required(slug, about, judge)
    }
}

/// Every check, those that are required first, in the order in which a module meets them.
pub static CHECKS: &[Check] = &[
    required(
        "loads",
        "It is found where it should be, and can be read.",
        loads,
    ),
    required("mounts", "It can be mounted.", mounts),
    required("registers", "It registers a handler.", registers),
    required(
        "handlers",
        "Every handler takes an event and answers with a result: its command, rule or function is there.",
        handlers,
    ),
    required(
        "session-ready",
        "What it does when the session is ready does not fail.",
        session_ready,
    ),
    required(
        "results",
        "Every answer is a valid result: a refusal has a reason, a question has a text.",
        results,
    ),
    required(
        "exceptions",
        "No handler fails, also where fields are missing or are not what they should be.",
        exceptions,
    ),
    required("in-time", "Every handler answers in time.", in_time),
    required(
        "cleanup-runs",
        "Its cleanup does not fail, and nothing of it is left in the session.",
        cleanup_runs,
    ),
    recommended("cleanup", "It says how it is cleaned up.", cleanup),
    recommended(
        "priority",
        "Its handlers have a priority from 10 to 90, where lower is earlier.",
        priority,
    ),
    recommended(
        "names",
        "Its handlers have names, so that a log of what it registered tells them apart.",
        names,
    ),
    recommended("events", "It listens to events that exist.", events),
    recommended(
        "enabled-events",
        "It can be told by `enabled_events` what it may hear.",
        enabled_events,
    ),
    recommended(
        "custom-events",
        "The events that it emits itself are named in the channel `observability.events`.",
        custom_events,
    ),
];

fn loads(watched: &Watched) -> Judged {
    let fix = "give a folder with a `hooks/hooks.json`, or the name of a module";
    unless(watched.not_found.as_ref(), fix)
}

fn mounts(watched: &Watched) -> Judged {
    let fix =
        "let `mount` return an error only for a configuration that makes no sense, and never panic";
    unless(watched.not_mounted.as_ref(), fix)
}

/// Fails with an error of mounting, where there is one.
fn unless(error: Option<&MountError>, fix: &str) -> Judged {
    error.map_or(Judged::Passed, |error| {
        Judged::failed(&error.text, error.help.as_deref().unwrap_or(fix))
    })
}

fn registers(watched: &Watched) -> Judged {
    if watched.registered.is_empty() {
        let fix = "register a handler while it is mounted, through the session that it is given";
        return Judged::failed("it registers no handler, so it is never asked", fix);
    }
    Judged::Passed
}

fn handlers(watched: &Watched) -> Judged {
    watched.seen_by("handlers")
}

fn session_ready(watched: &Watched) -> Judged {
    match watched.not_ready.first() {
        None => Judged::Passed,
        Some(failed) => Judged::failed(
            format!("when the session became ready: {}", failed.fault.text),
            "look for what other modules offer there, and go on without it",
        ),
    }
}

fn results(watched: &Watched) -> Judged {
    if let Some(why) = watched.not_asked {
        return Judged::Skipped { why };
    }
    for asked in &watched.asked {
        if let Some(fault) = asked.fault(|kind| kind == FaultKind::InvalidAnswer) {
            let why = format!("{}: {}", asked.place(), fault.text);
            return Judged::failed(why, "answer with a result, or with nothing");
        }
        if asked.is_wordless {
            let why = format!("{}: it refuses or asks without a word", asked.place());
            let fix = "say what is wrong and what to do instead: the model and the person read it";
            return Judged::failed(why, fix);
        }
    }
    Judged::Passed
}

fn exceptions(watched: &Watched) -> Judged {
    if let Some(why) = watched.not_asked {
        return Judged::Skipped { why };
    }
    if watched.seen_by("handlers").is_failure() {
        return Judged::Skipped {
            why: "a handler of it cannot be asked at all",
        };
    }
    let own = |kind| !matches!(kind, FaultKind::InvalidAnswer | FaultKind::TimedOut);
    let mut asked = watched.asked.iter();
    match asked.find_map(|asked| Some((asked, asked.fault(own)?))) {
        None => Judged::Passed,
        Some((asked, fault)) => Judged::failed(
            format!("{}: {}", asked.place(), fault.text),
            "expect that a field may be missing or of another type, and let nothing panic",
        ),
    }
}

fn in_time(watched: &Watched) -> Judged {
    if let Some(why) = watched.not_asked {
        return Judged::Skipped { why };
    }
    let is_late = |asked: &&Asked| {
        asked.is_abandoned || asked.fault(|kind| kind == FaultKind::TimedOut).is_some()
    };
    match watched.asked.iter().find(is_late) {
        None => Judged::Passed,
        Some(asked) => Judged::failed(
            format!("{}: it had no answer in time", asked.place()),
            "do what takes long elsewhere, and give the hook a deadline: the agent waits for it",
        ),
    }
}

fn cleanup_runs(watched: &Watched) -> Judged {
    if let Some(failed) = watched.not_cleaned.first() {
        let why = format!("its cleanup failed: {}", failed.fault.text);
        return Judged::failed(why, "let a cleanup close what it can, and go on");
    }
    match watched.left.first() {
        None => Judged::Passed,
        Some(left) => Judged::failed(
            format!("{left} is still there after it was unmounted"),
            "register through the session that `mount` is given, and nowhere after it is gone",
        ),
    }
}

/// What a package declares is taken back by the code that mounted it: it could not do it itself.
fn cleanup(watched: &Watched) -> Judged {
    if watched.cleanups > 0 || watched.asking == Asking::Processes {
        return Judged::Passed;
    }
    Judged::failed(
        "`mount` returns no cleanup, and registers none",
        "return a cleanup that unregisters its handlers: not every engine takes them back itself",
    )
}

fn priority(watched: &Watched) -> Judged {
    let mut all = watched.registered.iter();
    match all.find(|one| !(10..=90).contains(&one.priority)) {
        None => Judged::Passed,
        Some(one) => Judged::failed(
            format!("{one} leaves no room before or after it"),
            "choose a priority from 10 to 90; a plan's `priority` wins over it",
        ),
    }
}

fn names(watched: &Watched) -> Judged {
    match watched.registered.iter().find(|one| !one.is_named) {
        None => Judged::Passed,
        Some(one) => Judged::failed(
            format!("{one} is named after its place in a file"),
            "name it; with `log_level: debug` a mount logs each handler by its name",
        ),
    }
}

fn events(watched: &Watched) -> Judged {
    let seen = watched.seen_by("events");
    if seen.is_failure() {
        return seen;
    }
    let is_unknown = |event: &str| EventName::new(event).spec().is_none() && !event.contains('*');
    let mut all = watched.registered.iter();
    let near = all.find_map(|one| {
        let near = suggest(&one.event).filter(|_| is_unknown(&one.event))?;
        Some((one, near))
    });
    match near {
        None => Judged::Passed,
        Some((one, near)) => {
            let why = format!("{one}: no event of the catalogue is called so");
            Judged::failed(why, format!("did you mean `{near}`?"))
        }
    }
}

fn enabled_events(watched: &Watched) -> Judged {
    match &watched.limited {
        Some(Err(error)) => Judged::failed(
            format!(
                "with `enabled_events` in its configuration it is not mounted: {}",
                error.text
            ),
            "put `enabled_events` into its configuration: the program that mounts it keeps to the list",
        ),
        Some(Ok(heard)) if !heard.is_empty() => Judged::failed(
            format!(
                "it hears `{}` although that is not enabled",
                heard.join("`, `")
            ),
            "register through the session that `mount` is given",
        ),
        Some(Ok(_)) | None => Judged::Passed,
    }
}

fn custom_events(watched: &Watched) -> Judged {
    let mut emitted = watched.emitted.iter();
    match emitted.find(|event| !is_covered(event, &watched.contributed)) {
        None => Judged::Passed,
        Some(event) => Judged::failed(
            format!("it emits `{event}` without declaring it in `observable_events`"),
            "register a contributor of `observability.events` that names it",
        ),
    }
}
