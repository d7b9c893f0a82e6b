//! What a case found, as an expectation would say it.

use anyhook::core::event::Datum;
use serde_json::{Map, Value, json};

use crate::case::{CaseMode, NameSelector};
use crate::judge::{self, asked, decision_of, losses, reasons, said, told};
use crate::plan::Case;
use crate::play::{Evidence, ProcessOutput};

/// A shorter part says nothing by itself.
const SHORTEST: usize = 3;
/// How many parts of one text are written.
const MOST: usize = 5;

/// What one variant left.
pub(super) struct VariantEvidence<'r> {
    case: &'r Case,
    evidence: &'r Evidence,
}

impl<'r> VariantEvidence<'r> {
    pub(super) fn new(case: &'r Case, evidence: &'r Evidence) -> Self {
        Self { case, evidence }
    }

    /// Tells whether a text names a folder of the run, or of the package: both are other ones elsewhere.
    fn is_of_this_run(&self, text: &str) -> bool {
        let rooms = self.evidence.rooms.iter();
        let mut places = rooms.chain([&self.case.package.root]);
        places.any(|place| text.contains(&*place.to_string_lossy()))
    }

    /// Tells whether an expectation holds here.
    pub(super) fn is(&self, field: &str, value: &Value) -> bool {
        self.value(field).is_ok_and(|found| found == *value)
    }

    /// Returns the first expectations of a case that has none.
    pub(super) fn first(&self) -> Vec<(&'static str, Value)> {
        let mut fields: Vec<&'static str> = match self.case.mode() {
            CaseMode::Hook => {
                let words = self.words();
                let is_json = serde_json::from_str::<Value>(&words.stdout)
                    .is_ok_and(|value| value.is_object());
                let stdout = if is_json {
                    "stdout-json"
                } else {
                    "stdout-contains"
                };
                vec!["exit-code", stdout, "stderr-contains"]
            }
            CaseMode::Dispatch => {
                vec!["decision", "reason-contains", "rewrites", "injects"]
            }
        };
        if self.case.host().is_some() {
            fields = vec!["decision"];
        }
        let empty = |value: &Value| match value {
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        fields
            .into_iter()
            .filter_map(|field| Some((field, self.value(field).ok()?)))
            .filter(|(_, value)| !empty(value))
            .collect()
    }

    /// Returns what an expectation of this name would have to say, or why it cannot be written.
    pub(super) fn value(&self, field: &str) -> Result<Value, String> {
        let value = self.whole(field)?;
        if self.is_of_this_run(&value.to_string()) {
            return Err("names a folder of this run: write the part that stays".to_owned());
        }
        Ok(value)
    }

    fn whole(&self, field: &str) -> Result<Value, String> {
        let words = || self.words();
        let expected = &self.case.spec.expected;
        match field {
            "exit-code" => {
                let code = words().exit.map(Value::from);
                code.ok_or_else(|| "cannot be written: the hook did not end by itself".to_owned())
            }
            "stdout-contains" => self.contained(&words().stdout, &expected.stdout_contains),
            "stderr-contains" => self.contained(&words().stderr, &expected.stderr_contains),
            "stdout-json" => match serde_json::from_str::<Value>(&words().stdout) {
                Ok(value) => Ok(value),
                Err(_) => Err("cannot be written: stdout is no JSON".to_owned()),
            },
            "decision" => Ok(decision_of(self.evidence).as_str().into()),
            "reason-contains" => {
                let wanted = expected.reason_contains.as_deref().unwrap_or_default();
                self.contained(&reasons(self.evidence), wanted)
            }
            "rewrites" => Ok(self.rewrites()),
            "injects" => {
                let texts = told(self.evidence).into_iter();
                Ok(texts.collect())
            }
            "losses" => Ok(losses(&self.evidence.report.losses).into()),
            "fires" => match self.case.merged().fires {
                Some(NameSelector::Any(_)) | None => {
                    Err("says whether a hook is asked at all: that is for a person".to_owned())
                }
                Some(_) => Ok(asked(self.case, &self.evidence.report).into()),
            },
            "files" => {
                Err("are judged while the workspace is there: that is for a person".to_owned())
            }
            _ => Err("can only be written by a person".to_owned()),
        }
    }

    /// The parts that a text has to have: those of the case that it has, and what else of it stays. None at all would hold
    /// for every text.
    fn contained(&self, text: &str, wanted: &[String]) -> Result<Value, String> {
        let mut parts: Vec<String> = wanted.to_vec();
        parts.retain(|part| text.contains(part.as_str()));
        let kept = parts.len();
        for part in self.parts(text) {
            let is_there = |other: &String| other.contains(&part) || part.contains(other);
            if !parts.iter().take(kept).any(is_there) {
                parts.push(part);
            }
        }
        if parts.is_empty() && !wanted.is_empty() {
            return Err("cannot be written: nothing is left that could be expected".to_owned());
        }
        Ok(parts.into())
    }

    /// The first lines of a text that say something.
    fn parts(&self, text: &str) -> Vec<String> {
        let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST;
        let lines = text.lines().map(str::trim).filter(says);
        let lines = lines.filter(|line| !self.is_of_this_run(line));
        lines.take(MOST).map(str::to_owned).collect()
    }

    fn words(&self) -> ProcessOutput {
        let words = self.evidence.words(self.case.mode());
        ProcessOutput {
            stdout: judge::plain(&words.stdout),
            stderr: judge::plain(&words.stderr),
            ..words
        }
    }

    fn rewrites(&self) -> Value {
        let patch = said(self.evidence).effects.patch();
        let pairs = patch.iter().map(|rewrite| {
            let value = rewrite.value.as_ref().map(Datum::json);
            let value = value.unwrap_or_else(|| json!({"$absent": true}));
            (rewrite.field.to_string(), value)
        });
        Value::Object(pairs.collect::<Map<String, Value>>())
    }
}
