//! One event of an agent: its payload is read, the line is asked, and the answer is given in time.
//!
//! Nothing but an answer ever comes out, whatever goes wrong in us.
//!
//! ```no_run
//! use anyhook_run::hosted::Hosted;
//! use anyhook_run::options::Options;
//!
//! let host = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
//! let code = Hosted::new(host, Options::default()).answer(|answered, _| answered.reply.exit);
//! std::process::exit(code.into());
//! # Ok::<(), &str>(())
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhook_core::ports::Store as _;
use anyhook_core::report::Report;
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_engine::limits::Recorded;
use anyhook_engine::line::{Answered, Caller, Line, after_a_panic};
use anyhook_engine::state::FileState;
use anyhook_engine::world::{Supervisor, World};
use anyhook_wires::{Host, Reply};

use crate::elsewhere::Elsewhere;
use crate::options::Options;
use crate::out;
use crate::stdin;
use crate::watchdog::{Times, Watchdog};

/// One event of an agent.
pub struct Hosted {
    host: &'static dyn Host,
    options: Options,
    elsewhere: Option<Arc<Elsewhere>>,
}

/// Lets an end that someone wants (a person, the host, a hook of another author) end the hooks and the asking, and still
/// answer: to most agents a hook that was killed is one that had nothing to say.
pub fn listen(world: &World) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&world.interrupted));
    }
}

/// Returns what is configured for the record. The line tells of a file that cannot be used.
pub fn recorded(world: &World) -> Recorded {
    static READ: OnceLock<Recorded> = OnceLock::new();
    *READ.get_or_init(|| Recorded::of(world).unwrap_or_else(|_| Recorded::unreadable()))
}

/// Returns the world of one event, whose background hooks this program owns.
pub fn world(program: Option<PathBuf>) -> World {
    with_supervisor(World::real(), program)
}

fn with_supervisor(mut world: World, program: Option<PathBuf>) -> World {
    let recorded = recorded(&world);
    world.supervisor = program.map(|program| Supervisor {
        program,
        keep: recorded.keep,
    });
    world
}

/// Asks the line, which has so long.
pub fn ask(
    world: &World,
    host: &'static dyn Host,
    (caller, options, deadline): (Caller, &Options, Option<Duration>),
    ask: impl FnOnce(&Line<'_>) -> Answered,
) -> Answered {
    let store = recorded(world).store(world);
    let state = world
        .places
        .as_ref()
        .map(|places| FileState::new(places.sessions()));
    ask(&Line {
        world,
        host,
        caller,
        hint: options.event.as_deref(),
        manifest: options.manifest.clone(),
        deadline,
        loading: options.loading,
        store: store.as_ref().map(|store| store as _),
        state: state.as_ref().map(|state| state as _),
    })
}

impl Hosted {
    /// Prepares to answer with everything that this program can do.
    pub fn new(host: &'static dyn Host, options: Options) -> Self {
        Self {
            host,
            options,
            elsewhere: None,
        }
    }

    /// Leaves to this full program what this one cannot do.
    pub fn or_else(self, program: PathBuf) -> Self {
        let elsewhere = Elsewhere::new(program, self.host, self.options.clone());
        Self {
            elsewhere: Some(Arc::new(elsewhere)),
            ..self
        }
    }

    /// Answers, and returns the exit code. What is done with what the line came to is up to the caller; whatever happens
    /// before it, an answer comes out.
    pub fn answer(self, done: impl FnOnce(Answered, &[u8]) -> u8) -> u8 {
        // A full disk must be an error to us, not the end of us; and a host that ignores its children must not keep us from
        // waiting for ours.
        for signal in [signal_hook::consts::SIGXFSZ, signal_hook::consts::SIGCHLD] {
            let _ = signal_hook::flag::register(signal, Arc::default());
        }
        std::panic::set_hook(Box::new(|_| {}));
        let times = Times::of(self.options.deadline);
        let world = self.world(times);
        let watchdog = self.watchdog(&world, times);
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let payload = stdin::until(times.payload()).unwrap_or_default();
            let payload: Arc<[u8]> = payload.into();
            if let Some(elsewhere) = &self.elsewhere {
                elsewhere.has_read(Arc::clone(&payload), watchdog.clone());
            }
            let asked = (Caller::Host, &self.options, Some(times.left()));
            let answered = ask(&world, self.host, asked, |line| line.run(&payload));
            (answered, payload)
        }));
        watchdog.call_off();
        match answered {
            Ok((answered, payload)) => done(answered, &payload),
            Err(_) => give(
                &after_a_panic(self.host, self.options.event.as_deref()),
                Unsaid::Refuses,
            ),
        }
    }

    fn world(&self, times: Times) -> World {
        let mut world = World::real();
        let mut program = std::env::current_exe().ok();
        if let Some(elsewhere) = &self.elsewhere {
            program = Some(elsewhere.program().to_owned());
            let elsewhere = Arc::clone(elsewhere);
            world.hand_on = Some(Arc::new(move || elsewhere.go(times)));
        }
        let world = with_supervisor(world, program);
        listen(&world);
        world
    }

    /// Sets the watchdog: it gives the answer of a line whose time is over, and logs it where the log can be written.
    fn watchdog(&self, world: &World, times: Times) -> Watchdog {
        let (world, options, host) = (world.clone(), self.options.clone(), self.host);
        Watchdog::set(times, move || {
            let asked = (Caller::Host, &options, options.deadline);
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "the method holds for one lifetime, and a line of any is asked"
            )]
            let answered = ask(&world, host, asked, |line| line.overdue());
            let Answered { reply, report, .. } = answered;
            let exit = give(&reply, Unsaid::of(&report));
            let store = recorded(&world).store(&world);
            let keep = move || store.map(|store| store.append(&report));
            let (told, done) = std::sync::mpsc::channel();
            let logs = std::thread::Builder::new().spawn(move || told.send(keep().is_some()));
            let _ = logs.is_ok() && done.recv_timeout(LAST_WORD).is_ok();
            exit
        })
    }
}

impl std::fmt::Debug for Hosted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hosted")
            .field("host", &self.host.id())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// How long the watchdog waits for the log: the disk may be what held the line up.
const LAST_WORD: Duration = Duration::from_millis(200);

/// Gives the answer of the line, and then ends what its hooks left running. It returns the exit code.
pub fn say(answered: &mut Answered) -> u8 {
    let exit = give(&answered.reply, Unsaid::of(&answered.report));
    answered.settle();
    exit
}

/// What it means that an answer could not be written.
#[derive(Clone, Copy)]
enum Unsaid {
    /// The action would go on although it was refused, asked about or changed.
    Refuses,
    /// Nothing was kept back.
    GoesOn,
}

impl Unsaid {
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
fn give(reply: &Reply, unsaid: Unsaid) -> u8 {
    out::err(&out::visible(&reply.stderr));
    let written = if reply.stdout.is_empty() {
        Ok(())
    } else if out::is_nowhere(std::io::stdout()) {
        Err("standard output leads nowhere".to_owned())
    } else {
        let written = out::raw(&reply.stdout);
        written.map_err(|error| format!("cannot write to standard output: {error}"))
    };
    match (written, unsaid) {
        (Err(why), Unsaid::Refuses) => {
            out::err(&format!(
                "anyhook: the answer could not be written ({}): {}\n",
                out::visible(&why),
                out::visible(&reply.stdout)
            ));
            2
        }
        (Ok(()), _) | (Err(_), Unsaid::GoesOn) => reply.exit,
    }
}
