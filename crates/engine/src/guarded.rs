//! The guard of Anyhook itself: a hook of ours that asks a person before the agent changes hooks or trust.
//!
//! It looks at a tool call before it runs: would it write a hook manifest, a script, a host's hook settings or our own
//! state, or run `anyhook trust`, `approve`, `install` or `uninstall`? Then a person decides. Reading is free.
//!
//! What it refuses to promise: a shell can always compute a name that is nowhere in its text, and a program that the agent
//! wrote can do anything. Hard links and mounts are not looked through. Behind this stands trust, which judges what
//! is on the disk and not how it came there.
//!
//! ```
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::handler::{HandlerReply, Handler};
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::guarded::{EVENT, NAME, ProtectionScope, hook};
//! use anyhook_engine::rules::LastCall;
//! use serde_json::json;
//!
//! let protected = ProtectionScope {
//!     files: vec!["/p/hooks/hooks.json".into()],
//!     folders: vec!["/p/hooks/scripts".into()],
//!     project: "/p".into(),
//!     home: Some("/home/me".into()),
//!     cwd: "/p".into(),
//!     ..ProtectionScope::default()
//! };
//! let guard = hook(protected, &LastCall::default());
//! assert_eq!((guard.event.as_str(), &*guard.info.name), (EVENT, NAME));
//!
//! let Handler::InProcess(guard) = guard.handler else { panic!("it is code of this process") };
//! let kind = |tool, input| {
//!     let event = Event::new("tool:pre", json!({"tool_name": tool, "tool_input": input}));
//!     match guard.handle(&event) {
//!         HandlerReply::Ready(Ok(said)) => said.verdict.kind(),
//!         _ => panic!("it answers at once"),
//!     }
//! };
//! assert_eq!(
//!     kind("Write", json!({"file_path": "/p/hooks/hooks.json", "content": "{}"})),
//!     Kind::Ask
//! );
//! assert_eq!(kind("Bash", json!({"command": "rm -r hooks/scripts"})), Kind::Ask);
//! assert_eq!(kind("Bash", json!({"command": "anyhook trust"})), Kind::Ask);
//! assert_eq!(kind("Read", json!({"file_path": "/p/hooks/hooks.json"})), Kind::Continue);
//! ```

use std::path::PathBuf;
use std::sync::LazyLock;

use anyhook_core::event::Event;
use anyhook_core::hook::Hook;
use anyhook_core::result::HookResult;

use crate::rules::{Facts, LastCall};
use crate::text::quoted;

mod effects;
mod mentions;
mod paths;

/// The event that the hook is asked about.
pub const EVENT: &str = "tool:pre";
/// The name of the hook.
pub const NAME: &str = "anyhook:guarded";
/// The longest path that is shown in a question.
const SHOWN: usize = 120;

/// What the agent may not change without a person, and where names are looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtectionScope {
    /// Files: manifests, scripts, hosts' settings. They need not exist.
    pub files: Vec<PathBuf>,
    /// Files that count only if they are there: a new one needs a person's trust.
    pub present: Vec<PathBuf>,
    /// Directories with everything in them: our state, `hooks/scripts`.
    pub folders: Vec<PathBuf>,
    /// The folders in which hooks find programs, in this order.
    pub path: Vec<PathBuf>,
    /// The command lines of hooks: a program that they start may not be replaced by one that is found before it.
    pub lines: Vec<String>,
    /// The project.
    pub project: PathBuf,
    /// The user's home, for `~`.
    pub home: Option<PathBuf>,
    /// Where the agent stands, unless the event says it.
    pub cwd: PathBuf,
    /// Our own program. A line may name it, as one that the kernel confines does.
    pub own: Option<PathBuf>,
    /// Whether the files are compared after the call, so that git may bring what it does not tell before.
    pub compared: bool,
}

