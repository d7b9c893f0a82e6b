//! Fitting a result to what a host can say.
//!
//! A host that cannot say something gets something graver, never something lighter, and the difference is a recorded
//! [`Loss`]. [`HookResult::fit`] is idempotent: what is fitted can be said.
//!
//! ```
//! use anyhook_core::fit::{Can, Instead, Loss, Lost};
//! use anyhook_core::result::{HookResult, Kind};
//! use anyhook_core::taxonomy::Class;
//!
//! // This host understands a refusal and nothing else.
//! static DENIES: Can = Can { verdicts: &[Kind::Deny], ..Can::NOTHING };
//!
//! let asked = HookResult::ask("push to `main`?").inject("the tests are red");
//! let (said, losses) = asked.fit(Class::Gate, &["tool_input"], &DENIES);
//! assert_eq!(said.verdict.kind(), Kind::Deny, "graver, never lighter");
//!
//! let lost: Vec<_> = losses.iter().map(|Loss { what, became, .. }| (what, became)).collect();
//! assert_eq!(lost, [
//!     (&Lost::Verdict(Kind::Ask), &Instead::Verdict(Kind::Deny)),
//!     (&Lost::Injection, &Instead::Notice),
//!     (&Lost::Notice, &Instead::Nothing),
//! ]);
//!
//! // What is fitted can be said.
//! assert_eq!(said.clone().fit(Class::Gate, &["tool_input"], &DENIES), (said, vec![]));
//! ```

mod corrected;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use crate::can::{Can, Coupling, Later, Manner, Shown, Texts};
use crate::effects::{
    Given, IfUnsayable, Injection, Level, Lifetime, Notice, Placing, Rewrite, Role,
};
use crate::question::Question;
use crate::result::{HookId, HookResult, Kind, Reason, Reasons, Verdict};
use crate::taxonomy::Class;
pub use corrected::corrected;

/// One difference between what was asked and what was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loss {
    /// What could not be said.
    pub what: Lost,
    /// What was said in its place.
    pub became: Instead,
    /// The hook whose words they were, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
    /// The text itself, where it was not said: what became [`Instead::Later`] waits in the outbox, the rest is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Undelivered>,
}

