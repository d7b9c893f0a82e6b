//! What switches Copilot CLI's hooks off. Where it keeps the folders that it trusts is not documented.

use crate::health::{Health, Live, Off, Place, Stops, Switch};

pub(super) static HEALTH: Health = Health {
    switches: &[Switch {
        place: Place::Settings,
        at: &["disableAllHooks"],
        off: Off::True,
        // In a hook file it stops that file, in a repository's settings more: the files that it may stop are all named.
        stops: Stops::OwnFile,
    }],
    trust: &[],
    live: Some(Live {
        program: "copilot",
        args: &["-p"],
    }),
};
