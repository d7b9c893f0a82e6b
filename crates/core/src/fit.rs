//! Fitting a result to what a host can say.
//!
//! A host that cannot say something gets something graver, never something lighter, and the difference is a recorded
//! [`Loss`]. [`HookResult::fit`] is idempotent: what is fitted can be said.
//!
//! ```
//! use anyhook_core::fit::{Capabilities, Substitute, Loss, LossKind};
//! use anyhook_core::result::{HookResult, Kind};
//! use anyhook_core::taxonomy::Class;
//!
//! // This host understands a refusal and nothing else.
//! static DENIES: Capabilities = Capabilities { verdicts: &[Kind::Deny], ..Capabilities::NOTHING };
//!
//! let asked = HookResult::ask("push to `main`?").inject("the tests are red");
//! let (said, losses) = asked.fit(Class::Gate, &["tool_input"], &DENIES);
//! assert_eq!(said.verdict.kind(), Kind::Deny, "graver, never lighter");
//!
//! let lost: Vec<_> = losses.iter().map(|Loss { what, became, .. }| (what, became)).collect();
//! assert_eq!(lost, [
//!     (&LossKind::Verdict(Kind::Ask), &Substitute::Verdict(Kind::Deny)),
//!     (&LossKind::Injection, &Substitute::Notice),
//!     (&LossKind::Notice, &Substitute::Nothing),
//! ]);
//!
//! // What is fitted can be said.
//! assert_eq!(said.clone().fit(Class::Gate, &["tool_input"], &DENIES), (said, vec![]));
//! ```

mod corrected;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use crate::can::{
    Capabilities, Deferral, InjectionSupport, RewriteCoupling, TextCoupling, Visibility,
};
use crate::effects::{
    EffectLists, Injection, Level, Lifetime, Notice, Placement, Rewrite, RewriteFallback, Role,
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
    pub what: LossKind,
    /// What was said in its place.
    pub became: Substitute,
    /// The hook whose words they were, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
    /// The text itself, where it was not said: what became [`Substitute::Later`] waits in the outbox, the rest is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<UndeliveredText>,
}

/// What could not be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
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
    Place(Placement),
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
pub enum Substitute {
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
/// use anyhook_core::fit::{Capabilities, Substitute, Deferral, UndeliveredText};
/// use anyhook_core::result::HookResult;
/// use anyhook_core::taxonomy::Class;
///
/// // This event takes no text, and the next one may: the text waits for it.
/// static SILENT: Capabilities = Capabilities { later: Deferral::Outbox, ..Capabilities::NOTHING };
/// let (_, losses) =
///     HookResult::proceed().inject("two files changed").fit(Class::After, &[], &SILENT);
///
/// assert_eq!(losses[0].became, Substitute::Later);
/// let Some(UndeliveredText::Injection(waiting)) = &losses[0].text else { panic!() };
/// assert_eq!(&*waiting.text, "two files changed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UndeliveredText {
    /// A text for the model.
    Injection(Injection),
    /// A text for the person.
    Notice(Notice),
}

impl Loss {
    /// Makes the loss of something that no text is kept of.
    pub fn new(what: LossKind, became: Substitute, by: Option<HookId>) -> Self {
        Self {
            what,
            became,
            by,
            text: None,
        }
    }

    /// Makes the loss of a text that waits for a later event.
    pub fn later(text: UndeliveredText) -> Self {
        let (what, by) = match &text {
            UndeliveredText::Injection(injection) => (LossKind::Injection, injection.by),
            UndeliveredText::Notice(notice) => (LossKind::Notice, notice.by),
        };
        Self {
            text: Some(text),
            ..Self::new(what, Substitute::Later, by)
        }
    }

    /// Tells whether this is a halt that the session keeps: the host was not told to stop.
    ///
    /// ```
    /// use anyhook_core::fit::{Capabilities, Deferral, Loss};
    /// use anyhook_core::result::{HookResult, Kind};
    /// use anyhook_core::taxonomy::Class;
    ///
    /// // This gate knows a refusal and no halt: it is refused now, and what the agent does next as well.
    /// static DENIES: Capabilities = Capabilities { verdicts: &[Kind::Deny], later: Deferral::Outbox, ..Capabilities::NOTHING };
    /// let (said, losses) = HookResult::halt("the budget is spent").fit(Class::Gate, &[], &DENIES);
    /// assert_eq!(said.verdict.kind(), Kind::Deny);
    /// assert!(losses.iter().any(Loss::is_kept_halt));
    /// ```
    pub fn is_kept_halt(&self) -> bool {
        self.what == LossKind::Verdict(Kind::Halt) && self.became == Substitute::Later
    }
}

