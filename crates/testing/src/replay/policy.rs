//! Which hooks are asked about what happened before, and how nothing that they do reaches the machine.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::Action;
use anyhook::core::matcher::Hit;
use anyhook::core::ports::Clock;
use anyhook::core::report::{self, Report};
use anyhook::core::sandbox::{Network, Sandbox, SandboxPath};
use anyhook::event::{Caller, Context, PlaceHooks};
use anyhook::load::{LoadOptions, TrustScope};
use anyhook::processes::{Pool, PoolLimits};
use anyhook::sandbox;
use anyhook::state::{MemoryState, State as _};
use anyhook::wires::Host;
use anyhook::world::{SystemClock, UserFolders, World};
use tempfile::TempDir;

use super::answer::ReplayAnswer;
use super::record::{self, Exclusion};

/// Which hooks are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayHooks {
    /// Those that hold now where each event happened, with the guard of what guards, as under an agent.
    Today,
    /// Those of this manifest, as it stands on the disk.
    File(PathBuf),
    /// Those of this manifest, as a person trusted it.
    Trusted(PathBuf),
}

/// So long hooks may take for one event.
const PATIENCE: Duration = Duration::from_secs(30);
/// So many places are known at a time, and sessions are looked through after so many events: memory stays flat.
const MOST: usize = 512;
const SWEEP: u64 = 4096;

/// What time it was when the event happened.
#[derive(Debug, Default)]
struct RecordedClock {
    now: AtomicI64,
    real: SystemClock,
}

impl Clock for RecordedClock {
    fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    fn since(&self) -> Duration {
        self.real.since()
    }
}

/// The hooks of one place, and its world.
#[derive(Debug)]
struct ReplaySite {
    world: World,
    held: PlaceHooks,
    /// Those that are not asked, because they would reach a model or a server, or cannot be confined here.
    passed: Vec<Hook>,
    /// Whether a command is among those that are asked.
    starts: bool,
}

/// Asks hooks about events that happened before: one for each thread.
///
/// Nothing of a person's is written. What a session remembers is in this process, the modules write no file, no model and no
/// person is asked. A command reads what a person may read, writes into a scratch folder that is empty for each event, and has no
/// network; where the kernel cannot hold that, it is not started.
#[derive(Debug)]
pub struct Replayer {
    hooks: ReplayHooks,
    real: World,
    scratch: TempDir,
    then: Arc<RecordedClock>,
    state: MemoryState,
    /// The folder in which hooks find `anyhook`.
    own: Option<OsString>,
    spots: HashMap<String, ReplaySite>,
    asked: u64,
    confines: bool,
    /// While a pool lives, this process is the reaper of its orphans; without this one it would become one and stop for each event.
    _reaper: Pool,
}

impl Replayer {
    /// Makes one for this world, in which nothing is written; hooks find `anyhook` in the folder of `program`.
    pub fn new(hooks: &ReplayHooks, program: Option<&Path>, world: World) -> io::Result<Self> {
        let folder = program.and_then(Path::parent);
        let real = World {
            supervisor: None,
            ids: || "again".into(),
            ..world
        };
        let scratch = TempDir::with_prefix("anyhook-replay-")?;
        let level = anyhook_confine::level();
        Ok(Self {
            hooks: hooks.clone(),
            real,
            scratch,
            then: Arc::default(),
            state: MemoryState::default(),
            own: folder.map(|folder| folder.as_os_str().to_owned()),
            spots: HashMap::new(),
            asked: 0,
            _reaper: Pool::new(PoolLimits::default()),
            confines: folder.is_some() && level.landlock.is_some() && level.seccomp,
        })
    }

    /// Asks the hooks about the event of a record.
    pub fn ask(&mut self, record: &Report) -> Result<ReplayAnswer, Exclusion> {
        let (event, action, host) = record::event(record)?;
        self.then
            .now
            .store(record.at.unwrap_or_default(), Ordering::Relaxed);
        self.asked += 1;
        if self.asked.is_multiple_of(SWEEP) {
            self.state.sweep(self.then.now());
        }
        let key = self.spot(action, host, &event);
        let Some(spot) = self.spots.get(&key) else {
            return Err(Exclusion::NoAction);
        };
        let is_about =
            |hook: &Hook| hook.event.covers(&event.name) && hook.selects(&event) != Hit::No;
        // What is missing matters where a hook would look at it.
        if let Some(lacks) = record::lacks(action)
            && spot.held.hooks().iter().any(|hook| is_about(hook))
        {
            return Err(lacks);
        }
        let passed = spot.passed.iter().filter(|hook| is_about(hook));
        let mut passed: BTreeSet<_> = passed.map(|hook| hook.info.name.clone()).collect();
        let own;
        let world = if spot.starts {
            let _ = std::fs::remove_dir_all(self.scratch.path().join("state/private"));
            own = dated(&spot.world, record.at.unwrap_or_default());
            &own
        } else {
            &spot.world
        };
        let line = Context {
            state: Some(&self.state),
            own: self.own.clone(),
            ..line(world, host, Caller::Again)
        };
        let mut answered = line.again(event, &spot.held);
        answered.settle();
        let report = &answered.report;
        let names = report.hooks.iter().map(|hook| &hook.name);
        let unheard = names.filter(|name| report.remarks.contains(&sandbox::unheard(name)));
        passed.extend(unheard.cloned());
        Ok(ReplayAnswer::of(report, passed))
    }

