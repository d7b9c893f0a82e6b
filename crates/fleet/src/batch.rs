//! A batch: records of one machine in their order, compressed, in a chain of digests, signed by the person whose machine it is.
//!
//! ```text
//! {"version":1,"person":"ada","machine":"…","chain":"…","number":7,"previous":"…","link":"…","records":12,…}
//! signature of that line
//! compressed: a record a line
//! ```

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use anyhook::core::report::Report;
use anyhook::files;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{PolicyError, Trouble};
use crate::keys::{NamedKey, SecretKey};

/// What stands before a signed head, so that no signature of anything else counts for a batch.
const DOMAIN: &[u8] = b"anyhook batch 1\0";
/// The subjects of batches are below this one.
const SUBJECT: &str = "audit";
/// What unpacks to more is no batch: one record may have 4 MiB, and a batch is not much longer.
const LONGEST: u64 = 16 << 20;

/// What a batch says of itself.
///
/// ```
/// use anyhook_fleet::{BatchHeader, SecretKey};
///
/// let head = BatchHeader { person: "ada".into(), machine: "0a1b".into(), number: 1, ..BatchHeader::default() };
/// let key = SecretKey::generate()?;
/// let message = head.seal(&[br#"{"version":1}"#.to_vec()], &key)?;
/// assert!(message.starts_with(br#"{"version":1,"person":"ada""#));
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchHeader {
    /// The form of the batch.
    pub version: u8,
    /// Whose machine it is.
    pub person: String,
    /// Which machine, as a policy calls it.
    pub machine: String,
    /// Which chain: one that begins anew has another name.
    pub chain: String,
    /// Its number in the chain, from 1.
    pub number: u64,
    /// The link of the batch before.
    pub previous: String,
    /// The digest of this batch and all before it.
    pub link: String,
    /// How many records it holds.
    pub records: u64,
    /// Whether the record lost its oldest part before this batch, so that some may be missing.
    pub lost: bool,
    /// When it was made, in milliseconds since 1970, by the clock of the machine.
    pub at: i64,
}

/// A batch whose signature and chain hold.
///
/// ```
/// use std::collections::BTreeMap;
/// use anyhook_fleet::{Batch, BatchHeader, SecretKey};
///
/// let key = SecretKey::generate()?;
/// let head = BatchHeader { person: "ada".into(), machine: "0a1b".into(), number: 1, ..BatchHeader::default() };
/// let message = head.seal(&[], &key)?;
/// let people = BTreeMap::from([("ada".to_owned(), key.public("ada"))]);
/// assert!(Batch::open("audit.ada.0a1b", &message, &people)?.reports.is_empty());
/// // Under another person's subject it counts for nothing.
/// assert!(Batch::open("audit.bob.0a1b", &message, &people).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    /// What it says of itself.
    pub head: BatchHeader,
    /// The records.
    pub reports: Vec<Report>,
}

impl BatchHeader {
    /// Returns the subject under which it is sent.
    pub fn subject(&self) -> String {
        format!("{SUBJECT}.{}.{}", self.person, self.machine)
    }

    /// Makes the message: the lines are the records.
    pub fn seal(self, lines: &[Vec<u8>], key: &SecretKey) -> Result<Vec<u8>, PolicyError> {
        let head = Self {
            version: 1,
            records: lines.len() as u64,
            link: self.linked(lines.iter().map(Vec::as_slice)),
            ..self
        };
        let mut message = serde_json::to_vec(&head)?;
        let signature = key.sign(DOMAIN, &message);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let packed = gzip.write_all(&lines.join(&b'\n'));
        let packed = packed.and_then(|()| gzip.finish());
        let body = packed.map_err(|error| Trouble::Form.error(error.to_string()))?;
        for part in [b"\n", signature.as_bytes(), b"\n", &body] {
            message.extend(part);
        }
        Ok(message)
    }

    /// Reads the head of a message without judging it.
    pub(crate) fn of(message: &[u8]) -> Option<Self> {
        serde_json::from_slice(message.split(|byte| *byte == b'\n').next()?).ok()
    }

    fn linked<'l>(&self, lines: impl Iterator<Item = &'l [u8]>) -> String {
        let begin = format!("{} {} {}", self.previous, self.chain, self.number);
        lines.fold(files::digest(begin.as_bytes()), |link, line| {
            let digest = Sha256::new_with_prefix(link).chain_update(Sha256::digest(line));
            files::hex(&digest.finalize())
        })
    }
}

impl Batch {
    /// Reads a message that came under a subject, or says why it is refused: forged, altered, or another one's.
    pub fn open(
        subject: &str,
        message: &[u8],
        people: &BTreeMap<String, NamedKey>,
    ) -> Result<Self, String> {
        let mut parts = message.splitn(3, |byte| *byte == b'\n');
        let (Some(text), Some(signature), Some(body)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("it is no batch".into());
        };
        let head: BatchHeader =
            serde_json::from_slice(text).map_err(|error| format!("it is no batch: {error}"))?;
        if head.version != 1 {
            return Err(format!("its form {} is not known here", head.version));
        }
        if head.subject() != subject {
            return Err(format!("it says that it is {}", head.subject()));
        }
        let key = people.get(&head.person).ok_or("no member is called so")?;
        let signature = std::str::from_utf8(signature).unwrap_or_default();
        if !key.verifies(DOMAIN, text, signature) {
            return Err("its signature is not that person's".into());
        }
        let lines = unpacked(body)?;
        let lines: Vec<&[u8]> = lines
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .collect();
        if lines.len() as u64 != head.records || head.linked(lines.iter().copied()) != head.link {
            return Err("its records are not those that were signed".into());
        }
        let read = |line: &&[u8]| serde_json::from_slice(line);
        let reports: Result<_, _> = lines.iter().map(read).collect();
        let reports = reports.map_err(|error| format!("a line is no record: {error}"))?;
        Ok(Self { head, reports })
    }
}

fn unpacked(body: &[u8]) -> Result<Vec<u8>, String> {
    let mut lines = Vec::new();
    let mut gzip = GzDecoder::new(body).take(LONGEST + 1);
    let length = gzip
        .read_to_end(&mut lines)
        .map_err(|error| error.to_string())?;
    if length as u64 > LONGEST {
        return Err(format!(
            "it unpacks to more than {LONGEST} bytes, which no batch has"
        ));
    }
    Ok(lines)
}
