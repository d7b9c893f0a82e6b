//! What git brings without telling it before: the files that guard are compared at the next gate.

use std::path::Path;

use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind};

use super::turn::EventRun;
use crate::files;
use crate::files::below::ScanScope;
use crate::guarded;
use crate::state::GuardFiles;
use crate::text::quoted;

/// The longest path that is shown.
const SHOWN: usize = 120;

impl EventRun<'_> {
    /// Notes how the files are that a call may change, where it is let go on for that.
    /// Where that cannot be kept, a person is asked before.
    pub(super) fn note_brought(&mut self, finished: &mut DispatchOutcome) {
        let brought = self.held.last.brought.clone();
        let Some(files) = brought
            .get()
            .filter(|_| finished.result.verdict.kind() <= Kind::Ask)
        else {
            return;
        };
        let told = files.iter().filter_map(|file| file.to_str());
        let files = told
            .map(|file| (file.to_owned(), digest(file.as_ref())))
            .collect();
        let kept = self.update(|session| {
            session.brought = Some(GuardFiles {
                turn: session.turn,
                files,
            });
        });
        if kept.is_none() {
            let question = "This may change files that guard this agent, and how they are now could not be kept, so they \
                            cannot be compared afterwards. Go on?";
            finished.result = std::mem::take(&mut finished.result).then(HookResult::ask(question));
        }
    }

    /// Asks a person where such a file is another one now. A call may still be at work in its turn, so the comparison ends with
    /// a gate of the next one.
    pub(super) fn ask_of_brought(&mut self, event: &Event, finished: &mut DispatchOutcome) {
        let is_gate = event.name.as_str() == guarded::EVENT;
        // What is refused stays so, and the question waits.
        let is_open = finished.result.verdict.kind() <= Kind::Ask;
        if !is_gate || !is_open || self.seen.is_some_and(|seen| !seen.brought) {
            return;
        }
        let changed = self.update(|session| {
            let brought = session.brought.take()?;
            let mut files = brought.files.iter();
            let changed = files.find(|(file, was)| digest(file.as_ref()) != **was);
            let changed = changed.map(|(file, _)| file.clone());
            if changed.is_none() && session.turn == brought.turn {
                session.brought = Some(brought);
            }
            changed
        });
        let Some(file) = changed.flatten() else {
            return;
        };
        let question = format!(
            "What git brought changed `{}`. It is part of what guards this agent (hooks, their scripts, settings). Look at it \
             before the agent goes on: git log -1 -p -- FILE shows what changed. Go on?",
            quoted(&file, SHOWN)
        );
        finished.result = std::mem::take(&mut finished.result).then(HookResult::ask(question));
    }
}

/// The digest of a file, or of all files of a folder; of one that is not there or cannot be read, nothing.
fn digest(file: &Path) -> String {
    if file.is_dir() {
        let tree = ScanScope::whole(file).look();
        let files = tree.entries.iter().filter(|entry| !entry.path.is_dir());
        let told = files.map(|entry| format!("{} {}", entry.path.display(), digest(&entry.path)));
        let mut told: Vec<String> = told.collect();
        told.sort();
        return files::name_of(&[told.join("\n").as_bytes()]);
    }
    let bytes = files::read_document(file).unwrap_or_default();
    if bytes.is_empty() {
        return String::new();
    }
    files::name_of(&[&bytes])
}
