//! Claude Code, as its hooks reference describes it, and as 2.1.330 did it where the two differ;
//! `PreSkillShellCommand` as 2.1.332 does it.
//!
//! One table says what each event honours; the code below it reads the table and knows no event by name.
//!
//! Three things that the host does are out of reach of one answer. It ends a turn after eight refusals of a stop in a row,
//! whatever the ninth says. Its own deny and ask rules hold even after a hook allowed a call. And without a person
//! (`claude -p`) it refuses what a hook wants asked, and tells the model the question.

use serde_json::Value;

use crate::output::{Kind, Object, looks_like_an_object, text};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

mod json;
mod reading;
mod rows;
mod shapes;

use reading::Reading;
use rows::row;

/// The reader of Claude Code.
#[derive(Debug)]
pub(crate) struct ClaudeCode;

/// What one event honours.
struct Row {
    event: &'static str,
    /// The fields beside the decision that count at the top of the answer.
    common: Vec<(&'static str, Power)>,
    /// What `decision` does; `None` where the event has no such answer.
    decision: Option<Decision>,
    exit_2: Exit2,
    text: Text,
    /// The fields that count inside `hookSpecificOutput`.
    specific: Vec<(&'static str, Power)>,
}

/// What a field of an answer can do.
#[derive(Clone, Copy)]
enum Power {
    /// `continue`: false stops the agent.
    Continue,
    /// `continue`: false stops the agent after the action, which this word alone does not prevent.
    ContinueAfter,
    /// Read together with another field.
    Part,
    /// Accepted, without any effect.
    Nothing,
    /// `continue`, which has no effect here, and spoils the answer where it is no flag.
    Unheeded,
    /// Text for those whom it reaches.
    Says(Reach),
    /// Text for the model, which makes it go on although it wanted to end.
    SendsOn,
    /// An answer of this host alone.
    Native(Kind),
    /// One of these words decides about the permission.
    Permission(&'static [&'static str], ReasonIn),
    /// Each of these words but `allow` refuses, and `allow` adds nothing.
    Vetoes(&'static [&'static str]),
    /// Replaces the whole tool input.
    Input,
    /// Is never taken: any value of it refuses.
    Spoils,
    /// Replaces the tool result, if it has the shape of that tool's results.
    Output,
    /// Replaces the result of a tool that an MCP server has; deprecated.
    McpOutput,
    /// The answer to a permission dialog, an object of its own.
    Dialog,
    /// The answer to what an MCP server asks.
    Elicited,
}

/// Where the reason of a permission decision stands.
#[derive(Clone, Copy)]
enum ReasonIn {
    PermissionDecisionReason,
    TopReason,
}

/// What the words of a top-level `decision` do.
struct Decision {
    block: Refusal,
    /// What `approve` does, where it does anything.
    approve: Option<Gate>,
}

/// What a blocking answer does, and who hears the reason.
struct Refusal {
    gate: Gate,
    to: Reach,
    /// A payload field and the value of it with which the host refuses to be refused.
    except: Option<(&'static str, &'static str)>,
}

/// What exit code 2 does.
enum Exit2 {
    Refuses(Refusal),
    /// As `Refuses`, but a script that is missing blocks nothing: some shells leave with 2 for that.
    RefusesIfFound(Refusal),
    Tells(Reach),
}

/// What plain text on standard output is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Context,
    DebugLog,
    /// Its last line is the path of the worktree that the hook made.
    WorktreePath,
}

/// Whom a text reaches.
#[derive(Clone, Copy)]
enum Reach {
    None,
    Model,
    Person,
    Both,
    /// The model, if the payload says so: field and value.
    ModelIf(&'static str, &'static str),
    /// The person, if the payload says so: field and value.
    PersonIf(&'static str, &'static str),
}

impl Reader for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = row(answer.event) else {
            return Behaviour {
                errors: vec![format!("unknown event `{}`", answer.event)],
                ..Behaviour::default()
            };
        };
        if row.text == Text::WorktreePath {
            return worktree(row, answer);
        }
        read(row, answer).settle()
    }

    /// Under `onFailure: block` whatever failed does what exit code 2 does, and refuses a dialog.
    fn reads_closed(&self, answer: &Answer<'_>) -> Behaviour {
        let known = row(answer.event).filter(|row| row.text != Text::WorktreePath);
        let Some(row) = known else {
            return self.reads(answer);
        };
        let mut reading = read(row, answer);
        // The notice of the failure holds an answer that is of a wrong form, and the standard error of one that is none.
        let told = match Stdout::of(answer.stdout) {
            Stdout::Json(_) => text(answer.stdout),
            _ if answer.exit == 0 => String::new(),
            Stdout::Nothing | Stdout::Broken(..) | Stdout::Text(_) => text(answer.stderr),
        };
        let has_dialog = row.specific.iter().any(|it| matches!(it.1, Power::Dialog));
        match &row.exit_2 {
            _ if reading.done.errors.is_empty() => {}
            Exit2::Refuses(refusal) => reading.refuse(refusal, &told),
            _ if has_dialog => reading.done.gate = Gate::Refused { erased: false },
            Exit2::RefusesIfFound(_) | Exit2::Tells(_) => {}
        }
        reading.settle()
    }
}

