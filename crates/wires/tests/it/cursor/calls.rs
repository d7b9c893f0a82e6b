//! What an event says, whichever of the host's names and forms it comes in.

use std::path::Path;

use super::*;

#[test]
fn a_hook_that_guards_edits_is_asked_about_a_write() {
    for native in ["preToolUse", "afterFileEdit"] {
        let write = payload(native, |payload| {
            payload["tool_name"] == "Write" || native == "afterFileEdit"
        });
        let event = read(&write);
        for name in ["Write", "Edit", "MultiEdit"] {
            let named = event.subject.as_deref() == Some(name) || event.also.contains(&name);
            assert!(named, "{native} {name}");
        }
    }
}

/// The seed's names for two events are read, and go back only to where they came from.
#[test]
fn the_folder_of_the_workspace_around_an_event_is_its_project() {
    let mut payload = first("beforeShellExecution");
    payload["workspace_roots"] = json!(["/home/dev/other", "/home/dev/demo"]);
    for (cwd, project) in [
        ("/home/dev/demo/src", Some("/home/dev/demo")),
        ("/tmp", None),
    ] {
        payload["cwd"] = json!(cwd);
        let origin = read(&payload).origin.unwrap();
        assert_eq!(origin.project.as_deref(), project.map(Path::new), "{cwd}");
    }
}

#[test]
fn names_of_old_are_read() {
    for (old, now) in [
        ("beforeShellCommand", "beforeShellExecution"),
        ("beforeMcpCall", "beforeMCPExecution"),
    ] {
        assert_eq!(cursor().row(old).unwrap().name, now);
        let mut payload = first(now);
        payload["hook_event_name"] = json!(old);
        let event = read(&payload);
        assert_eq!(event.name.as_str(), "tool:pre");
        assert_eq!(cursor().write_event(&event), payload);
        let told = cursor().read_event(first(now).to_string().as_bytes(), Some(old));
        assert_eq!(told.unwrap().origin.unwrap().native.as_ref(), now);
        let names: Vec<&str> = cursor().rows().iter().map(|row| row.name).collect();
        assert!(!names.contains(&old));
    }
}

#[test]
fn a_command_line_that_names_our_event_leaves_it_to_the_payload_which_of_the_host_s_it_is() {
    let payload = first("beforeShellExecution");
    let bytes = payload.to_string();
    for hint in ["tool:pre", "pre-tool-use", "PreToolUse"] {
        let event = cursor().read_event(bytes.as_bytes(), Some(hint)).unwrap();
        assert_eq!(
            &*event.origin.unwrap().native,
            "beforeShellExecution",
            "{hint}"
        );
    }
    for other in ["preToolUse", "beforeReadFile"] {
        assert!(
            cursor().read_event(bytes.as_bytes(), Some(other)).is_err(),
            "{other}"
        );
    }
    // The guards of the call are not left out because its entry stands below another event; what is no gate is what the line says.
    let error = cursor().read_event(bytes.as_bytes(), Some("stop"));
    let error = error.unwrap_err();
    let what = "the command line names `stop`, and the payload `beforeShellExecution`";
    assert_eq!(error.what, what);
    let stop = first("stop").to_string();
    let event = cursor()
        .read_event(stop.as_bytes(), Some("sessionEnd"))
        .unwrap();
    assert_eq!(event.name, EventName::new("session-end"));
}
