//! `anyhook run`: one event, from an agent's payload to that agent's answer.
//!
//! Under `--host` nothing but an answer ever comes out, whatever goes wrong in us (D26). Without it the caller is a
//! person, and errors are for a person.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use anyhook::core::event::EventName;
use anyhook::core::ports::Store as _;
use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::core::taxonomy::Class;
use anyhook::limits::Recorded;
use anyhook::line::{Answered, Caller, Line, after_a_panic};
use anyhook::load::{Loading, Strictness, Trusting};
use anyhook::wires::{self, Host, Reply, hosts};
use anyhook::world::Supervisor;
use anyhook::world::World;
use clap::Command;
use lexopt::ValueExt as _;

use super::{Row, Run};
use crate::error::{Problem, no_event, no_host};
use crate::exit::Exit;
use crate::flags::{Argument, Flag, Flags, Set};
use crate::record::Recording;
use crate::ui::visible;
use crate::watchdog::{Times, Watchdog};
use crate::{findings, payload, ui, view};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "run",
    describe,
    run: Run::Hot(run),
};

fn describe(command: Command) -> Command {
    FLAGS
        .describe(command.about("Answer one event, as agents call it"))
        .after_help(
            "Examples:\n  anyhook run --host claude-code --deadline 60 < payload.json\n  \
             anyhook run pre-tool-use --manifest hooks/hooks.json --explain < fixture.json\n\n\
             With --host nothing but that host's answer ever comes out. Without it the event is universal, the \
             answer too, and errors end with the codes of `anyhook help exit-codes`.",
        )
}

/// What the command line may say.
#[rustfmt::skip]
static FLAGS: Flags<Options> = Flags {
    argument: Argument {
        name: "EVENT", required: false, place: |options| &mut options.event,
        help: "The event, where the payload does not name it; any spelling",
    },
    flags: &[
        Flag { name: "host", help: "The agent that calls; its own payloads, answers and exit codes",
            set: Set::Value("NAME", |options, value| { options.host = Some(value.to_string_lossy().into_owned()); Ok(()) }) },
        Flag { name: "manifest", help: "Use this hooks.json alone",
            set: Set::Value("FILE", |options, value| { options.manifest = Some(value.into()); Ok(()) }) },
        Flag { name: "deadline", help: "How long the host waits for the answer [default: 30]",
            set: Set::Value("SECONDS", |options, value| { options.deadline = Some(value.parse_with(seconds)?); Ok(()) }) },
        Flag { name: "strict", help: "A failing or untrusted hook refuses on gate events",
            set: Set::On(|options| options.loading.strict = Strictness::Strict) },
        Flag { name: "trust-all", help: "Take every manifest as trusted, for CI",
            set: Set::On(|options| options.loading.trust = Trusting::All) },
        Flag { name: "record", help: "Keep the event as a test in DIR, without secrets",
            set: Set::Value("DIR", |options, value| { options.record = Some(value.into()); Ok(()) }) },
        Flag { name: "explain", help: "Print what happened instead of the answer",
            set: Set::On(|options| options.explain = options.explain.or(Some(Format::Text))) },
        Flag { name: "format", help: "Of --explain: text or json [default: text]",
            set: Set::Value("FORMAT", |options, value| { options.explain = Some(value.parse_with(format)?); Ok(()) }) },
        Flag { name: "json", help: "The same as --explain --format json",
            set: Set::On(|options| options.explain = Some(Format::Json)) },
    ],
};

#[derive(Clone, Default)]
struct Options {
    event: Option<String>,
    host: Option<String>,
    manifest: Option<PathBuf>,
    deadline: Option<Duration>,
    loading: Loading,
    record: Option<PathBuf>,
    explain: Option<Format>,
}

#[derive(Clone, Copy)]
enum Format {
    Text,
    Json,
}

fn run(args: Vec<OsString>) -> Exit {
    let hosted = named_host(&args);
    let options = match options(args, hosted.is_some()) {
        Ok(options) => options,
        Err(problem) => return ui::problem(&problem),
    };
    match hosted.as_deref() {
        None => asked_by_a_person(&options),
        Some(name) => match wires::host(name) {
            Some(host) => asked_by(host, &options),
            None => unknown_host(name, &options),
        },
    }
}

