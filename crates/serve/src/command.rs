//! The command line of `anyhook serve`.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use anyhook::files::with_causes;
use anyhook::text::tame;
use anyhook::world::World;
use lexopt::{Arg, ValueExt};
use serde_json::json;

use crate::clients::Clients;
use crate::error::ServeError;
use crate::places::ServerFolder;
use crate::server::{Options, Port, Server};
use crate::{instance, open};

const HELP: &str = "\
Answer events over HTTP, only for this machine

Usage: anyhook serve [OPTIONS]

Options:
  --port NUMBER   Listen on this port of 127.0.0.1 [default: 7467]; 0 takes any free port
  --no-port       Listen only on the socket
  --token NAME    Make a token for a client, and print it once
  --revoke NAME   Revoke the token of a client
  --open          Open the page in your browser, and print a link to it, which counts once and for
                  ten minutes; starts a server in the background where none runs
  --status        Show where the server listens, and its clients; with --json as JSON
  --stop          Stop the server
  -h, --help      Print this help
  -V, --version   Print the version

Without an option, the server runs until you stop it. A client posts the payload of an
agent to /v1/hosts/NAME/events, and gets what `anyhook run --host NAME` answers.

Examples:
  anyhook serve --token editor
  anyhook serve --port 7467
";

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verb {
    Serve(Port),
    Token(String),
    Revoke(String),
    Open(Port),
    Status { is_json: bool },
    Stop,
    Help,
    Version,
}

/// Why a command ended with an error.
enum Failed {
    Usage(String),
    Serve(ServeError),
}

impl From<ServeError> for Failed {
    fn from(error: ServeError) -> Self {
        Self::Serve(error)
    }
}

/// Carries out the command line of `anyhook serve`, and returns the exit code.
///
/// ```
/// assert_eq!(anyhook_serve::main(["--help".into()]), std::process::ExitCode::SUCCESS);
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let done = verb(args).and_then(|verb| carry_out(&verb));
    let (code, text, help) = match done {
        Ok(text) => {
            let written = std::io::stdout().lock().write_all(text.as_bytes());
            return ExitCode::from(if written.is_ok() { 0 } else { 74 });
        }
        Err(Failed::Usage(what)) => (64, what, "anyhook serve --help"),
        Err(Failed::Serve(error)) => (code(&error), with_causes(&error), error.help()),
    };
    say(&format!("error: {text}\nhelp: {help}\n"));
    ExitCode::from(code)
}

/// The numbers are those of `anyhook help exit-codes`.
fn code(error: &ServeError) -> u8 {
    match error {
        ServeError::Stopped | ServeError::NoPort | ServeError::Unknown { .. } => 1,
        ServeError::Name { .. } | ServeError::Known { .. } => 64,
        ServeError::NoHome | ServeError::Runs { .. } | ServeError::LongSocket { .. } => 78,
        ServeError::File(_) | ServeError::NoSocket { .. } | ServeError::Listen { .. } => 73,
        ServeError::StillRuns { .. } | ServeError::NotStarted { .. } | ServeError::Io { .. } => 74,
    }
}

/// Writes to standard error, the log of a server.
fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(tame(text).as_bytes());
}

