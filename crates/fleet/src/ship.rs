//! The shipper: from the files of the record to the stream of the fleet, batch by batch, and each at exactly the next record.
//!
//! ```text
//!  record ── seal: the level, a chain, a signature ──> a file that waits ── send, acknowledged ──> the stream
//! ```
//!
//! No hook waits for it: it reads what the hooks wrote. While no server is reached, the record itself is what waits. Before the
//! record would remove what was not sent, the oldest part is sealed with refusals, questions and faults alone, and how many other
//! records were left out is counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhook::core::ports::Clock;
use anyhook::core::report::{Became, Report};
use anyhook::core::result::Kind;
use anyhook::stores::{Filter, Jsonl, Keep, Place};

use crate::batch::Head;
use crate::error::PolicyError;
use crate::keys::Secret;
use crate::server::Server;
use crate::spool::{Sealed, Spool};

/// So many records are a batch, and so many are thinned to one.
const TOGETHER: usize = 256;
const THINNED: usize = 4096;
/// A batch of more than one record is no longer than this before it is compressed.
const LONG: usize = 512 << 10;

/// What is shipped, and as whom.
///
/// ```
/// use anyhook::stores::Keep;
/// use anyhook_fleet::{Secret, Shipment, Shipper};
///
/// let place = tempfile::tempdir()?;
/// let shipment = Shipment {
///     reports: place.path().join("reports"), state: place.path().join("fleet"), person: "ada".into(),
///     machine: "0a1b".into(), level: Keep::Verdicts, record: 512 << 20, waiting: 64 << 20,
/// };
/// let shipper = Shipper::open(shipment, Secret::generate()?)?.ok_or("another process ships")?;
/// assert_eq!(shipper.behind(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Shipment {
    /// The folder of the record.
    pub reports: PathBuf,
    /// The folder for what waits, and for how far it came.
    pub state: PathBuf,
    /// Whose machine it is.
    pub person: String,
    /// Which machine.
    pub machine: String,
    /// How much of each record leaves the machine.
    pub level: Keep,
    /// How long the record may become, in bytes.
    pub record: u64,
    /// How many bytes may wait beside it.
    pub waiting: u64,
}

/// What was done.
///
/// ```
/// assert_eq!(anyhook_fleet::Shipped::default().records, 0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shipped {
    /// How many batches the server took.
    pub batches: u64,
    /// How many records were in them.
    pub records: u64,
    /// How many records had been left out of them.
    pub thinned: u64,
}

/// Ships the record of one person on one machine.
pub struct Shipper {
    of: Shipment,
    key: Secret,
    store: Jsonl,
    spool: Spool,
    clock: Arc<dyn Clock>,
    /// The files of the record when the place in them was found last.
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

impl std::fmt::Debug for Shipper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shipper({:?})", self.of)
    }
}

/// Whether all records are sealed, or refusals alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sealing {
    Whole,
    Thin,
}

impl Shipper {
    /// Opens the folder of what waits; nothing where another process ships.
    pub fn open(of: Shipment, key: Secret) -> Result<Option<Self>, PolicyError> {
        let Some(spool) = Spool::open(&of.state)? else {
            return Ok(None);
        };
        let store = Jsonl::new(&of.reports, of.level);
        Ok(Some(Self {
            of,
            key,
            store,
            spool,
            clock: anyhook::world::World::real().clock,
            files: Vec::new(),
        }))
    }

    /// Lives at another time, for tests.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Returns the time of this machine, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Returns how many bytes of the record were not sealed yet.
    pub fn behind(&self) -> u64 {
        self.store.behind(&self.spool.end.place)
    }

    /// Sends what waits and what is new, until the server has everything.
    pub(crate) async fn send(&mut self, server: &Server) -> Result<Shipped, PolicyError> {
        let mut done = Shipped::default();
        loop {
            while let Some((number, message)) = self.spool.oldest()? {
                let head = Head::of(&message).unwrap_or_default();
                let subject = head.subject();
                server.publish(&subject, Some(&head.link), message).await?;
                self.spool.sent(number)?;
                done.batches += 1;
                done.records += head.records;
                done.thinned += head.thinned;
            }
            if !self.seal(Sealing::Whole)? {
                return Ok(done);
            }
        }
    }

