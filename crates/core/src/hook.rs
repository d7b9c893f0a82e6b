//! A hook: when it is asked, what it does, and what its own failure means.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::event::Event;
//! use anyhook_core::hook::{Hook, Hooks, Mode, OnFault, Recheck, HookRole, AskFrequency, Concurrency};
//! use anyhook_core::matcher::Matcher;
//! use anyhook_core::result::HookResult;
//!
//! let guard = Hook::on("tool:pre", |_: &Event| HookResult::deny("`.env` holds secrets"))
//!     .named("secrets")
//!     .when(Matcher::parse("Write|Edit")?)
//!     .priority(-10)
//!     .deadline(Duration::from_millis(200))
//!     .guard();
//! assert_eq!((guard.on_fault, guard.recheck), (OnFault::Deny, Recheck::Yes));
//!
//! let greeting =
//!     Hook::on("session:start", |_: &Event| HookResult::proceed().inject("today is Monday"))
//!         .once();
//! assert_eq!((greeting.times, greeting.turn), (AskFrequency::Once, Concurrency::Together));
//!
//! let audit = Hook::on("tool:*", |_: &Event| ()).named("audit").observing();
//! assert_eq!(audit.role, HookRole::Observe);
//!
//! let trial = Hook::on("tool:pre", |_: &Event| HookResult::halt("too many calls"))
//!     .named("trial")
//!     .shadow();
//! assert_eq!(trial.mode, Mode::Shadow);
//!
//! let hooks: Hooks = [audit, trial, greeting, guard].into_iter().collect();
//! assert_eq!(&*hooks.roster()[0].name, "secrets", "the lowest priority is asked first");
//! # Ok::<(), anyhook_core::matcher::PatternError>(())
//! ```

use std::collections::HashMap;
use std::iter::successors;
use std::panic::Location;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::asking::SkipReason;
pub use crate::asking::{
    AskFrequency, Concurrency, HookDialect, HookRole, MatchCondition, MatchTarget, Mode, OnFault,
    Recheck, WaitMode,
};
use crate::dispatch::Strictness;
use crate::effects::RewriteFallback;
use crate::event::{Event, EventName};
use crate::fault::Fault;
use crate::handler::{Handler, HookHandler};
use crate::id::HookId;
use crate::manifest::Action;
use crate::matcher::{Hit, Matcher};
use crate::result::{Reason, Verdict};
use crate::sandbox::Sandbox;
use crate::taxonomy::Class;

/// What a report says of a hook: who it is and where it was written.
///
/// ```
/// use anyhook_core::hook::{HookInfo, SourceLocation};
///
/// let info = HookInfo {
///     name: "secrets".into(),
///     source: Some(SourceLocation { file: "hooks.json".into(), line: 7 }),
///     guard: true,
///     ..HookInfo::default()
/// };
/// let json = serde_json::to_value(&info).unwrap();
/// assert_eq!(json["source"]["line"], 7);
/// assert_eq!(json.get("matcher"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookInfo {
    /// Its name.
    pub name: Box<str>,
    /// Where it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLocation>,
    /// The matcher as written, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Box<str>>,
    /// Its priority; lower is asked earlier. In JSON 0 is left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: i32,
    /// Whether it guards: its own failure refuses, and a rewrite brings it back. In JSON it stands only where it is so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guard: bool,
    /// Whether it is tried out: asked, recorded, never applied. In JSON it stands only where it is so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shadow: bool,
}

/// Tells whether a record of many hooks can do without a value.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A place in a file.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, SourceLocation};
///
/// let hook = Hook::on("tool:pre", |_: &Event| ());
/// let SourceLocation { file, line } = hook.info.source.as_ref().unwrap();
/// assert_eq!(*hook.info.name, format!("{file}:{line}"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceLocation {
    /// The file, as it was given.
    pub file: Box<str>,
    /// The line, from 1.
    pub line: u32,
}

/// The trusted copy of a package: what its commands run.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_core::hook::PinnedCopy;
///
/// let [folder, root] = ["/state/copies/a1", "/p"].map(|path| Path::new(path).into());
/// let copy = PinnedCopy { folder, root, runs: ["check.sh".into()].into() };
/// assert!(copy.runs.iter().any(|file| &**file == "check.sh"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PinnedCopy {
    /// The folder that stands in the place of the package's root.
    pub folder: Box<Path>,
    /// The live root.
    pub root: Box<Path>,
    /// The files below it that hooks execute.
    pub runs: Box<[Box<str>]>,
}

