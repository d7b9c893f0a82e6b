//! The result of a case.

use std::time::Duration;

use anyhook::processes::Leftovers;
use anyhook::yaml;

use crate::case::text::line_of;
use crate::judge::FailedExpectation;
use crate::plan::Case;
use crate::play::Evidence;

/// One case that was run, or passed over.
#[derive(Debug)]
pub struct CaseRun {
    /// The case.
    pub case: Case,
    /// The command line that runs it again, alone, as it ran.
    pub replay: String,
    /// How it went.
    pub outcome: CaseOutcome,
    /// What does not hold.
    pub failures: Vec<FailedExpectation>,
    /// What it left; nothing where it was not run.
    pub evidence: Option<Evidence>,
    /// How long all of it took, its room included.
    pub took: Duration,
}

/// How a case went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseOutcome {
    /// Everything that was expected holds.
    Passed,
    /// Something does not hold.
    Failed,
    /// It could not be run to its end, for this reason.
    Broken(String),
    /// It was passed over, for this reason.
    Skipped(String),
    /// It was run several times, and went differently.
    Nondeterministic,
}

impl CaseOutcome {
    /// Tells whether it makes the run fail.
    pub fn is_bad(&self) -> bool {
        match self {
            Self::Passed | Self::Skipped(_) => false,
            Self::Failed | Self::Broken(_) | Self::Nondeterministic => true,
        }
    }

    /// Returns the word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Failed => "fail",
            Self::Broken(_) => "error",
            Self::Skipped(_) => "skip",
            Self::Nondeterministic => "nondeterministic",
        }
    }

    /// Returns the whole sentence about it, where the word is not all there is to say.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Self::Nondeterministic => {
                Some("NONDETERMINISTIC: run again, it went otherwise".to_owned())
            }
            _ => self.reason().map(str::to_owned),
        }
    }

    /// Returns the reason that goes with it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Broken(why) | Self::Skipped(why) => Some(why),
            Self::Passed | Self::Failed | Self::Nondeterministic => None,
        }
    }
}

impl CaseRun {
    /// Returns the line of its file to look at: that of the first expectation that does not hold, else that of its name.
    pub fn line(&self) -> u32 {
        let mut lines = self.failures.iter().filter_map(|one| self.line_of(one));
        lines.next().unwrap_or_else(|| self.case.line())
    }

    /// Returns the line of an expectation; nothing where the case does not say it.
    pub fn line_of(&self, failure: &FailedExpectation) -> Option<u32> {
        let own = self.case.of_its_host().map(|(_, own)| yaml::of(own).line);
        line_of(&self.case.text, own, failure.about)
    }

    /// Tells whether a hook left a process behind that had to be ended.
    pub fn leaks(&self) -> bool {
        let evidence = self.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.leftovers == Leftovers::Ended)
    }
}

/// How many cases went how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct CaseTally {
    /// Those that passed.
    pub passed: usize,
    /// Those that make the run fail.
    pub failed: usize,
    /// Those that were passed over.
    pub skipped: usize,
    /// What is wrong with files.
    pub problems: usize,
}

impl CaseTally {
    /// Counts.
    pub fn of(ran: &[CaseRun], problems: usize) -> Self {
        let mut tally = Self {
            problems,
            ..Self::default()
        };
        for ran in ran {
            let count = match &ran.outcome {
                CaseOutcome::Passed => &mut tally.passed,
                CaseOutcome::Skipped(_) => &mut tally.skipped,
                CaseOutcome::Failed | CaseOutcome::Broken(_) | CaseOutcome::Nondeterministic => {
                    &mut tally.failed
                }
            };
            *count += 1;
        }
        tally
    }

    /// Tells whether nothing failed and nothing was wrong.
    pub fn is_good(&self) -> bool {
        self.failed == 0 && self.problems == 0
    }

    /// Returns the exit code: 0 all is well, 1 something failed, 2 some file is wrong, 4 there was nothing to run.
    pub fn exit(&self) -> u8 {
        let ran = self.passed + self.failed + self.skipped;
        match self {
            Self { problems: 1.., .. } => 2,
            Self { failed: 1.., .. } => 1,
            _ if ran == 0 => 4,
            _ => 0,
        }
    }
}