fn verb(args: impl IntoIterator<Item = OsString>) -> Result<Verb, Failed> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut verb, mut port, mut is_json) = (None, None, false);
    while let Some(arg) = parser.next().map_err(usage)? {
        let text = |parser: &mut lexopt::Parser| parser.value().and_then(ValueExt::string);
        let next = match arg {
            Arg::Long("port") => {
                let number = parser.value().and_then(|value| value.parse());
                port = Some(Port::Number(number.map_err(usage)?));
                continue;
            }
            Arg::Long("no-port") => {
                port = Some(Port::None);
                continue;
            }
            Arg::Long("token") => Verb::Token(text(&mut parser).map_err(usage)?),
            Arg::Long("revoke") => Verb::Revoke(text(&mut parser).map_err(usage)?),
            Arg::Long("open") => Verb::Open(Port::default()),
            Arg::Long("json") => {
                is_json = true;
                continue;
            }
            Arg::Long("status") => Verb::Status { is_json: false },
            Arg::Long("stop") => Verb::Stop,
            Arg::Long("help") | Arg::Short('h') => return Ok(Verb::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Verb::Version),
            other => return Err(usage(other.unexpected())),
        };
        if verb.replace(next).is_some() {
            return Err(Failed::Usage("one thing at a time".to_owned()));
        }
    }
    let verb = match verb {
        Some(Verb::Status { .. }) => Some(Verb::Status { is_json }),
        _ if is_json => return Err(Failed::Usage("--json is for --status".to_owned())),
        verb => verb,
    };
    match (verb, port) {
        (None, port) => Ok(Verb::Serve(port.unwrap_or_default())),
        (Some(Verb::Open(_)), port) => Ok(Verb::Open(port.unwrap_or_default())),
        (Some(verb), None) => Ok(verb),
        (Some(_), Some(_)) => Err(Failed::Usage(
            "a port is of a server that starts".to_owned(),
        )),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` gives")]
fn usage(error: lexopt::Error) -> Failed {
    Failed::Usage(error.to_string())
}

/// Carries it out, and returns what is printed.
fn carry_out(verb: &Verb) -> Result<String, Failed> {
    let world = World::real();
    let folder = || ServerFolder::of(&world);
    Ok(match verb {
        Verb::Help => HELP.to_owned(),
        Verb::Version => concat!("anyhook-serve ", env!("CARGO_PKG_VERSION"), "\n").to_owned(),
        Verb::Token(name) => format!("{}\n", Clients::of(&folder()?)?.add(name)?),
        Verb::Revoke(name) => {
            Clients::of(&folder()?)?.revoke(name)?;
            format!("the token of {name} counts no more\n")
        }
        Verb::Stop => format!("ended: {}\n", instance::stop(&folder()?)?.line()),
        Verb::Open(port) => open::open(&world, &folder()?, *port)?,
        Verb::Status { is_json: true } => status_as_json(&folder()?)?,
        Verb::Status { is_json: false } => status(&folder()?)?,
        Verb::Serve(port) => {
            serve(world, *port)?;
            String::new()
        }
    })
}

fn status(folder: &ServerFolder) -> Result<String, ServeError> {
    let mut page = match instance::find(folder)? {
        Some(running) => {
            let mut page = format!("runs: {}\n", running.line());
            if running.version != env!("CARGO_PKG_VERSION") {
                page += "it is another version than this program; anyhook serve --stop ends it\n";
            }
            page
        }
        None => "no server runs\n".to_owned(),
    };
    let names = Clients::of(folder)?.names()?;
    page += &match names.as_slice() {
        [] => "no clients; make a token: anyhook serve --token NAME\n".to_owned(),
        names => format!("clients: {}\n", names.join(", ")),
    };
    Ok(page)
}

/// The server is nothing where none runs.
fn status_as_json(folder: &ServerFolder) -> Result<String, ServeError> {
    let running = instance::find(folder)?.map(|running| {
        json!({
            "version": running.version, "pid": running.pid, "address": running.address, "socket": running.socket,
        })
    });
    let clients = Clients::of(folder)?.names()?;
    Ok(format!(
        "{}\n",
        json!({"server": running, "clients": clients})
    ))
}

/// Runs a server until a signal ends it.
fn serve(mut world: World, port: Port) -> Result<(), ServeError> {
    // A full disk must be an error to us, not the end of us; and a parent that ignored its children must not keep us from
    // waiting for ours.
    for number in [signal_hook::consts::SIGXFSZ, signal_hook::consts::SIGCHLD] {
        let _ = signal_hook::flag::register(number, Arc::default());
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let place = place.unwrap_or_else(|| "an unknown place".to_owned());
        say(&format!(
            "anyhook-serve: a mistake of ours at {place}; its event was refused\n"
        ));
    }));
    world.supervisor = beside();
    let options = Options {
        port,
        ..Options::default()
    };
    let signals = signals().map_err(ServeError::io("listen for signals"))?;
    let server = Server::bind(&world, options)?;
    say(&format!("{}{}\n", open::SAYS, server.running().line()));
    let ended = server.run(ending(signals));
    say("anyhook-serve: ended\n");
    ended
}

/// Finds `anyhook` beside this program: it owns the hooks that go on in the background.
fn beside() -> Option<std::path::PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = own.with_file_name("anyhook");
    program.is_file().then_some(program)
}

/// Listens for the signals that end the server. It does so before the server says that it is there: a signal that comes at once
/// must end it cleanly, too.
fn signals() -> std::io::Result<UnixStream> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (heard, told) = UnixStream::pair()?;
    for number in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::low_level::pipe::register(number, told.try_clone()?)?;
    }
    heard.set_nonblocking(true)?;
    Ok(heard)
}

/// Is over when one of the signals came.
async fn ending(signals: UnixStream) {
    let Ok(signals) = tokio::net::UnixStream::from_std(signals) else {
        return;
    };
    while signals.readable().await.is_ok() {
        let read = signals.try_read(&mut [0]);
        if !read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Verb, String> {
        verb(args.iter().map(Into::into)).map_err(|failed| match failed {
            Failed::Usage(what) => what,
            Failed::Serve(error) => error.to_string(),
        })
    }

    #[test]
    fn the_command_line_says_one_thing() {
        assert_eq!(read(&[]), Ok(Verb::Serve(Port::default())));
        assert_eq!(
            read(&["--port", "8000"]),
            Ok(Verb::Serve(Port::Number(8000)))
        );
        assert_eq!(read(&["--no-port"]), Ok(Verb::Serve(Port::None)));
        assert_eq!(read(&["--token=editor"]), Ok(Verb::Token("editor".into())));
        assert_eq!(
            read(&["--stop", "--status"]),
            Err("one thing at a time".into())
        );
        assert!(read(&["--stop", "--port", "1"]).is_err());
        let open = read(&["--open", "--port", "1"]);
        assert_eq!(open, Ok(Verb::Open(Port::Number(1))));
        assert!(read(&["--port", "70000"]).is_err());
        assert!(read(&["here"]).is_err());
    }
}
