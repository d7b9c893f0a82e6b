//! The chain of a record: each line carries the digest of the line before it and of itself, and `head` names the last one.
//!
//! `link = SHA-256(link before | SHA-256(body))`, where the body is the line without its link. A line that was purged keeps
//! the digest of its body, so that the chain still holds. Who owns the folder can write the whole chain anew; what is found
//! is a line that was changed, removed, added or moved.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use sha2::{Digest as _, Sha256};

use crate::files;

/// The digest that a line ends with, in hexadecimal.
pub(super) type ChainDigest = [u8; 64];

/// The link before the first line of all.
pub(super) const FIRST: ChainDigest = [b'0'; 64];

const OPEN: &[u8] = b",\"link\":\"";
const CLOSE: &[u8] = b"\"}";
/// How a line begins whose record was purged.
pub(super) const PURGED: &[u8] = b"{\"purged\":\"";
/// How the first line of a segment begins.
pub(super) const SEGMENT: &[u8] = b"{\"segment\":";

/// A line, taken apart.
pub(super) struct ChainedLine<'l> {
    /// The line up to its link, without the brace that closes the body.
    open: &'l [u8],
    /// Its link.
    pub(super) link: ChainDigest,
}

impl<'l> ChainedLine<'l> {
    /// Takes a line apart, without its line break; nothing where it does not end as ours do.
    pub(super) fn of(whole: &'l [u8]) -> Option<Self> {
        let rest = whole.strip_suffix(CLOSE)?;
        let at = rest.len().checked_sub(FIRST.len())?;
        let (before, told) = rest.split_at_checked(at)?;
        let link: ChainDigest = told.try_into().ok()?;
        let is_hex = link.iter().all(u8::is_ascii_hexdigit);
        let open = before.strip_suffix(OPEN)?;
        is_hex.then_some(Self { open, link })
    }

    /// Returns the digest of the body: computed, or as it was before the line was purged.
    pub(super) fn digest(&self) -> [u8; 32] {
        let purged = self.open.strip_prefix(PURGED);
        let told = purged.and_then(|rest| rest.get(..FIRST.len()));
        let told = told.and_then(|hex| data_encoding::HEXLOWER.decode(hex).ok());
        match told.and_then(|digest| digest.try_into().ok()) {
            Some(digest) => digest,
            None => Sha256::new_with_prefix(self.open)
                .chain_update(b"}")
                .finalize()
                .into(),
        }
    }

    /// Writes the line again without what it said.
    pub(super) fn purged(&self) -> Vec<u8> {
        let digest = files::hex(&self.digest());
        let body = [PURGED, digest.as_bytes(), b"\"}"].concat();
        ended(&body, &self.link)
    }

    /// Tells whether the record of the line was purged.
    pub(super) fn is_purged(&self) -> bool {
        self.open.starts_with(PURGED)
    }

    /// Tells whether it is the first line of a segment.
    pub(super) fn is_segment(&self) -> bool {
        self.open.starts_with(SEGMENT)
    }
}

/// Names a line by its link and the digest of its body, which stay when its record is purged; nothing where it is no line of ours.
pub(in crate::stores) fn name_of(whole: &[u8]) -> Option<String> {
    let parts = ChainedLine::of(whole)?;
    let name = Sha256::new_with_prefix(parts.link).chain_update(parts.digest());
    Some(files::hex(&name.finalize()))
}

/// Returns the link of a body behind another link.
pub(super) fn link(before: &ChainDigest, digest: &[u8; 32]) -> ChainDigest {
    let digest = Sha256::new_with_prefix(before)
        .chain_update(digest)
        .finalize();
    files::hex(&digest).into_bytes().try_into().unwrap_or(FIRST)
}

/// Makes a line of a body, which is a JSON object, and its link.
pub(super) fn ended(body: &[u8], link: &ChainDigest) -> Vec<u8> {
    let open = body.strip_suffix(b"}").unwrap_or(body);
    [open, OPEN, link, CLOSE, b"\n"].concat()
}

/// Makes a line of a body behind another link.
pub(super) fn linked(
    before: &ChainDigest,
    body: &[u8],
    digest: &[u8; 32],
) -> (Vec<u8>, ChainDigest) {
    let link = link(before, digest);
    (ended(body, &link), link)
}

/// Where the record ends: the file that is locked while a line is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainHead {
    /// The number of the newest segment.
    pub(super) segment: u64,
    /// How long it is.
    pub(super) length: u64,
    /// When it was begun, in milliseconds since 1970.
    pub(super) begun: i64,
    /// The link of its last line.
    pub(super) link: ChainDigest,
}

impl ChainHead {
    /// Reads the head; nothing where there is none, or a crash tore it.
    pub(super) fn read(file: &File) -> Option<Self> {
        let mut bytes = [0; 128];
        let length = file.read_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
        let mut words = text
            .strip_suffix('\n')?
            .split(' ')
            .filter(|word| !word.is_empty());
        let mut number = || words.next()?.parse::<u64>().ok();
        let (segment, length, begun) = (number()?, number()?, number()?);
        let link = words.next()?.as_bytes().try_into().ok()?;
        Some(Self {
            segment,
            length,
            begun: i64::try_from(begun).ok()?,
            link,
        })
    }

    /// Writes the head over the one before, which is as long.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        let link = String::from_utf8_lossy(&self.link);
        let text = format!(
            "{:>8} {:>16} {:>16} {link}\n",
            self.segment,
            self.length,
            self.begun.max(0)
        );
        file.write_all_at(text.as_bytes(), 0)
    }
}
