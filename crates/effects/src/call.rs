//! A tool call from its name and arguments to what it does.
//!
//! ```
//! use anyhook_effects::call;
//! use anyhook_effects::effect::Kind;
//! use anyhook_effects::places::{NoFiles, Places};
//! use serde_json::json;
//!
//! let places = Places { folder: "/p".into(), project: "/p".into(), ..Places::default() };
//! let call = call::read("Bash", &json!({"command": "cd src && rm a.rs"}), &places, &NoFiles);
//! assert_eq!(call.texts, ["cd src && rm a.rs"]);
//! let removed = call.done.effects.iter().filter(|effect| effect.kind == Kind::Delete);
//! assert_eq!(removed.count(), 1);
//! ```

use std::path::PathBuf;

use serde_json::Value;

use crate::command::{Acts, Inner};
use crate::places::{Files, Places};
use crate::shell::{self, Done};
use crate::tools::{self, Hints};
use crate::word::Word;

/// What a tool call does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// Its effects, and the commands of its lines.
    pub done: Done,
    /// Its command lines and its code as they were written.
    pub texts: Vec<String>,
}

/// Reads a tool call. What cannot be read has an unknown effect.
pub fn read(tool: &str, input: &Value, places: &Places, files: &dyn Files) -> Call {
    let acts = tools::act(tool, input, Hints::default(), places);
    let texts = acts.runs.iter().filter_map(text).collect();
    let done = match line(&acts) {
        Some((line, folder)) => {
            let places = Places {
                folder,
                ..places.clone()
            };
            shell::read(&line, &places, files)
        }
        None => shell::follow(acts, places, files),
    };
    Call { done, texts }
}

/// The line of a call that is one shell line and nothing else, with its folder.
fn line(acts: &Acts) -> Option<(String, PathBuf)> {
    match (&*acts.effects, &*acts.runs) {
        ([], [Inner::Shell { text, folders, .. }]) => match &**folders {
            [folder] => Some((text.known()?.into_owned(), folder.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn text(inner: &Inner) -> Option<String> {
    match inner {
        Inner::Shell { text, .. } | Inner::Code { text, .. } => text.known().map(Into::into),
        Inner::Command { command, .. } => {
            let words = command.words.iter().filter_map(Word::known);
            Some(words.collect::<Vec<_>>().join(" "))
        }
        Inner::File { .. } => None,
    }
}
