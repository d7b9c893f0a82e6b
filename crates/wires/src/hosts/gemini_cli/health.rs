//! What switches Gemini CLI's hooks off, and which folders it trusts.
//!
//! In a folder that is not trusted Gemini CLI 0.61.0 runs no hook of any settings, and ends with 55 where no person is there. `--skip-trust` lets it
//! run there, as `GEMINI_CLI_TRUST_WORKSPACE=true` does.

use crate::health::{Health, Off, Override, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::Scope;

pub(super) static HEALTH: Health = Health {
    switches: &[
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "enabled"],
            off: Off::False,
            stops: Stops::All,
            pinned_in: None,
        },
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "disabled"],
            off: Off::Listed,
            stops: Stops::All,
            pinned_in: None,
        },
    ],
    trust: &[Trust::Folders {
        file: "~/.gemini/trustedFolders.json",
        at: &[],
        field: "",
        yes: &[Yes::Text("TRUST_FOLDER"), Yes::Text("TRUST_PARENT")],
        unlisted: Unlisted::Untrusted,
        stops: &Scope::ALL,
        before: &[
            Override::Untrusted("GEMINI_RESTRICTED_MODE", "true"),
            Override::Untrusted("GEMINI_CLI_TRUST_WORKSPACE", "false"),
            Override::Trusted("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            Override::Off(
                "~/.gemini/settings.json",
                &["security", "folderTrust", "enabled"],
            ),
        ],
        fix: "gemini   # in this folder, then type /permissions and trust it",
    }],
};
