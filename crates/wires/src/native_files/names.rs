//! What the hooks of a host's file are called: such files give them no names, and a place such as `PreToolUse[5][0]` is
//! nothing that a person can remember, and another hook once one before it goes.

use std::collections::BTreeSet;

use anyhook_core::manifest::{Action, Command, Group};

use super::node::Node;

/// A longer id or description is cut.
const LONGEST: usize = 60;
/// So much of a command line is looked at.
const LOOKED_AT: usize = 4096;

/// Endings of scripts.
const SCRIPTS: &str = "awk bash bat cjs cmd exs js jsx lua mjs mts php pl ps1 py rb sh ts tsx zsh";

/// Programs that start another one, which is what a person calls the hook by.
const STARTERS: &str = "bash bun bunx cmd command dash deno dlx env exec ksh nice node nohup npm npx perl php \
    pipx pnpm poetry powershell pwsh python python2 python3 ruby run sh sudo time timeout \
    tsx uv uvx yarn zsh";

/// Words of a shell that say nothing about what a hook does.
const SHELL: &str = "case cat cd do done echo elif else esac eval exit export false fi for function if printf \
    read set source test then trap true until while";

/// Returns what people would call a hook: its id or its name, the id of its group if it is alone there, its script, its
/// description, its program. Nothing where none of these is there.
pub(super) fn of(group: &Node, hook: &Node, action: &Action) -> Option<String> {
    let alone = group
        .get("hooks")
        .is_none_or(|hooks| hooks.items().len() < 2);
    let given = |node: &Node| {
        ["id", "name"]
            .iter()
            .find_map(|field| word(node.get(field)?.text()?))
    };
    let described = |node: &Node| slug(node.get("description")?.text()?);
    let words = match action {
        Action::Command(command) if command.server.is_some() => {
            let args = command.args.iter().flatten();
            args.skip(2).take(1).cloned().collect()
        }
        Action::Command(command) => words(command),
        Action::Prompt(_)
        | Action::Http(_)
        | Action::Rule(_)
        | Action::Builtin(_)
        | Action::Broken(_) => Vec::new(),
    };
    given(hook)
        .or_else(|| given(group).filter(|_| alone))
        .or_else(|| words.iter().find_map(|word| script(word)))
        .or_else(|| described(hook))
        .or_else(|| described(group).filter(|_| alone))
        .or_else(|| program(&words))
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

/// The first words of a sentence as one word.
fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    let first = text
        .split(['.', ';', ':', '(', '\n'])
        .next()
        .unwrap_or_default();
    for word in first
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if slug.len() + word.len() >= LONGEST {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_lowercase());
    }
    (!slug.is_empty()).then_some(slug)
}

/// The words of a command, as far as quotes tell. It is for a name alone: nothing runs or is judged by it.
fn words(command: &Command) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.command.chars().take(LOOKED_AT) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() || ";&|()<>`".contains(c) => words.push(String::new()),
            (_, c) => {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words.extend(command.args.iter().flatten().cloned());
    words.retain(|word| !word.is_empty());
    words
}

/// The name of a script, if the word is one.
fn script(word: &str) -> Option<String> {
    let name = last(word)?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_one = is_among(SCRIPTS, ending) && !stem.is_empty();
    is_one.then(|| name.to_owned())
}

/// The first program that does something.
fn program(words: &[String]) -> Option<String> {
    let is_option = |word: &str| word.starts_with('-') || word.contains('=');
    let mut words = words.iter().filter(|word| !is_option(word));
    let first = words.find(|word| {
        let starter =
            last(word).map(|name| name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit()));
        starter.is_none_or(|name| !is_among(STARTERS, name) && !is_among(STARTERS, word))
    })?;
    let name = last(first)?;
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let is_word = name
        .chars()
        .all(|c| c.is_alphanumeric() || "._-+".contains(c));
    (is_word && name.starts_with(char::is_alphabetic) && !is_among(SHELL, name))
        .then(|| name.to_owned())
}

/// The last part of a path, if it can be a name.
fn last(word: &str) -> Option<&str> {
    let name = word.rsplit(['/', '\\']).next()?;
    let plain = |c: char| c.is_alphanumeric() || " ._-+@".contains(c);
    (!name.is_empty() && name.len() <= LONGEST && name.chars().all(plain)).then_some(name)
}

fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
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
        for (line, name) in [
            (
                r#"node "${CLAUDE_PLUGIN_ROOT}/guard-pack.js""#,
                "guard-pack.js",
            ),
            (
                r#""${CLAUDE_PLUGIN_ROOT}/hooks/run-hook.cmd" session-start"#,
                "run-hook.cmd",
            ),
            (
                "uv run $CLAUDE_PROJECT_DIR/.claude/hooks/pre_tool_use.py --notify",
                "pre_tool_use.py",
            ),
            ("$CLAUDE_PROJECT_DIR/.claude/hooks/check", "check"),
            ("npx block-no-verify@1.1.2", "block-no-verify"),
            ("/usr/bin/env python3.11 -m guards.style", "guards.style"),
            ("jq -r .tool_input.command >> log", "jq"),
            ("prek run --all-files", "prek"),
            ("if [ -f x ]; then echo no >&2; exit 2; fi", "Stop[0][0]"),
            ("bash -c 'exit 2'", "Stop[0][0]"),
        ] {
            assert_eq!(of_command(line), name, "{line}");
        }
    }

    #[test]
    fn an_id_comes_before_the_script_and_a_description_after_it() {
        let hook = |more: &str| format!(r#"{{{more} "type": "command", "command": "exit 0"}}"#);
        let group = |more: &str, hooks: &str| format!(r#"{{{more} "hooks": [{hooks}]}}"#);
        let described = r#""description": "Block dev servers outside tmux (they hang).","#;
        let all = [
            group(r#""id": "pre:bash:tmux","#, &hook("")),
            group(described, &hook("")),
            group(described, r#"{"type": "command", "command": "./tmux.sh"}"#),
            group(
                r#""id": "both","#,
                &format!("{}, {}", hook(r#""id": "own","#), hook("")),
            ),
        ];
        assert_eq!(
            called(&format!(r#"{{"PreToolUse": [{}]}}"#, all.join(","))),
            [
                "pre:bash:tmux",
                "block-dev-servers-outside-tmux",
                "tmux.sh",
                "own",
                "PreToolUse[3][1]"
            ]
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
