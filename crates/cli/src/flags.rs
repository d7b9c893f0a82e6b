//! The help of the flags that verbs read without clap: it is written from the tables of [`anyhook_run::flags`].

use anyhook_run::flags::{Argument, Flag, Flags, Set};
use clap::{Arg, ArgAction, Command};

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

    #[test]
    fn the_help_shows_every_flag_that_is_read_and_no_other() {
        static FLAGS: Flags<Option<String>> = Flags {
            argument: Argument {
                name: "PATH",
                help: "The path",
                required: true,
                place: |options| options,
            },
            flags: &[
                Flag {
                    name: "loud",
                    help: "Say more",
                    set: Set::On(|_| {}),
                },
                Flag {
                    name: "most",
                    help: "How many",
                    set: Set::Value("N", |_, _| Ok(())),
                },
            ],
        };
        let mut command = describe(&FLAGS, Command::new("verb").disable_help_flag(true));
        let help = command.render_help().to_string();
        let wanted = "Usage: verb [OPTIONS] <PATH>\n\nArguments:\n  <PATH>  The path\n\nOptions:\n      \
                      --loud      Say more\n      --most <N>  How many\n";
        assert_eq!(help, wanted);
    }
}
