//! A confinement with absolute paths: the input of the helper program.

use std::num::{NonZeroU32, NonZeroU64};

use anyhook_core::sandbox::{Network, Sandbox, SandboxPath, SandboxPathError};
use serde::{Deserialize, Serialize};

use crate::roots::Roots;
use crate::target::ResolvedPath;

/// A confinement whose places are found. What is not said is the strict reading: nothing but the folders of the system.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Spec {
    /// What it may read and execute, besides the folders of the system.
    pub read: Vec<ResolvedPath>,
    /// What it may change, and read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<ResolvedPath>,
    /// Where it may connect to.
    pub network: Network,
    /// The variables that pass, where only some do; a name may end in `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<String>>,
    /// How many processes and threads it may have at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<NonZeroU32>,
    /// How large a file may become that it writes, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<NonZeroU64>,
    /// Whether it may not run where any of this cannot be had.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

impl Spec {
    /// Finds the places of a sandbox. Where it says nothing it is [`Sandbox::of_command`].
    pub fn of(sandbox: &Sandbox, roots: &Roots) -> Result<Self, SandboxPathError> {
        let whole = sandbox.clone().or(Sandbox::of_command());
        let find = |places: Option<Vec<SandboxPath>>| {
            let places = places.unwrap_or_default();
            let found = places.iter().map(|place| ResolvedPath::of(place, roots));
            found.collect::<Result<Vec<ResolvedPath>, SandboxPathError>>()
        };
        let mut read = find(whole.read)?;
        let programs = roots.programs.iter();
        read.extend(programs.filter_map(|folder| ResolvedPath::folder(folder)));
        Ok(Self {
            read,
            write: find(whole.write)?,
            network: whole.network.unwrap_or_default(),
            env: whole.env,
            processes: whole.processes,
            file_size: None,
            required: whole.required,
        })
    }

    /// Writes what the helper program gets as its first argument.
    pub fn to_argument(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_helper_gets_says_the_same() {
        let roots = Roots {
            project: "/p".into(),
            home: Some("/h".into()),
            package: Some("/k".into()),
            private: Some("/s".into()),
            programs: vec!["/h/.nvm".into()],
        };
        let spec = Spec::of(&Sandbox::of_package(), &roots).unwrap();
        let argument = spec.to_argument();
        assert!(
            argument.starts_with(
                r#"{"read":["/p/","/k/","/h/.nvm/"],"write":["/s/"],"network":"none","env":["PATH""#
            ),
            "{argument}"
        );
        assert_eq!(serde_json::from_str::<Spec>(&argument).unwrap(), spec);
    }

    #[test]
    fn what_is_not_said_is_the_strict_reading() {
        let roots = Roots {
            project: "/p".into(),
            home: None,
            package: None,
            private: None,
            programs: Vec::new(),
        };
        let spec = Spec::of(&Sandbox::default(), &roots).unwrap();
        let read = [ResolvedPath::folder("/p".as_ref()).unwrap()].into();
        assert_eq!(
            spec,
            Spec {
                read,
                ..Spec::default()
            }
        );
        assert_eq!(serde_json::from_str::<Spec>("{}").unwrap(), Spec::default());
    }
}
