//! Cursor documents no switch, and no file with the workspaces that it trusts.

use crate::health::{Health, Trust};
use crate::settings::Scope;

pub(super) static HEALTH: Health = Health {
    switches: &[],
    trust: &[Trust::Hidden {
        stops: &[Scope::Project, Scope::Local],
    }],
};
