//! Scripts that are not there, may not be executed, do not say what runs them, or are found from one folder only.

use anyhook_core::manifest::LineIndex;
use anyhook_wires::native_files::{NativeFormat, VariableContent, WorkingFolder};

use super::linted::LintTarget;
use super::script::{Language, Script, ScriptState, is_for_a_shell};
use super::{Fix, Note};

pub(super) fn missing(linted: &LintTarget<'_>) -> Vec<Note> {
    let missing = linted.scripts();
    let missing = missing.filter(|(_, script)| script.state == ScriptState::Missing);
    let notes = missing.map(|(site, script)| {
        let message = format!("the script `{}` is not there", shown(linted, script));
        let note = Note::new(linted.command_at(site), message);
        if script.of_home {
            // It may be there for others, and for this person after a first use.
            note.warning()
                .help("it is looked for in your home: without it the hook fails at every event")
        } else {
            note.help("without it the hook fails at every event")
        }
    });
    notes.collect()
}

pub(super) fn not_executable(linted: &LintTarget<'_>) -> Vec<Note> {
    let plain = linted.scripts();
    let plain =
        plain.filter(|(_, script)| script.state == ScriptState::Plain && script.by.is_none());
    let notes = plain.map(|(site, script)| {
        let shown = shown(linted, script);
        let note = Note::new(
            linted.command_at(site),
            format!("`{shown}` may not be executed"),
        );
        note.help(format!("run `chmod +x {shown}`"))
            .fix(Some(Fix::executable(&script.path)))
    });
    notes.collect()
}

fn shown(linted: &LintTarget<'_>, script: &Script) -> String {
    let path = script.path.strip_prefix(&linted.root);
    path.unwrap_or(&script.path).display().to_string()
}

pub(super) fn no_shebang(linted: &LintTarget<'_>) -> Vec<Note> {
    let silent = linted.texts().filter(|(site, script, text)| {
        let is_executed = script.by.is_none() && script.state == ScriptState::Executable;
        // A line that a shell reads has a shell run what does not say: it says so by its ending where it is no shell's.
        let mut commands = linted.commands();
        let line = commands.find(|(of, _)| of.entry.at == site.entry.at);
        let by_shell = line.is_some_and(|(_, command)| is_for_a_shell(linted, command));
        let is_fine = by_shell && matches!(script.language, Language::Shell | Language::Other);
        let hidden = text.starts_with('\u{feff}');
        is_executed && !text.starts_with("#!") && !text.is_empty() && (hidden || !is_fine)
    });
    let notes = silent.map(|(_, script, text)| {
        let end = text.find('\n').unwrap_or(text.len());
        let at = LineIndex::new(0, text).place(0..end);
        let help = "begin it with `#!/bin/sh`, or with the program that it is written for";
        Note::new(at, "the script does not say what runs it")
            .help(help)
            .of(&script.path)
    });
    notes.collect()
}

pub(super) fn crlf(linted: &LintTarget<'_>) -> Vec<Note> {
    let notes = linted.texts().filter_map(|(_, script, text)| {
        let first = text.split_inclusive('\n').next()?;
        let line = first.strip_prefix("#!")?.strip_suffix("\r\n")?;
        let at = LineIndex::new(0, text).place(0..line.len() + 2);
        let message = "the first line ends in a carriage return, so its program is not found";
        let returns = text.match_indices("\r\n");
        let fix = Fix {
            what: "write the line endings of Unix".to_owned(),
            edits: returns.map(|(at, _)| (at..at + 1, String::new())).collect(),
            executable: None,
        };
        let note = Note::new(at, message).help("write the line endings of Unix");
        Some(note.fix(Some(fix)).of(&script.path))
    });
    notes.collect()
}

pub(super) fn relative(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let mut variables = format.variables.iter();
    let project = variables.find(|(_, variable)| *variable == VariableContent::Project);
    let relative = linted.scripts().filter(|(_, script)| script.relative);
    let relative = relative.filter(|_| format.folder == WorkingFolder::Session);
    let notes = relative.map(|(site, script)| {
        let word = &script.word;
        let message = format!(
            "`{word}` starts from wherever `{}` happens to be",
            format.host
        );
        Note::new(linted.command_at(site), message).help(match project {
            Some((name, _)) => format!("write `\"${name}/{}\"`", word.trim_start_matches("./")),
            None => "write the whole path".to_owned(),
        })
    });
    notes.collect()
}
