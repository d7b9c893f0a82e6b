//! Asks a live agent to do one harmless thing that a hook refuses, and looks whether it was really refused.
//!
//! The agent is started without a person, in a folder of its own that goes away, and told to run `touch` on a file there.
//! One hook stands in that folder: it refuses that command. What proves anything is not what the agent says but what is
//! left: the report of the event in our own store, with the refusal of that hook in it, and no file.
//!
//! The agent is the person's own, with the person's own settings and at the person's cost, so nothing here runs unasked.
//!
//! ```no_run
//! use std::path::Path;
//! use std::time::Duration;
//!
//! use anyhook::install::{Installer, unhindered};
//! use anyhook::verify::{Verified, VerifyError, verified, verify};
//! use anyhook::world::{Places, World};
//!
//! let world = World::real();
//! let program = std::env::current_exe()?;
//! let (root, os) = (Path::new("/"), std::env::consts::OS);
//! let installer = Installer { world: &world, program: &program, root, os, probe: &unhindered };
//! let codex = anyhook::wires::host("codex").ok_or("no such host")?;
//! match verify(&installer, codex, Duration::from_mins(3)) {
//!     Ok(Verified { version, .. }) => println!("codex {version} obeys"),
//!     Err(VerifyError::NotObeyed) => println!("codex does not obey"),
//!     Err(error) => println!("{error}; {}", error.help()),
//! }
//! // It is kept until the next time.
//! if let Some(places) = &world.places {
//!     assert!(places.verified().starts_with(&places.state));
//!     let last: Option<Verified> = verified(places, "codex-cli");
//!     println!("{}", last.map_or_else(|| "never".to_owned(), |last| last.date()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canary;
mod error;

use std::path::PathBuf;
use std::time::Duration;

use anyhook_wires::Host;
use serde::{Deserialize, Serialize};

use crate::doctor::{Presence, look};
use crate::files::{self, Durable, FileError};
use crate::install::Installer;
use crate::processes::find_program;
use crate::world::Places;

use canary::Canary;
pub use error::VerifyError;

/// Longer than any record.
const LONGEST: u64 = 64 * 1024;

/// An agent that was seen to obey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The host.
    pub host: String,
    /// What the agent said its version is.
    pub version: String,
    /// When: milliseconds since 1970.
    pub at: i64,
    /// The version of anyhook.
    pub anyhook: String,
}

impl Verified {
    /// Returns the day, as `2026-11-03`.
    pub fn date(&self) -> String {
        let at = jiff::Timestamp::from_millisecond(self.at).unwrap_or_default();
        at.strftime("%Y-%m-%d").to_string()
    }
}

/// Verifies a host: runs its agent once, for at most `patience`.
pub fn verify(
    installer: &Installer<'_>,
    host: &'static dyn Host,
    patience: Duration,
) -> Result<Verified, VerifyError> {
    let world = installer.world;
    let places = world.places.as_ref().ok_or(VerifyError::NoHome)?;
    let live = host.health().and_then(|health| health.live.as_ref());
    let live = live.ok_or(VerifyError::NoQuestion(host.id()))?;
    let path = world.var("PATH").unwrap_or_default();
    let program = find_program(live.program.as_ref(), path, &world.cwd);
    let program = program.ok_or(VerifyError::NoAgent(live.program))?;
    let seen = look(installer, Some(host)).pop();
    let seen = seen.filter(Presence::is_installed);
    let seen = seen.ok_or(VerifyError::NotInstalled(host.id()))?;
    let version = seen.agent.and_then(|agent| agent.version);
    let canary = Canary::set(world, places)?;
    let began = world.clock.now();
    let transcript = canary.ask(world, &program, live, patience);
    let judged = canary.judge(places, host, began, &transcript);
    canary.forget(places)?;
    judged?;
    let verified = Verified {
        host: host.id().to_owned(),
        version: version.unwrap_or_else(|| "of an unknown version".to_owned()),
        at: began,
        anyhook: env!("CARGO_PKG_VERSION").to_owned(),
    };
    keep(places, &verified)?;
    Ok(verified)
}

/// Returns when a host was last seen to obey.
pub fn verified(places: &Places, host: &str) -> Option<Verified> {
    let bytes = files::read(&path(places, host), LONGEST).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn keep(places: &Places, verified: &Verified) -> Result<(), FileError> {
    let file = path(places, &verified.host);
    if let Some(folder) = file.parent() {
        files::private_dir(folder)?;
    }
    let bytes = serde_json::to_vec(verified).unwrap_or_default();
    files::replace(&file, &bytes, Durable::Yes)
}

fn path(places: &Places, host: &str) -> PathBuf {
    places.verified().join(format!("{host}.json"))
}
