//! A whole tool call: its own effects, and those of the lines that it runs.

use serde_json::Value;

use crate::command::Inner;
use crate::effect::Effect;
use crate::places::{Files, Places};
use crate::shell::{self, Done};
use crate::skills;
use crate::tools::{self, Hints};
use crate::word::Word;

/// Says what a call of a tool does.
///
/// ```
/// use anyhook_effects::call;
/// use anyhook_effects::effect::Kind;
/// use anyhook_effects::places::{NoFiles, Places};
/// use anyhook_effects::tools::Hints;
/// use serde_json::json;
///
/// let places = Places { folder: "/p".into(), project: "/p".into(), ..Places::default() };
/// let input = json!({"command": "cd src && rm -rf x"});
/// let done = call::read("Bash", &input, Hints::default(), &places, &NoFiles);
/// assert!(done.effects.iter().any(|effect| effect.kind == Kind::Delete));
/// ```
pub fn read(tool: &str, input: &Value, hints: Hints, places: &Places, files: &dyn Files) -> Done {
    let mut acts = tools::act(tool, input, hints, places);
    if tool == "Skill" {
        acts.runs = skills::lines(input, places, files);
    }
    let mut done = Done {
        plain: tool != "Skill" && acts.effects.is_empty() && acts.runs.len() == 1,
        effects: acts.effects,
        readable: true,
        ..Done::default()
    };
    for inner in acts.runs {
        let part = shell::inner(inner, places, files);
        done.plain &= part.plain;
        done.readable &= part.readable;
        done.effects.extend(part.effects);
        done.commands.extend(part.commands);
    }
    if tool == "PowerShell" && !is_common(&done) {
        done.plain = false;
        done.effects.extend(Effect::anything(tool));
    }
    done
}

/// Returns the command lines and the code of a call, as they were written.
pub fn texts(tool: &str, input: &Value, places: &Places) -> Vec<String> {
    let acts = tools::act(tool, input, Hints::default(), places);
    acts.runs.iter().filter_map(text).collect()
}

fn text(inner: &Inner) -> Option<String> {
    match inner {
        Inner::Shell { text, .. } | Inner::Code { text, .. } => text.known().map(Into::into),
        Inner::Command(command) => {
            let words = command.words.iter().filter_map(Word::known);
            Some(words.collect::<Vec<_>>().join(" "))
        }
        Inner::File { .. } | Inner::Loaded { .. } | Inner::Elsewhere { .. } => None,
    }
}

/// Tells whether a line of PowerShell is one that every shell reads alike: one plain command of a program that is known.
fn is_common(done: &Done) -> bool {
    done.plain && !done.effects.iter().any(Effect::is_opaque)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::effect::Kind;
    use crate::places::NoFiles;

    fn deletes(tool: &str, command: &str) -> bool {
        let places = Places {
            folder: "/p".into(),
            project: "/p".into(),
            ..Places::default()
        };
        let input = json!({"command": command});
        let done = read(tool, &input, Hints::default(), &places, &NoFiles);
        done.effects
            .iter()
            .any(|effect| effect.kind == Kind::Delete)
    }

    #[test]
    fn a_line_of_powershell_that_is_no_plain_command_may_do_anything() {
        assert!(deletes("PowerShell", "Remove-Item -Recurse x"));
        assert!(deletes("PowerShell", "if ($true) { ri x }"));
        assert!(!deletes("PowerShell", "git status"));
        assert!(!deletes("Bash", "git status"));
    }
}
