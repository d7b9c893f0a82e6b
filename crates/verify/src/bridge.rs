//! Answers a plugin as `anyhook serve` does, by the program that entries call elsewhere: a request becomes one run of it.
//!
//! It listens where the plugin looks for the server of a person: on the socket in the state folder of the session's home.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook::core::transcript::{End, Transcript};
use anyhook::processes::Job;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use serde_json::json;

use crate::process::run;
use crate::server::Running;

/// What a request is answered with.
#[derive(Debug)]
struct Asked {
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
) -> io::Result<Running> {
    if let Some(folder) = socket.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let listener = std::os::unix::net::UnixListener::bind(socket)?;
    listener.set_nonblocking(true)?;
    let asked = Arc::new(Asked { program, env, cwd });
    let app = Router::new().fallback(answer).with_state(asked);
    Running::start("bridge", async move {
        let Ok(listener) = tokio::net::UnixListener::from_std(listener) else {
            return;
        };
        // It ends with its thread; an error of one connection is that of its client.
        let _ = axum::serve(listener, app).await;
    })
}

/// Returns the host and the event of `/v1/hosts/HOST/events?event=EVENT`.
fn meant(uri: &Uri) -> Option<(&str, &str)> {
    let path = uri.path().strip_prefix("/v1/hosts/")?;
    let mut pairs = uri.query()?.split('&');
    let event = pairs.find_map(|pair| pair.strip_prefix("event="))?;
    Some((path.strip_suffix("/events")?, event))
}

async fn answer(State(asked): State<Arc<Asked>>, uri: Uri, body: Bytes) -> (StatusCode, String) {
    let Some((host, event)) = meant(&uri) else {
        let error = json!({"error": format!("`{uri}` is no event of a host")});
        return (StatusCode::NOT_FOUND, error.to_string());
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
    let ended = tokio::task::spawn_blocking(|| run(job)).await;
    let Ok(Transcript {
        stdout,
        stderr,
        end: End::Code(exit),
        ..
    }) = ended
    else {
        let error = json!({"error": "the program did not end by itself"});
        return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    };
    let status = match exit {
        0 => StatusCode::OK,
        _ => StatusCode::FORBIDDEN,
    };
    let reply = json!({"stdout": stdout.text(), "stderr": stderr.text(), "exit": exit});
    (status, reply.to_string())
}
