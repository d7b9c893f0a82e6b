//! The control plane as one table: the stream, and what each role may publish.
//!
//! `anyhook fleet config` prints it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook::files;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::PolicyError;
use crate::keys::{NamedKey, SecretKey};

/// The stream of batches, and what it takes.
pub(crate) const AUDIT: &str = "AUDIT";
pub(crate) const AUDITED: &str = "audit.>";
/// A list of ten thousand people has two megabytes.
const LONGEST: u64 = 256 << 20;

/// What a person or a program of the fleet may do.
///
/// ```
/// assert_eq!(serde_json::to_value(anyhook_fleet::FleetRole::Member).ok(), Some("member".into()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FleetRole {
    /// Sends its own batches.
    Member,
    /// Reads batches.
    Store,
    /// Makes the stream.
    Lead,
}

impl FleetRole {
    /// The table: what one with this role may publish. `NAME` is its name.
    fn may(self) -> &'static [&'static str] {
        match self {
            Self::Member => &["audit.NAME.*"],
            Self::Store => &["$JS.API.DIRECT.GET.AUDIT"],
            Self::Lead => &[
                "$JS.API.STREAM.CREATE.*",
                "$JS.API.STREAM.UPDATE.*",
                "$JS.API.STREAM.INFO.*",
            ],
        }
    }
}

/// A person or a program that may connect.
///
/// ```
/// use anyhook_fleet::{FleetAccount, FleetRole, SecretKey};
/// let listed = FleetAccount::of(&SecretKey::generate()?, "ada", FleetRole::Member)?;
/// assert!(listed.nkey.starts_with('U'));
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetAccount {
    /// What it may do.
    pub role: FleetRole,
    /// The key that signs its batches.
    pub key: String,
    /// The key by which the server knows it.
    pub nkey: String,
}

impl FleetAccount {
    /// Lists the public halves of a key.
    pub fn of(key: &SecretKey, name: &str, role: FleetRole) -> Result<Self, PolicyError> {
        Ok(Self {
            role,
            key: key.public(name).to_string().trim_end().to_owned(),
            nkey: key.nkey()?.public_key(),
        })
    }
}

/// A certificate, its key, and the authority of those who connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tls {
    certificate: String,
    key: String,
}

/// The fleet of an organisation, as `fleet.json` describes it.
///
/// ```
/// use anyhook_fleet::Fleet;
/// let fleet = Fleet::read(br#"{"name": "acme", "listen": "127.0.0.1:4222", "people": {}}"#)?;
/// assert!(fleet.conf().contains("listen: \"127.0.0.1:4222\""));
/// assert!(Fleet::read(br#"{"name": "acme", "listen": "0.0.0.0:4222", "people": {}}"#).is_err(), "without TLS");
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fleet {
    /// The organisation.
    pub name: String,
    /// Where the server listens.
    pub listen: String,
    /// Who may connect.
    pub people: BTreeMap<String, FleetAccount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tls: Option<Tls>,
    /// How many servers of a cluster keep each message.
    #[serde(default = "one")]
    replicas: u8,
    /// For how many days batches are kept there.
    #[serde(default = "month")]
    days: u64,
}

fn one() -> u8 {
    1
}

fn month() -> u64 {
    30
}

impl Fleet {
    /// Reads `fleet.json`.
    pub fn read(bytes: &[u8]) -> Result<Self, PolicyError> {
        let fleet: Self = serde_json::from_slice(bytes)
            .map_err(|error| unfit(format!("`fleet.json` cannot be understood: {error}")))?;
        fleet.judged().map_err(unfit)?;
        Ok(fleet)
    }

    /// Opens a file of one.
    pub(crate) fn open(file: &Path) -> Result<Self, PolicyError> {
        let bytes = files::read_up_to(file, LONGEST);
        let bytes =
            bytes.map_err(|why| unfit(format!("`{}` cannot be read: {why}", file.display())))?;
        Self::read(&bytes)
    }

    /// Returns the keys that sign batches, by the names of their members.
    pub fn members(&self) -> Result<BTreeMap<String, NamedKey>, PolicyError> {
        let members = self
            .people
            .iter()
            .filter(|(_, listed)| listed.role == FleetRole::Member);
        members
            .map(|(name, listed)| Ok((name.clone(), NamedKey::read(&listed.key)?)))
            .collect()
    }

