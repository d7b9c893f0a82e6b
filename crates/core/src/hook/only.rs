//! What a hook of a host's own file has besides: whose words it speaks, and a condition on any part of the event.

use crate::event::{Event, Map};
use crate::matcher::{Hit, Matcher, Subject};

/// Whose form a declared hook reads and answers in: that of the host whose file it came from (D27).
///
/// ```
/// use anyhook_core::hook::{Hook, Speaks};
/// use anyhook_core::event::Event;
/// use anyhook_core::result::HookResult;
/// let mut hook = Hook::on("tool:pre", |_: &Event| HookResult::proceed());
/// assert_eq!(hook.speaks, None);
/// let cursor = Speaks { host: "cursor", native: "beforeShellExecution".into() };
/// hook.speaks = Some(Box::new(cursor.clone()));
/// assert_eq!(hook.speaks.as_deref(), Some(&cursor));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Speaks {
    /// The host, by its id.
    pub host: &'static str,
    /// The event, as that host calls it: one event of ours may be several of a host's.
    pub native: Box<str>,
}

/// A condition beside the matcher, on any part of the event.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{At, Hook, Only};
/// use anyhook_core::matcher::{Hit, Matcher};
/// use anyhook_core::result::HookResult;
/// use serde_json::json;
/// let mut hook = Hook::on("tool:pre", |_: &Event| HookResult::proceed());
/// let matcher = Matcher::unanchored("curl|wget")?;
/// hook.only = Some(Box::new(Only { at: At::Field(&["tool_input", "command"]), matcher }));
/// let call = |command| Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
/// assert_eq!(hook.selects(&call("curl example.com")), Hit::Name);
/// assert_eq!(hook.selects(&call("ls")), Hit::No);
/// # Ok::<(), anyhook_core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct Only {
    /// What it looks at.
    pub at: At,
    /// What it selects.
    pub matcher: Matcher,
}

/// The part of an event that a condition looks at.
///
/// ```
/// use anyhook_core::hook::At;
/// assert_ne!(At::Subject, At::Field(&["tool_name"]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum At {
    /// What matchers look at, by every name that it goes by.
    Subject,
    /// A text inside the data, by the keys that lead to it. Where there is none, the condition holds: a guard is never
    /// off because a payload lacks a field.
    Field(&'static [&'static str]),
}

impl Only {
    pub(super) fn holds(&self, event: &Event) -> bool {
        let hit = match self.at {
            At::Subject => self.matcher.selects(event.subject().as_ref()),
            At::Field(path) => {
                let data = event.data.json();
                let name = text_at(&data, path);
                let subject = name.map(|name| Subject {
                    name,
                    also: &[],
                    canonical: None,
                });
                self.matcher.selects(subject.as_ref())
            }
        };
        hit != Hit::No
    }
}

/// Returns the text to which the keys lead.
fn text_at<'d>(data: &'d Map, path: &[&str]) -> Option<&'d str> {
    let (first, rest) = path.split_first()?;
    let start = data.get(*first)?;
    let value = rest.iter().try_fold(start, |value, key| value.get(*key))?;
    value.as_str()
}
