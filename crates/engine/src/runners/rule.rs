//! `type: rule`: an answer that the file itself contains, given without a process.
//!
//! ```
//! use anyhook_engine::core::manifest::{Action, Snapshot, Then};
//! use anyhook_engine::runners::rule::ROW;
//!
//! let then = Then {
//!     verdict: None,
//!     modify: Vec::new(),
//!     confine: None,
//!     inject: vec!["this project uses pnpm".into()],
//!     notify: Vec::new(),
//!     marks: Vec::new(),
//!     snapshot: Snapshot::No,
//!     unknown: None,
//! };
//! assert_eq!(ROW.kind, "rule");
//! assert!((ROW.owns)(&Action::Rule(then)));
//! ```

mod confine;

use std::borrow::Cow;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Handler;
use anyhook_core::manifest::{Action, Snapshot, Then, WhenUnknown};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::sandbox::{Network, Place, Sandbox};

use super::{Asking, Prepared, Runner};
use crate::rules;

/// The row.
pub const ROW: Runner = Runner {
    kind: "rule",
    owns: |action| matches!(action, Action::Rule(_)),
    prepare,
};

const NOT_KEPT: &str = "What this may destroy cannot be kept in this program. Go on?";

fn prepare(asking: &Asking<'_>) -> Prepared {
    let Handler::Declared(action) = &asking.hook.handler else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a declared hook"));
    };
    let Action::Rule(then) = &**action else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a rule"));
    };
    let facts = asking.facts();
    let instead = then
        .unknown
        .filter(|way| *way != WhenUnknown::Snapshot || asking.shared.keeps)
        .filter(|_| asking.is_only_unknown(&facts));
    let then = match instead {
        Some(way) => Cow::Owned(instead_of(then, way)),
        None => Cow::Borrowed(then),
    };
    let said = rules::said(&then, &facts);
    let said = if then.snapshot == Snapshot::OrAsk && !asking.shared.keeps {
        said.map(|said| said.then(HookResult::ask(NOT_KEPT)))
    } else {
        said
    };
    let said = match &then.confine {
        Some(sandbox) => said.and_then(|said| confine::add(said, sandbox, asking, &facts)),
        None => said,
    };
    match said {
        Ok(said) => Prepared::Said(Box::new(said)),
        Err(why) => Prepared::Fault(Fault::new(FaultKind::BadEntry, why)),
    }
}

/// What a rule says where it holds only because of what is not known of the call.
fn instead_of(then: &Then, way: WhenUnknown) -> Then {
    let asks = || {
        let said = then.verdict.as_ref().map(|(_, reason)| reason.clone());
        let question = said.filter(|reason| !reason.is_empty());
        let question =
            question.unwrap_or_else(|| "A rule cannot tell what this does. Go on?".to_owned());
        (Kind::Ask, question)
    };
    Then {
        verdict: (way == WhenUnknown::Ask).then(asks),
        modify: Vec::new(),
        confine: (way == WhenUnknown::Confine).then(|| Sandbox {
            read: Some(vec![Place::project()]),
            write: Some(vec![Place::project()]),
            network: Some(Network::None),
            required: true,
            ..Sandbox::default()
        }),
        inject: Vec::new(),
        notify: Vec::new(),
        marks: Vec::new(),
        snapshot: match way {
            WhenUnknown::Snapshot => Snapshot::OrAsk,
            WhenUnknown::Ask | WhenUnknown::Confine => Snapshot::No,
        },
        unknown: Some(way),
    }
}
