//! Matching the target of an effect against the pattern of a rule.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};

use super::paths::{EventFolders, in_case};
use super::searches::{self, Searches};
use crate::files::below::{MOST, ScanExclusion, ScanScope, TreeEntry, is_of_others};
use crate::files::links::plain;
use crate::files::tracked;
use crate::lists::{GIT_BRINGING, GIT_SETTINGS_FILES, MOVING};
use crate::shell::globs::{Glob, alternatives};

impl Searches<'_> {
    /// Tells a guard whether an effect falls on a file that matches. What cannot be read may be any file; a pattern of the
    /// shell is the files that are there.
    pub(super) fn matches(&self, effect: &Effect, pattern: &str) -> bool {
        let folders = self.folders;
        if let Some(folder) = pattern.strip_suffix('/') {
            return whole_folder(effect, folder, folders);
        }
        match &effect.object {
            Target::Unknown => true,
            // Who asks for the name of a file does not read it; in a folder there are the names of others.
            Target::Path(path) if searches::asks_for_names(effect) && !path.is_dir() => false,
            Target::Path(path) => folders.path_matches(path, pattern),
            Target::Pattern(shell) => {
                let is_unknown = effect.certainty == Certainty::Unknown;
                let text = if is_unknown {
                    anywhere(shell)
                } else {
                    Cow::Borrowed(&**shell)
                };
                let shell = Glob::of_shell(&in_case(&text));
                let from = || base_of(effect);
                meets(&shell, pattern, folders)
                    && (is_unknown || self.finds(&from(), pattern, effect))
            }
            Target::Tree(tree) => self.tree_matches(effect, tree, pattern),
            Target::Host(_) | Target::Push(_) | Target::Program { .. } | Target::Name(_) => false,
        }
    }

    fn tree_matches(&self, effect: &Effect, tree: &Path, pattern: &str) -> bool {
        let folders = self.folders;
        if folders.path_matches(tree, pattern) {
            return true;
        }
        let is_floating = pattern.starts_with("**/") || !pattern.contains('/');
        if is_floating {
            // `git add` takes what git neither keeps nor ignores; where git does not know, all that is there.
            if effect.kind == EffectKind::Read
                && ["git add", "git stage"].contains(&&*effect.through)
            {
                return match folders.seen.addable(tree) {
                    Some(files) => self.has(&files, tree, pattern),
                    None => self.finds(&plain(tree), pattern, effect),
                };
            }
            // Git writes what is in the repository, which such a name rarely is, and takes away what it keeps.
            let takes_all = ["git grep --", "git add -f", "git stage -f"];
            let is_git = effect.through.starts_with("git ")
                && !takes_all
                    .iter()
                    .any(|verb| effect.through.starts_with(verb))
                && (effect.kind != EffectKind::Delete
                    || self.is_steady() && self.keeps_none(effect, tree, pattern));
            let is_of_names = searches::lists_names(effect);
            // What a package manager unpacks is of others, whatever the names in it are.
            let is_unpacked = effect.kind != EffectKind::Read && is_of_others(tree, pattern);
            return !is_git
                && !is_of_names
                && !is_unpacked
                && self.finds(&plain(tree), pattern, effect);
        }
        let trees = [plain(tree), folders.seen.real(tree)];
        let bases = folders
            .absolute(pattern)
            .into_iter()
            .map(|pattern| fixed(&pattern));
        let mut bases = bases.filter(|base| {
            trees
                .iter()
                .any(|tree| base.starts_with(tree) || tree.starts_with(base))
        });
        let asks_for_names = searches::asks_for_names(effect);
        bases.any(|base| {
            let is_below = trees.iter().any(|tree| base.starts_with(tree));
            // The names of what is in a folder are told with those of a folder above.
            if asks_for_names && !trees.iter().any(|tree| tree.starts_with(&base)) {
                return false;
            }
            let from = if is_below { base } else { plain(tree) };
            (is_below && effect.kind == EffectKind::Write) || self.finds(&from, pattern, effect)
        })
    }

    /// Tells whether a command of git brings other files, so that it takes away what it keeps alone, and keeps no file of this
    /// pattern, nor is given one by the line.
    fn keeps_none(&self, effect: &Effect, tree: &Path, pattern: &str) -> bool {
        let verb = effect.through.split(' ').nth(1).unwrap_or_default();
        if !GIT_BRINGING.contains(&verb) {
            return false;
        }
        let (Some(files), Some(added), Some(globs)) = (
            tracked::files(tree),
            self.added(tree),
            globs(pattern, self.folders),
        ) else {
            return false;
        };
        let is_one = |path: &PathBuf| {
            let text = Glob::of_text(&in_case(&path.to_string_lossy()));
            globs.iter().any(|glob| glob.meets(&text))
        };
        !files.iter().chain(&*added).any(is_one)
    }
}

