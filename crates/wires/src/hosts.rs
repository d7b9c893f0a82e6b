//! The agents that call us: one file and one row each.

use crate::Host;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[];