/// What could not be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// A verdict.
    Verdict(Kind),
    /// A rewrite of this field.
    Rewrite(Cow<'static, str>),
    /// A rewrite without a permission.
    BareRewrite,
    /// A text for the model.
    Injection,
    /// An injection's role.
    Role(Role),
    /// An injection's lifetime.
    Lifetime(Lifetime),
    /// An injection's place.
    Place(Placing),
    /// An injection's length: so many bytes were more than the limit.
    Length(usize),
    /// A text for the person.
    Notice,
    /// An answer of this host.
    Native(Cow<'static, str>),
    /// A mark of this name: nothing is remembered of the session.
    Mark(Cow<'static, str>),
    /// A part of what a snapshot was to keep, in words.
    Snapshot(Cow<'static, str>),
}

/// What was said in the place of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Instead {
    /// A verdict of this kind.
    Verdict(Kind),
    /// A text for the model.
    Injection,
    /// A text for the person.
    Notice,
    /// It waits for the session's next event that can say it. A halt is kept: the session's next event that can be refused
    /// is refused.
    Later,
    /// Whatever the host does by default.
    Default,
    /// Nothing.
    Nothing,
}

/// A text that was not said.
///
/// ```
/// use anyhook_core::fit::{Can, Instead, Later, Undelivered};
/// use anyhook_core::result::HookResult;
/// use anyhook_core::taxonomy::Class;
///
/// // This event takes no text, and the next one may: the text waits for it.
/// static SILENT: Can = Can { later: Later::Outbox, ..Can::NOTHING };
/// let (_, losses) =
///     HookResult::proceed().inject("two files changed").fit(Class::After, &[], &SILENT);
///
/// assert_eq!(losses[0].became, Instead::Later);
/// let Some(Undelivered::Injection(waiting)) = &losses[0].text else { panic!() };
/// assert_eq!(&*waiting.text, "two files changed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Undelivered {
    /// A text for the model.
    Injection(Injection),
    /// A text for the person.
    Notice(Notice),
}

impl Loss {
    /// Makes the loss of something that no text is kept of.
    pub fn new(what: Lost, became: Instead, by: Option<HookId>) -> Self {
        Self {
            what,
            became,
            by,
            text: None,
        }
    }

    /// Makes the loss of a text that waits for a later event.
    pub fn later(text: Undelivered) -> Self {
        let (what, by) = match &text {
            Undelivered::Injection(injection) => (Lost::Injection, injection.by),
            Undelivered::Notice(notice) => (Lost::Notice, notice.by),
        };
        Self {
            text: Some(text),
            ..Self::new(what, Instead::Later, by)
        }
    }

    /// Tells whether this is a halt that the session keeps: the host was not told to stop.
    ///
    /// ```
    /// use anyhook_core::fit::{Can, Later, Loss};
    /// use anyhook_core::result::{HookResult, Kind};
    /// use anyhook_core::taxonomy::Class;
    ///
    /// // This gate knows a refusal and no halt: it is refused now, and what the agent does next as well.
    /// static DENIES: Can = Can { verdicts: &[Kind::Deny], later: Later::Outbox, ..Can::NOTHING };
    /// let (said, losses) = HookResult::halt("the budget is spent").fit(Class::Gate, &[], &DENIES);
    /// assert_eq!(said.verdict.kind(), Kind::Deny);
    /// assert!(losses.iter().any(Loss::is_kept_halt));
    /// ```
    pub fn is_kept_halt(&self) -> bool {
        self.what == Lost::Verdict(Kind::Halt) && self.became == Instead::Later
    }
}

impl HookResult {
    /// Fits the result to an event of this class, with these fields that a host can be told about, on a host that can
    /// say this much. Nothing graver than Allow is softened where a gate can say Deny; each difference is a [`Loss`].
    pub fn fit(self, class: Class, mutable: &[&str], can: &Can) -> (Self, Vec<Loss>) {
        let mut fitting = Fitting::begin(self, class, can);
        // Other fields changed in process only: nothing is said about them, and nothing lost.
        let heard = |rewrite: &Rewrite| mutable.contains(&&*rewrite.field);
        fitting.given.patch.retain(heard);
        fitting.given.last_of_each();
        fitting.moot();
        fitting.rewrites();
        fitting.verdict();
        fitting.coupling();
        fitting.moot();
        fitting.injections();
        fitting.natives();
        fitting.notices();
        fitting.end()
    }

    /// Takes back what hooks made of a field, which the host would overlook as it is: it becomes what a rewrite that cannot
    /// be said becomes, a refusal for this reason unless its hook said otherwise.
    ///
    /// ```
    /// use anyhook_core::fit::{Instead, Lost};
    /// use anyhook_core::result::{HookResult, Kind};
    ///
    /// let odd = HookResult::proceed().modify("tool_input", serde_json::json!("rm"));
    /// let (said, losses) = odd.overlooked("tool_input", "the arguments are no object");
    /// assert_eq!((said.verdict.kind(), &*said.verdict.text()), (Kind::Deny, "the arguments are no object"));
    /// assert!(said.effects.patch().is_empty());
    /// assert_eq!((&losses[0].what, losses[0].became), (&Lost::Rewrite("tool_input".into()), Instead::Verdict(Kind::Deny)));
    /// ```
    pub fn overlooked(self, field: &str, why: &str) -> (Self, Vec<Loss>) {
        let mut fitting = Fitting::begin(self, Class::Gate, &Can::NOTHING);
        let is_it = |rewrite: &mut Rewrite| rewrite.field == field;
        if let Some(last) = fitting.given.patch.extract_if(.., is_it).last() {
            let reason = Reason {
                by: last.by,
                ..Reason::new(why)
            };
            fitting.unsayable(&last, reason);
        }
        fitting.end()
    }
}

struct Fitting<'a> {
    class: Class,
    can: &'a Can,
    verdict: Verdict,
    given: Given,
    losses: Vec<Loss>,
}

