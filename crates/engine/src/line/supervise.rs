//! The supervisor: owns the processes of one hook until they end, and reports their results.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhook_confine::Refused;
use anyhook_core::can::{Can, Later};
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::fit::{Became as LossBecame, Loss, Undelivered};
use anyhook_core::handler::{Handler, Said};
use anyhook_core::hook::{Hook, Speaks};
use anyhook_core::manifest::{Action, Command, Http, Prompt};
use anyhook_core::ports::Store;
use anyhook_core::report::{Asked, Became, Heading, Report, Step, VERSION as REPORT};
use anyhook_core::result::{HookId, HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;

use super::read_answer;
use crate::background::{Order, READY, VERSION, demoted};
use crate::files;
use crate::processes::{Alone, Job, Limits, Pool};
use crate::sandbox;
use crate::state::{Mark, SessionKey, SessionState, State};
use crate::world::World;

/// How often is looked whether a signal asks this process to end.
const LOOK: Duration = Duration::from_millis(500);

/// Reads an order on standard input, leaves everything that the caller holds, and carries the order out. `store` opens the
/// store, for reports with values (`true`) or without.
///
/// An error is for a person who calls this by hand: the process that gives orders does not wait.
///
/// ```no_run
/// use anyhook_engine::line::supervise;
/// use anyhook_engine::world::World;
///
/// // What is no order is refused, and nothing is started.
/// let refused = supervise(&World::real(), None, &|_| None);
/// assert!(refused.is_err());
/// ```
pub fn supervise(
    world: &World,
    state: Option<&dyn State>,
    store: &dyn Fn(bool) -> Option<Box<dyn Store>>,
) -> Result<(), String> {
    // A session of its own: who ends the caller's group or closes its terminal does not end this.
    let _ = rustix::process::setsid();
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    let (order, jobs) = understood(&bytes)?;
    let mut stdout = std::io::stdout().lock();
    let said = stdout.write_all(READY).and_then(|()| stdout.flush());
    drop(stdout);
    // The process that gave the order does not wait any more, and has told that it failed.
    said.map_err(|error| error.to_string())?;
    let_go();
    let store = store(order.keeps_payload);
    let came = carry_out(world, &order, jobs);
    tell(world, state, store.as_deref(), &order, came);
    Ok(())
}

fn understood(bytes: &[u8]) -> Result<(Order, Vec<(Job, Event)>), String> {
    const CUT: &str = "the order was cut off";
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(CUT)?;
    let (line, rest) = bytes.split_at_checked(end).ok_or(CUT)?;
    let mut order: Order = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if order.version != VERSION {
        return Err("the order is one of another version".to_owned());
    }
    let mut rest = rest.get(1..).unwrap_or_default();
    let work = std::mem::take(&mut order.work).into_iter();
    let jobs: Option<Vec<_>> = work.map(|work| work.undone(&mut rest)).collect();
    let jobs = jobs.filter(|jobs| !jobs.is_empty()).ok_or(CUT)?;
    Ok((order, jobs))
}

/// Lets go of the streams of the caller, so that no process waits for their end.
fn let_go() {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

/// What came of an order.
struct Came {
    heading: Heading,
    said: Said,
    took: Duration,
    /// What it could touch and what was refused to it, in words, where it ran confined.
    confined: Vec<Box<str>>,
}

/// Runs the processes of a hook side by side, and makes one answer of theirs.
fn carry_out(world: &World, order: &Order, jobs: Vec<(Job, Event)>) -> Came {
    let began = Instant::now();
    let hook = hook(order);
    let alone = Alone::now();
    let mut pool = Pool::new(Limits::default());
    let mut events = Vec::with_capacity(jobs.len());
    let mut said: Said = Ok(HookResult::default());
    let mut confined: Vec<Box<str>> = Vec::new();
    let mut tell = |told: Vec<Box<str>>| {
        let new: Vec<_> = told
            .into_iter()
            .filter(|told| !confined.contains(told))
            .collect();
        confined.extend(new);
    };
    for (key, (job, event)) in jobs.into_iter().enumerate() {
        pool.start(key, job);
        events.push(event);
    }
    let heading = match events.first() {
        Some(event) => Heading::from(event),
        None => Heading::from(&Event::new("", anyhook_core::event::Map::new())),
    };
    while !pool.is_idle() {
        if world.interrupted.load(Ordering::Relaxed) {
            pool.end_all();
        }
        for (key, mut transcript) in pool.turn(Some(Instant::now() + LOOK)) {
            let Some(event) = events.get(key) else {
                continue;
            };
            let refused = pool.refused(key);
            tell(reached(order, &mut transcript, refused.as_ref()));
            said = match (said, read_answer(&hook, &transcript, event)) {
                (Ok(before), Ok(more)) => Ok(before.then(more)),
                (Err(fault), _) | (_, Err(fault)) => Err(fault),
            };
        }
    }
    let took = began.elapsed();
    pool.settle();
    let _ = alone.map(|alone| alone.end_rest());
    Came {
        heading,
        said,
        took,
        confined,
    }
}

/// Takes off what the helper said of a hook that ran confined, and says it in words, with what was refused to it.
fn reached(order: &Order, raw: &mut Transcript, refused: Option<&Refused>) -> Vec<Box<str>> {
    let Some(sandbox) = &order.sandbox else {
        return Vec::new();
    };
    let reached = sandbox::reached(raw);
    sandbox::remarks(&order.hook.name, sandbox, &reached, refused)
}

/// Makes as much of the hook as reading its answer needs.
fn hook(order: &Order) -> Hook {
    let action = match &*order.kind {
        "prompt" => Action::Prompt(Prompt::default()),
        "http" => Action::Http(Http::default()),
        _ => Action::Command(Command::default()),
    };
    let speaks = order.speaks.as_ref().and_then(|(host, native)| {
        Some(Speaks {
            host: anyhook_wires::host(host)?.id(),
            native: native.as_str().into(),
        })
    });
    Hook {
        speaks: speaks.map(Box::new),
        ..Hook::new("", &order.hook.name, Handler::Declared(Box::new(action)))
    }
}

/// Stores what came of it, and leaves for the session what a later event can tell.
fn tell(
    world: &World,
    state: Option<&dyn State>,
    store: Option<&dyn Store>,
    order: &Order,
    came: Came,
) {
    let session = order.session.as_ref().zip(state);
    let (result, became) = judged(order, came.said);
    let (texts, mut losses) = demoted(result.clone());
    let can = Can {
        later: match session {
            Some(_) => Later::Outbox,
            None => Later::Never,
        },
        ..Can::NOTHING
    };
    let (said, unsaid) = texts.fit(Class::Notice, &[], &can);
    losses.extend(unsaid);
    let mut remarks: Vec<Box<str>> = vec![format!("in the background of {}", order.parent).into()];
    remarks.extend(came.confined);
    if let Some(session) = session {
        let kept = keep(world, order, session, &became, &mut losses);
        remarks.extend(kept.map_err(String::into_boxed_str).err());
    }
    let report = Report {
        version: REPORT,
        id: (world.ids)(),
        parent: Some(order.parent.as_str().into()),
        at: Some(world.clock.now()),
        event: came.heading,
        result,
        said: Some(said),
        hooks: Arc::new([Arc::new(order.hook.clone())]),
        steps: vec![Step {
            hook: HookId(0),
            became,
            again: Asked::First,
            took: Some(came.took),
        }],
        losses,
        audit: Vec::new(),
        remarks,
        took: Some(came.took),
        action: None,
    };
    // No event is there to tell of a store that fails; what the hook says is in the outbox all the same.
    let _ = store.map(|store| store.append(&report));
}

/// What the hook said, as far as it counts, and what became of it.
fn judged(order: &Order, said: Said) -> (HookResult, Became) {
    match said {
        Ok(said) if order.hook.shadow => (HookResult::default(), Became::Would(Box::new(said))),
        Ok(said) => {
            let own = (!said.is_identity()).then(|| Box::new(said.clone()));
            (said, Became::Said(own))
        }
        Err(fault) => {
            let verdict = Kind::Continue;
            (HookResult::default(), Became::Failed { fault, verdict })
        }
    }
}

/// Puts into the session what a later event is to tell, and whether the hook failed.
fn keep(
    world: &World,
    order: &Order,
    (key, state): (&SessionKey, &dyn State),
    became: &Became,
    losses: &mut [Loss],
) -> Result<(), String> {
    let now = world.clock.now();
    let posted = state.update(key, &mut |session| {
        match became {
            Became::Failed { fault, .. } => {
                let text = failed(order, fault);
                session.failed(&order.mark, &text, now);
                if session.first(Mark::Said(&format!("fault:{}", order.mark)), now) {
                    let notice = Notice::new(format!("anyhook: {text}")).at(Level::Warning);
                    // A full outbox counts what it refused, and says so.
                    let _ = session.post(Undelivered::Notice(notice));
                }
            }
            Became::Said(_) | Became::Would(_) | Became::NotAsked(_) => {
                session.succeeded(&order.mark);
            }
        }
        for loss in losses.iter_mut() {
            post(loss, session);
        }
    });
    let told = |error| {
        let why = files::with_causes(&error);
        format!("what it says could not be kept for later: {why}")
    };
    posted.map(|_| ()).map_err(told)
}

fn failed(order: &Order, fault: &Fault) -> String {
    let name = &order.hook.name;
    format!("the hook `{name}` failed in the background: {}", fault.text)
}

/// Puts a text into the outbox; where that is full it is lost, and counted there.
fn post(loss: &mut Loss, session: &mut SessionState) {
    if loss.became != LossBecame::Later {
        return;
    }
    if let Some(text) = loss.text.clone()
        && session.post(text).is_err()
    {
        loss.became = LossBecame::Nothing;
    }
}
