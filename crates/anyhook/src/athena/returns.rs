//! The values that a function of a table returns, and what each one means.

use std::fmt;

use anyhook_core::effects::Injection;
use anyhook_core::result::Reason;
use serde_json::Value;

/// What a function wants.
///
/// ```
/// use anyhook::athena::Return;
/// use anyhook::core::effects::{Injection, Role};
/// use serde_json::json;
///
/// let said = [
///     Return::Ok,
///     Return::deny("protected_path"),
///     Return::halt("the budget is spent"),
///     Return::submitted(json!({"answer": 42})),
///     Return::Inject(vec![Injection::new("Current ticket: ENG-1234")]),
///     Return::Transform("Deploy the staging branch.".into()),
///     Return::Augment("two warnings".into()),
///     Return::Other(json!("deny")),
/// ];
/// assert_eq!(said[0], Return::default());
/// let one = Injection { role: Role::User, ..Injection::new("go on") };
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
    Inject(Vec<Injection>),
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
    pub fn inject(message: Injection) -> Self {
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
