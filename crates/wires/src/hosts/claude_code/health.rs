//! What switches Claude Code's hooks off, and which folders it trusts.
//!
//! Unverified: that a folder below a trusted one is trusted, and that `hasTrustDialogAccepted` says so. A folder that says
//! `false` counts as not trusted; one that is not listed is asked about by the agent itself.

use crate::health::{Health, Off, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::Scope;

const fn switch(place: Place, name: &'static [&'static str], stops: Stops) -> Switch {
    Switch {
        place,
        at: name,
        off: Off::True,
        stops,
        pinned_in: None,
    }
}

const LINUX: Place = Place::Json("/etc/claude-code/managed-settings.json");
const MACOS: Place = Place::Json("/Library/Application Support/ClaudeCode/managed-settings.json");

pub(super) static HEALTH: Health = Health {
    switches: &[
        switch(Place::Settings, &["disableAllHooks"], Stops::Unmanaged),
        switch(LINUX, &["disableAllHooks"], Stops::All),
        switch(MACOS, &["disableAllHooks"], Stops::All),
        switch(LINUX, &["allowManagedHooksOnly"], Stops::Unmanaged),
        switch(MACOS, &["allowManagedHooksOnly"], Stops::Unmanaged),
    ],
    trust: &[Trust::Folders {
        file: "~/.claude.json",
        at: &["projects"],
        field: "hasTrustDialogAccepted",
        yes: &[Yes::True],
        unlisted: Unlisted::Asks,
        stops: &Scope::ALL,
        before: &[],
        fix: "claude   # in this folder, and say that you trust it",
    }],
};
