//! What sub-agents left behind: where it is, and how a person takes it over or removes it.

use anyhook::text::word;
use anyhook_agent::worktree::Worktree;

use crate::ui::{self, paint};

/// Tells of each worktree that is still there, with the commands that take its work over and that remove it.
pub(super) fn told(trees: &[Worktree]) -> String {
    trees.iter().map(one).collect()
}

fn one(tree: &Worktree) -> String {
    let (path, parent) = (tree.path.to_string_lossy(), tree.parent.to_string_lossy());
    let (path, parent, branch) = (word(&path), word(&parent), word(&tree.branch));
    format!(
        "{} an agent left its work in {path}, on the branch {branch}\n  \
         take over  git -C {path} add --all && git -C {path} commit --allow-empty -m {branch} && git -C {parent} merge {branch}\n  \
         remove     git -C {parent} worktree remove --force {path} && git -C {parent} branch -D {branch}\n",
        paint(ui::ASK, "worktree"),
    )
}
