//! What is fitted can be said, nothing is softened, and nothing is lost in silence.

use anyhook_core::can::{
    Capabilities, Deferral, InjectionSupport, RewriteCoupling, TextCoupling, Visibility,
};
use anyhook_core::effects::{Lifetime, Placement, Role};
use anyhook_core::fit::{Loss, LossKind, Substitute, UndeliveredText};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{any, config};

/// Every part of a list, in its order.
fn parts<T: Clone>(all: &[T]) -> Vec<&'static [T]> {
    let part = |number: usize| {
        let of_part = |(at, one): (usize, &T)| (number >> at & 1 == 1).then(|| one.clone());
        let part: Vec<T> = all.iter().enumerate().filter_map(of_part).collect();
        &*part.leak()
    };
    (0..1 << all.len()).map(part).collect()
}

const VERDICTS: [Kind; 4] = [Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt];
const FIELDS: [&str; 2] = ["tool_input", "tool_result"];
const ROLES: [Role; 3] = [Role::User, Role::System, Role::Assistant];
const LIFETIMES: [Lifetime; 2] = [Lifetime::Stored, Lifetime::Ephemeral];
const PLACES: [Placement; 2] = [Placement::Message, Placement::LastToolResult];
const WIRES: &[&[&str]] = &[&[], &["claude-code"], &["codex", "claude-code"]];
const CLASSES: [Class; 4] = [
    Class::Gate,
    Class::Continuation,
    Class::After,
    Class::Notice,
];

fn shown() -> impl Strategy<Value = Visibility> {
    select(vec![Visibility::Yes, Visibility::No])
}

prop_compose! {
    fn manner()(
        roles in select(parts(&ROLES)),
        lifetimes in select(parts(&LIFETIMES)),
        places in select(parts(&PLACES)),
        when_refused in shown(),
    ) -> InjectionSupport {
        InjectionSupport { roles, lifetimes, places, when_refused }
    }
}

prop_compose! {
    fn can()(
        verdicts in select(parts(&VERDICTS)),
        rewrite in select(parts(&FIELDS)),
        coupling in select(vec![RewriteCoupling::Free, RewriteCoupling::Permission, RewriteCoupling::Approval]),
        inject in proptest::option::of(manner()),
        notify in shown(),
        native in select(WIRES),
        later in select(vec![Deferral::Outbox, Deferral::Never]),
        texts in select(vec![TextCoupling::Beside, TextCoupling::Alone]),
    ) -> Capabilities {
        Capabilities { verdicts, rewrite, coupling, inject, notify, native, later, texts }
    }
}

/// One fitting: what was asked, of what, and what came out.
#[derive(Debug, Clone)]
struct Case {
    class: Class,
    mutable: &'static [&'static str],
    can: Capabilities,
    asked: HookResult,
    said: HookResult,
    losses: Vec<Loss>,
}

prop_compose! {
    fn case()(
        class in select(CLASSES.to_vec()),
        mutable in select(parts(&FIELDS)),
        can in can(),
        asked in any::result(),
    ) -> Case {
        let asked = told_apart(asked);
        let (said, losses) = asked.clone().fit(class, mutable, &can);
        Case { class, mutable, can, asked, said, losses }
    }
}

/// Gives every text a name of its own, so that what became of it can be followed.
fn told_apart(mut result: HookResult) -> HookResult {
    match &mut result.verdict {
        Verdict::Continue => {}
        Verdict::Allow { reasons } | Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
            for (at, reason) in reasons.iter_mut().enumerate() {
                reason.text = format!("reason {at}").into();
            }
        }
        Verdict::Ask { questions } => {
            for (at, question) in questions.iter_mut().enumerate() {
                question.prompt = format!("question {at}").into();
            }
        }
    }
    if !result.effects.is_empty() {
        let given = result.effects.edit();
        for (at, injection) in given.inject.iter_mut().enumerate() {
            injection.text = format!("injection {at}").into();
        }
        for (at, notice) in given.notify.iter_mut().enumerate() {
            notice.text = format!("notice {at}").into();
        }
    }
    result
}

impl Case {
    fn lost(&self, what: &LossKind) -> usize {
        self.losses.iter().filter(|loss| loss.what == *what).count()
    }

