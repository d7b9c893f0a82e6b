//! The options of `anyhook run`.
//!
//! ```
//! use anyhook_run::options::{Options, named_host};
//!
//! let line = ["Stop", "--host", "claude-code", "--deadline", "60"].map(Into::into);
//! assert_eq!(named_host(&line).as_deref(), Some("claude-code"));
//! let options = Options::read(line.into(), true)?;
//! assert_eq!((options.event.as_deref(), options.is_plain()), (Some("Stop"), true));
//! # Ok::<(), lexopt::Error>(())
//! ```

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhook_engine::load::{Loading, Strictness, Trusting};
use lexopt::ValueExt as _;

use crate::flags::{Argument, Flag, Flags, Set};

/// What the command line may say.
#[rustfmt::skip]
pub static FLAGS: Flags<Options> = Flags {
    argument: Argument {
        name: "EVENT", required: false, place: |options| &mut options.event,
        help: "The event, if the payload does not name it; any spelling",
    },
    flags: &[
        Flag { name: "host", help: "The agent that calls; its payloads, answers and exit codes are used",
            set: Set::Value("NAME", |options, value| { options.host = Some(value.to_string_lossy().into_owned()); Ok(()) }) },
        Flag { name: "manifest", help: "Use only this hooks.json",
            set: Set::Value("FILE", |options, value| { options.manifest = Some(value.into()); Ok(()) }) },
        Flag { name: "deadline", help: "How long the host waits for the answer [default: 30]",
            set: Set::Value("SECONDS", |options, value| { options.deadline = Some(value.parse_with(seconds)?); Ok(()) }) },
        Flag { name: "strict", help: "On gate events, block if a hook fails or is not trusted",
            set: Set::On(|options| options.loading.strict = Strictness::Strict) },
        Flag { name: "trust-all", help: "Treat every manifest as trusted, for CI",
            set: Set::On(|options| options.loading.trust = Trusting::All) },
        Flag { name: "record", help: "Keep the event as a test in DIR, without secrets",
            set: Set::Value("DIR", |options, value| { options.record = Some(value.into()); Ok(()) }) },
        Flag { name: "explain", help: "Print what happened instead of the answer",
            set: Set::On(|options| options.explain = options.explain.or(Some(Format::Text))) },
        Flag { name: "format", help: "The form of --explain: text or json [default: text]",
            set: Set::Value("FORMAT", |options, value| { options.explain = Some(value.parse_with(format)?); Ok(()) }) },
        Flag { name: "json", help: "The same as --explain --format json",
            set: Set::On(|options| options.explain = Some(Format::Json)) },
    ],
};

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Options {
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
    /// The folder in which the event is kept as a test.
    pub record: Option<PathBuf>,
    /// Whether what happened is printed instead of the answer.
    pub explain: Option<Format>,
}

/// How it is printed what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// Finds the host's name before anything is parsed: a mistake elsewhere on the line must not hide who calls.
pub fn named_host(args: &[OsString]) -> Option<String> {
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
    /// Parses the flags. Under a host a flag that is in no table is passed over: an answer matters more.
    pub fn read(args: Vec<OsString>, hosted: bool) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(args);
        let mut options = Self::default();
        loop {
            match FLAGS.next(&mut parser, &mut options) {
                Ok(true) => {}
                Ok(false) => return Ok(options),
                Err(_) if hosted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Tells whether an answer is all that is asked for: no test is kept, and nothing is explained.
    pub fn is_plain(&self) -> bool {
        self.record.is_none() && self.explain.is_none()
    }

    /// Writes the same as arguments, for another program that has so much time left.
    pub fn again(&self, host: &str, left: Duration) -> Vec<OsString> {
        let mut args: Vec<OsString> = ["--host", host, "--deadline"].map(Into::into).into();
        args.push(format!("{:.3}", left.as_secs_f64().max(0.001)).into());
        if let Some(manifest) = &self.manifest {
            args.extend(["--manifest".into(), manifest.clone().into_os_string()]);
        }
        if self.loading.strict == Strictness::Strict {
            args.push("--strict".into());
        }
        if self.loading.trust == Trusting::All {
            args.push("--trust-all".into());
        }
        if let Some(event) = &self.event {
            // Also one that looks like a flag.
            args.extend(["--".into(), event.into()]);
        }
        args
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

fn format(text: &str) -> Result<Format, String> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        other => Err(format!("`{other}` is neither text nor json")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_again_reads_as_the_same_but_for_the_time_that_is_left() {
        let line = "Stop --host codex --trust-all --strict --manifest=a/hooks.json --deadline 60";
        let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let read = Options::read(args, true).unwrap();
        let again = Options::read(read.again("codex", Duration::from_millis(59_500)), false);
        let again = again.unwrap();
        assert_eq!(again.deadline, Some(Duration::from_millis(59_500)));
        let whole = Options {
            deadline: read.deadline,
            ..again
        };
        assert_eq!(format!("{whole:?}"), format!("{read:?}"));
    }
}
