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
        .about("Send the record to the server of a fleet, or to an OTLP receiver")
        .arg(flag(
            "follow",
            "Keep running; if the server cannot be reached, try again",
        ))
        .arg(option(
            "server",
            "URL",
            "The address of the server [default: `fleet.server` in config.toml]",
        ))
        .arg(option(
            "key",
            "FILE",
            "The file with your key [default: `fleet.key` in config.toml]",
        ))
        .arg(option(
            "authority",
            "FILE",
            "A file of certificates that vouch for the server",
        ))
        .arg(option(
            "managed",
            "FOLDER",
            "Use another folder than /etc/anyhook, for the image of a machine",
        ))
        .after_help(
            "This command starts the program `anyhook-fleet`, and continues where it stopped. While no server can be reached, \
             refusals are kept on the disk, and records that are left out are counted. The OTLP receiver is that of [export] \
             in config.toml.\n\n\
             Examples:\n  anyhook ship\n  anyhook ship --follow",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    fleet::start("anyhook ship", "ship", args)
}