impl<'a> Fitting<'a> {
    fn begin(said: HookResult, class: Class, can: &'a Can) -> Self {
        Self {
            class,
            can,
            verdict: said.verdict,
            given: said.effects.into(),
            losses: Vec::new(),
        }
    }

    fn end(self) -> (HookResult, Vec<Loss>) {
        let (verdict, effects) = (self.verdict, self.given.into());
        (HookResult { verdict, effects }, self.losses)
    }

    fn lose(&mut self, what: Lost, became: Instead, by: Option<HookId>) {
        self.losses.push(Loss::new(what, became, by));
    }

    fn fold(&mut self, verdict: Verdict) {
        self.verdict = std::mem::take(&mut self.verdict).then(verdict);
    }

    /// A rewrite that the host cannot be told becomes something graver.
    fn rewrites(&mut self) {
        for rewrite in std::mem::take(&mut self.given.patch) {
            if self.can.rewrite.contains(&&*rewrite.field) && rewrite.value.is_some() {
                self.given.patch.push(rewrite);
            } else {
                self.unsayable(&rewrite, corrected(&rewrite));
            }
        }
    }

    fn unsayable(&mut self, rewrite: &Rewrite, reason: Reason) {
        let became = match rewrite.if_unsayable {
            IfUnsayable::Deny => {
                let reasons = [reason].into();
                self.fold(Verdict::Deny { reasons });
                Instead::Verdict(Kind::Deny)
            }
            IfUnsayable::Ask => {
                let what = "which cannot be done here. Go on with it unchanged?";
                let prompt = format!("A hook wants to change `{}`, {what}", rewrite.field);
                self.fold(asked(prompt, rewrite));
                Instead::Verdict(Kind::Ask)
            }
            IfUnsayable::Drop => Instead::Nothing,
        };
        self.lose(Lost::Rewrite(rewrite.field.clone()), became, rewrite.by);
    }

    /// Walks the verdict down the ladder of its class until the host can say it. A halt that it does not hear is kept for
    /// the session besides, where something is remembered of it: the agent goes on now, and not for long.
    fn verdict(&mut self) {
        loop {
            let verdict = &self.verdict;
            let kind = verdict.kind();
            if self.can.says(kind) || self.carries(kind) {
                return;
            }
            let by = verdict.reasons().first().map_or_else(
                || verdict.questions().first().and_then(|question| question.by),
                |reason| reason.by,
            );
            let is_halt = kind == Kind::Halt && self.class != Class::Continuation;
            if is_halt && self.can.later == Later::Outbox {
                self.lose(Lost::Verdict(kind), Instead::Later, by);
            }
            let unsayable = std::mem::take(&mut self.verdict);
            let became = self.step(unsayable);
            self.lose(Lost::Verdict(kind), became, by);
        }
    }

    /// Tells whether an Allow is said because a rewrite comes with it.
    fn carries(&self, kind: Kind) -> bool {
        let has_rewrite = !self.given.patch.is_empty();
        kind == Kind::Allow && self.can.coupling == Coupling::Approval && has_rewrite
    }

