//! Hooks that go on in the background.
//!
//! `anyhook run` hands such a hook to a supervisor and answers its host without it. The supervisor is our own program in a
//! session of its own, so that it outlives whatever ends the caller; it owns the hook's process, its deadline and its
//! group. What the hook says is stored as a report that names the one of its event, and waits in the outbox of the session
//! for the next event that can tell it. The event did not wait, so nothing is decided any more: a verdict, a rewrite or an answer for
//! the host alone is a recorded loss.
//!
//! ```
//! use anyhook_engine::background::demoted;
//! use anyhook_engine::core::fit::{Substitute, LossKind};
//! use anyhook_engine::core::result::{HookResult, Kind};
//!
//! let said = HookResult::deny("too late").inject("the index is ready");
//! let (told, losses) = demoted(said);
//! assert_eq!((told.verdict.kind(), told.effects.inject().len()), (Kind::Continue, 1));
//! assert_eq!((&losses[0].what, losses[0].became), (&LossKind::Verdict(Kind::Deny), Substitute::Nothing));
//! ```

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhook_core::fit::{Loss, LossKind, Substitute};
use anyhook_core::result::{HookResult, Kind, Verdict};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::event;
use crate::processes::start;
use crate::state::State;
use crate::stores::Jsonl;
use crate::world::World;

/// The hidden command of the supervisor.
///
/// ```
/// assert_eq!(anyhook_engine::background::VERB, "background");
/// ```
pub const VERB: &str = "background";

/// How long a supervisor may take to say that it stands on its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a supervisor says when it does.
const READY: &[u8] = b"ok\n";

/// Takes out of a result what can have no effect any more: everything but texts.
pub fn demoted(mut said: HookResult) -> (HookResult, Vec<Loss>) {
    let lost = |what| Loss::new(what, Substitute::Nothing, None);
    let mut losses = Vec::new();
    let kind = said.verdict.kind();
    if kind != Kind::Continue {
        losses.push(lost(LossKind::Verdict(kind)));
        said.verdict = Verdict::Continue;
    }
    let rewrites = said.effects.patch().iter();
    losses
        .extend(rewrites.map(|rewrite| lost(LossKind::Rewrite(rewrite.field.to_string().into()))));
    let natives = said.effects.native().iter();
    losses.extend(natives.map(|native| lost(LossKind::Native(native.wire.to_string().into()))));
    if !losses.is_empty() {
        let effects = said.effects.edit();
        effects.patch.clear();
        effects.native.clear();
    }
    (said, losses)
}

/// Hands an order to a supervisor, and returns when it stands on its own: nothing that ends this process or its group ends
/// it from then on.
pub(crate) fn hand_over(world: &World, program: &Path, order: &[u8]) -> Result<(), String> {
    let mut command = Command::new(program);
    command
        .arg(VERB)
        .current_dir(&world.cwd)
        .env_clear()
        .envs(&world.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = start(&mut command).map_err(|error| error.to_string())?;
    told(&mut child, order).inspect_err(|_| {
        let _ = child.kill();
        let _ = child.wait();
    })
}

fn told(child: &mut Child, order: &[u8]) -> Result<(), String> {
    let words = |error: std::io::Error| error.to_string();
    let mut stdin = child.stdin.take().ok_or("it has no standard input")?;
    stdin.write_all(order).map_err(words)?;
    drop(stdin);
    let mut stdout = child.stdout.take().ok_or("it has no standard output")?;
    let mut fds = [PollFd::new(&stdout, PollFlags::IN)];
    let patience = Timespec::try_from(PATIENCE).map_err(|error| error.to_string())?;
    let ready = poll(&mut fds, Some(&patience)).map_err(|error| error.to_string())?;
    if ready == 0 {
        return Err("the supervisor does not answer".to_owned());
    }
    let mut said = [0; READY.len()];
    match stdout.read_exact(&mut said) {
        Ok(()) if said == READY => Ok(()),
        Ok(()) | Err(_) => Err("the supervisor ended before it began".to_owned()),
    }
}

/// Reads an order on standard input, leaves everything that the caller holds, and carries the order out.
///
/// An error is for a person who calls this by hand: the process that gives orders does not wait.
///
/// ```no_run
/// use anyhook_engine::background::carry_out;
/// use anyhook_engine::world::World;
///
/// // What is no order is refused, and nothing is started.
/// assert!(carry_out(&World::real(), None, None).is_err());
/// ```
pub fn carry_out(
    world: &World,
    state: Option<&dyn State>,
    store: Option<&Jsonl>,
) -> Result<(), String> {
    // A session of its own: who ends the caller's group or closes its terminal does not end this.
    let _ = rustix::process::setsid();
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    event::go_on(world, state, store, &bytes)
}

/// Tells the process that gave the order that it is understood, and lets go of its streams.
pub(crate) fn say_ready() -> Result<(), String> {
    let mut stdout = std::io::stdout().lock();
    let said = stdout.write_all(READY).and_then(|()| stdout.flush());
    // The process that gave the order does not wait any more, and has told that it failed.
    said.map_err(|error| error.to_string())?;
    // No process may wait for their end.
    let null = OpenOptions::new().read(true).write(true).open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
    Ok(())
}