    fn kinds(&self) -> (Kind, Kind) {
        (self.asked.verdict.kind(), self.said.verdict.kind())
    }

    fn can_inject(&self) -> Option<InjectionSupport> {
        self.can
            .inject
            .filter(|m| !m.roles.is_empty() && !m.lifetimes.is_empty() && !m.places.is_empty())
    }

    /// Every text that a person or a model will read, or that is kept in a loss.
    fn texts(&self) -> Vec<&str> {
        let effects = &self.said.effects;
        let injected = effects.inject().iter().map(|i| &*i.text);
        let told = effects.notify().iter().map(|n| &*n.text);
        let kept = self.losses.iter().filter_map(|loss| match &loss.text {
            Some(UndeliveredText::Injection(injection)) => Some(&*injection.text),
            Some(UndeliveredText::Notice(notice)) => Some(&*notice.text),
            None => None,
        });
        injected.chain(told).chain(kept).collect()
    }

    /// Names every difference between what was asked and what was said that no loss accounts for.
    fn unaccounted(&self) -> Vec<String> {
        let mut missing = Vec::new();
        self.differs_in_verdict(&mut missing);
        self.differs_in_rewrites(&mut missing);
        self.differs_in_injections(&mut missing);
        self.differs_in_notices(&mut missing);
        self.differs_in_natives(&mut missing);
        missing
    }

    fn differs_in_verdict(&self, missing: &mut Vec<String>) {
        let (asked, said) = self.kinds();
        let by_verdict = self.lost(&LossKind::Verdict(asked)) > 0;
        let by_rewrite = self.losses.iter().any(|loss| {
            matches!(loss.what, LossKind::Rewrite(_) | LossKind::BareRewrite)
                && matches!(loss.became, Substitute::Verdict(_))
        });
        if asked != said && !by_verdict && !by_rewrite {
            missing.push(format!("verdict {asked:?} became {said:?}"));
        }
    }

    fn differs_in_rewrites(&self, missing: &mut Vec<String>) {
        for field in self.mutable {
            let last = |result: &HookResult| {
                let mut of_field = result.effects.patch().iter().filter(|r| r.field == *field);
                of_field.next_back().map(|r| r.value.clone())
            };
            let losses = self.lost(&LossKind::Rewrite((*field).into()));
            if last(&self.asked) != last(&self.said) && losses == 0 {
                missing.push(format!("rewrite of {field}"));
            }
        }
    }

    fn differs_in_injections(&self, missing: &mut Vec<String>) {
        for asked in self.asked.effects.inject() {
            let by = |what: &LossKind| {
                self.losses
                    .iter()
                    .any(|l| l.what == *what && l.by == asked.by)
            };
            let said = self
                .said
                .effects
                .inject()
                .iter()
                .find(|i| i.text == asked.text);
            let Some(said) = said else {
                if !by(&LossKind::Injection) {
                    missing.push(format!("{asked:?}"));
                }
                continue;
            };
            let role = said.role == asked.role || by(&LossKind::Role(asked.role));
            let lifetime =
                said.lifetime == asked.lifetime || by(&LossKind::Lifetime(asked.lifetime));
            let place = said.place == asked.place || by(&LossKind::Place(asked.place));
            let rest = said.name == asked.name && said.by == asked.by;
            if !(role && lifetime && place && rest) {
                missing.push(format!("{asked:?} became {said:?}"));
            }
        }
        let new = self.said.effects.inject().iter().any(|said| {
            !self
                .asked
                .effects
                .inject()
                .iter()
                .any(|asked| asked.text == said.text)
        });
        if new
            && !self
                .losses
                .iter()
                .any(|loss| loss.became == Substitute::Injection)
        {
            missing.push("an injection that no hook asked for".into());
        }
    }

    fn differs_in_notices(&self, missing: &mut Vec<String>) {
        let said = self.said.effects.notify();
        for asked in self.asked.effects.notify() {
            if !said.contains(asked) && self.lost(&LossKind::Notice) == 0 {
                missing.push(format!("{asked:?}"));
            }
        }
        let new = said
            .iter()
            .any(|said| !self.asked.effects.notify().contains(said));
        if new
            && !self
                .losses
                .iter()
                .any(|loss| loss.became == Substitute::Notice)
        {
            missing.push("a notice that no hook asked for".into());
        }
    }

