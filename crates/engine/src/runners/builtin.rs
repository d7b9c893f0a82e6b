//! `type: builtin`: a built-in module, run without a process.
//!
//! ```
//! use anyhook_engine::core::event::Map;
//! use anyhook_engine::core::manifest::{Action, Builtin, Places};
//! use anyhook_engine::runners::builtin::ROW;
//!
//! let asked = Builtin {
//!     module: "redaction".into(),
//!     config: Map::new(),
//!     places: Places::default(),
//! };
//! assert_eq!(ROW.kind, "builtin");
//! assert!((ROW.owns)(&Action::Builtin(asked)));
//! ```

use anyhook_core::event::Map;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Handler;
use anyhook_core::manifest::Action;

use super::{Asking, Prepared, Runner};
use crate::modules::{self, Around, Module};

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
    match modules::find(&builtin.module) {
        Some(module) => asked(module, &builtin.config, asking),
        None => fault(modules::unknown(&builtin.module)),
    }
}

/// Asks a module; its panic is a fault of this hook alone.
fn asked(module: &'static Module, config: &Map, asking: &Asking<'_>) -> Prepared {
    let around = Around {
        world: asking.world,
        project: &asking.shared.project,
        pass: asking.shared.pass,
    };
    match module.made(config) {
        Ok(made) => match made.answer(asking.event, &around) {
            Ok(said) => Prepared::Said(Box::new(said)),
            Err(failed) => Prepared::Fault(*failed),
        },
        Err(errors) => {
            let why = format!("module `{}`: {errors}", module.name);
            Prepared::Fault(Fault::new(FaultKind::BadEntry, why))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anyhook_core::event::Event;
    use anyhook_core::handler::Said;
    use anyhook_core::hook::{Hook, Role};
    use anyhook_core::report::Asked;

    use super::*;
    use crate::modules::{BuiltIn, ConfigErrors, Stand};
    use crate::runners::Shared;
    use crate::world::World;

    struct Panics;
    impl BuiltIn for Panics {
        fn answer(&self, _: &Event, _: &Around<'_>) -> Said {
            panic!("boom")
        }
    }

    const fn broken(
        name: &'static str,
        make: fn(&Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors>,
    ) -> Module {
        Module {
            name,
            aliases: &[],
            summary: "Fails.",
            stand: Stand {
                events: &["tool:pre"],
                priority: 10,
                role: Role::Decide,
                guard: true,
            },
            make,
        }
    }

    static AT_MOUNT: Module = broken("at-mount", |_| panic!("boom"));
    static AT_EVENT: Module = broken("at-event", |_| Ok(Arc::new(Panics)));

    #[test]
    fn a_module_of_hooks_json_that_panics_is_a_fault_of_its_hook_alone() {
        let (world, shared) = (World::real(), Shared::default());
        let hook = Hook::on("tool:pre", |_: &Event| ());
        let event = Event::new("tool:pre", serde_json::json!({"tool_name": "Read"}));
        let asking = Asking {
            hook: &hook,
            event: &event,
            asked: Asked::First,
            world: &world,
            shared: &shared,
        };
        let fault = |module| match asked(module, &Map::new(), &asking) {
            Prepared::Fault(fault) => (fault.kind, fault.text.to_string()),
            _ => panic!("no fault"),
        };
        let (kind, text) = fault(&AT_MOUNT);
        assert_eq!(kind, FaultKind::BadEntry);
        assert!(text.starts_with("module `at-mount`: "), "{text}");
        let panicked = (FaultKind::Panicked, "the handler panicked: boom".to_owned());
        assert_eq!(fault(&AT_EVENT), panicked);
    }
}
