//! The flags of verbs that run at every event, declared once: lexopt reads them, and clap writes the help from them.
//!
//! Both look at the same table: a flag cannot be in the help alone, and no flag is read that the help does not show.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};
use lexopt::{Error, Parser};

/// What a verb understands; `O` holds what it read.
#[derive(Debug)]
pub(crate) struct Flags<O: 'static> {
    /// The one argument without a flag.
    pub argument: Argument<O>,
    /// The flags, in the order of the help.
    pub flags: &'static [Flag<O>],
}

/// An argument without a flag.
#[derive(Debug)]
pub(crate) struct Argument<O> {
    /// Its name in the help.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Whether the verb cannot do without it.
    pub required: bool,
    /// Where it is kept.
    pub place: fn(&mut O) -> &mut Option<String>,
}

/// One flag.
#[derive(Debug)]
pub(crate) struct Flag<O> {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What it changes.
    pub set: Set<O>,
}

/// What a flag changes.
#[derive(Debug)]
pub(crate) enum Set<O> {
    /// It stands alone.
    On(fn(&mut O)),
    /// A value follows; the help calls it so.
    Value(&'static str, fn(&mut O, OsString) -> Result<(), Error>),
}

impl<O> Flags<O> {
    /// Reads the next argument into the options; false where there is none.
    pub(crate) fn next(&self, parser: &mut Parser, options: &mut O) -> Result<bool, Error> {
        use lexopt::prelude::{Long, Value};
        let Some(arg) = parser.next()? else {
            return Ok(false);
        };
        match arg {
            Long(name) => match self.flags.iter().find(|flag| flag.name == name) {
                Some(Flag {
                    set: Set::On(set), ..
                }) => set(options),
                Some(Flag {
                    set: Set::Value(_, set),
                    ..
                }) => set(options, parser.value()?)?,
                None => return Err(Long(name).unexpected()),
            },
            Value(text) if (self.argument.place)(options).is_none() => {
                *(self.argument.place)(options) = Some(text.to_string_lossy().into_owned());
            }
            other => return Err(other.unexpected()),
        }
        Ok(true)
    }
}

/// Describes the argument and the flags to clap.
pub(crate) fn describe<O>(flags: &Flags<O>, command: Command) -> Command {
    let Argument {
        name,
        help,
        required,
        ..
    } = flags.argument;
    let argument = Arg::new(name).required(required).help(help);
    let described = |command: Command, flag: &Flag<O>| command.arg(of_flag(flag));
    flags.flags.iter().fold(command.arg(argument), described)
}

fn of_flag<O>(flag: &Flag<O>) -> Arg {
    let arg = Arg::new(flag.name).long(flag.name).help(flag.help);
    match flag.set {
        Set::On(_) => arg.action(ArgAction::SetTrue),
        Set::Value(is, _) => arg.value_name(is),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Options {
        path: Option<String>,
        loud: bool,
        most: Option<u8>,
    }

    const FLAGS: Flags<Options> = Flags {
        argument: Argument {
            name: "PATH",
            help: "The path",
            required: true,
            place: |options| &mut options.path,
        },
        flags: &[
            Flag {
                name: "loud",
                help: "Say more",
                set: Set::On(|options| options.loud = true),
            },
            Flag {
                name: "most",
                help: "How many",
                set: Set::Value("N", |options, value| {
                    use lexopt::ValueExt as _;
                    options.most = Some(value.parse()?);
                    Ok(())
                }),
            },
        ],
    };

    fn read(line: &str) -> Result<Options, String> {
        let mut parser = Parser::from_args(line.split_whitespace());
        let mut options = Options::default();
        while FLAGS
            .next(&mut parser, &mut options)
            .map_err(|error| error.to_string())?
        {}
        Ok(options)
    }

    #[test]
    fn an_argument_and_flags_are_read_in_any_order() {
        let wanted = Options {
            path: Some("a".to_owned()),
            loud: true,
            most: Some(3),
        };
        assert_eq!(read("--most 3 a --loud").as_ref(), Ok(&wanted));
        assert_eq!(read("a --loud --most=3"), Ok(wanted));
    }

    #[test]
    fn what_no_table_names_is_refused_with_its_name() {
        let wrong = |line: &str| read(line).unwrap_err();
        assert_eq!(wrong("--quiet"), "invalid option '--quiet'");
        assert_eq!(wrong("a b"), "unexpected argument \"b\"");
        assert_eq!(wrong("--most"), "missing argument for option '--most'");
        assert!(wrong("--most x").contains("\"x\""));
    }

    #[test]
    fn the_help_shows_every_flag_that_is_read_and_no_other() {
        let mut command = describe(&FLAGS, Command::new("verb").disable_help_flag(true));
        let help = command.render_help().to_string();
        let wanted = "Usage: verb [OPTIONS] <PATH>\n\nArguments:\n  <PATH>  The path\n\nOptions:\n      \
                      --loud      Say more\n      --most <N>  How many\n";
        assert_eq!(help, wanted);
    }
}
