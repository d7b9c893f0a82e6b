//! A file of hooks with what may run of it, as a plan keeps it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::known::{Kept, Manifests, Understood, Unusable};
use super::{Found, Loading, Trusting};
use crate::trust::{Held, Trust};

/// A manifest file, and what a person said of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Judged {
    pub(crate) found: Found,
    /// What may run of it, where a person has to trust it first.
    pub(super) held: Option<Held>,
    /// Its text as it was trusted, where that is known and cannot run.
    pub(super) text: Option<String>,
    /// What it says, as a plan keeps it.
    kept: Option<Kept>,
}

impl Judged {
    /// Writes down what may run of it for a plan, which has room for so many bytes of text, and returns the room that is left.
    pub(crate) fn keep(&mut self, known: &Manifests, room: usize) -> usize {
        let may_run = matches!(self.held, None | Some(Held::Copy(_)));
        let read = may_run.then(|| self.read(known)).and_then(Result::ok);
        let kept = read.as_ref().and_then(Kept::of);
        self.kept = kept.filter(|kept| kept.length() <= room);
        room - self.kept.as_ref().map_or(0, Kept::length)
    }

    /// Tells whether nothing of it is read at the next event.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Reads what may run of it. Read once: what is judged is what runs.
    pub(super) fn read(&self, known: &Manifests) -> Result<Understood, Unusable> {
        let file = &self.found.file;
        let copy = match &self.held {
            Some(Held::Copy(copy)) => Some(copy),
            Some(Held::Never | Held::Unclear(_)) | None => None,
        };
        let at = copy.map_or(file, |copy| &copy.manifest);
        let kept = self.kept.as_ref().and_then(|kept| known.kept(at, kept));
        match (kept, copy) {
            (Some(kept), _) => Ok(kept),
            (None, Some(copy)) => known.read_copy(file, copy),
            (None, None) => known.read(file),
        }
    }

    /// Tells whether it was trusted and cannot run: the next event tries again.
    pub(crate) fn is_unclear(&self) -> bool {
        matches!(self.held, Some(Held::Unclear(_)))
    }
}

impl Found {
    /// Finds what may run of it.
    pub(crate) fn judged(self, trust: Option<&Trust>, how: Loading) -> Judged {
        let by_pin = self.layer.needs_trust() && how.trust == Trusting::Pinned;
        let held = by_pin.then(|| held(&self.file, trust));
        let is_unclear = matches!(held, Some(Held::Unclear(_)));
        let trust = trust.filter(|_| is_unclear);
        Judged {
            text: trust.and_then(|trust| trust.pinned_text(&self.file)),
            held,
            kept: None,
            found: self,
        }
    }
}

/// Tells what may run of a file that a person has to trust first.
fn held(file: &Path, trust: Option<&Trust>) -> Held {
    let unknown = "there is no home folder outside of the project, so it is not known whether you trusted them; set HOME";
    trust.map_or_else(|| Held::Unclear(unknown.into()), |trust| trust.held(file))
}
