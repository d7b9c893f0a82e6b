//! How Cursor's agent is asked without a person. It documents no switch, and no file with the workspaces that it trusts.

use crate::health::{Health, Live};

pub(super) static HEALTH: Health = Health {
    switches: &[],
    trust: &[],
    live: Some(Live {
        program: "cursor-agent",
        args: &["-p"],
    }),
};
