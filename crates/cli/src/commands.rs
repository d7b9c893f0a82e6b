//! The commands: one file and one row each.

/// Makes the row of a command: its name, the type that clap describes and reads, the function that takes it, and what it does
/// beside its usual work.
macro_rules! verb {
    ($name:expr, $args:ty, $run:path) => {
        verb!($name, $args, $run, &[])
    };
    ($name:expr, $args:ty, $run:path, $modes:expr) => {
        $crate::commands::CommandSpec {
            name: $name,
            describe: <$args as clap::Args>::augment_args,
            run: $crate::commands::CommandFunction::Parsed(|matches| {
                $run(&$crate::commands::typed(matches)?)
            }),
            modes: $modes,
        }
    };
}

mod add;
mod agent;
mod approve;
mod attack;
mod backtest;
mod bench;
mod call_tool;
mod check;
mod completions;
mod config;
mod confine;
mod convert;
mod demo;
mod doctor;
mod events;
mod explain;
pub(crate) mod export;
pub(crate) mod get;
mod help;
mod hosts;
mod import;
mod init;
mod install;
mod internal;
mod list;
pub(crate) mod log;
mod module;
mod next;
mod remove;
pub(crate) mod run;
mod say;
mod stats;
mod switch;
mod test;
mod trust;
mod undo;
mod update;
mod verify;
mod why;

use std::ffi::OsString;

use clap::builder::ArgPredicate;
use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::addons;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{old, ui};

/// One command.
pub(crate) struct CommandSpec {
    /// Its name.
    pub name: &'static str,
    /// Describes it to clap, for help and completions.
    pub describe: fn(Command) -> Command,
    /// How it is carried out.
    pub run: CommandFunction,
    /// What it does beside its usual work. The usual work is the last one, without a word; a command without any takes all of
    /// its flags together.
    pub modes: &'static [CommandMode],
}

/// One thing that a command does: which flag or first word asks for it, and the flags that it takes.
pub(crate) struct CommandMode {
    /// A flag such as `--attack`, the first of `words`, or nothing for the usual work.
    pub word: &'static str,
    /// The names of the flags.
    pub flags: &'static [&'static str],
}

const fn asks(word: &'static str, flags: &'static [&'static str]) -> CommandMode {
    CommandMode { word, flags }
}

/// How a command is carried out.
pub(crate) enum CommandFunction {
    /// From what clap read.
    Parsed(fn(&ArgMatches) -> Result<Exit, CliError>),
    /// From the bare arguments: for verbs that run at every event.
    Hot(RawCommand),
}

/// A command that reads its own arguments.
pub(crate) type RawCommand = fn(Vec<OsString>) -> Exit;

/// Commands that belong together in the help.
pub(crate) struct CommandGroup {
    /// What they are for; nothing for those that only `anyhook help all` lists.
    pub heading: Option<&'static str>,
    /// The commands.
    pub rows: &'static [CommandSpec],
}

/// Every command, in the order of the help.
pub(crate) static COMMANDS: &[CommandGroup] = &[
    CommandGroup {
        heading: Some("Start"),
        rows: &[demo::ROW, init::ROW, add::ROW, install::ROW, doctor::ROW],
    },
    CommandGroup {
        heading: Some("Write"),
        rows: &[check::ROW, test::ROW, explain::ROW, backtest::ROW],
    },
    CommandGroup {
        heading: Some("Decide and watch"),
        rows: &[list::ROW, trust::ROW, approve::ROW, log::ROW, undo::ROW],
    },
    CommandGroup {
        heading: Some("For agents and scripts"),
        rows: &[run::ROW, get::ROW, say::ROW],
    },
    CommandGroup {
        heading: None,
        rows: &[confine::ROW, completions::ROW, help::ROW],
    },
];

/// Returns every command.
pub(crate) fn rows() -> impl Iterator<Item = &'static CommandSpec> {
    COMMANDS.iter().flat_map(|group| group.rows)
}

/// Returns the hot command that is asked for, and its arguments. A call for help is none.
pub(crate) fn hot(args: &[OsString]) -> Option<(RawCommand, Vec<OsString>)> {
    let (name, rest) = args.split_first()?;
    if let Some((_, run)) = internal::ROWS
        .iter()
        .find(|(internal, _)| *name == **internal)
    {
        return Some((*run, rest.to_vec()));
    }
    let CommandFunction::Hot(run) = rows().find(|row| *name == *row.name)?.run else {
        return None;
    };
    // Only the first argument may ask for help: later ones can be any text.
    let help = rest
        .first()
        .is_some_and(|first| first == "--help" || first == "-h");
    (!help).then(|| (run, rest.to_vec()))
}

