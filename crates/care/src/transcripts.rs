//! The transcripts that agents keep: the calls in them, their results, and which of them passed a hook.
//!
//! The formats carry no promise. A line that is no JSON is counted and located; what a format does not know is passed over.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_care::transcripts::{ImportSummary, CallCoverage, bring, coverage};
//! use anyhook_engine::stores::{Jsonl, RecordDetail};
//!
//! let home = tempfile::tempdir()?;
//! let folder = home.path().join(".claude/projects/shop");
//! fs::create_dir_all(&folder)?;
//! fs::write(folder.join("s.jsonl"), r#"{"sessionId": "s", "cwd": "/shop", "timestamp": "2026-11-22T20:08:17Z",
//!     "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}}"#
//!     .replace('\n', " ") + "\nno JSON\n")?;
//! let store = Jsonl::new(home.path().join("reports"), RecordDetail::Payload);
//!
//! // No hook was asked about the call: this is the hole that is looked for.
//! let CallCoverage { calls, passed, missed, .. } = coverage(home.path(), &store, None)?;
//! assert_eq!((calls, passed, missed[0].tool.as_str()), (1, 0, "Bash"));
//!
//! // It becomes a record, once.
//! let ImportSummary { added, known, bad, .. } = bring(home.path(), &store, &[], &mut |_, _| {})?;
//! assert_eq!((added, known, bad[0].1), (1, 0, 2));
//! assert_eq!(bring(home.path(), &store, &[], &mut |_, _| {})?.added, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod formats;
mod known;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_core::ports::StoreError;
use anyhook_core::report::{ActionRecord, Heading, Outcome, Report, TranscriptEntry};
use anyhook_engine::files;
use anyhook_engine::stores::Jsonl;
use serde::Serialize;
use serde_json::Value;

use formats::{FORMATS, TranscriptFormat, begin};
use known::RecordedCalls;

/// A longer line is no line of a transcript; what follows it is read.
const LONGEST: u64 = 64 << 20;
/// So many records are added with one write.
const TOGETHER: usize = 256;

/// One call of a tool, as a transcript tells it.
#[derive(Debug, Clone, Default)]
struct TranscriptCall {
    id: String,
    tool: String,
    input: Value,
    cwd: Option<String>,
    version: Option<String>,
    mode: Option<String>,
    /// The subagent that called, where it was one.
    agent: Option<String>,
    at: Option<i64>,
    line: u64,
    /// Nothing where it is not known.
    outcome: Option<Outcome>,
    result: Option<String>,
    /// Who let it pass or refused it.
    approval: Option<String>,
}

/// What one transcript says.
#[derive(Debug, Default)]
struct TranscriptSession {
    id: String,
    /// What is known of the next call before it is told.
    next: TranscriptCall,
    calls: Vec<TranscriptCall>,
    /// The places of calls by their ids.
    places: BTreeMap<String, usize>,
    bad: Vec<u64>,
}

impl TranscriptSession {
    /// Notes a call; one that is told again is the same.
    fn call(&mut self, id: &str, tool: &str, input: Value) {
        if id.is_empty() || self.places.contains_key(id) {
            return;
        }
        self.places.insert(id.to_owned(), self.calls.len());
        self.calls.push(TranscriptCall {
            id: id.to_owned(),
            tool: tool.to_owned(),
            input,
            ..self.next.clone()
        });
    }

    /// Finds a call by its id.
    fn known(&mut self, id: &str) -> Option<&mut TranscriptCall> {
        self.places.get(id).and_then(|at| self.calls.get_mut(*at))
    }

    /// Notes what became of a call.
    fn result(
        &mut self,
        id: &str,
        outcome: Outcome,
        result: Option<String>,
    ) -> Option<&mut TranscriptCall> {
        let call = self.known(id)?;
        call.outcome = Some(outcome);
        call.result = result;
        Some(call)
    }
}

/// Finds the transcripts below a home, each with its format, in the order of their names.
fn found(home: &Path, hosts: &[String]) -> Vec<(&'static TranscriptFormat, PathBuf)> {
    let wanted = |format: &&TranscriptFormat| {
        hosts.is_empty() || hosts.iter().any(|host| host == format.host)
    };
    let mut all = Vec::new();
    for format in FORMATS.iter().filter(wanted) {
        let mut files = Vec::new();
        walk(&home.join(format.folder), 6, &mut files);
        files.retain(|file| format.is_one(file));
        files.sort();
        all.extend(files.into_iter().map(|file| (format, file)));
    }
    all
}

