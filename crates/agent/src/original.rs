//! The steps of the order of `ex_athena` that differ from ours.

use crate::agent::{Agent, Flow};
use crate::message::ToolUse;
use crate::permissions::Gate;
use crate::running::CallAdmission;
use crate::tools::Tool;

impl Agent {
    /// Submits the prompt before the session starts: the original starts one for each prompt, also for one that it does not
    /// work on.
    pub(crate) async fn begin_with_the_prompt(&mut self, prompt: &str) -> Flow<Option<String>> {
        let refused = self.submit(prompt).await;
        self.is_begun = false;
        self.start().await?;
        refused
    }

    /// Asks the permissions about a call as the model wrote it, and then its hooks.
    pub(crate) async fn admit_as_original(
        &mut self,
        call: &mut ToolUse,
        tool: Option<&'static Tool>,
    ) -> Flow<CallAdmission> {
        if let Some(tool) = tool
            && let Some(why) = self.permit_as_original(call, tool).await?
        {
            return Ok(CallAdmission::Refused(why));
        }
        if let Err(why) = self.offer(call).await? {
            return Ok(CallAdmission::Refused(why));
        }
        let Some(tool) = tool else {
            return Ok(CallAdmission::Unknown);
        };
        self.denied = None;
        Ok(CallAdmission::Runs(tool))
    }

    async fn permit_as_original(&mut self, call: &ToolUse, tool: &Tool) -> Flow<Option<String>> {
        let permissions = &self.setup.permissions;
        match permissions.gate(&call.name, tool.kind) {
            Gate::Open => Ok(None),
            Gate::Denied(denial) => self.refused_by(call, denial).await,
            Gate::Asks if permissions.can_use_tool.is_none() => Ok(None),
            Gate::Asks => self.ask_person(call).await,
        }
    }
}
