//! Signals by which a person ends a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const ENDS: &[i32] = &[
    signal_hook::consts::SIGINT,
    signal_hook::consts::SIGTERM,
    signal_hook::consts::SIGHUP,
];

/// Returns what becomes true when a person wants this process to end. Hooks are ended then, and folders are taken away.
pub(crate) fn interrupts() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in ENDS {
        // Who asks twice does not wait for anything to be tidy. Where it fails, the signal ends this process as ever.
        let asked = Arc::clone(&interrupted);
        let _ = signal_hook::flag::register_conditional_shutdown(*signal, 130, asked);
        let _ = signal_hook::flag::register(*signal, Arc::clone(&interrupted));
    }
    interrupted
}
