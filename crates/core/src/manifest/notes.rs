//! The findings of the reader, each with its place.

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::{Range as Span, Ranged};

use super::fields::Complaint;
use super::place::{LineIndex, Place};
use super::say::quote;
use super::{Code, Finding, Severity};

/// The findings so far, and the lines to place them in.
///
/// ```
/// use anyhook_core::manifest::{Code, LineIndex, FindingCollector};
/// use jsonc_parser::common::Range;
///
/// let mut notes = FindingCollector::new(LineIndex::new(0, "[]"));
/// notes.warn(&Range::new(0, 2), "a list", None).code(Code::NoEffect);
/// assert_eq!((notes.findings[0].at.line, notes.findings.len()), (1, 1));
/// ```
#[derive(Debug)]
pub struct FindingCollector {
    pub(super) lines: LineIndex,
    /// What was found, in the order of reading.
    pub findings: Vec<Finding>,
}

impl FindingCollector {
    /// Begins with a text in which nothing was found.
    pub fn new(lines: LineIndex) -> Self {
        Self {
            lines,
            findings: Vec::new(),
        }
    }

    /// Whether so much is wrong already that advice would not be read: looking for a near word costs the most of all.
    pub(super) fn is_crowded(&self) -> bool {
        self.findings.len() >= 200
    }

    /// Adds an error.
    pub fn error(
        &mut self,
        at: &impl Ranged,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> &mut Self {
        self.push(Severity::Error, at, message, help)
    }

    /// Adds a warning.
    pub fn warn(
        &mut self,
        at: &impl Ranged,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> &mut Self {
        self.push(Severity::Warning, at, message, help)
    }

    /// Adds why a value cannot be read.
    pub(super) fn complain(&mut self, at: &impl Ranged, why: Complaint) {
        self.findings.push(self.finding(at, why));
    }

    /// What is wrong with a value, as a finding.
    pub(super) fn finding(&self, at: &impl Ranged, why: Complaint) -> Finding {
        Finding {
            code: why.code,
            severity: Severity::Error,
            message: why.message,
            help: why.help,
            at: self.place(at),
        }
    }

    fn push(
        &mut self,
        severity: Severity,
        at: &impl Ranged,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> &mut Self {
        let mut finding = self.finding(at, Complaint::new(message));
        (finding.severity, finding.help) = (severity, help.map(Into::into));
        self.findings.push(finding);
        self
    }

    /// Says what kind of mistake the latest finding is about.
    pub fn code(&mut self, code: Code) {
        if let Some(latest) = self.findings.last_mut() {
            latest.code = code;
        }
    }

    /// Returns where something stands.
    pub fn place(&self, node: &impl Ranged) -> Place {
        self.lines.place(node.start()..node.end())
    }

    /// The first error that was found since there were `count` findings.
    pub(super) fn first_error_since(&self, count: usize) -> Option<String> {
        let mut since = self.findings.iter().skip(count);
        let error = since.find(|finding| finding.severity == Severity::Error)?;
        Some(error.message.clone())
    }
}

/// Reports the second and each later of several lists of one name, all of which were read.
pub(super) fn both_count(lists: &[&ObjectProp<'_>], notes: &mut FindingCollector) {
    for again in lists.iter().skip(1) {
        let message = format!(
            "{} is there twice, and both count",
            quote(again.name.as_str())
        );
        notes.error(&again.name, message, Some("put both into one"));
    }
}

/// The opening bracket of an object: the place for what is missing in it.
pub(super) fn opening(object: &Object<'_>) -> Span {
    Span::new(object.start(), object.start() + 1)
}
