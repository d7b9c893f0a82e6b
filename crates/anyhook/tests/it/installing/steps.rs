//! The end of the process at every single step: a file is the old one or the new one.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhook::wires::native_files::claude_code;
use anyhook::wires::settings::Scope;

use super::Home;

const BEFORE: &str = "{\n  // mine\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./a.sh\"}]}]}\n}\n";

/// What a whole run does.
#[derive(Clone, Copy, PartialEq)]
enum Run {
    Install,
    Undo,
}

impl Home {
    /// Runs with a probe; the settings are there, and for an undo they are installed.
    fn run(&self, run: Run, probe: fn()) -> bool {
        self.with(probe, |installer| {
            let plan = match run {
                Run::Install => {
                    let takeover = installer.plan_takeover(claude_code(), Scope::User);
                    match takeover.unwrap() {
                        Some(takeover) => takeover.plan,
                        None => installer.plan(super::claude(), Scope::User).unwrap(),
                    }
                }
                Run::Undo => installer.plan_undo(super::claude(), None).unwrap(),
            };
            installer.carry_out(&plan).is_ok()
        })
    }

    fn prepared(run: Run) -> Self {
        let home = Self::new();
        home.prepare(run);
        home
    }

    fn prepare(&self, run: Run) {
        self.write(BEFORE);
        if run == Run::Undo {
            self.take_over(Scope::User);
        }
    }
}

/// So many steps were reached, and the process ends at this one.
static REACHED: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// How many steps a whole run has, and what the settings are before and after it.
fn whole(run: Run) -> (usize, [String; 2]) {
    let home = Home::prepared(run);
    let old = home.text();
    REACHED.store(0, Ordering::Relaxed);
    assert!(home.run(run, reach));
    // The path of the home is in our entries.
    let shown = |text: &str| text.replace(home.path("").to_str().unwrap(), "@/");
    let texts = [shown(&old), shown(&home.text())];
    (REACHED.load(Ordering::Relaxed), texts)
}

fn reach() {
    if REACHED.fetch_add(1, Ordering::Relaxed) == LAST.load(Ordering::Relaxed) {
        std::process::abort();
    }
}

/// Whatever happened: the file is one of the two, and a second run ends as it should.
fn check(home: &Home, run: Run, texts: &[String; 2], at: usize) {
    let shown = home.text().replace(home.path("").to_str().unwrap(), "@/");
    assert!(texts.contains(&shown), "step {at}: {shown}");
    assert!(home.run(run, || ()), "step {at}");
    assert!(home.run(Run::Undo, || ()), "step {at}");
    assert_eq!(home.text(), BEFORE, "step {at}");
}

const FOLDER: &str = "ANYHOOK_TEST_FOLDER";

#[test]
fn a_crash_at_any_step_leaves_the_old_file_or_the_new_one() {
    for run in [Run::Install, Run::Undo] {
        let (steps, texts) = whole(run);
        assert!(steps > 7, "{steps}");
        for at in 0..steps {
            let home = Home::prepared(run);
            let left = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "installing::steps::the_process_that_crashes",
                    "--ignored",
                ])
                .env(FOLDER, home.path(""))
                .env("ANYHOOK_TEST_STEP", at.to_string())
                .env("ANYHOOK_TEST_UNDO", if run == Run::Undo { "1" } else { "" })
                .output()
                .unwrap();
            assert!(!left.status.success(), "step {at}: {left:?}");
            check(&home, run, &texts, at);
        }
    }
}

#[test]
#[ignore = "it ends its own process, for the test above; by itself it does nothing"]
fn the_process_that_crashes() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let var = |name: &str| std::env::var(name).unwrap();
    let at: usize = var("ANYHOOK_TEST_STEP").parse().unwrap();
    let run = if var("ANYHOOK_TEST_UNDO").is_empty() {
        Run::Install
    } else {
        Run::Undo
    };
    let home = Home::around(Path::new(&folder));
    LAST.store(at, Ordering::Relaxed);
    home.run(run, reach);
}
