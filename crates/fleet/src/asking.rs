//! Questions that a colleague answers, by request and reply.
//!
//! A machine puts its open questions under `ask.PERSON.MACHINE` again and again, so that a colleague who begins to listen
//! hears them. An answer is a request to `answer.PERSON.MACHINE`; the machine replies what became of it. An answer counts
//! where a key signed it that the policy of the machine names, and is for exactly the question that was shown.
//!
//! ```text
//!   machine:  anyhook ship --follow ── ask ──>  colleague:  anyhook fleet answer
//!             verifies, answers the inbox  <── answer ──   shows the action, asks, signs
//! ```

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhook::approvals::{Book, Giver, Open};
use anyhook::files::with_causes;
use anyhook::text::tame;
use anyhook::world::Places;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;
use crate::keys::{Public, Secret};
use crate::sealed;
use crate::server::Server;

const ANSWER: &[u8] = b"anyhook answer 1\0";
const QUESTION: &[u8] = b"anyhook question 1\0";
/// So often an open question is put again.
const AGAIN: Duration = Duration::from_secs(2);
/// So long a colleague listens: every machine that is there puts its questions meanwhile.
const LISTENS: Duration = Duration::from_secs(6);
/// A longer question is answered on its own machine.
const LONGEST: usize = 256 * 1024;
/// So many questions are listed.
const MOST: usize = 1000;

/// Returns the subject under which a machine hears answers.
pub(crate) fn answers_to(person: &str, machine: &str) -> String {
    format!("answer.{person}.{machine}")
}

/// What a colleague answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    person: String,
    machine: String,
    /// What exactly was shown.
    mark: String,
    yes: bool,
    /// What the model hears with a no.
    note: String,
}

/// The open questions of one person on one machine.
pub(crate) struct Desk {
    book: Book,
    person: String,
    machine: String,
    put: Option<Instant>,
}

impl Desk {
    pub(crate) fn of(places: &Places, (person, machine): (&str, &str)) -> Self {
        Self {
            book: Book::new(places.approvals()),
            person: person.to_owned(),
            machine: machine.to_owned(),
            put: None,
        }
    }

    /// Puts the questions, signed, if it is time to.
    pub(crate) async fn put(
        &mut self,
        (server, key): (&Server, &Secret),
        now: i64,
    ) -> Result<(), PolicyError> {
        if self.put.is_some_and(|put| put.elapsed() < AGAIN) {
            return Ok(());
        }
        self.put = Some(Instant::now());
        // A book that cannot be read has no question here: its own machine says why.
        for open in self.book.waiting(now).unwrap_or_default() {
            if !is_for_colleagues(&open) {
                continue;
            }
            let heard = Heard {
                person: self.person.clone(),
                machine: self.machine.clone(),
                open,
            };
            let message = sealed::seal(QUESTION, &heard, key)?;
            if message.len() <= LONGEST {
                let subject = format!("ask.{}.{}", self.person, self.machine);
                server.say(&subject, message).await?;
            }
        }
        Ok(())
    }

    /// Carries out an answer of one of these colleagues, and says what became of it.
    pub(crate) fn take(&self, message: &[u8], answerers: &[Public], now: i64) -> String {
        let signed = answerers.iter().find_map(|key| {
            let answer: Answer = sealed::open(ANSWER, message, key)?;
            Some((answer, key.name()))
        });
        let Some((answer, colleague)) = signed else {
            return "refused: the policy of that machine does not name this key below `answerers`"
                .into();
        };
        if (&answer.person, &answer.machine) != (&self.person, &self.machine) {
            return "refused: it is an answer to another machine".into();
        }
        let waiting = self.book.waiting(now).unwrap_or_default();
        let open = waiting.iter().find(|open| open.mark() == answer.mark);
        let Some(open) = open.filter(|open| is_for_colleagues(open)) else {
            return "nothing changed: this question is open no more, or was asked anew".into();
        };
        let book = self.book.clone().by(Giver::Colleague(colleague.to_owned()));
        let done = if answer.yes {
            let answers = open.answers(None, &[]).unwrap_or_default();
            book.approve(open, &answers, None, now).map(drop)
        } else {
            let note = format!("{colleague} says no. {}", answer.note);
            book.refuse(open, note.trim(), now)
        };
        match (done, answer.yes) {
            (Ok(()), true) => format!("{colleague} let it happen once: {}", open.about.summary),
            (Ok(()), false) => format!("{colleague} refused it: {}", open.about.summary),
            (Err(error), _) => format!("nothing changed: {}", with_causes(&error)),
        }
    }
}