impl HookResult {
    /// Fits the result to an event of this class, with these fields that a host can be told about, on a host that can
    /// say this much. Nothing graver than Allow is softened where a gate can say Deny; each difference is a [`Loss`].
    pub fn fit(self, class: Class, mutable: &[&str], can: &Capabilities) -> (Self, Vec<Loss>) {
        let mut fitting = Fitter::begin(self, class, can);
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
    /// use anyhook_core::fit::{Substitute, LossKind};
    /// use anyhook_core::result::{HookResult, Kind};
    ///
    /// let odd = HookResult::proceed().modify("tool_input", serde_json::json!("rm"));
    /// let (said, losses) = odd.overlooked("tool_input", "the arguments are no object");
    /// assert_eq!((said.verdict.kind(), &*said.verdict.text()), (Kind::Deny, "the arguments are no object"));
    /// assert!(said.effects.patch().is_empty());
    /// assert_eq!((&losses[0].what, losses[0].became), (&LossKind::Rewrite("tool_input".into()), Substitute::Verdict(Kind::Deny)));
    /// ```
    pub fn overlooked(self, field: &str, why: &str) -> (Self, Vec<Loss>) {
        let mut fitting = Fitter::begin(self, Class::Gate, &Capabilities::NOTHING);
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

struct Fitter<'a> {
    class: Class,
    can: &'a Capabilities,
    verdict: Verdict,
    given: EffectLists,
    losses: Vec<Loss>,
}

impl<'a> Fitter<'a> {
    fn begin(said: HookResult, class: Class, can: &'a Capabilities) -> Self {
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

    fn lose(&mut self, what: LossKind, became: Substitute, by: Option<HookId>) {
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
            RewriteFallback::Deny => {
                let reasons = [reason].into();
                self.fold(Verdict::Deny { reasons });
                Substitute::Verdict(Kind::Deny)
            }
            RewriteFallback::Ask => {
                let what = "which cannot be done here. Go on with it unchanged?";
                let prompt = format!("A hook wants to change `{}`, {what}", rewrite.field);
                self.fold(asked(prompt, rewrite));
                Substitute::Verdict(Kind::Ask)
            }
            RewriteFallback::Drop => Substitute::Nothing,
        };
        self.lose(LossKind::Rewrite(rewrite.field.clone()), became, rewrite.by);
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
            if is_halt && self.can.later == Deferral::Outbox {
                self.lose(LossKind::Verdict(kind), Substitute::Later, by);
            }
            let unsayable = std::mem::take(&mut self.verdict);
            let became = self.step(unsayable);
            self.lose(LossKind::Verdict(kind), became, by);
        }
    }

    /// Tells whether an Allow is said because a rewrite comes with it.
    fn carries(&self, kind: Kind) -> bool {
        let has_rewrite = !self.given.patch.is_empty();
        kind == Kind::Allow && self.can.coupling == RewriteCoupling::Approval && has_rewrite
    }

    /// One step of the ladder.
    fn step(&mut self, verdict: Verdict) -> Substitute {
        let into_deny = self.class != Class::Notice && self.can.says(Kind::Deny);
        let stops = self.class == Class::Gate && self.can.says(Kind::Halt);
        match (verdict, self.class) {
            (Verdict::Continue | Verdict::Allow { .. }, _) => Substitute::Default,
            // A stop that is halted really stops.
            (Verdict::Halt { .. }, Class::Continuation) => Substitute::Verdict(Kind::Continue),
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
                Substitute::Notice
            }
            (Verdict::Deny { reasons } | Verdict::Halt { reasons }, _) => self.feedback(reasons),
        }
    }

    fn became(&mut self, verdict: Verdict) -> Substitute {
        self.verdict = verdict;
        Substitute::Verdict(self.verdict.kind())
    }

