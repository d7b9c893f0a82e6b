//! What the table of Windsurf does not say.

mod payloads;

use super::relative::Oddities;

include!(concat!(env!("OUT_DIR"), "/windsurf.rs"));

const ODD: Oddities = Oddities {
    read: payloads::read,
    write: payloads::write,
    write_as: payloads::write_as,
    ..Oddities::NONE
};
