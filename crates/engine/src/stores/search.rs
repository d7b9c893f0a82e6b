//! Looking for records: lines are passed over for what they must hold, and only those that hold it are read.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhook_core::ports::StoreError;
use anyhook_core::report::{ActionRecord, Report, StepOutcome};
use anyhook_core::result::Kind;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jsonl::{Jsonl, ReportPage, name_of, walk, whole};

/// Which records are wanted: those that fit everything that is named.
///
/// ```
/// use anyhook_engine::core::report::Report;
/// use anyhook_engine::stores::{Filter, VerdictFilter};
/// use serde_json::json;
///
/// let report = Report::from_json(json!({
///     "version": 1, "id": "k3f9", "at": 7, "event": {"name": "tool:pre", "host": "codex-cli", "subject": "Bash"},
///     "result": {"verdict": "deny", "reasons": [{"text": "frozen"}]}, "hooks": [], "steps": [],
/// }))?;
/// let denied = Filter { said: Some(VerdictFilter::Denied), host: Some("codex-cli".into()), ..Filter::default() };
/// assert!(denied.takes(&report));
/// assert!(!Filter { since: Some(8), ..denied }.takes(&report));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// The beginning of its id.
    pub id: Option<String>,
    /// Not before this moment, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Before this moment.
    pub until: Option<i64>,
    /// What was said.
    pub said: Option<VerdictFilter>,
    /// Of one session.
    pub session: Option<String>,
    /// A hook that answered, failed or would have answered.
    pub hook: Option<String>,
    /// The agent's id.
    pub host: Option<String>,
    /// The project's folder or one above it, or the name of its folder.
    pub project: Option<String>,
    /// The tool, in any case of letters.
    pub tool: Option<String>,
    /// A part of a path or of another text that the action names.
    pub path: Option<String>,
    /// Texts that stand anywhere in the record.
    pub texts: Vec<String>,
}

/// What was said about an action.
///
/// ```
/// use anyhook_engine::stores::VerdictFilter;
/// assert_ne!(VerdictFilter::Denied, VerdictFilter::WouldDeny);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictFilter {
    /// It was refused.
    Denied,
    /// A hook asked about it.
    Asked,
    /// A hook in shadow mode would have refused it.
    WouldDeny,
}

impl Filter {
    /// Tells whether a record is wanted, but for the texts that stand anywhere in it.
    pub fn takes(&self, report: &Report) -> bool {
        let (event, action) = (&report.event, report.action.as_deref());
        let project = action.and_then(|action| action.project.as_deref());
        let told = |path: &String| action.is_some_and(|action| tells(action, path));
        fits(self.id.as_deref(), Some(&report.id), |id, want| {
            id.starts_with(want)
        }) && fits(self.session.as_deref(), event.session.as_deref(), is_same)
            && fits(self.host.as_deref(), Some(&event.host), is_same)
            && fits(
                self.tool.as_deref(),
                event.subject.as_deref(),
                str::eq_ignore_ascii_case,
            )
            && fits(self.project.as_deref(), project, is_in)
            && self.since.is_none_or(|since| report.at >= Some(since))
            && (self.until).is_none_or(|until| report.at.is_some_and(|at| at < until))
            && self.said.is_none_or(|said| said.is_of(report))
            && (self.hook.as_ref()).is_none_or(|hook| has_spoken(report, hook))
            && self.path.as_ref().is_none_or(told)
    }

    /// Returns the texts that a line must hold to be worth reading, as JSON writes them.
    fn needles(&self) -> Vec<String> {
        let Self {
            id,
            session,
            host,
            hook,
            project,
            path,
            ..
        } = self;
        let named = [id, session, host, hook, project, path];
        let texts = named.into_iter().flatten().chain(&self.texts);
        let quoted = texts.map(|text| Value::from(&**text).to_string());
        quoted
            .map(|text| text.trim_matches('"').to_owned())
            .collect()
    }
}

impl VerdictFilter {
    fn is_of(self, report: &Report) -> bool {
        match self {
            Self::Denied => report.answer().verdict.kind() >= Kind::Deny,
            Self::Asked => report.result.verdict.kind() == Kind::Ask,
            Self::WouldDeny => report.steps.iter().any(|step| {
                matches!(&step.became, StepOutcome::Would(would) if would.verdict.kind() >= Kind::Deny)
            }),
        }
    }
}

fn has_spoken(report: &Report, hook: &str) -> bool {
    let mut spoke = report.steps.iter().filter(|step| {
        matches!(
            step.became,
            StepOutcome::Said(Some(_)) | StepOutcome::Would(_) | StepOutcome::Failed { .. }
        )
    });
    spoke.any(|step| report.hook(step.hook).is_some_and(|is| &*is.name == hook))
}

/// Tells whether a text is what is wanted of it, if anything is.
fn fits(want: Option<&str>, is: Option<&str>, test: fn(&str, &str) -> bool) -> bool {
    want.is_none_or(|want| is.is_some_and(|is| test(is, want)))
}

fn is_same(is: &str, want: &str) -> bool {
    is == want
}

/// Tells whether the data of an action names a path.
fn tells(action: &ActionRecord, path: &str) -> bool {
    let mut told = action.data.iter();
    told.any(|(name, value)| !matches!(&**name, "cwd" | "transcript_path") && names(value, path))
}

