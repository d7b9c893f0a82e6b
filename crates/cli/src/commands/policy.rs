//! `anyhook policy`: the program `anyhook-fleet`, which is beside this one where a person installed it.

use std::ffi::OsString;

use clap::{Arg, Command};

use super::{Row, Run, flag};
use crate::beside::Beside;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "policy",
    describe,
    run: Run::Hot(run),
};

/// The program of policies and of fleets.
pub(super) const FLEET: Beside = Beside {
    command: "anyhook policy",
    program: "anyhook-fleet",
    crate_folder: "crates/fleet",
};

/// The verbs, the names of what follows, and what each does. They are read by the program itself; here they are for help and
/// completions.
const VERBS: &[(&str, &[&str], &str)] = &[
    (
        "keygen",
        &["NAME"],
        "Make a key that signs, and the public key that machines trust",
    ),
    (
        "check",
        &["FOLDER"],
        "Lint the policy of a folder, run its tests, and show what it changes in a history",
    ),
    ("build", &["FOLDER"], "Sign the policy of a folder"),
    ("diff", &["OLD", "NEW"], "Show what a later policy changes"),
    (
        "digest",
        &["FILE"],
        "Print the line by which a policy vouches for a hooks.json",
    ),
    (
        "trust-key",
        &["FILE"],
        "Trust a key on this machine, as root",
    ),
    (
        "apply",
        &["SOURCE"],
        "Verify a policy and apply it to this machine, as root",
    ),
    (
        "status",
        &[],
        "Show the revision, its age, its signer, its exceptions",
    ),
    ("leave", &[], "Remove the policy of this machine, as root"),
];

fn describe(command: Command) -> Command {
    let verbs = VERBS.iter().map(|(name, values, about)| {
        let is_built = *name == "build";
        let words = values
            .iter()
            .map(|value| Arg::new(*value).required(*value != "SOURCE"));
        let verb = Command::new(*name).about(*about).args(words);
        let managed = Arg::new("managed").long("managed").value_name("FOLDER");
        let verb = verb
            .arg(managed.help("Use another folder than /etc/anyhook, for the image of a machine"));
        let output = || {
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .required(true)
        };
        let key = || Arg::new("key").long("key").value_name("KEY").required(true);
        if *name == "check" {
            let history = Arg::new("history").long("history").value_name("FILE");
            verb.arg(
                history.help("Records, as anyhook log --format json writes them; - for your own"),
            )
        } else if is_built {
            let output = output().help("Where the signed file goes");
            verb.arg(output)
                .arg(key().help("A secret key; give it again to sign with a second one"))
        } else if *name == "status" {
            verb.arg(flag("json", "Write JSON"))
        } else {
            verb
        }
    });
    command
        .about("Sign a policy for many machines, or apply one to this machine")
        .subcommand_required(true)
        .subcommands(verbs)
        .after_help(
            "This command starts the program `anyhook-fleet`. A policy belongs to the administrator's layer: its hooks always \
             run, and no other file can switch them off. docs/teams.md explains it from the first step to a policy that \
             blocks.\n\n\
             Examples:\n  anyhook policy build policy -o acme.policy --key lead.key\n  \
             sudo anyhook policy apply https://policy.example.com/acme.policy",
        )
}

fn run(args: Vec<OsString>) -> Exit {
    let verb = std::iter::once(OsString::from("policy"));
    ui::problem(&FLEET.start(verb.chain(args)))
}