    /// Returns the address of the server, as a person of this machine reaches it.
    pub(crate) fn address(&self) -> String {
        let scheme = if self.tls.is_some() { "tls" } else { "nats" };
        format!("{scheme}://{}", self.listen)
    }

    /// Returns the text of a server's configuration.
    pub fn conf(&self) -> String {
        let mut conf = format!(
            "# Made by `anyhook fleet config`: change fleet.json and print it again.\nserver_name: {}\nlisten: {}\n\
             max_payload: 8MB\njetstream {{ store_dir: \"/var/lib/nats\", sync_interval: always }}\n",
            quoted(&self.name),
            quoted(&self.listen),
        );
        if let Some(tls) = &self.tls {
            let (certificate, key) = (quoted(&tls.certificate), quoted(&tls.key));
            conf.push_str(&format!(
                "tls {{ cert_file: {certificate}, key_file: {key} }}\n"
            ));
        }
        let name = quoted(&self.name);
        let users: String = self.people.iter().map(user).collect();
        conf + &format!(
            "accounts {{\n  {name} {{\n    jetstream: enabled\n    users: [\n{users}    ]\n  }}\n}}\n"
        )
    }

    /// Returns the stream: what is sent to a server to make it.
    pub fn stream(&self) -> Value {
        let day = 24 * 60 * 60 * 1_000_000_000_u64;
        // A batch is compressed already. A server that was killed could not read a stream again that it had compressed itself
        // (NATS 2.15.1, "smb.truncate: error reading compression reader"), and stayed without it.
        json!({"name": AUDIT, "subjects": [AUDITED], "storage": "file", "compression": "none", "retention": "limits",
            "num_replicas": self.replicas, "allow_direct": true, "deny_delete": true, "deny_purge": true,
            "max_age": self.days * day, "duplicate_window": day / 12})
    }

    fn judged(&self) -> Result<(), String> {
        let mut names = self.people.keys().chain([&self.name]);
        names.try_for_each(|name| named(name))?;
        if self.tls.is_none() && !is_reached_from_here(&self.listen) {
            return Err(format!(
                "`{}` is reached from other machines, so the server needs `tls`",
                self.listen
            ));
        }
        if !(1..=5).contains(&self.replicas) || self.days == 0 || self.days > 36_500 {
            return Err(
                "`replicas` is a number from 1 to 5, and `days` one from 1 to 36500".into(),
            );
        }
        for (name, listed) in &self.people {
            NamedKey::read(&listed.key).map_err(|error| format!("the key of {name}: {error}"))?;
            let is_user = nkeys::KeyPair::from_public_key(&listed.nkey)
                .is_ok_and(|pair| pair.key_pair_type() == nkeys::KeyPairType::User);
            if !is_user {
                return Err(format!("the nkey of {name} is no key of a user"));
            }
        }
        Ok(())
    }
}

/// The line of a user of an account, with what it may publish; it hears the answers to what it asks.
fn user((name, listed): (&String, &FleetAccount)) -> String {
    let publish = listed.role.may().iter();
    let publish: Vec<String> = publish
        .map(|subject| subject.replace("NAME", name))
        .collect();
    format!(
        "      {{ nkey: {}, allowed_connection_types: [STANDARD], permissions: {{ publish: {{ allow: {} }}, subscribe: {{ allow: {} }} }} }}  # {name}\n",
        listed.nkey,
        json!(publish),
        json!([format!("_INBOX.{name}.>")]),
    )
}

/// Writes a text for NATS, which reads JSON with less punctuation.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Tells whether a server that listens there is reached from this machine alone.
fn is_reached_from_here(listen: &str) -> bool {
    let here = ["127.0.0.1:", "localhost:", "[::1]:"];
    here.iter().any(|name| listen.starts_with(name))
}

/// Refuses a name that cannot stand in a subject, in a file's name and in a page as it is.
pub(crate) fn named(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name = (1..=32).contains(&name.len())
        && name.starts_with(is_plain)
        && name.chars().all(|c| is_plain(c) || "_-".contains(c));
    let what = || {
        format!(
            "`{name}` is no name: 1 to 32 of a-z, 0-9, `_` and `-`, the first a letter or digit"
        )
    };
    is_name.then_some(()).ok_or_else(what)
}

fn unfit(what: String) -> PolicyError {
    PolicyError::unfit(
        what,
        "docs/teams.md describes fleet.json; `anyhook fleet keygen NAME` prints the line of a person",
    )
}
