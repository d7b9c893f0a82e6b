//! Decisions about fitting, by example.

use anyhook_core::can::{Can, Coupling};
use anyhook_core::effects::IfUnsayable;
use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;

/// A gate, or whatever it is told to be, that hears everything but rewrites without a permission.
const COUPLED: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    rewrite: &["tool_input"],
    coupling: Coupling::Permission,
    ..Can::EVERYTHING
};

#[test]
fn a_refused_action_is_refused_and_not_corrected() {
    let asked = HookResult::deny("not in production").modify("tool_input", "dry run");
    let can = Can {
        rewrite: &[],
        ..COUPLED
    };
    let (said, losses) = asked.fit(Class::Gate, &["tool_input"], &can);
    assert_eq!(said, HookResult::deny("not in production"));
    let lost = Loss {
        what: Lost::Rewrite("tool_input".into()),
        became: Became::Nothing,
        by: None,
        text: None,
    };
    assert_eq!(losses, [lost]);
}

#[test]
fn a_rewrite_that_cannot_be_said_is_refused_with_the_corrected_value() {
    let asked = HookResult::proceed().modify("tool_input", "pnpm i");
    let (said, _) = asked.fit(Class::Gate, &["tool_input"], &COUPLED);
    assert_eq!(said.verdict.kind(), Kind::Deny);
    assert_eq!(
        said.verdict.text(),
        "A hook corrected `tool_input`, which cannot be changed from here. Try again with: \"pnpm i\""
    );
    assert_eq!(said.verdict.reasons()[0].detail, Some("pnpm i".into()));
}

#[test]
fn a_removal_that_cannot_be_said_is_told_as_one() {
    let asked = HookResult::proceed().remove("tool_input");
    let (said, _) = asked.fit(Class::Gate, &["tool_input"], &COUPLED);
    assert_eq!(
        said.verdict.text(),
        "A hook answered without `tool_input`, and from here no field can go away."
    );
}

#[test]
fn a_cosmetic_rewrite_that_cannot_be_said_is_dropped() {
    let mut asked = HookResult::proceed().modify("tool_input", "tidy");
    asked.effects.edit().patch[0].if_unsayable = IfUnsayable::Drop;
    let (said, losses) = asked.fit(Class::Gate, &["tool_input"], &COUPLED);
    assert_eq!(said, HookResult::default());
    assert_eq!(losses.len(), 1);
}

#[test]
fn a_stop_that_is_halted_stops_whatever_was_rewritten() {
    let asked = HookResult::halt("enough").modify("tool_input", "more");
    let (said, losses) = asked.fit(Class::Continuation, &["tool_input"], &COUPLED);
    assert_eq!(said.verdict, Verdict::Continue);
    assert_eq!(said.effects.patch(), &[]);
    assert_eq!(losses[0].what, Lost::Verdict(Kind::Halt));
}

#[test]
fn a_question_that_cannot_be_put_refuses() {
    let (said, losses) = HookResult::ask("deploy?").fit(Class::Gate, &[], &COUPLED);
    assert_eq!(said.verdict.kind(), Kind::Deny);
    assert!(said.verdict.text().ends_with("deploy?"));
    assert_eq!(losses[0].became, Became::Verdict(Kind::Deny));
}

/// A gate on which an approval carries a rewrite, and is nothing by itself.
const APPROVED: Can = Can {
    verdicts: &[Kind::Ask, Kind::Deny],
    coupling: Coupling::Approval,
    ..COUPLED
};

#[test]
fn an_allow_that_only_carries_a_rewrite_is_said_with_one_and_never_alone() {
    let allow = HookResult::allow().modify("tool_input", "pnpm i");
    let (said, losses) = allow.clone().fit(Class::Gate, &["tool_input"], &APPROVED);
    assert_eq!((said, losses), (allow, vec![]));
    let (said, losses) = HookResult::allow().fit(Class::Gate, &["tool_input"], &APPROVED);
    assert_eq!(said, HookResult::default());
    assert_eq!(losses[0].what, Lost::Verdict(Kind::Allow));
}

#[test]
fn a_rewrite_that_only_an_approval_carries_is_refused_without_one_even_if_a_person_could_be_asked()
{
    for asked in [HookResult::proceed(), HookResult::ask("sure?")] {
        let asked = asked.modify("tool_input", "pnpm i");
        let (said, losses) = asked.fit(Class::Gate, &["tool_input"], &APPROVED);
        assert_eq!(said.verdict.kind(), Kind::Deny);
        assert!(said.verdict.text().ends_with("Try again with: \"pnpm i\""));
        assert_eq!(losses[0].what, Lost::BareRewrite);
    }
}
