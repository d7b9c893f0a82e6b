//! The verbs of `anyhook fleet` about people, servers and the store.

use std::path::Path;

use anyhook::text::moves_or_hides;
use serde_json::json;

use crate::archive::{Archive, Stored};
use crate::command::Connecting;
use crate::control::{Fleet, Listed, Role, named};
use crate::error::PolicyError;
use crate::keys::Secret;
use crate::rounds::{connected, rounds};
use crate::server::Caller;

pub(crate) fn keygen(name: &str, folder: &Path, role: Role) -> Result<String, PolicyError> {
    named(name).map_err(PolicyError::Usage)?;
    let key = Secret::generate()?;
    let (secret, public) = key.keep(name, folder)?;
    let line = json!({name: Listed::of(&key, name, role)?}).to_string();
    let line = line.trim_start_matches('{').trim_end_matches('}');
    Ok(format!(
        "made {} and {}, the key {}\nKeep the first one secret: who has it decides for every machine that trusts the second one.\n\
         The line for `people` of fleet.json:\n  {line}}}\n",
        secret.display(),
        public.display(),
        key.public(name).id(),
    ))
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

impl Connecting {
    /// Takes what is not given from a list of who may connect, and does something as the owner of the key.
    fn called<T>(
        &self,
        fleet: &Fleet,
        work: impl FnOnce(&Caller<'_>) -> Result<T, PolicyError>,
    ) -> Result<T, PolicyError> {
        let (name, key) = key(self.key.as_deref())?;
        work(&Caller {
            server: &self.server.clone().unwrap_or_else(|| fleet.address()),
            authority: self.authority.as_deref(),
            name: &name,
            key: &key,
        })
    }
}

pub(crate) fn streams(fleet: &Fleet, connecting: &Connecting) -> Result<String, PolicyError> {
    let stream = fleet.stream();
    connecting.called(fleet, |caller| {
        connected(caller, async |server| server.make(&stream).await)
    })?;
    Ok("the stream is there\n".to_owned())
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
    let mut all = Stored::default();
    connecting.called(fleet, |caller| {
        rounds(caller, is_followed, async |server| {
            archive.take(server, &mut all).await
        })
    })?;
    Ok(format!(
        "{} records were written, {} messages refused, {} batches had come before\n",
        all.records, all.refused, all.again
    ))
}

/// Writes signs that would move or hide text on a terminal as escapes of JSON, so that what is printed is not changed once more,
/// and another reader gets what a member sent.
pub(crate) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for sign in json.chars() {
        if moves_or_hides(sign) && sign != '\n' {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(sign);
        }
    }
    escaped
}