/// Tells whether an effect falls on a file of git's settings, and is no command of git that names the setting itself.
pub(super) fn is_settings(effect: &Effect) -> bool {
    // A submodule and a worktree have settings and hooks of their own.
    let is_below = |path: &Path| {
        let mut folders = path.components().map(std::path::Component::as_os_str);
        let is_deep = folders.any(|name| name == ".git")
            && folders
                .next()
                .is_some_and(|name| name == "modules" || name == "worktrees");
        is_deep
            && (path.ends_with("config")
                || path.ends_with("config.worktree")
                || path
                    .parent()
                    .is_some_and(|parent| parent.ends_with("hooks")))
    };
    let is_one =
        |path: &Path| is_below(path) || GIT_SETTINGS_FILES.iter().any(|file| path.ends_with(file));
    !effect.through.starts_with("git config")
        && matches!(&effect.object, Target::Path(path) if is_one(path))
}

/// Tells a guard whether an effect falls on a whole folder that matches, with everything in it. What git takes away it can
/// bring back, or `discards` says so; what is moved is not gone; a patch removes no folder with all that is in it.
fn whole_folder(effect: &Effect, folder: &str, folders: &EventFolders) -> bool {
    let keeps = matches!(effect.program(), "git" | "mv" | "patch");
    match &effect.object {
        Target::Unknown => true,
        Target::Pattern(shell) if effect.certainty == Certainty::Unknown => shell.contains("**"),
        Target::Pattern(shell) if !keeps => {
            let tree = shell.strip_suffix("/**");
            tree.is_some_and(|tree| folder == "**" || meets(&Glob::of_shell(tree), folder, folders))
        }
        Target::Tree(tree) if !keeps => folder == "**" || folders.path_matches(tree, folder),
        _ => false,
    }
}

/// Tells an approval whether an effect surely falls on files that match, and on nothing else.
pub(super) fn is_inside(effect: &Effect, pattern: &str, folders: &EventFolders) -> bool {
    if effect.certainty == Certainty::Unknown {
        return false;
    }
    match &effect.object {
        Target::Path(path) => folders.is_inside(path, pattern),
        Target::Tree(path) => pattern.ends_with("/**") && folders.is_inside(path, pattern),
        _ => false,
    }
}

/// Tells a guard whether an exception holds all that an effect falls on, by its names and by where links lead. An absolute
/// one, such as `/tmp/**`, holds nothing of the project and of the home, wherever these lie. What a pattern of the shell
/// matches is held if the folders before its first wildcard are, or if its last name stands in `**/name/**` and no link is on
/// the way: `*.egg-info`, `packages/*/dist`, or what `find -name` finds, which follows none.
pub(super) fn is_spared(effect: &Effect, pattern: &str, folders: &EventFolders) -> bool {
    if pattern.starts_with('/') && folders.is_near(&base_of(effect)) {
        return false;
    }
    let shell = match &effect.object {
        // Behind a wildcard it may lead to any folder.
        Target::Pattern(shell) if shell.split('/').any(leads_up) => return false,
        Target::Pattern(shell) => shell,
        Target::Tree(path) if path.symlink_metadata().is_ok_and(|it| it.is_file()) => {
            return effect.certainty != Certainty::Unknown && folders.is_inside(path, pattern);
        }
        _ => return is_inside(effect, pattern, folders),
    };
    if effect.certainty == Certainty::Unknown || !pattern.ends_with("/**") {
        return false;
    }
    let base: PathBuf = fixed(shell).components().collect();
    let behind = shell.split('/').skip_while(|part| !is_open(part)).skip(1);
    let behind = behind.filter(|part| *part != "**").count();
    if folders.is_inside(&base, pattern) && (behind == 0 || has_no_link(base.clone(), behind + 1)) {
        return true;
    }
    let names = pattern
        .strip_prefix("**/")
        .and_then(|rest| rest.strip_suffix("/**"));
    let Some(names) = names.filter(|names| !names.contains('/')) else {
        return false;
    };
    let mut open = shell
        .split('/')
        .skip_while(|part| !is_open(part))
        .peekable();
    if open.peek() == Some(&"**") {
        open.next();
    }
    let open: Vec<&str> = open.collect();
    let Some((name, above)) = open.strip_suffix(&["**"]).unwrap_or(&open).split_last() else {
        return false;
    };
    // What `find` finds by the end of its name, at any depth.
    let name = name
        .strip_prefix('*')
        .filter(|name| name.starts_with('*'))
        .unwrap_or(name);
    folders.is_inside(&base, "./**")
        && alternatives(names).is_some_and(|all| all.iter().any(|one| *one == name))
        && !above.iter().any(|part| matches!(*part, "**" | ".."))
        && (above.is_empty() || has_no_link(base, open.len()))
}

