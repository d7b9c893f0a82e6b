//! The entries of a table: functions, and the matchers of their groups.

use std::fmt;
use std::sync::Arc;

use anyhook_core::hook::Source;
use anyhook_core::matcher::{Hit, Matcher, Subject};
use anyhook_wires::tools::{also, canonical};

use super::mistakes::Whereabouts;
use super::specs::Spec;
use super::{Input, IntoReturn, Profile, Return};

/// A function of a table, ready to be shared.
///
/// ```
/// use anyhook::athena::{Function, Input, Return, Table};
/// let deny = Function::new(|_: &Input<'_>, _: Option<&str>| Return::deny("read-only"));
/// let table = Table::new().group("PreToolUse", "write", [deny.clone()]).group("PreToolUse", "edit", [deny]);
/// assert_eq!(table.finish()?.len(), 2);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Clone)]
pub struct Function(Arc<Call>);

type Call = dyn Fn(&Input<'_>, Option<&str>) -> Result<Return, String> + Send + Sync;

impl Function {
    /// Takes a closure or a function: the payload, and the id of the call or of the session.
    pub fn new<F, R>(function: F) -> Self
    where
        F: Fn(&Input<'_>, Option<&str>) -> R + Send + Sync + 'static,
        R: IntoReturn,
    {
        Self(Arc::new(move |input, id| function(input, id).into_return()))
    }

    pub(super) fn call(&self, input: &Input<'_>) -> Result<Return, String> {
        (self.0)(input, input.id().as_deref())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

/// Which tools a group is for.
///
/// ```
/// use anyhook::athena::Pattern;
/// use anyhook::core::matcher::Matcher;
/// assert!(matches!(Pattern::from("(?i)write"), Pattern::Text(_)));
/// assert!(matches!(Pattern::from(None), Pattern::Every));
/// assert!(matches!(Pattern::from(Matcher::unanchored("^edit$")?), Pattern::Ready(_)));
/// # Ok::<(), anyhook::core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub enum Pattern {
    /// All of them.
    Every,
    /// Those whose name this pattern is found in.
    Text(String),
    /// Those that this matcher selects.
    Ready(Matcher),
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<&str>> for Pattern {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Every, Self::from)
    }
}

impl From<Matcher> for Pattern {
    fn from(matcher: Matcher) -> Self {
        Self::Ready(matcher)
    }
}

/// One entry, and when it is asked.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) spec: &'static Spec,
    pub(super) at: Whereabouts,
    pub(super) matcher: Option<Matcher>,
    pub(super) function: Function,
}

impl Row {
    pub(super) fn source(&self) -> Source {
        Source {
            file: self.at.file.as_str().into(),
            line: self.at.line,
        }
    }
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
