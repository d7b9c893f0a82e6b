//! The tools, and the folder that they may not leave.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use anyhook_agent::cancel::CancelToken;
use anyhook_agent::tools::{RootFolder, ToolContext, named};
use serde_json::{Map, Value, json};

/// Runs a tool in a folder.
fn run(folder: &Path, tool: &str, input: &Value) -> Result<String, String> {
    run_for(Duration::from_secs(10), folder, tool, input)
}

/// The same, for so long at most.
fn run_for(deadline: Duration, folder: &Path, tool: &str, input: &Value) -> Result<String, String> {
    let root = RootFolder::open(folder).unwrap();
    let cancel = CancelToken::default();
    let at = ToolContext {
        root: &root,
        deadline,
        cancel: &cancel,
    };
    let input: Map<String, Value> = input.as_object().unwrap().clone();
    (named(tool).unwrap().run)(&input, &at).map_err(|error| error.0)
}

fn write(folder: &Path, path: &str, content: &str) -> Result<String, String> {
    run(
        folder,
        "write",
        &json!({"file_path": path, "content": content}),
    )
}

#[test]
fn file_tools_do_not_leave_their_folder() {
    let place = tempfile::tempdir().unwrap();
    let (inside, outside) = (place.path().join("in"), place.path().join("out"));
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s").unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    symlink(outside.join("secret"), inside.join("file")).unwrap();
    let paths = [
        "../out/secret".to_owned(),
        "link/secret".to_owned(),
        "file".to_owned(),
        outside.join("secret").to_string_lossy().into_owned(),
        "a/../../out/secret".to_owned(),
        String::new(),
    ];
    for path in &paths {
        assert!(
            run(&inside, "read", &json!({"file_path": path})).is_err(),
            "{path}"
        );
        let _ = write(&inside, path, "x");
        let _ = run(
            &inside,
            "edit",
            &json!({"file_path": path, "old_string": "s", "new_string": "x"}),
        );
        assert_eq!(
            std::fs::read_to_string(outside.join("secret")).unwrap(),
            "s",
            "{path}"
        );
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "{path}");
    }
}

#[test]
fn an_absolute_path_inside_is_inside() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().canonicalize().unwrap().join("a.txt");
    let path = file.to_string_lossy().into_owned();
    write(place.path(), &path, "one").unwrap();
    assert_eq!(
        run(place.path(), "read", &json!({"file_path": "a.txt"})),
        Ok("one".into())
    );
}

#[test]
fn a_file_keeps_its_permissions_and_is_never_half_written() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("run.sh");
    std::fs::write(&file, "one").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
    write(place.path(), "run.sh", "two").unwrap();
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o750
    );
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_everything_that_it_started() {
    let place = tempfile::tempdir().unwrap();
    let input = json!({"command": "echo started; sleep 300"});
    let error = run_for(Duration::from_millis(100), place.path(), "bash", &input).unwrap_err();
    assert_eq!(error, "started\n\n(ended after 100ms, which is the most)");
}

#[test]
fn what_is_no_file_is_not_read() {
    let place = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    symlink("pipe", place.path().join("link")).unwrap();
    // Opening a pipe that no process writes to would take for ever.
    for path in ["pipe", "link", "."] {
        let error = run(place.path(), "read", &json!({"file_path": path})).unwrap_err();
        assert!(error.contains("cannot read"), "{error}");
    }
}

#[test]
fn files_of_git_are_written_by_git_only() {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(place.path().join(".git/hooks")).unwrap();
    std::fs::write(place.path().join(".git/config"), "[core]\n").unwrap();
    symlink(".git", place.path().join("link")).unwrap();
    for path in [
        ".git/config",
        ".GIT/config",
        "./a/../.git/hooks/pre-commit",
        "link/config",
        "vendor/.git/config",
        ".git",
    ] {
        let write = json!({"file_path": path, "content": "[filter \"x\"]\n"});
        let error = run(place.path(), "write", &write).unwrap_err();
        assert!(error.contains("belongs to git"), "{path}: {error}");
    }
    let edit = json!({"file_path": "link/config", "old_string": "core", "new_string": "filter"});
    assert!(run(place.path(), "edit", &edit).is_err());
    let left = std::fs::read_to_string(place.path().join(".git/config")).unwrap();
    assert_eq!(left, "[core]\n");
    // It can be looked at.
    assert_eq!(
        run(place.path(), "read", &json!({"file_path": ".git/config"})),
        Ok("[core]\n".into())
    );
}

#[test]
fn a_file_outside_with_a_second_name_inside_stays_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    let (inside, outside) = (place.path().join("in"), place.path().join("out.txt"));
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(&outside, "out").unwrap();
    std::fs::hard_link(&outside, inside.join("name")).unwrap();
    write(&inside, "name", "in").unwrap();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "out");
    assert_eq!(std::fs::read_to_string(inside.join("name")).unwrap(), "in");
}

#[test]
fn what_is_written_beside_a_file_goes_through_no_link() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("guarded"), "as it was").unwrap();
    let beside = format!("a.txt.{}.new", std::process::id());
    symlink("guarded", place.path().join(beside)).unwrap();
    write(place.path(), "a.txt", "new").unwrap();
    let of = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(
        (of("guarded"), of("a.txt")),
        ("as it was".into(), "new".into())
    );
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_command_leaves_behind_ends_with_it() {
    let place = tempfile::tempdir().unwrap();
    let stray = "sh -c 'echo $$ > pid; exec sleep 300' & until test -s pid; do :; done";
    run(place.path(), "bash", &json!({"command": stray})).unwrap();
    let pid = std::fs::read_to_string(place.path().join("pid")).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // An entry that its parent did not wait for yet is no process any more.
    assert!(status.is_err() || status.unwrap().contains(") Z "));
}
