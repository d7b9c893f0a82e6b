//! The settings of a session, as a mount plan writes them.

use serde::Deserialize;
use serde_json::Value;

/// How much hooks may say to the model.
///
/// `Settings::read` takes the document that has a `session` in it. What is missing has its default, `null` is no limit, and
/// what belongs to another program is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InjectionLimits {
    /// The most bytes of UTF-8 of one text; 10,240 unless told.
    pub injection_size_limit: Option<usize>,
    /// The most tokens of all texts of one turn; 10,000 unless told.
    pub injection_budget_per_turn: Option<u64>,
    /// Whether a text over the budget is refused, instead of delivered and flagged.
    pub strict: bool,
}

impl Default for InjectionLimits {
    fn default() -> Self {
        Self {
            injection_size_limit: Some(10_240),
            injection_budget_per_turn: Some(10_000),
            strict: false,
        }
    }
}

/// A document whose `session` cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("`session` cannot be understood")]
pub struct InjectionLimitsError(#[source] serde_json::Error);

impl InjectionLimits {
    /// Reads the settings of a document such as `{"session": {"injection_size_limit": 4096}}`.
    pub fn read(document: &Value) -> Result<Self, InjectionLimitsError> {
        match document.get("session") {
            None | Some(Value::Null) => Ok(Self::default()),
            Some(session) => Self::deserialize(session).map_err(InjectionLimitsError),
        }
    }
}
