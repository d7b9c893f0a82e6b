//! The modules that are built in, as modules of a plan.

use std::future::ready;
use std::sync::Arc;

use anyhook_engine::Session;
use anyhook_engine::modules::{self, ConfigErrors, Module};
use anyhook_engine::world::World;
use anyhook_registry::registry::Handle;
use serde_json::Value;

use super::module::{Cleanup, Mount, MountError, MountErrorKind, MountFuture};

/// One that is built in, in a world.
struct BuiltInMount {
    module: &'static Module,
    world: Arc<World>,
}

/// Finds one by its name, or by one of its names elsewhere.
pub(super) fn find(name: &str, world: &Arc<World>) -> Option<Arc<dyn Mount>> {
    let module = modules::find(name)?;
    let world = Arc::clone(world);
    Some(Arc::new(BuiltInMount { module, world }))
}

impl Mount for BuiltInMount {
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> MountFuture<'a> {
        let world = Arc::clone(&self.world);
        let mounted = self.module.mount_in(world, session, config);
        let wrong = |error: ConfigErrors| {
            let text = format!("module `{}`: {error}", self.module.name);
            MountError::new(MountErrorKind::BadConfig, text)
        };
        let mounted = mounted.map_err(wrong).map(|handles| {
            let cleanup = move || handles.iter().for_each(Handle::unregister);
            Some(Cleanup::new(cleanup))
        });
        Box::pin(ready(mounted))
    }
}
