//! The servers of other sites: leaf nodes, which pass on what their own people say and may hear, and keep nothing.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Fleet, Listed, Role, Tls, inbox, is_reached_from_here, quoted, users};
use crate::error::PolicyError;

/// The server of a site, as `fleet.json` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Site {
    /// Where it listens.
    listen: String,
    /// The servers in the middle, as they are reached from the site, with commas between them.
    hub: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tls: Option<Tls>,
    /// A file of certificates that vouch for the servers in the middle, where the system's do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
}

impl Site {
    /// Returns the configuration of its server, which takes its key from the file beside it. There is no `JetStream` in it: what is published there is acknowledged by the hub,
    /// so that a message is either in the streams of the hub or still on its machine.
    pub(crate) fn conf(&self, fleet: &Fleet, name: &str) -> String {
        let tls = self.tls.as_ref().map(|tls| tls.conf() + "\n");
        let hubs: Vec<&str> = self.hub.split(',').collect();
        let authority = self.authority.as_deref();
        let authority = authority.map(|file| format!("ca_file: {}", quoted(file)));
        let own = fleet.people.iter().filter(|(_, listed)| listed.is_at(name));
        let account = quoted(&fleet.name);
        format!(
            "# Made by `anyhook fleet config --site {name}`: change fleet.json and print it again.\nserver_name: {}\nlisten: {}\n\
             max_payload: 8MB\n{}default_js_domain {{ {account}: \"\" }}\nleafnodes {{ remotes: [ {{ urls: {}, account: {account}, include \"./{name}.nk\", tls {{ {} }} }} ] }}\n\
             accounts {{\n  {account} {{\n    users: [\n{}    ]\n  }}\n}}\n",
            quoted(&format!("{}-{name}", fleet.name)),
            quoted(&self.listen),
            tls.unwrap_or_default(),
            json!(hubs),
            authority.unwrap_or_default(),
            users(own, Listed::may),
        )
    }

    fn judged(&self, name: &str) -> Result<(), String> {
        if self.tls.is_none() && !is_reached_from_here(&self.listen) {
            let listen = &self.listen;
            return Err(format!(
                "the server of the site {name} is reached at `{listen}` from other machines, so it needs `tls`"
            ));
        }
        let is_safe = |address: &str| address.starts_with("tls://") && !address.contains('@');
        if !self.hub.split(',').all(is_safe) {
            return Err(format!(
                "`hub` of the site {name} is an address such as `tls://nats.example.com:7422`, without a name or a password"
            ));
        }
        Ok(())
    }
}

impl Fleet {
    /// Returns the text of the configuration of a site's server.
    pub fn conf_of_site(&self, name: &str) -> Result<String, PolicyError> {
        let site = self.sites.get(name).ok_or_else(|| {
            let what = format!("`fleet.json` describes no site `{name}`");
            PolicyError::unfit(
                what,
                "docs/teams.md describes `sites`; their names are those of their keys",
            )
        })?;
        Ok(site.conf(self, name))
    }

    /// Returns what one who is listed may publish and hear: a site's server hears what its own people may, and no more.
    pub(crate) fn may(&self, listed: &Listed, name: &str) -> (Vec<String>, Vec<String>) {
        let (mut publish, mut hear) = listed.may(name);
        if listed.role == Role::Leaf {
            let own = self.people.iter().filter(|(_, other)| other.is_at(name));
            hear.extend(own.flat_map(|(name, other)| other.may(name).1));
            hear.sort_unstable();
            hear.dedup();
            // What becomes of an answer is said to those who gave it.
            let answerers = self.people.iter();
            let answerers = answerers.filter(|(_, other)| other.role == Role::Answerer);
            publish.extend(answerers.map(|(name, _)| inbox(name)));
        }
        (publish, hear)
    }

    /// Says what is wrong with the sites, and with who is at them.
    pub(crate) fn judged_sites(&self) -> Result<(), String> {
        for (name, site) in &self.sites {
            let is_leaf = |listed: &Listed| listed.role == Role::Leaf;
            if !self.people.get(name).is_some_and(is_leaf) {
                return Err(format!(
                    "the site {name} needs a line in `people` with its name and the role `leaf`"
                ));
            }
            site.judged(name)?;
        }
        for (name, listed) in &self.people {
            let Some(at) = &listed.at else { continue };
            if !self.sites.contains_key(at) {
                return Err(format!("{name} is `at` {at}, which `sites` does not name"));
            }
            if !matches!(listed.role, Role::Member | Role::Answerer) {
                return Err(format!(
                    "{name} connects to the hub alone: a member or an answerer is `at` a site"
                ));
            }
        }
        Ok(())
    }
}