/// Tells whether a part of a pattern is the folder above, or may be: some shells find it by `.?`.
fn leads_up(part: &str) -> bool {
    part == ".." || part.starts_with('.') && is_open(part)
}

/// Tells whether no link stands in so many layers below a folder: what is behind one may be anywhere.
fn has_no_link(from: PathBuf, depth: usize) -> bool {
    let below = ScanScope {
        from,
        depth: Some(depth),
        most: MOST,
        leaving: ScanExclusion::Nothing,
    };
    let tree = below.look();
    !tree.more && !tree.unread && !tree.entries.iter().any(TreeEntry::is_link)
}

/// Tells whether an effect may have moved something, or put a link, to where a later one falls.
pub(super) fn may_move(earlier: &Effect, later: &Effect) -> bool {
    let program = earlier.program();
    if earlier.kind != EffectKind::Write || !MOVING.contains(&program) {
        return false;
    }
    let copies = COPYING.contains(&program) || earlier.through.starts_with("git clone");
    if copies && is_within(&shown(earlier), later) {
        return false;
    }
    let (one, other) = (base_of(earlier), base_of(later));
    one.starts_with(&other) || other.starts_with(&one)
}

/// Tells whether `rm` would take away the link itself that git may have put there: git puts none in the place of its own folder.
pub(super) fn takes_link(earlier: &Effect, later: &Effect) -> bool {
    let top = base_of(earlier);
    (earlier.program(), later.program()) == ("git", "rm")
        && matches!(&later.object, Target::Tree(path) if path.parent() == Some(&top))
}

/// Tells whether a path is what an effect removes as a whole, or stands in it: a link there goes with it, and nothing behind it.
fn is_within(path: &str, removed: &Effect) -> bool {
    if !matches!(removed.object, Target::Tree(_) | Target::Pattern(_)) {
        return false;
    }
    let whole = shown(removed);
    // A pattern has all below it beside it, as a pattern of its own.
    let folder = whole.strip_suffix("/**").filter(|folder| is_open(folder));
    let rest = path.strip_prefix(folder.unwrap_or(&whole));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Programs among these that leave in place what they copy.
const COPYING: &[&str] = &["bsdtar", "cp", "install", "tar", "unzip"];

/// Shows what an effect falls on.
pub(super) fn shown(effect: &Effect) -> String {
    match &effect.object {
        Target::Path(path) | Target::Tree(path) => path.to_string_lossy().into_owned(),
        Target::Pattern(pattern) => pattern.clone(),
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
pub(super) fn globs(pattern: &str, folders: &EventFolders) -> Option<Vec<Glob>> {
    let patterns = folders.absolute(pattern);
    let all: Option<Vec<Vec<Glob>>> = patterns.iter().map(|one| Glob::of_rule(one)).collect();
    all.map(|all| all.into_iter().flatten().collect())
}

fn meets(shell: &Glob, pattern: &str, folders: &EventFolders) -> bool {
    globs(pattern, folders).is_none_or(|globs| globs.iter().any(|glob| glob.meets(shell)))
}

/// What cannot be read may hold `..`, so only the end of such a path is known.
fn anywhere(shell: &str) -> Cow<'_, str> {
    match shell.rsplit_once("**") {
        Some((before, end)) if !before.contains(['*', '?', '[']) => Cow::Owned(format!("/**{end}")),
        _ => Cow::Borrowed(shell),
    }
}

/// The folder in which the files of an effect are.
fn base_of(effect: &Effect) -> PathBuf {
    match &effect.object {
        Target::Path(path) | Target::Tree(path) => plain(path),
        Target::Pattern(pattern) => fixed(pattern),
        _ => PathBuf::from("/"),
    }
}

/// The folders that a pattern begins with, before its first wildcard.
pub(crate) fn fixed(pattern: &str) -> PathBuf {
    let mut base = PathBuf::from("/");
    let whole = pattern.split('/').take_while(|part| !is_open(part));
    whole.for_each(|part| base.push(part.replace('\\', "")));
    base
}

/// Tells whether a part of a pattern may stand for several names.
pub(super) fn is_open(part: &str) -> bool {
    part.contains(['*', '?', '[', '{', '<'])
}
