//! A table: which functions are asked about which event, in order.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::{LazyLock, OnceLock};

use anyhook_core::hook::SourceLocation;
use anyhook_core::matcher::{Matcher, PatternError};
use anyhook_core::taxonomy::nearest;
use anyhook_registry::HookRegistry;

use super::entries::{TableEntry, TableFunction, ToolPattern, selects};
use super::mistakes::{EntryLocation, Mistake, Mistakes};
use super::specs::{AthenaEvent, ListKind, SPECS};
use super::{EventInput, IntoReturn, Profile, spec};

/// Writes a table as `ex_athena` does.
///
/// An entry is a function, or for the two events of a tool a group: `{ matcher: …, hooks: […] }`. A matcher is a text,
/// which is a pattern that is not anchored, a compiled [`Matcher`], or `None`. The macro makes a
/// [`Table`](crate::athena::Table); [`finish`](crate::athena::Table::finish) tells what is wrong with it.
///
/// ```
/// use anyhook::athena::{EventInput, Return};
/// use anyhook::core::effects::Injection;
/// use anyhook::{HookRegistry, hooks};
///
/// fn deny(_: &EventInput<'_>, _: Option<&str>) -> Return {
///     Return::deny("read-only")
/// }
///
/// let hooks = hooks! {
///     PreToolUse: [{ matcher: "Write|Edit", hooks: [deny] }, { hooks: [|_, _| ()] }, |_, _| Return::Ok],
///     ChatParams: [|_, _| Return::inject(Injection::new("Current ticket: ENG-1234"))],
/// }
/// .tools(["read", "write", "edit"])
/// .finish()?;
/// assert_eq!(hooks.mount(&HookRegistry::new()).len(), 4);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
///
/// [`Matcher`]: crate::core::matcher::Matcher
#[macro_export]
macro_rules! hooks {
    (@list $table:expr, $event:expr, []) => { $table };
    (@list $table:expr, $event:expr, [{ $($group:tt)* } $(, $($rest:tt)*)?]) => {
        $crate::hooks!(@list
            $crate::hooks!(@group $table, $event, { $($group)* }), $event, [$($($rest)*)?])
    };
    (@list $table:expr, $event:expr, [$hook:expr $(, $($rest:tt)*)?]) => {
        $crate::hooks!(@list $table.on($event, $hook), $event, [$($($rest)*)?])
    };
    (@group $table:expr, $event:expr, { matcher: $matcher:expr, hooks: [$($hook:expr),* $(,)?] $(,)? }) => {
        $table.group($event, $matcher, [$($crate::athena::TableFunction::new($hook)),*])
    };
    (@group $table:expr, $event:expr, { hooks: [$($hook:expr),* $(,)?] $(,)? }) => {
        $table.group($event, $crate::athena::ToolPattern::Every, [$($crate::athena::TableFunction::new($hook)),*])
    };
    ($($event:ident : [$($entries:tt)*]),* $(,)?) => {{
        let table = $crate::athena::Table::new();
        $(let table = $crate::hooks!(@list table, stringify!($event), [$($entries)*]);)*
        table
    }};
}

/// A table that is being written.
///
/// ```
/// use anyhook::athena::{TableFunction, Profile, Table};
/// let table = Table::new()
///     .profile(Profile::Compat)
///     .tools(["write"])
///     .on("Stop", |_, _| ())
///     .group("PostToolUse", "write", [TableFunction::new(|_, _| ())]);
/// table.finish()?;
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Default)]
pub struct Table {
    profile: Profile,
    tools: Option<Vec<String>>,
    rows: Vec<TableEntry>,
    mistakes: Vec<Mistake>,
    /// How many entries each list has.
    counts: BTreeMap<String, usize>,
}

/// The tools of `ex_athena`: a pattern that excludes some means these names, and no other host's for the same tools.
static TOOLS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let host = anyhook_wires::host("athena");
    let tools = host.map_or(&[][..], |host| host.facts().tools.rows);
    tools.iter().map(|tool| tool.name).collect()
});

impl Table {
    /// Begins an empty table, in the safe profile.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses how exactly the original is followed.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Tells which tools there are, so that a matcher that selects none of them is a mistake.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a function to an event; for an event of a tool it is asked about every tool.
    #[must_use]
    #[track_caller]
    pub fn on<F, R>(self, event: &str, function: F) -> Self
    where
        F: Fn(&EventInput<'_>, Option<&str>) -> R + Send + Sync + 'static,
        R: IntoReturn,
    {
        self.listed(event, TableFunction::new(function))
    }

    /// Adds a function that is shared, as [`on`](Self::on) adds one of its own.
    ///
    /// ```
    /// use anyhook::HookRegistry;
    /// use anyhook::athena::{TableFunction, Table};
    /// let log = TableFunction::new(|_, _| ());
    /// let table = Table::new().listed("Stop", log.clone()).listed("StopFailure", log);
    /// assert_eq!(table.finish()?.mount(&HookRegistry::new()).len(), 2);
    /// # Ok::<(), anyhook::athena::Mistakes>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn listed(self, event: &str, function: TableFunction) -> Self {
        let (at, mut table) = self.next(event, Location::caller());
        if let Some(spec) = table.event(event, &at) {
            table.rows.push(TableEntry {
                spec,
                at,
                matcher: None,
                function,
            });
        }
        table
    }