    /// One step of the ladder.
    fn step(&mut self, verdict: Verdict) -> Instead {
        let into_deny = self.class != Class::Notice && self.can.says(Kind::Deny);
        let stops = self.class == Class::Gate && self.can.says(Kind::Halt);
        match (verdict, self.class) {
            (Verdict::Continue | Verdict::Allow { .. }, _) => Instead::Default,
            // A stop that is halted really stops.
            (Verdict::Halt { .. }, Class::Continuation) => Instead::Verdict(Kind::Continue),
            (Verdict::Halt { reasons }, _) if into_deny => self.became(Verdict::Deny { reasons }),
            // A gate that knows no refusal is still closed where it knows a halt.
            (Verdict::Deny { reasons }, Class::Gate) if stops => {
                self.became(Verdict::Halt { reasons })
            }
            (Verdict::Ask { questions }, Class::Gate | Class::Continuation)
                if into_deny || stops =>
            {
                let reasons = questions.iter().map(unasked).collect();
                self.became(Verdict::Deny { reasons })
            }
            (Verdict::Ask { questions }, _) => {
                self.told(questions.iter().map(unasked).collect());
                Instead::Notice
            }
            (Verdict::Deny { reasons } | Verdict::Halt { reasons }, _) => self.feedback(reasons),
        }
    }

    fn became(&mut self, verdict: Verdict) -> Instead {
        self.verdict = verdict;
        Instead::Verdict(self.verdict.kind())
    }

    /// A refusal that comes too late is still said: to the model, else to the person.
    fn feedback(&mut self, reasons: Reasons) -> Instead {
        let Some(manner) = self.can.manner().filter(|_| self.class != Class::Notice) else {
            self.told(reasons);
            return Instead::Notice;
        };
        for reason in reasons {
            self.given.inject.push(Injection {
                role: manner.roles.first().copied().unwrap_or_default(),
                lifetime: manner.lifetimes.first().copied().unwrap_or_default(),
                place: manner.places.first().copied().unwrap_or_default(),
                by: reason.by,
                ..Injection::new(reason.text)
            });
        }
        Instead::Injection
    }

    fn told(&mut self, reasons: Reasons) {
        for reason in reasons {
            self.given.notify.push(Notice {
                level: Level::Warning,
                by: reason.by,
                ..Notice::new(reason.text)
            });
        }
    }

    /// Where a rewrite is coupled with a permission, a bare one never becomes an approval: on a gate it is asked about,
    /// else it is refused; where nothing can be refused, its corrected value is only told.
    fn coupling(&mut self) {
        let kind = self.verdict.kind();
        let has_permission = match self.can.coupling {
            Coupling::Free => true,
            Coupling::Permission => matches!(kind, Kind::Allow | Kind::Ask),
            Coupling::Approval => kind == Kind::Allow,
        };
        if has_permission || self.is_refused() {
            return;
        }
        let Some(first) = self.given.patch.first().cloned() else {
            return;
        };
        let can_be_asked = self.can.coupling == Coupling::Permission && self.can.says(Kind::Ask);
        if self.class == Class::Gate && can_be_asked {
            let prompt = format!("A hook changed `{}`. Run the changed version?", first.field);
            self.verdict = asked(prompt, &first);
            self.lose(Lost::BareRewrite, Instead::Verdict(Kind::Ask), first.by);
            return;
        }
        self.bare();
    }

    /// A bare rewrite about which no person can be asked cannot be said. Cosmetic ones are dropped.
    fn bare(&mut self) {
        let is_cosmetic = |rewrite: &mut Rewrite| rewrite.if_unsayable == IfUnsayable::Drop;
        let cosmetic = self.given.patch.extract_if(.., is_cosmetic).collect();
        self.drop_rewrites(cosmetic);
        for rewrite in &std::mem::take(&mut self.given.patch) {
            let reasons: Reasons = [corrected(rewrite)].into();
            let closes = self.can.says(Kind::Deny) || self.can.says(Kind::Halt);
            let became = if self.class == Class::Gate && closes {
                self.fold(Verdict::Deny { reasons });
                Instead::Verdict(Kind::Deny)
            } else {
                self.feedback(reasons)
            };
            self.lose(Lost::BareRewrite, became, rewrite.by);
            self.lose(Lost::Rewrite(rewrite.field.clone()), became, rewrite.by);
        }
        self.verdict();
    }

