//! What the table of VS Code's own agent does not say.

mod call;

use anyhook_core::result::HookResult;

use super::relative::HostFunctions;

include!(concat!(env!("OUT_DIR"), "/vscode_local.rs"));

const ODD: HostFunctions = HostFunctions {
    open: |_, data| {
        call::open(data);
        Ok(())
    },
    lower: call::lower,
    before: |run, object, _| {
        call::before(run.event, object);
        HookResult::proceed()
    },
    // What is left means nothing to the host.
    after: |answer, _| answer.rest.clear(),
    value: call::value,
    ..HostFunctions::BARE
};

#[cfg(test)]
mod tests;
