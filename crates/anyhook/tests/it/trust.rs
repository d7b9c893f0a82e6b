//! Pins against everything that an agent with a shell may do to a package.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhook::trust::{
    Admission, DifferenceKind, PinDifference, PinStatus, Trust, TrustError, scripts,
};
use anyhook::world::{UserFolders, World};
use serde_json::{Value, json};

const MANIFEST: &str = r#"{
  // Comments are fine.
  "description": "Guards README.md",
  "hooks": { "pre-tool-use": [ { "matcher": "Write", "hooks": [
    { "type": "command", "command": "sh ${PACKAGE_ROOT}/guard.sh --rules=rules.txt" },
    { "type": "command", "command": "python3 \"lib/a b.py\"; ./x\u002esh -fcfg.json && . ./linked.sh" },
    { "type": "command", "command": "check.sh", "cwd": "sub" },
  ] } ] }
}"#;

struct Package {
    home: tempfile::TempDir,
    trust: Trust,
}

impl Package {
    fn empty() -> Self {
        let home = tempfile::tempdir().unwrap();
        let trust = Trust::new(home.path().join("state"));
        Self { home, trust }
    }

    fn new() -> Self {
        let package = Self::empty();
        for file in [
            "README.md",
            "guard.sh",
            "rules.txt",
            "lib/a b.py",
            "x.sh",
            "cfg.json",
            "linked.sh",
            "sub/check.sh",
            "hooks/scripts/deep/one.sh",
            "other.sh",
        ] {
            package.write(file, &format!("echo {file}\n"));
        }
        package.write("hooks/hooks.json", MANIFEST);
        package
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join("p").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a pipe in the place of a file.
    fn pipe(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, self.path(file), mode).unwrap();
    }

    /// Puts a link in the place of a file.
    fn link(&self, file: &str, to: &str) {
        fs::remove_file(self.path(file)).unwrap();
        symlink(to, self.path(file)).unwrap();
    }

    fn manifest(&self) -> PathBuf {
        self.path("hooks/hooks.json")
    }

    /// Writes a manifest with one hook and these files, and trusts them.
    fn with_hook(self, hook: &Value, files: &[(&str, &str)]) -> Self {
        let manifest = json!({"hooks": {"pre-tool-use": [{"hooks": [hook]}]}});
        self.write("hooks/hooks.json", &manifest.to_string());
        for (file, text) in files {
            self.write(file, text);
        }
        self.trust.pin(&self.manifest(), 1).unwrap();
        self
    }

    fn pinned() -> Self {
        let package = Self::new();
        package.trust.pin(&package.manifest(), 1).unwrap();
        assert_eq!(package.standing(), PinStatus::Trusted);
        package
    }

    fn standing(&self) -> PinStatus {
        self.trust.standing(&self.manifest())
    }

    fn changed(&self, file: &str, what: DifferenceKind) {
        let file = file.into();
        let expected = PinStatus::Changed(vec![PinDifference { file, what }]);
        assert_eq!(self.standing(), expected);
    }
}

/// The rows of a test, which stand in a file under its name.
fn rows<const N: usize>(name: &str) -> Vec<[String; N]> {
    let text = include_str!("trust.txt");
    let (_, rows) = text.split_once(&format!("\n[{name}]\n")).unwrap();
    let rows = rows.lines().take_while(|row| !row.is_empty());
    let cells = |row: &str| {
        row.split('\t')
            .map(|cell| cell.replace('⏎', "\n"))
            .collect::<Vec<_>>()
    };
    rows.map(|row| cells(row).try_into().unwrap()).collect()
}

#[test]
fn what_a_manifest_runs_is_pinned_and_what_it_only_mentions_is_not() {
    let package = Package::new();
    assert_eq!(package.standing(), PinStatus::Never(None));
    let pinned = package.trust.pin(&package.manifest(), 1).unwrap();
    let files: Vec<&str> = pinned.files.keys().map(|file| &**file).collect();
    let expected = [
        "guard.sh",
        "hooks/hooks.json",
        "hooks/scripts/deep/one.sh",
        "lib/a b.py",
        "linked.sh",
        "sub/check.sh",
        "x.sh",
    ];
    assert_eq!(files, expected);
    assert_eq!(package.standing(), PinStatus::Trusted);
    let manifest = fs::canonicalize(package.manifest()).unwrap();
    assert_eq!(package.trust.pinned(), [manifest]);
    for file in ["README.md", "other.sh", "rules.txt", "cfg.json"] {
        package.write(file, "edited");
    }
    assert_eq!(package.standing(), PinStatus::Trusted);
}