/// Finds the host's name before anything is parsed: a mistake elsewhere on the line must not hide who calls.
fn named_host(args: &[OsString]) -> Option<String> {
    let mut args = args.iter().map(|arg| arg.to_string_lossy());
    while let Some(arg) = args.next() {
        if arg == "--host" {
            return Some(args.next().unwrap_or_default().into_owned());
        }
        if let Some(name) = arg.strip_prefix("--host=") {
            return Some(name.to_owned());
        }
    }
    None
}

/// Parses the flags. Under a host a flag that nobody knows is passed over: an answer matters more.
fn options(args: Vec<OsString>, hosted: bool) -> Result<Options, Problem> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut options = Options::default();
    loop {
        match FLAGS.next(&mut parser, &mut options) {
            Ok(true) => {}
            Ok(false) => return Ok(options),
            Err(_) if hosted => {}
            Err(error) => {
                let help = "anyhook run --help";
                return Err(Problem::new(Exit::Usage, error.to_string()).help(help));
            }
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let in_reach = seconds > 0.0 && seconds <= 86_400.0;
    in_reach
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or_else(|| "must be above 0 and at most 86400".to_owned())
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        other => Err(format!("`{other}` is neither text nor json")),
    }
}

/// Lets an end that somebody wants (a person, the host, a hook of another author) end the hooks and the asking, and still
/// answer: to most agents a hook that was killed is one that had nothing to say.
pub(crate) fn listen(world: &World) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, std::sync::Arc::clone(&world.interrupted));
    }
}

/// The world of one event.
fn world(caller: Caller) -> World {
    let program = std::env::current_exe().ok();
    let mut world = World::real();
    let recorded = recorded(&world);
    world.supervisor = program.map(|program| Supervisor {
        program,
        keep: recorded.keep,
    });
    if caller == Caller::Host {
        listen(&world);
    }
    world
}

/// Returns what is configured for the record. `anyhook doctor` tells of a file that cannot be used.
fn recorded(world: &World) -> Recorded {
    static READ: OnceLock<Recorded> = OnceLock::new();
    *READ.get_or_init(|| Recorded::of(world).unwrap_or_else(|_| Recorded::unreadable()))
}