/// Adds the files below a folder. Links are not followed: a transcript is where the agent wrote it.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => walk(&entry.path(), depth - 1, files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            Ok(_) | Err(_) => {}
        }
    }
}

/// Reads one transcript, and before it what the agent keeps beside it.
fn read(format: &TranscriptFormat, path: &Path) -> Result<TranscriptSession, StoreError> {
    let failed = |source| StoreError {
        what: format!("cannot read the transcript `{}`", path.display()),
        source: Some(source),
    };
    let mut session = TranscriptSession::default();
    if format.is_nameless {
        begin(&mut session, path);
    }
    read_lines(&mut session, format, path).map_err(failed)?;
    Ok(session)
}

/// Reads a file with an object on each line.
fn read_lines(
    session: &mut TranscriptSession,
    format: &TranscriptFormat,
    path: &Path,
) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = Read::take(&mut lines, LONGEST).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        session.next.line += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(value) if value.is_object() => format.read(session, &value),
            Ok(_) | Err(_) => session.bad.push(session.next.line),
        }
    }
}

/// Makes the event of a call, in the words that the host's own hooks use, so that it is the event that a hook would get.
fn event(
    format: &TranscriptFormat,
    session: &TranscriptSession,
    call: &TranscriptCall,
) -> Option<Event> {
    let host = anyhook_wires::host(format.host)?;
    let payload = (format.payload)(format, session, call).to_string();
    let mut event = host
        .read_event(payload.as_bytes(), Some(format.gate))
        .ok()?;
    let fields = [
        ("tool_use_id", Some(&call.id)),
        ("permission_mode", call.mode.as_ref()),
        ("agent_id", call.agent.as_ref()),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?.as_str()))));
    event.data.fill(&fields.collect());
    Some(event)
}

/// Makes the record of a call.
fn report(
    format: &TranscriptFormat,
    path: &Path,
    session: &TranscriptSession,
    call: &TranscriptCall,
) -> Option<Report> {
    let event = event(format, session, call)?;
    let names: [&[u8]; 3] = [
        format.host.as_bytes(),
        session.id.as_bytes(),
        call.id.as_bytes(),
    ];
    let mut id = files::name_of(&names);
    id.truncate(12);
    Some(Report {
        id: id.into(),
        at: call.at,
        action: Some(Box::new(ActionRecord {
            project: call.cwd.as_deref().map(Into::into),
            agent_version: call.version.as_deref().map(Into::into),
            approval: call
                .approval
                .as_deref()
                .map(Into::into)
                .into_iter()
                .collect(),
            data: event.data.json().into_owned(),
            imported: Some(TranscriptEntry {
                file: path.to_string_lossy().into(),
                line: call.line,
                outcome: call.outcome.unwrap_or(Outcome::Unknown),
                result: call.result.as_deref().map(Into::into),
            }),
            ..ActionRecord::default()
        })),
        ..Report::about(Heading {
            session: Some(session.id.as_str().into()),
            ..Heading::from(&event)
        })
    })
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportSummary {
    /// How many transcripts were read.
    pub files: usize,
    /// How many calls became records.
    pub added: u64,
    /// How many calls were records already: a hook was asked about them, or they were imported before.
    pub known: u64,
    /// The lines that could not be read: the file, and the line from 1.
    pub bad: Vec<(PathBuf, u64)>,
    /// The calls that could not be understood: the file, and the line from 1.
    pub strange: Vec<(PathBuf, u64)>,
    /// The transcripts that could not be read, and why.
    pub unreadable: Vec<String>,
}

/// The agents whose transcripts are read.
///
/// ```
/// assert!(anyhook_care::transcripts::hosts().any(|host| host == "claude-code"));
/// ```
pub fn hosts() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.host)
}

