//! The report of a machine about itself: its revision, whether its guards are on, and how much waits to be sent.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhook::policy::Exception;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::PolicyError;
use crate::keys::{Public, Secret};
use crate::sealed;
use crate::store::Store;

const DOMAIN: &[u8] = b"anyhook presence 1\0";

/// What a machine says of itself. It is signed like a batch: the server's word that it came from there is not enough.
///
/// ```
/// use anyhook_fleet::{Presence, Secret};
///
/// let key = Secret::generate()?;
/// let said = Presence { person: "ada".into(), machine: "0a1b".into(), at: 7, ..Presence::default() };
/// let message = said.seal(&key)?;
/// assert_eq!(Presence::open(&message, &key.public("ada")), Some(said));
/// assert_eq!(Presence::open(&message, &Secret::generate()?.public("ada")), None);
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Whose machine it is.
    pub person: String,
    /// Which machine.
    pub machine: String,
    /// When it said so, in milliseconds since 1970, by its own clock.
    pub at: i64,
    /// The version of Anyhook.
    pub version: String,
    /// The revision of the policy that holds; nothing where none does.
    pub revision: Option<String>,
    /// A later revision that is out and does not hold here yet.
    pub waits_for: Option<String>,
    /// The agents, and what `anyhook doctor` says of each.
    pub guards: Vec<Guard>,
    /// How many bytes of the record were not sent.
    pub behind: u64,
    /// The exceptions that were granted on it, so that the lead sees which end soon.
    #[serde(default)]
    pub exceptions: Vec<Exception>,
}

/// What `anyhook doctor` says of an agent.
///
/// ```
/// assert!(!anyhook_fleet::Guard::default().healthy);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The agent.
    pub host: String,
    /// Whether its entries call Anyhook, and the self-test passed.
    pub healthy: bool,
    /// Whether this version of it was verified live.
    pub verified: bool,
}

impl Presence {
    /// Writes and signs it.
    pub fn seal(&self, key: &Secret) -> Result<Vec<u8>, PolicyError> {
        sealed::seal(DOMAIN, self, key)
    }

    /// Reads it; nothing where this key did not sign it.
    pub fn open(message: &[u8], key: &Public) -> Option<Self> {
        sealed::open(DOMAIN, message, key)
    }
}

/// The policy that holds on a machine, as far as its fleet is told of it.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) revision: String,
    pub(crate) digest: String,
    pub(crate) exceptions: Vec<Exception>,
}

impl Held {
    /// Reads it below a managed folder.
    pub(crate) fn below(managed: &Path) -> Option<Self> {
        let policy = Store::at(managed).current()?;
        let stamp = policy.stamp.unwrap_or_default();
        Some(Self {
            revision: policy.name.into(),
            digest: stamp.digest,
            exceptions: stamp.exceptions,
        })
    }
}

/// Asks `anyhook doctor`, which stands beside this program. Where it does not answer, no guard is known to be on.
pub(crate) fn guards() -> Vec<Guard> {
    let own = std::env::current_exe().and_then(|own| own.canonicalize());
    let program = own.map(|own| own.with_file_name("anyhook"));
    let asked = program.and_then(|program| {
        Command::new(program)
            .args(["doctor", "--json"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
    });
    let said = asked.map(|output| output.stdout).unwrap_or_default();
    let said: Value = serde_json::from_slice(&said).unwrap_or_default();
    let hosts = said.get("hosts").and_then(Value::as_array);
    let one = |host: &Value| Guard {
        host: host
            .get("host")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        healthy: host
            .get("healthy")
            .and_then(Value::as_bool)
            .unwrap_or_default(),
        verified: host
            .get("verified")
            .is_some_and(|verified| !verified.is_null()),
    };
    hosts.into_iter().flatten().map(one).collect()
}
