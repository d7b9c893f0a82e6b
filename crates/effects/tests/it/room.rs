//! A room for lines that may do anything: the programs of the machine read-only, a folder in memory, no network, no process of
//! others.

use std::path::Path;
use std::process::Command;

/// Says to a test that it runs inside of the room.
const INSIDE: &str = "ANYHOOK_ROOM";

/// Builds the room and runs the test in it; the first word is the program of the tests.
const BUILD: &str = r#"
set -e
mount -t tmpfs none /mnt
cd /mnt
mkdir dev proc tmp room
for folder in usr etc bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$folder" ]; then cp -P "/$folder" .
    elif [ -d "/$folder" ]; then mkdir "$folder"; mount --rbind "/$folder" "$folder"; mount -o remount,bind,ro "$folder"
    fi
done
for device in null zero full random urandom; do touch "dev/$device"; mount --bind "/dev/$device" "dev/$device"; done
ln -s /proc/self/fd dev/fd
mount -t proc proc proc
cp "$0" room/tests
# The shell stays, as the parent of what a line leaves running: nothing else here would take in its end.
chroot /mnt /room/tests "$@" || exit 1
"#;

/// Whether this process is in the room.
pub(crate) fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some() && Path::new("/room/tests").exists()
}

/// Whether a line may be traced here.
pub(crate) fn has_strace() -> bool {
    let mut strace = Command::new("strace");
    let made = strace
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .output();
    made.is_ok_and(|made| made.status.success())
}

/// Runs a test of this program again, in the room; `None` where no room can be had.
pub(crate) fn again(test: &str) -> Option<bool> {
    let room = |script: &str| {
        let mut room = Command::new("unshare");
        room.args([
            "--user",
            "--map-root-user",
            "--mount",
            "--net",
            "--pid",
            "--fork",
            "--ipc",
            "--kill-child",
        ]);
        room.args(["bash", "-c", script]);
        room
    };
    let may = room("mount -t tmpfs none /mnt && mount -t proc proc /proc").output();
    if !has_strace() || !may.is_ok_and(|may| may.status.success()) {
        return None;
    }
    let mut inside = room(BUILD);
    inside.arg(std::env::current_exe().unwrap());
    inside.args(["--include-ignored", "--exact", test, "--nocapture"]);
    let inside = inside.env(INSIDE, "1").env("TMPDIR", "/room").status();
    Some(inside.unwrap().success())
}
