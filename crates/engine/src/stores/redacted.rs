//! A report without secrets and personal data: what every store keeps (D24).
// no row: what every store hides.

use anyhook_core::ports::StoreError;
use anyhook_core::redact::Redactor;
use anyhook_core::report::Report;

/// What says which report, session and hook it is: readers look for these, and they are nobody's secret.
const IDS: [&str; 4] = ["id", "event.session", "hooks.*.name", "hooks.*.source.file"];

/// Copies a report; what the rules of [`anyhook_core::redact`] find is hidden in it, and everything else stays.
///
/// ```
/// use anyhook_engine::core::report::Report;
/// use anyhook_engine::stores::redacted;
/// use serde_json::json;
///
/// let report = |reason: &str| {
///     Report::from_json(json!({
///         "version": 1, "id": "k3f9", "event": {"name": "tool:pre"}, "hooks": [], "steps": [],
///         "result": {"verdict": "deny", "reasons": [{"text": reason}]},
///     }))
/// };
/// let safe = redacted(&report("jane@example.org may not deploy")?)?;
/// assert_eq!(safe, report("[REDACTED:PII:email] may not deploy")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn redacted(report: &Report) -> Result<Report, StoreError> {
    let failed = |source: serde_json::Error| StoreError {
        what: format!("cannot hide what is secret in the report `{}`", report.id),
        source: Some(source.into()),
    };
    let mut value = serde_json::to_value(report).map_err(failed)?;
    let found = Redactor::default().allowing(IDS).value(&mut value);
    if found.is_empty() {
        return Ok(report.clone());
    }
    serde_json::from_value(value).map_err(failed)
}