/// Makes records of the calls below a home that are none yet; of all agents, or of those named. `progress` hears how many
/// bytes of how many are done.
pub fn bring(
    home: &Path,
    store: &Jsonl,
    hosts: &[String],
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ImportSummary, StoreError> {
    let mut known = RecordedCalls::of(store, true)?;
    let all = found(home, hosts);
    let length = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    let total = all.iter().map(|(_, path)| length(path)).sum();
    let mut done = 0;
    let mut came = ImportSummary {
        files: all.len(),
        ..ImportSummary::default()
    };
    let mut waiting = Vec::new();
    for (format, path) in all {
        done += length(&path);
        let session = match read(format, &path) {
            Ok(session) => session,
            Err(error) => {
                came.unreadable.push(files::with_causes(&error));
                continue;
            }
        };
        came.bad
            .extend(session.bad.iter().map(|line| (path.clone(), *line)));
        for call in &session.calls {
            let Some(report) = report(format, &path, &session, call) else {
                came.strange.push((path.clone(), call.line));
                continue;
            };
            if known.take(&report, store)? {
                came.known += 1;
            } else {
                came.added += 1;
                waiting.push(report);
            }
        }
        if waiting.len() >= TOGETHER {
            store.append_all(&std::mem::take(&mut waiting))?;
        }
        progress(done, total);
    }
    if !waiting.is_empty() {
        store.append_all(&waiting)?;
    }
    Ok(came)
}

/// Calls of one kind about which no hook was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissedCalls {
    /// The agent.
    pub host: String,
    /// Its version, where it tells.
    pub version: String,
    /// Its mode of permissions, where it tells.
    pub mode: String,
    /// The subagent, where it was one.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// What became of them.
    pub outcome: Outcome,
    /// How many.
    pub count: u64,
    /// One of them: what was attempted, the file and the line.
    pub example: (String, PathBuf, u64),
}

/// How many of the calls that agents made passed a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallCoverage {
    /// How many transcripts were read.
    pub files: usize,
    /// How many calls they tell of.
    pub calls: u64,
    /// About how many of these a hook was asked.
    pub passed: u64,
    /// The others, the most frequent first.
    pub missed: Vec<MissedCalls>,
    /// How many lines could not be read.
    #[serde(rename = "unreadable_lines")]
    pub bad: u64,
}

/// Compares the transcripts below a home with the record.
pub fn coverage(
    home: &Path,
    store: &Jsonl,
    since: Option<i64>,
) -> Result<CallCoverage, StoreError> {
    let mut known = RecordedCalls::of(store, false)?;
    let mut came = CallCoverage::default();
    let mut groups: BTreeMap<String, MissedCalls> = BTreeMap::new();
    for (format, path) in found(home, &[]) {
        // One that cannot be read tells of no call; it counts as a line that cannot be read.
        let Ok(session) = read(format, &path) else {
            came.bad += 1;
            continue;
        };
        came.files += 1;
        came.bad += session.bad.len() as u64;
        let is_recent =
            |call: &&TranscriptCall| since.is_none_or(|since| call.at.is_none_or(|at| at >= since));
        for call in session.calls.iter().filter(is_recent) {
            came.calls += 1;
            let report = report(format, &path, &session, call);
            if let Some(report) = &report
                && known.take(report, store)?
            {
                came.passed += 1;
                continue;
            }
            let missed = missed(format, &path, call, report.as_ref());
            let key = (&missed.host, &missed.version, &missed.mode, &missed.agent);
            let key = format!("{key:?} {} {}", missed.tool, missed.outcome.as_str());
            groups.entry(key).or_insert(missed).count += 1;
        }
    }
    came.missed = groups.into_values().collect();
    came.missed
        .sort_by_key(|missed| std::cmp::Reverse(missed.count));
    Ok(came)
}

fn missed(
    format: &TranscriptFormat,
    path: &Path,
    call: &TranscriptCall,
    report: Option<&Report>,
) -> MissedCalls {
    let action = report.and_then(|report| report.action.as_deref());
    let attempted = action
        .and_then(ActionRecord::telling)
        .unwrap_or_else(|| call.input.to_string());
    let safe = anyhook_core::redact::text(&attempted).into_owned();
    MissedCalls {
        host: format.host.to_owned(),
        version: call.version.clone().unwrap_or_default(),
        mode: call.mode.clone().unwrap_or_default(),
        agent: call.agent.clone().unwrap_or_default(),
        tool: call.tool.clone(),
        outcome: call.outcome.unwrap_or(Outcome::Unknown),
        count: 0,
        example: (safe, path.to_owned(), call.line),
    }
}
