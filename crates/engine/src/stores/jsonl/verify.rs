//! Holding a record against its chain of digests.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhook_core::ports::StoreError;

use super::Jsonl;
use super::chain::{ChainDigest, ChainHead, ChainedLine, FIRST, SEGMENT, link};
use super::segments::{all, path, walk};

/// What was found by holding the lines of a record against their chain.
///
/// ```
/// use anyhook_engine::stores::ChainVerification;
/// assert!(ChainVerification::default().broken.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChainVerification {
    /// The number of the oldest segment; older ones were removed by size or age.
    pub oldest: u64,
    /// How many segments there are.
    pub segments: usize,
    /// How many records stand in them.
    pub records: u64,
    /// How many records were purged, and left their digest.
    pub purged: u64,
    /// How many lines are no record: a crash or a full disk tore them, or they are not ours.
    pub torn: u64,
    /// The link of the last line.
    pub head: String,
    /// The heads that were looked for and are not in the chain.
    pub missing: Vec<String>,
    /// Where the chain does not hold: the file, the line from 1, and what is wrong.
    pub broken: Vec<(PathBuf, u64, &'static str)>,
}

impl Jsonl {
    /// Holds every line against the chain, from the oldest to the newest, and looks for heads that were kept elsewhere: one that
    /// is not in the chain any more shows that the chain was written anew, or that the oldest files went.
    pub fn verify(&self, heads: &[String]) -> Result<ChainVerification, StoreError> {
        let dir = &*self.dir;
        let numbers = all(dir);
        // The head is read first: what is added meanwhile only makes the last segment longer.
        let head = Self::head(dir)?;
        let mut chain = ChainVerifier {
            dir,
            head,
            before: None,
            is_head_reached: head.is_none(),
            found: ChainVerification {
                oldest: numbers.first().copied().unwrap_or_default(),
                segments: numbers.len(),
                missing: heads.to_vec(),
                ..ChainVerification::default()
            },
        };
        for pair in numbers.windows(2) {
            if let [one, next] = pair
                && one + 1 != *next
            {
                chain.wrong(one + 1, 1, "a segment is missing");
            }
        }
        for number in &numbers {
            let lines = chain.segment(*number)?;
            // One that a writer made and was killed before it wrote is the newest.
            if lines == 0 && Some(number) != numbers.last() {
                chain.wrong(*number, 0, "the segment is empty");
            }
        }
        if !chain.is_head_reached && chain.found.broken.is_empty() {
            let number = head.map(|head| head.segment).unwrap_or_default();
            let what = "the end does not match the head: lines were removed or changed there";
            chain.wrong(number, 0, what);
        }
        let link = chain.before.unwrap_or(FIRST);
        chain.found.head = String::from_utf8_lossy(&link).into_owned();
        Ok(chain.found)
    }
}

/// A chain up to some line.
struct ChainVerifier<'a> {
    dir: &'a Path,
    head: Option<ChainHead>,
    /// The link of the line before.
    before: Option<ChainDigest>,
    is_head_reached: bool,
    found: ChainVerification,
}

impl ChainVerifier<'_> {
    fn wrong(&mut self, number: u64, line: u64, what: &'static str) {
        let broken = (path(self.dir, number), line, what);
        self.found.broken.push(broken);
    }

    /// Holds the lines of one file against the chain, and returns how many there are.
    fn segment(&mut self, number: u64) -> Result<u64, StoreError> {
        let file = path(self.dir, number);
        let (mut at, mut place) = (0, 0);
        walk(&file, 0, |line| {
            (at, place) = (at + 1, place + line.len() as u64);
            if at == 1 && !line.starts_with(SEGMENT) {
                let what = "the first line of the segment is not its own";
                self.wrong(number, 1, what);
            }
            if let Some(what) = self.step(line) {
                self.wrong(number, at, what);
            }
            let is_head = |head: ChainHead| {
                let link = Some(head.link);
                head.segment == number && head.length == place && link == self.before
            };
            self.is_head_reached |= self.head.is_some_and(is_head);
            ControlFlow::Continue(())
        })?;
        Ok(at)
    }

    /// Holds one line against the link before it, and says what is wrong.
    fn step(&mut self, line: &[u8]) -> Option<&'static str> {
        let whole = line.strip_suffix(b"\n");
        let Some(parts) = whole.and_then(ChainedLine::of) else {
            self.found.torn += u64::from(line != b"\n");
            return None;
        };
        match (parts.is_segment(), parts.is_purged()) {
            (true, _) => {}
            (false, true) => self.found.purged += 1,
            (false, false) => self.found.records += 1,
        }
        // The oldest segment that is left says itself what stood before it.
        let told = || {
            let header: serde_json::Value = serde_json::from_slice(whole?).ok()?;
            header.get("after")?.as_str()?.as_bytes().try_into().ok()
        };
        let known = self
            .before
            .or_else(|| told().filter(|_| parts.is_segment()));
        let expected = known.map(|before| link(&before, &parts.digest()));
        self.before = Some(parts.link);
        let missing = &mut self.found.missing;
        missing.retain(|head| head.as_bytes() != parts.link);
        match expected {
            Some(expected) if expected == parts.link => None,
            Some(_) => Some("this line, or one before it, was changed, removed or added"),
            None => Some("the first line does not say what stood before it"),
        }
    }
}
