//! The verbs of `anyhook fleet` about people, servers and the store.

use std::path::Path;

use anyhook::text::moves_or_hides;
use serde_json::json;

use crate::archive::{Archive, Stored};
use crate::command::Connecting;
use crate::control::{Fleet, Listed, Role, named};
use crate::error::PolicyError;
use crate::keys::Secret;
use crate::query::{self, Question};
use crate::server::{Caller, Server};

pub(crate) fn keygen(name: &str, folder: &Path, role: Role) -> Result<String, PolicyError> {
    named(name).map_err(PolicyError::Usage)?;
    let key = Secret::generate()?;
    let (secret, _) = key.keep(name, folder)?;
    let line = json!({name: Listed::of(&key, name, role)?}).to_string();
    let line = line.trim_start_matches('{').trim_end_matches('}');
    Ok(format!(
        "made {}; keep it secret. The line for `people` of fleet.json:\n  {line}}}\n",
        secret.display()
    ))
}

/// A runtime of one thread: this program waits for a network and does little else.
pub(crate) fn block<T>(
    work: impl Future<Output = Result<T, PolicyError>>,
) -> Result<T, PolicyError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(PolicyError::io("start", Path::new("the runtime")))?;
    runtime.block_on(work)
}

/// A key and whose it is: its file is called after its owner.
pub(crate) fn key(file: Option<&Path>) -> Result<(String, Secret), PolicyError> {
    let Some(file) = file else {
        return Err(PolicyError::Usage("who connects? --key FILE".into()));
    };
    let name = file
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| named(name).is_ok());
    let name = name.ok_or_else(|| {
        let what = format!("the key `{}` is not called after a person", file.display());
        PolicyError::unfit(
            what,
            "call it NAME.key, as `anyhook fleet keygen NAME` does",
        )
    })?;
    Ok((name, Secret::open(file)?))
}

/// Does something with a connection as the owner of a key.
fn connected<T>(
    fleet: &Fleet,
    connecting: &Connecting,
    work: impl AsyncFnOnce(Server, &Caller<'_>) -> Result<T, PolicyError>,
) -> Result<T, PolicyError> {
    let (name, key) = key(connecting.key.as_deref())?;
    let address = connecting.server.clone().unwrap_or_else(|| fleet.address());
    let caller = Caller {
        server: &address,
        authority: connecting.authority.as_deref(),
        name: &name,
        key: &key,
    };
    block(async { work(Server::patiently(&caller).await?, &caller).await })
}

pub(crate) fn streams(fleet: &Fleet, connecting: &Connecting) -> Result<String, PolicyError> {
    connected(fleet, connecting, async |server, _| {
        server.make(&fleet.stream()).await?;
        Ok("the stream is there\n".to_owned())
    })
}

pub(crate) fn keep(
    folder: &Path,
    fleet: &Fleet,
    connecting: &Connecting,
    is_followed: bool,
) -> Result<String, PolicyError> {
    let Some(mut archive) = Archive::open(folder, fleet)? else {
        return Ok("another process writes this store\n".to_owned());
    };
    let done = connected(fleet, connecting, async |mut server, caller| {
        let mut all = Stored::default();
        loop {
            let round = async {
                let (done, is_all) = archive.take(&server).await?;
                all.add(done);
                Ok(is_all)
            };
            let is_all = match round.await {
                Ok(true) if !is_followed => return Ok(all),
                Ok(is_all) => is_all,
                // A server that hangs does not say so.
                Err(why @ PolicyError::Server { .. }) if is_followed => {
                    let why = anyhook::files::with_causes(&why);
                    crate::command::say(&format!("{why}; connected anew\n"));
                    server = Server::connect(caller).await.unwrap_or(server);
                    true
                }
                Err(error) => return Err(error),
            };
            if is_all {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    })?;
    Ok(format!(
        "{} records were written, {} messages refused, {} batches had come before\n",
        done.records, done.refused, done.again
    ))
}

/// Asks a store, and writes the answer for a person or a program.
pub(crate) fn asked(
    question: &Question,
    store: &Path,
    is_json: bool,
    sql: fn(&Question, &[String]) -> String,
) -> Result<String, PolicyError> {
    let files = question.files(store)?;
    let rows = if files.is_empty() {
        Vec::new()
    } else {
        query::ask(&sql(question, &files))?
    };
    if is_json {
        return Ok(as_json(&rows));
    }
    Ok(query::table(&rows))
}

/// Writes an answer for a program. Signs that would move or hide text on a terminal stand as escapes of JSON, so that what is
/// printed is not changed once more, and another reader gets what a member sent.
pub(crate) fn as_json(answer: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(answer).unwrap_or_default();
    let mut escaped = String::with_capacity(text.len() + 1);
    for sign in text.chars() {
        if moves_or_hides(sign) {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(sign);
        }
    }
    escaped + "\n"
}
