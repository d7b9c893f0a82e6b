//! A case to write, in the making: whose hook, which payload, what is expected.

use serde_json::{Map, Value, json};

use super::asks::{self, Asks};
use crate::case::{Earlier, Given, Pairs};
use crate::plan::{Case, smallest};
use crate::roster::Tested;

/// A case about one hook.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    name: String,
    remark: String,
    event: String,
    asks: Asks,
    host: Option<&'static str>,
    /// `workspace`, `stubs`, `env` and `timeout` of the case that it is taken from.
    world: Map<String, Value>,
    input: Map<String, Value>,
    expected: Map<String, Value>,
}

impl Draft {
    /// Begins with the smallest payload of the hook's event.
    pub(crate) fn new(tested: &Tested, name: &str, remark: &str) -> Self {
        Self {
            name: name.to_owned(),
            remark: remark.to_owned(),
            event: asks::event(tested),
            asks: Asks::of(tested),
            host: None,
            world: Map::new(),
            input: Map::new(),
            expected: Map::new(),
        }
    }

    /// Takes the payload and the world of a case.
    pub(super) fn like(mut self, case: &Case) -> Self {
        let spec = &case.spec;
        case.event.universal().clone_into(&mut self.event);
        if spec.matrix.0.is_empty() {
            let fixture = spec.input.fixture.as_ref();
            self.input = input(
                fixture.map(|name| name.value.as_str()),
                &spec.input.overrides,
            );
        } else {
            self.input = Map::from_iter([("overrides".to_owned(), whole(case))]);
        }
        if !spec.input.before.is_empty() {
            let before = spec.input.before.iter().map(earlier).collect();
            self.input.insert("before".to_owned(), Value::Array(before));
        }
        if let Some(model) = &spec.input.model_response {
            let response = model.value.clone();
            self.input.insert("model-response".to_owned(), response);
        }
        let mut world = Map::new();
        if spec.given != Given::default() {
            world.insert("given".to_owned(), json!(spec.given));
        }
        if let Some(workspace) = &spec.workspace {
            world.insert("workspace".to_owned(), workspace.value.clone());
        }
        if !spec.stubs.is_empty() {
            let stubs = spec.stubs.iter();
            let stubs = stubs.map(|(name, stub)| (name.clone(), stub.value.clone()));
            world.insert("stubs".to_owned(), Value::Object(stubs.collect()));
        }
        if !spec.env.is_empty() {
            world.insert("env".to_owned(), json!(spec.env));
        }
        if let Some(timeout) = &spec.timeout {
            world.insert("timeout".to_owned(), json!(timeout.value));
        }
        self.world = world;
        self
    }

    /// Plays it in the form of a host.
    pub(super) fn played(mut self, host: Option<&'static str>) -> Self {
        self.host = host;
        self
    }

    /// Sets one field of the payload, whatever the fixture says.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        let overrides = self.input.entry("overrides").or_insert_with(|| json!({}));
        if let Value::Object(overrides) = overrides {
            // What is set last holds.
            overrides.shift_remove(field);
            overrides.insert(field.to_owned(), value);
        }
        self
    }

    /// Lets the model say this.
    pub(super) fn answered(mut self, response: Value) -> Self {
        self.input.insert("model-response".to_owned(), response);
        self
    }

    /// Names the hooks that the event reaches too, where the case asks all of them.
    pub(super) fn beside(mut self, asked: Vec<String>) -> Self {
        self.asks = self.asks.beside(asked);
        self
    }

    /// Expects something of the hook.
    pub(crate) fn expecting(mut self, field: &str, value: Value) -> Self {
        let (field, value) = self.asks.said(field, value);
        self.expected.insert(field.to_owned(), value);
        self
    }

    /// Writes it as YAML.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("# {}\n", self.remark);
        let mut all = Map::new();
        let mut add = |name: &str, value: Value| all.insert(name.to_owned(), value);
        add("name", self.name.as_str().into());
        add("event", self.event.as_str().into());
        for (name, value) in self.asks.fields() {
            add(name, value);
        }
        if let Some(host) = self.host {
            add("as", json!([host]));
        }
        self.world
            .iter()
            .for_each(|(name, value)| drop(add(name, value.clone())));
        if !self.input.is_empty() {
            add("input", Value::Object(self.input.clone()));
        }
        add("expected", Value::Object(self.expected.clone()));
        write(&all, 0, &mut text);
        text
    }
}

fn input(fixture: Option<&str>, overrides: &Pairs<Value>) -> Map<String, Value> {
    let mut input = Map::new();
    if let Some(fixture) = fixture {
        input.insert("fixture".to_owned(), fixture.into());
    }
    if !overrides.0.is_empty() {
        let pairs = overrides.0.iter();
        let pairs = pairs.map(|(path, value)| (path.clone(), value.value.clone()));
        input.insert("overrides".to_owned(), Value::Object(pairs.collect()));
    }
    input
}

fn earlier(earlier: &Earlier) -> Value {
    let mut one = input(
        earlier.fixture.as_ref().map(|name| name.value.as_str()),
        &earlier.overrides,
    );
    one.insert("event".to_owned(), earlier.event.value.as_str().into());
    Value::Object(one)
}

/// The whole payload of one variant, as overrides of the smallest one.
fn whole(case: &Case) -> Value {
    let escaped = |key: &String| match key.strip_prefix('/') {
        Some(_) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        None => key.replace('\\', "\\\\").replace('.', "\\."),
    };
    let is_name = |key: &String| key == "hookEventName" || key == "hook_event_name";
    let payload = &case.payload.value;
    let own = payload.iter().filter(|(key, _)| !is_name(key));
    let mut all: Map<String, Value> = own
        .map(|(key, value)| (escaped(key), value.clone()))
        .collect();
    if let Value::Object(given) = smallest(case.event.universal()) {
        let others = given.iter().filter(|(key, _)| !is_name(key));
        for (key, _) in others.filter(|(key, _)| !payload.contains_key(*key)) {
            all.insert(key.clone(), json!({"$delete": true}));
        }
    }
    Value::Object(all)
}

/// Writes a mapping as YAML: a line for each field, JSON for what is no mapping.
fn write(map: &Map<String, Value>, depth: usize, text: &mut String) {
    for (key, value) in map {
        text.push_str(&"  ".repeat(depth));
        text.push_str(&word(key));
        match value {
            Value::Object(inner) if !inner.is_empty() && !has_operator(inner) => {
                text.push_str(":\n");
                write(inner, depth + 1, text);
            }
            Value::String(string) => {
                text.push_str(": ");
                text.push_str(&word(string));
                text.push('\n');
            }
            other => {
                text.push_str(": ");
                text.push_str(&other.to_string());
                text.push('\n');
            }
        }
    }
}

fn has_operator(map: &Map<String, Value>) -> bool {
    map.keys().any(|key| key.starts_with('$'))
}

/// A text as it may stand in YAML: bare where it can be read in one way only, else as in JSON.
fn word(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let keyword = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = begins && text.chars().all(is_bare);
    if is_word && !keyword.contains(&text.to_ascii_lowercase().as_str()) {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