/// One hook of a registry. As serde writes it, it says all that it does: neither who it is nor where it stands.
///
/// Whether it is asked about an event is for its name and its matcher to say, and whether it is the same hook as another
/// for what it does:
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::Handler;
/// use anyhook_core::hook::{Hook, OnFault};
/// use anyhook_core::manifest::{Action, Prompt};
/// use anyhook_core::matcher::{Hit, Matcher};
/// use serde_json::json;
///
/// let judge = |name| {
///     let action = Action::Prompt(Prompt { prompt: "Is this safe?".into() });
///     Hook::new("tool:pre", name, Handler::Declared(Box::new(action)))
/// };
/// let hook = judge("first").when(Matcher::parse("Bash")?).on_fault(OnFault::Deny);
/// assert!(hook.is_declared());
/// assert_eq!(hook.selects(&Event::new("tool:pre", json!({"tool_name": "Bash"}))), Hit::Name);
/// assert_eq!(hook.selects(&Event::new("tool:pre", json!({"tool_name": "Read"}))), Hit::No);
/// assert_eq!(hook.selects(&Event::new("tool:post", json!({"tool_name": "Bash"}))), Hit::No);
///
/// assert!(judge("here").is_same(&judge("there")), "a name alone makes no other hook");
/// assert!(!judge("here").is_same(&judge("here").on_fault(OnFault::Halt)));
/// # Ok::<(), anyhook_core::matcher::PatternError>(())
/// ```
#[derive(Debug, Serialize)]
pub struct Hook {
    /// Who it is.
    #[serde(skip)]
    pub info: Arc<HookInfo>,
    /// Which events it is asked about: one, or all that a name with a `*` covers.
    pub event: EventName,
    /// Which subjects it is asked about.
    pub when: Matcher,
    /// A further condition over the event's fields, as written; the part that carries a declared hook out answers it.
    pub condition: Option<Box<str>>,
    /// What it is for.
    pub role: HookRole,
    /// What its own failure means.
    pub on_fault: OnFault,
    /// Whether its answers count.
    pub mode: Mode,
    /// Whether a later rewrite brings it back.
    pub recheck: Recheck,
    /// How it is asked among its neighbours.
    pub turn: Concurrency,
    /// What becomes of its rewrites where a host cannot say them.
    pub if_unsayable: RewriteFallback,
    /// How long it may take; nothing means what its kind of handler says.
    pub deadline: Option<Duration>,
    /// How long an event waits for the answer to its questions, where the person's settings say nothing, or more.
    pub wait: Option<Duration>,
    /// How often it is asked in one session.
    pub times: AskFrequency,
    /// Whether the agent waits for it.
    pub pace: WaitMode,
    /// A condition beside the matcher.
    pub only: Option<Box<MatchCondition>>,
    /// Whose form it reads and answers in; nothing means the universal one.
    pub speaks: Option<Box<HookDialect>>,
    /// What its command may touch, with everything that is not said filled in; nothing means that it runs open.
    pub sandbox: Option<Box<Sandbox>>,
    /// The trusted copy of its package, where that runs in the place of the live one.
    #[serde(skip)]
    pub copied: Option<Arc<PinnedCopy>>,
    /// What it does.
    pub handler: Handler,
}

impl Hook {
    /// Makes a hook of this process: asked about every subject, priority 0, its failure told and no more.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use anyhook_core::hook::Hook;
    /// use anyhook_core::result::HookResult;
    /// let hook = Hook::in_process("tool:pre", "no-writes", |_: &Event| HookResult::deny("read-only"));
    /// assert_eq!(&*hook.info.name, "no-writes");
    /// ```
    pub fn in_process(event: &str, name: &str, handler: impl HookHandler + 'static) -> Self {
        Self::new(event, name, Handler::InProcess(Box::new(handler)))
    }

