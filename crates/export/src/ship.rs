//! Shipping to a receiver: batch by batch, and how far it came is kept after each, so that every record arrives at least once.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhook::files::{self, Durability, FileError};
use anyhook::stores::{Filter, Jsonl, RecordCursor};
use anyhook::text::plain;
use serde_json::Value;
use ureq::Agent;

use crate::{ExportError, ExportSummary, TOGETHER, otlp};

/// So often a receiver is asked that says that it cannot now.
const TRIES: u32 = 3;
/// The longest wait that a receiver may ask for.
const LONGEST_WAIT: u64 = 10;
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A receiver of logs and spans, and where it is kept how far everything was sent to it.
#[derive(Debug)]
pub struct Exporter<'s> {
    to: &'s str,
    authorization: Option<&'s str>,
    agent: Agent,
    place: PathBuf,
}

/// Why a request was not taken.
struct RequestRejection {
    why: String,
    /// In so many seconds it may be; nothing where it never will be.
    wait: Option<u64>,
}

impl<'s> Exporter<'s> {
    /// Names a receiver, what it wants to see in the header `Authorization`, and the folder for how far it came.
    pub fn to(to: &'s str, authorization: Option<&'s str>, state: &Path) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        let name: String = files::name_of(&[to.as_bytes()]).chars().take(16).collect();
        Self {
            to,
            authorization,
            agent: config.into(),
            place: state.join(format!("otlp-{name}.json")),
        }
    }

    /// Sends what was not sent yet, each record at least once.
    pub fn ship(&self, store: &Jsonl, filter: &Filter) -> Result<ExportSummary, ExportError> {
        self.place.parent().map_or(Ok(()), files::private_dir)?;
        let Some(_lock) = files::lock_if_free(&self.place.with_extension("lock"))? else {
            return Ok(ExportSummary {
                busy: true,
                ..ExportSummary::default()
            });
        };
        let place = store.refound(self.kept()?)?;
        let mut done = ExportSummary {
            lost: place.is_none(),
            ..ExportSummary::default()
        };
        let mut at = place.unwrap_or_default();
        loop {
            // Read before the records: what it proves is in the record when they are read.
            let head = store.head_link()?;
            let page = store.news(&mut at, filter, TOGETHER)?;
            done.skipped += page.skipped;
            if page.reports.is_empty() {
                self.keep(&at)?;
                return Ok(done);
            }
            let reports = page.reports.into_iter().map(|report| store.as_sent(report));
            let reports = reports.collect::<Result<Vec<_>, _>>()?;
            let bodies = otlp::bodies(&reports, head.as_deref());
            for (path, body) in ["/v1/logs", "/v1/traces"].into_iter().zip(&bodies) {
                let rejected = self.send(path, body).map_err(|why| ExportError::Receiver {
                    to: self.to.to_owned(),
                    why,
                    sent: done.records,
                })?;
                done.rejected += rejected;
            }
            done.records += reports.len() as u64;
            self.keep(&at)?;
        }
    }

    /// Returns the place behind what was sent. One that cannot be read is none: everything is sent again.
    fn kept(&self) -> Result<RecordCursor, FileError> {
        let bytes = files::read(&self.place, 1 << 16)?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn keep(&self, place: &RecordCursor) -> Result<(), ExportError> {
        // A place is two texts and a number.
        let bytes = serde_json::to_vec(place).unwrap_or_default();
        Ok(files::replace(&self.place, &bytes, Durability::Yes)?)
    }

    /// Sends one body until it is taken, and returns how many of its records were rejected.
    fn send(&self, path: &str, body: &Value) -> Result<u64, String> {
        let body = body.to_string();
        let mut tries = 0;
        loop {
            tries += 1;
            let refused = match self.post(path, &body) {
                Ok(rejected) => return Ok(rejected),
                Err(refused) => refused,
            };
            let wait = refused.wait.filter(|_| tries < TRIES);
            let wait = wait.ok_or(refused.why)?.min(LONGEST_WAIT);
            thread::sleep(Duration::from_secs(wait));
        }
    }

    /// Sends it once, and returns how many of its records were rejected.
    fn post(&self, path: &str, body: &str) -> Result<u64, RequestRejection> {
        let address = format!("{}{path}", self.to.trim_end_matches('/'));
        let request = self.agent.post(&address);
        let request = match self.authorization {
            Some(text) => request.header("Authorization", text),
            None => request,
        };
        let answer = request.content_type("application/json").send(body);
        let mut answer = answer.map_err(|error| RequestRejection {
            why: error.to_string(),
            wait: Some(1),
        })?;
        let status = answer.status().as_u16();
        let wait = answer.headers().get("retry-after");
        let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
        let body = answer.body_mut().with_config().limit(1 << 16);
        let text = body.read_to_string().unwrap_or_default();
        let (why, wait) = match status {
            200..=299 => return Ok(rejected(&text)),
            429 | 502 | 503 | 504 => (format!("status {status}"), wait.or(Some(1))),
            _ => (format!("status {status}: {}", plain(&text)), None),
        };
        Err(RequestRejection { why, wait })
    }
}

/// Returns how many of the records of a request were rejected for good.
fn rejected(answer: &str) -> u64 {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let partial = answer.get("partialSuccess");
    let names = ["rejectedLogRecords", "rejectedSpans"];
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    names
        .into_iter()
        .find_map(|name| partial?.get(name).and_then(number))
        .unwrap_or_default()
}