    fn differs_in_natives(&self, missing: &mut Vec<String>) {
        let count = |result: &HookResult, wire: &str| {
            result
                .effects
                .native()
                .iter()
                .filter(|n| n.wire == wire)
                .count()
        };
        for wire in ["claude-code", "codex"] {
            let lost = self.lost(&LossKind::Native(wire.into()));
            if count(&self.asked, wire) != count(&self.said, wire) + lost {
                missing.push(format!("native answers of {wire}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn fit_is_idempotent(case in case()) {
        let (again, losses) = case.said.clone().fit(case.class, case.mutable, &case.can);
        prop_assert_eq!(again, case.said);
        prop_assert_eq!(losses, vec![]);
    }

    #[test]
    fn what_is_fitted_can_be_said(case in case()) {
        let (can, effects) = (&case.can, &case.said.effects);
        let kind = case.said.verdict.kind();
        let is_carried = kind == Kind::Allow && can.coupling == RewriteCoupling::Approval && !effects.patch().is_empty();
        prop_assert!(can.says(kind) || is_carried);
        for rewrite in effects.patch() {
            prop_assert!(can.rewrite.contains(&&*rewrite.field), "{rewrite:?}");
            prop_assert!(case.mutable.contains(&&*rewrite.field), "{rewrite:?}");
            prop_assert!(rewrite.value.is_some(), "{rewrite:?}");
        }
        if !effects.patch().is_empty() {
            let carriers: &[Kind] = match can.coupling {
                RewriteCoupling::Free => &[kind],
                RewriteCoupling::Permission => &[Kind::Allow, Kind::Ask],
                RewriteCoupling::Approval => &[Kind::Allow],
            };
            prop_assert!(carriers.contains(&kind));
        }
        let refused = case.class == Class::Gate && case.said.verdict.kind() >= Kind::Deny;
        for injection in effects.inject() {
            let manner = case.can_inject();
            prop_assert!(manner.is_some_and(|m| m.roles.contains(&injection.role)
                && m.lifetimes.contains(&injection.lifetime)
                && m.places.contains(&injection.place)
                && (!refused || m.when_refused == Visibility::Yes)), "{injection:?}");
        }
        let is_alone = kind == Kind::Continue && effects.patch().is_empty();
        prop_assert!(is_alone || can.texts == TextCoupling::Beside || effects.inject().is_empty());
        prop_assert!(can.notify == Visibility::Yes || effects.notify().is_empty());
        for native in effects.native() {
            prop_assert!(can.native.contains(&&*native.wire), "{native:?}");
        }
    }

    #[test]
    fn where_a_gate_can_say_deny_nothing_graver_than_allow_is_softened(case in case()) {
        let (asked, said) = case.kinds();
        if case.class == Class::Gate && case.can.says(Kind::Deny) {
            prop_assert!(asked < Kind::Ask || said >= Kind::Ask);
            prop_assert!(asked < Kind::Deny || said >= Kind::Deny);
        }
    }

    #[test]
    fn where_a_gate_knows_a_halt_and_no_refusal_what_is_refused_halts(case in case()) {
        let (asked, said) = case.kinds();
        let halts = case.can.says(Kind::Halt) && !case.can.says(Kind::Deny);
        if case.class == Class::Gate && halts {
            prop_assert!(asked < Kind::Deny || said == Kind::Halt);
            prop_assert!(asked != Kind::Ask || said == Kind::Halt || case.can.says(Kind::Ask));
        }
    }

    #[test]
    fn nothing_becomes_an_approval_that_was_not_given(case in case()) {
        let (asked, said) = case.kinds();
        prop_assert!(said != Kind::Allow || asked == Kind::Allow);
    }

    #[test]
    fn a_rewrite_of_a_refused_action_is_not_said(case in case()) {
        if case.class == Class::Gate && case.said.verdict.kind() >= Kind::Deny {
            prop_assert_eq!(case.said.effects.patch(), &[]);
        }
    }

    #[test]
    fn on_a_continuation_a_halt_never_becomes_a_refusal(case in case()) {
        let (asked, said) = case.kinds();
        if case.class == Class::Continuation && asked == Kind::Halt {
            prop_assert!(matches!(said, Kind::Halt | Kind::Continue));
            prop_assert!(said == Kind::Halt || case.said.effects.inject().is_empty(), "a text sends it on");
        }
    }

    #[test]
    fn a_halt_is_said_or_the_session_keeps_it_and_nothing_else_is_kept(case in case()) {
        let (asked, said) = case.kinds();
        let unsaid = asked == Kind::Halt && !case.can.says(Kind::Halt);
        let keeps = unsaid && case.class != Class::Continuation && case.can.later == Deferral::Outbox;
        let kept = case.losses.iter().filter(|loss| loss.is_kept_halt()).count();
        prop_assert_eq!(kept, usize::from(keeps));
        prop_assert!(kept == 0 || said != Kind::Halt);
    }

    #[test]
    fn on_a_notice_that_cannot_be_answered_everything_becomes_a_notice(
        asked in any::result(),
        later in select(vec![Deferral::Outbox, Deferral::Never]),
    ) {
        let asked = told_apart(asked);
        let can = Capabilities { notify: Visibility::Yes, later, ..Capabilities::NOTHING };
        let (said, losses) = asked.clone().fit(Class::Notice, &[], &can);
        prop_assert_eq!(&said.verdict, &Verdict::Continue);
        prop_assert_eq!(said.effects.inject(), &[]);
        let told: Vec<&str> = said.effects.notify().iter().map(|n| &*n.text).collect();
        if asked.verdict.kind() >= Kind::Deny {
            for reason in asked.verdict.reasons() {
                prop_assert!(told.contains(&&*reason.text));
            }
        }
        for question in asked.verdict.questions() {
            prop_assert!(told.iter().any(|text| text.contains(&*question.prompt)));
        }
        let waiting = losses.iter().filter(|l| l.what == LossKind::Injection && l.became == Substitute::Later).count();
        let injections = asked.effects.inject();
        prop_assert_eq!(waiting, if later == Deferral::Outbox { injections.len() } else { 0 });
        let turned = injections.iter().filter(|i| told.contains(&&*i.text)).count();
        prop_assert_eq!(turned, injections.len() - waiting);
    }

    #[test]
    fn every_difference_is_a_loss(case in case()) {
        prop_assert_eq!(case.unaccounted(), Vec::<String>::new());
    }

    #[test]
    fn no_text_of_an_injection_or_a_notice_disappears(case in case()) {
        let texts = case.texts();
        for injection in case.asked.effects.inject() {
            prop_assert!(texts.contains(&&*injection.text), "{injection:?}");
        }
        for notice in case.asked.effects.notify() {
            prop_assert!(texts.contains(&&*notice.text), "{notice:?}");
        }
    }

    #[test]
    fn a_refusal_that_could_not_be_said_is_still_told(case in case()) {
        let (asked, said) = case.kinds();
        let halted_stop = case.class == Class::Continuation && asked == Kind::Halt;
        if asked >= Kind::Deny && said < Kind::Deny && !halted_stop {
            let texts = case.texts();
            for reason in case.asked.verdict.reasons() {
                prop_assert!(texts.contains(&&*reason.text), "{reason:?}");
            }
        }
    }

    #[test]
    fn fields_outside_the_mutable_ones_deny_nothing_and_lose_nothing(class in select(CLASSES.to_vec()), can in can()) {
        let asked = HookResult::default().modify("note", "changed").remove("other");
        let (said, losses) = asked.fit(class, &["tool_input"], &can);
        prop_assert_eq!(said, HookResult::default());
        prop_assert_eq!(losses, vec![]);
    }

    #[test]
    fn a_host_that_can_say_everything_hears_everything(asked in any::result()) {
        let can = Capabilities { rewrite: &FIELDS, native: WIRES[2], ..Capabilities::EVERYTHING };
        let (said, losses) = asked.clone().fit(Class::After, &["note", "tool_input", "tool_result"], &can);
        let removals = asked.effects.patch().iter().any(|r| r.value.is_none() || r.field == "note");
        if !removals {
            prop_assert_eq!(said.verdict, asked.verdict);
            prop_assert_eq!(said.effects.inject(), asked.effects.inject());
            prop_assert_eq!(said.effects.notify(), asked.effects.notify());
            prop_assert_eq!(said.effects.native(), asked.effects.native());
            prop_assert_eq!(losses, vec![]);
        }
    }
}
