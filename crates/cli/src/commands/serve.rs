//! `anyhook serve`: the program `anyhook-serve`, which is beside this one where a person installed it.
//!
//! It is a program of its own, so that no event of an agent and no first build pays for a server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use clap::{Arg, Command};

use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "serve",
    describe,
    run: Run::Hot(run),
};

/// The name of the program.
const PROGRAM: &str = "anyhook-serve";

/// The options are read by the program itself; here they are for help and completions.
fn describe(command: Command) -> Command {
    let named = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .about("Answer events over HTTP, on this machine alone")
        .arg(named(
            "port",
            "NUMBER",
            "Listen on this port of 127.0.0.1; 0 takes a free one [default: 7467]",
        ))
        .arg(flag("no-port", "Listen on the socket alone"))
        .arg(named(
            "token",
            "NAME",
            "Make a token for a client, and print it once",
        ))
        .arg(named("revoke", "NAME", "Forget a client"))
        .arg(flag(
            "open",
            "Print a link that opens the page in a browser, once, within ten minutes",
        ))
        .arg(flag(
            "status",
            "Say where the server listens, and its clients",
        ))
        .arg(flag("stop", "End the server"))
        .arg(flag(
            "install",
            "Write the file by which your service manager starts it (systemd, launchd)",
        ))
        .arg(flag("uninstall", "Remove that file again"))
        .after_help(
            "It starts the program `anyhook-serve`. A client posts what an agent writes to `anyhook run --host NAME` to \
             /v1/hosts/NAME/events, and reads what the agent reads.\n\n\
             Examples:\n  anyhook serve --token editor\n  anyhook serve --port 7467",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    ui::problem(&started(args))
}

/// Becomes the server; returns only where it cannot.
fn started(args: Vec<OsString>) -> Problem {
    let Some(program) = beside(PROGRAM) else {
        let what = format!(
            "`anyhook serve` is a program of its own, `{PROGRAM}`, and it is not beside this one"
        );
        return Problem::new(Exit::Config, what).help(format!(
            "in a checkout: cargo install --path crates/serve; or put `{PROGRAM}` into the folder of `anyhook`"
        ));
    };
    let error = std::process::Command::new(&program).args(args).exec();
    let what = format!("cannot start `{}`", program.display());
    Problem::new(Exit::NoInput, what)
        .because(error)
        .help("install it again: cargo install --path crates/serve")
}

/// Finds the program in the folder of this one, or of the file that this one is a link to. `PATH` is not searched: what stands
/// there may be a stranger's.
pub(super) fn beside(program: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let real = own.canonicalize().ok();
    let folders = std::iter::once(own).chain(real);
    let mut programs = folders.map(|own| own.with_file_name(program));
    programs.find(|program| program.is_file())
}
