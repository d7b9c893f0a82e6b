//! What switches Codex's hooks off, and which entries it trusts.
//!
//! The hash in its state is not computed again: an entry that was edited since is told by Codex itself. Unverified: how the
//! source of a key is written for `hooks.json`; the file's name is enough here.

use crate::health::{Health, Off, Place, Stops, Switch, Trust};

pub(super) static HEALTH: Health = Health {
    switches: &[
        Switch {
            place: Place::Toml("~/.codex/config.toml"),
            at: &["features", "hooks"],
            off: Off::False,
            stops: Stops::All,
        },
        Switch {
            place: Place::Toml("~/.codex/config.toml"),
            at: &["allow_managed_hooks_only"],
            off: Off::True,
            stops: Stops::Unmanaged,
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
