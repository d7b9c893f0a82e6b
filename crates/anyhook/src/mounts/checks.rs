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
    pub(super) judge: fn(&Watched) -> Result<(), Why>,
}

/// Why a check failed: the reason, and what to do about it.
pub(super) type Why = (String, String);

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
/// let skipped = Judged::Skipped { why: "it could not be loaded" };
/// assert!(!Judged::Passed.is_failure() && !skipped.is_failure());
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
    /// Tells whether it is one.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

/// Every check; one that needs the answers of handlers stands behind `session-ready`.
pub static CHECKS: &[Check] = &[
    Check {
        slug: "loads",
        weight: Weight::Required,
        about: "It is found where it should be, and can be read.",
        judge: |watched| {
            let fix = "give a folder with a `hooks/hooks.json`, or the name of a module";
            unless(watched.not_found.as_ref(), fix)
        },
    },
    Check {
        slug: "mounts",
        weight: Weight::Required,
        about: "It can be mounted.",
        judge: |watched| {
            let fix = "let `mount` return an error only for a configuration that makes no sense, and never panic";
            unless(watched.not_mounted.as_ref(), fix)
        },
    },
    Check {
        slug: "registers",
        weight: Weight::Required,
        about: "It registers a handler.",
        judge: |watched| {
            let why = watched.registered.is_empty();
            none(
                why.then(|| "it registers no handler, so it is never asked".to_owned()),
                "register a handler while it is mounted, through the session that it is given",
            )
        },
    },
    Check {
        slug: "handlers",
        weight: Weight::Required,
        about: "Every handler takes an event and answers with a result: its command, rule or function is there.",
        judge: |watched| watched.seen_by("handlers"),
    },
    Check {
        slug: "session-ready",
        weight: Weight::Required,
        about: "What it does when the session is ready does not fail.",
        judge: |watched| {
            let failed = watched.not_ready.first();
            none(
                failed
                    .map(|failed| format!("when the session became ready: {}", failed.fault.text)),
                "look for what other modules offer there, and go on without it",
            )
        },
    },
    Check {
        slug: "results",
        weight: Weight::Required,
        about: "Every answer is a valid result: a refusal has a reason, a question has a text.",
        judge: |watched| {
            none(
                watched.failing(|kind| kind == FaultKind::InvalidAnswer),
                "answer with a result, or with nothing",
            )?;
            let wordless = watched.asked.iter().find(|asked| asked.is_wordless);
            none(
                wordless
                    .map(|asked| format!("{}: it refuses or asks without a word", asked.place())),
                "say what is wrong and what to do instead: the model and the person read it",
            )
        },
    },
    Check {
        slug: "exceptions",
        weight: Weight::Required,
        about: "No handler fails, also where fields are missing or are not what they should be.",
        judge: |watched| {
            // A handler that cannot be asked at all fails a check of its own.
            let can_be_asked = watched.seen_by("handlers").is_ok();
            let own = |kind| !matches!(kind, FaultKind::InvalidAnswer | FaultKind::TimedOut);
            none(
                watched.failing(own).filter(|_| can_be_asked),
                "expect that a field may be missing or of another type, and let nothing panic",
            )
        },
    },
    Check {
        slug: "in-time",
        weight: Weight::Required,
        about: "Every handler answers in time.",
        judge: |watched| {
            let is_late = |asked: &&Asked| {
                asked.is_abandoned || asked.fault(|kind| kind == FaultKind::TimedOut).is_some()
            };
            let late = watched.asked.iter().find(is_late);
            none(
                late.map(|asked| format!("{}: it had no answer in time", asked.place())),
                "do what takes long elsewhere, and give the hook a deadline: the agent waits for it",
            )
        },
    },
    Check {
        slug: "cleanup-runs",
        weight: Weight::Required,
        about: "Its cleanup does not fail, and nothing of it is left in the session.",
        judge: |watched| {
            let failed = watched.not_cleaned.first();
            none(
                failed.map(|failed| format!("its cleanup failed: {}", failed.fault.text)),
                "let a cleanup close what it can, and go on",
            )?;
            let left = watched.left.first();
            none(
                left.map(|left| format!("{left} is still there after it was unmounted")),
                "register through the session that `mount` is given, and nowhere after it is gone",
            )
        },
    },
    Check {
        slug: "cleanup",
        weight: Weight::Recommended,
        about: "It says how it is cleaned up.",
        judge: |watched| {
            let is_missing = watched.cleanups == 0 && watched.asking == Asking::InProcess;
            none(
                is_missing.then(|| "`mount` returns no cleanup, and registers none".to_owned()),
                "return a cleanup that unregisters its handlers: not every engine takes them back itself",
            )
        },
    },
    Check {
        slug: "priority",
        weight: Weight::Recommended,
        about: "Its handlers have a priority from 10 to 90, where lower is earlier.",
        judge: |watched| {
            let mut all = watched.registered.iter();
            let odd = all.find(|one| !(10..=90).contains(&one.priority));
            none(
                odd.map(|one| format!("{one} leaves no room before or after it")),
                "choose a priority from 10 to 90; a plan's `priority` wins over it",
            )
        },
    },
    Check {
        slug: "names",
        weight: Weight::Recommended,
        about: "Its handlers have names, so that a log of what it registered tells them apart.",
        judge: |watched| {
            let unnamed = watched.registered.iter().find(|one| !one.is_named);
            none(
                unnamed.map(|one| format!("{one} is named after its place in a file")),
                "name it; with `log_level: debug` a mount logs each handler by its name",
            )
        },
    },
    Check {
        slug: "events",
        weight: Weight::Recommended,
        about: "It listens to events that exist.",
        judge: |watched| {
            watched.seen_by("events")?;
            for one in &watched.registered {
                let is_known =
                    EventName::new(&one.event).spec().is_some() || one.event.contains('*');
                if let Some(near) = suggest(&one.event).filter(|_| !is_known) {
                    let why = format!("{one}: no event of the catalogue is called so");
                    return Err((why, format!("did you mean `{near}`?")));
                }
            }
            Ok(())
        },
    },
    Check {
        slug: "enabled-events",
        weight: Weight::Recommended,
        about: "It can be told by `enabled_events` what it may hear.",
        judge: |watched| match &watched.limited {
            Some(Err(error)) => none(
                Some(format!(
                    "with `enabled_events` in its configuration it is not mounted: {}",
                    error.text
                )),
                "put `enabled_events` into its configuration: the program that mounts it keeps to the list",
            ),
            Some(Ok(heard)) if !heard.is_empty() => none(
                Some(format!(
                    "it hears `{}` although that is not enabled",
                    heard.join("`, `")
                )),
                "register through the session that `mount` is given",
            ),
            Some(Ok(_)) | None => Ok(()),
        },
    },
    Check {
        slug: "custom-events",
        weight: Weight::Recommended,
        about: "The events that it emits itself are named in the channel `observability.events`.",
        judge: |watched| {
            let mut emitted = watched.emitted.iter();
            let hidden = emitted.find(|event| !is_covered(event, &watched.contributed));
            none(
                hidden.map(|event| {
                    format!("it emits `{event}` without declaring it in `observable_events`")
                }),
                "register a contributor of `observability.events` that names it",
            )
        },
    },
];

fn none(why: Option<String>, fix: &str) -> Result<(), Why> {
    why.map_or(Ok(()), |why| Err((why, fix.to_owned())))
}

fn unless(error: Option<&MountError>, fix: &str) -> Result<(), Why> {
    none(
        error.map(|error| error.text.clone()),
        error.and_then(|error| error.help.as_deref()).unwrap_or(fix),
    )
}
