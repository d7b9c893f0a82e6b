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
//! use anyhook_engine::core::fit::{Became, Lost};
//! use anyhook_engine::core::result::{HookResult, Kind};
//!
//! let said = HookResult::deny("too late").inject("the index is ready");
//! let (told, losses) = demoted(said);
//! assert_eq!((told.verdict.kind(), told.effects.inject().len()), (Kind::Continue, 1));
//! assert_eq!((&losses[0].what, losses[0].became), (&Lost::Verdict(Kind::Deny), Became::Nothing));
//! ```

mod order;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_core::result::{HookResult, Kind, Verdict};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub(crate) use order::{Order, VERSION, Work};

use crate::processes::start;

/// The hidden command of the supervisor.
///
/// ```
/// assert_eq!(anyhook_engine::background::VERB, "background");
/// ```
pub const VERB: &str = "background";

/// How long a supervisor may take to say that it stands on its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a supervisor says when it does.
pub(crate) const READY: &[u8] = b"ok\n";

/// Takes out of a result what can have no effect any more: everything but texts.
pub fn demoted(mut said: HookResult) -> (HookResult, Vec<Loss>) {
    let lost = |what| Loss {
        what,
        became: Became::Nothing,
        by: None,
        text: None,
    };
    let mut losses = Vec::new();
    let kind = said.verdict.kind();
    if kind != Kind::Continue {
        losses.push(lost(Lost::Verdict(kind)));
        said.verdict = Verdict::Continue;
    }
    let rewrites = said.effects.patch().iter();
    losses.extend(rewrites.map(|rewrite| lost(Lost::Rewrite(rewrite.field.to_string().into()))));
    let natives = said.effects.native().iter();
    losses.extend(natives.map(|native| lost(Lost::Native(native.wire.to_string().into()))));
    if !losses.is_empty() {
        let effects = said.effects.edit();
        effects.patch.clear();
        effects.native.clear();
    }
    (said, losses)
}

/// Hands an order to a supervisor, and returns when it stands on its own: nothing that ends this process or its group ends
/// it from then on.
pub(crate) fn hand_over(program: &Path, order: &Order, stdins: &[&[u8]]) -> Result<(), String> {
    let mut command = Command::new(program);
    command
        .arg(VERB)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = start(&mut command).map_err(|error| error.to_string())?;
    told(&mut child, order, stdins).inspect_err(|_| {
        let _ = child.kill();
        let _ = child.wait();
    })
}

fn told(child: &mut Child, order: &Order, stdins: &[&[u8]]) -> Result<(), String> {
    let words = |error: std::io::Error| error.to_string();
    let mut header = serde_json::to_vec(order).map_err(|error| error.to_string())?;
    header.push(b'\n');
    let mut stdin = child.stdin.take().ok_or("it has no standard input")?;
    stdin.write_all(&header).map_err(words)?;
    for bytes in stdins {
        stdin.write_all(bytes).map_err(words)?;
    }
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
