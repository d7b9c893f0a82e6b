//! What a store knows of the machines of a fleet: who sent how much and when, and what did not arrive.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook::text::tame;
use serde::Serialize;

use crate::archive::{Known, known};
use crate::error::PolicyError;
use crate::rules::shown;

/// A machine is silent that sent nothing for so long.
const SILENT: i64 = 24 * 60 * 60 * 1000;

/// What is known of all machines.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Coverage {
    machines: Vec<Covered>,
    /// How many messages the store refused, by their subject and why.
    refused: BTreeMap<String, u64>,
}

/// What is known of a machine.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Covered {
    person: String,
    machine: String,
    /// Since when it sends nothing, where that is long.
    silent_since: Option<String>,
    batches: u64,
    missing: u64,
    lost: u64,
}

impl Coverage {
    /// Reads what a store knows.
    pub(crate) fn of(store: &Path, now: i64) -> Result<Self, PolicyError> {
        std::fs::read_dir(store).map_err(PolicyError::io("read the store", store))?;
        let taken = known(store)?;
        let machines = taken.machines.iter();
        Ok(Self {
            machines: machines
                .map(|(subject, known)| Covered::of(subject, known, now))
                .collect(),
            refused: taken.refused,
        })
    }

    /// Writes it for a person.
    pub(crate) fn page(&self) -> String {
        let mut page: String = self.machines.iter().map(Covered::line).collect();
        for (why, count) in &self.refused {
            page.push_str(&format!("refused {count} messages  {why}\n"));
        }
        if page.is_empty() {
            page.push_str("no machine sent anything yet\n");
        }
        tame(&page)
    }
}

impl Covered {
    fn of(subject: &str, known: &Known, now: i64) -> Self {
        let mut names = subject.split('.').skip(1).map(str::to_owned);
        let last = known.head.at;
        Self {
            person: names.next().unwrap_or_default(),
            machine: names.next().unwrap_or_default(),
            silent_since: (now.saturating_sub(last) > SILENT).then(|| shown(last)),
            batches: known.head.number,
            missing: known.missing,
            lost: known.lost,
        }
    }

    fn line(&self) -> String {
        let mut notes = vec![format!("batches: {}", self.batches)];
        let silent = self.silent_since.as_ref();
        notes.extend(silent.map(|since| format!("SILENT since {since}")));
        let counts = [
            (self.missing, "BATCHES MISSING"),
            (self.lost, "times LOST its oldest part"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        notes.extend(told.map(|(count, what)| format!("{count} {what}")));
        format!("{} {}  {}\n", self.person, self.machine, notes.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Head;

    #[test]
    fn a_machine_is_listed_with_what_did_not_arrive_and_since_when_it_is_silent() {
        let head = Head {
            number: 3,
            at: SILENT,
            ..Head::default()
        };
        let known = Known {
            head,
            missing: 1,
            lost: 2,
        };
        let line = |now| Covered::of("audit.ada.0a1b", &known, now).line();
        let lost = "1 BATCHES MISSING; 2 times LOST its oldest part\n";
        assert_eq!(line(2 * SILENT), format!("ada 0a1b  batches: 3; {lost}"));
        let silent = "SILENT since 1970-01-02 00:00Z";
        assert_eq!(
            line(2 * SILENT + 1),
            format!("ada 0a1b  batches: 3; {silent}; {lost}")
        );
    }
}
