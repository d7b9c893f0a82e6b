//! The command line of `anyhook fleet`: one tree of verbs, and what each is given.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhook::files::with_causes;
use anyhook::text::tame;
use anyhook::world::World;
use clap::{Args, Parser, Subcommand};

use crate::control::{Fleet, FleetRole};
use crate::error::PolicyError;
use crate::query::{self, QueryArgs};
use crate::{archive, coverage, fleet_verbs, policy_verbs, shipping};

/// Enforce one signed policy on many machines, and query the record of all of them
#[derive(Parser)]
#[command(name = "anyhook fleet", bin_name = "anyhook fleet", version)]
struct FleetArgs {
    /// Use another folder than /etc/anyhook, for the image of a machine
    #[arg(long, global = true, value_name = "FOLDER")]
    managed: Option<PathBuf>,
    #[command(subcommand)]
    verb: FleetCommand,
}

#[derive(Subcommand)]
enum FleetCommand {
    /// Sign a policy for many machines, or apply one to this machine
    #[command(
        subcommand,
        after_help = "Examples:\n  anyhook fleet keygen lead\n  \
        anyhook fleet policy build policy -o acme.policy --key lead.key\n  \
        sudo anyhook fleet policy apply https://policy.example.com/acme.policy"
    )]
    Policy(PolicyCommand),
    /// Make NAME.key, which signs and connects, and NAME.pub, which machines trust
    Keygen {
        name: String,
        /// The role of the new key
        #[arg(long, default_value = "member")]
        role: FleetRole,
    },
    /// Send new records to the server of [fleet] in config.toml
    Ship {
        #[command(flatten)]
        connecting: ConnectionArgs,
        /// Keep running until you stop it
        #[arg(long)]
        follow: bool,
    },
    /// Print the configuration of a server
    Config { fleet: PathBuf },
    /// Make the streams on a running server
    Streams {
        fleet: PathBuf,
        #[command(flatten)]
        connecting: ConnectionArgs,
    },
    /// Write incoming records as JSON lines, by day
    Store {
        folder: PathBuf,
        fleet: PathBuf,
        #[command(flatten)]
        connecting: ConnectionArgs,
        /// Keep running until you stop it
        #[arg(long)]
        follow: bool,
    },
    /// Show what agents tried
    Log(QueryArgs),
    /// Show which hooks decided, for whom, how often, how slow
    Stats(QueryArgs),
    /// Show which machines sent records, and what did not arrive
    Coverage {
        folder: PathBuf,
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand)]
enum PolicyCommand {
    /// Sign it
    Build {
        folder: PathBuf,
        /// The file of the signed policy
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// A key that signs; give it again to sign with a second one
        #[arg(long, value_name = "KEY")]
        key: Vec<PathBuf>,
    },
    /// Show what changes: files of policies, folders, or `current`
    Diff { old: String, new: String },
    /// Print the line by which a policy vouches for a hooks.json
    Digest { file: PathBuf },
    /// Trust a key
    TrustKey { file: PathBuf },
    /// Verify a policy and apply it [default: from where the last one came]
    Apply { source: Option<String> },
    /// Show the revision, its age, its signer, its exceptions
    Status {
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the policy; the keys stay
    Leave,
}

/// Who connects, and where to.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConnectionArgs {
    /// The key file to connect with, named after its owner: lead.key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The address of the server [default: the configured one]
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// A file of certificates that vouch for the server, if the system's do not
    #[arg(long, value_name = "FILE")]
    pub(crate) authority: Option<PathBuf>,
}

/// Carries out a command line, and returns the exit code.
///
/// ```
/// let help = ["policy", "--help"].map(Into::into);
/// assert_eq!(anyhook_fleet::main(help), std::process::ExitCode::SUCCESS);
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = [OsString::from("anyhook fleet")].into_iter().chain(args);
    let line = match FleetArgs::try_parse_from(args) {
        Ok(line) => line,
        Err(page) => {
            let _ = page.print();
            return ExitCode::from(if page.use_stderr() { 64 } else { 0 });
        }
    };
    match carry_out(line) {
        Ok(text) => {
            let written = std::io::stdout().lock().write_all(tame(&text).as_bytes());
            ExitCode::from(if written.is_ok() { 0 } else { 74 })
        }
        Err(error) => {
            let (text, help) = (with_causes(&error), error.help());
            say(&format!("error: {text}\nhelp: {help}\n"));
            ExitCode::from(error.code())
        }
    }
}

/// Says something beside what is printed.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(tame(text).as_bytes());
}

/// Carries out what was typed, and returns what is printed.
fn carry_out(line: FleetArgs) -> Result<String, PolicyError> {
    let managed = line.managed.unwrap_or_else(|| World::real().managed);
    Ok(match line.verb {
        FleetCommand::Policy(verb) => policy(verb, &managed)?,
        FleetCommand::Keygen { name, role } => fleet_verbs::keygen(&name, Path::new("."), role)?,
        FleetCommand::Ship { connecting, follow } => shipping::ship(connecting, &managed, follow)?,
        FleetCommand::Config { fleet } => Fleet::open(&fleet)?.conf(),
        FleetCommand::Streams { fleet, connecting } => {
            fleet_verbs::streams(&Fleet::open(&fleet)?, connecting)?
        }
        FleetCommand::Store {
            folder,
            fleet,
            connecting,
            follow,
        } => fleet_verbs::keep(&folder, &Fleet::open(&fleet)?, connecting, follow)?,
        FleetCommand::Log(question) => question.answer(query::LOG)?,
        FleetCommand::Stats(question) => question.answer(query::STATS)?,
        FleetCommand::Coverage { folder, json } => {
            let all = archive::known(&folder)?;
            if json {
                fleet_verbs::escaped(&serde_json::to_string(&all)?) + "\n"
            } else {
                coverage::page(&all, World::real().clock.now())
            }
        }
    })
}

fn policy(verb: PolicyCommand, managed: &Path) -> Result<String, PolicyError> {
    // What is written here is read by all users of the machine, whatever mask root has.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    match verb {
        PolicyCommand::Build {
            folder,
            output,
            key,
        } => policy_verbs::build(&folder, &output, &key),
        PolicyCommand::Diff { old, new } => policy_verbs::compare(&old, &new, managed),
        PolicyCommand::Digest { file } => policy_verbs::digest(&file),
        PolicyCommand::TrustKey { file } => policy_verbs::trust_key(&file, managed),
        PolicyCommand::Apply { source } => policy_verbs::apply(source.as_deref(), managed),
        PolicyCommand::Status { json } => policy_verbs::status(managed, json),
        PolicyCommand::Leave => policy_verbs::leave(managed),
    }
}