    /// Makes a hook of this process that is named after the place where it is written, `file:line`.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use anyhook_core::hook::Hook;
    /// use anyhook_core::result::HookResult;
    /// let hook = Hook::on("tool:*", |_: &Event| HookResult::proceed()).priority(5).guard();
    /// assert!(hook.info.name.contains(":"), "{}", hook.info.name);
    /// ```
    #[track_caller]
    pub fn on(event: &str, handler: impl HookHandler + 'static) -> Self {
        let place = Location::caller();
        let name = format!("{}:{}", place.file(), place.line());
        let mut hook = Self::in_process(event, &name, handler);
        Arc::make_mut(&mut hook.info).source = Some(SourceLocation {
            file: place.file().into(),
            line: place.line(),
        });
        hook
    }

    /// Makes a hook with the defaults of its kind of handler.
    pub fn new(event: &str, name: &str, handler: Handler) -> Self {
        let recheck = match handler {
            Handler::InProcess(_) => Recheck::No,
            Handler::Declared(_) => Recheck::Yes,
        };
        Self {
            info: Arc::new(HookInfo {
                name: name.into(),
                ..HookInfo::default()
            }),
            event: EventName::new(event),
            when: Matcher::all(),
            condition: None,
            role: HookRole::Decide,
            on_fault: OnFault::Continue,
            mode: Mode::Enforce,
            recheck,
            turn: Concurrency::Together,
            if_unsayable: RewriteFallback::Deny,
            deadline: None,
            wait: None,
            times: AskFrequency::Always,
            pace: WaitMode::Waited,
            only: None,
            speaks: None,
            sandbox: None,
            copied: None,
            handler,
        }
    }

    /// Names it.
    pub fn named(mut self, name: &str) -> Self {
        Arc::make_mut(&mut self.info).name = name.into();
        self
    }

    /// Says how long it may take. One that takes longer has failed.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Says what its own failure means.
    pub fn on_fault(mut self, rule: OnFault) -> Self {
        self.on_fault = rule;
        self
    }

    /// Asks it one time only: in a registry that of its registration, on the command line that of the session. An event
    /// that its handler passes over does not count.
    pub fn once(mut self) -> Self {
        self.times = AskFrequency::Once;
        self
    }

    /// Sets the priority; lower is asked earlier.
    pub fn priority(mut self, priority: i32) -> Self {
        Arc::make_mut(&mut self.info).priority = priority;
        self
    }

    /// Makes it a guard: its own failure refuses, and a rewrite of another hook brings it back.
    pub fn guard(mut self) -> Self {
        Arc::make_mut(&mut self.info).guard = true;
        self.on_fault = OnFault::Deny;
        self.recheck = Recheck::Yes;
        self
    }

    /// Asks it only about subjects that the matcher selects.
    pub fn when(mut self, matcher: Matcher) -> Self {
        Arc::make_mut(&mut self.info).matcher = Some(matcher.as_str().into());
        self.when = matcher;
        self
    }

    /// Makes it an observer: asked after the decision, and changing nothing.
    pub fn observing(mut self) -> Self {
        self.role = HookRole::Observe;
        self
    }

    /// Tries it out: asked and recorded, never applied.
    pub fn shadow(mut self) -> Self {
        Arc::make_mut(&mut self.info).shadow = true;
        self.mode = Mode::Shadow;
        self
    }

    /// Tells whether it is declared: carried out by a runner, not by code of this process.
    pub fn is_declared(&self) -> bool {
        matches!(self.handler, Handler::Declared(_))
    }

    /// Returns what a runner carries out; nothing for code of this process.
    pub fn action(&self) -> Option<&Action> {
        match &self.handler {
            Handler::Declared(action) => Some(action),
            Handler::InProcess(_) => None,
        }
    }

    /// Tells whether it is a rule: an answer that its file contains.
    pub fn is_rule(&self) -> bool {
        matches!(self.action(), Some(Action::Rule(_)))
    }

    /// Tells whether its verdict counts: it neither observes, nor is it in shadow mode.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use anyhook_core::hook::Hook;
    /// let hook = Hook::on("tool:pre", |_: &Event| ());
    /// assert!(hook.counts() && !hook.shadow().counts());
    /// ```
    pub fn counts(&self) -> bool {
        self.role == HookRole::Decide && self.mode == Mode::Enforce
    }