    /// Adds a group to an event of a tool.
    #[must_use]
    #[track_caller]
    pub fn group(
        self,
        event: &str,
        pattern: impl Into<ToolPattern>,
        functions: impl IntoIterator<Item = TableFunction>,
    ) -> Self {
        let (at, mut table) = self.next(event, Location::caller());
        let Some(spec) = table.event(event, &at) else {
            return table;
        };
        if spec.list == ListKind::Flat {
            let what = format!("`{event}` takes a flat list of functions and no groups");
            let help = "write the functions into the list, without a group around them";
            return table.wrong(at, what, Some(help.into()));
        }
        let matcher = match pattern.into() {
            ToolPattern::Every => None,
            ToolPattern::Ready(matcher) => Some(matcher),
            ToolPattern::Text(text) => match Matcher::pcre(&text) {
                // What is excluded is excluded by its own name: `Bash` is not `bash`, and would be selected.
                Ok(matcher) if text.contains("(?!") || text.contains("(?<!") => {
                    Some(matcher.looking_at(&TOOLS))
                }
                Ok(matcher) => Some(matcher),
                Err(PatternError { reason, help, .. }) => {
                    let what = format!("`{text}` is no pattern: {reason}");
                    return table.wrong(at.below("matcher"), what, Some(help));
                }
            },
        };
        let functions = functions.into_iter().enumerate();
        table
            .rows
            .extend(functions.map(|(index, function)| TableEntry {
                spec,
                at: at.below(&format!("hooks[{index}]")),
                matcher: matcher.clone(),
                function,
            }));
        table
    }

    /// Returns the table, or everything that is wrong with it.
    pub fn finish(mut self) -> Result<HookTable, Mistakes> {
        for row in &self.rows {
            if let Some(mistake) = self.dead(row)
                && self.mistakes.last() != Some(&mistake)
            {
                self.mistakes.push(mistake);
            }
        }
        if !self.mistakes.is_empty() {
            return Err(Mistakes(self.mistakes));
        }
        Ok(HookTable {
            profile: self.profile,
            rows: self.rows,
            asked: OnceLock::new(),
        })
    }

    /// Counts an entry, and says where it stands.
    fn next(mut self, event: &str, place: &Location<'_>) -> (EntryLocation, Self) {
        let count = self.counts.entry(event.to_owned()).or_default();
        let entry = format!("{event}[{count}]");
        *count += 1;
        let source = SourceLocation {
            file: place.file().into(),
            line: place.line(),
        };
        (EntryLocation { source, entry }, self)
    }

    /// Finds an event, or notes that there is none.
    fn event(&mut self, name: &str, at: &EntryLocation) -> Option<&'static AthenaEvent> {
        let found = spec(name);
        if found.is_none() {
            let meant = nearest(name, SPECS.iter().map(|spec| spec.name));
            let help = meant.map(|meant| format!("did you mean `{meant}`?"));
            let (at, what) = (at.clone(), format!("there is no event `{name}`"));
            self.mistakes.push(Mistake { at, what, help });
        }
        found
    }

    fn wrong(mut self, at: EntryLocation, what: String, help: Option<String>) -> Self {
        self.mistakes.push(Mistake { at, what, help });
        self
    }

    /// Tells whether a function can never be asked.
    fn dead(&self, row: &TableEntry) -> Option<Mistake> {
        let (tools, matcher) = (self.tools.as_ref()?, row.matcher.as_ref()?);
        let hits = |tool: &String| selects(matcher, self.profile, tool);
        if tools.iter().any(hits) {
            return None;
        }
        let group = row.at.entry.split(".hooks[").next().unwrap_or_default();
        let all: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        Some(Mistake {
            at: EntryLocation {
                entry: format!("{group}.matcher"),
                ..row.at.clone()
            },
            what: format!(
                "`{}` selects no tool, so its functions are never asked",
                matcher.as_str()
            ),
            help: Some(format!("there are {}", all.join(", "))),
        })
    }
}

/// A table without mistakes.
///
/// ```
/// use anyhook::{HookRegistry, hooks};
/// use anyhook::athena::HookTable;
/// let hooks: HookTable = hooks! { Stop: [|_, _| ()], StopFailure: [|_, _| ()] }.finish()?;
/// let registry = HookRegistry::new();
/// hooks.mount(&registry);
/// assert_eq!(registry.list_handlers(Some("stop"))["stop"].len(), 1);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug)]
pub struct HookTable {
    pub(super) profile: Profile,
    pub(super) rows: Vec<TableEntry>,
    /// The registry that calls of `run_*` ask.
    pub(super) asked: OnceLock<HookRegistry>,
}
