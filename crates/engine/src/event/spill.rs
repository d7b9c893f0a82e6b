//! A corrected value that is too long for a reason goes to a file, and the reason says where.

use std::path::Path;

use anyhook_core::result::{HookResult, Reason, Verdict};

use super::{Caller, Context};
use crate::files;

/// A reason holds values up to this length itself.
const INLINE: usize = 2 * 1024;

impl Context<'_> {
    /// Puts long corrected values into private files, and their names into the reasons that the agent reads. Without a
    /// folder the reason stays as it is: it names the field and the length, and the action is refused all the same.
    pub(super) fn spill(&self, said: &mut HookResult) {
        let places = self.world.places.as_ref();
        let Some(places) = places.filter(|_| self.caller != Caller::Again) else {
            return;
        };
        let (Verdict::Deny { reasons } | Verdict::Halt { reasons }) = &mut said.verdict else {
            return;
        };
        for reason in reasons {
            if let Some(file) = written(reason, &places.values()) {
                reason.text = format!("{} It is in the file {file}", reason.text).into();
            }
        }
    }
}

/// Writes the value of a reason, if it is a long one, and returns the file's name.
fn written(reason: &Reason, folder: &Path) -> Option<String> {
    let value = reason.detail.as_ref()?.to_string();
    if value.len() <= INLINE {
        return None;
    }
    let file = files::keep_value(folder, value.as_bytes()).ok()?;
    Some(file.to_string_lossy().into_owned())
}
