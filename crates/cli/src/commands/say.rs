//! `anyhook say`: the right answer to the event that a hook was asked about, without knowing anybody's JSON.

use std::ffi::OsString;

use anyhook::core::can::Capabilities;
use anyhook::core::effects::{Level, Notice};
use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Kind};
use anyhook::wires::{Host, hosts};
use anyhook_testing::{keys, set};
use clap::{Arg, Command};
use serde_json::Value;

use super::{CommandFunction, CommandSpec, flag};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::{payload, ui};

/// The row.
pub(crate) const ROW: CommandSpec = CommandSpec {
    name: "say",
    describe,
    run: CommandFunction::Hot(run),
    modes: &[],
};

/// What can be said.
const WORDS: &[&str] = &[
    "deny", "ask", "allow", "halt", "rewrite", "inject", "notify",
];

/// Words that other programs have for these, and what they mean here.
const MEANT: &str = include_str!("say/meant.txt");

/// Returns what a word means here.
fn meant(word: &str) -> &str {
    let mut rows = MEANT.lines().filter_map(|row| row.split_once(' '));
    rows.find(|(other, _)| *other == word)
        .map_or(word, |(_, own)| own)
}

/// No answer is called so.
fn no_answer(word: &str) -> CliError {
    let problem = CliError::unknown("answer", word, WORDS.iter().copied());
    match meant(word) {
        own if own == word => problem.or_help(format!("the answers: {}", one_of(WORDS))),
        own => problem.help(format!("did you mean `{own}`?")),
    }
}

/// Says one thing more; the texts are those that follow its word.
fn with(
    said: HookResult,
    word: &str,
    texts: &mut TextQueue<'_>,
    event: &Event,
) -> Result<HookResult, CliError> {
    Ok(match word {
        "deny" => said.then(HookResult::deny(needed(texts, "a reason")?)),
        "ask" => said.then(HookResult::ask(needed(texts, "a question")?)),
        "allow" => said.then(HookResult::allow_because(
            texts.next().cloned().unwrap_or_default(),
        )),
        "halt" => said.then(HookResult::halt(needed(texts, "a reason")?)),
        "rewrite" => rewrite(said, texts, event)?,
        "inject" => said.inject(needed(texts, "a text")?),
        "notify" => notify(said, texts)?,
        unknown => {
            return Err(no_answer(unknown));
        }
    })
}

/// The flag before another answer. What follows a word is text, so that only a flag in its own place is one: `say` reads
/// its arguments itself.
const AND: &str = "and";

/// The flag that names the agent, before the first word.
const HOST: &str = "host";

/// The flag of `notify`, after its text.
const LEVEL: &str = "level";

/// How serious a notice is.
const LEVELS: [(&str, Level); 3] = [
    ("info", Level::Info),
    ("warning", Level::Warning),
    ("error", Level::Error),
];

fn is_flag(text: &str, name: &str) -> bool {
    text.strip_prefix("--") == Some(name)
}

fn describe(command: Command) -> Command {
    let levels = LEVELS.map(|(name, _)| name);
    let level = format!("The level of notify, after its text: {}", one_of(&levels));
    command
        .about("Print an answer to an event, in a hook's script")
        .arg(Arg::new("WORD").required(true).help(one_of(WORDS)))
        .arg(
            Arg::new("TEXT")
                .num_args(0..)
                .help("The text of the answer; for rewrite: PATH VALUE"),
        )
        .arg(Arg::new(LEVEL).long(LEVEL).value_name("LEVEL").help(level))
        .arg(
            Arg::new(HOST).long(HOST).value_name("NAME").help(
                "The agent that asks, before WORD, where a hook does not run through anyhook",
            ),
        )
        .arg(flag(AND, "Add another answer: its word and text follow"))
        .after_help(include_str!("help/say.txt"))
}

