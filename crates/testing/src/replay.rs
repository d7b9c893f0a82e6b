//! Asking hooks about past events: the backtest.
//!
//! ```text
//!  record ──> event ──> the line of `anyhook run`, twice ──> differences ──> groups ──> page
//!    │                   before          after
//!    └── cut or hidden: counted, never guessed
//! ```
//!
//! The line is the one that agents call, with the caller [`anyhook::event::Caller::Again`], under which nothing is kept. This
//! module has no dispatcher, no runner and no reader of answers of its own.
//!
//! ```
//! use anyhook_testing::replay::{Comparison, ReplayHooks, History, HistoryScan, compare, AnswerChange};
//! use std::fs;
//!
//! let place = tempfile::tempdir()?;
//! let (old, new) = (place.path().join("old.json"), place.path().join("new.json"));
//! let rule = |when: &str| format!(
//!     r#"{{"version": 1, "hooks": {{"pre-tool-use": [{{"hooks": [
//!     {{"type": "rule", "name": "push", "when": "{when}", "then": {{"deny": "no push"}}}}]}}]}}}}"#
//! );
//! fs::write(&old, rule("pushes('force')"))?;
//! fs::write(&new, rule("pushes()"))?;
//! let history = place.path().join("history.jsonl");
//! fs::write(&history, r#"{"version":1,"id":"k3f9","event":{"name":"tool:pre","subject":"Bash"},"result":{"verdict":"continue"},"hooks":[],"steps":[],"action":{"data":{"tool_name":"Bash","tool_input":{"command":"git push"},"cwd":"/"}}}"#)?;
//!
//! let comparison = Comparison { before: Some(ReplayHooks::File(old)), after: ReplayHooks::File(new), program: None };
//! let reading = HistoryScan {
//!     history: History::File(history),
//!     filter: Default::default(),
//!     jobs: std::num::NonZeroUsize::MIN,
//!     interrupted: Default::default(),
//! };
//! let (compared, taken) = compare(&comparison, &reading)?;
//! assert_eq!((taken, compared.asked, compared.count(AnswerChange::Refused)), (1, 1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod compare;
mod history;
mod pages;
mod policy;
mod record;

pub use answer::{AnswerChange, CHANGES, ReplayAnswer};
pub use compare::{
    Backtest, Comparison, DifferenceExample, DifferenceGroup, DifferenceKey, PastOutcomes, compare,
};
pub use history::{History, HistoryScan};
pub use pages::{ComparisonTitle, json, text};
pub use policy::{ReplayHooks, Replayer};
pub use record::Exclusion;
