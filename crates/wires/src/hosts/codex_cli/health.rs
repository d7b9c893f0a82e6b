//! What switches Codex's hooks off, and which entries it trusts.
//!
//! The hash in its state is not computed again: an entry that was edited since is told by Codex itself. Unverified: how the
//! source of a key is written for `hooks.json`; the file's name is enough here.
//!
//! As 0.169.0 was seen to do: `features.hooks` of the administrator's `requirements.toml` decides, whatever a `config.toml`
//! says, and `allow_managed_hooks_only` counts there alone.

use crate::health::{Health, Off, Place, Stops, Switch, Trust};

const REQUIREMENTS: Place = Place::Toml("/etc/codex/requirements.toml");

/// What turns every hook off.
const fn hooks(place: Place, pinned_in: Option<Place>) -> Switch {
    Switch {
        place,
        at: &["features", "hooks"],
        off: Off::False,
        stops: Stops::All,
        pinned_in,
    }
}

pub(super) static HEALTH: Health = Health {
    switches: &[
        hooks(Place::Toml("~/.codex/config.toml"), Some(REQUIREMENTS)),
        hooks(Place::Toml("/etc/codex/config.toml"), Some(REQUIREMENTS)),
        hooks(REQUIREMENTS, None),
        Switch {
            place: REQUIREMENTS,
            at: &["allow_managed_hooks_only"],
            off: Off::True,
            stops: Stops::Unmanaged,
            pinned_in: None,
        },
    ],
    trust: &[Trust::Entries {
        file: "~/.codex/config.toml",
        at: &["hooks", "state"],
        pinned: "trusted_hash",
        enabled: "enabled",
        fix: "codex   # then choose `Trust all and continue`, or type /hooks and trust the entries",
    }],
};