    /// A refused action is not run, so nothing is said about what it would have been changed to.
    fn moot(&mut self) {
        if self.is_refused() {
            let patch = std::mem::take(&mut self.given.patch);
            self.drop_rewrites(patch);
        }
    }

    fn drop_rewrites(&mut self, patch: Vec<Rewrite>) {
        for rewrite in patch {
            self.lose(Lost::Rewrite(rewrite.field), Instead::Nothing, rewrite.by);
        }
    }

    fn is_refused(&self) -> bool {
        self.class == Class::Gate && self.verdict.kind() >= Kind::Deny
    }

    fn injections(&mut self) {
        let refused = self.is_refused();
        let is_alone = self.verdict.kind() == Kind::Continue && self.given.patch.is_empty();
        // A text would send on an agent that a hook lets stop for good.
        let is_halted = |loss: &Loss| loss.what == Lost::Verdict(Kind::Halt);
        let stops = self.class == Class::Continuation && self.losses.iter().any(is_halted);
        let manner = self
            .can
            .manner()
            .filter(|_| !stops)
            .filter(|m| !refused || m.when_refused == Shown::Yes)
            .filter(|_| is_alone || self.can.texts == Texts::Beside);
        for mut injection in std::mem::take(&mut self.given.inject) {
            if let Some(manner) = manner {
                self.manner(&mut injection, manner);
                self.given.inject.push(injection);
            } else {
                self.undelivered(injection);
            }
        }
    }

    /// An unsayable role, lifetime or place is a loss of that name; the text is still said.
    fn manner(&mut self, injection: &mut Injection, manner: &Manner) {
        let lost = [
            replaced(&mut injection.role, manner.roles).map(Lost::Role),
            replaced(&mut injection.lifetime, manner.lifetimes).map(Lost::Lifetime),
            replaced(&mut injection.place, manner.places).map(Lost::Place),
        ];
        for what in lost.into_iter().flatten() {
            self.lose(what, Instead::Injection, injection.by);
        }
    }

    fn undelivered(&mut self, injection: Injection) {
        let by = injection.by;
        match self.can.later {
            Later::Outbox => {
                let text = Undelivered::Injection(injection);
                self.losses.push(Loss::later(text));
            }
            Later::Never => {
                self.lose(Lost::Injection, Instead::Notice, by);
                let notice = Notice::new(injection.text);
                self.given.notify.push(Notice { by, ..notice });
            }
        }
    }

    fn natives(&mut self) {
        for native in std::mem::take(&mut self.given.native) {
            if self.can.native.contains(&&*native.wire) {
                self.given.native.push(native);
            } else {
                self.lose(Lost::Native(native.wire), Instead::Nothing, native.by);
            }
        }
    }

    fn notices(&mut self) {
        if self.can.notify == Shown::Yes {
            return;
        }
        let became = match self.can.later {
            Later::Outbox => Instead::Later,
            Later::Never => Instead::Nothing,
        };
        for notice in std::mem::take(&mut self.given.notify) {
            self.losses.push(Loss {
                became,
                ..Loss::later(Undelivered::Notice(notice))
            });
        }
    }
}

/// Makes the first that can be said of what cannot, and returns what could not.
fn replaced<T: Copy + Default + PartialEq>(said: &mut T, known: &[T]) -> Option<T> {
    let first = known.first().copied().unwrap_or_default();
    (!known.contains(said)).then(|| std::mem::replace(said, first))
}

/// The reason of a question that could not be put.
fn unasked(question: &Question) -> Reason {
    let text = "A person has to approve this, and no person could be asked here";
    Reason {
        by: question.by,
        ..Reason::new(format!("{text}: {}", question.prompt))
    }
}

/// The question about a rewrite, in the name of its hook.
fn asked(prompt: String, rewrite: &Rewrite) -> Verdict {
    let by = rewrite.by;
    let question = Question::new(prompt);
    Verdict::Ask {
        questions: [Question { by, ..question }].into(),
    }
}
