//! Validating a module: runs every check, each with a reason and a fix, and removes the module again.

use std::path::Path;

use serde::Serialize;

use super::catalogue::Catalogue;
use super::checks::{CHECKS, Check, CheckStatus, Weight, why};
use super::plan::ModuleEntry;
use super::watch::{TrialMode, watch};

/// What the validation of one module came to.
#[derive(Debug)]
pub struct Validation {
    /// The module.
    pub module: String,
    /// What kind of module it is, where it was found.
    pub kind: Option<&'static str>,
    /// Every check, in the order of [`CHECKS`].
    pub checks: Vec<CheckOutcome>,
}

/// One check, and what it came to.
#[derive(Debug, Serialize)]
pub struct CheckOutcome {
    /// The check.
    #[serde(flatten)]
    pub check: &'static Check,
    /// What it came to.
    #[serde(flatten)]
    pub judged: CheckStatus,
}

impl Validation {
    /// Tells whether the module passes: nothing that is required failed.
    pub fn is_good(&self) -> bool {
        self.failed(Weight::Required).next().is_none()
    }

    /// Returns the checks of one weight that failed.
    pub fn failed(&self, weight: Weight) -> impl Iterator<Item = &CheckOutcome> {
        let all = self.checks.iter();
        all.filter(move |checked| checked.check.weight == weight && checked.judged.is_failure())
    }

    /// Returns the slugs of all checks that failed.
    pub fn failures(&self) -> Vec<&'static str> {
        let all = self.checks.iter();
        let failed = all.filter(|checked| checked.judged.is_failure());
        failed.map(|checked| checked.check.slug).collect()
    }
}

/// The checks that need answers of handlers.
const ASKED: [&str; 3] = ["results", "exceptions", "in-time"];

impl Catalogue {
    /// Makes every check of a module. It is mounted in sessions of their own, and unmounted again; handlers that
    /// start processes are asked only if the trial says so.
    ///
    /// ```
    /// use anyhook::Session;
    /// use anyhook::core::event::Event;
    /// use anyhook::core::hook::Hook;
    /// use anyhook::mounts::{Catalogue, CheckOutcome, Cleanup, ModuleEntry, CheckStatus, TrialMode, Validation, Weight};
    /// use serde_json::{Value, json};
    ///
    /// let careless = |session: &Session, _: &Value| {
    ///     let careless = |event: &Event| assert!(event.get("tool_input").unwrap().is_object());
    ///     session.hooks().register(Hook::on("tool:pre", careless).named("careless").priority(50));
    ///     Cleanup::new(|| ())
    /// };
    /// let catalogue = Catalogue::default().with("careless", careless);
    /// let validation: Validation =
    ///     catalogue.validate(&ModuleEntry::new("careless", json!({})), "".as_ref(), TrialMode::Look);
    /// assert_eq!(validation.failures(), ["exceptions"]);
    /// assert!(!validation.is_good() && validation.failed(Weight::Recommended).count() == 0);
    ///
    /// let CheckOutcome { judged: CheckStatus::Failed { why, fix }, .. } =
    ///     validation.failed(Weight::Required).next().unwrap()
    /// else {
    ///     panic!()
    /// };
    /// assert!(why.starts_with("`careless`, asked about `tool:pre` without any field"), "{why}");
    /// assert!(!fix.is_empty());
    /// ```
    pub fn validate(&self, entry: &ModuleEntry, folder: &Path, trial: TrialMode) -> Validation {
        let found = self.find(entry, folder);
        let kind = found.as_ref().ok().map(|found| found.kind);
        let watched = watch(found, entry, trial);
        let early = watched.ended_early();
        let mut is_over = false;
        let mut checks = Vec::new();
        for check in CHECKS.iter() {
            let judged = match (early.filter(|_| is_over), watched.not_asked) {
                (Some(why), _) => CheckStatus::Skipped { why },
                (None, Some(why)) if ASKED.contains(&check.slug) => CheckStatus::Skipped { why },
                (None, _) => match why(check.slug, &watched) {
                    None => CheckStatus::Passed,
                    Some(problem) => CheckStatus::Failed {
                        why: problem.what,
                        fix: problem.fix.unwrap_or_else(|| check.fix.to_owned()),
                    },
                },
            };
            // The check that failed says why; all behind it can say nothing.
            is_over |= early.is_some() && judged.is_failure();
            checks.push(CheckOutcome { check, judged });
        }
        Validation {
            module: entry.module.clone(),
            kind,
            checks,
        }
    }
}
