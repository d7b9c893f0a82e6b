//! The `OpenAPI` page, made from the table of routes.

use anyhook::wires::hosts::HOSTS;
use serde_json::{Map, Value, json};

use crate::people::PROOF;
use crate::said;

/// The header that names the folder of the project.
pub(crate) const PROJECT: &str = "anyhook-project";

/// What the page says about one route.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// What it does, in one sentence.
    pub(crate) about: &'static str,
    /// The statuses that it alone answers with, and what each says.
    pub(crate) answers: &'static [(u16, &'static str)],
    /// Whether it takes an event, with all that can be wrong about one.
    pub(crate) takes: Takes,
    /// Who may ask.
    pub(crate) by: By,
}

/// Who may ask at a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// Any program of this machine.
    Anyone,
    /// A program with the token of a client.
    Client,
    /// A browser of this server, whether its person is signed in or not.
    Browser,
    /// A browser of this server whose person proved the passphrase.
    Person,
}

/// What a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// The payload of an event.
    Event,
    /// The passphrase of the person.
    Passphrase,
    /// An answer to a question, with the proof of the session.
    Answer,
}

impl Takes {
    /// Returns the schema of the body.
    fn body(self) -> Option<Value> {
        let text = json!({"type": "string"});
        let fields = |required: &[&str], properties: Value| json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false});
        match self {
            Self::Nothing => None,
            Self::Event => Some(json!({"type": "object"})),
            Self::Passphrase => Some(fields(&["passphrase"], json!({"passphrase": text}))),
            Self::Answer => {
                let answer = json!({"enum": ["once", "session", "always", "no"]});
                let choice = json!({"type": ["integer", "null"], "minimum": 0});
                let choices = json!({"type": "array", "items": choice});
                let all = json!({"answer": answer, "mark": text, "note": text, "choices": choices});
                Some(fields(&["answer", "mark"], all))
            }
        }
    }
}

/// What can be wrong with every request.
const EVERY: &[(u16, &str)] = &[
    (
        401,
        "The request has no token of a client that is known here.",
    ),
    (421, "The request names another host than this machine."),
];
/// What can be wrong with a request without a token.
const OF_ANYONE: &[(u16, &str)] = &[(421, "The request names another host than this machine.")];
/// What can be wrong with every request of a browser.
const OF_PEOPLE: &[(u16, &str)] = &[
    (
        401,
        "This browser is not signed in, or the passphrase is wrong.",
    ),
    (403, "Another page asks, or no passphrase is set."),
    (421, "The request names another host than this machine."),
];
/// What can be wrong with every event.
const OF_EVENTS: &[(u16, &str)] = &[
    (
        400,
        "The query or the folder of the project is wrong, or the payload broke off.",
    ),
    (
        408,
        "The payload did not come in half of the time of its event.",
    ),
    (413, "The payload is longer than the server takes."),
    (500, "Anyhook failed on this event."),
    (503, "The server holds too many payloads at this moment."),
];

/// Returns the page of these routes.
pub(crate) fn page<'r>(routes: impl Iterator<Item = &'r Route>) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = methods {
            methods.insert(route.method.to_owned(), operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "anyhook serve",
            "version": "1",
            "description": "Events of agents and programs, decided by their hooks. Any status but 200 means that the action does not \
                            go on unless the client knows better.",
        },
        "servers": [{"url": "http://127.0.0.1:7467"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer",
                "description": "`anyhook serve --token NAME` makes one."},
                "session": {"type": "apiKey", "in": "cookie", "name": "anyhook_session",
                "description": "`POST /v1/session` gives one for the passphrase of the person."}},
            "schemas": {"Problem": {"type": "object", "required": ["error", "help"],
                "properties": {"error": {"type": "string"}, "help": {"type": "string"}}}},
        },
    })
}

