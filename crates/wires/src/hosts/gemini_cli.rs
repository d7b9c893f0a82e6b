//! What the table of Gemini CLI does not say.

mod decode;
mod payloads;

use anyhook_core::can::Manner;
use anyhook_core::effects::Placing;

use super::relative::Oddities;
use super::relative::row::{CONTEXT, Form};

use table::TOOLS;

include!(concat!(env!("OUT_DIR"), "/gemini_cli.rs"));

const ODD: Oddities = Oddities {
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
    ..Oddities::BARE
};

/// Context is put behind the result of the tool.
const WITH_RESULT: Manner = Manner {
    places: &[Placing::LastToolResult, Placing::Message],
    ..CONTEXT
};
