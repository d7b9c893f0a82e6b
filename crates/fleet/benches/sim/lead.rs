//! The lead: policies, and the list of who may connect.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook_fleet::{Bundle, Listed, Role, Secret};
use serde_json::{Value, json};

use crate::people::Developer;

/// The lead's key, and the folder of the policy.
pub(crate) struct Lead {
    pub(crate) key: Secret,
    folder: PathBuf,
    pub(crate) served: PathBuf,
}

impl Lead {
    pub(crate) fn at(place: &Path) -> Self {
        let folder = place.join("policy");
        fs::create_dir_all(folder.join("hooks")).unwrap();
        let rule = json!({"type": "rule", "name": "no-publish", "when": "runs('npm publish')", "then": {"deny": "no"}});
        let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [rule]}]}});
        fs::write(folder.join("hooks/hooks.json"), hooks.to_string()).unwrap();
        Self {
            key: Secret::generate().unwrap(),
            folder,
            served: place.join("served.policy"),
        }
    }

    /// A signed revision; by a stranger where that is asked for.
    pub(crate) fn sign(&self, revision: u64, stranger: Option<&Secret>) -> Vec<u8> {
        let rules = json!({"name": "acme", "revision": revision});
        fs::write(self.folder.join("policy.json"), rules.to_string()).unwrap();
        let bundle = Bundle::build(&self.folder).unwrap();
        let signed = bundle.sign(std::slice::from_ref(stranger.unwrap_or(&self.key)));
        signed.unwrap().into_bytes()
    }
}

/// Makes `fleet.json` and a key for each.
pub(crate) fn listed(place: &Path, developers: &[Developer]) -> Value {
    let fixed = [("lead", Role::Lead), ("store", Role::Store)];
    let members = developers
        .iter()
        .map(|developer| (&*developer.name, Role::Member));
    let mut people = serde_json::Map::new();
    for (name, role) in fixed.into_iter().chain(members) {
        let key = Secret::generate().unwrap();
        key.keep(name, place).unwrap();
        people.insert(
            name.to_owned(),
            json!(Listed::of(&key, name, role).unwrap()),
        );
    }
    json!({"name": "acme", "listen": "127.0.0.1:4222", "replicas": 3, "people": people})
}
