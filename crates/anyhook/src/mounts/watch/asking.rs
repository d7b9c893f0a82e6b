//! Asking the handlers of a module about samples, on a thread of its own, because a handler may never return.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::report::Report;
use anyhook_core::result::Verdict;
use anyhook_core::taxonomy::EVENTS;
use anyhook_engine::Session;
use anyhook_registry::registry::Registered;

use crate::mounts::sample;

/// How long one answer to a sample is waited for. A module is judged by it, so it is longer than any busy machine needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of one sample.
pub(in crate::mounts) struct Asked {
    pub(super) event: String,
    sample: &'static str,
    faults: Vec<(String, Fault)>,
    /// Whether it refused, or asked, without a word.
    pub(in crate::mounts) is_wordless: bool,
    /// Whether the asking ended before it answered.
    pub(in crate::mounts) is_abandoned: bool,
}

impl Asked {
    pub(in crate::mounts) fn fault(&self, is_wanted: impl Fn(FaultKind) -> bool) -> Option<&Fault> {
        let mut faults = self.faults.iter();
        let found = faults.find(|(_, fault)| is_wanted(fault.kind));
        found.map(|(_, fault)| fault)
    }

    /// Names the sample, and the handler where one failed.
    pub(in crate::mounts) fn place(&self) -> String {
        match self.faults.first() {
            Some((hook, _)) => format!("`{hook}`, asked about `{}` {}", self.event, self.sample),
            None => format!("asked about `{}` {}", self.event, self.sample),
        }
    }
}

/// Asks the handlers about samples of everything that they listen to.
pub(super) fn ask(session: &Session, registered: &[Registered]) -> Vec<Asked> {
    let names: Vec<EventName> = registered
        .iter()
        .map(|one| EventName::new(&one.event))
        .collect();
    let rows = EVENTS.iter().map(|row| row.name);
    let known = rows.filter(|row| names.iter().any(|name| name.covers(&EventName::new(row))));
    let own = names
        .iter()
        .map(EventName::as_str)
        .filter(|name| !name.contains('*'));
    let events: BTreeSet<String> = known.chain(own).map(str::to_owned).collect();
    let samples: Vec<(String, &'static str, Map)> = events
        .iter()
        .flat_map(|event| sample::of(event).map(|(label, data)| (event.clone(), label, data)))
        .collect();
    let (tell, told) = channel();
    let (session, asking) = (session.clone(), samples.clone());
    let thread = thread::Builder::new()
        .name("anyhook-validate".into())
        .spawn(move || {
            for (event, sample, data) in asking {
                let mut asked = Event::new(&event, data);
                let report = session.hooks().dispatch_blocking(&mut asked);
                if tell.send(judged(event, sample, &report)).is_err() {
                    return;
                }
            }
        });
    match thread {
        Ok(_) => gather(&told, &samples),
        Err(_) => Vec::new(),
    }
}

/// Gathers what was answered. Where nothing comes any more the rest is not waited for: code that hangs cannot be stopped.
fn gather(told: &Receiver<Asked>, samples: &[(String, &'static str, Map)]) -> Vec<Asked> {
    let mut all = Vec::new();
    for (event, sample, _) in samples {
        match told.recv_timeout(PATIENCE) {
            Ok(asked) => all.push(asked),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                all.push(Asked {
                    event: event.clone(),
                    sample,
                    faults: Vec::new(),
                    is_wordless: false,
                    is_abandoned: true,
                });
                break;
            }
        }
    }
    all
}

fn judged(event: String, sample: &'static str, report: &Report) -> Asked {
    let name = |id| {
        report
            .hook(id)
            .map_or("a handler", |hook| &*hook.name)
            .to_owned()
    };
    let faults = report.faults().map(|(id, fault)| (name(id), fault.clone()));
    let is_fault = report.faults().next().is_some();
    let is_wordless = match &report.result.verdict {
        Verdict::Continue | Verdict::Allow { .. } => false,
        Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
            // A failing guard refuses in our words.
            !is_fault && reasons.iter().any(|reason| reason.text.trim().is_empty())
        }
        Verdict::Ask { questions } => questions.iter().any(|it| it.prompt.trim().is_empty()),
    };
    Asked {
        event,
        sample,
        faults: faults.collect(),
        is_wordless,
        is_abandoned: false,
    }
}
