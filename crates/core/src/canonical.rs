//! The canonical JSON of a result, with its version: what is stored, sent to other programs, and read again.
//!
//! A [`crate::report::Report`] carries its version itself; a [`HookResult`] is a part of many things, so the document
//! around it does. Both have a JSON Schema in `schema/`, which is generated from these types.
//!
//! ```
//! use anyhook_core::canonical::{RESULT_VERSION, ReadError, ResultDocument};
//! use anyhook_core::result::HookResult;
//! use serde_json::json;
//!
//! let stored =
//!     json!({"version": RESULT_VERSION, "verdict": "deny", "reasons": [{"text": "frozen"}]});
//! let document: ResultDocument = serde_json::from_value(stored.clone()).unwrap();
//! assert_eq!(document.result, HookResult::deny("frozen"));
//! assert_eq!(HookResult::from_json(stored).unwrap(), HookResult::deny("frozen"));
//!
//! // A later form may mean what this program cannot know, so it is not guessed at.
//! let later = json!({"version": 2, "verdict": "deny"});
//! let error = HookResult::from_json(later).unwrap_err();
//! assert!(matches!(error, ReadError::Later { what: "result", found: 2, known: 1 }));
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::{self, Report};
use crate::result::HookResult;

/// The version of the result's JSON.
pub const RESULT_VERSION: u32 = 1;

/// A result with the version of its form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResultDocument {
    /// The version of this form.
    pub version: u32,
    /// The result.
    #[serde(flatten)]
    pub result: HookResult,
}

/// Why a canonical document could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It has no version, or one that is no whole number.
    #[error("the {what} has no `version` that is a whole number")]
    NoVersion {
        /// Which form it should have.
        what: &'static str,
    },
    /// It was written by a later program.
    #[error("the {what} has version {found}, and this program knows versions up to {known}")]
    Later {
        /// Which form it has.
        what: &'static str,
        /// The version that it has.
        found: u64,
        /// The latest version that can be read.
        known: u32,
    },
    /// It is not of this form.
    #[error("the {what} cannot be read")]
    Form {
        /// Which form it should have.
        what: &'static str,
        /// What is wrong with it.
        #[source]
        cause: serde_json::Error,
    },
}

impl HookResult {
    /// Writes the canonical JSON.
    ///
    /// ```
    /// use anyhook_core::result::HookResult;
    ///
    /// let json = HookResult::deny("deploys are frozen").to_json().unwrap();
    /// assert_eq!(json["version"], 1);
    /// assert_eq!(json["verdict"], "deny");
    /// assert_eq!(HookResult::from_json(json).unwrap(), HookResult::deny("deploys are frozen"));
    /// ```
    pub fn to_json(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(ResultDocument {
            version: RESULT_VERSION,
            result: self.clone(),
        })
    }

    /// Reads canonical JSON, of this version or an earlier one.
    pub fn from_json(json: Value) -> Result<Self, ReadError> {
        let document: ResultDocument = read("result", json, RESULT_VERSION)?;
        Ok(document.result)
    }
}

impl Report {
    /// Reads the canonical JSON of a report, of this version or an earlier one.
    ///
    /// ```
    /// use anyhook_core::report::Report;
    /// use serde_json::json;
    ///
    /// let stored = json!({
    ///     "version": 1,
    ///     "id": "k3f9",
    ///     "event": {"name": "tool:pre", "host": "claude-code"},
    ///     "result": {"verdict": "deny", "reasons": [{"text": "frozen", "by": 0}]},
    ///     "hooks": [{"name": "freeze", "priority": 0, "guard": true, "shadow": false}],
    ///     "steps": [],
    /// });
    /// let report = Report::from_json(stored).unwrap();
    /// let decided = report.decided_by().and_then(|id| report.hook(id)).unwrap();
    /// assert_eq!(&*decided.name, "freeze");
    /// ```
    pub fn from_json(json: Value) -> Result<Self, ReadError> {
        read("report", json, report::VERSION)
    }
}

fn read<T: DeserializeOwned>(what: &'static str, json: Value, known: u32) -> Result<T, ReadError> {
    match json.get("version").and_then(Value::as_u64) {
        None => Err(ReadError::NoVersion { what }),
        Some(found) if found > u64::from(known) => Err(ReadError::Later { what, found, known }),
        Some(_) => serde_json::from_value(json).map_err(|cause| ReadError::Form { what, cause }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::effects::{Injection, Lifetime, Role};

    fn rich() -> HookResult {
        let mut injection = Injection::new("todo: 2");
        injection.role = Role::User;
        injection.lifetime = Lifetime::Ephemeral;
        HookResult::ask("sure?")
            .modify("tool_input", json!({"command": "pnpm i"}))
            .modify("note", Value::Null)
            .remove("draft")
            .injecting(injection)
            .notify("linter is missing")
    }

    #[test]
    fn a_result_is_the_same_after_its_canonical_json() {
        for result in [HookResult::proceed(), HookResult::halt("budget"), rich()] {
            let json = result.to_json().unwrap();
            assert_eq!(json["version"], 1);
            assert_eq!(HookResult::from_json(json).unwrap(), result);
        }
    }

    #[test]
    fn a_document_of_a_later_version_or_of_none_is_refused_in_words() {
        let refused = |json: Value| HookResult::from_json(json).unwrap_err().to_string();
        assert_eq!(
            [
                refused(json!({"version": 2, "verdict": "deny", "reasons": []})),
                refused(json!({"verdict": "continue"})),
                refused(json!({"version": "1", "verdict": "continue"})),
                refused(json!({"version": 1, "verdict": "perhaps"})),
            ],
            [
                "the result has version 2, and this program knows versions up to 1",
                "the result has no `version` that is a whole number",
                "the result has no `version` that is a whole number",
                "the result cannot be read",
            ]
        );
        let report = Report::from_json(json!({"version": 9})).unwrap_err();
        assert_eq!(
            report.to_string(),
            "the report has version 9, and this program knows versions up to 1"
        );
    }
}
