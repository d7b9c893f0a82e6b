//! Programs that are written while processes start. It stands alone: a thread that starts a process in another way in this one, as
//! other tests do, is not waited for.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhook::processes::{start, write_programs};

#[test]
fn a_program_is_executed_at_once_while_other_threads_start_processes() {
    let folder = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    let others = || {
        while !is_over.load(Ordering::Relaxed) {
            start(&mut Command::new("true")).unwrap().wait().unwrap();
        }
    };
    let run = |number: usize| {
        let file = folder.path().join(number.to_string());
        write_programs(|| {
            fs::write(&file, "#!/bin/sh\nexit 3\n").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        });
        let ended = start(&mut Command::new(&file)).map(|mut child| child.wait());
        ended.and_then(|ended| ended).map(|ended| ended.code())
    };
    thread::scope(|scope| {
        scope.spawn(others);
        scope.spawn(others);
        let ended: Vec<_> = (0..300).map(run).collect();
        is_over.store(true, Ordering::Relaxed);
        let ended: Vec<_> = ended.into_iter().map(Result::unwrap).collect();
        assert_eq!(ended, vec![Some(3); 300]);
    });
}