    /// Keeps what must not be lost while no server is reached: before the record removes its oldest part, that part is sealed
    /// thinly. Returns how many bytes wait.
    pub fn offline(&mut self) -> Result<u64, PolicyError> {
        while self.behind() > self.of.record / 2 && self.spool.size() < self.of.waiting {
            if !self.seal(Sealing::Thin)? {
                break;
            }
        }
        Ok(self.spool.size())
    }

    /// Seals the next batch; tells whether there was anything to seal.
    fn seal(&mut self, sealing: Sealing) -> Result<bool, PolicyError> {
        let end = &self.spool.end;
        let files = self.files();
        // A purge makes files shorter: the place is searched for again when they changed.
        let begin = if self.files == files {
            end.place.clone()
        } else {
            self.store.refound(end.place.clone())?
        };
        let lost = end.place != Place::default() && begin == Place::default();
        let mut most = match sealing {
            Sealing::Whole => TOGETHER,
            Sealing::Thin => THINNED,
        };
        let (place, read, lines) = loop {
            let mut place = begin.clone();
            let page = self.store.some_news(&mut place, &Filter::default(), most)?;
            let kept = page.reports.iter();
            let kept = kept.filter(|report| sealing == Sealing::Whole || is_kept(report));
            let lines = kept
                .map(|report| self.line(report))
                .collect::<Result<Vec<_>, _>>()?;
            if most == 1 || lines.iter().map(Vec::len).sum::<usize>() <= LONG {
                break (place, page.reports.len(), lines);
            }
            most = (most / 2).min(page.reports.len() / 2).max(1);
        };
        if read == 0 {
            return Ok(false);
        }
        let head = Head {
            person: self.of.person.clone(),
            machine: self.of.machine.clone(),
            chain: end.chain.clone(),
            number: end.number + 1,
            previous: end.link.clone(),
            thinned: (read - lines.len()) as u64,
            lost,
            at: self.now(),
            ..Head::default()
        };
        let message = head.seal(&lines, &self.key)?;
        // What was made is read back, so that its link is said in one place.
        let head = Head::of(&message).unwrap_or_default();
        let end = Sealed {
            chain: head.chain,
            number: head.number,
            link: head.link,
            place,
        };
        self.spool.push(end, &message)?;
        self.files = files;
        Ok(true)
    }

    /// Returns the files of the record, their lengths and when they were changed.
    fn files(&self) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
        let segments = self.store.segments().into_iter();
        let look = |path: PathBuf| {
            let meta = std::fs::metadata(&path).ok();
            let changed = meta.as_ref().and_then(|meta| meta.modified().ok());
            (path, meta.map_or(0, |meta| meta.len()), changed)
        };
        segments.map(look).collect()
    }

    /// Writes a record as it leaves the machine.
    fn line(&self, report: &Report) -> Result<Vec<u8>, PolicyError> {
        let written = match self.of.level {
            // What the record keeps was redacted when it was kept.
            Keep::Payload => serde_json::to_vec(report),
            Keep::Shape | Keep::Verdicts => serde_json::to_vec(&self.store.as_kept(report)?),
        };
        written.map_err(|error| PolicyError::Form(error.to_string()))
    }
}

/// Tells whether a record is kept where others are left out: a refusal, a question, what would have been refused, a fault.
fn is_kept(report: &Report) -> bool {
    let would = |became: &Became| matches!(became, Became::Would(would) if would.verdict.kind() >= Kind::Ask);
    let said = report.said.as_ref().unwrap_or(&report.result);
    said.verdict.kind() >= Kind::Ask
        || report.result.verdict.kind() >= Kind::Ask
        || report.faults().next().is_some()
        || report.steps.iter().any(|step| would(&step.became))
}

/// Returns the folder of what waits, below the state of a person.
pub(crate) fn state(of: &Path) -> PathBuf {
    of.join("fleet")
}
