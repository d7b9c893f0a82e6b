//! Running the calls that were admitted, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhook::core::event::Map;

use crate::agent::{Agent, Flow};
use crate::message::ToolUse;
use crate::tools::{Tool, ToolContext, ToolError, ToolKind};

/// The result of a call; nothing where it did not run.
pub(crate) type ToolOutcome = Option<Result<String, ToolError>>;

/// What hooks and permissions say of a call.
pub(crate) enum CallAdmission {
    Runs(&'static Tool),
    Refused(String),
    Unknown,
}

impl Agent {
    /// Runs the calls of a batch; what was not admitted has no result.
    pub(crate) async fn run_all(
        &mut self,
        batch: &[ToolUse],
        admitted: &[CallAdmission],
    ) -> Flow<Vec<ToolOutcome>> {
        self.still_wanted()?;
        let mut all = Vec::with_capacity(batch.len());
        for (call, admitted) in batch.iter().zip(admitted) {
            all.push(match admitted {
                CallAdmission::Runs(tool) if tool.kind == ToolKind::Spawns => {
                    Some(self.spawn(call).await?)
                }
                CallAdmission::Runs(tool) => Some(self.run_tool(tool, &call.input)),
                CallAdmission::Refused(_) | CallAdmission::Unknown => None,
            });
        }
        Ok(all)
    }

    fn run_tool(&self, tool: &Tool, input: &Map) -> Result<String, ToolError> {
        let at = ToolContext {
            root: &self.root,
            deadline: self.setup.limits.tool,
            cancel: &self.setup.cancel,
        };
        if at.cancel.is_now() {
            return Err(ToolError("not run: the run was cancelled".into()));
        }
        let panicked = || ToolError("the tool failed in a way that it does not tell".into());
        catch_unwind(AssertUnwindSafe(|| (tool.run)(input, &at)))
            .unwrap_or_else(|_| Err(panicked()))
    }
}
