//! The network of a run, cut before anything else happens.

use std::process::{Command, Stdio};

use anyhook_testing::{IsolationMethod, NetworkAccess, cut};

use crate::exit::Exit;
use crate::ui;

/// The name under which this program tries, in a process of its own, what could leave a process unusable.
pub(crate) const VERB: &str = "try-network";

/// Cuts this process off from the network. It is called before this program has a second thread.
pub(crate) fn isolate() -> NetworkAccess {
    // A process that may change the network needs no users of its own: hooks then see the same users as ever.
    if cut(IsolationMethod::AsItIs).is_ok() {
        return NetworkAccess::Cut;
    }
    let cut = tried().and_then(|()| cut(IsolationMethod::InItsOwnUsers));
    cut.map_or_else(NetworkAccess::NotIsolated, |()| NetworkAccess::Cut)
}

fn tried() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let tried = Command::new(program)
        .arg(VERB)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if tried.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&tried.stdout);
    Err(ui::short(&why, 200))
}

/// Tries it in this process, which is good for nothing else afterwards.
pub(crate) fn attempt() -> Exit {
    match cut(IsolationMethod::InItsOwnUsers) {
        Ok(()) => Exit::Done,
        Err(why) => {
            // The one who started this process reads it; without a reason it says less.
            let _ = ui::raw(&format!("{why}\n"));
            Exit::Negative
        }
    }
}
