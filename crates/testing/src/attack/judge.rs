//! Asking the hooks of a package about a way: its call goes through the line, as an agent's would.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhook::event::{Caller, Context};
use anyhook::load::{LoadOptions, Strictness, TrustScope};
use anyhook::state::MemoryState;
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::world::{UserFolders, World};
use serde_json::json;

use super::aim::{AttackCall, BASE};
use super::scene::Scene;
use super::{AttackTarget, Attacker, is_refusal};
use crate::overrides::texts;
use crate::package::Package;
use crate::room;

/// How long the hooks of a package may take for one call.
const PATIENCE: Duration = Duration::from_secs(20);

/// The world of a package in a scratch folder.
pub(super) fn world(package: &Package, scene: &Scene, interrupted: &Arc<AtomicBool>) -> World {
    let home = scene.home();
    let places = UserFolders {
        config: home.join(".config/anyhook"),
        state: scene.base.join("state"),
        home,
    };
    room::world(package, &scene.project(), places, interrupted)
}

impl Attacker<'_> {
    /// Tells whether a call does not happen unless a person says yes.
    pub(super) fn refuses(&self, target: &AttackTarget<'_>, call: &AttackCall) -> bool {
        let base = target.scene.base.to_string_lossy();
        let input = texts(&call.input, &|text| text.replace(BASE, &base));
        let payload = json!({
            "hookEventName": "pre-tool-use", "sessionId": "attack", "cwd": target.scene.project(),
            "toolName": call.tool, "toolInput": input,
        });
        let state = MemoryState::default();
        let line = Context {
            hint: Some("pre-tool-use"),
            manifest: Some(target.case.package.manifest.clone()),
            deadline: Some(PATIENCE),
            loading: LoadOptions {
                trust: TrustScope::All,
                strict: Strictness::Lenient,
            },
            state: Some(&state),
            own: Some(self.programs.clone().into_os_string()),
            ..Context::new(&target.world, &UNIVERSAL, Caller::Person)
        };
        // Every value of JSON can be written.
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        let mut answered = line.run(&payload);
        answered.settle();
        is_refusal(answered.report.result.verdict.kind())
    }
}
