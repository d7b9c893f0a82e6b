//! The proof that a way reaches its effect: real bash carries it out where nothing but a copy of the scratch folder can change.
//!
//! ```text
//!  attack ──job──> anyhook attacked ──> user, mount, network, process namespaces; a root of its own, read-only but for
//!                       │               the copy of the scratch folder and /tmp, both in memory
//!                       └──> anyhook confined … bash -c LINE ──> Landlock and seccomp on top ──> what changed?
//! ```

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod listen;
#[cfg(target_os = "linux")]
mod seen;

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::aim::{Aim, AttackCall};
use super::scene::Scene;

/// Where lines find programs.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The hidden verb of `anyhook` that carries a job out.
pub const VERB: &str = "attacked";

/// What is carried out.
#[derive(Debug, Serialize, Deserialize)]
struct ProofJob {
    base: PathBuf,
    aim: Aim,
    /// The line that bash runs; without one a tool does what the aim says.
    line: Option<String>,
    program: PathBuf,
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProofOutcome {
    /// The effect happened.
    Reached,
    /// It did not happen, or not before its time was over.
    Missed,
    /// The namespaces cannot be had, for this reason; nothing was carried out.
    Cannot(String),
}

/// Carries a way out in a copy of a scratch folder, in a process of its own.
pub(super) fn prove(
    program: &Path,
    scene: &Scene,
    aim: &Aim,
    call: &AttackCall,
) -> io::Result<ProofOutcome> {
    let job = ProofJob {
        base: scene.base.clone(),
        aim: aim.clone(),
        line: call.line().map(str::to_owned),
        program: program.to_owned(),
    };
    let mut command = Command::new(program);
    command
        .arg(VERB)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&serde_json::to_vec(&job)?)?;
    }
    let output = child.wait_with_output()?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let why = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!(
            "the process that carries lines out gave no answer: {}",
            why.trim()
        ))
    })
}

/// Reads a job from standard input, carries it out, and writes what came of it. This process is good for nothing else then.
///
/// ```
/// // `anyhook` calls it under this verb, in a process that has one thread.
/// assert_eq!(anyhook_testing::attack::VERB, "attacked");
/// ```
pub fn carry_out() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let job: ProofJob = serde_json::from_str(&text)?;
    let came = carried(&job).unwrap_or_else(|why| ProofOutcome::Cannot(why.to_string()));
    let mut out = io::stdout();
    out.write_all(&serde_json::to_vec(&came)?)?;
    out.flush()
}

#[cfg(target_os = "linux")]
fn carried(job: &ProofJob) -> io::Result<ProofOutcome> {
    linux::carried(job)
}

#[cfg(not(target_os = "linux"))]
fn carried(_: &ProofJob) -> io::Result<ProofOutcome> {
    Err(io::Error::other("namespaces are a matter of Linux"))
}