/// A question with choices needs its own machine, where each choice is explained.
fn is_for_colleagues(open: &Open) -> bool {
    open.asked.iter().all(|put| put.options.is_empty())
}

/// A question of a machine, as a colleague hears it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Heard {
    person: String,
    machine: String,
    #[serde(flatten)]
    open: Open,
}

impl Heard {
    /// Writes it for a person; nothing in it moves the cursor.
    pub(crate) fn shown(&self, now: i64) -> String {
        let Open {
            code,
            about,
            action,
            asked,
            at,
            ..
        } = &self.open;
        let ago = (now - at).max(0) / 1000;
        let asked = asked
            .iter()
            .map(|put| format!("  {} asks: {}\n", put.hook, put.prompt));
        let asked: String = asked.collect();
        let (person, machine, host) = (&self.person, &self.machine, &about.host);
        tame(&format!(
            "{code}  {person} on {machine}, {host}, {ago} s ago\n  {}\n{action}\n{asked}",
            about.summary
        ))
    }

    /// Signs an answer and sends it, and returns what the machine says of it.
    pub(crate) async fn answer(
        &self,
        (server, key): (&Server, &Secret),
        (yes, note): (bool, &str),
    ) -> Result<String, PolicyError> {
        let answer = Answer {
            person: self.person.clone(),
            machine: self.machine.clone(),
            mark: self.open.mark(),
            yes,
            note: note.to_owned(),
        };
        let message = sealed::seal(ANSWER, &answer, key)?;
        let subject = answers_to(&self.person, &self.machine);
        let said = server.request(&subject, message).await?;
        Ok(tame(&String::from_utf8_lossy(&said)) + "\n")
    }
}

/// Listens for a while, and returns the questions of all machines; the one with a code as soon as it was heard.
pub(crate) async fn heard(
    server: &Server,
    members: &BTreeMap<String, Public>,
    code: Option<&str>,
) -> Result<Vec<Heard>, PolicyError> {
    let mut asked = server.hear("ask.*.*".to_owned()).await?;
    let mut all: BTreeMap<(String, String), Heard> = BTreeMap::new();
    let end = tokio::time::Instant::now() + LISTENS;
    while let Ok(Some(message)) = tokio::time::timeout_at(end, asked.next()).await {
        let read = read(&message.subject, &message.payload, members);
        let wanted = read.filter(|heard| code.is_none_or(|code| heard.open.code == code));
        let Some(heard) = wanted else { continue };
        if code.is_some() {
            return Ok(vec![heard]);
        }
        if all.len() < MOST {
            all.insert((heard.machine.clone(), heard.open.code.clone()), heard);
        }
    }
    let mut all: Vec<Heard> = all.into_values().collect();
    all.sort_by_key(|heard| heard.open.at);
    Ok(all)
}

/// Reads a question; one that its member did not sign for this machine is none.
fn read(subject: &str, message: &[u8], members: &BTreeMap<String, Public>) -> Option<Heard> {
    let (person, machine) = subject.strip_prefix("ask.")?.split_once('.')?;
    if message.len() > LONGEST {
        return None;
    }
    let heard: Heard = sealed::open(QUESTION, message, members.get(person)?)?;
    let is_its = heard.person == person && heard.machine == machine;
    (is_its && is_for_colleagues(&heard.open)).then_some(heard)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_that_its_member_did_not_sign_for_this_machine_is_not_shown() {
        let (ada, other) = (Secret::generate().unwrap(), Secret::generate().unwrap());
        let members = BTreeMap::from([("ada".to_owned(), ada.public("ada"))]);
        let question = json!({"person": "ada", "machine": "m", "code": "K7F2Q9",
            "about": {"host": "codex-cli", "event": "tool:pre", "summary": "npm publish"},
            "action": "npm publish", "asked": [], "at": 7});
        let signed = |domain, key| sealed::seal(domain, &question, key).unwrap();
        let good = signed(QUESTION, &ada);
        let heard = read("ask.ada.m", &good, &members).unwrap();
        assert_eq!(
            (&*heard.person, &*heard.open.action),
            ("ada", "npm publish")
        );
        for (what, subject, message) in [
            ("another key", "ask.ada.m", &signed(QUESTION, &other)),
            ("an answer of hers", "ask.ada.m", &signed(ANSWER, &ada)),
            ("another machine of hers", "ask.ada.n", &good),
            ("another member", "ask.bob.m", &good),
            (
                "no signature",
                "ask.ada.m",
                &question.to_string().into_bytes(),
            ),
        ] {
            assert!(read(subject, message, &members).is_none(), "{what}");
        }
    }
}
