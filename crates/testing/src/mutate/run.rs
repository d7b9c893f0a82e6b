//! Running mutants side by side: each one's cases in turn, until one fails.

use std::io;
use std::sync::atomic::Ordering;

use super::make::Made;
use super::{Fate, Seen, Survivor, Tried, order, sketch};
use crate::judge;
use crate::mutant::Mutant;
use crate::plan::Case;
use crate::play::play;
use crate::programs::Programs;
use crate::ran::Ran;
use crate::room::Room;
use crate::run::How;
use crate::spread::in_order;

/// Tries all mutants.
pub(super) fn all(
    mutants: &[Made<'_>],
    seen: &Seen<'_>,
    how: &How,
    told: &mut (dyn FnMut(&Tried) + Send),
) -> Vec<Tried> {
    let cases: Vec<Case> = seen.ran.iter().map(|ran| ran.case.clone()).collect();
    let programs = Programs::write(&cases, how.program.as_deref());
    let trying = &Trying {
        mutants,
        seen,
        how,
        programs: programs.as_ref().map_err(ToString::to_string),
    };
    let worker = || move |index| trying.job(index);
    in_order(how.jobs.get().min(mutants.len()), worker, told)
}

struct Trying<'t> {
    mutants: &'t [Made<'t>],
    seen: &'t Seen<'t>,
    how: &'t How,
    programs: Result<&'t Programs, String>,
}

/// How a case went with a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noticed {
    Yes,
    No,
    /// It ran out of its time, which proves nothing.
    Unclear,
}

impl Trying<'_> {
    fn job(&self, index: usize) -> Option<Tried> {
        let is_over = || self.how.interrupted.load(Ordering::Relaxed);
        let made = self.mutants.get(index).filter(|_| !is_over())?;
        let tried = Tried {
            hook: made.tested.who.clone(),
            mutation: made.mutation.clone(),
            fate: self.fate(made),
        };
        // A run that was ended from outside proves nothing.
        (!is_over()).then_some(tried)
    }

    fn fate(&self, made: &Made<'_>) -> Fate {
        let mutant = Mutant {
            hook: made.tested.key.clone(),
            mutation: made.mutation.clone(),
        };
        let mut trouble = None;
        let cases = if made.unseen.is_none() {
            order::cases(made.tested, &made.mutation, self.seen)
        } else {
            Vec::new()
        };
        let count = cases.len();
        for at in cases {
            match self.one(at, &mutant) {
                Ok(Noticed::Yes) => return self.killed(at),
                Ok(Noticed::No) => {}
                Ok(Noticed::Unclear) => {
                    trouble = Some("a case ran out of its time with it".to_owned());
                }
                Err(error) => trouble = Some(format!("a case could not be run: {error}")),
            }
        }
        let why = trouble.or_else(|| made.unseen.map(str::to_owned));
        let why = why.unwrap_or_else(|| match count {
            0 => "no case sends an event about which it differs".to_owned(),
            1 => "the one case that could notice passes".to_owned(),
            many => format!("all {many} cases that could notice pass"),
        });
        let sketch = sketch::noticing(made, self.seen);
        Fate::Survived(Survivor { why, sketch })
    }

    fn killed(&self, at: usize) -> Fate {
        let by = self.seen.ran.get(at);
        Fate::Killed {
            by: by.map(|ran| ran.case.id.to_string()).unwrap_or_default(),
        }
    }

    /// Plays a case, and tells whether anything does not hold.
    fn one(&self, at: usize, mutant: &Mutant) -> io::Result<Noticed> {
        let programs = self.programs.clone().map_err(io::Error::other)?;
        let Some(Ran { case, .. }) = self.seen.ran.get(at) else {
            return Ok(Noticed::No);
        };
        let programs = programs.of((!case.stubs.is_empty()).then_some(at));
        let room = Room::new(&self.how.interrupted)?;
        let judged = judge::judge(case, &play(case, &room, &programs, Some(mutant))?);
        Ok(match judged.error {
            Some(_) => Noticed::Unclear,
            None if judged.failures.is_empty() => Noticed::No,
            None => Noticed::Yes,
        })
    }
}
