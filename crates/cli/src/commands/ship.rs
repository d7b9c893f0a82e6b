//! `anyhook ship`: the record of this machine goes to a fleet, by the program `anyhook-fleet`.

use std::ffi::OsString;

use clap::Command;

use super::{Row, Run, flag, fleet, option};
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "ship",
    describe,
    run: Run::Hot(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Send the record to the server of a fleet, or to OTLP")
        .arg(flag(
            "follow",
            "Go on until it is ended; a server that is not reached is tried again",
        ))
        .arg(option(
            "server",
            "URL",
            "To this server [default: `fleet.server` in config.toml]",
        ))
        .arg(option(
            "key",
            "FILE",
            "The key of the person [default: `fleet.key` in config.toml]",
        ))
        .arg(option(
            "authority",
            "FILE",
            "Certificates that vouch for the server",
        ))
        .arg(option(
            "managed",
            "FOLDER",
            "Another folder than /etc/anyhook, for the image of a machine",
        ))
        .after_help(
            "It starts the program `anyhook-fleet`, and goes on where it stopped. While no server is reached, refusals are \
             kept on the disk, and what is left out is counted. The receiver is that of [export] in config.toml.\n\n\
             Examples:\n  anyhook ship\n  anyhook ship --follow",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    fleet::start("anyhook ship", "ship", args)
}