/// Lists names for a person: `a, b or c`.
fn one_of(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The texts that follow a word.
type TextQueue<'a> = std::slice::Iter<'a, String>;

fn needed(texts: &mut TextQueue<'_>, what: &str) -> Result<String, CliError> {
    let missing =
        || CliError::new(Exit::Usage, format!("{what} is missing")).help("anyhook say --help");
    let text = texts.next().filter(|text| !text.trim().is_empty());
    text.cloned().ok_or_else(missing)
}

fn run(args: Vec<OsString>) -> Exit {
    let args = args.into_iter();
    let args = args.map(|arg| arg.to_string_lossy().into_owned());
    let args: Vec<String> = args.collect();
    say(&args).unwrap_or_else(|problem| {
        payload::failed();
        refuse(&args, &problem)
    })
}

/// Takes the name of the agent, which stands before the first word.
fn split_host(args: &[String]) -> (Option<&str>, &[String]) {
    match args {
        [flag, name, rest @ ..] if is_flag(flag, HOST) => (Some(name), rest),
        _ => (None, args),
    }
}

/// What cannot be said as an answer is still said by the exit code, if it refuses.
fn refuse(args: &[String], problem: &CliError) -> Exit {
    let (_, args) = split_host(args);
    let refusing = |word: &String| ["deny", "ask", "halt"].contains(&meant(word));
    if !args.first().is_some_and(refusing) {
        return ui::problem(problem);
    }
    let reason = args.get(1).map_or("refused", String::as_str);
    let help = problem.help.iter().map(|help| format!("; {help}"));
    let help: String = help.collect();
    ui::err(&format!("{reason}\n(anyhook say: {problem}{help})\n"));
    Exit::Answer(2)
}

fn say(args: &[String]) -> Result<Exit, CliError> {
    let (named, args) = split_host(args);
    if args.is_empty() {
        return Err(CliError::new(Exit::Usage, "say what?").help("anyhook say --help"));
    }
    let parts = || args.split(|arg| is_flag(arg, AND));
    let mut words = parts().filter_map(|part| part.first());
    if let Some(unknown) = words.find(|word| !WORDS.contains(&word.as_str())) {
        return Err(no_answer(unknown));
    }
    let (event, host) = understand(named)?;
    let mut said = HookResult::proceed();
    for part in parts() {
        let Some((name, texts)) = part.split_first() else {
            return Err(CliError::new(Exit::Usage, "say what?").help("anyhook say --help"));
        };
        let mut texts = texts.iter();
        said = with(said, name, &mut texts, &event)?;
        if let Some(extra) = texts.next() {
            let what = format!("`{extra}` is one text too many for `say {name}`");
            return Err(CliError::new(Exit::Usage, what).help("put the whole text in quotes"));
        }
    }
    let refuses = said.verdict.kind() >= Kind::Ask;
    // A hook's own answer is fitted by the program that asked it. Only a form that cannot say it at all is left here.
    let can = Capabilities {
        coupling: anyhook::core::can::RewriteCoupling::Free,
        ..host.can(&event)
    };
    let (fitted, losses) = anyhook::wires::fitted(host, &event, said, &can);
    if refuses
        && fitted.verdict.kind() < Kind::Ask
        && event.name.class() != anyhook::core::taxonomy::Class::Notice
    {
        for loss in losses {
            ui::err(&format!("anyhook say: not said here: {:?}\n", loss.what));
        }
    }
    let reply = host.write_result(&event, &fitted);
    ui::err(&reply.stderr);
    ui::answer(&reply.stdout)?;
    Ok(Exit::Answer(reply.exit))
}

/// Reads the event in the form of the agent that asked: the one that is named, else the one in whose words the hook was asked.
/// A payload without either counts where it is universal; of all others we would only guess, and say what another agent overlooks.
fn understand(named: Option<&str>) -> Result<(Event, &'static Host), CliError> {
    let bytes = payload::read()?;
    let hint = std::env::var("ANYHOOK_EVENT").ok();
    let asking = std::env::var("ANYHOOK_HOST").ok();
    let unreadable = |error| CliError::undecodable("the event", error);
    let object = anyhook::wires::json::object(&bytes).map_err(unreadable)?;
    let is_universal = object.contains_key("hookEventName");
    let host = match named.or(asking.as_deref()) {
        Some(name) => error::host(name)?,
        None if is_universal => &hosts::universal::UNIVERSAL,
        None => {
            let problem = CliError::new(Exit::Usage, "nothing tells which agent asks");
            return Err(problem.help("name it: anyhook say --host NAME deny …"));
        }
    };
    let event = host
        .read_event(&bytes, hint.as_deref())
        .map_err(unreadable)?;
    Ok((event, host))
}

fn notify(said: HookResult, texts: &mut TextQueue<'_>) -> Result<HookResult, CliError> {
    let text = needed(texts, "a text")?;
    let level = match texts.next() {
        None => Level::Info,
        Some(flag) if is_flag(flag, LEVEL) => {
            let name = needed(texts, "a level")?;
            let known = LEVELS.iter().find(|(known, _)| *known == name);
            let (_, level) = known
                .ok_or_else(|| CliError::unknown("level", &name, LEVELS.map(|(name, _)| name)))?;
            *level
        }
        Some(other) => {
            return Err(CliError::new(
                Exit::Usage,
                format!("`{other}` is one text too many"),
            ));
        }
    };
    Ok(said.notifying(Notice::new(text).at(level)))
}

/// Replaces one value inside a field of the event; the whole field is said.
fn rewrite(
    said: HookResult,
    texts: &mut TextQueue<'_>,
    event: &Event,
) -> Result<HookResult, CliError> {
    let path = needed(texts, "a path")?;
    let value = Value::String(texts.next().cloned().unwrap_or_default());
    let missing = |_| CliError::new(Exit::Usage, format!("the event has no `{path}`"));
    let keys = keys(&path).map_err(missing)?;
    let Some((field, inner)) = keys.split_first() else {
        return Ok(said);
    };
    let mut data = event.data.json().into_owned();
    let given = said.effects.rewrite(field);
    if let Some(given) = given.and_then(|rewrite| rewrite.value.as_ref()) {
        data.insert(field.clone(), given.json());
    }
    if !inner.is_empty() && !data.contains_key(field) {
        return Err(missing(String::new()));
    }
    let mut data = Value::Object(data);
    set(&mut data, &path, &value).map_err(missing)?;
    let whole = data.get(field).cloned();
    Ok(said.modify(field.clone(), whole.unwrap_or_default()))
}
