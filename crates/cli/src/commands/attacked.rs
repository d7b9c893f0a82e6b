//! `anyhook attacked`: carries one way of an attack out, in namespaces of its own. Not for people: `anyhook test --attack` calls it.

use std::ffi::OsString;

use anyhook_testing::attack::{VERB, carry_out};

use super::Hot;
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: (&str, Hot) = (VERB, run);

fn run(_: Vec<OsString>) -> Exit {
    carry_out().map_or(Exit::Io, |()| Exit::Done)
}