/// Tells whether a project is this folder or below it, or is called so.
fn is_in(project: &str, want: &str) -> bool {
    let project = Path::new(project);
    project.starts_with(want) || project.file_name().is_some_and(|name| name == want)
}

/// Tells whether a text is anywhere in a value.
fn names(value: &Value, text: &str) -> bool {
    match value {
        Value::String(is) => is.contains(text),
        Value::Array(list) => list.iter().any(|value| names(value, text)),
        Value::Object(fields) => fields.values().any(|value| names(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A place in a record, behind what was read.
///
/// ```
/// use anyhook_engine::stores::{Filter, Jsonl, RecordDetail};
///
/// let home = tempfile::tempdir()?;
/// let store = Jsonl::new(home.path(), RecordDetail::Payload);
/// let mut place = store.end();
/// assert_eq!(store.news(&mut place, &Filter::default(), 9)?.reports, []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCursor {
    segment: Option<PathBuf>,
    offset: u64,
    /// The name of the last line of ours before it, by which the place is found again after a purge made lines shorter.
    #[serde(default)]
    after: Option<String>,
}

impl Jsonl {
    /// Finds the newest records that are wanted, the newest last. The newest file is mostly enough; of the others several are
    /// read at a time.
    pub fn search(&self, filter: &Filter, last: usize) -> Result<ReportPage, StoreError> {
        let needles = filter.needles();
        let mut page = ReportPage::default();
        for segment in self.segments().iter().rev() {
            let bytes = whole(segment)?;
            for line in bytes.rsplit(|byte| *byte == b'\n') {
                if page.reports.len() >= last {
                    break;
                }
                page.take(line, filter, &needles);
            }
        }
        page.reports.reverse();
        Ok(page)
    }

    /// Returns the place behind the last record.
    pub fn end(&self) -> RecordCursor {
        let segment = self.segments().pop();
        let meta = segment
            .as_ref()
            .and_then(|path| std::fs::metadata(path).ok());
        RecordCursor {
            segment,
            offset: meta.map_or(0, |meta| meta.len()),
            after: None,
        }
    }

    /// Returns at most so many of the wanted records behind a place, and moves it behind them.
    pub fn news(
        &self,
        place: &mut RecordCursor,
        filter: &Filter,
        most: usize,
    ) -> Result<ReportPage, StoreError> {
        let needles = filter.needles();
        let mut page = ReportPage::default();
        let segments = self.segments();
        let at = segments
            .iter()
            .position(|path| Some(path) == place.segment.as_ref());
        for path in segments.iter().skip(at.unwrap_or_default()) {
            if Some(path) != place.segment.as_ref() {
                *place = RecordCursor {
                    segment: Some(path.clone()),
                    ..RecordCursor::default()
                };
            }
            walk(path, place.offset, |line| {
                // What has no end yet is read the next time.
                let Some(whole) = line
                    .strip_suffix(b"\n")
                    .filter(|_| page.reports.len() < most)
                else {
                    return ControlFlow::Break(());
                };
                place.offset += line.len() as u64;
                place.after = name_of(whole).or(place.after.take());
                page.take(whole, filter, &needles);
                ControlFlow::Continue(())
            })?;
            if page.reports.len() >= most {
                break;
            }
        }
        Ok(page)
    }

    /// Finds a place again that was kept: behind the same line, also where its record was purged, or at the beginning of its file
    /// where that line is gone. What is read again is better than what is passed over. Nothing where its file is gone, so that
    /// records may be lost.
    pub fn refound(&self, place: RecordCursor) -> Result<Option<RecordCursor>, StoreError> {
        if let Some(segment) = &place.segment
            && !segment.exists()
        {
            return Ok(None);
        }
        let (Some(path), Some(after)) = (&place.segment, &place.after) else {
            return Ok(Some(place));
        };
        let (mut offset, mut found) = (0, 0);
        walk(path, 0, |line| {
            offset += line.len() as u64;
            let whole = line.strip_suffix(b"\n").unwrap_or(line);
            if name_of(whole).as_ref() == Some(after) {
                found = offset;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        let after = (found > 0).then(|| after.clone());
        Ok(Some(RecordCursor {
            segment: place.segment,
            offset: found,
            after,
        }))
    }

    /// Shows every line that is a record, the oldest first.
    pub fn lines(&self, visit: &mut dyn FnMut(&[u8])) -> Result<(), StoreError> {
        self.segments().iter().try_for_each(|path| {
            walk(path, 0, |line| {
                if line.starts_with(b"{\"version\":") {
                    visit(line);
                }
                ControlFlow::Continue(())
            })
        })
    }
}

impl ReportPage {
    fn take(&mut self, line: &[u8], filter: &Filter, needles: &[String]) {
        let holds = |needle: &String| memmem::find(line, needle.as_bytes()).is_some();
        if line.is_empty() || !Self::may_be_record(line) || !needles.iter().all(holds) {
            return;
        }
        match serde_json::from_slice::<Report>(line) {
            Ok(report) if filter.takes(&report) => self.reports.push(report),
            Ok(_) => {}
            Err(_) => self.skipped += 1,
        }
    }
}
