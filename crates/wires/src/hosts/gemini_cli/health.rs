//! What switches Gemini CLI's hooks off, and which folders it trusts.
//!
//! A folder is asked about only where folder trust is on, so one that is not listed counts as trusted.

use crate::health::{Health, Live, Off, Place, Stops, Switch, Trust, Unlisted, Yes};

pub(super) static HEALTH: Health = Health {
    switches: &[
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "enabled"],
            off: Off::False,
            stops: Stops::All,
        },
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "disabled"],
            off: Off::Listed,
            stops: Stops::All,
        },
    ],
    trust: &[Trust::Folders {
        file: "~/.gemini/trustedFolders.json",
        at: &[],
        field: "",
        yes: &[Yes::Text("TRUST_FOLDER"), Yes::Text("TRUST_PARENT")],
        unlisted: Unlisted::Trusted,
        fix: "gemini   # in this folder, then type /permissions and trust it",
    }],
    live: Some(Live {
        program: "gemini",
        args: &["-p"],
    }),
};
