//! `anyhook approve`: a person answers a question that the host could not ask.
//!
//! It needs a terminal, and refuses below an agent: a code alone opens nothing. There is no switch for that.

use anyhook::approvals::{ApprovalAnswer, ApprovalBook, AskedQuestion, BookError, OpenQuestion};
use anyhook::core::question::{AnswerLifetime, Choice, Grants};
use anyhook::notify;
use anyhook::record::past;
use anyhook::state::{FileState, PriorState};
use anyhook::stores::{Jsonl, RecordDetail};
use anyhook::world::{UserFolders, World};
use clap::Args;
use serde_json::{Value, json};

use super::{CommandSpec, why};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::permits::table;
use crate::person;
use crate::ui::{self, paint, short, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("approve", ApproveArgs, run);

/// Let one blocked action through
#[derive(Args)]
#[command(after_help = include_str!("help/approve.txt"))]
struct ApproveArgs {
    /// The code of the question [default: list all open questions]
    code: Option<String>,
    /// How long it holds: session, until the session ends; always, until you revoke it or the hook changes [default: once]
    #[arg(long = "for", value_name = "TIME", requires = "code", value_parser = ["session", "always"], hide_possible_values = true)]
    lasts: Option<String>,
    /// Answer no, with a text for the model if you like
    #[arg(long, value_name = "NOTE", requires = "code", conflicts_with = "lasts", num_args = 0..=1, default_missing_value = "")]
    deny: Option<String>,
    /// Set a passphrase, which every later answer needs
    #[arg(long, conflicts_with = "code")]
    set_passphrase: bool,
    /// Take an approval back, by its id or the beginning of it, or all; without one, list what you approved and still holds
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["code", "set_passphrase"])]
    revoke: Option<String>,
    #[command(flatten)]
    form: JsonFlag,
}

/// Tells a person what went wrong with the book.
fn unusable(error: BookError) -> CliError {
    let (exit, what, help) = match &error {
        BookError::NoSuchCode | BookError::Changed | BookError::Answered(_) => (
            Exit::Negative,
            "nothing was approved",
            Some("look again: anyhook approve"),
        ),
        BookError::LongNote(_) => (
            Exit::Usage,
            "nothing was answered",
            Some("say it in fewer words"),
        ),
        BookError::TooLasting(_) | BookError::NoSession => (
            Exit::Usage,
            "nothing was approved",
            Some("approve it for once: without --for"),
        ),
        BookError::Unreadable { .. } => (
            Exit::Data,
            "the approvals cannot be read, so none of them holds",
            Some("start anew: anyhook approve --revoke all"),
        ),
        _ => (Exit::CannotCreate, "the approvals cannot be used", None),
    };
    let help = help.map(str::to_owned);
    CliError::new(exit, what).because(error).or_help(help)
}

fn run(args: &ApproveArgs) -> Result<Exit, CliError> {
    // Everybody may look, and may take back, which only makes stricter.
    if let Some(id) = &args.revoke {
        return held(id, args.form);
    }
    person::is_there("anyhook approve")?;
    let world = World::real();
    let places = error::places(&world)?;
    if args.set_passphrase {
        person::sets(&world, places)?;
        return ui::done("set: every answer and every trust asks for it from now on\n");
    }
    let book = ApprovalBook::new(places.approvals());
    let now = world.clock.now();
    let waiting = book.waiting(now).map_err(unusable)?;
    let Some(code) = &args.code else {
        ui::err(&unnotified(places, now));
        return list(&waiting, now, args.form);
    };
    let open = named(&waiting, code)?;
    if let Some(note) = &args.deny {
        return refuse(&book, open, note, now, Exit::Done);
    }
    let wanted = args.lasts.as_deref().map(|lasts| match lasts {
        "always" => AnswerLifetime::Always,
        _ => AnswerLifetime::Session,
    });
    open.may_last(wanted.unwrap_or_default())
        .map_err(unusable)?;
    ui::out(&shown(open, now))?;
    if wanted == Some(AnswerLifetime::Always) {
        let record = Jsonl::new(places.reports(), RecordDetail::Verdicts);
        let past = past(&record, open).map_or_else(
            |error| {
                format!("the record cannot be asked what this rule would have let through: {error}")
            },
            |past| past.sentence(),
        );
        ui::out(&format!(
            "{}\n{}\n\n",
            visible(&open.rule()),
            visible(&past)
        ))?;
    }
    match asked(open, wanted)? {
        ApprovalChoice::Nothing => {
            ui::out("nothing changed: the question waits on\n")?;
            Ok(Exit::Negative)
        }
        ApprovalChoice::No => refuse(&book, open, "", world.clock.now(), Exit::Negative),
        ApprovalChoice::Yes(answers) => {
            person::proves(&world)?;
            grant(&world, &book, open, &answers)
        }
    }
}

