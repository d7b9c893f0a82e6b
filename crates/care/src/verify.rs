//! What is known of real agents: when this person's agent was last verified, and what the lab saw each one do.
//!
//! `anyhook verify` asks an agent on this machine (`anyhook-verify`); what it found is kept here, for `doctor`. What the lab
//! saw stands in the truth files of [`anyhook_truth`]; [`mark`] says of each cell of the matrix whether it was seen.
//!
//! ```
//! use anyhook_care::verify::{ProbeContext, CellEvidence, VerifiedAgent, keep, mark, said, verified};
//! use anyhook_wires::{host, matrix};
//! use anyhook_engine::world::UserFolders;
//! use serde_json::json;
//!
//! let place = tempfile::tempdir()?;
//! let state = place.path().join("state");
//! let places = UserFolders { home: place.path().into(), config: place.path().join("config"), state };
//! assert_eq!(verified(&places, "codex-cli"), None, "it was not verified here");
//! let seen = VerifiedAgent {
//!     host: "codex-cli".into(),
//!     version: "0.169.0".into(),
//!     at: 1_795_305_600_000,
//!     anyhook: "0.1.0".into(),
//!     probes: 1,
//!     differences: Vec::new(),
//! };
//! keep(&places, &seen)?;
//! assert_eq!(verified(&places, "codex-cli").map(|seen| seen.date()), Some("2026-11-22".to_owned()));
//!
//! // What a host is told of a refusal of this very call.
//! let claude = host("claude-code").ok_or("no such host")?;
//! let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
//! let ready =
//!     ProbeContext { host: claude, native: "PreToolUse", payload: &payload, mark: "frozen", changed: "true" };
//! let refused = said(&ready, "deny").ok_or("unsayable")?;
//! assert!(refused.stdout.contains("frozen") && refused.exit == 0);
//!
//! // An agent of which no truth file tells is known from its documents alone.
//! let cursor = host("cursor").ok_or("no such host")?;
//! let spec = anyhook_core::taxonomy::find("pre-tool-use").ok_or("no such event")?;
//! let cells = matrix::cells(cursor, spec)?.ok_or("no cells")?;
//! assert_eq!(mark(None, cursor, &cells, &cells.cells[0]), CellEvidence::Documented);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod marks;

use std::path::PathBuf;

use anyhook_engine::files::{self, Durability, FileError};
use anyhook_engine::world::UserFolders;
use serde::{Deserialize, Serialize};

use crate::record::day;

pub use marks::{CellEvidence, ProbeContext, mark, said};

/// Longer than any record.
const LONGEST: u64 = 64 * 1024;

/// An agent of this person that was seen to hold a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedAgent {
    /// The host.
    pub host: String,
    /// What the agent said its version is.
    pub version: String,
    /// When: milliseconds since 1970.
    pub at: i64,
    /// The version of anyhook.
    pub anyhook: String,
    /// How many answers it was given: one, where only the gate was looked at.
    #[serde(default)]
    pub probes: usize,
    /// The answers with which it does something else than our reader of it expects.
    #[serde(default)]
    pub differences: Vec<String>,
}

impl VerifiedAgent {
    /// Returns the day, as `2026-11-03`.
    pub fn date(&self) -> String {
        day(self.at)
    }
}

/// Returns when a host was last verified.
pub fn verified(places: &UserFolders, host: &str) -> Option<VerifiedAgent> {
    let bytes = files::read(&path(places, host), LONGEST).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Keeps that a host was verified, in the place of what was known before.
pub fn keep(places: &UserFolders, verified: &VerifiedAgent) -> Result<(), FileError> {
    let file = path(places, &verified.host);
    if let Some(folder) = file.parent() {
        files::private_dir(folder)?;
    }
    let bytes = serde_json::to_vec(verified).unwrap_or_default();
    files::replace(&file, &bytes, Durability::Yes)
}

fn path(places: &UserFolders, host: &str) -> PathBuf {
    places.verified().join(format!("{host}.json"))
}