/// What a tool call would do to what is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Danger {
    /// It would change this file or directory, or may.
    Changes(String),
    /// It runs a command of ours that only a person may run.
    Runs(String),
    /// It cannot be read as a shell line, and may do anything.
    Unclear,
}

/// Makes the hook, which shares with rules what the call does: on `tool:pre`, before every other one, a guard, and asked again when another hook rewrites the call.
///
/// ```
/// use anyhook_engine::guarded::{ProtectionScope, hook};
/// use anyhook_engine::rules::LastCall;
///
/// let protected = ProtectionScope {
///     files: vec!["/p/hooks/hooks.json".into()],
///     project: "/p".into(),
///     cwd: "/p".into(),
///     ..ProtectionScope::default()
/// };
/// assert_eq!(&*hook(protected, &LastCall::default()).info.name, "anyhook:guarded");
/// ```
pub fn hook(protected: ProtectionScope, last: &LastCall) -> Hook {
    hook_of(protected, |protected| protected, last)
}

/// Makes the hook of what is known at once; the rest is found when the first call changes something.
pub(crate) fn hook_of(
    known: ProtectionScope,
    complete: impl FnOnce(ProtectionScope) -> ProtectionScope + Send + 'static,
    last: &LastCall,
) -> Hook {
    let last = last.clone();
    let (project, home) = (known.project.clone(), known.home.clone());
    // Most events of an agent read, and reading is free: for them nothing is looked up.
    let of = last.clone();
    let guard = LazyLock::new(move || paths::Guard::new(complete(known), &of));
    let answer = move |event: &Event| {
        let facts = Facts::new(event, &project, home.as_deref()).sharing(&last);
        let done = facts.done().filter(|_| event.get("tool_input").is_some());
        let found = done.and_then(|done| effects::look(|| &guard, &done, || facts.texts()));
        found.map_or_else(HookResult::proceed, |found| {
            HookResult::ask(question(&found))
        })
    };
    Hook::in_process(EVENT, NAME, answer)
        .priority(i32::MIN)
        .guard()
}

fn question(finding: &Danger) -> String {
    match finding {
        Danger::Changes(what) => format!(
            "This tool call would change `{}`, or may. It is part of what guards this agent (hooks, their scripts, settings \
             or Anyhook's state), so the agent may not change it alone. Allow it only if you want this change.",
            quoted(what, SHOWN)
        ),
        Danger::Runs(what) => format!(
            "This tool call would run `{}`, which decides what guards this agent, so only a person may run it. Allow it \
             only if you want this, or run it yourself in a terminal.",
            quoted(what, SHOWN)
        ),
        Danger::Unclear => "This tool call has a command line that Anyhook cannot read: too long, too deeply nested, or no valid shell. So it \
             may change what guards this agent (hooks, their scripts, settings or Anyhook's state). Allow it only if you \
             know what it does, or let the agent write it more simply."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::handler::{Handler, HandlerReply};
    use serde_json::json;

    use super::*;
    use crate::actions::CallFolders;

    #[test]
    fn what_the_guard_read_of_a_call_is_not_read_again_for_the_rules() {
        let last = LastCall::default();
        let protected = ProtectionScope {
            project: "/p".into(),
            cwd: "/p".into(),
            ..ProtectionScope::default()
        };
        let Handler::InProcess(guard) = hook(protected, &last).handler else {
            panic!("it is code of this process")
        };
        let input = json!({"command": "rm x"});
        let event = Event::new(
            "tool:pre",
            json!({"tool_name": "Bash", "tool_input": input}),
        );
        assert!(matches!(guard.handle(&event), HandlerReply::Ready(Ok(_))));
        let around = CallFolders {
            folder: "/p".as_ref(),
            project: "/p".as_ref(),
            home: None,
        };
        assert!(last.knows("Bash", &input, around));
        let elsewhere = CallFolders {
            folder: "/q".as_ref(),
            ..around
        };
        assert!(
            !last.knows("Bash", &input, elsewhere),
            "another folder is another call"
        );
    }
}
