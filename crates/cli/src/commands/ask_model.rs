//! `anyhook ask-model`: asks the configured model about one event. Not for people: a hook of type `prompt` is this process.

use std::ffi::OsString;

use anyhook::models::{self, AskError, Judging, StandIn, VERB, instruct};
use anyhook::runners::prompt::UNREAD;
use anyhook::world::World;

use super::Hot;
use crate::exit::Exit;
use crate::{payload, ui};

/// The row.
pub(crate) const ROW: (&str, Hot) = (VERB, run);

fn run(args: Vec<OsString>) -> Exit {
    let judging = args
        .into_iter()
        .next()
        .and_then(|word| word.into_string().ok());
    let judging = judging.and_then(|word| serde_json::from_str::<Judging>(&word).ok());
    let Some(judging) = judging else {
        return failed(
            "this command is called by hooks of type `prompt` alone",
            Exit::Usage,
        );
    };
    let event = match payload::stdin() {
        Ok(event) => event,
        Err(problem) => return failed(&problem.to_string(), problem.exit),
    };
    if let Some(stand_in) = &judging.stand_in {
        return stood_in(stand_in, &judging.prompt, &event);
    }
    match models::ask(&World::real(), &judging, &event) {
        Ok(answer) => match ui::raw(&format!("{answer}\n")) {
            Ok(()) => Exit::Done,
            Err(problem) => failed(&problem.to_string(), problem.exit),
        },
        Err(error @ AskError::Unread(_)) => failed(&error.told(), Exit::Answer(UNREAD)),
        Err(error @ AskError::Settings(_)) => failed(&error.told(), Exit::Config),
        Err(error) => failed(&error.told(), Exit::Io),
    }
}

/// Answers as a test says, and tells what a model would have been asked.
fn stood_in(stand_in: &StandIn, prompt: &str, event: &[u8]) -> Exit {
    let exit = match stand_in.answer() {
        Ok(answer) => ui::raw(&format!("{answer}\n")).map_or(Exit::Io, |()| Exit::Done),
        Err(why) if stand_in.is_answer() => failed(&why, Exit::Answer(UNREAD)),
        Err(why) => failed(&why, Exit::Io),
    };
    let (asked, about) = (instruct::instruction(prompt), instruct::data(event));
    ui::err(&format!(
        "{}\n{}\n",
        ui::visible(&asked),
        ui::visible(&about)
    ));
    exit
}

/// The first line of standard error is what the report says.
pub(super) fn failed(why: &str, exit: Exit) -> Exit {
    ui::err(&format!("{}\n", ui::visible(&why.replace('\n', " "))));
    exit
}
