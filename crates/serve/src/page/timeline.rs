//! The timeline: the newest events, a row each, of all sessions and agents.

use anyhook::core::report::Report;
use anyhook::record::{attempted, said, short, time};
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

use super::wanted::Query;
use super::{NavigationItem, PageContext, PageError, PageState, layout, shown};

/// So many rows are on a page.
const ROWS: usize = 100;

/// Answers with the newest events that are wanted.
pub(super) async fn page(State(pages): PageState, RawQuery(query): RawQuery) -> Response {
    let query = Query::of(&query.unwrap_or_default());
    pages.make(move |pages| timeline(pages, &query)).await
}

fn timeline(pages: &PageContext, query: &Query) -> Result<Markup, PageError> {
    let filter = query.filter();
    let filter = filter.map_err(|what| PageError(StatusCode::BAD_REQUEST, what))?;
    let newer = query.page * ROWS;
    // One more than the page has says whether there is another page.
    let found = pages.record()?.search(&filter, newer + ROWS + 1)?;
    let rows = found.reports.iter().rev().skip(newer).take(ROWS);
    let rows: Vec<&Report> = rows.collect();
    let is_more = found.reports.len() > newer + ROWS;
    let body = html! {
        (query.form())
        @if found.skipped > 0 { p.note { (found.skipped) " lines of the record could not be read: " code { "anyhook log verify" } } }
        @if rows.is_empty() { p { "No event is recorded that fits. " code { "anyhook install" } " lets agents ask your hooks, and " code { "anyhook doctor" } " says whether they do." } }
        @else { (table(&rows)) }
        nav.turn aria-label="Older and newer events" {
            @if query.page > 0 { a rel="prev" href=(query.turned(query.page - 1)) { "Newer" } }
            @if is_more { a rel="next" href=(query.turned(query.page + 1)) { "Older" } }
        }
        p.note role="status" id="live" data-live[query.page == 0] {}
        script src="/assets/live.js" defer {}
    };
    Ok(layout("Events", NavigationItem::Events, &body))
}

fn table(rows: &[&Report]) -> Markup {
    html! {
        table.events {
            thead { tr { th scope="col" { "Time" } th scope="col" { "Verdict" } th scope="col" { "Event" } th scope="col" { "Attempted" } th scope="col" { "Said" } } }
            tbody id="events" { @for report in rows { (row(report)) } }
        }
    }
}

fn row(report: &Report) -> Markup {
    let (hook, text) = said(report);
    let heading = &report.event;
    let attempted = short(&attempted(report), 240);
    html! {
        tr {
            td.time { a href={ "/events/" (report.id) } { (time(report.at, "%m-%d %H:%M:%S")) } }
            td { (verdict(report)) }
            td { (shown(&heading.host)) " · " (shown(heading.name.as_str())) " " b { (shown(heading.subject.as_deref().unwrap_or_default())) } }
            td { code { (attempted) } }
            td { @if !hook.is_empty() { b { (short(&hook, 60)) } " " } (short(&text, 240)) }
        }
    }
}

/// Writes what was said of an event: its shape says what its colour says. Of an imported call it is what became of it.
pub(super) fn verdict(report: &Report) -> Markup {
    let word = match report.imported() {
        Some(imported) => imported.outcome.as_str(),
        None => report.answer().verdict.kind().as_str(),
    };
    html! { span.verdict data-kind=(word) { (word) } }
}
