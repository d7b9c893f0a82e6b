//! The page in the browser of its person.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use anyhook::files::{self, Durability};
use anyhook::world::World;

use crate::error::ServeError;
use crate::instance::{self, ServerInstance};
use crate::places::ServerFolder;

/// How a server that has started says so.
pub(crate) const SAYS: &str = "anyhook-serve: ";
/// The most of a line of it that is read.
const LONGEST: u64 = 4096;

/// Opens the page, and returns what is printed. Where no server runs, one is started, which goes on in the background.
pub(crate) fn open(world: &World, folder: &ServerFolder, port: u16) -> Result<String, ServeError> {
    let (running, mut text) = match instance::find(folder)? {
        Some(running) => (running, String::new()),
        None => (
            start(folder, port)?,
            "a server runs now, in the background; to end it: anyhook serve --stop\n\n".to_owned(),
        ),
    };
    if in_browser(world, folder, &running)? {
        text += "the page opens in your browser; a link for another one:\n";
    }
    let [link, other] = running.links(folder)?;
    Ok(format!(
        "{text}{link}\n\nif your browser does not find this name, open this one instead:\n{other}\n"
    ))
}

/// Starts a server in a group of its own, so that the end of this command is not its end.
fn start(folder: &ServerFolder, port: u16) -> Result<ServerInstance, ServeError> {
    let program = std::env::current_exe();
    let mut command = Command::new(program.map_err(ServeError::io("tell where this program is"))?);
    let streams = command
        .args(["--port", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut child = streams
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(ServeError::io("start the server"))?;
    let mut said = String::new();
    if let Some(stderr) = child.stderr.take() {
        let mut lines = BufReader::new(stderr.take(LONGEST));
        let read = lines.read_line(&mut said);
        read.map_err(ServeError::io("hear the server"))?;
    }
    let running = instance::find(folder)?.filter(|_| said.starts_with(SAYS));
    let what = said.trim().trim_start_matches("error: ").to_owned();
    running.ok_or_else(|| {
        let what = format!("the server did not start: {what}");
        ServeError::new(74, what, "start it by itself to see why: anyhook serve")
    })
}

/// Opens the page where the person has a browser; tells whether there was one to start. The link goes to it in a file that
/// only its person reads: others can read the arguments of a program.
fn in_browser(
    world: &World,
    folder: &ServerFolder,
    running: &ServerInstance,
) -> Result<bool, ServeError> {
    let is_set = |name: &str| world.var(name).is_some_and(|value| !value.is_empty());
    let has_screen = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    let program = match world.var("BROWSER").filter(|_| is_set("BROWSER")) {
        Some(browser) => browser.to_owned(),
        None if cfg!(target_os = "macos") => "open".into(),
        None if has_screen => "xdg-open".into(),
        None => return Ok(false),
    };
    let [link, _] = running.links(folder)?;
    let page = format!(
        "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0; url={link}\"><title>Anyhook</title>\n"
    );
    let file = folder.file("open.html");
    files::replace(&file, page.as_bytes(), Durability::No)?;
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null());
    let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Ok(started.is_ok())
}