/// Reads the arguments of a command from what clap found, which is what the same type described.
pub(crate) fn typed<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, CliError> {
    A::from_arg_matches(matches).map_err(|error| {
        CliError::new(Exit::Software, "the arguments cannot be read").because(error)
    })
}

/// Describes a flag that is on or off.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// Describes the whole command line.
pub(crate) fn app() -> Command {
    rows().fold(bare(), with)
}

fn with(app: Command, row: &CommandSpec) -> Command {
    let command = (row.describe)(Command::new(row.name)).disable_help_flag(true);
    // One form of help for all: the long one has a line between any two flags.
    let help = Arg::new("help").short('h').long("help");
    let help = help
        .action(ArgAction::HelpShort)
        .hide(true)
        .help("Print help");
    app.subcommand(common(command).arg(help))
}

/// Adds `--json` where a command has more forms than text and JSON.
fn common(command: Command) -> Command {
    let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    if has("json") || !has("format") {
        return command;
    }
    let json = flag("json", "Write JSON").conflicts_with("format");
    let form = |arg: Arg| arg.default_value_if("json", ArgPredicate::IsPresent, "json");
    command.mut_arg("format", form).arg(json)
}

fn color() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .value_parser(["auto", "always", "never"])
        .help("When to write in colour [default: auto]")
        .hide_possible_values(true)
        .hide_short_help(true)
        .global(true)
}

/// Describes as much of the command line as these arguments need: a command that is named first is the only one.
fn app_for(args: &[OsString]) -> Command {
    let named = args.first();
    let named = named.and_then(|name| rows().find(|row| *name == *row.name));
    named.map_or_else(app, |row| with(bare(), row))
}

const ABOUT: &str = "Lifecycle hooks for AI agents: guard, rewrite, approve, inform, audit";

fn bare() -> Command {
    Command::new("anyhook")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .help_template(format!("{{about}}\n{}\n{}", listed(false), more()))
        .arg(color())
        .disable_help_subcommand(true)
        .subcommand_required(true)
}

/// Names what the list of commands leaves out.
fn more() -> String {
    let mut more = String::from(
        "More: anyhook help COMMAND, help all, help exit-codes; --color WHEN, --version",
    );
    let here = addons::OWN.iter().map(|(name, _)| *name);
    let here: Vec<&str> = here.filter(|name| addons::find(name).is_some()).collect();
    if !here.is_empty() {
        more.push_str(&format!(
            "\nAdd-ons here: anyhook {}",
            here.join(", anyhook ")
        ));
    }
    more
}

fn heading(text: &str) -> String {
    let style = clap::builder::Styles::styled();
    let style = style.get_header();
    format!("{style}{text}{style:#}")
}

