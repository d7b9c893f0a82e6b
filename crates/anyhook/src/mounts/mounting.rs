//! Mounting: each module once, in the order of the plan, whatever the others do.
//!
//! ```
//! # async fn example() {
//! use anyhook::Session;
//! use anyhook::mounts::{Catalogue, Cleanup, ModuleEntry};
//! use anyhook::session::Setup;
//! use serde_json::{Value, json};
//!
//! let careless = |_: &Session, _: &Value| Cleanup::new(|| Err::<(), _>("the file is gone"));
//! let session = Session::with("s1", Setup::default());
//! let catalogue = Catalogue::default().with("careless", careless);
//! catalogue.mount(&session, &vec![ModuleEntry::new("careless", json!({}))].into()).await;
//! assert_eq!(session.modules(), ["careless"]);
//!
//! let faults = session.unmount("careless").await;
//! assert_eq!(&*faults[0].fault.text, "the file is gone");
//! assert!(session.unmount("careless").await.is_empty());
//! # }
//! # pollster::block_on(example());
//! ```

use anyhook_core::effects::Level;
use anyhook_core::events;
use anyhook_core::manifest::Place;
use anyhook_engine::Session;
use anyhook_engine::files;
use anyhook_registry::registry::{LogLevel, Registration, wait};
use serde_json::json;

use super::catalogue::{Catalogue, FoundModule};
use super::module::{self, MountError, MountErrorKind};
use super::plan::{ModuleEntry, Plan};

/// What became of one module of a plan.
///
/// ```
/// use anyhook::Session;
/// use anyhook::core::event::Event;
/// use anyhook::mounts::{MountStatus, Catalogue, ModuleEntry, MountOutcome};
/// use anyhook::session::Setup;
/// use serde_json::{Value, json};
///
/// let catalogue = Catalogue::default().with("audit", |session: &Session, _: &Value| {
///     session.hooks().on("tool:pre", |_: &Event| ());
/// });
/// let session = Session::with("s1", Setup::default());
/// let plan = vec![ModuleEntry::new("audit", json!({}))].into();
/// let outcomes = catalogue.mount_blocking(&session, &plan);
/// let MountOutcome { module, kind: Some("function"), became: MountStatus::Mounted(registered), .. } = &outcomes[0]
/// else {
///     panic!()
/// };
/// assert_eq!((&**module, &*registered[0].event), ("audit", "tool:pre"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MountOutcome {
    /// The module.
    pub module: String,
    /// What kind of module it is, where it was found.
    pub kind: Option<&'static str>,
    /// Where its entry stands in the plan.
    pub at: Place,
    /// What became of it.
    pub became: MountStatus,
}

/// What became of a module.
#[derive(Debug, Clone, PartialEq)]
pub enum MountStatus {
    /// It is mounted, and this is what it registered.
    Mounted(Vec<Registration>),
    /// It was mounted before, with the same configuration.
    WasThere,
    /// It is not mounted, and nothing is left of it.
    Failed(MountError),
}

impl MountOutcome {
    /// Returns why it is not mounted.
    pub fn error(&self) -> Option<&MountError> {
        match &self.became {
            MountStatus::Failed(error) => Some(error),
            MountStatus::Mounted(_) | MountStatus::WasThere => None,
        }
    }
}

impl Catalogue {
    /// Mounts the modules of a plan, in its order. One that fails harms no other: what it registered is taken back, and
    /// `module:load_failed` is emitted when all the others are mounted, so that all of them hear it.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use anyhook::Session;
    /// use anyhook::mounts::{Catalogue, Plan};
    /// use anyhook::session::{SessionOrigin, Setup};
    ///
    /// let plan = Plan::read("plan.json".as_ref(), r#"{"hooks": []}"#)?;
    /// let session = Session::with("s1", Setup { settings: plan.settings.clone(), ..Setup::default() });
    /// assert_eq!(Catalogue::default().mount(&session, &plan).await, []);
    /// session.start(SessionOrigin::New).await;
    /// # Ok(())
    /// # }
    /// # pollster::block_on(example()).unwrap();
    /// ```
    pub async fn mount(&self, session: &Session, plan: &Plan) -> Vec<MountOutcome> {
        let mut outcomes = Vec::new();
        for (entry, found) in plan.entries.iter().zip(self.find_all(plan)) {
            let kind = found.as_ref().ok().map(|found| found.kind);
            let became = match found {
                Ok(found) => mount_one(session, entry, &found).await,
                Err(error) => MountStatus::Failed(error),
            };
            outcomes.push(MountOutcome {
                module: entry.module.clone(),
                kind,
                at: entry.at.clone(),
                became,
            });
        }
        for outcome in &outcomes {
            if let Some(error) = outcome.error() {
                let data = json!({
                    "module_type": "hook", "module_id": outcome.module,
                    "error": error.text, "reason_code": error.reason,
                });
                session.emit(events::MODULE_LOAD_FAILED, data).await;
            }
        }
        outcomes
    }

    /// Does what [`Catalogue::mount`] does, and waits for it on this thread.
    pub fn mount_blocking(&self, session: &Session, plan: &Plan) -> Vec<MountOutcome> {
        wait(self.mount(session, plan))
    }
}

/// Names one module with one configuration: mounted twice it would be asked twice.
fn key(entry: &ModuleEntry, kind: &str) -> String {
    let ModuleEntry { module, source, .. } = entry;
    let settings = format!("{} {:?}", entry.config, entry.rules);
    files::name_of(&[format!("{kind} {module:?} {source:?} {settings}").as_bytes()])
}

async fn mount_one(session: &Session, entry: &ModuleEntry, found: &FoundModule) -> MountStatus {
    if session.is_ending() {
        let text = "the session is over";
        return MountStatus::Failed(MountError::new(MountErrorKind::SessionOver, text));
    }
    let key = key(entry, found.kind);
    let scoped = session.scoped(&entry.module, entry.rules.clone());
    if !session.reserve(&key, &entry.module, &scoped) {
        // Its account is empty: this forgets it.
        scoped.take_back().await;
        return MountStatus::WasThere;
    }
    match module::mount(&*found.module, &scoped, &entry.module, &entry.config).await {
        Ok(()) => {
            let registered = scoped.registered();
            if entry.rules.log == LogLevel::Debug {
                tell_registered(session, &entry.module, &registered);
            }
            MountStatus::Mounted(registered)
        }
        Err(error) => {
            session.release(&key);
            let faults = scoped.take_back().await;
            session
                .tell_faults(&faults, events::MODULE_LOAD_FAILED)
                .await;
            MountStatus::Failed(error)
        }
    }
}

fn tell_registered(session: &Session, module: &str, registered: &[Registration]) {
    for one in registered {
        let left_out = if one.is_enabled {
            ""
        } else {
            ", which is not enabled"
        };
        session.show_own(Level::Info, module, &format!("registered {one}{left_out}"));
    }
}
