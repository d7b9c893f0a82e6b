//! How a person ends the agent: in order with the first Ctrl-C, at once with the second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhook::processes::Alone;
use anyhook_agent::cancel::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::ui;

/// The exit code of a program that Ctrl-C ended.
pub(super) const INTERRUPTED: u8 = 130;

/// How often the thread looks whether the person pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// What hooks have, when they are ended, before this program ends without them: TERM, a second, KILL, and what is told.
const GRACE: Duration = Duration::from_secs(5);

/// What the person wants.
#[derive(Clone, Default)]
pub(super) struct Ending {
    /// The run is to end in order: what runs is waited for.
    pub(super) cancel: Cancel,
    /// What runs is to end too.
    pub(super) at_once: Arc<AtomicBool>,
    /// What left its group is ended at the end.
    alone: Arc<Option<Alone>>,
}

impl Ending {
    /// Listens to the person, from a thread of its own.
    pub(super) fn listens() -> Self {
        // Before anything was started, so that what is below this process later was started by it.
        let ending = Self {
            alone: Arc::new(Alone::now()),
            ..Self::default()
        };
        let (pressed, told) = (Arc::default(), Arc::default());
        // Without the handlers Ctrl-C ends the program as it always does, and so does the third one.
        let _ = flag::register_conditional_shutdown(
            SIGINT,
            i32::from(INTERRUPTED),
            Arc::clone(&ending.at_once),
        );
        let _ = flag::register(SIGINT, Arc::clone(&pressed));
        for signal in [SIGTERM, SIGHUP] {
            let _ = flag::register(signal, Arc::clone(&told));
        }
        let listens = ending.clone();
        let _ = thread::Builder::new().spawn(move || listens.listen(&pressed, &told));
        ending
    }

    /// Tells whether what ran was ended.
    pub(super) fn is_at_once(&self) -> bool {
        self.at_once.load(Ordering::Relaxed)
    }

    /// Ends what hooks and tools left outside their groups.
    pub(super) fn end_rest(&self) {
        let _ = self.alone.as_ref().as_ref().map(Alone::end_rest);
    }

    fn listen(&self, pressed: &AtomicBool, told: &AtomicBool) {
        loop {
            thread::sleep(LOOK);
            let is_pressed = pressed.swap(false, Ordering::Relaxed);
            if told.load(Ordering::Relaxed) || is_pressed && self.cancel.is_now() {
                break;
            }
            if is_pressed {
                self.cancel.now();
                ui::err(
                    "cancelled: hooks that run are waited for; Ctrl-C once more ends them too\n",
                );
            }
        }
        self.cancel.now();
        self.at_once.store(true, Ordering::Relaxed);
        // The run ends by itself, and this thread with it, unless something hangs that no one can end.
        thread::sleep(GRACE);
        self.end_rest();
        std::process::exit(i32::from(INTERRUPTED));
    }
}
