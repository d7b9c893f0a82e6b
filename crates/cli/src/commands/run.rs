//! `anyhook run`: one event, from an agent's payload to that agent's answer.
//!
//! Under `--host` nothing but an answer ever comes out, whatever goes wrong in us, unless `--explain` asks for what happened.
//! Without it the caller is a person, and errors are for a person.

pub(super) mod hosted;
mod options;
mod stdin;
mod watchdog;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhook::core::event::EventName;
use anyhook::core::taxonomy::Class;
use anyhook::event::{Caller, EventAnswer};
use anyhook::processes::ExclusiveReaper;
use anyhook::wires::{self, Host, hosts};
use anyhook::world::World;
use clap::Command;

use self::hosted::HostRequest;
use self::options::{Options, named_host};
use super::{CommandFunction, CommandSpec};
use crate::error::{CliError, no_event, no_host};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::visible;
use crate::{findings, payload, ui, view};

/// The row.
pub(crate) const ROW: CommandSpec = CommandSpec {
    name: "run",
    describe,
    run: CommandFunction::Hot(run),
    modes: &[],
};

fn describe(command: Command) -> Command {
    options::describe(command.about("Answer one event, as agents call it"))
        .after_help(include_str!("help/run.txt"))
}

/// Lets an end that someone wants (a person, the host, a hook of another author) end the hooks and the asking, and still
/// answer: to most agents a hook that was killed is one that had nothing to say.
pub(super) fn listen(world: &World) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&world.interrupted));
    }
}

fn run(args: Vec<OsString>) -> Exit {
    let hosted = named_host(&args);
    let mut options = match Options::read(args, hosted.is_some()) {
        Ok(options) => options,
        Err(error) => {
            let problem = CliError::new(Exit::Usage, error.to_string());
            return ui::problem(&problem.help("anyhook run --help"));
        }
    };
    match hosted.as_deref() {
        None => for_a_person(&options).unwrap_or_else(|problem| ui::problem(&problem)),
        Some(name) => match wires::host(name) {
            Some(host) => {
                // Another name on the line counts for nothing, and the payload's own holds.
                let event = options
                    .event
                    .as_deref()
                    .map(|name| (host.row(name), known_event(name)));
                if let Some((None, Err(problem))) = event {
                    options.mistaken(problem.what);
                }
                asked_by(host, &options)
            }
            None => unknown_host(name, &options),
        },
    }
}

fn for_a_person(options: &Options) -> Result<Exit, CliError> {
    if let Some(file) = &options.manifest {
        crate::manifest::bytes(file)?;
        ui::err(&findings::of(file));
    }
    if let Some(name) = &options.event {
        known_event(name)?;
    }
    payload::expects("the payload");
    let payload = payload::stdin()?;
    let host: &'static Host = &hosts::universal::UNIVERSAL;
    host.read_event(&payload, options.event.as_deref())
        .map_err(|error| {
            CliError::undecodable("the payload on standard input", error).help(
                "a payload is one JSON object; name the event on the command line if it does not",
            )
        })?;
    let alone = ExclusiveReaper::now();
    let asking = HostRequest {
        host,
        caller: Caller::Person,
        options,
        deadline: options.deadline,
    };
    let mut answered = asking.ask(&hosted::world(), |line| line.run(&payload));
    let exit = if let Some(form) = options.explain {
        explain(&answered, form)?
    } else {
        ui::err(&visible(&answered.reply.stderr));
        ui::answer(&answered.reply.stdout)?;
        answered.settle();
        let _ = alone.map(|alone| alone.end_rest());
        Exit::Answer(answered.reply.exit)
    };
    Ok(exit)
}

/// An event of one's own has a colon in its name; any other has to be a known one.
pub(super) fn known_event(name: &str) -> Result<(), CliError> {
    if EventName::new(name).spec().is_some() || name.contains(':') {
        return Ok(());
    }
    Err(no_event(name))
}

fn explain(answered: &EventAnswer, form: JsonFlag) -> Result<Exit, CliError> {
    form.say(&answered.report, |report| view::report(report, ui::width()))
}

/// Answers a host. Whatever happens in here, an answer comes out.
fn asked_by(host: &'static Host, options: &Options) -> Exit {
    let code = hosted::answer(host, options, |world, mut answered| {
        if let Some(form) = options.explain {
            let told = explain(&answered, form);
            return told.unwrap_or_else(|problem| ui::problem(&problem)).code();
        }
        let exit = hosted::say(&mut answered);
        // The answer is out. Whatever becomes of this, the host is told nothing else: it might take it for an answer.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            super::export::in_background(world);
        }));
        exit
    });
    Exit::Answer(code)
}

/// There is no answer in the words of a host that we do not know. What could be a gate is refused, loudly.
fn unknown_host(name: &str, options: &Options) -> Exit {
    ui::problem(&no_host(name));
    let class = options
        .event
        .as_deref()
        .map(|event| EventName::new(event).class());
    match class {
        None | Some(Class::Gate) => Exit::Answer(2),
        Some(Class::Continuation | Class::After | Class::Notice) => Exit::Usage,
    }
}
