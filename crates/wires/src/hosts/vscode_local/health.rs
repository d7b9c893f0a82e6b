//! What switches VS Code's hooks off.

use crate::health::{Health, Off, Place, Stops, Switch};

const fn switch(file: &'static str) -> Switch {
    Switch {
        place: Place::Json(file),
        at: &["chat.useHooks"],
        off: Off::False,
        stops: Stops::All,
        pinned_in: None,
    }
}

pub(super) static HEALTH: Health = Health {
    switches: &[
        switch("~/.config/Code/User/settings.json"),
        switch("~/Library/Application Support/Code/User/settings.json"),
        switch(".vscode/settings.json"),
    ],
    trust: &[],
};
