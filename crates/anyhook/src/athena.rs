//! The hook tables of `ex_athena`: events with groups or functions, and functions that return what they want.
//!
//! A table is read once, with all its mistakes at once, and then [mounted](HookTable::mount) on a registry, which is the only
//! thing that asks. Its functions see the flat payloads of the original ([`EventInput`]) and answer with its words
//! ([`Return`]).
//!
//! ```
//! use anyhook::athena::{EventInput, Return, run_pre_tool_use, TableAnswer};
//! use anyhook::hooks;
//! use serde_json::json;
//!
//! fn deny_protected(input: &EventInput<'_>, _: Option<&str>) -> Return {
//!     match input.text("path") {
//!         Some(path) if path.contains("priv/secrets") => Return::deny("protected_path"),
//!         _ => Return::Ok,
//!     }
//! }
//!
//! let hooks = hooks! {
//!     PreToolUse: [{ matcher: "write|edit", hooks: [deny_protected] }],
//!     Stop: [|input: &EventInput<'_>, _: Option<&str>| println!("{:?}", input.get("result"))],
//! }
//! .finish()?;
//!
//! let input = json!({"path": "priv/secrets/key.pem", "content": "x"});
//! let said = run_pre_tool_use(&hooks, "write", &input, Some("call-1"));
//! assert!(matches!(said, TableAnswer::Deny(why) if &*why.text == "protected_path"));
//! # Ok::<(), anyhook::athena::Mistakes>(())
//! ```
//!
//! # Two profiles
//!
//! | | [`Profile::Safe`], `athena` | [`Profile::Compat`], `athena-compat` |
//! |---|---|---|
//! | a return that the event does not know | a fault, and the run halts | ignored: the original lets the call through |
//! | a function that panics or fails | a fault, and the run halts | the same, where the original hears a halt |
//! | `Deny` of a permission request | refuses it | ignored |
//! | several `Transform` | each sees the prompt as the one before left it | each sees the original, the last one wins |
//! | a matcher | hits every name of the tool | hits the tool's own name |
//! | `Inject` at `ChatParams` | for this request | also kept, so that it piles up |
//! | `tool_use_id` | second argument, and in the payload | second argument |
//!
//! # What is not done as the original does it
//!
//! These facts are faults of its caller; what happens instead is tested under the fact's number.
//!
//! | Fact | The original | Here, in both profiles |
//! |---|---|---|
//! | ATH-01 | an event that it does not know is ignored | a mistake of the table, with its place |
//! | ATH-03 | a group under a lifecycle event silences the event | a mistake of the table |
//! | ATH-08 | a bad pattern raises at the first call of a tool | a mistake of the table |
//! | ATH-09 | a function of another arity halts the run | it does not compile |
//! | ATH-19 | a crash at an event that only observes is reported nowhere | a fault in the report |
//! | ATH-20, ATH-21 | a throw or an exit ends the caller | a fault that halts the run in order |
//! | ATH-23 | a hook may hang for ever | it has a deadline, and is then a fault |
//! | ATH-24 | a `can_use_tool` that raises ends the caller | the call is refused |
//! | ATH-25 | a halt leaves calls without a result | every open call is answered |
//! | ATH-16 | what an injected message of a prompt says stands behind the prompt | it stands before it |
//! | ATH-27 | refusals of tools that only read are not counted | they are |
//! | ATH-30 | a reason arrives as inspected Elixir | as it was said |
//! | ATH-30 | several additions to a result stand below each other | with a blank line between them |
//! | ATH-32 | a child inherits what is asked before a tool | it inherits every hook |

use anyhook_core::event::{Event, EventName, Foreign};

mod dispatch;
mod entries;
mod input;
mod mistakes;
mod mount;
mod payload;
mod returns;
mod specs;
mod table;

pub use dispatch::{
    Outputs, PostTool, TableAnswer, run_lifecycle, run_lifecycle_with_outputs, run_post_tool_use,
    run_pre_tool_use,
};
pub use entries::{TableFunction, ToolPattern};
pub use input::EventInput;
pub use mistakes::{EntryLocation, Mistake, Mistakes};
pub use returns::{IntoReturn, Return};
pub use table::{HookTable, Table};

use specs::{AthenaEvent, SPECS};

/// How exactly the original is followed.
///
/// ```
/// use anyhook::athena::Profile;
/// assert_eq!(Profile::default(), Profile::Safe);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// `athena`: as the original is meant. What cannot be heard is a fault, and a fault halts.
    #[default]
    Safe,
    /// `athena-compat`: as the original is.
    Compat,
}

/// Returns the names of all nineteen events, in the order of the original.
///
/// ```
/// let all: Vec<&str> = anyhook::athena::events().collect();
/// assert_eq!((all.len(), all[0], all[18]), (19, "SessionStart", "Notification"));
/// ```
pub fn events() -> impl Iterator<Item = &'static str> {
    SPECS.iter().map(|spec| spec.name)
}

/// Finds an event of the original by its name there.
fn spec(name: &str) -> Option<&'static AthenaEvent> {
    SPECS.iter().find(|spec| spec.name == name)
}

/// Makes the event that a call of `run_*` is about.
fn event(spec: &AthenaEvent, data: payload::CallerPayload) -> Event {
    let data: Box<dyn Foreign> = Box::new(data);
    Event::named(EventName::new(spec.canonical), data)
}
