//! What the table of `ex_athena` does not say.

mod payloads;

use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind};

use super::relative::HostFunctions;
use crate::Reply;
use crate::dialects::athena as returns;

include!(concat!(env!("OUT_DIR"), "/athena.rs"));

const ODD: HostFunctions = HostFunctions {
    open: payloads::open,
    lower: payloads::lower,
    // One that failed has crashed, and a crash halts where the loop hears a halt.
    decode: |run| {
        returns::returned(run.raw, run.event).or_else(|fault| {
            if run.host.can(run.event).says(Kind::Halt) {
                return Ok(HookResult::halt(format!("a hook crashed: {}", fault.text)));
            }
            Err(fault)
        })
    },
    reply: |host, row, event, result| {
        let nothing = Event::new(row.event, Map::new());
        let event = event.unwrap_or(&nothing);
        Reply::object(returns::said(event, &host.can(event), result))
    },
    refuse: |host, row, reason| {
        let event = Event::new(row.map_or("", |row| row.event), Map::new());
        let (class, mutable, can) = (event.name.class(), event.name.mutable(), host.can(&event));
        let (said, _) = HookResult::deny(reason).fit(class, mutable, &can);
        Reply::object(returns::said(&event, &can, &said))
    },
    ..HostFunctions::BARE
};
