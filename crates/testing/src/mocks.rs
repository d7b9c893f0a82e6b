//! Surroundings of a session for tests: a display, an approver and a conversation that keep what they were told.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhook::core::effects::Level;
use anyhook::core::event::Event;
use anyhook::core::ports::Approver;
use anyhook::core::question::{Answer, Question};
use anyhook::session::{ContextStore, Display, DisplayMessage, InjectedMessage, PortError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks can panic halfway through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A display that keeps what it was to show.
///
/// ```
/// use anyhook::core::effects::Level;
/// use anyhook::session::{Display, DisplayMessage};
/// use anyhook_testing::MockDisplay;
///
/// let display = MockDisplay::new();
/// display.show(&DisplayMessage { text: "three warnings", level: Level::Info, source: "lint" })?;
/// assert_eq!(display.shown(), [(Level::Info, "lint".into(), "three warnings".into())]);
/// # Ok::<(), anyhook::session::PortError>(())
/// ```
#[derive(Debug, Default)]
pub struct MockDisplay {
    shown: Mutex<Vec<(Level, String, String)>>,
}

impl MockDisplay {
    /// Makes one that shows everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns what was shown, in order: how loud it was, who said it, and the text.
    pub fn shown(&self) -> Vec<(Level, String, String)> {
        lock(&self.shown).clone()
    }
}

impl Display for MockDisplay {
    fn show(&self, shown: &DisplayMessage<'_>) -> Result<(), PortError> {
        let (source, text) = (shown.source.to_owned(), shown.text.to_owned());
        lock(&self.shown).push((shown.level, source, text));
        Ok(())
    }
}

/// A person who answers as a test says, and keeps what was asked.
///
/// ```
/// use anyhook::core::event::Event;
/// use anyhook::core::ports::Approver;
/// use anyhook::core::question::{Answer, Question};
/// use anyhook_testing::MockApprover;
/// use serde_json::json;
///
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
/// let ask = |person: &MockApprover, text: &str| person.answer(&event, &Question::new(text));
///
/// // First these answers, then always the last.
/// let person = MockApprover::answering([Answer::AllowOnce, Answer::Deny]);
/// assert_eq!([ask(&person, "push?"), ask(&person, "tag?"), ask(&person, "publish?")],
///     [Answer::AllowOnce, Answer::Deny, Answer::Deny]);
/// assert_eq!(person.asked(), ["push?", "tag?", "publish?"]);
///
/// assert_eq!(ask(&MockApprover::approving(), "push?"), Answer::AllowOnce);
/// assert_eq!(ask(&MockApprover::denying(), "push?"), Answer::Deny);
/// ```
#[derive(Debug)]
pub struct MockApprover {
    script: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<String>>,
}

impl Default for MockApprover {
    fn default() -> Self {
        Self::denying()
    }
}

impl MockApprover {
    /// Makes one who says yes to everything, each time anew.
    pub fn approving() -> Self {
        Self::answering([Answer::AllowOnce])
    }

    /// Makes one who says no to everything.
    pub fn denying() -> Self {
        Self::answering([Answer::Deny])
    }

    /// Makes one who gives these answers in order, and then the last of them for ever. Without any the answer is no.
    pub fn answering(script: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            script: Mutex::new(script.into_iter().collect()),
            asked: Mutex::default(),
        }
    }

    /// Returns the questions that were put, in order.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.asked).clone()
    }
}

impl Approver for MockApprover {
    fn answer(&self, _: &Event, question: &Question) -> Answer {
        lock(&self.asked).push(question.prompt.to_string());
        let mut script = lock(&self.script);
        let last = script.front().copied().unwrap_or(Answer::Deny);
        if script.len() > 1 {
            script.pop_front();
        }
        last
    }
}

/// A conversation that keeps what hooks add to it.
///
/// ```
/// use anyhook_testing::{MockContext, TestCoordinator};
/// use anyhook::core::result::HookResult;
/// use anyhook::core::event::Event;
/// use serde_json::json;
///
/// let coordinator = TestCoordinator::new();
/// coordinator.hooks.on("tool:post", |_: &Event| HookResult::proceed().inject("run the tests"));
/// coordinator.emit_blocking("tool:post", json!({"tool_name": "Write"}));
/// let context: &MockContext = &coordinator.context;
/// assert_eq!(context.texts(), ["run the tests"]);
/// assert_eq!(context.messages()[0].event.as_str(), "tool:post");
/// ```
#[derive(Debug, Default)]
pub struct MockContext {
    messages: Mutex<Vec<InjectedMessage>>,
    failure: Option<&'static str>,
}

impl MockContext {
    /// Makes an empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes one that takes nothing, for this reason.
    ///
    /// ```
    /// use anyhook_testing::MockContext;
    /// assert!(MockContext::failing("it is locked").messages().is_empty());
    /// ```
    pub fn failing(why: &'static str) -> Self {
        Self {
            failure: Some(why),
            ..Self::default()
        }
    }

    /// Returns the messages that were added, in order.
    pub fn messages(&self) -> Vec<InjectedMessage> {
        lock(&self.messages).clone()
    }

    /// Returns the texts of the messages that were added, in order.
    pub fn texts(&self) -> Vec<String> {
        let messages = lock(&self.messages);
        messages
            .iter()
            .map(|message| message.text.to_string())
            .collect()
    }
}

impl ContextStore for MockContext {
    fn add_message(&self, message: &InjectedMessage) -> Result<(), PortError> {
        self.failure
            .map_or(Ok(()), |why| Err(PortError::new(why)))?;
        lock(&self.messages).push(message.clone());
        Ok(())
    }
}