/// Asks the line, which has so long.
fn answer(
    world: &World,
    host: &'static dyn Host,
    (caller, options, deadline): (Caller, &Options, Option<Duration>),
    ask: impl FnOnce(&Line<'_>) -> Answered,
) -> Answered {
    let store = recorded(world).store(world);
    let state = world
        .places
        .as_ref()
        .map(|places| anyhook::state::FileState::new(places.sessions()));
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

fn asked_by_a_person(options: &Options) -> Exit {
    match for_a_person(options) {
        Ok(exit) => exit,
        Err(problem) => ui::problem(&problem),
    }
}

fn for_a_person(options: &Options) -> Result<Exit, Problem> {
    if let Some(file) = &options.manifest {
        std::fs::File::open(file).map_err(|error| Problem::unreadable(file, error))?;
        ui::err(&findings::of(file));
    }
    if let Some(name) = &options.event {
        known_event(name)?;
    }
    payload::expects("the payload");
    let payload = payload::stdin()?;
    let host: &'static dyn Host = &hosts::universal::Universal;
    host.read_event(&payload, options.event.as_deref())
        .map_err(|error| {
            let place = error
                .at
                .map(|(line, column)| format!(" at line {line}, column {column}"))
                .unwrap_or_default();
            Problem::new(
                Exit::Data,
                format!("the payload on standard input is not readable{place}"),
            )
            .because(error)
            .help("a payload is one JSON object; name the event on the command line if it does not")
        })?;
    let asked = (Caller::Person, options, options.deadline);
    let world = world(Caller::Person);
    let mut answered = answer(&world, host, asked, |line| line.run(&payload));
    let exit = if let Some(format) = options.explain {
        explain(&answered, format)?
    } else {
        ui::err(&visible(&answered.reply.stderr));
        ui::raw(&answered.reply.stdout)?;
        answered.settle();
        Exit::Answer(answered.reply.exit)
    };
    if let Err(error) = record(host, options, &payload, &answered.report) {
        ui::err(&format!(
            "anyhook: the event could not be recorded: {}\n",
            visible(&error.to_string())
        ));
    }
    Ok(exit)
}

/// Keeps the event as a test, if somebody wants that.
fn record(
    host: &'static dyn Host,
    options: &Options,
    payload: &[u8],
    report: &Report,
) -> std::io::Result<()> {
    let Some(folder) = &options.record else {
        return Ok(());
    };
    let recording = Recording {
        folder,
        host,
        hint: options.event.as_deref(),
        payload,
        report,
        home: std::env::var_os("HOME").map(PathBuf::from),
    };
    recording.write()
}

/// An event of one's own has a colon in its name; any other has to be a known one.
pub(super) fn known_event(name: &str) -> Result<(), Problem> {
    if EventName::new(name).spec().is_some() || name.contains(':') {
        return Ok(());
    }
    Err(no_event(name))
}

fn explain(answered: &Answered, format: Format) -> Result<Exit, Problem> {
    match format {
        Format::Text => ui::out(&view::report(&answered.report, ui::width()))?,
        Format::Json => ui::raw(&view::json(&answered.report)?)?,
    }
    Ok(Exit::Done)
}

/// Answers a host. Whatever happens in here, an answer comes out.
fn asked_by(host: &'static dyn Host, options: &Options) -> Exit {
    // A full disk must be an error to us, not the end of us; and a host that ignores its children must not keep us from
    // waiting for ours.
    for signal in [signal_hook::consts::SIGXFSZ, signal_hook::consts::SIGCHLD] {
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
    std::panic::set_hook(Box::new(|_| {}));
    let times = Times::of(options.deadline);
    let world = world(Caller::Host);
    let watchdog = watchdog(&world, host, options, times);
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let payload = payload::stdin_until(times.payload()).unwrap_or_default();
        let asked = (Caller::Host, options, Some(times.left()));
        let answered = answer(&world, host, asked, |line| line.run(&payload));
        (answered, payload)
    }));
    watchdog.call_off();
    match (answered, options.explain) {
        (Ok((answered, _)), Some(format)) => {
            explain(&answered, format).unwrap_or_else(|problem| ui::problem(&problem))
        }
        (Ok((mut answered, payload)), None) => {
            let exit = give(&answered.reply, Unsaid::of(&answered.report));
            answered.settle();
            // The answer is out. Whatever becomes of this, the host is told nothing else: it might take it for an answer.
            let keep = || record(host, options, &payload, &answered.report);
            let _ = catch_unwind(AssertUnwindSafe(keep));
            exit
        }
        (Err(_), _) => give(
            &after_a_panic(host, options.event.as_deref()),
            Unsaid::Refuses,
        ),
    }
}

/// How long the watchdog waits for the log: the disk may be what held the line up.
const LAST_WORD: Duration = Duration::from_millis(200);

/// Sets the watchdog: it gives the answer of a line whose time is over, and logs it where the log can be written.
fn watchdog(world: &World, host: &'static dyn Host, options: &Options, times: Times) -> Watchdog {
    let (world, options) = (world.clone(), options.clone());
    Watchdog::set(times, move || {
        let asked = (Caller::Host, &options, options.deadline);
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method holds for one lifetime, and a line of any is asked"
        )]
        let answered = answer(&world, host, asked, |line| line.overdue());
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
fn give(reply: &Reply, unsaid: Unsaid) -> Exit {
    ui::err(&visible(&reply.stderr));
    let written = if reply.stdout.is_empty() {
        Ok(())
    } else if ui::is_nowhere(std::io::stdout()) {
        Err("standard output leads nowhere".to_owned())
    } else {
        ui::raw(&reply.stdout).map_err(|problem| problem.to_string())
    };
    match (written, unsaid) {
        (Err(why), Unsaid::Refuses) => {
            ui::err(&format!(
                "anyhook: the answer could not be written ({}): {}\n",
                visible(&why),
                visible(&reply.stdout)
            ));
            Exit::Answer(2)
        }
        (Ok(()), _) | (Err(_), Unsaid::GoesOn) => Exit::Answer(reply.exit),
    }
}

/// Nobody can answer in the words of a host that we do not know. What could be a gate is refused, loudly.
fn unknown_host(name: &str, options: &Options) -> Exit {
    ui::problem(&no_host(name));
    let class = options
        .event
        .as_deref()
        .map(|event| EventName::new(event).class());
    match class {
        None | Some(Class::Gate) => Exit::Answer(2),
        Some(Class::Continuation | Class::After | Class::Notice) => Exit::Usage,
    }
}
