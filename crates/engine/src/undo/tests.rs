use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;
use std::time::Duration;

use anyhook_wires::tools::canonical;
use serde_json::json;

use super::need::need;
use super::*;
use crate::actions::{CallFolders, LastCall};

/// A repository with a bit of everything, in a folder with room beside it.
struct Shop {
    place: tempfile::TempDir,
}

const MAKE: &str = r#"
git init -q -b main shop && cd shop
printf 'one\n' > a; mkdir -p src/deep; printf 'two\r\n' > src/crlf; printf '\000\377' > src/deep/bytes
printf '#!/bin/sh\n' > run; chmod 755 run; ln -s a link; ln -s nowhere broken; printf '*.log\nbuild/\n' > .gitignore
printf 'odd' > "$(printf 'line\nbreak')"; printf 'byte' > "$(printf 'by\377te')"
git add -A && git commit -qm first && git branch topic && git tag v1
printf 'stashed\n' > a && git stash -q && git checkout -q topic && printf 'topic\n' > a && git commit -qam topic
git checkout -q main
printf 'staged\n' > src/staged && git add src/staged
printf 'changed\n' > a; printf 'new\n' > untracked; mkdir build; printf 'b' > build/out; printf 'l' > x.log
"#;

impl Shop {
    fn made(more: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let shop = Self { place };
        shop.sh(shop.place.path(), &format!("{MAKE}\n{more}"));
        shop
    }

    fn root(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap()
    }

