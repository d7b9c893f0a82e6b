//! The options of `anyhook run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhook::load::{Loading, Strictness, Trusting};
use lexopt::ValueExt as _;

use crate::flags::{Argument, Flag, Flags, Set};

/// What the command line may say.
#[rustfmt::skip]
pub(crate) static FLAGS: Flags<Options> = Flags {
    argument: Argument {
        name: "EVENT", required: false, place: |options| &mut options.event,
        help: "The event, if the payload does not name it; any spelling",
    },
    flags: &[
        Flag { name: "host", help: "The agent that calls; its payloads, answers and exit codes are used",
            set: Set::Value("NAME", |options, value| { options.host = Some(value.to_string_lossy().into_owned()); Ok(()) }) },
        Flag { name: "event", help: "The same as EVENT",
            set: Set::Value("NAME", |options, value| { options.event = Some(value.to_string_lossy().into_owned()); Ok(()) }) },
        Flag { name: "manifest", help: "Use only this hooks.json",
            set: Set::Value("FILE", |options, value| { options.manifest = Some(value.into()); Ok(()) }) },
        Flag { name: "deadline", help: "How long the host waits for the answer [default: 30]",
            set: Set::Value("SECONDS", |options, value| { options.deadline = Some(value.parse_with(seconds)?); Ok(()) }) },
        Flag { name: "strict", help: "On gate events, block if a hook fails or is not trusted",
            set: Set::On(|options| options.loading.strict = Strictness::Strict) },
        Flag { name: "trust-all", help: "Treat every manifest as trusted, for CI",
            set: Set::On(|options| options.loading.trust = Trusting::All) },
        Flag { name: "explain", help: "Print what happened instead of the answer",
            set: Set::On(|options| options.explain = options.explain.or(Some(Format::Text))) },
        Flag { name: "json", help: "The same as --explain, in JSON",
            set: Set::On(|options| options.explain = Some(Format::Json)) },
    ],
};

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// The event, in any spelling.
    pub event: Option<String>,
    /// The agent that calls.
    pub host: Option<String>,
    /// The one manifest that holds.
    pub manifest: Option<PathBuf>,
    /// How long the host waits.
    pub deadline: Option<Duration>,
    /// How files are trusted, and what an unusable one means.
    pub loading: Loading,
    /// Whether what happened is printed instead of the answer.
    pub explain: Option<Format>,
}

/// How it is printed what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// Finds the host's name before anything is parsed: a mistake elsewhere on the line must not hide who calls.
pub(crate) fn named_host(args: &[OsString]) -> Option<String> {
    let mut args = args.iter().map(|arg| arg.to_string_lossy());
    while let Some(arg) = args.next() {
        if arg == "--host" {
            return Some(args.next().unwrap_or_default().into_owned());
        }
        if let Some(name) = arg.strip_prefix("--host=") {
            return Some(name.to_owned());
        }
    }
    None
}

impl Options {
    /// Parses the flags. Under a host a mistake is passed over, since an answer matters more, and the event is asked about
    /// strictly: what the mistake was meant to be is not known.
    pub(crate) fn read(args: Vec<OsString>, hosted: bool) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(args);
        let mut options = Self::default();
        loop {
            match FLAGS.next(&mut parser, &mut options) {
                Ok(true) => {}
                Ok(false) => return Ok(options),
                Err(_) if hosted => options.loading.strict = Strictness::Strict,
                Err(error) => return Err(error),
            }
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let in_reach = seconds > 0.0 && seconds <= 86_400.0;
    in_reach
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or_else(|| "must be above 0 and at most 86400".to_owned())
}