    /// A refusal that comes too late is still said: to the model, else to the person.
    fn feedback(&mut self, reasons: Reasons) -> Substitute {
        let Some(manner) = self.can.manner().filter(|_| self.class != Class::Notice) else {
            self.told(reasons);
            return Substitute::Notice;
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
        Substitute::Injection
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
            RewriteCoupling::Free => true,
            RewriteCoupling::Permission => matches!(kind, Kind::Allow | Kind::Ask),
            RewriteCoupling::Approval => kind == Kind::Allow,
        };
        if has_permission || self.is_refused() {
            return;
        }
        let Some(first) = self.given.patch.first().cloned() else {
            return;
        };
        let can_be_asked =
            self.can.coupling == RewriteCoupling::Permission && self.can.says(Kind::Ask);
        if self.class == Class::Gate && can_be_asked {
            let prompt = format!("A hook changed `{}`. Run the changed version?", first.field);
            self.verdict = asked(prompt, &first);
            self.lose(
                LossKind::BareRewrite,
                Substitute::Verdict(Kind::Ask),
                first.by,
            );
            return;
        }
        self.bare();
    }

    /// A bare rewrite about which no person can be asked cannot be said. Cosmetic ones are dropped.
    fn bare(&mut self) {
        let is_cosmetic = |rewrite: &mut Rewrite| rewrite.if_unsayable == RewriteFallback::Drop;
        let cosmetic = self.given.patch.extract_if(.., is_cosmetic).collect();
        self.drop_rewrites(cosmetic);
        for rewrite in &std::mem::take(&mut self.given.patch) {
            let reasons: Reasons = [corrected(rewrite)].into();
            let closes = self.can.says(Kind::Deny) || self.can.says(Kind::Halt);
            let became = if self.class == Class::Gate && closes {
                self.fold(Verdict::Deny { reasons });
                Substitute::Verdict(Kind::Deny)
            } else {
                self.feedback(reasons)
            };
            self.lose(LossKind::BareRewrite, became, rewrite.by);
            self.lose(LossKind::Rewrite(rewrite.field.clone()), became, rewrite.by);
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
            let what = LossKind::Rewrite(rewrite.field);
            self.lose(what, Substitute::Nothing, rewrite.by);
        }
    }

    fn is_refused(&self) -> bool {
        self.class == Class::Gate && self.verdict.kind() >= Kind::Deny
    }

    fn injections(&mut self) {
        let refused = self.is_refused();
        let is_alone = self.verdict.kind() == Kind::Continue && self.given.patch.is_empty();
        // A text would send on an agent that a hook lets stop for good.
        let is_halted = |loss: &Loss| loss.what == LossKind::Verdict(Kind::Halt);
        let stops = self.class == Class::Continuation && self.losses.iter().any(is_halted);
        let manner = self
            .can
            .manner()
            .filter(|_| !stops)
            .filter(|m| !refused || m.when_refused == Visibility::Yes)
            .filter(|_| is_alone || self.can.texts == TextCoupling::Beside);
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
    fn manner(&mut self, injection: &mut Injection, manner: &InjectionSupport) {
        let lost = [
            replaced(&mut injection.role, manner.roles).map(LossKind::Role),
            replaced(&mut injection.lifetime, manner.lifetimes).map(LossKind::Lifetime),
            replaced(&mut injection.place, manner.places).map(LossKind::Place),
        ];
        for what in lost.into_iter().flatten() {
            self.lose(what, Substitute::Injection, injection.by);
        }
    }

    fn undelivered(&mut self, injection: Injection) {
        let by = injection.by;
        match self.can.later {
            Deferral::Outbox => {
                let text = UndeliveredText::Injection(injection);
                self.losses.push(Loss::later(text));
            }
            Deferral::Never => {
                self.lose(LossKind::Injection, Substitute::Notice, by);
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
                let what = LossKind::Native(native.wire);
                self.lose(what, Substitute::Nothing, native.by);
            }
        }
    }

    fn notices(&mut self) {
        if self.can.notify == Visibility::Yes {
            return;
        }
        let became = match self.can.later {
            Deferral::Outbox => Substitute::Later,
            Deferral::Never => Substitute::Nothing,
        };
        for notice in std::mem::take(&mut self.given.notify) {
            self.losses.push(Loss {
                became,
                ..Loss::later(UndeliveredText::Notice(notice))
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
