//! `type: builtin`: a module that is built in; no process.
//!
//! ```
//! use anyhook::core::event::Map;
//! use anyhook::core::manifest::{Action, Builtin, Places};
//! use anyhook::runners::builtin::ROW;
//!
//! let asked = Builtin {
//!     module: "redaction".into(),
//!     config: Map::new(),
//!     places: Places::default(),
//! };
//! assert_eq!(ROW.kind, "builtin");
//! assert!((ROW.owns)(&Action::Builtin(asked)));
//! ```

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Handler;
use anyhook_core::manifest::Action;

use super::{Asking, Prepared, Runner};
use crate::modules::{self, Around};

/// The row.
pub const ROW: Runner = Runner {
    kind: "builtin",
    owns: |action| matches!(action, Action::Builtin(_)),
    prepare,
};

fn prepare(asking: &Asking<'_>) -> Prepared {
    let fault = |why: String| Prepared::Fault(Fault::new(FaultKind::BadEntry, why));
    let Handler::Declared(action) = &asking.hook.handler else {
        return fault("not a declared hook".to_owned());
    };
    let Action::Builtin(builtin) = &**action else {
        return fault("not a built-in module".to_owned());
    };
    let Some(module) = modules::find(&builtin.module) else {
        return fault(modules::unknown(&builtin.module));
    };
    let around = Around {
        world: asking.world,
        project: &asking.shared.project,
        pass: asking.shared.pass,
    };
    match module.made(&builtin.config) {
        Ok(made) => match made.answer(asking.event, &around) {
            Ok(said) => Prepared::Said(Box::new(said)),
            Err(failed) => Prepared::Fault(*failed),
        },
        Err(errors) => fault(format!("module `{}`: {errors}", module.name)),
    }
}
