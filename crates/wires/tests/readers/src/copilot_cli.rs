//! GitHub Copilot CLI, as its hooks reference and its release notes describe it, and as 1.0.102 did it where they differ.
//! What only the terminal was seen to hear is not claimed for the cloud agent.
//!
//! One table says what each event honours. The name of an event may be in either casing: the casing chooses the form of
//! the payload, and the answer is the same.
//!
//! Out of reach of one answer: the host ends a turn after eight refusals of a stop in a row, it lets the later of two
//! hooks decide about a permission request, and outside of an interactive session it denies what a hook wants asked.

use crate::output::Kind;
use crate::{Answer, Behaviour, Reader};

mod reading;
mod rows;

use reading::Reading;
use rows::row;

/// The reader of Copilot CLI.
#[derive(Debug)]
pub(crate) struct CopilotCli;

/// Where Copilot runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// In a person's terminal.
    Terminal,
    /// In a job of its own, which no person watches.
    Job,
}

/// What one event honours.
struct Row {
    event: &'static str,
    /// Its name in the other casing, where it has one.
    pascal: Option<&'static str>,
    /// The one surface that it holds for, where the two differ.
    only: Option<Surface>,
    decision: Decision,
    /// The text for the model that an answer may hold.
    context: bool,
    exit_2: Exit2,
    /// Whether any other exit code refuses.
    fails_closed: bool,
    /// The answers that take effect on this event alone.
    native: &'static [(&'static str, Kind)],
}

/// Where the decision stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    None,
    /// `permissionDecision`.
    Permission,
    /// `behavior`.
    Behavior,
    /// `decision`, about the end of work.
    Block,
    /// `decision`, about a prompt.
    Prompt,
    /// `modifiedResult`: it decides about nothing, and replaces.
    Result,
    /// The same, and `decision` tells the model something.
    ResultOrBlock,
}

/// What exit code 2 does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit2 {
    /// The person reads the standard error. In a terminal the standard output counts as well.
    Warns,
    /// The action is refused; the standard output counts as well.
    Refuses,
    /// The standard output is a text for the model.
    Tells,
}

impl Reader for CopilotCli {
    fn id(&self) -> &'static str {
        "copilot-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        read(answer, Surface::Terminal)
    }
}

/// Reads an answer to an event of either surface.
pub(crate) fn read(answer: &Answer<'_>, surface: Surface) -> Behaviour {
    let Some(row) = row(answer.event, surface) else {
        return Behaviour {
            errors: vec![format!("unknown event `{}`", answer.event)],
            ..Behaviour::default()
        };
    };
    let mut reading = Reading::new(row, surface);
    let stderr = lines(answer.stderr);
    match answer.exit {
        0 => {
            reading.document(answer.stdout);
            reading.unheard("stderr", &stderr);
        }
        2 => reading.exit_2(answer.stdout, &stderr),
        code => reading.failed(code, answer.stdout, &stderr),
    }
    reading.settle()
}

/// The text of the standard error, without the line break behind it.
fn lines(stderr: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(stderr);
    decoded.trim_end_matches(['\r', '\n']).to_owned()
}
