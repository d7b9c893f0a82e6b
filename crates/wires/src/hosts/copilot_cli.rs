//! What the table of GitHub Copilot CLI does not say.

mod arguments;
mod decode;
mod encode;
mod payloads;
mod results;

use super::relative::Oddities;

include!(concat!(env!("OUT_DIR"), "/copilot_cli.rs"));

pub(super) const ODD: Oddities = Oddities {
    read: payloads::read,
    write: payloads::write,
    write_as: payloads::write_as,
    decode: decode::read,
    approves: decode::approves,
    before: decode::before,
    value: encode::value,
    natives: encode::natives,
    refuse: encode::refuse,
    ..Oddities::BARE
};

#[cfg(test)]
mod tests;