    /// Returns what its failure says about an event of this class; nothing where the failure is told, and no more. A stop is
    /// never refused by a failure, or the agent would never stop.
    ///
    /// ```
    /// use anyhook_core::dispatch::Strictness;
    /// use anyhook_core::event::Event;
    /// use anyhook_core::fault::{Fault, FaultKind};
    /// use anyhook_core::hook::Hook;
    /// use anyhook_core::result::{Kind, Verdict};
    /// use anyhook_core::taxonomy::Class;
    ///
    /// let guard = Hook::on("tool:pre", |_: &Event| ()).guard();
    /// let fault = Fault::new(FaultKind::Errored, "it cannot be read");
    /// let says = |class| guard.refusal(&fault, class, Strictness::Lenient);
    /// assert_eq!(says(Class::Gate).as_ref().map(Verdict::kind), Some(Kind::Deny));
    /// assert_eq!(says(Class::Continuation), None);
    /// ```
    pub fn refusal(&self, fault: &Fault, class: Class, strict: Strictness) -> Option<Verdict> {
        if !self.counts() {
            return None;
        }
        let is_gate = class == Class::Gate;
        let always = fault.kind.always_denies() || strict == Strictness::Strict;
        let text = format!(
            "the hook `{}` failed and its rule is to refuse then: {}. Tell the user.",
            self.info.name, fault.text
        );
        let reasons = [Reason::new(text)].into();
        match self.on_fault {
            OnFault::Halt => Some(Verdict::Halt { reasons }),
            OnFault::Deny if is_gate => Some(Verdict::Deny { reasons }),
            OnFault::Continue if is_gate && always => Some(Verdict::Deny { reasons }),
            // Where there is nothing to refuse, the failure itself is told.
            OnFault::Deny | OnFault::Continue => None,
        }
    }

    /// Tells whether and how it is asked about this event.
    #[inline]
    pub fn selects(&self, event: &Event) -> Hit {
        match &self.only {
            Some(only) if self.event.covers(&event.name) && !only.holds(event) => Hit::No,
            Some(_) | None => self.may_select(event),
        }
    }

    /// Tells the same of the event and of whatever a hook makes of its data: by its name and its subject, which stay.
    #[inline]
    pub fn may_select(&self, event: &Event) -> Hit {
        if self.event.covers(&event.name) {
            self.when.selects(event.subject().as_ref())
        } else {
            Hit::No
        }
    }

    /// Tells whether two declared hooks are one and the same, written twice. A registration is never merged.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.handler, &other.handler) {
            (Handler::Declared(a), Handler::Declared(b)) => {
                a == b
                    && self.event == other.event
                    && self.info.guard == other.info.guard
                    && self.on_fault == other.on_fault
                    && self.mode == other.mode
                    && self.role == other.role
                    && self.recheck == other.recheck
                    && self.if_unsayable == other.if_unsayable
                    && self.deadline == other.deadline
                    && self.wait == other.wait
                    && self.times == other.times
                    && self.pace == other.pace
                    && self.condition == other.condition
                    && self.only == other.only
                    && self.speaks == other.speaks
                    && self.sandbox == other.sandbox
            }
            (Handler::InProcess(_), _) | (_, Handler::InProcess(_)) => false,
        }
    }
}

/// The hooks of a registry, in the order in which they are asked: by priority, then as registered.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Hooks};
/// use anyhook_core::result::HookId;
///
/// let hook = |(name, at)| Hook::in_process("tool:pre", name, |_: &Event| ()).priority(at);
/// let hooks: Hooks = [("b", 0), ("c", 0), ("a", -1)].map(hook).into_iter().collect();
/// let names: Vec<&str> = hooks.list().iter().map(|hook| &*hook.info.name).collect();
/// assert_eq!(names, ["a", "b", "c"]);
/// assert_eq!(&*hooks.get(HookId(0)).unwrap().info.name, "a");
/// assert_eq!(hooks.roster().len(), 3);
/// let event = Event::new("tool:post", serde_json::json!({}));
/// assert!(hooks.selected(0, &event).is_err(), "they are hooks of another event");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Hooks {
    list: Vec<Arc<Hook>>,
    /// Made when a caller asks for it, so that a thousand registrations do not make a thousand lists.
    roster: OnceLock<Arc<[Arc<HookInfo>]>>,
    /// For each hook the nearest one before it that may be the same; made when a dispatch over a long list asks for it.
    alike: OnceLock<Arc<[Option<usize>]>>,
}

