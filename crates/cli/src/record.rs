//! `run --record`: saves a real event as a fixture, with the beginning of a case.
//!
//! It happens after the answer is out and changes nothing of it. What is written is the event as a universal hook reads it,
//! without what only this machine and this session have, and without secrets.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhook::core::event::Event;
use anyhook::core::redact::Redactor;
use anyhook::core::report::{Became, Report, Step};
use anyhook::files::digest;
use anyhook::wires::hosts::universal::Universal;
use anyhook::wires::{Host, Wire as _};
use serde_json::{Map, Value};

use crate::commands::get::camel;

/// Fields of one session or one machine: a test has its own.
const PASSING: &[&str] = &["cwd", "native", "transcriptPath", "agentTranscriptPath"];

/// The session of every test.
const SESSION: &str = "test-session";

/// The longest part of a name that the event chooses.
const LONGEST: usize = 40;

/// Words in the name of a field whose value does not go into a file that is committed, whatever it is. `redact` hides the
/// names that are exactly these; a recording is read by more people than a report.
const NAMES: &[&str] = &[
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "signature",
    "token",
];

/// Names that have such a word, and count something.
const COUNTS: &[&str] = &[
    "tokens",
    "maxtokens",
    "inputtokens",
    "outputtokens",
    "tokencount",
    "tokenbudget",
];

/// What is to be recorded.
pub(crate) struct Recording<'r> {
    /// The folder of tests.
    pub(crate) folder: &'r Path,
    /// The host that called.
    pub(crate) host: &'static dyn Host,
    /// The event's name from the command line.
    pub(crate) hint: Option<&'r str>,
    /// The payload as it came.
    pub(crate) payload: &'r [u8],
    /// What became of it.
    pub(crate) report: &'r Report,
    /// The person's home.
    pub(crate) home: Option<PathBuf>,
}

impl Recording<'_> {
    /// Writes the fixture and the case. The same event is recorded once; a file that is there stays as it is.
    pub(crate) fn write(&self) -> io::Result<()> {
        let event = self.host.read_event(self.payload, self.hint);
        let event = event.map_err(|error| io::Error::other(error.to_string()))?;
        let is_asked = |step: &Step| !matches!(step.became, Became::NotAsked(_));
        if event.name.spec().is_none() && !self.report.steps.iter().any(is_asked) {
            let why = format!("no test could send `{}`, which no hook is on", event.name);
            return Err(io::Error::other(why));
        }
        let fixture = format!("{:#}\n", fixture(&event, self.home.as_deref()));
        let name = name(&event, &fixture);
        let place = format!("fixtures/{name}.json");
        create(&self.folder.join(&place), &fixture)?;
        let case = self.folder.join("cases").join(format!("{name}.yaml"));
        create(&case, &self.case(&event, &name, &place))
    }

    fn case(&self, event: &Event, name: &str, fixture: &str) -> String {
        let host = self.host.id();
        let decision = self.report.result.verdict.kind().as_str();
        format!(
            "# Recorded under {host} by `anyhook run --record`. Give it a name, and say what it is about.\n\
             name: {name}\n\
             event: {}\n\
             mode: dispatch\n\
             input:\n  \
               fixture: {fixture}\n\
             expected:\n  \
               decision: {decision} # so it was, with all hooks of that machine: is it what you want?\n",
            Value::from(event.name.universal()),
        )
    }
}

/// The event as a test sends it.
fn fixture(event: &Event, home: Option<&Path>) -> Value {
    let mut fixture = Map::new();
    let written = Universal.write_event(event);
    for (key, value) in written.as_object().into_iter().flatten() {
        let is_twin = key.contains('_') && written.get(&*camel(key)).is_some();
        if !is_twin && !PASSING.contains(&key.as_str()) {
            fixture.insert(key.clone(), value.clone());
        }
    }
    if let Some(session) = fixture.get_mut("sessionId") {
        *session = SESSION.into();
    }
    let mut fixture = Value::Object(fixture);
    let cwd = written.get("cwd").and_then(Value::as_str);
    let home = home.map(Path::to_string_lossy);
    let places = [(cwd, "${PROJECT_DIR}"), (home.as_deref(), "/home/user")];
    Redactor::default()
        .hiding_fields(is_secret)
        .value(&mut fixture);
    moved(fixture, &|text| places.iter().fold(text, elsewhere))
}

fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    !COUNTS.contains(&plain.as_str()) && NAMES.iter().any(|name| plain.contains(name))
}

/// Moves every text of a value, names of fields included.
fn moved(value: Value, place: &dyn Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => place(text).into(),
        Value::Array(list) => list.into_iter().map(|one| moved(one, place)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, one)| (place(name), moved(one, place)))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Moves a text from a folder of this machine to one of a test. Below the project it is found again in every test.
fn elsewhere(text: String, (from, to): &(Option<&str>, &str)) -> String {
    let Some(from) = from.filter(|from| from.len() > 1) else {
        return text;
    };
    // Only a text that begins with a variable is filled.
    let begins = text
        .strip_prefix(from)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let first = begins.map(|rest| format!("{to}{}", rest.replace(from, "/project")));
    first.unwrap_or_else(|| {
        let inside = if to.starts_with('$') { "/project" } else { to };
        text.replace(from, inside)
    })
}

/// A name that says what it is, and that no other event has.
fn name(event: &Event, fixture: &str) -> String {
    let tool = event.data.json();
    let tool = tool
        .get("tool_name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let said = format!("{}-{tool}", event.name.universal()).to_lowercase();
    let plain: String = said
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(LONGEST)
        .collect();
    let hash: String = digest(fixture.as_bytes()).chars().take(12).collect();
    format!("{}-{hash}", plain.trim_matches('-'))
}

/// Makes a file that only this person reads. One that is there stays: a person may have worked on it.
fn create(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file);
    match made {
        Ok(mut made) => made.write_all(text.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_whose_name_says_so_is_a_secret_whatever_it_holds() {
        let mut said = json!({
            "apiKey": 5, "nested": [{"client_secret": ["a"]}], "max_tokens": 9, "command": "git push",
            "Set-Cookie": "x", "X-Request-Signature": {"v": 1}, "sessionToken": "abc",
        });
        Redactor::default()
            .hiding_fields(is_secret)
            .value(&mut said);
        let gone = "[REDACTED:SECRET:named-field]";
        assert_eq!(
            said,
            json!({
                "apiKey": gone, "nested": [{"client_secret": gone}], "max_tokens": 9, "command": "git push",
                "Set-Cookie": gone, "X-Request-Signature": gone, "sessionToken": gone,
            })
        );
    }

    #[test]
    fn every_text_is_moved_and_names_of_fields_too() {
        let places = [
            (Some("/p"), "${PROJECT_DIR}"),
            (Some("/h/me"), "/home/user"),
        ];
        let said = json!({"/p/a": ["/p/b and /p/c", {"x": "in /p/d"}], "n": 1, "y": "/h/me/z", "q": "/pq"});
        assert_eq!(
            moved(said, &|text| places.iter().fold(text, elsewhere)),
            json!({
                "${PROJECT_DIR}/a": ["${PROJECT_DIR}/b and /project/c", {"x": "in /project/d"}],
                "n": 1, "y": "/home/user/z", "q": "/projectq",
            })
        );
    }
}
