//! `anyhook confined`: confines itself and becomes the command of a hook. Not for people, who say `anyhook confine`.

use std::ffi::OsString;

use super::Hot;
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: (&str, Hot) = (anyhook_confine::VERB, run);

#[expect(
    clippy::needless_pass_by_value,
    reason = "the table has one form for all"
)]
fn run(args: Vec<OsString>) -> Exit {
    Exit::Answer(anyhook_confine::main(&args))
}
