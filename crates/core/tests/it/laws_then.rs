//! Folding is one associative operation with an identity, and it loses nothing.

use anyhook_core::result::{HookResult, Kind};
use proptest::prelude::*;

use crate::{any, config};

/// Every effect of a result, each as a line, in order.
fn effects_of(result: &HookResult) -> Vec<Vec<String>> {
    let effects = &result.effects;
    vec![
        effects.patch().iter().map(|e| format!("{e:?}")).collect(),
        effects.inject().iter().map(|e| format!("{e:?}")).collect(),
        effects.notify().iter().map(|e| format!("{e:?}")).collect(),
        effects.native().iter().map(|e| format!("{e:?}")).collect(),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn then_is_associative(a in any::result(), b in any::result(), c in any::result()) {
        let left = a.clone().then(b.clone()).then(c.clone());
        let right = a.then(b.then(c));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn the_default_is_the_identity_on_both_sides(a in any::result()) {
        prop_assert_eq!(HookResult::default().then(a.clone()), a.clone());
        prop_assert_eq!(a.clone().then(HookResult::default()), a);
    }

    #[test]
    fn folding_never_lowers_the_verdict(a in any::result(), b in any::result()) {
        let graver = a.verdict.kind().max(b.verdict.kind());
        prop_assert_eq!(a.then(b).verdict.kind(), graver);
    }

    #[test]
    fn of_equal_verdicts_every_reason_and_question_is_kept_in_order(
        a in any::result(),
        b in any::result(),
    ) {
        let both = a.clone().then(b.clone());
        let reasons = |kind: Kind| {
            let of = |r: &HookResult| if r.verdict.kind() == kind { r.verdict.reasons().to_vec() } else { vec![] };
            [of(&a), of(&b)].concat()
        };
        let questions = |kind: Kind| {
            let of = |r: &HookResult| if r.verdict.kind() == kind { r.verdict.questions().to_vec() } else { vec![] };
            [of(&a), of(&b)].concat()
        };
        let kind = both.verdict.kind();
        prop_assert_eq!(both.verdict.reasons(), reasons(kind));
        prop_assert_eq!(both.verdict.questions(), questions(kind));
    }

    #[test]
    fn every_effect_of_both_sides_survives_in_order(a in any::result(), b in any::result()) {
        let expected: Vec<Vec<String>> = effects_of(&a)
            .into_iter()
            .zip(effects_of(&b))
            .map(|(a, b)| [a, b].concat())
            .collect();
        let of = |r: &HookResult| r.effects.get().cloned().unwrap_or_default();
        let (given_a, given_b) = (of(&a), of(&b));
        let both = a.then(b);
        prop_assert_eq!(effects_of(&both), expected);
        let given = of(&both);
        prop_assert_eq!(given.reply, given_b.reply.or(given_a.reply));
        prop_assert_eq!(given.suppress_output, given_a.suppress_output || given_b.suppress_output);
    }
}

#[test]
fn a_result_is_32_bytes() {
    assert_eq!(size_of::<HookResult>(), 32);
}

#[test]
fn a_box_with_nothing_in_it_is_nothing() {
    let mut hollow = HookResult::default();
    hollow.effects.edit();
    assert_eq!(hollow, HookResult::default());
    assert!(hollow.is_identity());
}
