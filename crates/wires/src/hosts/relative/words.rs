//! The differences between the hosts of the family that hold for every event.

use anyhook_core::event::Map;

use super::row::HostRow;
use crate::answer::Nesting;
use crate::bare::bare;

/// What new arguments do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum InputUpdate {
    /// They take the place of the old ones; these tools cannot be called without these arguments.
    Replace(&'static [(&'static str, &'static str)]),
    /// They are laid over the old ones: an argument cannot be taken away.
    Merge,
}

/// When JSON of a hook counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum JsonCondition {
    /// On exit 0.
    OnSuccess,
    /// Whatever the exit code; of a failed run, what refuses.
    Always,
    /// Whatever the exit code, and all of it. An object that has no end is a text; at a gate we read none so.
    AtEveryCode,
    /// Whatever the exit code but 2, and on the standard error where there is nothing on the standard output.
    OnEitherStream,
}

/// What becomes of an answer with something in it that the host does not know.
#[derive(Debug, Clone, Copy)]
pub(in crate::hosts) enum Schema {
    /// What is unknown is overlooked.
    Open,
    /// The whole answer is dropped, and the action goes ahead. The function names what is wrong with an answer.
    Closed(fn(&HostRow, &Map) -> Vec<String>),
}

bare! {
    /// The words of an answer in which the hosts differ.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::hosts) struct AnswerWords {
        /// Where the fields of one event stand: in `hookSpecificOutput`, or also beside the others, where we write them then.
        pub(in crate::hosts) place: Nesting = Nesting::Nested,
        /// The word by which `decision` refuses.
        pub(in crate::hosts) refusal: &'static str = "block",
        pub(in crate::hosts) reasons: MissingReason = MissingReason::Always,
        /// What a field that a hook rewrote is called in an answer; one that is not listed keeps its name.
        pub(in crate::hosts) rewrites: &'static [(&'static str, &'static str)] = &[
                ("tool_input", "updatedInput"),
                ("tool_result", "updatedToolOutput"),
            ],
        pub(in crate::hosts) notices: NoticeForm = NoticeForm::Field("systemMessage"),
        pub(in crate::hosts) contexts: ContextForm = ContextForm::Field("additionalContext"),
        /// What is printed where nothing is said.
        pub(in crate::hosts) silence: &'static str = "",
        /// What stands on the standard output beside a refusal by exit code.
        pub(in crate::hosts) beside_exit_2: &'static str = "",
        pub(in crate::hosts) misnamed: MisnamedEvent = MisnamedEvent::Warned,
    }
}

/// What is written where a hook refused without a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum MissingReason {
    /// That there was none.
    Always,
    /// Nothing, but for a `decision`.
    IfGiven,
}

/// How the person is told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum NoticeForm {
    /// In a field of this name, behind the reason that stands there.
    Field(&'static str),
    /// By exit code 2, on the standard error; what stands on the standard output counts all the same.
    Warning,
}

/// How a text for the model is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum ContextForm {
    /// In a field of this event by this name.
    Field(&'static str),
    /// As it is, on the standard output.
    Plain,
    /// As a step in `injectSteps`.
    Steps,
}

/// What becomes of `hookSpecificOutput` that does not name the event by the host's own name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum MisnamedEvent {
    /// Nothing: the name is not looked at here.
    Accepted,
    /// It is read, but approves nothing.
    Warned,
    /// The host of this name drops it. It is read here, but approves nothing.
    Dropped(&'static str),
}
