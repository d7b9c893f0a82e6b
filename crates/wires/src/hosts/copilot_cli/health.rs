//! What switches Copilot CLI's hooks off, and which folders it trusts.
//!
//! Where it keeps them is not documented; its own `folderTrustIsTrusted` was asked (1.0.102). It also reads an older spelling,
//! and the same list in `settings.json`. In a folder that it does not trust it runs the person's own hooks, and none of the
//! project.

use crate::health::{Health, Off, Override, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::Scope;

const fn folders(file: &'static str, at: &'static [&'static str]) -> Trust {
    Trust::Folders {
        file,
        at,
        field: "",
        yes: &[Yes::True],
        unlisted: Unlisted::Untrusted,
        stops: &[Scope::Project, Scope::Local],
        before: &[Override::Trusted("COPILOT_ALLOW_ALL", "true")],
        fix: "copilot   # in this folder, and say that you trust it and remember it",
    }
}

pub(super) static HEALTH: Health = Health {
    switches: &[Switch {
        place: Place::Settings,
        at: &["disableAllHooks"],
        off: Off::True,
        // In a hook file it stops that file, in a repository's settings more: the files that it may stop are all named.
        stops: Stops::OwnFile,
        pinned_in: None,
    }],
    trust: &[
        folders("~/.copilot/config.json", &["trustedFolders"]),
        folders("~/.copilot/config.json", &["trusted_folders"]),
        folders("~/.copilot/settings.json", &["trustedFolders"]),
        folders("~/.copilot/settings.json", &["trusted_folders"]),
    ],
};
