//! A session, by the rows of the reference and by the decisions.

mod asking;
mod channels;
mod injecting;
mod life;
mod rows;
mod threads;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::ports::{Approver, Clock, Dialog};
use anyhook::core::question::{Answer, Question};
use anyhook::core::result::HookResult;
use anyhook::session::{
    AppendOutcome, ContextStore, Display, DisplayMessage, InjectedMessage, InjectionLimits,
    PortError, ProcessedResult, Setup,
};
use serde_json::{Value, json};

const NOON: i64 = 1_732_190_400_000;

/// A clock that stands still.
struct At;

impl Clock for At {
    fn now(&self) -> i64 {
        NOON
    }

    fn since(&self) -> Duration {
        Duration::ZERO
    }
}

/// A conversation whose last message may be a tool result.
#[derive(Default)]
struct Conversation {
    messages: Mutex<Vec<InjectedMessage>>,
    appended: Mutex<Vec<InjectedMessage>>,
    has_tool_result: bool,
}

impl Conversation {
    fn texts(&self) -> Vec<String> {
        let all = self.messages.lock().unwrap();
        all.iter().map(|message| message.text.to_string()).collect()
    }
}

impl ContextStore for Conversation {
    fn add_message(&self, message: &InjectedMessage) -> Result<(), PortError> {
        self.messages.lock().unwrap().push(message.clone());
        Ok(())
    }

    fn append_to_last_tool_result(
        &self,
        message: &InjectedMessage,
    ) -> Result<AppendOutcome, PortError> {
        if !self.has_tool_result {
            return Ok(AppendOutcome::NoToolResult);
        }
        self.appended.lock().unwrap().push(message.clone());
        Ok(AppendOutcome::Yes)
    }
}

/// A display that keeps what it shows.
#[derive(Default)]
struct Screen(Mutex<Vec<String>>);

impl Screen {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Display for Screen {
    fn show(&self, shown: &DisplayMessage<'_>) -> Result<(), PortError> {
        let line = format!("{:?} {}: {}", shown.level, shown.source, shown.text);
        self.0.lock().unwrap().push(line);
        Ok(())
    }
}

/// A person who gives the same answer to everything, and keeps what was put.
struct Person {
    answer: Box<dyn Fn(&Question) -> Answer + Send + Sync>,
    dialogs: Mutex<Vec<Vec<String>>>,
}

impl Person {
    fn new(answer: impl Fn(&Question) -> Answer + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            answer: Box::new(answer),
            dialogs: Mutex::default(),
        })
    }

    fn saying(label: &'static str) -> Arc<Self> {
        Self::new(move |question| question.chose(label))
    }

    fn dialogs(&self) -> Vec<Vec<String>> {
        self.dialogs.lock().unwrap().clone()
    }
}

impl Approver for Person {
    fn answer(&self, _: &Event, question: &Question) -> Answer {
        (self.answer)(question)
    }

    fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        let asks = dialog.asks.iter();
        let lines = asks.map(|asks| format!("{}: {}", asks.hook, asks.question.prompt));
        self.dialogs.lock().unwrap().push(lines.collect());
        let asks = dialog.asks.iter();
        asks.map(|asks| (self.answer)(asks.question)).collect()
    }
}

/// Every event that was emitted about what the session did, with some of its fields.
#[derive(Clone, Default)]
struct Audit(Arc<Mutex<Vec<Value>>>);

impl Audit {
    /// Listens to events; of each, these fields are kept.
    fn of(session: &Session, pattern: &str, fields: &'static str) -> Self {
        let audit = Self::default();
        let told = audit.clone();
        session.hooks().on(pattern, move |event: &Event| {
            let mut line = json!({"event": event.name.as_str()});
            for field in fields.split(' ') {
                if let Some(value) = event.get(field) {
                    line[field] = value.into_owned();
                }
            }
            told.0.lock().unwrap().push(line);
        });
        audit
    }

    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn names(&self) -> Vec<String> {
        let all = self.take();
        all.iter()
            .map(|line| line["event"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn settings(session: Value) -> InjectionLimits {
    let document = serde_json::Map::from_iter([("session".to_owned(), session)]);
    InjectionLimits::read(&document.into()).unwrap()
}

fn setup() -> Setup {
    Setup {
        clock: Arc::new(At),
        ..Setup::default()
    }
}

/// A session whose surroundings are the usual ones but for a change.
fn session(change: impl FnOnce(&mut Setup)) -> Session {
    let mut setup = setup();
    change(&mut setup);
    Session::with("s1", setup)
}

fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": command}})
}

/// What comes of what a hook says about a call.
fn lint(session: &Session, said: HookResult) -> ProcessedResult {
    session.process_blocking(said, &event("ls"), "lint")
}

fn event(command: &str) -> Event {
    Event::new("tool:pre", bash(command))
}
