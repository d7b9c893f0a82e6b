//! The flat result itself: its fields, their defaults, and how they are written.

use std::time::Duration;

use anyhook_core::effects::{Level, Role};
use anyhook_core::event::Map;
use anyhook_core::question::{Choice, DefaultAnswer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// The seconds that a person has to answer, unless told.
const PATIENCE: f64 = 300.0;

/// What a flat result does. Five words on the wire; an approval and a halt have a flag beside theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlatAction {
    /// Go on.
    #[default]
    Continue,
    /// Go on, and skip the host's own prompt: `continue` with `allowed: true`.
    #[serde(rename(serialize = "continue"), skip_deserializing)]
    Allowed,
    /// Refuse.
    Deny,
    /// Refuse, and stop the agent: `deny` with `halted: true`.
    #[serde(rename(serialize = "deny"), skip_deserializing)]
    Halted,
    /// Go on with other data.
    Modify,
    /// Go on, and tell the model something.
    InjectContext,
    /// Ask a person.
    AskUser,
}

impl FlatAction {
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
/// use anyhook_wires::dialects::amplifier::{FlatAction, Flat};
/// use serde_json::json;
///
/// let json = json!({"action": "deny", "reason": "deploys are frozen"});
/// let flat = Flat::from_json(json.as_object().unwrap().clone()).unwrap();
/// assert_eq!(flat.action, FlatAction::Deny);
/// assert_eq!(flat.approval_timeout, 300.0);
///
/// let json = json!({"action": "deny", "ephemeral": "soon"});
/// let error = Flat::from_json(json.as_object().unwrap().clone()).unwrap_err();
/// assert_eq!(error.to_string(), "`ephemeral` must be true or false, and is `\"soon\"`");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flat {
    /// What is to be done.
    pub action: FlatAction,
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
    #[serde(serialize_with = "labels", deserialize_with = "options")]
    pub approval_options: Option<Vec<Choice>>,
    /// How many seconds the person has.
    #[serde(deserialize_with = "patience")]
    pub approval_timeout: f64,
    /// What holds without an answer.
    pub approval_default: DefaultAnswer,
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
    #[serde(skip)]
    pub extensions: Map,
}

/// One text for the model, with its settings and who said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextInjection {
    /// The text.
    pub content: String,
    /// As whom it is said.
    #[serde(default)]
    pub role: Role,
    /// Whether it is seen by the next model call only.
    #[serde(default)]
    pub ephemeral: bool,
    /// Whether it goes to the end of the last tool result.
    #[serde(default)]
    pub append_to_last_tool_result: bool,
    /// The hook that said it; `unknown` unless told.
    #[serde(default = "unknown")]
    pub hook_name: String,
    /// The event that the hook was asked about.
    #[serde(default)]
    pub event: String,
    /// A name for the message; written only where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The name of a hook that nothing names.
pub(super) fn unknown() -> String {
    "unknown".to_owned()
}

impl Default for Flat {
    fn default() -> Self {
        Self {
            action: FlatAction::Continue,
            data: None,
            reason: None,
            context_injection: None,
            context_injection_role: Role::System,
            ephemeral: false,
            approval_prompt: None,
            approval_options: None,
            approval_timeout: PATIENCE,
            approval_default: DefaultAnswer::Deny,
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
        // A struct of named fields is an object.
        let mut map = match json!(self) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        match self.action {
            FlatAction::Halted => map.insert("halted".to_owned(), Value::Bool(true)),
            FlatAction::Allowed => map.insert("allowed".to_owned(), Value::Bool(true)),
            FlatAction::Continue
            | FlatAction::Deny
            | FlatAction::Modify
            | FlatAction::InjectContext
            | FlatAction::AskUser => None,
        };
        for (name, value) in &self.extensions {
            if !map.contains_key(name) && !["halted", "allowed"].contains(&&**name) {
                map.insert(name.clone(), value.clone());
            }
        }
        map
    }
}

/// A program is told the labels alone.
#[expect(clippy::ref_option, reason = "serde hands over the field")]
fn labels<S: Serializer>(options: &Option<Vec<Choice>>, to: S) -> Result<S::Ok, S::Error> {
    let labels = options.iter().flatten().map(|one| &*one.label);
    let labels: Option<Vec<&str>> = options.as_ref().map(|_| labels.collect());
    labels.serialize(to)
}

/// An option: its label, or all that it means.
#[derive(Deserialize)]
#[serde(untagged)]
enum ChoiceForm {
    Label(String),
    Whole(Choice),
}

fn options<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Vec<Choice>>, D::Error> {
    let options = Option::<Vec<ChoiceForm>>::deserialize(from)?;
    let choice = |option| match option {
        ChoiceForm::Label(label) => Choice::labelled(&label),
        ChoiceForm::Whole(choice) => choice,
    };
    Ok(options.map(|options| options.into_iter().map(choice).collect()))
}

/// A negative or an endless patience is none that anybody could keep.
fn patience<'d, D: Deserializer<'d>>(from: D) -> Result<f64, D::Error> {
    let seconds = f64::deserialize(from)?;
    let time = Duration::try_from_secs_f64(seconds);
    time.map(|_| seconds).map_err(D::Error::custom)
}