/// Lists the commands under their headings; with `all` also those that have none.
pub(crate) fn listed(all: bool) -> String {
    let mut text = String::new();
    for group in COMMANDS {
        let title = match group.heading {
            Some(title) => title,
            None if all => "More",
            None => continue,
        };
        text.push_str(&format!("{}\n", heading(title)));
        for row in group.rows {
            let command = (row.describe)(Command::new(row.name));
            let about = command.get_about().map(ToString::to_string);
            let name = ui::paint(ui::BOLD, &format!("{:11}", row.name));
            text.push_str(&format!("  {name} {}\n", about.unwrap_or_default()));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Parses the command line and carries it out.
pub(crate) fn main(typed: Vec<OsString>) -> Exit {
    let name = typed.first().cloned().unwrap_or_default();
    let args = old::meant(typed);
    let done = match args.first().map(|first| first.to_string_lossy()) {
        None => next::alone(),
        Some(first) if first == "version" => {
            ui::out(concat!("anyhook ", env!("CARGO_PKG_VERSION"), "\n")).map(|()| Exit::Done)
        }
        Some(first) if !first.starts_with('-') && rows().all(|row| *first != *row.name) => {
            let rest = args.iter().skip(1).cloned();
            Err(addons::start(&first, rest).unwrap_or_else(|| no_command(&first)))
        }
        Some(_) => parsed(args, name.to_str()),
    };
    done.unwrap_or_else(|problem| ui::problem(&problem))
}

/// Words that people try, and the command that they look for.
const MEANT: &str = include_str!("commands/meant.txt");

/// No command is called so.
pub(crate) fn no_command(name: &str) -> CliError {
    let mut meant = MEANT.lines().filter_map(|row| row.split_once(' '));
    if let Some((_, command)) = meant.find(|(word, _)| *word == name) {
        let what = format!("no command is called `{name}`");
        return CliError::new(Exit::Usage, what).help(format!("did you mean `anyhook {command}`?"));
    }
    let known = rows().map(|row| row.name);
    let addons = addons::OWN.iter().map(|(name, _)| *name);
    CliError::unknown("command", name, known.chain(addons).chain(["version"]))
        .or_help("all commands: anyhook help all".to_owned())
}

fn parsed(args: Vec<OsString>, typed: Option<&str>) -> Result<Exit, CliError> {
    let app = app_for(&args);
    let is_one = |name: &&str| old::is_alias(name) || rows().any(|row| row.name == *name);
    let typed = typed.filter(is_one);
    let line = std::iter::once(OsString::from("anyhook")).chain(args);
    let matches = match app.try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return Ok(told(error, typed)),
    };
    if let Some(when) = matches.get_one::<String>("color") {
        ui::color(when);
    }
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(Exit::Usage);
    };
    let Some(row) = rows().find(|row| row.name == name) else {
        return Ok(Exit::Software);
    };
    fits(row, matches)?;
    match row.run {
        CommandFunction::Parsed(run) => run(matches),
        CommandFunction::Hot(_) => Ok(Exit::Software),
    }
}

/// Refuses a flag that has no meaning for what is asked: one that is passed over in silence may be one that a person counts on.
fn fits(row: &CommandSpec, matches: &ArgMatches) -> Result<(), CliError> {
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let words = matches.try_get_many::<String>("words").ok().flatten();
    let first = words.and_then(|mut words| words.next());
    let word = first.map_or("", String::as_str);
    let mut modes = row.modes.iter();
    let named = modes.clone().find(|mode| mode.word == word);
    let asked = named.or_else(|| modes.find(|mode| mode.word.is_empty()));
    let Some(mode) = asked else { return Ok(()) };
    let command = common((row.describe)(Command::new(row.name)));
    let takes = |id: &str| id == "words" || mode.flags.contains(&id);
    let mut all = command.get_arguments();
    let is_stray = |id: &str| is_given(id) && !takes(id);
    match all.find(|arg| is_stray(arg.get_id().as_str())) {
        None => Ok(()),
        Some(stray) => {
            let short = stray.get_short().map(|short| format!("-{short}"));
            let long = stray.get_long().map(|long| format!("--{long}"));
            let stray = long.or(short).unwrap_or_else(|| stray.get_id().to_string());
            let usual = format!("anyhook {} {}", row.name, mode.word);
            let usual = usual.trim_end();
            let what = format!("`{usual}` does not take `{stray}`");
            let help = format!("anyhook {} --help shows what it takes", row.name);
            Err(CliError::new(Exit::Usage, what).help(help))
        }
    }
}

/// What a person may have meant who gave a command a word too much, or too few; `{}` is the word.
const MISTAKES: &str = include_str!("commands/mistakes.txt");

/// Lets clap speak: help goes to standard output and is no failure. A mistake ends with a line of help, like every other.
fn told(mut error: clap::Error, command: Option<&str>) -> Exit {
    // A text that begins with dashes is never what was meant.
    error.remove(ContextKind::Suggested);
    if command.is_some_and(old::is_alias) {
        // It is that of what the alias means.
        error.remove(ContextKind::Usage);
    }
    let mut text = error.render().ansi().to_string();
    if error.use_stderr() {
        text.truncate(text.find("For more information").unwrap_or(text.len()));
        let stray = error.get(ContextKind::InvalidArg).map(ToString::to_string);
        let stray = stray.unwrap_or_default();
        let kind = match error.kind() {
            ErrorKind::UnknownArgument if !stray.starts_with('-') => "extra",
            ErrorKind::MissingRequiredArgument => "missing",
            _ => "",
        };
        let begin = format!("{} {kind} ", command.unwrap_or_default());
        let meant = MISTAKES.lines().find_map(|row| row.strip_prefix(&begin));
        let name = command.map_or_else(String::new, |name| format!(" {name}"));
        let help = match meant {
            Some(help) => help.replace("{}", &stray),
            None => format!("anyhook{name} --help shows what it takes"),
        };
        ui::err(&format!(
            "{}\nhelp: {}\n",
            text.trim_end(),
            ui::visible(&help)
        ));
        return Exit::Usage;
    }
    let text = command.map_or_else(String::new, old::explained) + &text;
    ui::out(&text).map_or_else(|problem| ui::problem(&problem), |()| Exit::Done)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Counts the flags and arguments of a command, also the hidden ones, but for those that mean the same everywhere.
    fn slots(command: &Command) -> usize {
        let is_everywhere = |arg: &&Arg| ["help", "json", "color"].contains(&arg.get_id().as_str());
        command
            .get_arguments()
            .filter(|arg| !is_everywhere(arg))
            .count()
    }

    #[test]
    fn a_person_has_seventeen_commands_and_few_flags_to_choose_from() {
        let shown = COMMANDS.iter().filter(|group| group.heading.is_some());
        assert_eq!(shown.map(|group| group.rows.len()).sum::<usize>(), 17);
        let app = app();
        let all: usize = app.get_subcommands().map(slots).sum();
        // And `--help`, `--json` and `--color`.
        assert!(all + 3 <= 120, "{all}");
    }

    #[test]
    fn the_help_fits_on_a_screen_and_that_of_a_command_on_sixty_lines() {
        let mut app = app();
        let text = app.render_long_help().to_string();
        assert!(text.lines().count() <= 24, "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        app.build();
        for command in app.get_subcommands_mut() {
            let text = command.render_help().to_string();
            assert!(text.lines().count() <= 60, "{text}");
        }
    }

    #[test]
    fn every_flag_of_a_mode_is_one_of_its_command() {
        for row in rows() {
            let command = common((row.describe)(Command::new(row.name)));
            let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
            for mode in row.modes {
                let wrong: Vec<_> = mode.flags.iter().filter(|id| !has(id)).collect();
                assert!(wrong.is_empty(), "{} {}: {wrong:?}", row.name, mode.word);
            }
            let in_modes = |id: &str| {
                let own = |mode: &CommandMode| mode.word.trim_start_matches("--") == id;
                id == "words"
                    || row
                        .modes
                        .iter()
                        .any(|mode| mode.flags.contains(&id) || own(mode))
            };
            let all = command.get_arguments().map(|arg| arg.get_id().as_str());
            let lost: Vec<_> = all
                .filter(|id| !row.modes.is_empty() && !in_modes(id))
                .collect();
            assert!(lost.is_empty(), "{}: {lost:?} is never taken", row.name);
        }
    }

    /// Every line of a shell in the pages, and every command between backticks, by page.
    fn shown() -> Vec<(PathBuf, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
        let mut folders: Vec<PathBuf> = ["docs", "examples", "packs", "clients", "bindings"]
            .map(|name| root.join(name))
            .into();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "md") {
                    files.push(path);
                }
            }
        }
        let mut shown = Vec::new();
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let mut is_code = false;
            for line in text.lines() {
                if let Some(fence) = line.trim_start().strip_prefix("```") {
                    // A picture is text, in which a line may begin with any word.
                    is_code = matches!(fence, "sh" | "console" | "bash");
                    continue;
                }
                let parts: Vec<&str> = if is_code {
                    vec![line]
                } else {
                    line.split('`').skip(1).step_by(2).collect()
                };
                let lines = parts
                    .iter()
                    .filter_map(|part| part.trim().strip_prefix("anyhook "));
                shown.extend(lines.map(|line| (file.clone(), line.to_owned())));
            }
        }
        shown
    }

    #[test]
    fn every_command_and_every_flag_that_a_page_shows_is_there() {
        let shown = shown();
        assert!(shown.len() > 200, "{}", shown.len());
        let aliases = ["stats", "uninstall", "verify", "version", "why"];
        let app = app();
        for (file, line) in shown {
            let words = line.split_whitespace();
            let ends = |word: &&str| ["#", "|", "||", "&&", ">", "<", "--", "→"].contains(word);
            let words: Vec<&str> = words.take_while(|word| !ends(word)).collect();
            let Some(verb) = words
                .first()
                .filter(|verb| verb.starts_with(|c: char| c.is_ascii_lowercase()))
            else {
                continue;
            };
            if internal::ROWS.iter().any(|(name, _)| name == verb) {
                continue;
            }
            let is_addon = addons::OWN.iter().any(|(name, _)| name == verb);
            let line = words.iter().map(OsString::from).collect();
            let meant: Vec<String> = old::meant(line)
                .iter()
                .map(|word| word.to_string_lossy().into())
                .collect();
            let known = if aliases.contains(verb) {
                &*meant[0]
            } else {
                verb
            };
            let command = app.find_subcommand(known);
            let page = file.display();
            assert!(
                command.is_some() || is_addon || *verb == "version",
                "{page}: anyhook {verb}"
            );
            let Some(command) = command else { continue };
            for word in meant.iter().filter(|word| word.starts_with("--")) {
                let flag = word
                    .trim_start_matches('-')
                    .split(['=', '['])
                    .next()
                    .unwrap();
                let flag = flag.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
                let has = command
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(flag));
                assert!(has || flag == "color", "{page}: anyhook {verb} --{flag}");
            }
        }
    }
}
