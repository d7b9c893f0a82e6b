//! A whole tool call: its own effects, and those of the lines that it runs.

use serde_json::Value;

use crate::command::NestedCommand;
use crate::effect::{Certainty, EffectKind, Target};
use crate::places::{Files, Places};
use crate::shell::{self, LineAnalysis};
use crate::skills;
use crate::tools::{self, ToolHints};
use crate::word::Word;

/// Says what a call of a tool does.
///
/// ```
/// use anyhook_effects::call;
/// use anyhook_effects::effect::EffectKind;
/// use anyhook_effects::places::{NoFiles, Places};
/// use anyhook_effects::tools::ToolHints;
/// use serde_json::json;
///
/// let places = Places { folder: "/p".into(), project: "/p".into(), ..Places::default() };
/// let input = json!({"command": "cd src && rm -rf x"});
/// let done = call::read("Bash", &input, ToolHints::default(), &places, &NoFiles);
/// assert!(done.effects.iter().any(|effect| effect.kind == EffectKind::Delete));
/// ```
pub fn read(
    tool: &str,
    input: &Value,
    hints: ToolHints,
    places: &Places,
    files: &dyn Files,
) -> LineAnalysis {
    let mut acts = tools::act(tool, input, hints, places);
    // A tool of which nothing is known removes no folder where there is none, and makes no more than a file of that name.
    let is_guess = |sure| sure == Certainty::Unknown || tools::is_of_thing(tool);
    for effect in &mut acts.effects {
        if let (EffectKind::Write | EffectKind::Delete, Target::Path(path) | Target::Tree(path)) =
            (effect.kind, &effect.object)
            && is_guess(effect.certainty)
            && files.is_nowhere(path)
        {
            effect.object = Target::Path(path.clone());
            effect.certainty = Certainty::Likely;
        }
    }
    if tool == "Skill" {
        acts.runs = skills::lines(input, places, files);
    }
    let mut done = LineAnalysis {
        plain: tool != "Skill" && acts.effects.is_empty() && acts.runs.len() == 1,
        effects: acts.effects,
        readable: true,
        ..LineAnalysis::default()
    };
    for inner in acts.runs {
        let part = shell::inner(inner, places, files);
        done.plain &= part.plain;
        done.readable &= part.readable;
        done.effects.extend(part.effects);
        done.commands.extend(part.commands);
    }
    done
}

/// Returns the command lines and the code of a call, as they were written.
pub fn texts(tool: &str, input: &Value, places: &Places) -> Vec<String> {
    let acts = tools::act(tool, input, ToolHints::default(), places);
    acts.runs.iter().filter_map(text).collect()
}

fn text(inner: &NestedCommand) -> Option<String> {
    match inner {
        NestedCommand::Shell { text, .. } | NestedCommand::Code { text, .. } => {
            text.known().map(Into::into)
        }
        NestedCommand::Command(command) => {
            let words = command.words.iter().filter_map(Word::known);
            Some(words.collect::<Vec<_>>().join(" "))
        }
        NestedCommand::File { .. }
        | NestedCommand::Loaded { .. }
        | NestedCommand::Elsewhere { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::places::NoFiles;

    fn deletes(tool: &str, command: &str) -> bool {
        let places = Places {
            folder: "/p".into(),
            project: "/p".into(),
            ..Places::default()
        };
        let input = json!({"command": command});
        let done = read(tool, &input, ToolHints::default(), &places, &NoFiles);
        done.effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Delete)
    }

    /// Nothing stands anywhere but at `/p/src`.
    struct OneFolder;

    impl Files for OneFolder {
        fn script(&self, _: &std::path::Path) -> Option<String> {
            None
        }

        fn is_nowhere(&self, path: &std::path::Path) -> bool {
            path != std::path::Path::new("/p/src")
        }
    }

    #[test]
    fn a_tool_that_is_not_known_removes_no_folder_that_is_not_there() {
        let places = Places {
            folder: "/p".into(),
            project: "/p".into(),
            ..Places::default()
        };
        let deleted = |tool: &str, name: &str| {
            let input = json!({"key": name});
            let done = read(tool, &input, ToolHints::default(), &places, &OneFolder);
            let deleted = done.effects.into_iter();
            deleted
                .filter(|effect| effect.kind == EffectKind::Delete)
                .map(|effect| effect.object)
                .collect::<Vec<_>>()
        };
        for tool in ["mcp__browser__press_key", "mcp__memory__delete_entities"] {
            assert_eq!(deleted(tool, "Enter"), [Target::Path("/p/Enter".into())]);
            assert_eq!(deleted(tool, "src"), [Target::Tree("/p/src".into())]);
        }
        let repository = deleted("mcp__github__delete_repository", "x");
        assert_eq!(repository, [Target::Tree("/p/x".into())]);
    }

    #[test]
    fn a_line_of_powershell_is_read_with_its_own_names() {
        assert!(deletes("PowerShell", "Remove-Item -Recurse x"));
        assert!(deletes("PowerShell", "if ($true) { ri x }"));
        assert!(deletes("PowerShell", "ls | rm -r"));
        assert!(!deletes("PowerShell", "git status"));
        assert!(!deletes("Bash", "git status"));
    }
}
