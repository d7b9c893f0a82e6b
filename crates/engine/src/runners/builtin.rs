//! `type: builtin`: a built-in module, run without a process.

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::BuiltinAction;

use super::{RunnerReply, RunnerRequest};
use crate::modules::{self, ModuleContext};

/// Finds a module, and asks it.
pub(super) fn prepare(
    asking: &RunnerRequest<'_>,
    builtin: &BuiltinAction,
) -> Result<RunnerReply, Fault> {
    let unknown = || Fault::new(FaultKind::BadEntry, modules::unknown(&builtin.module));
    let module = modules::find(&builtin.module).ok_or_else(unknown)?;
    let around = ModuleContext {
        world: asking.world,
        project: &asking.shared.project,
        pass: asking.shared.pass,
    };
    let made = module.made(&builtin.config).map_err(|errors| {
        let why = format!("module `{}`: {errors}", module.name);
        Fault::new(FaultKind::BadEntry, why)
    })?;
    let said = made.answer(asking.event, &around).map_err(|fault| *fault)?;
    Ok(RunnerReply::Said(Box::new(said)))
}
