//! Hooks that say `keep: warm`, timed cold and warm in the same rounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhook::core::handler::Handler;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Keep};
use anyhook::core::matcher::Hit;
use anyhook::core::report::Asked;
use anyhook::load;
use anyhook::processes::{Job, Limits, Pool};
use anyhook::runners::{Asking, Prepared, Shared, prepare};
use anyhook::stores;
use anyhook::warm::why_command_cold;
use anyhook::wires::Wire as _;
use anyhook::wires::hosts::universal::Universal;
use anyhook::world::{Places, Supervisor, World};

/// How many rounds a keeper has to start, which do not count.
const STARTING: usize = 5;

/// What one hook took.
#[derive(Default)]
pub(super) struct Pair {
    pub(super) cold: Vec<Duration>,
    pub(super) warm: Vec<Duration>,
    /// Why it is never warm.
    pub(super) why: Option<&'static str>,
}

/// An event of a case, as a universal hook reads it.
pub(super) struct Sent {
    pub(super) manifest: PathBuf,
    pub(super) event: String,
    pub(super) payload: Vec<u8>,
}

/// Times every hook that is to be kept warm, with the first event that is for it: cold and warm by turns, in a home of its own.
pub(super) fn time(sent: &[Sent], runs: usize) -> io::Result<BTreeMap<Box<str>, Pair>> {
    let mut kept = BTreeMap::new();
    let place = tempfile::tempdir()?;
    let world = world(place.path())?;
    for (at, one) in sent.iter().enumerate() {
        let is_first = sent
            .iter()
            .take(at)
            .all(|other| other.manifest != one.manifest);
        let text = fs::read_to_string(&one.manifest)?;
        let Some(parsed) = load::parse(&one.manifest, &text).ok().filter(|_| is_first) else {
            continue;
        };
        let events: Vec<&Sent> = sent
            .iter()
            .filter(|other| other.manifest == one.manifest)
            .collect();
        for hook in load::hooks(&parsed.manifest, &one.manifest) {
            if let Some(pair) = pair(&hook, &events, &world, runs) {
                kept.insert(hook.info.name.clone(), pair);
            }
        }
    }
    Ok(kept)
}

fn world(place: &Path) -> io::Result<World> {
    let [home, config, state] = ["home", "config", "state"].map(|name| place.join(name));
    fs::create_dir(&home)?;
    let mut world = World::real();
    world.env.insert("HOME".into(), home.clone().into());
    world.cwd.clone_from(&home);
    world.places = Some(Places {
        home,
        config,
        state,
    });
    world.supervisor = Some(Supervisor {
        program: std::env::current_exe()?,
        keep: stores::Keep::Verdicts,
    });
    Ok(world)
}

/// Times one hook, where it is to be kept warm and an event is for it.
fn pair(hook: &Hook, events: &[&Sent], world: &World, runs: usize) -> Option<Pair> {
    let Handler::Declared(action) = &hook.handler else {
        return None;
    };
    let Action::Command(command) = &**action else {
        return None;
    };
    if command.keep == Keep::Cold {
        return None;
    }
    let job = events
        .iter()
        .find_map(|sent| job(hook, action, sent, world))?;
    let mut pair = Pair {
        why: match (&job.confined, &job.warm) {
            (Some(_), _) => Some("it runs confined"),
            (None, Some(_)) => None,
            (None, None) => why_command_cold(command).or(Some("it cannot be kept ready here")),
        },
        ..Pair::default()
    };
    for round in 0..runs + STARTING {
        let cold = Job {
            warm: None,
            ..job.clone()
        };
        let times = [took(cold), took(job.clone())];
        if round >= STARTING {
            pair.cold.push(times[0]);
            pair.warm.push(times[1]);
        }
    }
    Some(pair)
}

/// Prepares a hook for an event, if it is for it.
fn job(hook: &Hook, action: &Action, sent: &Sent, world: &World) -> Option<Job> {
    let event = Universal
        .read_event(&sent.payload, Some(&sent.event))
        .ok()?;
    if hook.selects(&event) == Hit::No {
        return None;
    }
    let shared = Shared {
        payload: sent.payload.clone().into(),
        project: world.cwd.clone(),
        ..Shared::default()
    };
    let asking = Asking {
        hook,
        event: &event,
        asked: Asked::First,
        world,
        shared: &shared,
    };
    match prepare(action, &asking) {
        Prepared::Process(job) => Some(*job),
        _ => None,
    }
}

fn took(job: Job) -> Duration {
    let mut pool = Pool::new(Limits::default());
    pool.start(0, job);
    let ended = pool.turn(None);
    pool.settle();
    ended
        .first()
        .map_or(Duration::ZERO, |(_, transcript)| transcript.took)
}
