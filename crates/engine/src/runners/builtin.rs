//! `type: builtin`: a built-in module, run without a process.

use anyhook_core::event::Map;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::Builtin;

use super::{Asking, Prepared};
use crate::modules::{self, Around, Module};

/// Finds a module, and asks it.
pub(super) fn prepare(asking: &Asking<'_>, builtin: &Builtin) -> Result<Prepared, Fault> {
    let unknown = || Fault::new(FaultKind::BadEntry, modules::unknown(&builtin.module));
    let module = modules::find(&builtin.module).ok_or_else(unknown)?;
    asked(module, &builtin.config, asking)
}

/// Asks a module; its panic is a fault of this hook alone.
fn asked(module: &'static Module, config: &Map, asking: &Asking<'_>) -> Result<Prepared, Fault> {
    let around = Around {
        world: asking.world,
        project: &asking.shared.project,
        pass: asking.shared.pass,
    };
    let made = module.made(config).map_err(|errors| {
        let why = format!("module `{}`: {errors}", module.name);
        Fault::new(FaultKind::BadEntry, why)
    })?;
    let said = made.answer(asking.event, &around).map_err(|fault| *fault)?;
    Ok(Prepared::Said(Box::new(said)))
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
            Err(fault) => (fault.kind, fault.text.to_string()),
            _ => panic!("no fault"),
        };
        let (kind, text) = fault(&AT_MOUNT);
        assert_eq!(kind, FaultKind::BadEntry);
        assert!(text.starts_with("module `at-mount`: "), "{text}");
        let panicked = (FaultKind::Panicked, "the handler panicked: boom".to_owned());
        assert_eq!(fault(&AT_EVENT), panicked);
    }
}
