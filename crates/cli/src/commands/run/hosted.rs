//! One event of an agent: its payload is read, the line is asked, and the answer is given in time.
//!
//! Nothing but an answer ever comes out, whatever goes wrong in us.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use anyhook::config::RecordSettings;
use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::core::taxonomy::Class;
use anyhook::event::{Caller, Context, EventAnswer, EventTime, Stores, after_a_panic};
use anyhook::processes::ExclusiveReaper;
use anyhook::wires::{Host, Reply};
use anyhook::world::World;

use super::options::Options;
use super::stdin;
use super::watchdog::Watchdog;
use crate::ui;

/// Returns the world of one event, whose background hooks this program owns.
pub(super) fn world() -> World {
    let mut world = World::real();
    world.supervisor = std::env::current_exe().ok();
    world
}

/// Who asks the line, with which options, and how long it has.
pub(super) struct HostRequest<'a> {
    pub host: &'static Host,
    pub caller: Caller,
    pub options: &'a Options,
    pub deadline: Option<Duration>,
}

impl HostRequest<'_> {
    /// Asks the line.
    pub(super) fn ask(
        &self,
        world: &World,
        ask: impl FnOnce(&Context<'_>) -> EventAnswer,
    ) -> EventAnswer {
        let stores = Stores::of(world);
        ask(&Context {
            hint: self.options.event.as_deref(),
            manifest: self.options.manifest.clone(),
            deadline: self.deadline,
            loading: self.options.loading,
            mistakes: &self.options.mistakes,
            ..stores.context(world, self.host, self.caller)
        })
    }
}

/// Answers an event of an agent, and returns the exit code. What is done with what the line came to is up to the caller; whatever
/// happens before it, an answer comes out.
pub(super) fn answer(
    host: &'static Host,
    options: &Options,
    done: impl FnOnce(&World, EventAnswer) -> u8,
) -> u8 {
    // A full disk must be an error to us, not the end of us; and a host that ignores its children must not keep us from
    // waiting for ours.
    for signal in [signal_hook::consts::SIGXFSZ, signal_hook::consts::SIGCHLD] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    std::panic::set_hook(Box::new(|_| {}));
    let alone = ExclusiveReaper::now();
    let times = EventTime::of(options.deadline);
    let world = world();
    super::listen(&world);
    let watchdog = watchdog(host, options, &world, times);
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let payload = stdin::until(times.payload()).unwrap_or_default();
        let asking = HostRequest {
            host,
            caller: Caller::Host,
            options,
            deadline: Some(times.left()),
        };
        asking.ask(&world, |line| line.run(&payload))
    }));
    watchdog.call_off();
    let exit = match answered {
        Ok(answered) => done(&world, answered),
        Err(_) => give(
            &after_a_panic(host, options.event.as_deref()),
            Fallback::Refuses,
        ),
    };
    let _ = alone.map(|alone| alone.end_rest());
    exit
}

/// Sets the watchdog: it gives the answer of a line whose time is over, and logs it where the log can be written.
fn watchdog(host: &'static Host, options: &Options, world: &World, times: EventTime) -> Watchdog {
    let (world, options) = (world.clone(), options.clone());
    Watchdog::set(times, move || {
        let asking = HostRequest {
            host,
            caller: Caller::Host,
            options: &options,
            deadline: options.deadline,
        };
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method holds for one lifetime, and a line of any is asked"
        )]
        let answered = asking.ask(&world, |line| line.overdue());
        let EventAnswer { reply, report, .. } = answered;
        let exit = give(&reply, Fallback::of(&report));
        let store = RecordSettings::of(&world).store(&world);
        let keep = move || store.map(|store| store.append(&report));
        let (told, done) = std::sync::mpsc::channel();
        let logs = std::thread::Builder::new().spawn(move || told.send(keep().is_some()));
        let _ = logs.is_ok() && done.recv_timeout(LAST_WORD).is_ok();
        exit
    })
}

/// How long the watchdog waits for the log: the disk may be what held the line up.
const LAST_WORD: Duration = Duration::from_millis(200);

/// Gives the answer of the line, and then ends what its hooks left running. It returns the exit code.
pub(super) fn say(answered: &mut EventAnswer) -> u8 {
    let exit = give(&answered.reply, Fallback::of(&answered.report));
    answered.settle();
    exit
}

/// What it means that an answer could not be written.
#[derive(Clone, Copy)]
enum Fallback {
    /// The action would go on although it was refused, asked about or changed.
    Refuses,
    /// Nothing was kept back.
    GoesOn,
}

impl Fallback {
    fn of(report: &Report) -> Self {
        let Some(said) = &report.said else {
            return Self::GoesOn;
        };
        match said.verdict.kind() {
            // An agent that really stops is not refused to.
            Kind::Halt if report.event.name.class() == Class::Continuation => Self::GoesOn,
            Kind::Continue | Kind::Allow if said.effects.patch().is_empty() => Self::GoesOn,
            // A rewrite that does not arrive must not run unchanged.
            Kind::Continue | Kind::Allow | Kind::Ask | Kind::Deny | Kind::Halt => Self::Refuses,
        }
    }
}

/// Gives the answer. One that cannot be written still refuses if it refused: by the exit code and standard error.
fn give(reply: &Reply, unsaid: Fallback) -> u8 {
    ui::err(&ui::visible(&reply.stderr));
    let written = if reply.stdout.is_empty() {
        Ok(())
    } else if is_nowhere(std::io::stdout()) {
        Err("standard output leads nowhere".to_owned())
    } else {
        let written = ui::exactly(&reply.stdout);
        written.map_err(|error| format!("cannot write to standard output: {error}"))
    };
    match (written, unsaid) {
        (Err(why), Fallback::Refuses) => {
            ui::err(&format!(
                "anyhook: the answer could not be written ({}): {}\n",
                ui::visible(&why),
                ui::visible(&reply.stdout)
            ));
            2
        }
        (Ok(()), _) | (Err(_), Fallback::GoesOn) => reply.exit,
    }
}

/// Tells whether what is written here is read by no one: a closed descriptor is one of `/dev/null` by the time we run.
fn is_nowhere(stream: impl AsFd) -> bool {
    let nowhere = std::fs::metadata("/dev/null").map(|meta| meta.rdev());
    let stream = stream.as_fd().try_clone_to_owned().map(File::from);
    let device = stream
        .and_then(|stream| stream.metadata())
        .map(|meta| meta.rdev());
    matches!((device, nowhere), (Ok(device), Ok(nowhere)) if device != 0 && device == nowhere)
}
