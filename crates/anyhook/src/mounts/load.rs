//! The hooks of a `hooks.json` in a registry.

use std::path::Path;
use std::sync::Arc;

use anyhook_core::hook::Hook;
use anyhook_engine::load::TrustScope;
use anyhook_engine::trust::Trust;
use anyhook_engine::world::World;
use anyhook_registry::registry::{Handle, HookRegistry};

use super::{HookPackage, MountError, MountErrorKind, PackageTrust, as_handler};

/// What loads the hooks of a file: a [`HookRegistry`].
pub trait LoadHooks {
    /// Registers the hooks of a `hooks.json`: rules, commands, prompts and built-in ones. Each keeps what the file says about
    /// it: its event, matcher, condition, time and what its own failure means.
    ///
    /// With [`TrustScope::All`] the caller answers for the file. With [`TrustScope::Pinned`] it must have been trusted with
    /// `anyhook trust`, and so must what it starts. Commands run with this process's folder, home and variables.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not trusted, or has in it what `anyhook check` calls an error. Nothing is registered then.
    ///
    /// ```
    /// use anyhook::HookRegistry;
    /// use anyhook::core::result::Kind;
    /// use anyhook::load::TrustScope;
    /// use anyhook::mounts::LoadHooks;
    /// use serde_json::json;
    ///
    /// let place = tempfile::tempdir()?;
    /// let file = place.path().join("hooks.json");
    /// std::fs::write(&file, r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
    ///     {"name": "no-force", "type": "rule", "when": "runs('git push', '--force')", "then": {"deny": "Push a new commit."}}
    /// ]}]}}"#)?;
    ///
    /// let registry = HookRegistry::new();
    /// let hooks = registry.load(&file, TrustScope::All)?;
    /// assert_eq!(hooks[0].name(), "no-force");
    ///
    /// let bash = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    /// let said = |command: &str| registry.emit_blocking("tool:pre", bash(command)).result.verdict.kind();
    /// assert_eq!([said("git push --force"), said("ls")], [Kind::Deny, Kind::Continue]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn load(&self, file: impl AsRef<Path>, trust: TrustScope) -> Result<Vec<Handle>, MountError>;
}

impl LoadHooks for HookRegistry {
    fn load(&self, file: impl AsRef<Path>, trust: TrustScope) -> Result<Vec<Handle>, MountError> {
        let world = Arc::new(World::real());
        let pins = world.places.as_ref().map(Trust::of);
        let packages = match trust {
            TrustScope::All => PackageTrust::Trusted,
            TrustScope::Pinned => PackageTrust::Pinned(pins.ok_or_else(|| {
                let text = "this user has no home folder, so no trust is kept";
                MountError::new(MountErrorKind::NotTrusted, text)
                    .help("set HOME, or trust the file in your code")
            })?),
        };
        let file = world.absolute(file.as_ref());
        let package = HookPackage::read(file, &world, &packages)?;
        package.checked()?;
        Ok(package.register(self))
    }
}

/// Makes code of this process of a hook that a manifest declares, so that a registry can ask it: its runner carries it out.
/// Other hooks stay as they are.
///
/// ```
/// use anyhook::HookRegistry;
/// use anyhook::core::result::Kind;
/// use anyhook::load::{hooks, parse, usable};
/// use anyhook::mounts::in_process;
/// use serde_json::json;
///
/// let file = "/project/hooks.json".as_ref();
/// let manifest = parse(file, r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
///     {"type": "rule", "when": "runs('git push')", "then": {"deny": "Ask first."}}
/// ]}]}}"#).and_then(usable)?;
/// let registry = HookRegistry::new();
/// for hook in hooks(&manifest, file) {
///     registry.register(in_process(hook));
/// }
/// let push = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}});
/// assert_eq!(registry.emit_blocking("tool:pre", push).result.verdict.kind(), Kind::Deny);
/// # Ok::<(), anyhook::core::manifest::Finding>(())
/// ```
pub fn in_process(hook: Hook) -> Hook {
    if hook.is_declared() {
        return as_handler(hook, &Arc::new(World::real()));
    }
    hook
}
