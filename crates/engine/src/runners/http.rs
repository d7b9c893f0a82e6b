//! `type: http`: a server that is asked about the event, in a process of our own program.

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::{DEADLINE, HttpAction};

use super::{RunnerReply, RunnerRequest, asker};
use crate::remote::RemoteRequest;

/// Makes ready the process that asks a server by this verb, with these words before the server.
pub(super) fn prepare(
    asking: &RunnerRequest<'_>,
    http: HttpAction,
    verb: &str,
    mut words: Vec<String>,
) -> Result<RunnerReply, Fault> {
    let deadline = asking.hook.deadline.unwrap_or(DEADLINE);
    // The variables themselves go by the environment, which no other user reads.
    let variables = http.variables.clone();
    let sending = RemoteRequest {
        http,
        millis: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
    };
    let word = serde_json::to_string(&sending);
    let bad = |_| Fault::new(FaultKind::BadEntry, "its fields cannot be written as JSON");
    words.push(word.map_err(bad)?);
    let variables = variables.iter().map(String::as_str);
    asker::prepare(asking, verb, words, variables, deadline)
}
