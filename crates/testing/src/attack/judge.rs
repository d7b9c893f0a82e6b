//! Asking the hooks of a package about a way: its call goes through the line, as an agent's would.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhook::event::{Caller, Context};
use anyhook::load::{Loading, Strictness, Trusting};
use anyhook::state::MemoryState;
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::world::{Places, World};
use serde_json::json;

use super::aim::{BASE, Call};
use super::is_refusal;
use super::scene::Scene;
use crate::overrides::texts;
use crate::package::Package;
use crate::room;

/// How long the hooks of a package may take for one call.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks the hooks of one package.
pub(super) struct Judge<'j> {
    package: &'j Package,
    world: World,
    project: PathBuf,
    /// The scratch folder.
    base: PathBuf,
    programs: PathBuf,
}

impl<'j> Judge<'j> {
    /// A judge in a scratch folder; `programs` is where hooks find `anyhook`.
    pub(super) fn new(
        package: &'j Package,
        scene: &Scene,
        programs: &Path,
        interrupted: &Arc<AtomicBool>,
    ) -> Self {
        let (project, home) = (scene.project(), scene.home());
        let places = Places {
            config: home.join(".config/anyhook"),
            state: scene.base.join("state"),
            home,
        };
        Self {
            package,
            world: room::world(package, &project, places, interrupted),
            project,
            base: scene.base.clone(),
            programs: programs.to_owned(),
        }
    }

    /// Tells whether a call does not happen unless a person says yes.
    pub(super) fn refuses(&self, call: &Call) -> bool {
        let base = self.base.to_string_lossy();
        let input = texts(&call.input, &|text| text.replace(BASE, &base));
        let payload = json!({
            "hookEventName": "pre-tool-use", "sessionId": "attack", "cwd": self.project,
            "toolName": call.tool, "toolInput": input,
        });
        let state = MemoryState::default();
        let line = Context {
            hint: Some("pre-tool-use"),
            manifest: Some(self.package.manifest.clone()),
            deadline: Some(PATIENCE),
            loading: Loading {
                trust: Trusting::All,
                strict: Strictness::Lenient,
            },
            state: Some(&state),
            own: Some(self.programs.clone().into_os_string()),
            ..Context::new(&self.world, &UNIVERSAL, Caller::Person)
        };
        // Every value of JSON can be written.
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        let mut answered = line.run(&payload);
        answered.settle();
        is_refusal(answered.report.result.verdict.kind())
    }
}
