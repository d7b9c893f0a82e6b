//! The server of the fleet: `[fleet]` in `config.toml`.

use std::path::PathBuf;

use toml_edit::{Item, TableLike};

use super::ConfigError;
use super::config::{Wrong, first, text};
use crate::stores::Keep;
use crate::world::{ConfigFiles, World};

/// So much may wait on the disk for a server that is not reached, beside the record itself.
const WAITING: u64 = 64 << 20;

/// The server of a fleet, and what of the record it gets; the hooks themselves never ask it.
///
/// ```
/// use anyhook_engine::limits::Fleet;
/// use anyhook_engine::stores::Keep;
/// use anyhook_engine::world::ConfigFiles;
///
/// let place = tempfile::tempdir()?;
/// let user = place.path().join("config.toml");
/// std::fs::write(&user, "[fleet]\nserver = \"tls://nats.example.com:4222\"\nlevel = \"shapes\"\n")?;
/// let files = ConfigFiles { managed: None, user: Some(user) };
/// assert_eq!(Fleet::read(&files)?.level, Keep::Shape);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fleet {
    /// The address of the server, or those of a cluster with commas between them; none where nothing is configured.
    pub server: Option<String>,
    /// The file of the person's key, which is called after the person.
    pub key: Option<PathBuf>,
    /// A file with the certificates that vouch for the server, where the system's own do not.
    pub authority: Option<PathBuf>,
    /// The folder of the store of all machines, on the machine that has it.
    pub store: Option<PathBuf>,
    /// How much of each record leaves the machine: `decisions` unless more is asked for.
    pub level: Keep,
    /// How many bytes may wait on the disk, beside the record itself.
    pub waiting: u64,
}

impl Default for Fleet {
    fn default() -> Self {
        Self {
            server: None,
            key: None,
            authority: None,
            store: None,
            level: Keep::Verdicts,
            waiting: WAITING,
        }
    }
}

impl Fleet {
    /// Reads what is configured for this machine and person: the managed file where it has the table, else the person's own.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        Ok(first(files, "fleet", of_table)?.unwrap_or_default().0)
    }
}

fn of_table(table: &dyn TableLike) -> Result<Fleet, Wrong> {
    let mut found = Fleet::default();
    for (name, item) in table.iter() {
        match name {
            "server" => found.server = Some(server(item)?),
            "key" => found.key = Some(text("fleet", name, item)?.into()),
            "authority" => found.authority = Some(text("fleet", name, item)?.into()),
            "store" => found.store = Some(text("fleet", name, item)?.into()),
            "level" => found.level = level("fleet", item)?,
            "waiting" => found.waiting = megabytes(item)? << 20,
            _ => return Err((item.span(), format!("unknown field `fleet.{name}`"))),
        }
    }
    Ok(found)
}

/// Machines on the way could read what goes to another one without TLS.
fn server(item: &Item) -> Result<String, Wrong> {
    let text = text("fleet", "server", item)?;
    let here = ["127.0.0.1", "localhost", "[::1]"];
    let is_here = |rest: &str| {
        here.iter().any(|name| {
            rest.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    };
    let is_safe = |address: &str| {
        address.starts_with("tls://") || address.strip_prefix("nats://").is_some_and(is_here)
    };
    if text.split(',').all(is_safe) && !text.contains('@') {
        return Ok(text);
    }
    let what = "`fleet.server` must be an address such as `tls://nats.example.com:4222` without a name or a password; \
                `nats://` is for this machine alone";
    Err((item.span(), what.to_owned()))
}

/// Reads how much of each record leaves the machine.
pub(super) fn level(table: &str, item: &Item) -> Result<Keep, Wrong> {
    match item.as_str() {
        Some("decisions") => Ok(Keep::Verdicts),
        Some("shapes") => Ok(Keep::Shape),
        Some("redacted") => Ok(Keep::Payload),
        Some(_) | None => {
            let what = format!("`{table}.level` must be `decisions`, `shapes` or `redacted`");
            Err((item.span(), what))
        }
    }
}

fn megabytes(item: &Item) -> Result<u64, Wrong> {
    let number = item
        .as_integer()
        .and_then(|number| u64::try_from(number).ok());
    let what = "`fleet.waiting` must be a whole number of megabytes from 1 to 1048576";
    number
        .filter(|number| (1..=1_048_576).contains(number))
        .ok_or_else(|| (item.span(), what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(managed: &str, user: &str) -> Result<Fleet, String> {
        let place = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &str| {
            std::fs::write(place.path().join(name), text).unwrap();
            Some(place.path().join(name))
        };
        let files = ConfigFiles {
            managed: written("managed.toml", managed),
            user: written("user.toml", user),
        };
        let folder = format!("{}/", place.path().display());
        Fleet::read(&files).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn the_administrator_decides_what_leaves_the_machine() {
        assert_eq!(read("", "").unwrap(), Fleet::default());
        let user = "[fleet]\nserver = \"tls://a:4222\"\nlevel = \"redacted\"\nwaiting = 2\n";
        let own = read("", user).unwrap();
        assert_eq!((own.level, own.waiting), (Keep::Payload, 2 << 20));
        let managed = read("[fleet]\nserver = \"tls://b:4222\"\n", user).unwrap();
        assert_eq!(managed.server.as_deref(), Some("tls://b:4222"));
        assert_eq!(
            managed.level,
            Keep::Verdicts,
            "nothing of the person's table is left"
        );
    }

    #[test]
    fn an_address_that_others_on_the_way_could_read_is_refused_in_plain_words() {
        for server in [
            "nats://nats.example.com:4222",
            "nats://127.0.0.1.example.com",
            "nats.example.com",
            "tls://ada:secret@nats.example.com",
            "nats://localhost@nats.example.com",
            "tls://nats.example.com,nats://nats.example.com",
            "nats://localhost,",
            "tls://a.example.com, tls://b.example.com",
        ] {
            let said = read("", &format!("[fleet]\nserver = \"{server}\"\n")).unwrap_err();
            assert!(
                said.contains("must be an address such as"),
                "{server}: {said}"
            );
        }
        for server in [
            "tls://nats.example.com",
            "nats://127.0.0.1:4222",
            "nats://localhost",
            "tls://a.example.com:4222,tls://b.example.com:4222",
        ] {
            assert!(
                read("", &format!("[fleet]\nserver = \"{server}\"\n")).is_ok(),
                "{server}"
            );
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        for (text, expected) in [
            (
                "[fleet]\nlevel = \"all\"\n",
                "`user.toml:2:9`: `fleet.level` must be `decisions`, `shapes` or `redacted`",
            ),
            (
                "[fleet]\nwaiting = 0\n",
                "`user.toml:2:11`: `fleet.waiting` must be a whole number of megabytes from 1 to 1048576",
            ),
            (
                "[fleet]\nto = 1\n",
                "`user.toml:2:6`: unknown field `fleet.to`",
            ),
        ] {
            assert_eq!(read("", text).unwrap_err(), expected);
        }
    }
}
