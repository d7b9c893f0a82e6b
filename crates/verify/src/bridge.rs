//! Answers a plugin as `anyhook serve` does, by the program that entries call elsewhere: a request becomes one run of it.
//!
//! It listens where the plugin looks for the server of a person: on the socket in the state folder of the session's home.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::core::transcript::{End, Transcript};
use anyhook::processes::Job;
use serde_json::json;

use crate::process::run;
use crate::server::{HttpReply, RunningServer};

/// What a request is answered with.
#[derive(Debug)]
struct BridgeProgram {
    program: PathBuf,
    env: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

/// Longer than any session.
const LONGEST: Duration = Duration::from_hours(1);

/// Starts it. It ends when what it returns is dropped.
pub(crate) fn start(
    socket: &Path,
    program: PathBuf,
    env: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
) -> io::Result<RunningServer> {
    if let Some(folder) = socket.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let listener = std::os::unix::net::UnixListener::bind(socket)?;
    let asked = BridgeProgram { program, env, cwd };
    RunningServer::start("bridge", listener, move |url, body| {
        answer(&asked, url, body)
    })
}

/// Returns the host and the event of `/v1/hosts/HOST/events?event=EVENT`.
fn meant(url: &str) -> Option<(&str, &str)> {
    let (path, query) = url.split_once('?')?;
    let path = path.strip_prefix("/v1/hosts/")?;
    let mut pairs = query.split('&');
    let event = pairs.find_map(|pair| pair.strip_prefix("event="))?;
    Some((path.strip_suffix("/events")?, event))
}

fn answer(asked: &BridgeProgram, url: &str, body: &[u8]) -> HttpReply {
    let Some((host, event)) = meant(url) else {
        let error = json!({"error": format!("`{url}` is no event of a host")});
        return HttpReply::json(404, &error);
    };
    let job = Job {
        program: asked.program.clone(),
        args: ["run", event, "--host", host].map(OsString::from).into(),
        env: asked.env.clone().into_iter().collect(),
        cwd: asked.cwd.clone(),
        stdin: body.to_vec().into(),
        deadline: LONGEST,
        confined: None,
    };
    let Transcript {
        stdout,
        stderr,
        end: End::Code(exit),
        ..
    } = run(job)
    else {
        let error = json!({"error": "the program did not end by itself"});
        return HttpReply::json(500, &error);
    };
    let status = if exit == 0 { 200 } else { 403 };
    let reply = json!({"stdout": stdout.text(), "stderr": stderr.text(), "exit": exit});
    HttpReply::json(status, &reply)
}
