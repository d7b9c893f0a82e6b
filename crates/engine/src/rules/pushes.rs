//! Which branches a call pushes to, and on which it makes commits.

use std::path::PathBuf;

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, EffectKind, Push, Target};
use anyhook_effects::programs::{folders_of_git, may_be, may_switch_branch, switches_to};
use anyhook_effects::word::Word;

use super::Facts;
use super::paths::EventFolders;
use super::{branch, objects, remotes};
use crate::brings::is_straight;
use crate::lists::LEADING_TO_BRANCHES;

/// What says which branch is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BranchSource {
    /// The line, where it checked one out before.
    Line,
    /// The repository as it is.
    Disk,
}

impl Facts<'_> {
    pub(super) fn on_branch(&self, names: &[String]) -> bool {
        branch::is_one_of(&self.folders().cwd, names)
    }

    /// Tells whether commits are pushed: by force, to delete, or at all.
    pub(super) fn pushes(&self, how: &[String]) -> bool {
        self.of(EffectKind::Push)
            .any(|effect| match &effect.object {
                Target::Push(push) => {
                    how.is_empty()
                        || how.iter().any(|word| match word.as_str() {
                            "force" => push.forced,
                            "delete" => push.deleted,
                            // No name of a branch has a colon.
                            address if address.contains(':') => {
                                let remote = push.remote.as_ref();
                                remote.is_some_and(|remote| objects::is_name(address, remote))
                            }
                            branch => self.pushes_to(push, branch),
                        })
                }
                _ => true,
            })
    }

    /// Tells whether a push may change a branch of the other repository; where git decides which, it is the one that is
    /// checked out, or all.
    fn pushes_to(&self, push: &Push, branch: &str) -> bool {
        let is_it = |name: &String| {
            let name = name.trim_start_matches('+');
            let name = name.rsplit_once(':').map_or(name, |(_, there)| there);
            let name = name.strip_prefix("refs/").unwrap_or(name);
            let name = name.strip_prefix("heads/").unwrap_or(name);
            // A colon alone stands for all branches that both sides have.
            let is_all = name.is_empty() || name.contains('*');
            is_all || objects::is_name(branch, name) || name == "HEAD"
        };
        let is_push = |command: &ShellCommand| may_be(command, "git push");
        let here = |from| self.stands_on(&[branch.to_owned()], is_push, from);
        let named = || here(BranchSource::Line);
        let may_change = |name: &String| is_it(name) && (name != "HEAD" || named());
        push.refs.iter().any(may_change)
            || push.refs.is_empty()
                && (push.forced && push.deleted
                    || here(BranchSource::Disk)
                    || self.pushed_by_settings().iter().any(may_change))
    }

    /// What the settings of their repositories have the pushes of a line change that name nothing.
    fn pushed_by_settings(&self) -> Vec<String> {
        let EventFolders { cwd, home, .. } = self.folders();
        let pushes = self.call().commands.iter();
        let pushes = pushes.filter(|command| may_be(command, "git push"));
        let mut folders: Vec<PathBuf> = pushes.flat_map(folders_of_git).collect();
        if folders.is_empty() {
            folders.push(cwd.clone());
        }
        let told = |folder: &PathBuf| remotes::pushed_by(folder, home.as_deref());
        folders.iter().flat_map(told).collect()
    }

    /// Tells whether a commit may land on one of these branches.
    pub(super) fn commits_to(&self, branches: &[String]) -> bool {
        let mut commits = self.of(EffectKind::Commit).peekable();
        if commits.peek().is_none() {
            return false;
        }
        let named = commits.any(|effect| match &effect.object {
            Target::Name(name) => name != "HEAD" && branches.contains(name),
            Target::Unknown => effect.certainty == Certainty::Unknown,
            _ => true,
        });
        let makes = |command: &ShellCommand| {
            branch::makes_commits(command) && !branch::follows(command, branches)
        };
        let mut commands = self.call().commands.iter();
        if !named && commands.clone().any(branch::makes_commits) && !commands.any(makes) {
            return false;
        }
        named || self.stands_on(branches, makes, BranchSource::Line)
    }

    /// Tells whether one of these branches may be checked out when a command runs that is one of those: it is now, or the line
    /// puts itself on it. The line is believed that it left them, where nothing else of it may bring them back.
    fn stands_on(
        &self,
        branches: &[String],
        is_it: impl Fn(&ShellCommand) -> bool,
        from: BranchSource,
    ) -> bool {
        let commands = &self.call().commands;
        let is_one = |name: &str| branches.iter().any(|branch| branch == name);
        let may_lead = |command: &ShellCommand| {
            let switches = may_be(command, "git checkout") || may_be(command, "git switch");
            let may_name = |word: &Word| {
                word.known().map_or(switches, |word| {
                    let name = word.strip_prefix("refs/heads/").unwrap_or(word);
                    is_one(name) || name == "-" || name.starts_with("@{")
                })
            };
            let mut leading = LEADING_TO_BRANCHES.iter();
            leading.any(|verb| may_be(command, &format!("git {verb}")))
                && match switches_to(command) {
                    Some(branch) => is_one(&branch),
                    None => command.words.iter().skip(2).any(may_name),
                }
        };
        let mut switching = commands.iter().filter(|it| may_switch_branch(it));
        let is_only = switching.next().is_some() && switching.next().is_none();
        let is_believed = from == BranchSource::Line && is_only && !self.changes_repository();
        let on_one = |command: &ShellCommand| {
            let of_git = |(name, _): &(String, Word)| name.starts_with("GIT_");
            let folders = folders_of_git(command);
            let left = command.branch.as_deref().filter(|_| {
                is_believed
                    && !command.assigned.iter().any(of_git)
                    && !folders
                        .iter()
                        .any(|folder| branch::pushes_otherwise(folder))
            });
            if let Some(branch) = left {
                return is_one(branch);
            }
            folders.is_empty() || folders.iter().any(|at| branch::is_one_of(at, branches))
        };
        let mut found = commands.iter().filter(|it| is_it(it)).peekable();
        // What stands behind the last of them leads nowhere before it.
        let leads = |last: usize| {
            let before = commands.iter().take(last).any(may_lead);
            before || commands.iter().any(may_lead) && !is_straight(self.line(), self.call())
        };
        leads(commands.iter().rposition(&is_it).unwrap_or(commands.len()))
            || found.peek().is_none() && branch::is_one_of(&self.folders().cwd, branches)
            || found.any(on_one)
    }

    /// Tells whether something of the line but git may change what is in `.git`.
    fn changes_repository(&self) -> bool {
        let is_git = |name: &str| name.split('/').any(|part| part == ".git");
        self.call().effects.iter().any(|effect| {
            let changes = matches!(effect.kind, EffectKind::Write | EffectKind::Delete);
            changes
                && !effect.through.starts_with("git ")
                && match &effect.object {
                    Target::Path(path) => is_git(&path.to_string_lossy()),
                    Target::Tree(path) => {
                        is_git(&path.to_string_lossy()) || path.join(".git").exists()
                    }
                    _ => true,
                }
        })
    }
}
