//! Blessing: expectations that do not hold are written anew, from what really happens.
//!
//! Only what a case expects and what differs changes, and a case that expects nothing gets its first expectations. The block
//! `expected` is written anew as a whole, without the comments in it. A line that names a folder of the run is left out. What
//! must *not* be is never blessed: `not-contains`, a timeout and the like stay for a person.

mod found;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::attack;
use crate::case::text;
use crate::judge::decision_of;
use crate::plan::Case;
use crate::ran::{CaseOutcome, CaseRun};
use found::VariantEvidence;

/// A file of a case, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlessedFile {
    /// The file.
    pub file: PathBuf,
    /// The file, as a person names it.
    pub shown: String,
    /// The text as it is.
    pub before: String,
    /// The text as it would be.
    pub after: String,
    /// Whether the case expected a refusal, and will not any more.
    pub softens: bool,
}

/// A case that is not blessed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnblessedCase {
    /// The case.
    pub case: String,
    /// Why.
    pub why: String,
}

/// Writes expectations from reality, for every file whose cases failed or expect nothing. It writes to no file.
///
/// It is for cases that were run more than once: what differs between two runs is no expectation.
///
/// ```
/// use std::fs;
///
/// use anyhook_testing::{BlessedFile, TestOptions, UnblessedCase, bless, read, run};
///
/// let place = tempfile::tempdir()?;
/// let write = |name: &str, text: &str| {
///     let file = place.path().join(name);
///     fs::create_dir_all(file.parent().unwrap()).and_then(|()| fs::write(file, text))
/// };
/// write("hooks/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///     {"type": "command", "command": "echo 'run the tests first' >&2; exit 2"}]}]}}"#)?;
/// let case = "name: tests\nevent: stop\nexpected:\n  exit-code: 0\n";
/// write("hooks/tests/cases/a.yaml", case)?;
///
/// let suite = read(&[place.path().to_path_buf()]);
/// let (blessed, refused): (Vec<BlessedFile>, Vec<UnblessedCase>) = bless(&run(&suite.cases, &TestOptions::default(), &mut |_| {}));
/// assert_eq!(blessed[0].after, case.replace("exit-code: 0", "exit-code: 2"));
/// assert!(!blessed[0].softens && refused.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn bless(ran: &[CaseRun]) -> (Vec<BlessedFile>, Vec<UnblessedCase>) {
    let mut files: BTreeMap<&Path, Vec<&CaseRun>> = BTreeMap::new();
    for ran in ran {
        files.entry(&ran.case.file).or_default().push(ran);
    }
    let (mut blessed, mut refused) = (Vec::new(), Vec::new());
    for variants in files.into_values() {
        match file(&variants) {
            Ok(None) => {}
            Ok(Some(one)) => blessed.push(one),
            Err(why) => refused.push(why),
        }
    }
    (blessed, refused)
}

impl UnblessedCase {
    fn new(case: &Case, why: impl Into<String>) -> Self {
        Self {
            case: case.id.to_string(),
            why: why.into(),
        }
    }
}

/// Blesses the variants of one file.
fn file(variants: &[&CaseRun]) -> Result<Option<BlessedFile>, UnblessedCase> {
    let wanted = wanted(variants)?;
    let Some(first) = variants.first().filter(|_| !wanted.is_empty()) else {
        return Ok(None);
    };
    let case = &first.case;
    let before = std::fs::read_to_string(&case.file)
        .map_err(|error| UnblessedCase::new(case, format!("its file cannot be read: {error}")))?;
    let after = text::expecting(&before, &wanted).ok_or_else(|| {
        let why = "its `expected` is written in a form that cannot be changed in place";
        UnblessedCase::new(case, why)
    })?;
    Ok(Some(BlessedFile {
        file: case.file.clone(),
        shown: case.place(),
        softens: variants.iter().any(|ran| softens(ran)),
        before,
        after,
    }))
}

/// What is written for all variants of a file, which have to agree on it.
fn wanted(variants: &[&CaseRun]) -> Result<Vec<(&'static str, Value)>, UnblessedCase> {
    let mut wanted: Vec<(&'static str, Value)> = Vec::new();
    for ran in variants {
        for (field, value) in fields(ran)? {
            match wanted.iter().find(|(other, _)| *other == field) {
                None => wanted.push((field, value)),
                Some((_, other)) if *other == value => {}
                Some(_) => {
                    let why = format!(
                        "its variants differ in `{field}`: write them as cases of their own"
                    );
                    return Err(UnblessedCase::new(&ran.case, why));
                }
            }
        }
    }
    let differs = |ran: &&&CaseRun| {
        let evidence = ran.evidence.as_ref();
        let found = evidence.map(|evidence| VariantEvidence::new(&ran.case, evidence));
        found.is_some_and(|found| !wanted.iter().all(|(field, value)| found.is(field, value)))
    };
    match variants.iter().find(differs) {
        Some(other) => {
            let why = "its variants differ: write them as cases of their own";
            Err(UnblessedCase::new(&other.case, why))
        }
        None => Ok(wanted),
    }
}

/// What is written for one variant: nothing where all holds.
fn fields(ran: &CaseRun) -> Result<Vec<(&'static str, Value)>, UnblessedCase> {
    let case = &ran.case;
    let refused = |why: &str| Err(UnblessedCase::new(case, why));
    let evidence = match (&ran.outcome, &ran.evidence) {
        (CaseOutcome::Passed, Some(evidence)) if text::expects_nothing(&case.text) => evidence,
        (CaseOutcome::Failed, Some(evidence)) => evidence,
        (CaseOutcome::Passed | CaseOutcome::Skipped(_), _) => return Ok(Vec::new()),
        (CaseOutcome::Nondeterministic, _) => {
            let why = "run again, it went otherwise: what would be written is no expectation";
            return refused(why);
        }
        (CaseOutcome::Broken(why), _) => return refused(&format!("it could not be run: {why}")),
        (CaseOutcome::Failed, None) => return refused("it was not run"),
    };
    let found = VariantEvidence::new(case, evidence);
    if ran
        .failures
        .iter()
        .all(|failure| failure.about == "expected")
    {
        return Ok(found.first());
    }
    if let Some((own, _)) = case.of_its_host() {
        return refused(&format!(
            "it expects something of `{own}` alone, below `on`: that is for a person"
        ));
    }
    let mut fields: Vec<(&'static str, Value)> = Vec::new();
    for failure in &ran.failures {
        if fields.iter().any(|(field, _)| *field == failure.about) {
            continue;
        }
        let value = found.value(failure.about);
        let value =
            value.map_err(|why| UnblessedCase::new(case, format!("`{}` {why}", failure.about)))?;
        fields.push((failure.about, value));
    }
    Ok(fields)
}

/// Tells whether a case that wanted a refusal got none.
fn softens(ran: &CaseRun) -> bool {
    let found = ran.evidence.as_ref().map(decision_of);
    attack::refusal(&ran.case).is_some() && found.is_some_and(|kind| !attack::is_refusal(kind))
}
