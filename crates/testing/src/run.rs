//! Running cases: side by side, told in their order.

mod repeat;

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhook::processes::{Pool, PoolLimits};
use anyhook::text::word;

use crate::judge::{self, Judgement};
use crate::mutant::Mutant;
use crate::network::NetworkAccess;
use crate::plan::Case;
use crate::play::{Evidence, play};
use crate::programs::StubPrograms;
use crate::ran::{CaseOutcome, CaseRun};
use crate::room::CaseRoom;
use crate::spread::{in_order, processors};
use repeat::RunFingerprint;

/// How cases are run.
#[derive(Debug, Clone)]
pub struct TestOptions {
    /// How many at once.
    pub jobs: NonZeroUsize,
    /// How often each case is run; one that goes differently the second time fails.
    pub repeat: NonZeroUsize,
    /// Whether hooks reach the network: the command that repeats a case says so. The run itself leaves it as it is.
    pub network: NetworkAccess,
    /// The program that hooks find as `anyhook`; nothing where `PATH` has it.
    pub program: Option<PathBuf>,
    /// Becomes true when the run has to end: hooks are ended then, and no further case begins.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self {
            jobs: processors(),
            repeat: NonZeroUsize::MIN,
            network: NetworkAccess::Cut,
            program: None,
            interrupted: Arc::default(),
        }
    }
}

impl TestOptions {
    /// The command line that runs a case again as it ran here.
    fn again(&self, case: &Case, outcome: &CaseOutcome) -> String {
        let folder = word(&case.package.shown.to_string_lossy());
        let mut line = format!("anyhook test {folder} --case {}", word(&case.id));
        if *outcome == CaseOutcome::Nondeterministic {
            line.push_str(&format!(" --repeat {}", self.repeat));
        }
        if self.network == NetworkAccess::Allowed {
            line.push_str(" --net");
        }
        line
    }
}

/// Runs cases, and tells each in the order of the list as soon as those before it are told.
pub fn run(
    cases: &[Case],
    how: &TestOptions,
    told: &mut (dyn FnMut(&CaseRun) + Send),
) -> Vec<CaseRun> {
    let running = &CaseRunner::new(cases, how);
    // While one pool is there this process stays who takes the orphans: between two cases no other process takes them.
    let _reaper = Pool::new(PoolLimits::default());
    let one = |index| {
        let case = cases.get(index)?;
        running.unless_over(|| running.one(index, case))
    };
    in_order(how.jobs.get().min(cases.len()), one, told)
}

/// How cases are run, with the programs that stand in for others.
pub(crate) struct CaseRunner<'r> {
    how: &'r TestOptions,
    programs: Result<StubPrograms, String>,
}

impl<'r> CaseRunner<'r> {
    pub(crate) fn new(cases: &[Case], how: &'r TestOptions) -> Self {
        let programs = StubPrograms::write(cases, how.program.as_deref());
        let programs = programs.map_err(|error| error.to_string());
        Self { how, programs }
    }

    /// Does some work, unless the run was interrupted. What was interrupted meanwhile did not end by itself: how it went says
    /// nothing.
    pub(crate) fn unless_over<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let is_over = || self.how.interrupted.load(Ordering::Relaxed);
        let done = (!is_over()).then(work);
        done.filter(|_| !is_over())
    }

    fn one(&self, index: usize, case: &Case) -> CaseRun {
        let began = Instant::now();
        let (outcome, failures, evidence) = match &case.skip {
            Some(why) => (CaseOutcome::Skipped(why.clone()), Vec::new(), None),
            None => match self.repeated(index, case) {
                Ok((outcome, judged, evidence)) => (outcome, judged.failures, Some(evidence)),
                Err(error) => {
                    let why = format!("its folders cannot be made: {error}");
                    (CaseOutcome::Broken(why), Vec::new(), None)
                }
            },
        };
        CaseRun {
            case: case.clone(),
            replay: self.how.again(case, &outcome),
            outcome,
            failures,
            evidence,
            took: began.elapsed(),
        }
    }

    /// Plays a case as often as is wanted. It ends at the first time that goes otherwise than the one before.
    fn repeated(
        &self,
        index: usize,
        case: &Case,
    ) -> io::Result<(CaseOutcome, Judgement, Evidence)> {
        let (judged, evidence) = self.once(index, case, None)?;
        for _ in 1..self.how.repeat.get() {
            let (mut again, left) = self.once(index, case, None)?;
            let (first, then) = (
                RunFingerprint::of(&judged, &evidence),
                RunFingerprint::of(&again, &left),
            );
            if first != then {
                again.failures = vec![first.against(&then)];
                return Ok((CaseOutcome::Nondeterministic, again, left));
            }
        }
        Ok((judged.outcome(), judged, evidence))
    }

    /// Plays a case once; with a mutant, one of its hooks is broken.
    pub(crate) fn once(
        &self,
        index: usize,
        case: &Case,
        mutant: Option<&Mutant<'_>>,
    ) -> io::Result<(Judgement, Evidence)> {
        let programs = self
            .programs
            .as_ref()
            .map_err(|why| io::Error::other(why.as_str()))?;
        let programs = programs.of((!case.stubs.is_empty()).then_some(index));
        let room = CaseRoom::new(&self.how.interrupted)?;
        let evidence = play(case, &room, &programs, mutant)?;
        Ok((judge::judge(case, &evidence), evidence))
    }
}
