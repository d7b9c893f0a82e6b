//! Decisions about fitting, by example: `fit.txt` holds results, each with what the host can say and the class of the event.

use std::fmt::Write as _;

use anyhook_core::can::{Capabilities, RewriteCoupling};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;

/// A host that hears everything but rewrites without a permission.
const COUPLED: Capabilities = Capabilities {
    verdicts: &[Kind::Allow, Kind::Deny],
    rewrite: &["tool_input"],
    coupling: RewriteCoupling::Permission,
    ..Capabilities::EVERYTHING
};

/// One on which an approval carries a rewrite, and is nothing by itself.
const APPROVED: Capabilities = Capabilities {
    verdicts: &[Kind::Ask, Kind::Deny],
    coupling: RewriteCoupling::Approval,
    ..COUPLED
};

const BARE: Capabilities = Capabilities {
    rewrite: &[],
    ..COUPLED
};

#[test]
fn what_a_result_becomes_where_it_cannot_be_said_and_what_is_lost() {
    let mut all = String::new();
    for row in include_str!("fit.txt").lines() {
        if let Some(name) = row.strip_prefix("# ") {
            writeln!(all, "\n# {name}").unwrap();
            continue;
        }
        let [can, class, asked] = row.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let can = match can {
            "coupled" => COUPLED,
            "approved" => APPROVED,
            "bare" => BARE,
            _ => panic!("{row}"),
        };
        let class = match class {
            "gate" => Class::Gate,
            "continuation" => Class::Continuation,
            _ => panic!("{row}"),
        };
        let asked: HookResult = serde_json::from_str(asked).unwrap();
        let (said, losses) = asked.fit(class, &["tool_input"], &can);
        let said = serde_json::to_string(&said).unwrap();
        writeln!(all, "{row}\n  said: {said}\n  lost: {losses:?}").unwrap();
    }
    insta::assert_snapshot!(all);
}
