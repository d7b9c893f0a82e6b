//! `anyhook serve`: the program `anyhook-serve`, which is beside this one where a person installed it.
//!
//! It is a program of its own, so that no event of an agent and no first build pays for a server.

use std::ffi::OsString;

use clap::Command;

use super::{Row, Run, flag, option};
use crate::beside::Beside;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "serve",
    describe,
    run: Run::Hot(run),
};

const SERVER: Beside = Beside {
    command: "anyhook serve",
    program: "anyhook-serve",
    crate_folder: "crates/serve",
};

/// The options are read by the program itself; here they are for help and completions.
fn describe(command: Command) -> Command {
    command
        .about("Answer events over HTTP, only for this machine")
        .arg(option(
            "port",
            "NUMBER",
            "Listen on this port of 127.0.0.1; 0 takes any free port [default: 7467]",
        ))
        .arg(flag("no-port", "Listen only on the socket"))
        .arg(option(
            "token",
            "NAME",
            "Make a token for a client, and print it once",
        ))
        .arg(option("revoke", "NAME", "Revoke the token of a client"))
        .arg(flag(
            "open",
            "Open the page in your browser, and print a link to it, which counts once and for ten minutes; starts a server in the \
             background where none runs",
        ))
        .arg(flag(
            "status",
            "Show where the server listens, and its clients",
        ))
        .arg(flag("json", "With --status: write JSON"))
        .arg(flag("stop", "Stop the server"))
        .after_help(
            "This command starts the program `anyhook-serve`. A client posts the payload of an agent to /v1/hosts/NAME/events, \
             and gets what `anyhook run --host NAME` answers.\n\n\
             Examples:\n  anyhook serve --token editor\n  anyhook serve --port 7467",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    ui::problem(&SERVER.start(args))
}
