//! The approvals of a session.

use anyhook_core::question::{AnswerLifetime, Grants};
use serde::{Deserialize, Serialize};

use super::SessionKey;

/// One question that a person answered with yes.
///
/// ```
/// use anyhook_engine::core::question::{Grants, AnswerLifetime};
/// use anyhook_engine::state::{ApprovalSubject, Approval, ApprovalUse};
///
/// let about = ApprovalSubject {
///     host: "codex-cli".into(),
///     session: None,
///     kept: None,
///     event: "tool:pre".into(),
///     summary: "Bash ls".into(),
/// };
/// let approval = Approval {
///     key: "5f2a90c1d7".into(),
///     about,
///     hook: "careful".into(),
///     place: None,
///     definition: None,
///     by: None,
///     grants: Grants::Proceed,
///     lasts: AnswerLifetime::Once,
///     at: 1000,
///     used: Some(ApprovalUse { call: "c1".into(), at: 2000 }),
/// };
/// assert_eq!(approval.id(), "5f2a90c1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// What it is bound to.
    pub key: String,
    /// What it is about.
    pub about: ApprovalSubject,
    /// The hook that asked.
    pub hook: String,
    /// The hook's file and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The hash of what that hook was: its entry, its file's place, its scripts. An older version did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Who gave it; an older version did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ApprovalChannel>,
    /// What it gives.
    pub grants: Grants,
    /// How long it holds.
    pub lasts: AnswerLifetime,
    /// When it was given: milliseconds since 1970.
    pub at: i64,
    /// The call that used it up, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<ApprovalUse>,
}

/// The call that used up an approval for once.
///
/// ```
/// use anyhook_engine::state::ApprovalUse;
/// let used: ApprovalUse = serde_json::from_str(r#"{"call": "c1", "at": 2000}"#)?;
/// assert_eq!(used, ApprovalUse { call: "c1".into(), at: 2000 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalUse {
    /// Names the call: two processes that are told the same call share it.
    pub call: String,
    /// When: milliseconds since 1970.
    pub at: i64,
}

/// By what way a person gave an approval.
///
/// ```
/// use anyhook_engine::approvals::ApprovalChannel;
/// assert_eq!(ApprovalChannel::Command.words(), "anyhook approve");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalChannel {
    /// With the one-time code, at a terminal of their own.
    Command,
    /// In a dialog that was put to them when the question came up.
    Dialog,
    /// On the page of the server, after the passphrase.
    Page,
}

impl ApprovalChannel {
    /// Says it in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Command => "anyhook approve",
            Self::Dialog => "a dialog",
            Self::Page => "the page",
        }
    }
}

impl Approval {
    /// Returns the short name under which it is listed and taken back.
    pub fn id(&self) -> &str {
        self.key.get(..8).unwrap_or(&self.key)
    }
}

/// What an approval is about, in short.
///
/// ```
/// use anyhook_engine::state::ApprovalSubject;
/// let about: ApprovalSubject = serde_json::from_str(r#"{"host": "", "event": "tool:pre", "summary": "Bash ls"}"#)?;
/// assert_eq!((&*about.event, about.kept), ("tool:pre", None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalSubject {
    /// The host's id; empty for an event of this process.
    pub host: String,
    /// The session, where the host named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Where the session's state is kept, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<SessionKey>,
    /// The canonical name of the event.
    pub event: String,
    /// The action, cut to one line.
    pub summary: String,
}
