//! The entries of a table: functions, and the matchers of their groups.

use std::fmt;
use std::sync::Arc;

use anyhook_core::matcher::{Hit, Matcher, Subject};
use anyhook_wires::tools::{also, canonical};

use super::mistakes::EntryLocation;
use super::specs::AthenaEvent;
use super::{EventInput, IntoReturn, Profile, Return};

/// A function of a table, ready to be shared.
///
/// ```
/// use anyhook::HookRegistry;
/// use anyhook::athena::{TableFunction, EventInput, Return, Table};
/// let deny = TableFunction::new(|_: &EventInput<'_>, _: Option<&str>| Return::deny("read-only"));
/// let table = Table::new().group("PreToolUse", "write", [deny.clone()]).group("PreToolUse", "edit", [deny]);
/// assert_eq!(table.finish()?.mount(&HookRegistry::new()).len(), 2);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Clone)]
pub struct TableFunction(Arc<FunctionBody>);

type FunctionBody = dyn Fn(&EventInput<'_>, Option<&str>) -> Result<Return, String> + Send + Sync;

impl TableFunction {
    /// Takes a closure or a function: the payload, and the id of the call or of the session.
    pub fn new<F, R>(function: F) -> Self
    where
        F: Fn(&EventInput<'_>, Option<&str>) -> R + Send + Sync + 'static,
        R: IntoReturn,
    {
        Self(Arc::new(move |input, id| function(input, id).into_return()))
    }

    pub(super) fn call(&self, input: &EventInput<'_>) -> Result<Return, String> {
        (self.0)(input, input.id().as_deref())
    }
}

impl fmt::Debug for TableFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TableFunction")
    }
}

/// Which tools a group is for.
///
/// ```
/// use anyhook::athena::ToolPattern;
/// use anyhook::core::matcher::Matcher;
/// assert!(matches!(ToolPattern::from("(?i)write"), ToolPattern::Text(_)));
/// assert!(matches!(ToolPattern::from(None), ToolPattern::Every));
/// assert!(matches!(ToolPattern::from(Matcher::unanchored("^edit$")?), ToolPattern::Ready(_)));
/// # Ok::<(), anyhook::core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub enum ToolPattern {
    /// All of them.
    Every,
    /// Those whose name this pattern is found in.
    Text(String),
    /// Those that this matcher selects.
    Ready(Matcher),
}

impl From<&str> for ToolPattern {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<&str>> for ToolPattern {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Every, Self::from)
    }
}

impl From<Matcher> for ToolPattern {
    fn from(matcher: Matcher) -> Self {
        Self::Ready(matcher)
    }
}

/// One entry, and when it is asked.
#[derive(Debug, Clone)]
pub(super) struct TableEntry {
    pub(super) spec: &'static AthenaEvent,
    pub(super) at: EntryLocation,
    pub(super) matcher: Option<Matcher>,
    pub(super) function: TableFunction,
}

/// Tells whether a matcher selects a tool; in the original a tool has one name only (ATH-07).
pub(super) fn selects(matcher: &Matcher, profile: Profile, name: &str) -> bool {
    let is_safe = profile == Profile::Safe;
    let subject = Subject {
        name,
        also: if is_safe { also(name) } else { &[] },
        canonical: is_safe.then(|| canonical(name)),
    };
    matcher.selects(Some(&subject)) != Hit::No
}
