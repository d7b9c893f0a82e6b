//! What the table of GitHub Copilot CLI does not say.

mod arguments;
mod decode;
mod encode;
mod payloads;
mod results;

use super::relative::HostFunctions;

include!(concat!(env!("OUT_DIR"), "/copilot_cli.rs"));

pub(super) const ODD: HostFunctions = HostFunctions {
    read: payloads::read,
    write: payloads::write,
    write_as: payloads::write_as,
    decode: decode::read,
    before: decode::before,
    value: encode::value,
    natives: encode::natives,
    refuse: encode::refuse,
    ..HostFunctions::BARE
};

#[cfg(test)]
mod tests;
