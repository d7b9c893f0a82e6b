//! What switches Qwen Code's hooks off.

use crate::health::{Health, Off, Place, Stops, Switch};

pub(super) static HEALTH: Health = Health {
    switches: &[Switch {
        place: Place::Settings,
        at: &["disableAllHooks"],
        off: Off::True,
        stops: Stops::All,
        pinned_in: None,
    }],
    trust: &[],
};
