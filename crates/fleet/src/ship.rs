//! The shipper: from the files of the record to the stream of the fleet, batch by batch, and each at exactly the next record.
//!
//! ```text
//!  record ── seal: the level, a chain, a signature ──> a file that waits ── send, acknowledged ──> the stream
//! ```
//!
//! No hook waits for it: it reads what the hooks wrote. While no server is reached, the record itself is what waits; where it
//! removed its oldest part before that was sent, the next batch says so.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhook::stores::{Filter, Jsonl, RecordDetail};
use anyhook::world::World;

use crate::batch::BatchHeader;
use crate::error::PolicyError;
use crate::keys::SecretKey;
use crate::server::ServerConnection;
use crate::spool::{Spool, SpoolEnd};

/// So many records are a batch.
const TOGETHER: usize = 256;
/// A batch of more than one record is no longer than this before it is compressed.
const LONG: usize = 512 << 10;

/// What is shipped, and as whom.
///
/// ```
/// use anyhook::stores::RecordDetail;
/// use anyhook_fleet::{SecretKey, Shipment, Shipper};
///
/// let place = tempfile::tempdir()?;
/// let shipment = Shipment {
///     reports: place.path().join("reports"), state: place.path().join("fleet"), person: "ada".into(),
///     machine: "0a1b".into(), level: RecordDetail::Verdicts,
/// };
/// let mut shipper = Shipper::open(shipment, SecretKey::generate()?)?.ok_or("another process ships")?;
/// assert!(!shipper.seal()?, "there is no record");
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
    pub level: RecordDetail,
}

/// What was done.
///
/// ```
/// assert_eq!(anyhook_fleet::ShipmentSummary::default().records, 0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShipmentSummary {
    /// How many batches the server took.
    pub batches: u64,
    /// How many records were in them.
    pub records: u64,
}

/// Ships the record of one person on one machine.
#[derive(Debug)]
pub struct Shipper {
    of: Shipment,
    key: SecretKey,
    store: Jsonl,
    spool: Spool,
    /// The files of the record when the place in them was found last.
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

impl Shipper {
    /// Opens the folder of what waits; nothing where another process ships.
    pub fn open(of: Shipment, key: SecretKey) -> Result<Option<Self>, PolicyError> {
        let Some(spool) = Spool::open(&of.state)? else {
            return Ok(None);
        };
        let store = Jsonl::new(&of.reports, of.level);
        Ok(Some(Self {
            of,
            key,
            store,
            spool,
            files: Vec::new(),
        }))
    }

    /// Sends what waits and what is new, until the server has everything.
    pub(crate) async fn send(
        &mut self,
        server: &ServerConnection,
        done: &mut ShipmentSummary,
    ) -> Result<bool, PolicyError> {
        loop {
            if let Some((_, message)) = self.spool.waiting()? {
                let head = BatchHeader::of(&message).unwrap_or_default();
                let subject = head.subject();
                // The server drops what it has already by this id.
                server.publish(&subject, &head.link, message).await?;
                self.spool.sent()?;
                done.batches += 1;
                done.records += head.records;
            }
            if !self.seal()? {
                return Ok(true);
            }
        }
    }

    /// Seals the next records into a batch that waits; tells whether there were any. One that waits already has to be sent first.
    pub fn seal(&mut self) -> Result<bool, PolicyError> {
        let end = &self.spool.end;
        let files = self.files();
        // A purge makes files shorter: the place is searched for again when they changed.
        let begin = if self.files == files {
            Some(end.place.clone())
        } else {
            self.store.refound(end.place.clone())?
        };
        let lost = begin.is_none();
        let begin = begin.unwrap_or_default();
        let mut most = TOGETHER;
        let (place, lines) = loop {
            let mut place = begin.clone();
            let page = self.store.news(&mut place, &Filter::default(), most)?;
            let lines = page
                .reports
                .into_iter()
                .map(|report| -> Result<_, PolicyError> {
                    Ok(serde_json::to_vec(&self.store.as_sent(report)?)?)
                });
            let lines = lines.collect::<Result<Vec<_>, _>>()?;
            if most == 1 || lines.iter().map(Vec::len).sum::<usize>() <= LONG {
                break (place, lines);
            }
            most = (most / 2).min(lines.len() / 2).max(1);
        };
        if lines.is_empty() {
            return Ok(false);
        }
        let head = BatchHeader {
            person: self.of.person.clone(),
            machine: self.of.machine.clone(),
            chain: end.chain.clone(),
            number: end.number + 1,
            previous: end.link.clone(),
            lost,
            at: World::real().clock.now(),
            ..BatchHeader::default()
        };
        let message = head.seal(&lines, &self.key)?;
        // What was made is read back, so that its link is said in one place.
        let head = BatchHeader::of(&message).unwrap_or_default();
        let end = SpoolEnd {
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
}
