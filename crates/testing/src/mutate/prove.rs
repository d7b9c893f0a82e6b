//! Proving a case before it is shown: it passes as the hooks are, and fails with the mutant.

use std::io;
use std::sync::Arc;

use anyhook::yaml;

use super::draft::Draft;
use super::make::Made;
use super::run::{Noticed, noticed};
use super::{Seen, Written, write};
use crate::case::CaseFile;
use crate::mutant::Mutant;
use crate::plan::{self, Case};
use crate::programs::Programs;
use crate::room::Room;
use crate::run::How;

/// How many candidates are played.
const MOST: usize = 12;

/// A mutant for which a case is wanted.
pub(super) struct Proving<'p> {
    pub(super) made: &'p Made<'p>,
    pub(super) mutant: &'p Mutant,
    pub(super) seen: &'p Seen<'p>,
    pub(super) how: &'p How,
}

impl Proving<'_> {
    /// Returns the first candidate that notices the mutant, else the first one as a sketch.
    pub(super) fn write(&self, room: &mut Option<Room>) -> Written {
        let tested = self.made.tested;
        let name = &self.made.name;
        let drafts = write::candidates(self.made, self.seen);
        let proven = drafts.iter().take(MOST).find(|draft| {
            let played = self.play(name, draft, room);
            played.is_ok_and(|noticed| noticed == Noticed::Yes)
        });
        match (proven, drafts.first()) {
            (Some(draft), _) => {
                let written = write::written(tested, name, draft);
                Written {
                    is_proven: true,
                    ..written
                }
            }
            (None, Some(draft)) => write::written(tested, name, draft),
            (None, None) => write::unasked(tested, name),
        }
    }

    fn play(&self, name: &str, draft: &Draft, room: &mut Option<Room>) -> io::Result<Noticed> {
        let cases = self.cases(name, draft);
        let programs = Programs::write(&cases, self.how.program.as_deref())?;
        let mut any = Noticed::No;
        for (at, case) in cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.skip.is_none())
        {
            let stubs = (!case.stubs.is_empty()).then_some(at);
            let interrupted = &self.how.interrupted;
            let mut goes = |mutant| noticed(case, room, &programs.of(stubs), mutant, interrupted);
            if goes(None)? != Noticed::No {
                return Ok(Noticed::Unclear);
            }
            if any != Noticed::Yes {
                any = goes(Some(self.mutant))?;
            }
        }
        Ok(any)
    }

    /// The cases that the text stands for, read as from its file.
    fn cases(&self, name: &str, draft: &Draft) -> Vec<Case> {
        let package = &self.made.tested.package;
        let file = package.tests.join(format!("cases/{name}.yaml"));
        let text = draft.text();
        let read = yaml::read::<CaseFile>(&text).ok();
        let cases = read.and_then(|spec| plan::cases(package, &file, &text, &Arc::new(spec)).ok());
        cases.unwrap_or_default()
    }
}
