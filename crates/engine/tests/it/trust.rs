//! Pins against everything that an agent with a shell may do to a package.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhook::trust::{Change, Standing, Trust, TrustError, What, scripts};

const MANIFEST: &str = r#"{
  // Comments are fine.
  "description": "Guards README.md",
  "hooks": { "pre-tool-use": [ { "matcher": "Write", "hooks": [
    { "type": "command", "command": "sh ${PACKAGE_ROOT}/guard.sh --rules=rules.txt" },
    { "type": "command", "command": "python3 \"lib/a b.py\"; ./x\u002esh", "args": ["-fcfg.json"] },
    { "type": "command", "command": "check.sh", "cwd": "sub" },
  ] } ] }
}"#;

struct Package {
    home: tempfile::TempDir,
    trust: Trust,
}

impl Package {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let package = Self {
            trust: Trust::new(home.path().join("state")),
            home,
        };
        for file in [
            "README.md",
            "guard.sh",
            "rules.txt",
            "lib/a b.py",
            "x.sh",
            "cfg.json",
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

    fn manifest(&self) -> PathBuf {
        self.path("hooks/hooks.json")
    }

    fn pinned() -> Self {
        let package = Self::new();
        package.trust.pin(&package.manifest(), 1).unwrap();
        assert_eq!(package.standing(), Standing::Trusted);
        package
    }

    fn standing(&self) -> Standing {
        self.trust.standing(&self.manifest())
    }

    fn changed(&self, file: &str, what: What) {
        let file = file.into();
        let expected = Standing::Changed(vec![Change { file, what }]);
        assert_eq!(self.standing(), expected);
    }
}

#[test]
fn what_a_manifest_names_is_pinned_and_what_it_only_mentions_is_not() {
    let package = Package::new();
    assert_eq!(package.standing(), Standing::Never(None));
    let pinned = package.trust.pin(&package.manifest(), 1).unwrap();
    let files: Vec<&str> = pinned.files.iter().map(|(file, _)| &**file).collect();
    let expected = [
        "cfg.json",
        "guard.sh",
        "hooks/hooks.json",
        "hooks/scripts/deep/one.sh",
        "lib/a b.py",
        "rules.txt",
        "sub/check.sh",
        "x.sh",
    ];
    assert_eq!(files, expected);
    assert_eq!(package.standing(), Standing::Trusted);
    let manifest = fs::canonicalize(package.manifest()).unwrap();
    assert_eq!(package.trust.pinned(), [manifest]);
    package.write("README.md", "edited");
    package.write("other.sh", "edited");
    assert_eq!(package.standing(), Standing::Trusted);
}

#[test]
fn one_space_in_the_manifest_is_a_change() {
    let package = Package::pinned();
    package.write("hooks/hooks.json", &format!("{MANIFEST} "));
    package.changed("hooks/hooks.json", What::Edited);
    let read = fs::read(package.manifest()).unwrap();
    let judged = |bytes: &[u8]| package.trust.standing_of(&package.manifest(), bytes);
    assert_ne!(judged(&read), Standing::Trusted);
    assert_eq!(judged(MANIFEST.as_bytes()), Standing::Trusted);
}

#[test]
fn an_edited_script_is_a_change_whatever_its_times_say() {
    let package = Package::pinned();
    let path = package.path("guard.sh");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    package.write("guard.sh", "echo guard.sH\n");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(before).unwrap();
    package.changed("guard.sh", What::Edited);
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    package.changed("guard.sh", What::Edited);
    package.write("guard.sh", "echo guard.sh\n");
    assert_eq!(package.standing(), Standing::Trusted);
}

#[test]
fn a_new_a_missing_and_an_executable_script_are_changes() {
    let package = Package::pinned();
    package.write("hooks/scripts/new.sh", "");
    package.changed("hooks/scripts/new.sh", What::Added);
    fs::remove_file(package.path("hooks/scripts/new.sh")).unwrap();
    fs::set_permissions(package.path("x.sh"), Permissions::from_mode(0o755)).unwrap();
    package.changed("x.sh", What::Mode);
    fs::remove_file(package.path("x.sh")).unwrap();
    package.changed("x.sh", What::Removed);
}

#[test]
fn a_link_is_pinned_by_where_it_leads_and_may_not_leave_the_package() {
    let package = Package::pinned();
    let link = package.path("rules.txt");
    fs::rename(&link, package.path("moved.txt")).unwrap();
    symlink("moved.txt", &link).unwrap();
    package.changed("rules.txt", What::Link);
    package.trust.pin(&package.manifest(), 2).unwrap();
    assert_eq!(package.standing(), Standing::Trusted);
    package.write("moved.txt", "edited");
    package.changed("rules.txt", What::Edited);
    fs::remove_file(&link).unwrap();
    symlink("/etc/passwd", &link).unwrap();
    package.changed("rules.txt", What::Left);
    let refused = package.trust.pin(&package.manifest(), 3).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`rules.txt` leads out of the package, so the package cannot be trusted"
    );
}

