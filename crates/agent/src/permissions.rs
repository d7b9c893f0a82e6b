//! What a call needs before it runs: the lists, the phase, and the approver.
//!
//! ```
//! use anyhook_agent::permissions::{DenialCode, Denial, Gate, Permissions, PermissionPhase};
//! use anyhook_agent::tools::{ToolKind, named};
//!
//! let plan = Permissions { phase: PermissionPhase::Plan, ..Permissions::default() };
//! assert_eq!(plan.gate("read", ToolKind::Reads), Gate::Open);
//! let Gate::Denied(Denial { code, .. }) = plan.gate("write", ToolKind::Edits) else { panic!() };
//! assert_eq!(code, DenialCode::PhaseGated);
//!
//! let careful = Permissions::default();
//! assert_eq!((careful.phase, careful.gate("bash", ToolKind::Runs)), (PermissionPhase::Default, Gate::Asks));
//!
//! // A child is never freer than its parent.
//! let child = Permissions { phase: PermissionPhase::Trusted, ..Permissions::default() }.within(&plan);
//! assert_eq!(child.phase, PermissionPhase::Plan);
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::message::ToolUse;
use crate::tools::ToolKind;

/// How much is asked before something is done, the freest last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermissionPhase {
    /// Only looking.
    Plan,
    /// Whatever changes something is asked about.
    #[default]
    Default,
    /// Changes of files are not asked about.
    AcceptEdits,
    /// Nothing is asked about.
    Trusted,
    /// Nothing is asked about, so that no refusal is a surprise.
    BypassPermissions,
}

/// The approver of one call, as it will run.
///
/// ```
/// use std::sync::Arc;
/// use anyhook_agent::message::ToolUse;
/// use anyhook_agent::permissions::{CanUseTool, Denial, Permission, Permissions};
///
/// let refuses: CanUseTool = Arc::new(|call: &ToolUse| {
///     Permission::Deny(Denial::by_user(&format!("no `{}` today", call.name)))
/// });
/// let permissions = Permissions { can_use_tool: Some(refuses), ..Permissions::default() };
/// let call = ToolUse { id: "c1".into(), name: "bash".into(), input: Default::default() };
/// assert!(matches!(permissions.asks(&call), Permission::Deny(denial) if denial.reason == "no `bash` today"));
/// ```
pub type CanUseTool = Arc<dyn Fn(&ToolUse) -> Permission + Send + Sync>;

/// The answer about one call.
#[derive(Debug, Clone, PartialEq)]
pub enum Permission {
    /// It may run.
    Allow,
    /// It may not.
    Deny(Denial),
    /// It may not, and the run ends.
    Halt(String),
}

/// A refusal of the permissions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Denial {
    /// Why, for the model.
    pub reason: String,
    /// Why, for a program.
    pub code: DenialCode,
    /// What else belongs to it.
    pub metadata: Value,
}

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DenialCode {
    /// A list, or the phase.
    PhaseGated,
    /// The approver.
    UserDenied,
    /// The asking failed.
    Unknown,
}

impl Denial {
    /// Makes the refusal of the approver.
    pub fn by_user(reason: &str) -> Self {
        Self {
            code: DenialCode::UserDenied,
            ..Self::unknown(reason.to_owned())
        }
    }

    /// Makes the refusal of a call for which no person could be asked.
    pub(crate) fn not_asked(call: &ToolUse) -> Self {
        let name = &call.name;
        Self::unknown(format!(
            "the permission for `{name}` could not be asked for"
        ))
    }

    fn unknown(reason: String) -> Self {
        Self {
            reason,
            code: DenialCode::Unknown,
            metadata: json!({}),
        }
    }

    /// Returns it as hooks read it.
    ///
    /// ```
    /// use anyhook_agent::permissions::Denial;
    /// assert_eq!(Denial::by_user("no").json()["code"], "user_denied");
    /// ```
    pub fn json(&self) -> Value {
        json!(self)
    }
}

/// What stands before a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Gate {
    /// Nothing.
    Open,
    /// The approver has to be asked.
    Asks,
    /// A refusal.
    Denied(Denial),
}

/// What an agent may do.
#[derive(Clone, Default)]
pub struct Permissions {
    /// How much is asked.
    pub phase: PermissionPhase,
    /// The only tools that may be called; nothing is all of them.
    pub allowed: Option<BTreeSet<String>>,
    /// The tools that may never be called, whatever the phase.
    pub disallowed: BTreeSet<String>,
    /// Who is asked; without an approver, a call that has to be asked about is refused.
    pub can_use_tool: Option<CanUseTool>,
}

impl Permissions {
    /// Returns what stands before a call of this tool.
    pub fn gate(&self, name: &str, kind: ToolKind) -> Gate {
        let denied = |reason: String| {
            Gate::Denied(Denial {
                reason,
                code: DenialCode::PhaseGated,
                metadata: json!({"requested_tool": name}),
            })
        };
        if self.disallowed.contains(name) {
            return denied(format!("`{name}` is not available here; do without it"));
        }
        if self.allowed.as_ref().is_some_and(|all| !all.contains(name)) {
            return denied(format!(
                "`{name}` is not among the tools of this run; do without it"
            ));
        }
        match (self.phase, kind) {
            (_, ToolKind::Reads | ToolKind::Spawns)
            | (PermissionPhase::AcceptEdits, ToolKind::Edits)
            | (PermissionPhase::Trusted | PermissionPhase::BypassPermissions, _) => Gate::Open,
            (PermissionPhase::Plan, ToolKind::Edits | ToolKind::Runs) => denied(format!(
                "`{name}` changes things, and this run only plans; say what you would do instead"
            )),
            (PermissionPhase::Default, ToolKind::Edits | ToolKind::Runs)
            | (PermissionPhase::AcceptEdits, ToolKind::Runs) => Gate::Asks,
        }
    }

    /// Asks the approver. One that panics has refused.
    pub fn asks(&self, call: &ToolUse) -> Permission {
        let Some(can_use_tool) = &self.can_use_tool else {
            let what = format!("no person is here to permit `{}`", call.name);
            let reason = format!("{what}; do without it, or say what you would do");
            return Permission::Deny(Denial::unknown(reason));
        };
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| can_use_tool(call)));
        asked.unwrap_or_else(|_| Permission::Deny(Denial::not_asked(call)))
    }

    /// Returns these permissions, narrowed to what a parent may do: never wider (ATH-32).
    pub fn within(self, parent: &Self) -> Self {
        let allowed = match (self.allowed, &parent.allowed) {
            (Some(own), Some(its)) => Some(own.intersection(its).cloned().collect()),
            (own, its) => own.or_else(|| its.clone()),
        };
        let mut disallowed = self.disallowed;
        disallowed.extend(parent.disallowed.iter().cloned());
        Self {
            phase: self.phase.min(parent.phase),
            allowed,
            disallowed,
            // The approver of the parent answers for the child too: another one could be freer.
            can_use_tool: parent.can_use_tool.clone(),
        }
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permissions")
            .field("phase", &self.phase)
            .field("allowed", &self.allowed)
            .field("disallowed", &self.disallowed)
            .finish_non_exhaustive()
    }
}
