//! The newest events, a row each.

use anyhook::core::report::Report;
use anyhook::stores::Filter;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::{Broken, Pages, Place, Shared, layout, shown};

/// So many rows are on a page.
const ROWS: usize = 100;

/// Answers with the newest events.
pub(super) async fn page(State(pages): Shared) -> Response {
    pages.make(timeline).await
}

fn timeline(pages: &Pages) -> Result<Markup, Broken> {
    let record = pages
        .record()
        .ok_or_else(|| Broken::of("there is no home folder, so nothing is recorded: set HOME"))?;
    let found = record.search(&Filter::default(), ROWS);
    let found = found.map_err(|error| Broken::of(anyhook::files::with_causes(&error)))?;
    let body = html! {
        @if found.reports.is_empty() { p { "No event is recorded yet. " code { "anyhook install" } " lets agents ask your hooks." } }
        @else {
            table.events {
                thead { tr { th scope="col" { "Verdict" } th scope="col" { "Event" } th scope="col" { "Attempted" } } }
                tbody id="events" { @for report in found.reports.iter().rev() { (row(report)) } }
            }
        }
    };
    Ok(layout("Events", Place::Events, &body))
}

fn row(report: &Report) -> Markup {
    let said = report.said.as_ref().unwrap_or(&report.result);
    let kind = said.verdict.kind().as_str();
    let attempted = report.action.as_ref().and_then(|action| action.telling());
    html! {
        tr {
            td { span.verdict data-kind=(kind) { (kind) } }
            td { (shown(report.event.name.as_str())) " " (shown(report.event.subject.as_deref().unwrap_or_default())) }
            td { (shown(&attempted.unwrap_or_default())) }
        }
    }
}
