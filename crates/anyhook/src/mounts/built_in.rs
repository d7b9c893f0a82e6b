//! The modules that are built in, as modules of a plan.

use std::sync::Arc;

use anyhook_engine::Session;
use anyhook_engine::modules::{self, MODULES, Module};
use anyhook_engine::world::World;
use serde_json::Value;

use super::module::{Cleanup, Mount, MountError, Mounting, Reason};

/// One that is built in, in a world.
struct BuiltIn {
    module: &'static Module,
    world: Arc<World>,
}

/// Finds one by its name, or by one of its names elsewhere.
pub(super) fn find(name: &str, world: &Arc<World>) -> Option<Arc<dyn Mount>> {
    let module = modules::find(name)?;
    let world = Arc::clone(world);
    Some(Arc::new(BuiltIn { module, world }))
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|module| module.name)
}

impl Mount for BuiltIn {
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> Mounting<'a> {
        let world = Arc::clone(&self.world);
        let mounted = self.module.mount_in(world, session, config);
        let mounted = mounted.map_err(|error| {
            let reason = match &error {
                modules::MountError::Config { .. } => Reason::BadConfig,
                modules::MountError::Panicked { .. } => Reason::Panicked,
                modules::MountError::Unknown { .. } => Reason::NotFound,
            };
            MountError::new(reason, error.to_string())
        });
        Box::pin(async move { Ok(mounted?.map(Cleanup::new)) })
    }
}