impl Hooks {
    /// Returns the hooks in order.
    pub fn list(&self) -> &[Arc<Hook>] {
        &self.list
    }

    /// Returns a hook.
    pub fn get(&self, id: HookId) -> Option<&Hook> {
        self.list.get(id.index()).map(Arc::as_ref)
    }

    /// Returns who the hooks are, for a report.
    pub fn roster(&self) -> &Arc<[Arc<HookInfo>]> {
        self.roster.get_or_init(|| {
            let infos = self.list.iter().map(|hook| Arc::clone(&hook.info));
            infos.collect()
        })
    }

    /// Tells how an event selects the hook at a place, or why that hook is passed over whatever it would say.
    #[inline]
    pub fn selected(&self, at: usize, event: &Event) -> Result<Hit, SkipReason> {
        let Some(hook) = self.list.get(at) else {
            return Err(SkipReason::OtherEvent);
        };
        match hook.selects(event) {
            Hit::No if hook.event.covers(&event.name) => Err(SkipReason::NoMatch),
            Hit::No => Err(SkipReason::OtherEvent),
            hit => self.same(at, hook, event).map_or(Ok(hit), |same| {
                let same = HookId::at(same);
                Err(SkipReason::Same(same))
            }),
        }
    }

    /// Finds the first of those before a hook that are the same, which is the one that is asked.
    fn same(&self, at: usize, hook: &Hook, event: &Event) -> Option<usize> {
        if !hook.is_declared() {
            return None;
        }
        let is_it = |before: &usize| {
            let other = self.list.get(*before);
            other.is_some_and(|other| other.is_same(hook) && other.selects(event) != Hit::No)
        };
        let alike = self.alike();
        let before = |at: &usize| alike.get(*at).copied().flatten();
        successors(before(&at), before).filter(is_it).last()
    }

    /// Finds for each hook the nearest one before it that may be the same, so that ten thousand are not compared with each other.
    fn alike(&self) -> &[Option<usize>] {
        self.alike.get_or_init(|| {
            let mut last = HashMap::new();
            let hooks = self.list.iter().enumerate();
            let before = hooks.map(|(at, hook)| {
                let action = hook.action()?;
                last.insert((action, &hook.event, &hook.condition), at)
            });
            before.collect()
        })
    }
}

impl FromIterator<Hook> for Hooks {
    fn from_iter<I: IntoIterator<Item = Hook>>(hooks: I) -> Self {
        hooks.into_iter().map(Arc::new).collect()
    }
}

impl FromIterator<Arc<Hook>> for Hooks {
    fn from_iter<I: IntoIterator<Item = Arc<Hook>>>(hooks: I) -> Self {
        let mut list: Vec<Arc<Hook>> = hooks.into_iter().collect();
        list.sort_by_key(|hook| hook.info.priority);
        Self {
            list,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Command;

    #[test]
    fn in_a_long_list_the_first_of_those_that_are_the_same_is_found_as_in_a_short_one() {
        let hooks: Hooks = (0..200)
            .map(|at: usize| {
                let command = Command {
                    command: format!("check {}", at % 7),
                    ..Command::default()
                };
                let event = ["tool:pre", "tool:*", "tool:post"][at % 3];
                let handler = Handler::Declared(Box::new(Action::Command(command)));
                let hook = Hook::new(event, &format!("h{at}"), handler);
                if at.is_multiple_of(5) {
                    hook.guard()
                } else {
                    hook
                }
            })
            .collect();
        let event = Event::new("tool:pre", serde_json::json!({}));
        // The second time all were compared before.
        for at in (0..hooks.list().len()).chain(0..hooks.list().len()) {
            let hook = &hooks.list()[at];
            let one_by_one = hooks.list()[..at]
                .iter()
                .position(|other| other.is_same(hook) && other.selects(&event) != Hit::No);
            assert_eq!(hooks.same(at, hook, &event), one_by_one, "{at}");
        }
    }
}
