//! Modules and mount plans: by the rows of the reference, by the decisions, and against real repositories.

mod broken;
mod mounting;
mod packages;
mod plans;
mod repositories;
mod together;

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use anyhook::mounts::{Catalogue, Cleanup, MountOutcome, MountStatus, Plan};
use anyhook::session::Setup;
use anyhook::world::{UserFolders, World};

/// What happened, in order.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn write(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A cleanup that is written down.
    fn cleanup(&self, text: &str) -> Cleanup {
        let (diary, text) = (self.clone(), text.to_owned());
        Cleanup::new(move || diary.write(text))
    }
}

fn session() -> Session {
    Session::with("s1", Setup::default())
}

/// A plan in YAML, in a folder.
fn plan(folder: &Path, text: &str) -> Plan {
    let plan = Plan::read(&folder.join("plan.yaml"), text).unwrap();
    assert_eq!(plan.findings, [], "the plan is well");
    plan
}

/// Mounts the modules of a plan, and tells what became of them.
fn mounted(catalogue: &Catalogue, session: &Session, text: &str) -> Vec<String> {
    told(&catalogue.mount_blocking(session, &plan(Path::new(""), text)))
}

/// A world of its own below a folder.
fn world(folder: &Path) -> World {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    let mut world = World::real();
    world.env.insert("HOME".into(), home.clone().into());
    world.env.remove(std::ffi::OsStr::new("XDG_CACHE_HOME"));
    World {
        cwd: folder.into(),
        places: Some(UserFolders {
            config: home.join("config"),
            state: home.join("state"),
            home,
        }),
        ..world
    }
}

/// What became of each module, in words.
fn told(outcomes: &[MountOutcome]) -> Vec<String> {
    let one = |outcome: &MountOutcome| match &outcome.became {
        MountStatus::Mounted(registered) => {
            format!("{}: {} handlers", outcome.module, registered.len())
        }
        MountStatus::WasThere => format!("{}: was there", outcome.module),
        MountStatus::Failed(error) => {
            let reason = serde_json::json!(error.reason);
            let reason = reason.as_str().unwrap();
            format!("{}: {reason}: {error}", outcome.module)
        }
    };
    outcomes.iter().map(one).collect()
}

/// A hook that refuses in these words.
fn refusal(event: &str, name: &str, why: &'static str) -> Hook {
    Hook::on(event, move |_: &Event| HookResult::deny(why)).named(name)
}

/// The names of everybody who hears an event.
fn heard(session: &Session, event: &str) -> Vec<String> {
    let mut all = session.hooks().list_handlers(Some(event));
    all.remove(event).unwrap_or_default()
}