#[test]
fn each_change_of_a_package_is_noticed_by_its_kind() {
    type Edit = fn(&Package);
    let no_file = || DifferenceKind::Unreadable("it is not a regular file".to_owned());
    let changes: [(Edit, &str, DifferenceKind); 7] = [
        (
            |p| p.write("hooks/hooks.json", &format!("{MANIFEST} ")),
            "hooks/hooks.json",
            DifferenceKind::Edited,
        ),
        (
            |p| p.write("hooks/scripts/new.sh", ""),
            "hooks/scripts/new.sh",
            DifferenceKind::Added,
        ),
        (
            |p| fs::set_permissions(p.path("x.sh"), Permissions::from_mode(0o755)).unwrap(),
            "x.sh",
            DifferenceKind::Mode,
        ),
        (
            |p| fs::remove_file(p.path("x.sh")).unwrap(),
            "x.sh",
            DifferenceKind::Removed,
        ),
        (|p| p.pipe("x.sh"), "x.sh", no_file()),
        (
            |p| p.link("guard.sh", "/dev/zero"),
            "guard.sh",
            DifferenceKind::Left,
        ),
        (
            |p| {
                // By another name of the same file.
                fs::hard_link(p.path("guard.sh"), p.path("free.sh")).unwrap();
                assert_eq!(p.standing(), PinStatus::Trusted);
                p.write("free.sh", "exit 0\n");
            },
            "guard.sh",
            DifferenceKind::Edited,
        ),
    ];
    for (change, file, what) in changes {
        let package = Package::pinned();
        change(&package);
        package.changed(file, what);
    }
}

#[test]
fn an_edited_script_is_a_change_whatever_its_times_say() {
    let package = Package::pinned();
    let path = package.path("guard.sh");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    package.write("guard.sh", "echo guard.sH\n");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(before).unwrap();
    package.changed("guard.sh", DifferenceKind::Edited);
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    package.changed("guard.sh", DifferenceKind::Edited);
    package.write("guard.sh", "echo guard.sh\n");
    assert_eq!(package.standing(), PinStatus::Trusted);
}

#[test]
fn a_link_is_pinned_by_where_it_leads_and_may_not_leave_the_package() {
    let package = Package::pinned();
    let link = package.path("linked.sh");
    fs::rename(&link, package.path("moved.sh")).unwrap();
    symlink("moved.sh", &link).unwrap();
    package.changed("linked.sh", DifferenceKind::Link);
    package.trust.pin(&package.manifest(), 2).unwrap();
    assert_eq!(package.standing(), PinStatus::Trusted);
    package.write("moved.sh", "edited");
    package.changed("linked.sh", DifferenceKind::Edited);
    package.link("linked.sh", "/etc/passwd");
    package.changed("linked.sh", DifferenceKind::Left);
    let refused = package.trust.pin(&package.manifest(), 3).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`linked.sh` leads out of the package, so the package cannot be trusted"
    );
}

#[test]
fn a_linked_directory_of_scripts_is_followed_inside_and_refused_outside() {
    let package = Package::new();
    package.write("shared/lib.sh", "echo");
    symlink("../../shared", package.path("hooks/scripts/shared")).unwrap();
    symlink("..", package.path("hooks/scripts/deep/around")).unwrap();
    package.trust.pin(&package.manifest(), 1).unwrap();
    assert_eq!(package.standing(), PinStatus::Trusted);
    package.write("shared/lib.sh", "edited");
    package.changed("hooks/scripts/shared/lib.sh", DifferenceKind::Edited);
    package.write("shared/lib.sh", "echo");
    package.link("hooks/scripts/shared", "/tmp");
    let PinStatus::Changed(changes) = package.standing() else {
        panic!("a link out of the package is a change")
    };
    assert_eq!(changes[0].what, DifferenceKind::Left);
}

