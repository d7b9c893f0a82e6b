//! What a store knows of the machines of a fleet: whether their guards are on, by which revision, and what did not arrive.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook::text::tame;
use serde::Serialize;

use crate::archive::{Known, known, present};
use crate::error::PolicyError;
use crate::presence::Presence;
use crate::rules::shown;

/// A member is silent whose machine said nothing for so long.
const SILENT: i64 = 24 * 60 * 60 * 1000;
/// An exception that ends within so long is told.
const SOON: i64 = 14 * SILENT;

/// What is known of all machines.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Coverage {
    machines: Vec<Covered>,
    /// How many machines have each revision.
    revisions: BTreeMap<String, u64>,
    /// The exceptions that end soon, each once for all machines on which it was granted.
    exceptions: Vec<Ending>,
    /// How many messages the store refused, by their subject and why.
    refused: BTreeMap<String, u64>,
}

/// What is known of a machine.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Covered {
    person: String,
    machine: String,
    revision: Option<String>,
    /// A later revision that does not hold there yet.
    waits_for: Option<String>,
    /// The agents whose guards are on, and those whose are off.
    on: Vec<String>,
    off: Vec<String>,
    /// Since when it says nothing of itself, where that is long.
    silent_since: Option<String>,
    /// Whether it sends records and never said anything of itself.
    is_mute: bool,
    batches: u64,
    thinned: u64,
    missing: u64,
    lost: u64,
}

/// An exception that ends soon.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Ending {
    hook: String,
    owner: String,
    until: String,
    machines: usize,
}

impl Coverage {
    /// Reads what a store knows.
    pub(crate) fn of(store: &Path, now: i64) -> Result<Self, PolicyError> {
        std::fs::read_dir(store).map_err(PolicyError::io("read the store", store))?;
        let mut taken = known(store)?;
        let present = present(store)?;
        let mut all = Self {
            exceptions: ending(&present, now),
            ..Self::default()
        };
        for said in &present {
            let subject = format!("audit.{}.{}", said.person, said.machine);
            let of_batches = taken.machines.remove(&subject).unwrap_or_default();
            let machine = Covered::of(said, now).with(&of_batches);
            let revision = said.revision.as_deref().unwrap_or("no policy");
            *all.revisions.entry(revision.to_owned()).or_default() += 1;
            all.machines.push(machine);
        }
        for (subject, known) in &taken.machines {
            let mut names = subject.split('.').skip(1).map(str::to_owned);
            let mute = Covered {
                person: names.next().unwrap_or_default(),
                machine: names.next().unwrap_or_default(),
                is_mute: true,
                ..Covered::default()
            };
            all.machines.push(mute.with(known));
        }
        all.refused = taken.refused;
        Ok(all)
    }

    /// Writes it for a person.
    pub(crate) fn page(&self) -> String {
        let mut page: String = self.machines.iter().map(Covered::line).collect();
        for Ending {
            hook,
            owner,
            until,
            machines,
        } in &self.exceptions
        {
            let many = if *machines == 1 {
                "machine"
            } else {
                "machines"
            };
            page.push_str(&format!(
                "exception from {hook} of {owner} ends {until}, on {machines} {many}\n"
            ));
        }
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
    fn of(said: &Presence, now: i64) -> Self {
        let hosts = |healthy: bool| {
            let guards = said.guards.iter().filter(|guard| guard.healthy == healthy);
            guards.map(|guard| guard.host.clone()).collect()
        };
        Self {
            person: said.person.clone(),
            machine: said.machine.clone(),
            revision: said.revision.clone(),
            waits_for: said.waits_for.clone(),
            on: hosts(true),
            off: hosts(false),
            silent_since: (now - said.at > SILENT).then(|| shown(said.at)),
            ..Self::default()
        }
    }

    fn with(self, known: &Known) -> Self {
        Self {
            batches: known.head.number,
            thinned: known.thinned,
            missing: known.missing,
            lost: known.lost,
            ..self
        }
    }

    fn line(&self) -> String {
        let (person, machine) = (&self.person, &self.machine);
        if self.is_mute {
            let batches = self.batches;
            return format!(
                "audit.{person}.{machine}  sent {batches} batches and says nothing of its guards\n"
            );
        }
        let mut notes = vec![match self.on.join(", ") {
            on if on.is_empty() => "no guard is known to be on".to_owned(),
            on => format!("guards on: {on}"),
        }];
        let off = self.off.join(", ");
        notes.extend((!off.is_empty()).then(|| format!("GUARDS OFF: {off}")));
        let waits = self.waits_for.as_ref();
        notes.extend(waits.map(|next| format!("revision {next} does not hold yet")));
        let silent = self.silent_since.as_ref();
        notes.extend(silent.map(|since| format!("SILENT since {since}")));
        let counts = [
            (self.thinned, "records thinned"),
            (self.missing, "BATCHES MISSING"),
            (self.lost, "times LOST its oldest part"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        notes.extend(told.map(|(count, what)| format!("{count} {what}")));
        let revision = self.revision.as_deref().unwrap_or("no policy");
        format!("{person} {machine}  {revision}  {}\n", notes.join("; "))
    }
}

/// Lists the exceptions that end soon, each once for all machines on which it was granted.
fn ending(present: &[Presence], now: i64) -> Vec<Ending> {
    let mut soon: BTreeMap<(i64, &str, &str), usize> = BTreeMap::new();
    for said in present {
        let granted = said
            .exceptions
            .iter()
            .filter(|granted| (now..now + SOON).contains(&granted.until));
        for granted in granted {
            *soon
                .entry((granted.until, &granted.hook, &granted.owner))
                .or_default() += 1;
        }
    }
    let ends = |((until, hook, owner), machines): ((i64, &str, &str), usize)| Ending {
        hook: hook.to_owned(),
        owner: owner.to_owned(),
        until: shown(until),
        machines,
    };
    soon.into_iter().map(ends).collect()
}

#[cfg(test)]
mod tests {
    use anyhook::policy::Exception;

    use super::*;

    #[test]
    fn exceptions_that_end_soon_are_listed_once_for_all_machines_and_others_are_not() {
        const DAY: i64 = SILENT;
        let granted = |hook: &str, until| Exception {
            hook: hook.into(),
            people: Vec::new(),
            owner: "grace".into(),
            reason: "the release".into(),
            until,
        };
        let machine = |name: &str, exceptions: &[Exception]| Presence {
            machine: name.into(),
            exceptions: exceptions.into(),
            ..Presence::default()
        };
        let [soon, late, over] = [
            granted("no-publish", 3 * DAY),
            granted("no-rm", 40 * DAY),
            granted("old", DAY),
        ];
        let all = [
            machine("a", &[soon.clone(), late.clone(), over]),
            machine("b", &[soon, late]),
            machine("c", &[granted("no-push", 2 * DAY)]),
        ];
        let listed = Coverage {
            exceptions: ending(&all, DAY + 1),
            ..Coverage::default()
        };
        assert_eq!(
            listed.page(),
            "exception from no-push of grace ends 1970-01-03 00:00Z, on 1 machine\n\
             exception from no-publish of grace ends 1970-01-04 00:00Z, on 2 machines\n"
        );
    }
}
