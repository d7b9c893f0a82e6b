//! The flat result itself: its fields, their defaults, and how they are written.

use anyhook_core::effects::{Level, Role};
use anyhook_core::event::Map;
use anyhook_core::question::{Choice, Settled};
use serde_json::{Value, json};

/// The seconds that a person has to answer, unless told.
pub(super) const PATIENCE: f64 = 300.0;

/// The fields of the form, in the order in which they are written.
pub(super) const FIELDS: [&str; 18] = [
    "action",
    "data",
    "reason",
    "context_injection",
    "context_injection_role",
    "ephemeral",
    "approval_prompt",
    "approval_options",
    "approval_timeout",
    "approval_default",
    "suppress_output",
    "user_message",
    "user_message_level",
    "user_message_source",
    "append_to_last_tool_result",
    "context_injections",
    "halted",
    "allowed",
];

/// What a flat result does. Five words on the wire; an approval and a halt have a flag beside theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Action {
    /// Go on.
    #[default]
    Continue,
    /// Go on, and skip the host's own prompt: `continue` with `allowed: true`.
    Allowed,
    /// Refuse.
    Deny,
    /// Refuse, and stop the agent: `deny` with `halted: true`.
    Halted,
    /// Go on with other data.
    Modify,
    /// Go on, and tell the model something.
    InjectContext,
    /// Ask a person.
    AskUser,
}

impl Action {
    /// Returns the word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Continue | Self::Allowed => "continue",
            Self::Deny | Self::Halted => "deny",
            Self::Modify => "modify",
            Self::InjectContext => "inject_context",
            Self::AskUser => "ask_user",
        }
    }
}

/// Amplifier's result, with the names and defaults of seed 001.
///
/// ```
/// use anyhook_wires::dialects::amplifier::{Action, Flat};
/// use serde_json::json;
///
/// let json = json!({"action": "deny", "reason": "deploys are frozen"});
/// let flat = Flat::from_json(json.as_object().unwrap().clone()).unwrap();
/// assert_eq!(flat.action, Action::Deny);
/// assert_eq!(flat.approval_timeout, 300.0);
///
/// let json = json!({"action": "deny", "ephemeral": "soon"});
/// let error = Flat::from_json(json.as_object().unwrap().clone()).unwrap_err();
/// assert_eq!(error.to_string(), "`ephemeral` must be true or false, and is `\"soon\"`");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Flat {
    /// What is to be done.
    pub action: Action,
    /// The event's data, changed; the whole of it.
    pub data: Option<Map>,
    /// Why.
    pub reason: Option<String>,
    /// A text for the model.
    pub context_injection: Option<String>,
    /// As whom it is said.
    pub context_injection_role: Role,
    /// Whether it is seen by the next model call only.
    pub ephemeral: bool,
    /// What a person is asked.
    pub approval_prompt: Option<String>,
    /// What the person may choose; nothing means Allow and Deny.
    pub approval_options: Option<Vec<Choice>>,
    /// How many seconds the person has.
    pub approval_timeout: f64,
    /// What holds without an answer.
    pub approval_default: Settled,
    /// Hides the hook's own output.
    pub suppress_output: bool,
    /// A text for the person.
    pub user_message: Option<String>,
    /// How loud it is.
    pub user_message_level: Level,
    /// Who says it, for the label beside it.
    pub user_message_source: Option<String>,
    /// Whether the text for the model goes to the end of the last tool result; counts only where it is ephemeral.
    pub append_to_last_tool_result: bool,
    /// Every text for the model, in order; where there are any, they hold instead of the one above.
    pub context_injections: Vec<ContextInjection>,
    /// What the form does not name: kept as it is.
    pub extensions: Map,
}

/// One text for the model, with its settings and who said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextInjection {
    /// The text.
    pub content: String,
    /// As whom it is said.
    pub role: Role,
    /// Whether it is seen by the next model call only.
    pub ephemeral: bool,
    /// Whether it goes to the end of the last tool result.
    pub append_to_last_tool_result: bool,
    /// The hook that said it; `unknown` unless told.
    pub hook_name: String,
    /// The event that the hook was asked about.
    pub event: String,
    /// A name for the message; written only where there is one.
    pub name: Option<String>,
}

impl Default for Flat {
    fn default() -> Self {
        Self {
            action: Action::Continue,
            data: None,
            reason: None,
            context_injection: None,
            context_injection_role: Role::System,
            ephemeral: false,
            approval_prompt: None,
            approval_options: None,
            approval_timeout: PATIENCE,
            approval_default: Settled::Deny,
            suppress_output: false,
            user_message: None,
            user_message_level: Level::Info,
            user_message_source: None,
            append_to_last_tool_result: false,
            context_injections: Vec::new(),
            extensions: Map::new(),
        }
    }
}

impl Flat {
    /// Writes all sixteen fields in order, `null` where there is nothing, and then what the form does not name.
    pub fn to_json(&self) -> Map {
        let options = self.approval_options.as_deref();
        let labels = options.map(|all| all.iter().map(|one| &*one.label).collect::<Vec<_>>());
        let written = [
            json!(self.action.as_str()),
            json!(self.data),
            json!(self.reason),
            json!(self.context_injection),
            json!(self.context_injection_role),
            json!(self.ephemeral),
            json!(self.approval_prompt),
            json!(labels),
            json!(self.approval_timeout),
            json!(self.approval_default),
            json!(self.suppress_output),
            json!(self.user_message),
            json!(self.user_message_level),
            json!(self.user_message_source),
            json!(self.append_to_last_tool_result),
            self.context_injections.iter().map(item).collect(),
        ];
        let names = FIELDS.iter().map(|name| (*name).to_owned());
        let mut map: Map = names.zip(written).collect();
        match self.action {
            Action::Halted => map.insert("halted".to_owned(), Value::Bool(true)),
            Action::Allowed => map.insert("allowed".to_owned(), Value::Bool(true)),
            Action::Continue
            | Action::Deny
            | Action::Modify
            | Action::InjectContext
            | Action::AskUser => None,
        };
        for (name, value) in &self.extensions {
            if !FIELDS.contains(&&**name) {
                map.insert(name.clone(), value.clone());
            }
        }
        map
    }
}

fn item(injection: &ContextInjection) -> Value {
    let mut item = json!({
        "content": injection.content,
        "role": injection.role,
        "ephemeral": injection.ephemeral,
        "append_to_last_tool_result": injection.append_to_last_tool_result,
        "hook_name": injection.hook_name,
        "event": injection.event,
    });
    if let (Some(name), Value::Object(map)) = (&injection.name, &mut item) {
        map.insert("name".to_owned(), json!(name));
    }
    item
}
