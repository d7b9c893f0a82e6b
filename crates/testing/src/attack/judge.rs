//! Asking the hooks of a package about a way: each of its calls goes through the line, as an agent's would.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhook::core::report::Became;
use anyhook::core::result::Kind;
use anyhook::event::{Caller, Context};
use anyhook::load::{Loading, Strictness, Trusting};
use anyhook::state::MemoryState;
use anyhook::wires::hosts::universal::Universal;
use anyhook::world::{Places, World};
use serde_json::{Value, json};

use super::aim::{BASE, Step};
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
    /// The scratch folder; a corpus of lines has none.
    base: PathBuf,
    programs: PathBuf,
}

/// What all hooks say to a call together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The hooks whose word it is.
    pub(super) by: Vec<String>,
}

impl Said {
    /// Tells whether the call does not happen unless a person says yes.
    pub(super) fn refuses(&self) -> bool {
        matches!(self.kind, Kind::Ask | Kind::Deny | Kind::Halt)
    }
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

    /// Asks about the calls of a way; it passes if each of them does.
    pub(super) fn says(&self, steps: &[Step]) -> Said {
        let (base, mut last) = (self.base.to_string_lossy(), None);
        for step in steps {
            let said = self.say(
                &step.tool,
                &texts(&step.input, &|text| text.replace(BASE, &base)),
            );
            if said.refuses() {
                return said;
            }
            last = Some(said);
        }
        last.unwrap_or_else(|| Said {
            kind: Kind::Continue,
            text: String::new(),
            by: Vec::new(),
        })
    }

    /// Asks about one call.
    pub(super) fn say(&self, tool: &str, input: &Value) -> Said {
        let payload = json!({
            "hookEventName": "pre-tool-use", "sessionId": "attack", "cwd": self.project,
            "toolName": tool, "toolInput": input,
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
            ..Context::new(&self.world, &Universal, Caller::Person)
        };
        // Every value of JSON can be written.
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        let mut answered = line.run(&payload);
        answered.settle();
        let (report, result) = (&answered.report, &answered.report.result);
        let is_speaking = |became: &Became| match became {
            Became::Said(Some(said)) => said.verdict.kind() == result.verdict.kind(),
            Became::Failed { verdict, .. } => *verdict == result.verdict.kind(),
            Became::Said(None) | Became::Would(_) | Became::NotAsked(_) => false,
        };
        let speaking = report.steps.iter().filter(|step| is_speaking(&step.became));
        Said {
            kind: result.verdict.kind(),
            text: result.verdict.text(),
            by: speaking
                .filter_map(|step| report.hook(step.hook))
                .map(|hook| hook.name.to_string())
                .collect(),
        }
    }
}
