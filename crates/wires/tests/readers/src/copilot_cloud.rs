//! The Copilot cloud agent: the protocol of Copilot CLI in a job that no person watches.

use crate::copilot_cli::{Surface, read};
use crate::{Answer, Behaviour, Reader};

/// The reader of the cloud agent.
#[derive(Debug)]
pub(crate) struct CopilotCloud;

impl Reader for CopilotCloud {
    fn id(&self) -> &'static str {
        "copilot-cloud"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        read(answer, Surface::Job)
    }
}