/// Reads an answer by the row of its event.
fn read<'a>(row: &'static Row, answer: &Answer<'a>) -> Reading<'a> {
    let stdout = Stdout::of(answer.stdout);
    let mut reading = Reading::new(row, answer.payload);
    let valid = match &stdout {
        Stdout::Json(object) => reading.take(object),
        Stdout::Broken(_, why) => {
            reading.error(format!("stdout is not valid JSON: {why}"));
            false
        }
        Stdout::Nothing | Stdout::Text(_) => false,
    };
    let stderr = text(answer.stderr);
    match answer.exit {
        0 => {
            reading.success(&stdout);
            reading.drops("stderr", &stderr);
        }
        2 => exit_2(row, &mut reading, &stdout, &stderr),
        _ if valid => reading.drops("stderr", &stderr),
        code => {
            reading.drops_text(&stdout);
            reading.error(notice(code, &stderr));
        }
    }
    reading
}

/// The text on standard output.
enum Stdout {
    Nothing,
    Json(Object),
    /// Meant to be JSON and is none; the host takes it as text.
    Broken(String, String),
    Text(String),
}

impl Stdout {
    fn of(bytes: &[u8]) -> Self {
        let text = text(bytes);
        if text.is_empty() {
            return Self::Nothing;
        }
        if !looks_like_an_object(&text) {
            return Self::Text(text);
        }
        match serde_json::from_str(&text) {
            Ok(object) => Self::Json(object),
            Err(why) => Self::Broken(text, why.to_string()),
        }
    }
}

/// Exit code 2: blocks where the event can be blocked, whatever the JSON says.
fn exit_2(row: &'static Row, reading: &mut Reading<'_>, stdout: &Stdout, stderr: &str) {
    reading.drops_text(stdout);
    match &row.exit_2 {
        Exit2::RefusesIfFound(_) if script_is_missing(stdout, stderr) => {
            reading.error(notice(2, stderr));
        }
        Exit2::Refuses(refusal) | Exit2::RefusesIfFound(refusal) => {
            reading.refuse(refusal, stderr);
        }
        Exit2::Tells(reach) => reading.tell("stderr", stderr, *reach),
    }
}

fn script_is_missing(stdout: &Stdout, stderr: &str) -> bool {
    matches!(stdout, Stdout::Nothing)
        && (stderr.contains("No such file or directory") || stderr.contains("not found"))
}

/// The notice of a failure that blocks nothing: the host shows the first line of stderr.
fn notice(code: i32, stderr: &str) -> String {
    match stderr.lines().next() {
        Some(line) => format!("exit {code}: {line}"),
        None => format!("exit {code}"),
    }
}

/// The one event whose hook does the host's work: standard output is the path, and any failure fails the creation.
fn worktree(row: &'static Row, answer: &Answer<'_>) -> Behaviour {
    let mut reading = Reading::new(row, answer.payload);
    let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
    let path = stdout.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (answer.exit, path, &row.exit_2) {
        (0, Some(path), _) => {
            reading.native("worktreePath", Value::from(path));
            reading.drops("stderr", &stderr);
        }
        (code, path, Exit2::Refuses(refusal) | Exit2::RefusesIfFound(refusal)) => {
            reading.drops("stdout", path.unwrap_or_default());
            reading.refuse(refusal, &stderr);
            reading.error(match code {
                0 => "no worktree path on stdout".to_owned(),
                code => notice(code, &stderr),
            });
        }
        (code, _, Exit2::Tells(_)) => reading.error(notice(code, &stderr)),
    }
    reading.settle()
}

impl Refusal {
    fn gate(&self, payload: &Value) -> Gate {
        match self.except {
            Some((field, value)) if says(payload, field, value) => Gate::Runs,
            _ => self.gate,
        }
    }
}

impl Reach {
    fn model(self, payload: &Value) -> bool {
        match self {
            Self::Model | Self::Both => true,
            Self::ModelIf(field, value) => says(payload, field, value),
            Self::None | Self::Person | Self::PersonIf(..) => false,
        }
    }

    fn person(self, payload: &Value) -> bool {
        match self {
            Self::Person | Self::Both => true,
            Self::PersonIf(field, value) => says(payload, field, value),
            Self::None | Self::Model | Self::ModelIf(..) => false,
        }
    }
}

fn says(payload: &Value, field: &str, value: &str) -> bool {
    payload.get(field).and_then(Value::as_str) == Some(value)
}

/// The gate that a word of `permissionDecision` opens or shuts, and who hears its reason.
fn permission(word: &str, refused: Reach) -> (Gate, Reach) {
    match word {
        "allow" => (Gate::RunsWithoutPrompt, Reach::None),
        // The person reads it in the dialog; without a person the tool is refused, and the model reads it.
        "ask" if matches!(refused, Reach::Model) => (Gate::AskedOf(Asked::Person), Reach::Both),
        "ask" => (Gate::AskedOf(Asked::Person), Reach::Person),
        "defer" => (Gate::AskedOf(Asked::Caller), Reach::None),
        _ => (Gate::Refused { erased: false }, refused),
    }
}