    /// Finds the hooks of the place of an event, and returns the name of that place.
    fn spot(
        &mut self,
        action: &report::ActionRecord,
        host: &'static Host,
        event: &Event,
    ) -> String {
        let cwd = action.text("cwd").unwrap_or("/");
        let project = action.project.as_deref().unwrap_or(cwd);
        let key = [host.id(), project, cwd].join("\n");
        if self.spots.contains_key(&key) {
            return key;
        }
        if self.spots.len() >= MOST {
            self.spots.clear();
        }
        let mut real = World {
            cwd: PathBuf::from(project),
            ..self.real.clone()
        };
        if let Some(name) = host.facts().project_variable {
            real.env.insert(name.into(), project.into());
        }
        let mut passed = Vec::new();
        let held = self.hold(&real, host, event, &mut passed);
        let state = self.scratch.path().join("state");
        let places = real.places.take().unwrap_or_else(|| UserFolders {
            config: state.clone(),
            home: state.clone(),
            state: state.clone(),
        });
        let world = World {
            places: Some(UserFolders { state, ..places }),
            clock: self.then.clone(),
            ..real
        };
        let starts = held
            .hooks()
            .iter()
            .any(|hook| matches!(hook.action(), Some(Action::Command(_))));
        let spot = ReplaySite {
            world,
            held,
            passed,
            starts,
        };
        self.spots.insert(key.clone(), spot);
        key
    }

    fn hold(
        &self,
        world: &World,
        host: &'static Host,
        event: &Event,
        passed: &mut Vec<Hook>,
    ) -> PlaceHooks {
        let mut choose = |hooks: Vec<Hook>, _: &Event| {
            passed.clear();
            let mut asked = Vec::new();
            for hook in hooks {
                match confined(hook, self.confines) {
                    Ok(hook) => asked.push(hook),
                    Err(hook) => passed.push(*hook),
                }
            }
            asked
        };
        let (file, caller, trust) = match &self.hooks {
            ReplayHooks::Today => (None, Caller::Host, TrustScope::default()),
            ReplayHooks::Trusted(file) => (Some(file), Caller::Host, TrustScope::default()),
            ReplayHooks::File(file) => (Some(file), Caller::Again, TrustScope::All),
        };
        let line = Context {
            manifest: file.cloned(),
            loading: LoadOptions {
                trust,
                ..LoadOptions::default()
            },
            ..line(world, host, caller)
        };
        let held = line.hold(event, &mut choose);
        match self.hooks {
            ReplayHooks::Trusted(_) => held.unguarded(),
            ReplayHooks::Today | ReplayHooks::File(_) => held,
        }
    }
}

fn line<'w>(world: &'w World, host: &'static Host, caller: Caller) -> Context<'w> {
    Context {
        deadline: Some(PATIENCE),
        ..Context::new(world, host, caller)
    }
}

/// Tells a command what time it was, as far as it looks at these variables.
fn dated(world: &World, at: i64) -> World {
    let mut world = world.clone();
    let seconds = at.div_euclid(1000).to_string();
    world.env.insert("SOURCE_DATE_EPOCH".into(), seconds.into());
    world.env.insert("TZ".into(), "UTC".into());
    world
}

/// Confines a command, so that nothing that it does reaches the machine; what cannot be asked comes back.
fn confined(mut hook: Hook, confines: bool) -> Result<Hook, Box<Hook>> {
    match hook.action() {
        None | Some(Action::Rule(_) | Action::Builtin(_) | Action::Broken(_)) => Ok(hook),
        Some(Action::Command(_)) if confines => {
            let all: Option<SandboxPath> = "/**".parse().ok();
            let ours = Sandbox {
                read: all.map(|all| vec![all]),
                write: Some(vec![SandboxPath::private()]),
                network: Some(Network::None),
                required: true,
                ..Sandbox::default()
            };
            let held = match &hook.sandbox {
                Some(own) => ours.narrowed(own).0,
                None => ours,
            };
            hook.sandbox = Some(Box::new(Sandbox {
                processes: None,
                required: true,
                ..held
            }));
            Ok(hook)
        }
        Some(Action::Command(_) | Action::Prompt(_) | Action::Http(_)) => Err(Box::new(hook)),
    }
}
