//! The record, as people read it: what was attempted and said in plain words, counts and moments.
//!
//! `anyhook log`, `why` and `stats` show it in a terminal, and the page of `anyhook serve` in a browser: from here, both.
//!
//! ```
//! use anyhook_care::record::{Counts, EventCounts, attempted, count, said, short};
//! use anyhook_engine::core::report::Report;
//! use anyhook_engine::stores::{Filter, Jsonl, RecordDetail};
//! use serde_json::json;
//!
//! let report = Report::from_json(json!({
//!     "version": 1, "id": "k3f9", "at": 7, "event": {"name": "tool:pre", "host": "codex-cli", "subject": "Bash"},
//!     "result": {"verdict": "deny", "reasons": [{"text": "frozen", "by": 0}]},
//!     "hooks": [{"name": "freeze", "priority": 0, "guard": true, "shadow": false}], "steps": [],
//!     "action": {"data": {"tool_input": {"command": "git push"}}},
//! }))?;
//! assert_eq!(attempted(&report), "git push");
//! assert_eq!(said(&report), ("freeze".into(), "deny: frozen".into()));
//! assert_eq!(short("a \n b\u{1b}[2J", 60), "a b\\u{1b}[2J");
//!
//! let home = tempfile::tempdir()?;
//! let store = Jsonl::new(home.path(), RecordDetail::Payload);
//! store.append(&report)?;
//! let Counts { events, hosts, .. } = count(&store, &Filter::default())?;
//! assert_eq!((events, hosts["codex-cli"]), (1, EventCounts { events: 1, refused: 1 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod count;
mod fates;
mod moments;
mod past;
mod said;

use anyhook_engine::text::tame;

pub use count::{Counts, EventCounts, HookCounts, Times, count};
pub use fates::{lost, rewritten, said_in_short};
pub(crate) use moments::day;
pub use moments::{moment, time};
pub use past::{ActionHistory, past};
pub use said::{attempted, not_asked, said, trouble};

/// Makes text safe and short: one line, at most so many characters.
pub fn short(text: &str, most: usize) -> String {
    let line: String = tame(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}