    fn sh(&self, folder: &Path, script: &str) -> bool {
        let status = Command::new("/bin/sh")
            .args(["-ec", script])
            .current_dir(folder)
            .env("HOME", self.place.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .output()
            .unwrap();
        status.status.success()
    }

    fn snapshots(&self) -> Snapshots {
        Snapshots {
            folder: self.place.path().join("state/undo"),
            home: self.place.path().to_owned(),
            bounds: UndoSettings {
                time: Duration::from_mins(1),
                ..UndoSettings::default()
            },
        }
    }

    /// Takes a snapshot before a line in a folder.
    fn taken(&self, folder: &Path, line: &str) -> StoredSnapshot {
        let need = needed(folder, line).unwrap();
        self.snapshots().take(wish("one", need)).unwrap()
    }

    /// Everything below a folder: what it is, its mode, and its bytes.
    fn seen(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let root = self.root();
        let is_ours = |name: &Path| name.starts_with("state") || name.ends_with("COMMIT_EDITMSG");
        let all = copies::below(&root, &|name| is_ours(name)).unwrap();
        let seen = all.into_iter().filter(|(name, meta)| {
            let parts: Vec<_> = name
                .components()
                .map(std::path::Component::as_os_str)
                .collect();
            // Objects may be more than before, and empty folders are not kept.
            !parts.iter().any(|part| *part == "objects") && !meta.is_dir()
        });
        seen.map(|(name, meta)| {
            let path = root.join(&name);
            let bytes = if meta.is_symlink() {
                std::fs::read_link(&path)
                    .unwrap()
                    .as_os_str()
                    .as_encoded_bytes()
                    .to_vec()
            } else {
                std::fs::read(&path).unwrap()
            };
            (name, (meta.mode() & 0o170_111, bytes))
        })
        .collect()
    }

    /// Takes a snapshot before a line, runs it, and undoes it.
    fn undone(&self, folder: &Path, line: &str) -> Result<StoredSnapshot, String> {
        let snapshots = self.snapshots();
        let before = self.seen();
        let taken = snapshots
            .take(SnapshotRequest {
                id: "one",
                at: 1,
                action: line.to_owned(),
                session: None,
                need: needed(folder, line).ok_or("nothing is destroyed")?,
            })
            .map_err(|error| files::with_causes(&error))?;
        if self.seen() != before {
            return Err("the snapshot itself changed something".to_owned());
        }
        self.sh(folder, line);
        if self.seen() == before {
            return Err("the line did nothing".to_owned());
        }
        let restored = snapshots.restore(&taken, None, "two", 2).unwrap();
        let after = self.seen();
        let differ = |(name, seen): (&PathBuf, &(u32, Vec<u8>))| {
            (after.get(name) != Some(seen)).then(|| format!("{name:?}"))
        };
        let mut wrong: Vec<String> = before.iter().filter_map(differ).collect();
        wrong.extend(
            after
                .keys()
                .filter(|name| !before.contains_key(*name))
                .map(|name| format!("+{name:?}")),
        );
        wrong.extend(restored.failed);
        if wrong.is_empty() && self.sh(&self.root().join("shop"), "git fsck --connectivity-only") {
            Ok(taken)
        } else {
            Err(format!("{wrong:?}, losses {:?}", taken.losses))
        }
    }
}

/// What a line in a folder may destroy.
fn needed(folder: &Path, line: &str) -> Option<SnapshotScope> {
    let around = CallFolders {
        folder,
        project: folder,
        home: None,
    };
    let last = LastCall::default();
    let done = last.done(canonical("Bash"), &json!({"command": line}), around);
    need(&done, &[folder])
}

fn all_undone(which: &str) {
    let list = include_str!("destroys.txt");
    let (_, list) = list.split_once(&format!("\n[{which}]\n")).unwrap();
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in list.lines().take_while(|row| !row.is_empty()) {
        match row.strip_prefix("  ") {
            Some(before) => rows.last_mut().unwrap().1 = before,
            None => rows.push((row, "")),
        }
    }
    let failed = rows.into_iter().filter_map(|(line, before)| {
        let shop = Shop::made(before);
        let undone = shop.undone(&shop.root().join("shop"), line);
        undone.err().map(|why| format!("{line} ({before}): {why}"))
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The first file of a folder.
fn first(folder: &Path) -> PathBuf {
    let mut files = fs::read_dir(folder).unwrap();
    files.next().unwrap().unwrap().path()
}

fn wish(id: &str, need: SnapshotScope) -> SnapshotRequest<'_> {
    SnapshotRequest {
        id,
        at: 1,
        action: String::new(),
        session: None,
        need,
    }
}

#[test]
fn what_is_removed_and_discarded_comes_back() {
    all_undone("a few");
}

#[test]
fn nothing_is_kept_for_what_surely_destroys_nothing() {
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    for line in [
        "ls",
        "cat a",
        "echo x > new",
        "git status",
        "git commit -m x",
        "git push",
        "echo x > /dev/null",
    ] {
        assert!(needed(&folder, line).is_none(), "{line}");
    }
    for line in [
        "rm a",
        "make",
        "echo x > a",
        "python3 -c 'import os; os.remove(\"a\")'",
        "git branch -D topic",
        "$X",
        "if [",
    ] {
        assert!(needed(&folder, line).is_some(), "{line}");
    }
}

#[test]
fn nothing_of_a_hostile_repository_runs() {
    let shop = Shop::made(
        r"printf '* filter=evil\n*.x diff=evil\n' > .gitattributes
        git config filter.evil.clean 'touch ../ran; cat'; git config filter.evil.smudge 'touch ../ran; cat'
        git config filter.evil.process 'touch ../ran'; git config core.fsmonitor 'touch ../ran'
        git config core.hooksPath ../hooks; git config core.editor 'touch ../ran'
        mkdir ../hooks; for hook in post-checkout post-index-change reference-transaction; do
        printf '#!/bin/sh\ntouch ../ran\n' > ../hooks/$hook; chmod +x ../hooks/$hook; done; rm -f ../ran",
    );
    let root = shop.root();
    let snapshots = shop.snapshots();
    let taken = shop.taken(&root.join("shop"), "rm -rf src a");
    fs::remove_dir_all(root.join("shop/src")).unwrap();
    fs::write(root.join("shop/a"), "other").unwrap();
    let restored = snapshots.restore(&taken, None, "two", 2).unwrap();
    assert_eq!(restored.failed, [] as [String; 0]);
    assert_eq!(fs::read(root.join("shop/src/crlf")).unwrap(), b"two\r\n");
    assert_eq!(fs::read(root.join("shop/a")).unwrap(), b"changed\n");
    assert!(!root.join("ran").exists());
}

#[test]
fn a_repository_whose_git_file_leads_elsewhere_is_a_loss() {
    let shop = Shop::made(
        "mkdir ../other && printf 'gitdir: %s/.git\\n' \"$PWD\" > ../other/.git && touch ../other/f",
    );
    let taken = shop.taken(&shop.root().join("other"), "rm f");
    assert!(
        taken.losses[0].contains("does not know of it"),
        "{:?}",
        taken.losses
    );
}

#[test]
fn what_does_not_fit_is_a_loss_and_the_rest_is_kept() {
    let shop = Shop::made("head -c 3000000 /dev/zero > big");
    let mut snapshots = shop.snapshots();
    snapshots.bounds.size = 2 << 20;
    let need = needed(&shop.root().join("shop"), "rm -rf src big").unwrap();
    let taken = snapshots.take(wish("one", need)).unwrap();
    assert_eq!(taken.losses, ["files that do not fit: 1, of 2 MB"]);
    fs::remove_file(shop.root().join("shop/untracked")).unwrap();
    snapshots.restore(&taken, None, "two", 2).unwrap();
    assert!(shop.root().join("shop/untracked").exists());
}

#[test]
fn a_file_outside_with_a_name_of_other_bytes_comes_back_with_its_mode() {
    let shop = Shop::made(
        "cd .. && mkdir notes && printf n > \"$(printf 'notes/by\\377te')\" && chmod 640 notes/*",
    );
    let notes = shop.root().join("notes");
    let need = SnapshotScope::of_places(Vec::new(), vec![first(&notes)]);
    let snapshots = shop.snapshots();
    let before = shop.seen();
    snapshots.take(wish("one", need)).unwrap();
    fs::remove_dir_all(&notes).unwrap();
    let listed = snapshots.list();
    assert_eq!(
        snapshots.difference(&listed[0], None).unwrap().files[0].change,
        SnapshotChange::Gone
    );
    let restored = snapshots.restore(&listed[0], None, "two", 2).unwrap();
    assert!(serde_json::to_value(&restored).is_ok());
    assert_eq!(shop.seen(), before);
    let mode = first(&notes).metadata().unwrap().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn one_folder_alone_is_restored_and_an_undo_is_undone() {
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    let snapshots = shop.snapshots();
    let taken = shop.taken(&folder, "rm -rf src a");
    assert!(shop.sh(&folder, "rm -rf src a && echo later > later"));
    let gone = shop.seen();
    snapshots
        .restore(&taken, Some(&folder.join("src")), "two", 2)
        .unwrap();
    assert!(folder.join("src/deep/bytes").exists() && folder.join("later").exists());
    assert!(!folder.join("a").exists());
    let listed = snapshots.list();
    snapshots.restore(&listed[0], None, "three", 3).unwrap();
    assert_eq!(shop.seen(), gone);
}

#[test]
fn a_snapshot_that_was_ended_is_none_and_changes_nothing() {
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    let (snapshots, before) = (shop.snapshots(), shop.seen());
    let need = needed(&folder, "rm -rf .git").unwrap();
    let wish = wish("one", need);
    // What is made and never gets its name is what an end in the middle leaves.
    snapshots
        .make(&snapshots.folder.join(".new-one"), wish)
        .unwrap();
    assert!(snapshots.list().is_empty());
    assert_eq!(shop.seen(), before);
}

#[test]
fn branches_are_not_put_back_into_a_repository_that_has_lost_their_commits() {
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    let snapshots = shop.snapshots();
    let taken = shop.taken(&folder, "rm a");
    assert!(shop.sh(
        &folder,
        "rm -rf .git && git init -q && echo n > new && git add new && git commit -qm new"
    ));
    let restored = snapshots.restore(&taken, None, "s2", 2).unwrap();
    let told = restored.failed.join("\n");
    assert!(
        told.contains("commits that its branches name are no longer there"),
        "{told}"
    );
    assert!(shop.sh(&folder, "git rev-parse HEAD && git status"));
}

#[test]
fn two_agents_take_snapshots_at_once() {
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    let snapshots = shop.snapshots();
    let before = shop.seen();
    std::thread::scope(|scope| {
        for id in ["one", "two", "three"] {
            let (folder, snapshots) = (&folder, &snapshots);
            scope.spawn(move || {
                let need = needed(folder, "rm -rf src").unwrap();
                let wish = wish(id, need);
                assert_eq!(snapshots.take(wish).unwrap().losses, [] as [String; 0]);
            });
        }
    });
    assert_eq!((snapshots.list().len(), shop.seen()), (3, before));
}

#[test]
fn the_oldest_go_when_they_are_too_old_or_too_many() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let shop = Shop::made("");
    let folder = shop.root().join("shop");
    let mut snapshots = shop.snapshots();
    let take = |snapshots: &Snapshots, id: &str, at: i64| {
        let need = needed(&folder, "rm -rf src").unwrap();
        let wish = SnapshotRequest {
            at,
            ..wish(id, need)
        };
        snapshots.take(wish).unwrap();
        let ids = snapshots.list().into_iter().map(|one| one.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(take(&snapshots, "one", 0), ["one"]);
    assert_eq!(take(&snapshots, "two", 6 * DAY), ["two", "one"]);
    assert_eq!(take(&snapshots, "three", 8 * DAY), ["three", "two"]);
    snapshots.bounds.total = 1;
    assert_eq!(take(&snapshots, "four", 9 * DAY), ["four"]);
}

/// Many processes, so that a run of all tests does not wait for them.
mod slow {
    use super::*;

    #[test]
    #[ignore = "it starts hundreds of processes"]
    fn every_way_to_destroy_is_undone_byte_for_byte() {
        all_undone("every way");
    }

    #[test]
    #[ignore = "it starts dozens of processes"]
    fn the_work_tree_of_another_agent_stays_as_it_is() {
        let shop = Shop::made("git worktree add -q -b other ../tree topic");
        let (folder, tree) = (shop.root().join("shop"), shop.root().join("tree"));
        let snapshots = shop.snapshots();
        let taken = shop.taken(&folder, "rm a");
        assert!(shop.sh(&tree, "echo mine > mine && git add mine"));
        let mine = shop.seen();
        assert!(shop.sh(&folder, "rm a"));
        snapshots.restore(&taken, None, "two", 2).unwrap();
        assert_eq!(shop.seen(), mine);
    }

    #[test]
    #[ignore = "it starts dozens of processes"]
    fn a_line_in_another_work_tree_is_undone() {
        let shop = Shop::made("git worktree add -q ../tree topic && echo x > ../tree/new");
        let tree = shop.root().join("tree");
        let undone = shop.undone(&tree, "rm -rf a new && git reset --hard HEAD~1");
        assert!(undone.is_ok(), "{undone:?}");
    }
}

#[test]
fn nothing_goes_from_a_folder_that_was_not_kept_whole_or_in_which_the_action_named_only_some_files()
{
    let shop = Shop::made(
        "mkdir ../out; for n in 1 2 3 4 5 6 7 8 9; do printf 12345678 > ../out/$n; done",
    );
    let out = shop.root().join("out");
    let names = || fs::read_dir(&out).unwrap().count();
    let mut snapshots = shop.snapshots();
    let line = "rm -f ../out/log-$(date +%s)";
    let need = || needed(&shop.root().join("shop"), line).unwrap();
    let whole = snapshots.take(wish("whole", need())).unwrap();
    assert!(whole.losses.is_empty(), "{:?}", whole.losses);
    fs::remove_file(out.join("1")).unwrap();
    fs::write(out.join("letter"), "of a person").unwrap();
    let restored = snapshots.restore(&whole, Some(&out), "r1", 2).unwrap();
    let told: Vec<&str> = restored
        .difference
        .files
        .iter()
        .map(|one| one.change.word())
        .collect();
    assert_eq!(
        (told, names()),
        (vec!["bring"], 10),
        "{:?}",
        restored.failed
    );

    snapshots.bounds.size = out.metadata().unwrap().len() + 30;
    let need = SnapshotScope::of_places(Vec::new(), vec![out.clone()]);
    let half = snapshots.take(wish("half", need)).unwrap();
    assert_eq!(half.losses.len(), 1);
    let kept = first(&snapshots.place(&half).join("files/0"));
    fs::write(out.join(kept.file_name().unwrap()), "changed").unwrap();
    let restored = snapshots.restore(&half, None, "r2", 3).unwrap();
    assert_eq!(
        (restored.failed.len(), names()),
        (2, 10),
        "{:?}",
        restored.failed
    );
    assert!(
        restored.failed[1].contains("could be kept first"),
        "{:?}",
        restored.failed
    );
}
