//! Reading a history line by line, and sharing it among threads: the events of one session stay together and in order.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
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
pub struct Reading {
    /// The history.
    pub history: History,
    /// Which of them are wanted.
    pub filter: Filter,
    /// Only those behind the record with this id.
    pub after: Option<String>,
    /// No more than these.
    pub most: Option<u64>,
    /// By so many threads.
    pub jobs: NonZeroUsize,
    /// Becomes true when a person wants it to end.
    pub interrupted: Arc<AtomicBool>,
}

/// How far a history was read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The id of the last record that was taken.
    pub last: Option<String>,
    /// How many were taken.
    pub taken: u64,
    /// Whether there were more.
    pub stopped: bool,
    /// Whether the record was found behind which it should begin.
    pub began: bool,
}

/// So many bytes go to a thread at a time, and so many such batches wait.
const BATCH: usize = 1 << 17;
const WAITING: usize = 4;

/// Lines that go to a thread together: in one piece of memory, so that two threads do not share an allocator line by line.
#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    /// The place of each line in the history, and where it ends in the bytes.
    ends: Vec<(u64, usize)>,
}

impl Batch {
    fn push(&mut self, place: u64, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.ends.push((place, self.bytes.len()));
    }

    fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut begin = 0;
        self.ends.iter().filter_map(move |&(place, end)| {
            let line = self.bytes.get(std::mem::replace(&mut begin, end)..end)?;
            Some((place, line))
        })
    }
}

/// Shows each wanted line with its place to one of the workers, and returns these with what they did.
pub(super) fn share<W: Send>(
    reading: &Reading,
    mut workers: Vec<W>,
    step: impl Fn(&mut W, u64, &[u8]) + Sync,
) -> io::Result<(Vec<W>, Reached)> {
    if let [worker] = &mut workers[..] {
        let reached = read(reading, &mut |place, line| step(worker, place, line))?;
        return Ok((workers, reached));
    }
    let step = &step;
    thread::scope(|scope| {
        let mut lanes: Vec<(SyncSender<Batch>, Batch)> = Vec::new();
        let mut threads = Vec::new();
        for mut worker in workers {
            let (to, from) = sync_channel::<Batch>(WAITING);
            lanes.push((to, Batch::default()));
            threads.push(scope.spawn(move || {
                for batch in from {
                    for (place, line) in batch.lines() {
                        step(&mut worker, place, line);
                    }
                }
                worker
            }));
        }
        let reached = read(reading, &mut |place, line| {
            let at = usize::try_from(session(line) % lanes.len() as u64).unwrap_or_default();
            if let Some((to, batch)) = lanes.get_mut(at) {
                batch.push(place, line);
                if batch.bytes.len() >= BATCH {
                    // A thread that is gone panicked, and that is told where it is joined.
                    let _ = to.send(std::mem::take(batch));
                }
            }
        });
        for (to, batch) in lanes {
            let _ = to.send(batch);
        }
        let mut done = Vec::new();
        for thread in threads {
            done.push(thread.join().map_err(|_| {
                io::Error::other(
                    "a part of the history could not be replayed: a thread ended early",
                )
            })?);
        }
        Ok((done, reached?))
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

/// The id of a line, which stands at its beginning.
fn id(line: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Id {
        id: String,
    }
    let found = serde_json::from_slice::<Id>(line).ok()?;
    Some(found.id)
}

fn read(reading: &Reading, take: &mut dyn FnMut(u64, &[u8])) -> io::Result<Reached> {
    let mut reached = Reached {
        began: reading.after.is_none(),
        ..Reached::default()
    };
    let (mut place, mut last) = (0, Vec::new());
    let is_all = reading.filter == Filter::default();
    let mut visit = |line: &[u8]| {
        place += 1;
        if reached.stopped {
            return;
        }
        if !reached.began {
            reached.began = id(line) == reading.after;
            return;
        }
        if !is_all && !is_wanted(line, &reading.filter) {
            return;
        }
        let is_over = reading.most.is_some_and(|most| reached.taken >= most);
        if is_over || reading.interrupted.load(Ordering::Relaxed) {
            reached.stopped = true;
            return;
        }
        reached.taken += 1;
        last.clear();
        last.extend_from_slice(line);
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
    reached.last = id(&last);
    Ok(reached)
}

fn is_wanted(line: &[u8], filter: &Filter) -> bool {
    let holds = |text: &String| memchr::memmem::find(line, text.as_bytes()).is_some();
    filter.texts.iter().all(holds)
        && serde_json::from_slice::<Report>(line).is_ok_and(|report| filter.takes(&report))
}
