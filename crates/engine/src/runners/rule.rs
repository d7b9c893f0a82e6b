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
//! };
//! assert_eq!(ROW.kind, "rule");
//! assert!((ROW.owns)(&Action::Rule(then)));
//! ```

mod confine;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Handler;
use anyhook_core::manifest::Action;

use super::{Asking, Prepared, Runner};
use crate::rules;

/// The row.
pub const ROW: Runner = Runner {
    kind: "rule",
    owns: |action| matches!(action, Action::Rule(_)),
    prepare,
};

fn prepare(asking: &Asking<'_>) -> Prepared {
    let Handler::Declared(action) = &asking.hook.handler else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a declared hook"));
    };
    let Action::Rule(then) = &**action else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a rule"));
    };
    let facts = asking.facts();
    let said = rules::said(then, &facts);
    let said = match &then.confine {
        Some(sandbox) => said.and_then(|said| confine::add(said, sandbox, asking, &facts)),
        None => said,
    };
    match said {
        Ok(said) => Prepared::Said(Box::new(said)),
        Err(why) => Prepared::Fault(Fault::new(FaultKind::BadEntry, why)),
    }
}
