//! What the table of Gemini CLI does not say.

mod decode;
mod payloads;

use super::relative::HostFunctions;
use super::relative::row::Form;

use table::TOOLS;

include!(concat!(env!("OUT_DIR"), "/gemini_cli.rs"));

const ODD: HostFunctions = HostFunctions {
    open: |row, data| {
        payloads::open(row, data);
        Ok(())
    },
    close: |event, _| {
        payloads::close(event);
        Ok(())
    },
    lower: payloads::lower,
    decode: decode::read,
    before: decode::before,
    // What is left means nothing to the host.
    after: |answer, _| answer.rest.clear(),
    value: payloads::value,
    hides: |row, _| row.form != Form::None,
    ..HostFunctions::BARE
};
