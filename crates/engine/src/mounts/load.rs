//! The hooks of a `hooks.json` in a registry.

use std::path::Path;
use std::sync::Arc;

use anyhook_core::hook::Hook;

use super::{MountError, Package, Packages, Reason, as_handler};
use crate::load::Trusting;
use crate::registry::{Handle, HookRegistry};
use crate::trust::Trust;
use crate::world::World;

impl HookRegistry {
    /// Registers a hook, with all that a hook can say of itself.
    ///
    /// What a manifest declared is carried out by its runner, as [`HookRegistry::load`] does it.
    ///
    /// ```
    /// use anyhook::HookRegistry;
    /// use anyhook::core::event::Event;
    /// use anyhook::core::hook::Hook;
    /// use anyhook::core::result::HookResult;
    /// use std::time::Duration;
    /// let registry = HookRegistry::new();
    /// let handle = registry.register(
    ///     Hook::on("tool:pre", |_: &Event| HookResult::deny("read-only"))
    ///         .named("no-writes")
    ///         .priority(-10)
    ///         .deadline(Duration::from_millis(500))
    ///         .guard(),
    /// );
    /// assert_eq!(handle.name(), "no-writes");
    /// ```
    pub fn register(&self, hook: Hook) -> Handle {
        self.add(in_process(hook))
    }

    /// Registers the hooks of a `hooks.json`: rules, commands, prompts and built-in ones. Each keeps what the file says about
    /// it: its event, matcher, condition, time and what its own failure means.
    ///
    /// With [`Trusting::All`] the caller answers for the file. With [`Trusting::Pinned`] it must have been trusted with
    /// `anyhook trust`, and so must what it starts. Commands run with this process's folder, home and variables.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not trusted, or has in it what `anyhook check` calls an error. Nothing is registered then.
    ///
    /// ```
    /// use anyhook::HookRegistry;
    /// use anyhook::core::result::Kind;
    /// use anyhook::load::Trusting;
    /// use serde_json::json;
    ///
    /// let place = tempfile::tempdir()?;
    /// let file = place.path().join("hooks.json");
    /// std::fs::write(&file, r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
    ///     {"name": "no-force", "type": "rule", "when": "runs('git push', '--force')", "then": {"deny": "Push a new commit."}}
    /// ]}]}}"#)?;
    ///
    /// let registry = HookRegistry::new();
    /// let hooks = registry.load(&file, Trusting::All)?;
    /// assert_eq!(hooks[0].name(), "no-force");
    ///
    /// let bash = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    /// let said = |command: &str| registry.emit_blocking("tool:pre", bash(command)).result.verdict.kind();
    /// assert_eq!([said("git push --force"), said("ls")], [Kind::Deny, Kind::Continue]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(&self, file: impl AsRef<Path>, trust: Trusting) -> Result<Vec<Handle>, MountError> {
        let world = Arc::new(World::real());
        let packages = match trust {
            Trusting::All => Packages::Trusted,
            Trusting::Pinned => Packages::Pinned(pins(&world)?),
        };
        let file = world.absolute(file.as_ref());
        let package = Package::read(file, &world, &packages)?;
        package.checked()?;
        Ok(package.register(self))
    }
}

fn pins(world: &World) -> Result<Trust, MountError> {
    let pins = world
        .places
        .as_ref()
        .map(|places| Trust::new(places.trust()));
    pins.ok_or_else(|| {
        let text = "this user has no home folder, so no trust is kept";
        MountError::new(Reason::NotTrusted, text).help("set HOME, or trust the file in your code")
    })
}

/// Makes a handler of what a manifest declares, so that it is carried out wherever it is registered.
fn in_process(hook: Hook) -> Hook {
    if hook.is_declared() {
        return as_handler(hook, &Arc::new(World::real()));
    }
    hook
}
