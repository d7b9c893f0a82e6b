//! The lines of the shell in the text of a skill or a command of Claude Code, which run while it is loaded.
//!
//! Newer versions ask about each (`PreSkillShellCommand`). Older ones tell of the skill alone, so its text is read: the agent
//! may have written it.

use serde_json::Value;

use crate::command::NestedCommand;
use crate::places::{Files, Places};
use crate::word::Word;

/// Where the text of a skill stands below a folder, with `*` for its name.
const FILES: &[&str] = &[".claude/skills/*/SKILL.md", ".claude/commands/*.md"];

/// Returns the lines that run when the skill of a call is loaded.
pub(crate) fn lines(input: &Value, places: &Places, files: &dyn Files) -> Vec<NestedCommand> {
    let name = ["skill", "command"]
        .iter()
        .find_map(|field| input.get(field)?.as_str());
    let name = name.unwrap_or_default().trim_start_matches('/');
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
    if name.is_empty() || name.contains("..") || !name.chars().all(is_plain) {
        return Vec::new();
    }
    // A command in a folder is called `FOLDER:NAME`.
    let name = name.replace(':', "/");
    let mut folders = vec![&places.project, &places.folder];
    folders.dedup();
    let named = folders.iter().flat_map(|folder| {
        let files = FILES.iter().map(|file| file.replace('*', &name));
        files.map(|file| folder.join(file))
    });
    let texts = named.filter_map(|file| files.script(&file));
    let lines = texts.flat_map(|text| lines_of(&text));
    let folders = || vec![places.folder.clone()];
    lines
        .map(|line| NestedCommand::line(Word::text(&line), folders()))
        .collect()
}

/// Reads what stands between `` !` `` and `` ` ``, and in blocks that begin with `` ```! ``.
fn lines_of(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, part) in text.split("```!").enumerate() {
        let block = part.split_once("```").filter(|_| at > 0);
        lines.extend(block.map(|(block, _)| block.to_owned()));
        let rest = block.map_or(part, |(_, rest)| rest);
        let inline = rest.split("!`").skip(1);
        lines.extend(inline.filter_map(|part| Some(part.split_once('`')?.0.to_owned())));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::call;
    use crate::effect::EffectKind;
    use crate::tools::ToolHints;

    struct Skill;

    impl Files for Skill {
        fn script(&self, path: &Path) -> Option<String> {
            let is_it = path == Path::new("/p/.claude/skills/look/SKILL.md");
            is_it.then(|| {
                "Here: !`ls -l`, `rm -rf c`.\n```!\nrm -rf a\n```\nThen !`rm -rf b`.\n".to_owned()
            })
        }
    }

    fn removed(name: &str) -> Vec<String> {
        let places = Places {
            folder: "/p".into(),
            project: "/p".into(),
            ..Places::default()
        };
        let input = json!({ "skill": name });
        let done = call::read("Skill", &input, ToolHints::default(), &places, &Skill);
        let removed = done
            .effects
            .iter()
            .filter(|effect| effect.kind == EffectKind::Delete);
        removed
            .map(|effect| format!("{:?}", effect.object))
            .collect()
    }

    #[test]
    fn what_a_skill_runs_while_it_is_loaded_is_read_from_its_text() {
        assert_eq!(removed("look"), [r#"Tree("/p/a")"#, r#"Tree("/p/b")"#]);
        assert_eq!(removed("other"), [""; 0]);
        assert_eq!(removed("../skills/look"), [""; 0]);
    }
}