#[test]
fn a_linked_directory_of_scripts_is_followed_inside_and_refused_outside() {
    let package = Package::new();
    package.write("shared/lib.sh", "echo");
    symlink("../../shared", package.path("hooks/scripts/shared")).unwrap();
    symlink("..", package.path("hooks/scripts/deep/around")).unwrap();
    package.trust.pin(&package.manifest(), 1).unwrap();
    assert_eq!(package.standing(), Standing::Trusted);
    package.write("shared/lib.sh", "edited");
    package.changed("hooks/scripts/shared/lib.sh", What::Edited);
    package.write("shared/lib.sh", "echo");
    fs::remove_file(package.path("hooks/scripts/shared")).unwrap();
    symlink("/tmp", package.path("hooks/scripts/shared")).unwrap();
    let Standing::Changed(changes) = package.standing() else {
        panic!("a link out of the package is a change")
    };
    assert_eq!(changes[0].what, What::Left);
}

#[test]
fn a_pipe_or_garbage_in_the_place_of_a_script_never_hangs_and_is_told() {
    let package = Package::pinned();
    let path = package.path("x.sh");
    fs::remove_file(&path).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
    let why = "it is not a regular file".to_owned();
    package.changed("x.sh", What::Unreadable(why));
}

#[test]
fn a_pin_that_is_garbage_trusts_nothing_and_is_told() {
    let package = Package::pinned();
    for entry in fs::read_dir(package.home.path().join("state")).unwrap() {
        fs::write(entry.unwrap().path(), "{\"version\": 1").unwrap();
    }
    let Standing::Never(Some(why)) = package.standing() else {
        panic!("garbage is no pin")
    };
    assert!(why.starts_with("its pin is garbage"), "{why}");
    assert!(matches!(
        package.trust.diff(&package.manifest()),
        Err(TrustError::Never(Some(_)))
    ));
    package.trust.pin(&package.manifest(), 2).unwrap();
    assert_eq!(package.standing(), Standing::Trusted);
    assert!(package.trust.forget(&package.manifest()).unwrap());
    assert!(!package.trust.forget(&package.manifest()).unwrap());
    assert_eq!(package.standing(), Standing::Never(None));
}

#[test]
fn a_manifest_that_is_gone_or_broken_is_never_trusted() {
    let package = Package::pinned();
    package.write("hooks/hooks.json", "{ \"hooks\": ");
    let Standing::Changed(changes) = package.standing() else {
        panic!("a broken manifest is a changed one")
    };
    assert!(changes.iter().any(|change| change.what == What::Edited));
    assert!(matches!(
        package.trust.pin(&package.manifest(), 2),
        Err(TrustError::Manifest(_))
    ));
    fs::remove_file(package.manifest()).unwrap();
    assert!(matches!(package.standing(), Standing::Unreadable(_)));
    assert_eq!(package.trust.pinned().len(), 1);
}

#[test]
fn a_link_to_a_trusted_manifest_from_another_package_is_not_trusted() {
    let package = Package::pinned();
    let other = package.home.path().join("q/hooks");
    fs::create_dir_all(&other).unwrap();
    symlink(package.manifest(), other.join("hooks.json")).unwrap();
    let standing = package.trust.standing(&other.join("hooks.json"));
    assert!(matches!(standing, Standing::Never(Some(_))), "{standing:?}");
    symlink(package.path(""), package.home.path().join("alias")).unwrap();
    let same = package.home.path().join("alias/hooks/hooks.json");
    assert_eq!(package.trust.standing(&same), Standing::Trusted);
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
    let trust = Trust::new(place.path().join("state"));
    trust.pin(&file, 0).unwrap();
    fs::remove_dir_all(project.join(".github")).unwrap();
    let found = |folder: &Path, host: &str| {
        let mut found = Vec::new();
        anyhook::load::add_pinned(&trust, &[folder.to_owned()], host, &mut found);
        found
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
