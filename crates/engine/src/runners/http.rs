//! `type: http`: a server that is asked about the event, in a process of our own program.
//!
//! ```
//! use anyhook_engine::core::manifest::{Action, Http};
//! use anyhook_engine::runners::http::ROW;
//!
//! let http = Http::new("https://hooks.example.com".into(), vec![], vec![])?;
//! assert!(ROW.kind == "http" && (ROW.owns)(&Action::Http(http)));
//! # Ok::<(), String>(())
//! ```

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Handler;
use anyhook_core::manifest::{Action, DEADLINE, Http};
use anyhook_core::transcript::Transcript;

use super::{Asking, Prepared, Runner, asker};
use crate::processes::Job;
use crate::remote::{Sending, VERB};

/// The row.
pub const ROW: Runner = Runner {
    kind: "http",
    owns: |action| matches!(action, Action::Http(_)),
    prepare,
};

fn prepare(asking: &Asking<'_>) -> Prepared {
    let Handler::Declared(action) = &asking.hook.handler else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a declared hook"));
    };
    let Action::Http(http) = &**action else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a hook of type `http`"));
    };
    asked(asking, http.clone(), VERB, Vec::new())
}

/// Makes ready the process that asks a server by this verb, with these words before the server.
pub(super) fn asked(asking: &Asking<'_>, http: Http, verb: &str, words: Vec<String>) -> Prepared {
    match job(asking, http, verb, words) {
        Ok(job) => Prepared::Process(Box::new(job)),
        Err(fault) => Prepared::Fault(fault),
    }
}

fn job(asking: &Asking<'_>, http: Http, verb: &str, mut words: Vec<String>) -> Result<Job, Fault> {
    let deadline = asking.hook.deadline.unwrap_or(DEADLINE);
    // The variables themselves go by the environment, which no other user reads.
    let variables = http.variables.clone();
    let sending = Sending {
        http,
        millis: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
    };
    let word = serde_json::to_string(&sending);
    let bad = |_| Fault::new(FaultKind::BadEntry, "its fields cannot be written as JSON");
    words.push(word.map_err(bad)?);
    let variables = variables.iter().map(String::as_str);
    asker::job(asking, verb, words, variables, deadline)
}

/// Refuses what the asking process left where it asked nothing: the exit code is ours, and never the server's answer.
pub(crate) fn failure(raw: &Transcript) -> Result<(), Box<Fault>> {
    asker::failure(raw).map_or(Ok(()), |fault| Err(fault.into()))
}
