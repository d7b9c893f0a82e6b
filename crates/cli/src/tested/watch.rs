//! `--watch`: waits for changes of the files that tests depend on, and for the end.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// An editor that saves a file writes more than once: nothing runs before it was quiet for so long.
const QUIET: Duration = Duration::from_millis(100);

/// What the person who waits reads.
enum Told {
    /// Something may have changed.
    Changed,
    /// It is over.
    End,
}

/// Watches folders, and the signals that end a run.
pub(crate) struct Watch {
    told: Receiver<Told>,
    /// Becomes true when a person wants the run to end.
    pub(crate) interrupted: Arc<AtomicBool>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Watches everything below these folders, and beside these files.
    pub(crate) fn new(places: &[PathBuf]) -> Result<Self, Problem> {
        let (tell, told) = mpsc::channel();
        let interrupted = listen(&tell)?;
        let changed = move |event: notify::Result<Event>| {
            // Reading is no change, and we read ourselves. What cannot be told may be a change.
            let is_change = event.map_or(true, |event| !event.kind.is_access());
            if is_change {
                let _ = tell.send(Told::Changed);
            }
        };
        let cannot = |error: notify::Error| {
            Problem::new(Exit::Io, "cannot watch for changes").because(error)
        };
        let mut watcher = notify::recommended_watcher(changed).map_err(cannot)?;
        for place in places {
            let folder = if place.is_file() {
                place.parent().unwrap_or(place)
            } else {
                place
            };
            watcher
                .watch(folder, RecursiveMode::Recursive)
                .map_err(cannot)?;
        }
        Ok(Self {
            told,
            interrupted,
            _watcher: watcher,
        })
    }

    /// Waits until something may have changed and it is quiet again; nothing when it is over.
    pub(crate) fn next(&self) -> Option<()> {
        match self.told.recv() {
            Ok(Told::Changed) => {}
            Ok(Told::End) | Err(_) => return None,
        }
        loop {
            match self.told.recv_timeout(QUIET) {
                Ok(Told::Changed) => {}
                Ok(Told::End) | Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => return Some(()),
            }
        }
    }
}

/// Tells of Ctrl-C, by a thread that does nothing else.
fn listen(tell: &Sender<Told>) -> Result<Arc<AtomicBool>, Problem> {
    let cannot =
        |error: std::io::Error| Problem::new(Exit::Io, "cannot wait for signals").because(error);
    let (mut wakes, woken) = UnixStream::pair().map_err(cannot)?;
    let interrupted = interrupts();
    for signal in ENDS {
        let pipe = woken.try_clone().map_err(cannot)?;
        signal_hook::low_level::pipe::register(*signal, pipe).map_err(cannot)?;
    }
    let tell = tell.clone();
    thread::spawn(move || {
        let mut byte = [0];
        // Whatever it reads, or if it cannot: it is over.
        let _ = wakes.read(&mut byte);
        let _ = tell.send(Told::End);
    });
    Ok(interrupted)
}

/// The signals by which a person ends a run.
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

/// Makes room for the next results, on a terminal.
pub(crate) fn clear() -> Result<(), Problem> {
    if std::io::stdout().is_terminal() {
        ui::out("\u{1b}[2J\u{1b}[3J\u{1b}[H")?;
        // What is wrong with files goes to standard error at once: it must not be cleared after that.
        let _ = std::io::stdout().flush();
    }
    Ok(())
}

/// Ends the line on which a terminal shows what a person typed to end it.
pub(crate) fn leave() -> Result<(), Problem> {
    if std::io::stdout().is_terminal() {
        ui::out("\n")?;
    }
    Ok(())
}

/// The folders to watch: those of the packages, and what was named where there is none.
pub(crate) fn places(roots: impl Iterator<Item = PathBuf>, named: &[PathBuf]) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = Vec::new();
    let named = named.iter().filter_map(|path| path.canonicalize().ok());
    for place in roots.chain(named) {
        if !places.iter().any(|other| place.starts_with(other)) {
            places.retain(|other| !other.starts_with(&place));
            places.push(place);
        }
    }
    places
}

/// Names a file for the last line.
pub(crate) fn waiting(places: &[PathBuf]) -> String {
    let name = |place: &PathBuf| ui::visible(&place.display().to_string());
    let first = places.first().map(name).unwrap_or_default();
    let more = match places.len() {
        0 | 1 => String::new(),
        many => format!(" and {} more", many - 1),
    };
    ui::paint(
        ui::DIM,
        &format!("waiting for changes below {first}{more}; Ctrl-C ends it"),
    ) + "\n"
}

/// A path that is absolute, whether it is there or not.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (Ok(_) | Err(_), _) => path.to_path_buf(),
    }
}