/// Lists what a person approved and still holds, or takes back what has this id, or all of it.
fn held(id: &str, form: JsonFlag) -> Result<Exit, CliError> {
    let world = World::real();
    let places = error::places(&world)?;
    let book = ApprovalBook::new(places.approvals());
    let sessions = FileState::new(places.sessions());
    let now = world.clock.now();
    let take_back = |which: Option<&str>| {
        let many = book.revoke(which, Some(&sessions), now);
        ui::done(&format!("taken back: {}\n", many.map_err(unusable)?))
    };
    if id == "all" {
        return take_back(None);
    }
    let all = book.approvals(Some(&sessions), now).map_err(unusable)?;
    if !id.is_empty() {
        let help = "what is approved: anyhook approve --revoke";
        let one = error::by_id(&all, id, |one| &one.key, "approval", help)?;
        return take_back(Some(&one.key));
    }
    let none = all.is_empty().then_some("nothing is approved\n");
    form.say_or(none, &all, |all| table(all, now))
}

fn grant(
    world: &World,
    book: &ApprovalBook,
    open: &OpenQuestion,
    answers: &[ApprovalAnswer],
) -> Result<Exit, CliError> {
    let sessions = FileState::new(error::places(world)?.sessions());
    let loaded = book
        .approve(open, answers, Some(&sessions), world.clock.now())
        .map_err(unusable)?;
    if let PriorState::WasUnreadable(why) = loaded {
        let text = format!("what the session remembered could not be read and is forgotten: {why}");
        ui::err(&ui::warning(&text));
    }
    ui::done(&approved(open, answers))
}

/// Warns of a notifier that failed.
fn unnotified(places: &UserFolders, now: i64) -> String {
    let Some(failed) = notify::last_failure(places) else {
        return String::new();
    };
    let (what, ago) = (failed.what.join("; "), ui::ago(failed.at, now));
    ui::warning(&format!("no notice went out {ago}: {what}"))
}

fn refuse(
    book: &ApprovalBook,
    open: &OpenQuestion,
    note: &str,
    now: i64,
    exit: Exit,
) -> Result<Exit, CliError> {
    book.refuse(open, note, now).map_err(unusable)?;
    ui::out(if open.is_waited_for() {
        "refused: the agent is told now\n"
    } else if note.is_empty() {
        "refused: the question is gone\n"
    } else {
        "refused: the model hears your note when it tries again\n"
    })?;
    Ok(exit)
}

/// Finds an open question. Letters may be typed small.
fn named<'o>(waiting: &'o [OpenQuestion], code: &str) -> Result<&'o OpenQuestion, CliError> {
    let wanted = code.trim().to_ascii_uppercase();
    let found = waiting.iter().find(|open| open.code == wanted);
    found.ok_or_else(|| {
        let what = format!("no open question has the code `{code}`");
        CliError::new(Exit::Negative, what).help(if why::is_known(code) {
            "that is an event of the record, and a refusal is no question: a hook that says `ask` would ask you"
        } else {
            "a code works once and for an hour after it was asked; what is open: anyhook approve"
        })
    })
}

/// What the person said to all questions of one code.
enum ApprovalChoice {
    Yes(Vec<ApprovalAnswer>),
    No,
    Nothing,
}

