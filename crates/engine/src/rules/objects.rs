//! Whether what an effect falls on matches the pattern of a rule.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook_effects::effect::{Certainty, Effect, Kind, Object};

use super::globs::Glob;
use super::paths::{Folders, in_case};
use crate::files::links::{plain, real};

/// The most files that are looked at for one pattern; above, one of them counts as matching.
const MOST: usize = 20_000;

/// Folders in which a search below a folder does not look: what others wrote, and git.
const OTHERS: &[&str] = &[".git", "node_modules", "target", ".venv"];

/// Tells a guard whether an effect falls on a file that matches. What cannot be read may be any file; a pattern of the
/// shell is the files that are there.
pub(super) fn matches(effect: &Effect, pattern: &str, folders: &Folders) -> bool {
    match &effect.object {
        Object::Unknown => true,
        Object::Path(path) => folders.path_matches(path, pattern),
        Object::Pattern(shell) => {
            let shell = Glob::of_shell(&in_case(shell));
            let may = meets(&shell, pattern, folders);
            may && (effect.certainty == Certainty::Unknown
                || is_there(base_of(effect), pattern, folders, effect, Some(&shell)))
        }
        Object::Tree(tree) => tree_matches(effect, tree, pattern, folders),
        Object::Host(_) | Object::Push(_) | Object::Program { .. } | Object::Name(_) => false,
    }
}

/// Tells an approval whether an effect surely falls on files that match, and on nothing else.
pub(super) fn is_inside(effect: &Effect, pattern: &str, folders: &Folders) -> bool {
    if effect.certainty == Certainty::Unknown {
        return false;
    }
    match &effect.object {
        Object::Path(path) => folders.is_inside(path, pattern),
        Object::Tree(path) => pattern.ends_with("/**") && folders.is_inside(path, pattern),
        _ => false,
    }
}

/// Shows what an effect falls on.
pub(super) fn shown(effect: &Effect) -> String {
    match &effect.object {
        Object::Path(path) | Object::Tree(path) => path.to_string_lossy().into_owned(),
        Object::Pattern(pattern) => pattern.clone(),
        _ => "a file that cannot be told".to_owned(),
    }
}

/// Tells whether a name, such as that of a machine, is the one that is asked for; case does not count.
pub(super) fn is_name(wanted: &str, name: &str) -> bool {
    let name = Glob::of_text(&name.to_lowercase());
    let wanted = Glob::of_rule(&wanted.to_lowercase());
    wanted.is_none_or(|all| all.iter().any(|wanted| wanted.meets(&name)))
}

/// The absolute patterns of a rule; nothing if they stand for too many.
fn globs(pattern: &str, folders: &Folders) -> Option<Vec<Glob>> {
    let patterns = folders.absolute(pattern);
    let all: Option<Vec<Vec<Glob>>> = patterns.iter().map(|one| Glob::of_rule(one)).collect();
    all.map(|all| all.into_iter().flatten().collect())
}

fn meets(shell: &Glob, pattern: &str, folders: &Folders) -> bool {
    globs(pattern, folders).is_none_or(|globs| globs.iter().any(|glob| glob.meets(shell)))
}

/// The folder in which the files of an effect are.
fn base_of(effect: &Effect) -> PathBuf {
    match &effect.object {
        Object::Path(path) | Object::Tree(path) => plain(path),
        Object::Pattern(pattern) => fixed(pattern),
        _ => PathBuf::from("/"),
    }
}

/// The folders that a pattern begins with, before its first wildcard.
fn fixed(pattern: &str) -> PathBuf {
    let mut base = PathBuf::from("/");
    let whole = pattern.split('/').take_while(|part| !is_open(part));
    whole.for_each(|part| base.push(part.replace('\\', "")));
    base
}

/// Tells whether a part of a pattern may stand for several names.
fn is_open(part: &str) -> bool {
    part.contains(['*', '?', '[', '{'])
}

fn tree_matches(effect: &Effect, tree: &Path, pattern: &str, folders: &Folders) -> bool {
    if folders.path_matches(tree, pattern) {
        return true;
    }
    let is_floating = pattern.starts_with("**/") || !pattern.contains('/');
    if is_floating {
        // Git writes what is in the repository, which such a name rarely is.
        let is_git = effect.through.starts_with("git ") && effect.kind != Kind::Delete;
        return !is_git && is_there(plain(tree), pattern, folders, effect, None);
    }
    let trees = [plain(tree), real(tree)];
    let bases = folders
        .absolute(pattern)
        .into_iter()
        .map(|pattern| fixed(&pattern));
    let mut bases = bases.filter(|base| {
        trees
            .iter()
            .any(|tree| base.starts_with(tree) || tree.starts_with(base))
    });
    bases.any(|base| {
        let is_below = trees.iter().any(|tree| base.starts_with(tree));
        let from = if is_below { base } else { plain(tree) };
        (is_below && effect.kind == Kind::Write) || is_there(from, pattern, folders, effect, None)
    })
}

/// Tells whether a file is there, at a place or below it, that matches; also where there are too many to look at.
fn is_there(
    from: PathBuf,
    pattern: &str,
    folders: &Folders,
    effect: &Effect,
    shell: Option<&Glob>,
) -> bool {
    let globs = globs(pattern, folders);
    // Where links lead is looked up for links alone.
    let is_it = |path: &Path, is_link: bool| {
        let text = Glob::of_text(&in_case(&path.to_string_lossy()));
        let may = |globs: &Vec<Glob>| globs.iter().any(|glob| glob.meets(&text));
        shell.is_none_or(|shell| shell.meets(&text))
            && (is_link || globs.as_ref().is_none_or(may))
            && folders.path_matches(path, pattern)
    };
    if from.symlink_metadata().is_ok() && is_it(&from, true) {
        return true;
    }
    let hidden = takes_hidden(effect);
    let mut looked = 0;
    let mut layer = vec![from.clone()];
    for _ in 0..depth(effect, &from) {
        let mut next = Vec::new();
        for folder in &layer {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if !hidden && name.starts_with('.') {
                    continue;
                }
                looked += 1;
                let kind = entry.file_type();
                let is_link = kind.as_ref().is_ok_and(fs::FileType::is_symlink);
                if looked > MOST || is_it(&entry.path(), is_link) {
                    return true;
                }
                let is_folder = kind.is_ok_and(|kind| kind.is_dir());
                if is_folder && !OTHERS.contains(&&*name) {
                    next.push(entry.path());
                }
            }
        }
        if next.is_empty() {
            return false;
        }
        layer = next;
    }
    false
}

/// Search tools pass hidden files over, and so does a pattern of the shell unless it names the dot.
fn takes_hidden(effect: &Effect) -> bool {
    match &effect.object {
        Object::Pattern(shell) => {
            let mut open = shell.split('/').skip_while(|part| !is_open(part));
            open.any(|part| part.starts_with(['.', '[', '{']))
        }
        _ => !matches!(&*effect.through, "Grep" | "Glob"),
    }
}

/// How far below a folder the files of an effect are.
fn depth(effect: &Effect, from: &Path) -> usize {
    match &effect.object {
        Object::Pattern(shell) if !shell.contains("**") => {
            let below = |path: &str| path.matches('/').count();
            let from = from.to_string_lossy();
            below(shell).saturating_sub(below(from.trim_end_matches('/')))
        }
        _ => usize::MAX,
    }
}
