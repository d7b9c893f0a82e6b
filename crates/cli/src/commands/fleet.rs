//! `anyhook fleet`: the program `anyhook-fleet`, which is beside this one where a person installed it.

use std::ffi::OsString;

use clap::{Arg, Command};

use super::policy::FLEET;
use super::{Row, Run, flag, option, with_json};
use crate::beside::Beside;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "fleet",
    describe,
    run: Run::Hot(run),
};

/// The verbs, the names of what follows, and what each does. They are read by the program itself; here they are for help and
/// completions.
const VERBS: &[(&str, &[&str], &str)] = &[
    ("keygen", &["NAME"], "Make the key of a person"),
    (
        "up",
        &["FOLDER", "NAMES"],
        "Start a trial server on this machine",
    ),
    (
        "config",
        &["FLEET"],
        "Print the configuration of a server, or of its streams (--streams)",
    ),
    (
        "streams",
        &["FLEET"],
        "Make the streams and buckets on a running server",
    ),
    (
        "announce",
        &["POLICY", "FLEET"],
        "Tell all machines that there is a new policy",
    ),
    (
        "store",
        &["FOLDER", "FLEET"],
        "Write incoming records as JSON lines, by day",
    ),
    ("log", &["FOLDER"], "Show what agents tried"),
    (
        "stats",
        &["FOLDER"],
        "Show which hooks decided, for whom, how often, how slow",
    ),
    (
        "coverage",
        &["FOLDER"],
        "Show which machines are guarded, and what did not arrive",
    ),
];

fn describe(command: Command) -> Command {
    let global = |name, value, help| option(name, value, help).global(true);
    let verbs = VERBS.iter().map(|(name, values, about)| {
        let words = values
            .iter()
            .map(|value| Arg::new(*value).required(*value != "NAMES"));
        Command::new(*name).about(*about).args(words)
    });
    let format = option("format", "FORMAT", "Write the answer as text or json")
        .value_parser(["text", "json"])
        .default_value("text");
    with_json(command.arg(format))
        .mut_args(|arg| arg.global(true))
        .about("Run the server and the store of a fleet, and query all machines")
        .subcommand_required(true)
        .subcommands(verbs)
        .arg(global("key", "FILE", "The key file to connect with"))
        .arg(global("server", "URL", "The address of the server [default: that of fleet.json]"))
        .arg(global(
            "authority",
            "FILE",
            "A file of certificates that vouch for the server",
        ))
        .arg(global("role", "ROLE", "The role of a new key: member, store or lead"))
        .arg(global("since", "7d", "Only what is not older than this"))
        .arg(global("person", "NAME", "Only attempts of this person"))
        .arg(global("text", "TEXT", "Only attempts with this text"))
        .arg(global("number", "NUMBER", "The most rows to show").short('n'))
        .arg(flag("denied", "Only refusals").global(true))
        .arg(flag("follow", "Keep running until you stop it").global(true))
        .arg(flag("streams", "Print the streams and buckets").global(true))
        .after_help(
            "This command starts the program `anyhook-fleet`. The server is NATS, and the store is JSON lines that DuckDB \
             reads. No event of an agent waits for either. docs/teams.md explains it from the first step to a week's \
             statistics.\n\n\
             Examples:\n  anyhook fleet up trial ada grace\n  anyhook fleet stats store --since 7d",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    start("anyhook fleet", "fleet", args)
}

/// Becomes the program, with the verb by which it knows what is asked.
pub(super) fn start(command: &'static str, verb: &str, args: Vec<OsString>) -> Exit {
    let verb = std::iter::once(OsString::from(verb));
    let program = Beside { command, ..FLEET };
    ui::problem(&program.start(verb.chain(args)))
}
