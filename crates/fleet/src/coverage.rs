//! What a store knows of the machines of a fleet: who sent how much and when, and what did not arrive.

use crate::archive::{ArchiveState, MachineState};
use crate::rules::shown;

/// A machine is silent that sent nothing for so long.
const SILENT: i64 = 24 * 60 * 60 * 1000;

/// Writes it for a person.
pub(crate) fn page(taken: &ArchiveState, now: i64) -> String {
    let machines = taken.machines.iter();
    let mut page: String = machines
        .map(|(subject, known)| line(subject, known, now))
        .collect();
    for (why, count) in &taken.refused {
        page.push_str(&format!("refused {count} messages  {why}\n"));
    }
    if page.is_empty() {
        page.push_str("no machine sent anything yet\n");
    }
    page
}

/// The subject is `audit.PERSON.MACHINE`.
fn line(subject: &str, known: &MachineState, now: i64) -> String {
    let MachineState {
        head,
        missing,
        lost,
    } = known;
    let mut notes = vec![format!("batches: {}", head.number)];
    if now.saturating_sub(head.at) > SILENT {
        notes.push(format!("SILENT since {}", shown(head.at)));
    }
    if *missing > 0 {
        notes.push(format!("{missing} BATCHES MISSING"));
    }
    if *lost > 0 {
        notes.push(format!("{lost} times LOST its oldest part"));
    }
    let machine = subject.split('.').skip(1).collect::<Vec<_>>().join(" ");
    format!("{machine}  {}\n", notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::BatchHeader;

    #[test]
    fn a_machine_is_listed_with_what_did_not_arrive_and_since_when_it_is_silent() {
        let head = BatchHeader {
            number: 3,
            at: SILENT,
            ..BatchHeader::default()
        };
        let known = MachineState {
            head,
            missing: 1,
            lost: 2,
        };
        let line = |now| line("audit.ada.0a1b", &known, now);
        let lost = "1 BATCHES MISSING; 2 times LOST its oldest part\n";
        assert_eq!(line(2 * SILENT), format!("ada 0a1b  batches: 3; {lost}"));
        let silent = "SILENT since 1970-01-02 00:00Z";
        assert_eq!(
            line(2 * SILENT + 1),
            format!("ada 0a1b  batches: 3; {silent}; {lost}")
        );
    }
}