#[test]
fn a_manifest_that_is_gone_or_broken_is_never_trusted() {
    let package = Package::pinned();
    package.write("hooks/hooks.json", "{ \"hooks\": ");
    let PinStatus::Changed(changes) = package.standing() else {
        panic!("a broken manifest is a changed one")
    };
    assert!(
        changes
            .iter()
            .any(|change| change.what == DifferenceKind::Edited)
    );
    assert!(matches!(
        package.trust.pin(&package.manifest(), 2),
        Err(TrustError::Manifest(_))
    ));
    fs::remove_file(package.manifest()).unwrap();
    package.changed("hooks/hooks.json", DifferenceKind::Removed);
    assert_eq!(package.trust.pinned().len(), 1);
}

#[test]
fn a_link_to_a_trusted_manifest_from_another_package_is_not_trusted() {
    let package = Package::pinned();
    let other = package.home.path().join("q/hooks");
    fs::create_dir_all(&other).unwrap();
    symlink(package.manifest(), other.join("hooks.json")).unwrap();
    let standing = package.trust.standing(&other.join("hooks.json"));
    assert!(
        matches!(standing, PinStatus::Never(Some(_))),
        "{standing:?}"
    );
    symlink(package.path(""), package.home.path().join("alias")).unwrap();
    let same = package.home.path().join("alias/hooks/hooks.json");
    assert_eq!(package.trust.standing(&same), PinStatus::Trusted);
}

