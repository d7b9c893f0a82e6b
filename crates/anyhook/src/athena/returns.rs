//! The values that a function of a table returns, and what each one means.

use std::fmt;

use anyhook_core::effects::{Injection, Role};
use anyhook_core::result::Reason;
use serde_json::Value;

/// What a function wants.
///
/// ```
/// use anyhook::athena::{Message, Return};
/// use serde_json::json;
///
/// let said = [
///     Return::Ok,
///     Return::deny("protected_path"),
///     Return::halt("the budget is spent"),
///     Return::submitted(json!({"answer": 42})),
///     Return::Inject(vec![Message::system("Current ticket: ENG-1234").named("ticket-context")]),
///     Return::Transform("Deploy the staging branch.".into()),
///     Return::Augment("two warnings".into()),
///     Return::Other(json!("deny")),
/// ];
/// assert_eq!(said[0], Return::default());
/// let one = Message::user("go on");
/// assert_eq!(Return::inject(one.clone()), Return::Inject(vec![one]));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Return {
    /// Nothing: go on.
    #[default]
    Ok,
    /// The run ends. Every event knows it.
    Halt(Reason),
    /// The call does not happen. `PreToolUse` and `PermissionRequest` know it.
    Deny(Reason),
    /// The conversation gets these messages. Every event with a flat list knows it.
    Inject(Vec<Message>),
    /// The prompt becomes this. `UserPromptSubmit` knows it.
    Transform(String),
    /// The model reads this below the tool's result. `PostToolUse` knows it.
    Augment(String),
    /// Something that is no return: what a table that was written in another language may give.
    Other(Value),
}

impl Return {
    /// Refuses the call, for this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Reason::new(reason))
    }

    /// Ends the run, for this reason.
    pub fn halt(reason: impl Into<String>) -> Self {
        Self::Halt(Reason::new(reason))
    }

    /// Ends the run well, with this as what it was for (ATH-26).
    pub fn submitted(deliverable: Value) -> Self {
        Self::Halt(Reason {
            code: Some("submitted".into()),
            detail: Some(deliverable),
            ..Reason::new("submitted")
        })
    }

    /// Adds one message to the conversation.
    pub fn inject(message: Message) -> Self {
        Self::Inject(vec![message])
    }

    /// Returns the word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Ok => "Ok",
            Self::Halt(_) => "Halt",
            Self::Deny(_) => "Deny",
            Self::Inject(_) => "Inject",
            Self::Transform(_) => "Transform",
            Self::Augment(_) => "Augment",
            Self::Other(_) => "Other",
        }
    }
}

/// A message for the conversation.
///
/// ```
/// use anyhook::athena::Message;
/// use anyhook::core::effects::Role;
/// let ticket = Message::system("Current ticket: ENG-1234").named("ticket-context");
/// assert_eq!((ticket.role, ticket.name.as_deref()), (Role::System, Some("ticket-context")));
/// assert_eq!(Message::user("go on").role, Role::User);
/// assert_eq!(Message::assistant("I went on").role, Role::Assistant);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What it is called.
    pub name: Option<String>,
    /// What is said.
    pub text: String,
}

impl Message {
    /// Makes a message of the environment.
    pub fn system(text: impl Into<String>) -> Self {
        Self::of(Role::System, text)
    }

    /// Makes a message of the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::of(Role::User, text)
    }

    /// Makes a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::of(Role::Assistant, text)
    }

    fn of(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            name: None,
            text: text.into(),
        }
    }

    /// Gives the message a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    pub(super) fn injection(self) -> Injection {
        Injection {
            role: self.role,
            name: self.name.map(String::into_boxed_str),
            ..Injection::new(self.text)
        }
    }
}

impl From<&Injection> for Message {
    fn from(said: &Injection) -> Self {
        Self {
            role: said.role,
            name: said.name.as_deref().map(str::to_owned),
            text: said.text.to_string(),
        }
    }
}

/// What a function may return: a [`Return`], nothing at all, or an error, which is a failure of the function.
///
/// ```
/// use anyhook::athena::{IntoReturn, Return};
/// assert_eq!(().into_return(), Ok(Return::Ok));
/// assert_eq!(Err::<(), _>("no disk").into_return(), Err("no disk".to_owned()));
/// ```
pub trait IntoReturn {
    /// Makes it a return, or tells why there is none.
    fn into_return(self) -> Result<Return, String>;
}

impl IntoReturn for Return {
    fn into_return(self) -> Result<Return, String> {
        Ok(self)
    }
}

impl IntoReturn for () {
    fn into_return(self) -> Result<Return, String> {
        Ok(Return::Ok)
    }
}

impl<R: IntoReturn, E: fmt::Display> IntoReturn for Result<R, E> {
    fn into_return(self) -> Result<Return, String> {
        match self {
            Ok(said) => said.into_return(),
            Err(error) => Err(error.to_string()),
        }
    }
}