/// Asks every question. One no is enough; the others need not be asked.
fn asked(open: &OpenQuestion, wanted: Option<AnswerLifetime>) -> Result<ApprovalChoice, CliError> {
    let mut chosen = Vec::with_capacity(open.asked.len());
    for put in &open.asked {
        ui::out(&format!("{}\n", question(put)))?;
        let at = if put.options.is_empty() {
            let lasts = words(wanted.unwrap_or_default());
            let question = format!("Let this exact action through {lasts}? [y/N] ");
            if !person::is_yes(&person::ask(&question)?) {
                return Ok(ApprovalChoice::Nothing);
            }
            None
        } else {
            let Some((at, choice)) = choice(put)? else {
                return Ok(ApprovalChoice::Nothing);
            };
            if choice.grants == Grants::Deny {
                return Ok(ApprovalChoice::No);
            }
            Some(at)
        };
        chosen.push(at);
    }
    let answers = open.answers(wanted, &chosen);
    Ok(answers.map_or(ApprovalChoice::Nothing, ApprovalChoice::Yes))
}

/// Asks for one of the choices of a question.
fn choice(put: &AskedQuestion) -> Result<Option<(usize, &Choice)>, CliError> {
    for (number, choice) in (1..).zip(&put.options) {
        let gives = gives(choice);
        ui::out(&format!(
            "  {number}  {}  {gives}\n",
            short(&choice.label, 80)
        ))?;
    }
    let answer = person::ask("Your choice (a number; anything else changes nothing): ")?;
    let number: Option<usize> = answer.parse().ok();
    let at = number.and_then(|number| number.checked_sub(1));
    Ok(at.and_then(|at| Some((at, put.options.get(at)?))))
}

fn gives(choice: &Choice) -> String {
    let gives = match choice.grants {
        Grants::Proceed => "goes on, the agent's own rules hold",
        Grants::Allow => "goes on, without a prompt of the agent",
        Grants::Deny => "stays refused",
    };
    paint(ui::DIM, &format!("({gives})"))
}

fn words(lasts: AnswerLifetime) -> &'static str {
    match lasts {
        AnswerLifetime::Once => "once",
        AnswerLifetime::Session => "until the session ends",
        AnswerLifetime::Always => "from now on",
    }
}

fn approved(open: &OpenQuestion, answers: &[ApprovalAnswer]) -> String {
    let once = answers
        .iter()
        .any(|answer| answer.lasts == AnswerLifetime::Once);
    let next = if open.is_waited_for() {
        "the agent waits for this, and goes on"
    } else if once {
        "let the agent try again within 15 minutes"
    } else {
        "let the agent try again; take it back with: anyhook approve --revoke ID (anyhook approve --revoke shows it)"
    };
    format!("{}: {next}\n", paint(ui::PASS, "approved"))
}

/// Shows a question with the whole action, as it is bound to the answer.
fn shown(open: &OpenQuestion, now: i64) -> String {
    let about = &open.about;
    let session = about
        .session
        .as_ref()
        .map(|session| format!(", session {}", short(session, 40)))
        .unwrap_or_default();
    format!(
        "{}  {} of {}{session}, {}\n\nThis exact action:\n{}\n\n",
        paint(ui::BOLD, &short(&open.code, 6)),
        short(&about.event, 60),
        short(&about.host, 40),
        ui::ago(open.at, now),
        indented(&visible(&open.action)),
    )
}

fn question(put: &AskedQuestion) -> String {
    // Names are one line: no name of an action looks like a question of ours.
    let place = put.place.as_deref().map(|place| short(place, 400));
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let hook = paint(ui::ASK, &short(&put.hook, 80));
    format!("{hook} asks{place}:\n{}", indented(&visible(&put.prompt)))
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Lists the open questions.
fn list(waiting: &[OpenQuestion], now: i64, form: JsonFlag) -> Result<Exit, CliError> {
    let hooks = |open: &OpenQuestion| -> Vec<String> {
        open.asked.iter().map(|put| put.hook.clone()).collect()
    };
    let facts = waiting.iter().map(|open| {
        let OpenQuestion { code, at, about, .. } = open;
        json!({"code": code, "at": at, "host": about.host, "hooks": hooks(open), "action": about.summary})
    });
    let none = waiting.is_empty().then_some("no question is open\n");
    form.say_or(none, &facts.collect::<Value>(), |_| {
        let rows = waiting.iter().map(|open| {
            let (ago, hooks, about) = (ui::ago(open.at, now), hooks(open).join(", "), &open.about);
            [&open.code, &ago, &about.host, &hooks, &about.summary].map(String::clone)
        });
        let next = "anyhook approve CODE shows the whole action, and asks you";
        let rows = ui::table("code|asked|host|hook|action", rows);
        format!("{rows}{}\n", paint(ui::DIM, next))
    })
}
