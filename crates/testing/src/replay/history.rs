//! Reading a history line by line, and sharing it among threads: the events of one session stay together and in order.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhook::core::report::Report;
use anyhook::stores::{Filter, Jsonl};

/// Where records come from.
#[derive(Debug)]
pub enum History {
    /// The person's own record.
    Own(Jsonl),
    /// A file with a record on each line.
    File(PathBuf),
}

/// Which records of a history are taken.
#[derive(Debug)]
pub struct HistoryScan {
    /// The history.
    pub history: History,
    /// Which of them are wanted.
    pub filter: Filter,
    /// By so many threads.
    pub jobs: NonZeroUsize,
    /// Becomes true when a person wants it to end.
    pub interrupted: Arc<AtomicBool>,
}

/// So many lines wait for a thread.
const WAITING: usize = 1024;

/// Shows each wanted line with its place to one of the workers, and returns how many lines it were.
pub(super) fn share<W: Send>(
    reading: &HistoryScan,
    workers: Vec<W>,
    step: impl Fn(&mut W, u64, &[u8]) + Sync,
) -> io::Result<u64> {
    let step = &step;
    thread::scope(|scope| {
        let (mut lanes, mut threads) = (Vec::new(), Vec::new());
        for mut worker in workers {
            let (to, from) = sync_channel::<(u64, Vec<u8>)>(WAITING);
            lanes.push(to);
            threads.push(scope.spawn(move || {
                for (place, line) in from {
                    step(&mut worker, place, &line);
                }
            }));
        }
        let taken = read(reading, &mut |place, line| {
            let at = usize::try_from(session(line) % lanes.len() as u64).unwrap_or_default();
            if let Some(to) = lanes.get(at) {
                // A thread that is gone panicked, and that is told where it is joined.
                let _ = to.send((place, line.to_vec()));
            }
        });
        drop(lanes);
        let gone = |_| io::Error::other("a part of the history could not be replayed");
        let mut threads = threads.into_iter();
        threads.try_for_each(|thread| thread.join().map_err(gone))?;
        taken
    })
}

/// Names the session of a line, without reading all of it.
fn session(line: &[u8]) -> u64 {
    const FIELD: &[u8] = b"\"session\":\"";
    let found = memchr::memmem::find(line, FIELD).and_then(|at| line.get(at + FIELD.len()..));
    let name = found.and_then(|rest| rest.split(|byte| *byte == b'"').next());
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

fn read(reading: &HistoryScan, take: &mut dyn FnMut(u64, &[u8])) -> io::Result<u64> {
    let (mut place, mut taken) = (0, 0);
    let is_all = reading.filter == Filter::default();
    let mut visit = |line: &[u8]| {
        place += 1;
        let is_over = reading.interrupted.load(Ordering::Relaxed);
        if is_over || !is_all && !is_wanted(line, &reading.filter) {
            return;
        }
        taken += 1;
        take(place, line);
    };
    match &reading.history {
        History::Own(store) => store.lines(&mut visit).map_err(io::Error::other)?,
        History::File(file) => {
            let mut lines = BufReader::with_capacity(1 << 18, File::open(file)?);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line)? > 0 {
                if !line.trim_ascii().is_empty() {
                    visit(&line);
                }
                line.clear();
            }
        }
    }
    Ok(taken)
}

fn is_wanted(line: &[u8], filter: &Filter) -> bool {
    let holds = |text: &String| memchr::memmem::find(line, text.as_bytes()).is_some();
    filter.texts.iter().all(holds)
        && serde_json::from_slice::<Report>(line).is_ok_and(|report| filter.takes(&report))
}
