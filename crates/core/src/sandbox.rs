//! What a command may touch, as data: `sandbox` of `hooks.json`, `then: {"confine": …}` of a rule, the flags of
//! `anyhook confine`.
//!
//! Nothing is confined here. A place is what the kernel has a rule for: a folder with all that is in it, or one file.
//!
//! ```
//! use anyhook_core::sandbox::{Network, Sandbox};
//!
//! let file: Sandbox = serde_json::from_str(r#"{"write": ["./**"], "network": "any", "processes": 64}"#)?;
//! let hook: Sandbox = serde_json::from_str(r#"{"write": ["./build/**", "~/notes"], "network": "none"}"#)?;
//!
//! // Two that both hold: of each part the narrower one. What was asked for in vain is named.
//! let (both, in_vain) = file.narrowed(&hook);
//! assert_eq!(serde_json::to_string(&both.write)?, r#"["./build/**"]"#);
//! assert_eq!((both.network, both.processes, in_vain), (Some(Network::None), file.processes, vec!["write"]));
//!
//! assert!(Sandbox::of_package().told().starts_with("Reads the project and the package's own folder"));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod narrow;
mod place;
mod told;

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::words::words;
pub use place::{Extent, PathRoot, SandboxPath, SandboxPathError};

/// What a command may touch, as people write it. What is not said is for the caller to fill in, by [`Sandbox::or`].
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Sandbox {
    /// What it may read and execute, besides the folders of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<SandboxPath>>,
    /// What it may change, and read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<SandboxPath>>,
    /// Where it may connect to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// The variables that pass; a name may end in `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<String>>,
    /// How many processes and threads it may have at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<NonZeroU32>,
    /// Whether it may not run where any of this cannot be had.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// The names of the fields, in the order in which pages list them.
pub const FIELDS: &[&str] = &["read", "write", "network", "env", "processes", "required"];

/// The variables of the caller that pass into a hook which says nothing about them: who and where, and no keys.
const ENV_OF_PACKAGE: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "LANG", "LC_*", "TZ", "TERM", "NO_COLOR",
];

impl Sandbox {
    /// Returns what holds for a command of which nothing is said: it reads the project, writes nothing and has no network.
    pub fn of_command() -> Self {
        Self {
            read: Some(vec![SandboxPath::project()]),
            write: Some(Vec::new()),
            network: Some(Network::None),
            ..Self::default()
        }
    }

    /// Returns what holds for a hook of a package that says nothing itself: it reads the project and its own folder, writes
    /// its private folder, has no network, gets no variable that could hold a key, and has at most 1024 processes.
    pub fn of_package() -> Self {
        let env = ENV_OF_PACKAGE.iter().map(ToString::to_string);
        Self {
            read: Some(vec![SandboxPath::project(), SandboxPath::package()]),
            write: Some(vec![SandboxPath::private()]),
            network: Some(Network::None),
            env: Some(env.collect()),
            processes: NonZeroU32::new(1024),
            ..Self::default()
        }
    }

    /// Fills in what is not said.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            read: self.read.or(other.read),
            write: self.write.or(other.write),
            network: self.network.or(other.network),
            env: self.env.or(other.env),
            processes: self.processes.or(other.processes),
            required: self.required || other.required,
        }
    }
}

/// Tells whether a variable of this name passes; a name of the list may end in `*`.
pub fn passes(env: &[String], name: &str) -> bool {
    env.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    })
}

/// Where a command may connect to, from the narrowest.
///
/// None of them opens Unix sockets to services of this machine (Docker, the session bus, an SSH agent): through these a
/// command would act outside of its confinement.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// Programs that it started itself, on a loopback of its own.
    Loopback,
    /// Every address of the internet protocols.
    Any,
}

words!(Network { None = "none", Loopback = "loopback", Any = "any" });

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: serde_json::Value) -> Result<Sandbox, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_filled_in_and_what_is_said_stays() {
        let said = read(json!({"read": [], "network": "any"})).unwrap();
        let whole = said.or(Sandbox::of_package());
        assert_eq!(
            (whole.read, whole.network),
            (Some(Vec::new()), Some(Network::Any))
        );
        assert_eq!(whole.write, Some(vec![SandboxPath::private()]));
        let command = read(json!({})).unwrap().or(Sandbox::of_command());
        assert_eq!(command, Sandbox::of_command());
        assert!(
            read(json!({"required": true}))
                .unwrap()
                .or(Sandbox::of_package())
                .required
        );
    }

    #[test]
    fn a_sandbox_is_read_as_it_is_written_and_has_the_fields_that_pages_list() {
        let all = json!({
            "read": ["./**", "~/.config/git/config"], "write": ["${PRIVATE}/**"], "network": "loopback",
            "env": ["PATH", "LC_*"], "processes": 64, "required": true,
        });
        let said = read(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(&said).unwrap(), all);
        assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), FIELDS);
    }

    #[test]
    fn a_field_or_a_word_that_is_unknown_is_an_error() {
        assert!(
            read(json!({"netwrok": "any"}))
                .unwrap_err()
                .contains("unknown field `netwrok`")
        );
        assert!(
            read(json!({"network": "some"}))
                .unwrap_err()
                .contains("unknown variant `some`")
        );
        assert!(read(json!({"processes": 0})).is_err());
        assert!(read(json!({"processes": -1})).is_err());
        assert!(
            read(json!({"write": ["./*.rs"]}))
                .unwrap_err()
                .contains("knows folders and files")
        );
    }

    #[test]
    fn variables_pass_by_name_or_by_the_beginning_of_a_name() {
        let passing = |env: &[&str], name: &str| {
            let env: Vec<String> = env.iter().map(ToString::to_string).collect();
            passes(&env, name)
        };
        assert!(!passing(&[], "PATH"));
        assert!(passing(&["*"], "AWS_SECRET"));
        let names = ["PATH", "PATHS", "LC_ALL", "XLC_ALL", "LC_"];
        let some = names.map(|name| passing(&["PATH", "LC_*"], name));
        assert_eq!(some, [true, false, true, false, true]);
    }
}
