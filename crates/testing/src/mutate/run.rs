//! Running mutants side by side: each one's cases in turn, until one fails.

use super::{MutantFate, Sightings, Survivor, TestedMutant, order, sketch};
use crate::mutant::Mutant;
use crate::plan::Case;
use crate::ran::{CaseOutcome, CaseRun};
use crate::run::{CaseRunner, TestOptions};
use crate::spread::in_order;

/// Tries all mutants.
pub(super) fn all(
    mutants: &[Mutant<'_>],
    seen: &Sightings<'_>,
    how: &TestOptions,
    told: &mut (dyn FnMut(&TestedMutant) + Send),
) -> Vec<TestedMutant> {
    let cases: Vec<Case> = seen.ran.iter().map(|ran| ran.case.clone()).collect();
    let trying = &MutantRunner {
        seen,
        running: CaseRunner::new(&cases, how),
    };
    let one = |index| trying.job(mutants.get(index)?);
    in_order(how.jobs.get().min(mutants.len()), one, told)
}

struct MutantRunner<'t> {
    seen: &'t Sightings<'t>,
    running: CaseRunner<'t>,
}

impl MutantRunner<'_> {
    fn job(&self, mutant: &Mutant<'_>) -> Option<TestedMutant> {
        self.running.unless_over(|| TestedMutant {
            hook: mutant.tested.who.clone(),
            mutation: mutant.mutation.clone(),
            fate: self.fate(mutant),
        })
    }

    fn fate(&self, mutant: &Mutant<'_>) -> MutantFate {
        let mut trouble = None;
        let cases = if mutant.unseen.is_none() {
            order::cases(mutant.tested, &mutant.mutation, self.seen)
        } else {
            Vec::new()
        };
        let count = cases.len();
        for at in cases {
            let Some(CaseRun { case, .. }) = self.seen.ran.get(at) else {
                continue;
            };
            match self.running.once(at, case, Some(mutant)) {
                Ok((judged, _)) => match judged.outcome() {
                    CaseOutcome::Passed => {}
                    // It ran out of its time, which proves nothing.
                    CaseOutcome::Broken(_) => {
                        trouble = Some("a case ran out of its time with it".to_owned());
                    }
                    _ => {
                        let by = case.id.to_string();
                        return MutantFate::Killed { by };
                    }
                },
                Err(error) => trouble = Some(format!("a case could not be run: {error}")),
            }
        }
        let why = trouble.or_else(|| mutant.unseen.map(str::to_owned));
        let why = why.unwrap_or_else(|| match count {
            0 => "no case sends an event about which it differs".to_owned(),
            1 => "the one case that could notice passes".to_owned(),
            many => format!("all {many} cases that could notice pass"),
        });
        let sketch = sketch::noticing(mutant, self.seen);
        MutantFate::Survived(Survivor { why, sketch })
    }
}
