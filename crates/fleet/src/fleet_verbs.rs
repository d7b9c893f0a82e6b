//! The verbs of `anyhook fleet` about people, servers and the store.

use std::path::Path;

use anyhook::text::moves_or_hides;
use serde_json::json;

use crate::archive::{Archive, ArchiveSummary};
use crate::command::ConnectionArgs;
use crate::control::{Fleet, FleetAccount, FleetRole, named};
use crate::error::{PolicyError, Trouble};
use crate::keys::SecretKey;
use crate::rounds::{connected, rounds};
use crate::server::ConnectionSettings;

pub(crate) fn keygen(name: &str, folder: &Path, role: FleetRole) -> Result<String, PolicyError> {
    named(name).map_err(|why| Trouble::Usage.error(why))?;
    let key = SecretKey::generate()?;
    let (secret, public) = key.keep(name, folder)?;
    let line = json!({name: FleetAccount::of(&key, name, role)?}).to_string();
    let line = line.trim_start_matches('{').trim_end_matches('}');
    Ok(format!(
        "made {} and {}, the key {}\nKeep the first one secret: who has it decides for every machine that trusts the second one.\n\
         The line for `people` of fleet.json:\n  {line}}}\n",
        secret.display(),
        public.display(),
        key.public(name).id(),
    ))
}

impl ConnectionArgs {
    /// Says who connects, and where to: the file of a key is called after its owner.
    pub(crate) fn caller(self, usual: &str) -> Result<ConnectionSettings, PolicyError> {
        let file = self.key;
        let file = file.ok_or_else(|| Trouble::Usage.error("who connects? --key FILE"))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if named(&name).is_err() {
            return Err(PolicyError::unfit(
                format!("the key `{}` is not called after a person", file.display()),
                "call it NAME.key, as `anyhook fleet keygen NAME` does",
            ));
        }
        Ok(ConnectionSettings {
            server: self.server.unwrap_or_else(|| usual.to_owned()),
            authority: self.authority,
            key: SecretKey::open(&file)?,
            name: name.into_owned(),
        })
    }
}

pub(crate) fn streams(fleet: &Fleet, connecting: ConnectionArgs) -> Result<String, PolicyError> {
    let caller = connecting.caller(&fleet.address())?;
    connected(&caller, async |server| server.make(&fleet.stream()).await)?;
    Ok("the stream is there\n".to_owned())
}

pub(crate) fn keep(
    folder: &Path,
    fleet: &Fleet,
    connecting: ConnectionArgs,
    is_followed: bool,
) -> Result<String, PolicyError> {
    let Some(mut archive) = Archive::open(folder, fleet)? else {
        return Ok("another process writes this store\n".to_owned());
    };
    let mut all = ArchiveSummary::default();
    let caller = connecting.caller(&fleet.address())?;
    rounds(&caller, is_followed, async |server| {
        archive.take(server, &mut all).await
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
