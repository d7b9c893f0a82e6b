//! What the hooks of a host's file are called: such files give them no names, and a place such as `PreToolUse[5][0]` is
//! nothing that a person can remember, and another hook once one before it goes.

use std::collections::BTreeSet;

use anyhook_core::manifest::{Action, Command, Group};

use super::node::{Node, NodeAccess};

/// A longer id is cut.
const LONGEST: usize = 60;

/// Endings of scripts.
const SCRIPTS: &str = "awk bash bat cjs cmd exs js jsx lua mjs mts php pl ps1 py rb sh ts tsx zsh";

/// Returns what people would call a hook: its id or its name, the id of its group if it is alone there, its script, or the
/// program of a line without one. Nothing where none of these is there.
pub(super) fn of(group: &Node<'_>, hook: &Node<'_>, action: &Action) -> Option<String> {
    let alone = group
        .get("hooks")
        .is_none_or(|hooks| hooks.items().len() < 2);
    let given = |node: &Node<'_>| {
        ["id", "name"]
            .iter()
            .find_map(|field| word(node.get(field)?.word()?))
    };
    let called = match action {
        Action::Command(command) => of_command(command),
        _ => None,
    };
    given(hook)
        .or_else(|| given(group).filter(|_| alone))
        .or(called)
}

/// Gives every hook of a file a name of its own: a number is added where two would be called the same. A hook that is added
/// behind others changes no name.
pub(super) fn tell_apart(groups: &mut [Group]) {
    let mut taken = BTreeSet::new();
    for entry in groups.iter_mut().flat_map(|group| &mut group.entries) {
        let Some(name) = &entry.called else {
            continue;
        };
        let mut numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        let free = if taken.contains(name) {
            numbered.find(|name| !taken.contains(name))
        } else {
            Some(name.clone())
        };
        taken.extend(free.clone());
        entry.called = free;
    }
}

/// An id as its author wrote it, if it can be one word of a person.
fn word(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = !text.is_empty() && !text.chars().any(char::is_control);
    (plain && text.len() <= LONGEST).then(|| text.to_owned())
}

/// The tool that is called, else the first script among the words of a line, else its first word.
fn of_command(command: &Command) -> Option<String> {
    let mut args = command.args.iter().flatten();
    if command.server.is_some() {
        return args.nth(2).cloned();
    }
    let apart = |c: char| c.is_whitespace() || "\"';&|()<>`".contains(c);
    let words = command.command.split(apart);
    let mut words = words
        .chain(args.map(String::as_str))
        .filter_map(last)
        .peekable();
    let first = words.peek().copied();
    let is_script = |name: &&str| {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| SCRIPTS.split(' ').any(|known| known == ending))
    };
    words.find(is_script).or(first).map(str::to_owned)
}

/// The last part of a path, if it can be a name.
fn last(word: &str) -> Option<&str> {
    let name = word.rsplit(['/', '\\']).next()?;
    let plain = |c: char| c.is_alphanumeric() || "._-+@".contains(c);
    let is_name = name.starts_with(char::is_alphabetic) && name.chars().all(plain);
    (is_name && name.len() <= LONGEST).then_some(name)
}

#[cfg(test)]
mod tests {
    use anyhook_core::manifest::Manifest;

    use super::super::{Syntax, claude_code};

    fn called(hooks: &str) -> Vec<String> {
        let text = format!(r#"{{"hooks": {hooks}}}"#);
        let Manifest { groups, .. } = claude_code().read(&text, Syntax::Json).unwrap().manifest;
        let all = groups
            .iter()
            .flat_map(|group| group.entries.iter().map(|entry| group.name_of(entry)));
        all.collect()
    }

    fn of_command(line: &str) -> String {
        let line = serde_json::to_string(line).unwrap();
        called(&format!(
            r#"{{"Stop": [{{"hooks": [{{"type": "command", "command": {line}}}]}}]}}"#
        ))
        .remove(0)
    }

    #[test]
    fn a_hook_is_called_by_its_script_and_else_by_its_program() {
        for row in include_str!("named.txt").lines().skip(1) {
            let (line, name) = row.split_once(" ⇒ ").unwrap();
            assert_eq!(of_command(line), name, "{line}");
        }
    }

    #[test]
    fn an_id_comes_before_the_script_and_that_of_a_group_is_for_one_hook() {
        let hook = |more: &str| format!(r#"{{{more} "type": "command", "command": "./x.sh"}}"#);
        let group = |more: &str, hooks: &str| format!(r#"{{{more} "hooks": [{hooks}]}}"#);
        let two = format!("{}, {}", hook(r#""id": "own","#), hook(""));
        let all = [
            group(r#""id": "pre:bash:tmux","#, &hook("")),
            group(r#""id": "both","#, &two),
        ];
        assert_eq!(
            called(&format!(r#"{{"PreToolUse": [{}]}}"#, all.join(","))),
            ["pre:bash:tmux", "own", "x.sh"]
        );
    }

    #[test]
    fn two_hooks_of_one_file_never_have_one_name_and_one_that_is_added_behind_them_changes_none() {
        let hook = |script: &str| {
            format!(r#"{{"hooks": [{{"type": "command", "command": "./{script}"}}]}}"#)
        };
        let file = |scripts: &[&str]| {
            let hooks: Vec<String> = scripts.iter().map(|script| hook(script)).collect();
            called(&format!(r#"{{"PreToolUse": [{}]}}"#, hooks.join(",")))
        };
        let before = file(&["a.sh", "b.sh", "a.sh", "a.sh-2.sh"]);
        assert_eq!(before, ["a.sh", "b.sh", "a.sh-2", "a.sh-2.sh"]);
        let after = file(&["c.sh", "a.sh", "b.sh", "a.sh", "a.sh-2.sh", "a.sh"]);
        assert_eq!(
            after,
            ["c.sh", "a.sh", "b.sh", "a.sh-2", "a.sh-2.sh", "a.sh-3"]
        );
    }
}
