//! The command line of `anyhook serve`.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use anyhook::text::tame;
use anyhook::world::World;
use clap::{Args, Parser};
use serde_json::json;

use crate::clients::Clients;
use crate::error::ServeError;
use crate::instance::{self, ServerInstance};
use crate::limits::Limits;
use crate::open;
use crate::places::ServerFolder;
use crate::server::Server;

/// Answer events over HTTP, only for this machine
///
/// Without an option, the server runs until you stop it. A client posts the payload of an agent to
/// /v1/hosts/NAME/events, and gets what `anyhook run --host NAME` answers.
#[derive(Parser, Debug, PartialEq, Eq)]
#[command(
    name = "anyhook serve",
    bin_name = "anyhook serve",
    version,
    after_help = "Examples:\n  anyhook serve --token editor\n  anyhook serve --port 7467"
)]
struct ServeArgs {
    #[command(flatten)]
    verb: ServeAction,
    /// Listen on this port of 127.0.0.1; 0 takes any free port
    #[arg(long, value_name = "NUMBER", default_value = "7467", conflicts_with_all = ["token", "revoke", "status", "stop"])]
    port: u16,
    /// With --status: write JSON
    #[arg(long, requires = "status", conflicts_with_all = ["token", "revoke", "open", "stop"])]
    json: bool,
}

/// What is done instead of serving.
#[derive(Args, Debug, PartialEq, Eq)]
#[group(multiple = false)]
struct ServeAction {
    /// Make a token for a client, and print it once
    #[arg(long, value_name = "NAME")]
    token: Option<String>,
    /// Revoke the token of a client
    #[arg(long, value_name = "NAME")]
    revoke: Option<String>,
    /// Open the page in your browser, and print a link to it, which counts once and for ten
    /// minutes; starts a server in the background where none runs
    #[arg(long)]
    open: bool,
    /// Show where the server listens, and its clients
    #[arg(long)]
    status: bool,
    /// Stop the server
    #[arg(long)]
    stop: bool,
}

/// Carries out the command line, and returns the exit code.
///
/// ```
/// assert_eq!(anyhook_serve::main(["--help".into()]), std::process::ExitCode::SUCCESS);
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = [OsString::from("anyhook serve")].into_iter().chain(args);
    let typed = match ServeArgs::try_parse_from(args) {
        Ok(typed) => typed,
        Err(error) => {
            let is_wrong = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if is_wrong { 64 } else { 0 });
        }
    };
    match carry_out(&typed) {
        Ok(text) => {
            let written = std::io::stdout().lock().write_all(text.as_bytes());
            ExitCode::from(if written.is_ok() { 0 } else { 74 })
        }
        Err(error) => {
            say(&format!("error: {error}\nhelp: {}\n", error.help));
            ExitCode::from(error.code)
        }
    }
}

/// Writes to standard error, the log of a server.
fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(tame(text).as_bytes());
}

fn carry_out(typed: &ServeArgs) -> Result<String, ServeError> {
    let world = World::real();
    let folder = || ServerFolder::of(&world);
    let verb = &typed.verb;
    if let Some(name) = &verb.token {
        return Ok(Clients::of(&folder()?)?.add(name)? + "\n");
    }
    if let Some(name) = &verb.revoke {
        Clients::of(&folder()?)?.revoke(name)?;
        return Ok(format!("the token of {name} counts no more\n"));
    }
    Ok(match verb {
        ServeAction { stop: true, .. } => {
            format!("ended: {}\n", instance::stop(&folder()?)?.line())
        }
        ServeAction { open: true, .. } => open::open(&world, &folder()?, typed.port)?,
        ServeAction { status: true, .. } => status(&folder()?, typed.json)?,
        _ => {
            serve(world, typed.port)?;
            String::new()
        }
    })
}

fn status(folder: &ServerFolder, is_json: bool) -> Result<String, ServeError> {
    let (running, names) = (instance::find(folder)?, Clients::of(folder)?.names()?);
    if is_json {
        // The server is nothing where none runs.
        let server = running.map(|running| {
            let ServerInstance { version, pid, .. } = &running;
            json!({"version": version, "pid": pid, "address": running.address, "socket": running.socket})
        });
        return Ok(format!("{}\n", json!({"server": server, "clients": names})));
    }
    let mut page = match running {
        Some(running) => {
            let mut page = format!("runs: {}\n", running.line());
            if running.version != env!("CARGO_PKG_VERSION") {
                page += "it is another version than this program; anyhook serve --stop ends it\n";
            }
            page
        }
        None => "no server runs\n".to_owned(),
    };
    page += &match names.as_slice() {
        [] => "no clients; make a token: anyhook serve --token NAME\n".to_owned(),
        names => format!("clients: {}\n", names.join(", ")),
    };
    Ok(page)
}

/// Runs a server until a signal ends it.
fn serve(mut world: World, port: u16) -> Result<(), ServeError> {
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
    let signals = signals().map_err(ServeError::io("listen for signals"))?;
    let server = Server::bind(&world, port, Limits::default())?;
    say(&format!("{}{}\n", open::SAYS, server.running.line()));
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

    fn read(args: &[&str]) -> Option<ServeArgs> {
        ServeArgs::try_parse_from([&["anyhook serve"], args].concat()).ok()
    }

    #[test]
    fn the_command_line_says_one_thing() {
        let port = |args: &[&str]| read(args).map(|typed| typed.port);
        assert_eq!(port(&[]), Some(7467));
        assert_eq!(port(&["--port", "8000"]), Some(8000));
        assert_eq!(port(&["--open", "--port", "1"]), Some(1));
        let token = read(&["--token=editor"]).unwrap().verb.token;
        assert_eq!(token.as_deref(), Some("editor"));
        for wrong in [
            &["--stop", "--status"][..],
            &["--stop", "--port", "1"],
            &["--status", "--port", "1"],
            &["--port", "70000"],
            &["--stop", "--json"],
            &["here"],
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
