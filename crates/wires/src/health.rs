//! What can be known of an agent on a machine besides its hooks: what switches them off, and whether they are
//! trusted. Data for `doctor`.
//!
//! A host has one [`Health`], in its own file. Nothing here reads a file.
//!
//! ```
//! use anyhook_wires::health::{
//!     Health, OffValue, TrustOverride, SwitchLocation, SwitchScope, Switch, TrustSource, UnlistedFolder, TrustValue, shell_of,
//! };
//! use anyhook_wires::settings::Scope;
//!
//! let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
//! let Health { switches, trust } = claude.facts().health.ok_or("nothing is known")?;
//!
//! // A person's switch does not stop what the administrator set.
//! let Switch { place, at, off, stops, pinned_in } = &switches[0];
//! assert_eq!((*place, *at, *off), (SwitchLocation::Settings, &["disableAllHooks"][..], OffValue::True));
//! assert_eq!((*stops, *pinned_in), (SwitchScope::Unmanaged, None));
//! assert!(stops.stops(Scope::User, true) && !stops.stops(Scope::Managed, false));
//!
//! // A folder of which it does not know is asked about.
//! let TrustSource::Folders { yes, unlisted, .. } = &trust[0] else { return Err("no folders") };
//! assert_eq!((*yes, *unlisted), (&[TrustValue::True][..], UnlistedFolder::Asks));
//!
//! // One that is told to trust every folder does.
//! let gemini = anyhook_wires::host("gemini-cli").and_then(|host| host.facts().health).ok_or("nothing is known")?;
//! let TrustSource::Folders { before, .. } = &gemini.trust[0] else { return Err("no folders") };
//! assert!(before.contains(&TrustOverride::Trusted("GEMINI_CLI_TRUST_WORKSPACE", "true")));
//!
//! let settings = claude.facts().settings.ok_or("no settings")?;
//! assert_eq!(shell_of(settings, Some("/bin/fish")), ("/bin/sh".to_owned(), "-c"));
//! # Ok::<(), &str>(())
//! ```

use crate::bare::bare;
use crate::settings::{Scope, Settings, Shell};

bare! {
    /// What is known of one agent.
    #[derive(Debug, Clone, Copy)]
    pub struct Health {
        /// What switches hooks off.
        pub switches: &'static [Switch] = &[],
        /// Where the agent keeps what it trusts.
        pub trust: &'static [TrustSource] = &[],
    }
}

/// A value in a file that switches hooks off.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// In which file it stands.
    pub place: SwitchLocation,
    /// The fields that lead to it; the last one is its name.
    pub at: &'static [&'static str],
    /// The value that switches off.
    pub off: OffValue,
    /// What is off then.
    pub stops: SwitchScope,
    /// The administrator's file that decides instead, if it has a value there.
    pub pinned_in: Option<SwitchLocation>,
}

/// In which file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchLocation {
    /// In any of the host's own settings files.
    Settings,
    /// In this one; written as in [`crate::settings::SettingsFile::path`].
    File(&'static str),
}

/// A value that switches off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffValue {
    /// `true` does.
    True,
    /// `false` does.
    False,
    /// A list does, of what it names: command lines or names.
    Listed,
}

/// What a switch stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchScope {
    /// Every hook.
    All,
    /// Every hook but those of managed settings.
    Unmanaged,
    /// The hooks of the file that it stands in.
    OwnFile,
}

impl SwitchScope {
    /// Tells whether an entry of a scope is stopped; `same` says whether the switch stands in the entry's own file.
    pub fn stops(self, scope: Scope, same: bool) -> bool {
        match self {
            Self::All => true,
            Self::Unmanaged => scope != Scope::Managed,
            Self::OwnFile => same,
        }
    }
}

/// Where an agent keeps what it trusts.
#[derive(Debug, Clone, Copy)]
pub enum TrustSource {
    /// An object of folders, or a list of those that are trusted: whether it runs hooks in a project, and in every folder
    /// below.
    Folders {
        /// The file, JSON.
        file: &'static str,
        /// The fields that lead to the object whose names are folders.
        at: &'static [&'static str],
        /// The field of a folder that tells; empty where the folder's value itself does.
        field: &'static str,
        /// The values that say yes.
        yes: &'static [TrustValue],
        /// What it means that the folder is not listed.
        unlisted: UnlistedFolder,
        /// The scopes whose hooks do not run in a folder that is not trusted.
        stops: &'static [Scope],
        /// What decides before the file does.
        before: &'static [TrustOverride],
        /// What a person does.
        fix: &'static str,
    },
    /// Folders, kept where we cannot read them.
    Hidden {
        /// The scopes whose hooks do not run in a folder that is not trusted.
        stops: &'static [Scope],
    },
    /// A table of entries in a TOML file, by `<source>:<event>:<group>:<entry>`: an entry that is not in it does not run.
    Entries {
        /// The file.
        file: &'static str,
        /// The fields that lead to the table.
        at: &'static [&'static str],
        /// The field that must be there.
        pinned: &'static str,
        /// The field that switches an entry off with `false`.
        enabled: &'static str,
        /// What a person does.
        fix: &'static str,
    },
}

/// What decides about the trust of every folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustOverride {
    /// With this value of this variable every folder is trusted.
    Trusted(&'static str, &'static str),
    /// With this value of this variable no folder is.
    Untrusted(&'static str, &'static str),
    /// Every folder is trusted where this file, JSON, says `false` here.
    Off(&'static str, &'static [&'static str]),
}

/// A value that says yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustValue {
    /// `true`.
    True,
    /// This text.
    Text(&'static str),
}

/// What it means that a folder is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnlistedFolder {
    /// The agent asks when it is started there, and runs no hook before.
    Asks,
    /// It is not trusted; an agent that is started without a person runs no hook there.
    Untrusted,
    /// It is trusted.
    Trusted,
}

/// Returns the words that run a command line in a shell of this kind; `own` is the person's own shell, if it is known.
pub fn shell_of(settings: &Settings, own: Option<&str>) -> (String, &'static str) {
    match (settings.shell, own) {
        (Shell::Own, Some(own)) if own.starts_with('/') => (own.to_owned(), "-c"),
        (Shell::Own | Shell::Posix, _) => ("/bin/sh".to_owned(), "-c"),
    }
}
