//! Purging: records are taken out of the files, and leave the digest that the chain needs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::ports::StoreError;
use anyhook_core::report::{ActionRecord, Heading, Report};
use serde_json::json;

use super::chain::{ChainHead, ChainedLine};
use super::{Filter, Jsonl, PATIENCE, RecordTail, failed, once, refused, segments};
use crate::files::{self, Durability};

/// How long one waits for another process that purges.
const TURN: Duration = Duration::from_secs(10);

impl Jsonl {
    /// Takes records out, and where there were any adds one that says so, which has this id and time. The others stay provable.
    pub fn purge(&self, which: &Filter, now: i64, id: Box<str>) -> Result<u64, StoreError> {
        if *which == Filter::default() || self.segments().is_empty() {
            return Ok(0);
        }
        let _turn = files::lock(&self.dir.join("purge.lock"), TURN).map_err(refused)?;
        // From here on nothing is added to the files that are written again.
        self.begin_segment(now)?;
        let mut closed = self.segments();
        closed.pop();
        let mut purged = 0;
        for path in closed {
            purged += purge_file(&path, which)?;
        }
        if purged > 0 {
            self.append(&told(which, purged, now, id))?;
        }
        Ok(purged)
    }

    fn begin_segment(&self, at: i64) -> Result<(), StoreError> {
        let lock = files::lock(&self.dir.join("head"), PATIENCE).map_err(refused)?;
        let end = RecordTail::find(&self.dir, ChainHead::read(lock.file()), at)?;
        let mut end = end.next(&self.dir, at)?;
        let line = end.opening(at);
        let path = segments::path(&self.dir, end.head.segment);
        once(&mut end.file, &line).map_err(failed("append to", &path))?;
        end.head.length = line.len() as u64;
        end.head
            .write(lock.file())
            .map_err(failed("write the head of", &path))
    }
}

/// Writes a file again without the records that go. Lines that are no records go with them: what they hold is unknown.
fn purge_file(path: &Path, which: &Filter) -> Result<u64, StoreError> {
    let bytes = fs::read(path).map_err(failed("read", path))?;
    let mut left = Vec::with_capacity(bytes.len());
    let mut purged = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some(parts) = ChainedLine::of(line) else {
            continue;
        };
        let is_record = !parts.is_segment() && !parts.is_purged();
        let report = || serde_json::from_slice::<Report>(line).ok();
        if is_record && report().is_some_and(|report| which.takes(&report)) {
            left.extend(parts.purged());
            purged += 1;
        } else {
            left.extend(line);
            left.push(b'\n');
        }
    }
    if purged > 0 {
        files::replace(path, &left, Durability::Yes).map_err(refused)?;
    }
    Ok(purged)
}

fn told(which: &Filter, purged: u64, now: i64, id: Box<str>) -> Report {
    let Filter {
        session,
        project,
        until,
        ..
    } = which;
    let event = Event::new("record:purged", json!({}));
    let data = json!({"purged": purged, "session": session, "project": project, "before": until});
    Report {
        id,
        at: Some(now),
        remarks: vec![format!("{purged} records were purged").into()],
        action: Some(Box::new(ActionRecord {
            data: data.as_object().cloned().unwrap_or_default(),
            ..ActionRecord::default()
        })),
        ..Report::about(Heading::from(&event))
    }
}
