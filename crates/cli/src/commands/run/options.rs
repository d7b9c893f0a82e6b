//! The options of `anyhook run`, declared once: lexopt reads them, and clap writes the help from them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhook::load::{LoadOptions, Strictness, TrustScope};
use clap::{Arg, ArgAction, Command};
use lexopt::{Error, Parser, ValueExt as _};

use crate::form::JsonFlag;

/// One flag.
struct Flag {
    /// Its name, without the dashes.
    name: &'static str,
    help: &'static str,
    set: FlagSetter,
}

/// What a flag changes.
enum FlagSetter {
    /// It stands alone.
    On(fn(&mut Options)),
    /// A value follows; the help calls it so.
    Value(
        &'static str,
        fn(&mut Options, OsString) -> Result<(), Error>,
    ),
}

/// The flags, in the order of the help.
#[rustfmt::skip]
static FLAGS: &[Flag] = &[
    Flag { name: "host", help: "The agent that calls; its payloads, answers and exit codes are used",
        set: FlagSetter::Value("NAME", |options, value| {
            let name = value.to_string_lossy().into_owned();
            match options.host.replace(name) { None => Ok(()), Some(_) => Err("a second `--host`".into()) }
        }) },
    Flag { name: "event", help: "The same as EVENT",
        set: FlagSetter::Value("NAME", |options, value| { options.event = Some(value.to_string_lossy().into_owned()); Ok(()) }) },
    Flag { name: "manifest", help: "Use only this hooks.json",
        set: FlagSetter::Value("FILE", |options, value| { options.manifest = Some(value.into()); Ok(()) }) },
    Flag { name: "deadline", help: "How long the host waits for the answer [default: 30]",
        set: FlagSetter::Value("SECONDS", |options, value| { options.deadline = Some(value.parse_with(seconds)?); Ok(()) }) },
    Flag { name: "strict", help: "On gate events, block if a hook fails or is not trusted",
        set: FlagSetter::On(|options| options.loading.strict = Strictness::Strict) },
    Flag { name: "trust-all", help: "Treat every manifest as trusted, for CI",
        set: FlagSetter::On(|options| options.loading.trust = TrustScope::All) },
    Flag { name: "explain", help: "Print what happened instead of the answer",
        set: FlagSetter::On(|options| options.explain = options.explain.or(Some(JsonFlag::default()))) },
    Flag { name: "json", help: "The same as --explain, in JSON",
        set: FlagSetter::On(|options| options.explain = Some(JsonFlag::of(true))) },
];

/// Describes the argument and the flags to clap.
pub(super) fn describe(command: Command) -> Command {
    let event = Arg::new("EVENT");
    let event = event.help("The event, if the payload does not name it; any spelling");
    let flags = FLAGS.iter().map(|flag| {
        let arg = Arg::new(flag.name).long(flag.name).help(flag.help);
        match flag.set {
            FlagSetter::On(_) => arg.action(ArgAction::SetTrue),
            FlagSetter::Value(is, _) => arg.value_name(is),
        }
    });
    command.arg(event).args(flags)
}

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
    pub loading: LoadOptions,
    /// Whether what happened is printed instead of the answer.
    pub explain: Option<JsonFlag>,
    /// What could not be read, under a host.
    pub mistakes: Vec<String>,
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
    /// Parses the flags. Under a host a mistake is kept for the answer, which matters more, and the event is asked about
    /// strictly: what the mistake was meant to be is not known.
    pub(crate) fn read(args: Vec<OsString>, hosted: bool) -> Result<Self, Error> {
        let mut parser = Parser::from_args(args);
        let mut options = Self::default();
        loop {
            match options.next(&mut parser) {
                Ok(true) => {}
                Ok(false) => return Ok(options),
                Err(error) if hosted => options.mistaken(error.to_string()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps a mistake.
    pub(super) fn mistaken(&mut self, what: String) {
        self.loading.strict = Strictness::Strict;
        self.mistakes.push(what);
    }

    /// Reads the next argument; false where there is none.
    fn next(&mut self, parser: &mut Parser) -> Result<bool, Error> {
        use lexopt::prelude::{Long, Value};
        let Some(arg) = parser.next()? else {
            return Ok(false);
        };
        match arg {
            Long(name) => match FLAGS
                .iter()
                .find(|flag| flag.name == name)
                .map(|it| &it.set)
            {
                Some(FlagSetter::On(set)) => set(self),
                Some(FlagSetter::Value(_, set)) => set(self, parser.value()?)?,
                None => return Err(Long(name).unexpected()),
            },
            Value(text) if self.event.is_none() => {
                self.event = Some(text.to_string_lossy().into_owned());
            }
            other => return Err(other.unexpected()),
        }
        Ok(true)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        let args = line.split_whitespace().map(OsString::from).collect();
        Options::read(args, false).map_err(|error| error.to_string())
    }

    #[test]
    fn an_argument_and_flags_are_read_in_any_order() {
        for line in ["--deadline 3 stop --strict", "stop --strict --deadline=3"] {
            let options = read(line).unwrap();
            assert_eq!(options.event.as_deref(), Some("stop"));
            assert_eq!(options.deadline, Some(Duration::from_secs(3)));
            assert_eq!(options.loading.strict, Strictness::Strict);
        }
    }

    #[test]
    fn what_no_table_names_is_refused_with_its_name() {
        let wrong = |line: &str| read(line).unwrap_err();
        assert_eq!(wrong("--quiet"), "invalid option '--quiet'");
        assert_eq!(wrong("a b"), "unexpected argument \"b\"");
        assert_eq!(
            wrong("--deadline"),
            "missing argument for option '--deadline'"
        );
        assert!(wrong("--deadline x").contains("\"x\""));
    }

    #[test]
    fn the_help_shows_every_flag_that_is_read_and_no_other() {
        let command = describe(Command::new("verb"));
        let shown = command.get_arguments().map(|arg| arg.get_id().as_str());
        let read = FLAGS.iter().map(|flag| flag.name);
        assert_eq!(
            shown.collect::<Vec<_>>(),
            ["EVENT"].into_iter().chain(read).collect::<Vec<_>>()
        );
    }
}
