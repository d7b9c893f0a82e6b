//! Other processes, which a confined command may not touch.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::room::{Room, needs};

/// A process of the same user outside of the confinement, which waits until its input ends.
struct Neighbour(Child);

impl Neighbour {
    fn of(room: &Room) -> Self {
        Self(
            room.command("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    /// Lets it end by itself, and says whether a signal ended it instead.
    fn was_killed(mut self) -> bool {
        drop(self.0.stdin.take());
        self.0.wait().unwrap().signal().is_some()
    }
}

#[test]
fn a_process_outside_gets_no_signal() {
    needs!(scopes);
    let room = Room::new();
    let neighbour = Neighbour::of(&room);
    let ran = room.sh(&format!("kill -9 {0} || kill -0 {0}", neighbour.id()));
    assert!(
        ran.code == Some(1) && ran.err.contains("not permitted"),
        "{ran:?}"
    );
    assert!(!neighbour.was_killed());
    let control = Neighbour::of(&room);
    assert_eq!(
        room.open(&["sh", "-c", &format!("kill -9 {}", control.id())])
            .code,
        Some(0)
    );
    assert!(control.was_killed());
    let own = room.sh("cat <&- & sleep 100 & kill $! && wait $!; echo ended by $?");
    assert_eq!(own.out, "ended by 143\n", "{own:?}");
}

#[test]
fn a_confinement_inside_a_confinement_holds_and_so_does_the_outer_one() {
    needs!(landlock);
    let room = Room::new();
    let inner = room.spec(&json!({"read": ["/**"], "write": ["/**"], "network": "any"}));
    let helper = Room::helper();
    let ran = room.run(
        &json!({"write": ["./**"]}),
        &[
            &helper,
            &inner,
            "--",
            "sh",
            "-c",
            "echo x > new; cat ~/.ssh/id",
        ],
    );
    assert!(
        ran.code == Some(1) && !ran.out.contains("secret"),
        "{ran:?}"
    );
    assert_eq!(room.text("project/new"), "x\n");
    let narrow = room.spec(&json!({}));
    let ran = room.run(
        &json!({"write": ["./**"]}),
        &[&helper, &narrow, "--", "sh", "-c", "echo x > other"],
    );
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
