//! The one object that a hook of a host printed.

use anyhook_core::event::Map;
use anyhook_core::fault::Fault;
use anyhook_core::transcript::Transcript;

use super::invalid;
use crate::json;

/// Returns a text without what hosts trim away: blanks, and a byte order mark at either end.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
}

/// Reads the object that a hook of a host printed, and tells what is wrong with it.
///
/// What is wrong is a key that stands twice, of which hosts take the last value, and a raw control character, for which
/// they drop the whole: either is told, and what such an object refuses is refused, and what it approves is not approved.
pub(crate) fn document(text: &str, raw: &Transcript) -> Result<(Map, Option<String>), Box<Fault>> {
    let cut = match raw.stdout.dropped {
        0 => "",
        _ => " was cut and",
    };
    let told = |error| format!("its output{cut} cannot be read as JSON: {error}");
    match json::almost(text) {
        Ok((object, wrong)) => Ok((object, wrong.map(told))),
        Err(error) => Err(invalid(told(error)).into()),
    }
}