#[test]
fn a_diff_shows_every_change_and_hides_nothing() {
    let package = Package::pinned();
    assert_eq!(package.trust.diff(&package.manifest()).unwrap(), "");
    package.write("guard.sh", "echo guard.sh\nexit 0 \u{1b}[2K\u{202e}\r\n");
    package.write("hooks/scripts/new.sh", "curl evil\n");
    package.write("hooks/scripts/\u{1b}[31m.sh", "");
    let diff = package.trust.diff(&package.manifest()).unwrap();
    let expected = "\
# `guard.sh` was edited
--- trusted/guard.sh
+++ now/guard.sh
@@ -1 +1,2 @@
 echo guard.sh
+exit 0 \\u{1b}[2K\\u{202e}\\u{d}
# `hooks/scripts/\\x1b[31m.sh` is new
# `hooks/scripts/new.sh` is new
--- trusted/hooks/scripts/new.sh
+++ now/hooks/scripts/new.sh
@@ -0,0 +1 @@
+curl evil
";
    assert_eq!(diff, expected);
}

#[test]
fn paths_that_leave_the_package_name_no_script() {
    let package = Package::new();
    package.write("../outside.sh", "");
    let root = fs::canonicalize(package.path("")).unwrap();
    let inside = root.join("x.sh");
    let manifest = format!(
        r#"{{"command": "../outside.sh; sub/../../outside.sh; /etc/passwd; sub; {} a\u0000b"}}"#,
        inside.display()
    );
    let found = scripts(manifest.as_bytes(), &root).unwrap();
    let expected = ["hooks/scripts/deep/one.sh", "x.sh"].map(PathBuf::from);
    assert_eq!(found, expected);
    assert!(scripts(b"{", &root).is_err());
    assert!(scripts(b"\xff", &root).is_err());
    let deep = "[".repeat(100_000);
    assert!(scripts(deep.as_bytes(), Path::new("/")).is_err());
}

#[test]
fn a_pinned_file_of_a_folder_of_hooks_is_noticed_when_it_is_deleted() {
    let place = tempfile::tempdir().unwrap();
    let project = place.path().canonicalize().unwrap().join("p");
    fs::create_dir_all(project.join(".github/hooks")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    let file = project.join(".github/hooks/guard.json");
    fs::write(
        &file,
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./a.sh"}]}}"#,
    )
    .unwrap();
    let [home, config, state] = ["home", "config", "state"].map(|name| place.path().join(name));
    let places = UserFolders {
        home,
        config,
        state,
    };
    Trust::new(places.trust()).pin(&file, 0).unwrap();
    let world = World {
        env: [("COPILOT_ALLOW_ALL".into(), "true".into())].into(),
        places: Some(places),
        ..World::real()
    };
    fs::remove_dir_all(project.join(".github")).unwrap();
    let found = |folder: &Path, host: &str| {
        let trust = Trust::of(world.places.as_ref().unwrap());
        anyhook::load::find(&world, &[folder.to_owned()], host, Some(&trust))
            .into_iter()
            .map(|found| found.file)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&project, "claude-code"), std::slice::from_ref(&file));
    assert_eq!(found(&project.join("src"), "claude-code"), [file]);
    // Its own host runs it itself, and another project has nothing to do with it.
    assert_eq!(found(&project, "copilot-cli"), [] as [PathBuf; 0]);
    assert_eq!(found(place.path(), "claude-code"), [] as [PathBuf; 0]);
}

/// A package with one hook, and the files that the command names.
fn package_of(command: &str, files: &[(&str, &str)]) -> Package {
    Package::empty().with_hook(&json!({"type": "command", "command": command}), files)
}

#[test]
fn a_file_that_a_variable_of_a_hook_names_is_compared_before_each_run() {
    let package = Package::new();
    let env = json!({"BASH_ENV": "./guard.sh", "RULES": "rules.txt"});
    let hook = json!({"type": "command", "command": "bash x.sh", "env": env});
    let manifest = json!({"hooks": {"pre-tool-use": [{"hooks": [hook]}]}});
    package.write("hooks/hooks.json", &manifest.to_string());
    let pinned = package.trust.pin(&package.manifest(), 1).unwrap();
    assert_eq!(pinned.checked, ["guard.sh"]);
}

#[test]
fn a_word_that_only_looks_like_a_file_is_not_pinned() {
    for row in rows("a_word_that_only_looks_like_a_file_is_not_pinned") {
        let [command, file] = row.each_ref().map(String::as_str);
        let guards = [("guard.sh", "1\n"), ("guard.py", "1\n")];
        let package = package_of(command, &guards);
        package.write(file, "new\n");
        assert_eq!(package.standing(), PinStatus::Trusted, "{command}");
        package.trust.pin(&package.manifest(), 2).unwrap();
        package.write(file, "edited\n");
        assert_eq!(package.standing(), PinStatus::Trusted, "{command}");
    }
}

#[test]
fn a_file_that_a_script_only_mentions_is_none_of_its_own() {
    for row in rows("a_file_that_a_script_only_mentions_is_none_of_its_own") {
        let [script, text] = row.each_ref().map(String::as_str);
        let command = format!("nice ./{script}");
        let package = package_of(
            &command,
            &[(script, text), ("src/x.js", "1"), ("src/x.py", "1")],
        );
        package.write("src/x.js", "2");
        package.write("src/x.py", "2");
        assert_eq!(package.standing(), PinStatus::Trusted, "{text}");
    }
}

#[test]
fn a_file_that_appears_later_under_a_name_that_a_trusted_script_loads_is_a_change() {
    for row in
        rows("a_file_that_appears_later_under_a_name_that_a_trusted_script_loads_is_a_change")
    {
        let [script, text, later] = row.each_ref().map(String::as_str);
        let package = package_of(&format!("nice ./{script}"), &[(script, text)]);
        assert_eq!(package.standing(), PinStatus::Trusted, "{script}");
        package.write(later, "exit 0\n");
        package.changed(later, DifferenceKind::Added);
    }
}

#[test]
fn what_is_behind_a_link_to_a_folder_of_a_package_is_in_its_copy() {
    let place = Package::empty();
    let hook = json!({"type": "command", "command": "sh ${PACKAGE_ROOT}/lib/a.sh"});
    let manifest = json!({"version": 1, "hooks": {"stop": [{"hooks": [hook]}]}}).to_string();
    place.write(".agent-packages/x/hooks/hooks.json", &manifest);
    place.write(".agent-packages/x/src/a.sh", "exit 2\n");
    symlink("src", place.path(".agent-packages/x/lib")).unwrap();
    let manifest = place.path(".agent-packages/x/hooks/hooks.json");
    let pinned = place.trust.pin(&manifest, 1).unwrap();
    assert!(pinned.whole && pinned.files.contains_key("lib/a.sh"));
    place.write(".agent-packages/x/src/a.sh", "exit 0\n");
    let Admission::Copy(copy) = place.trust.admission(&manifest) else {
        panic!("it was trusted")
    };
    let script = fs::read_to_string(copy.folder.join("lib/a.sh")).unwrap();
    assert_eq!(script, "exit 2\n");
}

/// A package of which a guard runs a command, trusted with these files.
fn guarded_by(command: &str, files: &[(&str, &str)]) -> Package {
    let hook = json!({"type": "command", "command": command, "guard": true});
    Package::empty().with_hook(&hook, files)
}

#[test]
fn what_a_hook_runs_where_it_stands_is_held_back_where_it_was_edited_or_is_new() {
    for row in rows("what_a_hook_runs_where_it_stands_is_held_back_where_it_was_edited_or_is_new") {
        let [command, script, text, before, later] = row.each_ref().map(String::as_str);
        let files = [(script, text), (before, "1\n")];
        let package = guarded_by(command, &files);
        let held = package.trust.admission(&package.manifest());
        assert!(matches!(held, Admission::Copy(_)), "{row:?}: {held:?}");
        // The copy names it, whatever becomes of the text that does.
        for text in [None, Some("exit 0\n")] {
            let is_live = text.is_some() && script.starts_with("hooks/");
            if is_live {
                package.write(script, "exit 0\n");
            }
            package.write(later, "2\n");
            let held = package.trust.admission(&package.manifest());
            let Admission::Unclear(why) = &held else {
                panic!("{row:?}: {held:?}")
            };
            assert!(why.contains(&format!("`{later}`")), "{row:?}: {why}");
        }
    }
}

#[test]
fn an_edit_of_what_a_hook_only_works_on_holds_nothing_back() {
    for row in rows("an_edit_of_what_a_hook_only_works_on_holds_nothing_back") {
        let [command, script, text, file] = row.each_ref().map(String::as_str);
        let package = guarded_by(command, &[(script, text), (file, "1\n")]);
        package.write(file, "2\n");
        package.write(&format!("{file}.py"), "2\n");
        let held = package.trust.admission(&package.manifest());
        assert!(matches!(held, Admission::Copy(_)), "{row:?}: {held:?}");
    }
}

#[test]
fn what_a_build_tool_runs_is_not_covered_and_its_own_files_are_for_a_guard() {
    for (is_guard, checked, told) in [
        (
            true,
            &["Makefile"] as &[&str],
            "what `make` runs, beside what its own files name",
        ),
        (false, &[], "what `make` runs, as its hook is no guard"),
    ] {
        let hook = json!({"type": "command", "command": "make -s check", "guard": is_guard});
        let package = Package::new().with_hook(&hook, &[("Makefile", "check:\n")]);
        let pinned = Trust::look(&package.manifest()).unwrap();
        assert_eq!(pinned.checked, checked);
        assert_eq!(pinned.loose, [told]);
    }
}

#[test]
fn a_package_has_one_digest_over_the_list_of_its_files_wherever_it_stands() {
    let manifest = package_of("sh ${PACKAGE_ROOT}/run.sh", &[]);
    let manifest = fs::read_to_string(manifest.manifest()).unwrap();
    let files = [
        ("hooks/hooks.json", &*manifest),
        ("lib/a.txt", "a"),
        ("run.sh", "exit 0\n"),
    ];
    let place = Package::new();
    let looked = |at: &str, edited: &str| {
        for (name, text) in files {
            let more = if name == edited { "\n" } else { "" };
            place.write(&format!("{at}/{name}"), &format!("{text}{more}"));
        }
        Trust::look(&place.path(at).join("hooks/hooks.json")).unwrap()
    };
    let first = looked(".agent-packages/one", "");
    let listed = first.files.iter();
    let listed = listed.map(|(name, file)| (&**name, file.sha256.clone()));
    let list = files.map(|(name, text)| (name, anyhook::files::digest(text.as_bytes())));
    assert_eq!(listed.collect::<Vec<_>>(), list);
    let other = looked("../home/.aam/packages/other", "");
    assert_eq!(first.digest(), other.digest());
    for (name, _) in files {
        let edited = looked(".agent-packages/one", name);
        assert_ne!(edited.digest(), first.digest(), "{name}");
    }
}

#[test]
fn programs_in_the_environment_of_a_project_are_named_as_not_covered() {
    let lint = "node_modules/.bin/lint";
    let package = package_of(lint, &[(lint, "#!/usr/bin/env node\n")]);
    let pinned = Trust::look(&package.manifest()).unwrap();
    assert!(pinned.files.keys().eq(["hooks/hooks.json"]), "{pinned:?}");
    let what = "`node_modules/.bin/lint`, and what it loads".to_owned();
    assert!(pinned.loose.contains(&what), "{pinned:?}");
}

#[test]
fn names_that_cannot_be_shown_as_they_are_and_too_many_files_are_refused() {
    let package = Package::new();
    package.write("hooks/scripts/a\nb.sh", "");
    let refused = package.trust.pin(&package.manifest(), 1).unwrap_err();
    assert!(refused.to_string().contains("control characters"));
    let package = Package::new();
    for at in 0..=2000 {
        package.write(&format!("hooks/scripts/many/{at}.sh"), "");
    }
    let refused = package.trust.pin(&package.manifest(), 1).unwrap_err();
    assert!(refused.to_string().contains("more than 2000 files"));
}

#[test]
fn what_a_script_sources_imports_and_runs_is_pinned_with_it() {
    for row in rows("what_a_script_sources_imports_and_runs_is_pinned_with_it") {
        let [command, script, text, loaded] = row.each_ref().map(String::as_str);
        let package = package_of(
            command,
            &[(script, text), (loaded, "1\n"), ("data.json", "1\n")],
        );
        assert_eq!(package.standing(), PinStatus::Trusted, "{text}");
        package.write(loaded, "2\n");
        package.changed(loaded, DifferenceKind::Edited);
        fs::remove_file(package.path(loaded)).unwrap();
        package.changed(loaded, DifferenceKind::Removed);
    }
}

#[test]
fn a_manifest_that_is_gone_is_forgotten_by_its_pin_whichever_of_its_paths_is_named() {
    for name in ["p", "alias"] {
        let package = Package::pinned();
        symlink(package.path(""), package.home.path().join("alias")).unwrap();
        fs::remove_dir_all(package.path("hooks")).unwrap();
        let file = package.home.path().join(name).join("hooks/hooks.json");
        assert!(package.trust.forget(&file).unwrap(), "{name}");
        assert_eq!(package.trust.pinned(), [] as [PathBuf; 0]);
        assert!(!package.trust.is_pinned(&package.manifest()).unwrap());
        assert!(!package.trust.forget(&file).unwrap());
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_script_that_is_replaced_is_noticed_in_every_form_in_which_a_line_runs_it() {
        for row in
            rows("a_script_that_is_replaced_is_noticed_in_every_form_in_which_a_line_runs_it")
        {
            let [command, file] = row.each_ref().map(String::as_str);
            let package = package_of(command, &[(file, "1\n"), ("data.json", "1\n")]);
            assert_eq!(package.standing(), PinStatus::Trusted, "{command}");
            package.write(file, "2\n");
            let edited = PinDifference {
                file: file.into(),
                what: DifferenceKind::Edited,
            };
            assert_eq!(
                package.standing(),
                PinStatus::Changed(vec![edited]),
                "{command}"
            );
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn what_a_script_runs_is_pinned_however_long_or_deep_it_is() {
        let deep = (0..12).fold("./tools/far.sh".to_owned(), |text, _| {
            format!("sh <<'{0}'\n{text}\n{0}", format!("E{}", text.len()))
        });
        let long = "true | ".repeat(30_000) + "sh ./tools/near.sh";
        for (text, runs) in [(deep, "tools/far.sh"), (long, "tools/near.sh")] {
            let files = [("hooks/x.sh", &*text), (runs, "")];
            let package = package_of("sh ${PACKAGE_ROOT}/hooks/x.sh", &files);
            let pinned = Trust::look(&package.manifest()).unwrap();
            assert!(pinned.files.contains_key(runs), "{pinned:?}");
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_script_that_calls_itself_or_never_ends_is_followed_to_an_end() {
        let deep = format!("{}./b.sh{}", "$(".repeat(20_000), ")".repeat(20_000));
        let nested = format!("{}./b.sh{}", "{ ".repeat(5_000), "; }".repeat(5_000));
        let brackets = "(".repeat(100_000);
        for text in [
            "./a.sh; . ./a.sh",
            "sh b.sh",
            &deep,
            &nested,
            &brackets,
            "$'\\",
            "if if if",
        ] {
            let files = [("a.sh", text), ("b.sh", "exec ./a.sh")];
            let package = package_of("sh a.sh", &files);
            assert_eq!(package.standing(), PinStatus::Trusted);
        }
    }
}