fn operation(route: &Route) -> Value {
    let every = match route.by {
        By::Anyone => OF_ANYONE,
        By::Client => EVERY,
        By::Browser | By::Person => OF_PEOPLE,
    };
    let of_events: &[_] = match route.takes {
        Takes::Event => OF_EVENTS,
        Takes::Nothing | Takes::Passphrase | Takes::Answer => &[],
    };
    let all = route.answers.iter().chain(every).chain(of_events);
    let mut responses = Map::new();
    for (status, says) in all {
        responses.insert(status.to_string(), response(*status, says));
    }
    let mut operation = Map::new();
    operation.insert("summary".to_owned(), route.about.into());
    operation.insert("responses".to_owned(), responses.into());
    let security = match route.by {
        By::Client => None,
        By::Anyone | By::Browser => Some(json!([])),
        By::Person => Some(json!([{"session": []}])),
    };
    operation.extend(security.map(|security| ("security".to_owned(), security)));
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(schema) = route.takes.body() {
        let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        operation.insert("requestBody".to_owned(), body);
    }
    operation.into()
}

fn response(status: u16, says: &str) -> Value {
    let schema = match status {
        200 => json!({}),
        403 => json!({"anyOf": [{"$ref": "#/components/schemas/Problem"}, {}]}),
        _ => json!({"$ref": "#/components/schemas/Problem"}),
    };
    let mut kinds = Map::new();
    kinds.insert("application/json".to_owned(), json!({"schema": schema}));
    if says.contains("exit code") {
        // Standard output is what the agent reads: it may be a text, or nothing.
        let text = json!({"schema": {"type": "string"}});
        kinds.insert("text/plain".to_owned(), text);
    }
    let content = Value::Object(kinds);
    if status != 200 && !says.contains("exit code") {
        return json!({"description": says, "content": content});
    }
    let text = |about: &str| json!({"schema": {"type": "string"}, "description": about});
    let number = json!({"schema": {"type": "integer"}, "description": "The exit code, of an event of a host."});
    let headers = json!({
        said::EXIT: number,
        said::STDERR: text("Standard error, percent-encoded, up to 4 KiB."),
        said::CUT: text("`true` where standard error is longer; `reply=json` has all of it."),
    });
    json!({"description": says, "content": content, "headers": headers})
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut all = match route.takes {
        Takes::Nothing | Takes::Passphrase => Vec::new(),
        Takes::Event => of_events(),
        Takes::Answer => vec![
            json!({"in": "header", "name": PROOF, "required": true, "schema": {"type": "string"}, "description": "The proof of the session."}),
        ],
    };
    if route.path.contains("{host}") {
        let hosts: Vec<&str> = HOSTS.iter().map(|host| host.id()).collect();
        all.push(json!({"in": "path", "name": "host", "required": true, "schema": {"enum": hosts}, "description": "A name of `anyhook list hosts`."}));
    }
    if route.path.contains("{code}") {
        all.push(json!({"in": "path", "name": "code", "required": true, "schema": {"type": "string"}, "description": "The code of the question."}));
    }
    all
}

fn of_events() -> Vec<Value> {
    let query = |name: &str, schema: Value, about: &str| json!({"in": "query", "name": name, "schema": schema, "description": about});
    let folder = json!({"type": "string", "pattern": "^/"});
    vec![
        query(
            "event",
            json!({"type": "string"}),
            "The event, where the payload does not name it.",
        ),
        query(
            "deadline",
            json!({"type": "number", "exclusiveMinimum": 0, "maximum": 600}),
            "How many seconds the client waits; 30 if it does not say.",
        ),
        query(
            "project",
            folder.clone(),
            "The folder of the project, an absolute path; the payload's `cwd` if nothing names one.",
        ),
        json!({"in": "header", "name": PROJECT, "schema": folder, "description": "The same as `project`."}),
        query(
            "strict",
            json!({"const": "yes"}),
            "`yes`: hooks that may not run, because no person trusted them or they cannot be read, refuse what they guard.",
        ),
        query(
            "reply",
            json!({"const": "json"}),
            "`json`: all of the reply in the body, as `stdout`, `stderr` and `exit`.",
        ),
    ]
}
