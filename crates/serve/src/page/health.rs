//! The page of counts, as bars.

use std::collections::BTreeMap;

use anyhook::record::{EventCounts, count, short};
use anyhook::stores::Filter;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::{NavigationItem, PageContext, PageError, PageState, layout};

/// Answers with the counts.
pub(super) async fn statistics(State(pages): PageState) -> Response {
    pages.make(statistics_page).await
}

fn statistics_page(pages: &PageContext) -> Result<Markup, PageError> {
    let counted = count(&pages.record()?, &Filter::default())?;
    let body = html! {
        p { (counted.events) " events, " (counted.refused) " refused, " (counted.asked) " asked about (" (counted.yes) " of these then ran), " (counted.faults) " faults of hooks. Days are those of UTC; the dark part of a bar was refused." }
        div.wide tabindex="0" role="region" aria-label="Counts" { (bars("Days", &counted.days)) (bars("Agents", &counted.hosts)) (bars("Projects", &counted.projects)) }
    };
    Ok(layout("Statistics", NavigationItem::Statistics, &body))
}

/// Draws a bar for each name, as long as its events; the dark part of it was refused.
fn bars(title: &str, all: &BTreeMap<String, EventCounts>) -> Markup {
    let most = all.values().map(|tally| tally.events).max();
    let part = |count: u64| count * 100 / most.unwrap_or_default().max(1);
    html! { @if !all.is_empty() {
        h2 { (title) }
        table { tbody { @for (name, tally) in all { tr {
            th scope="row" { (short(name, 46)) }
            td { svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" { rect.all width=(part(tally.events)) height="8" {} rect.no width=(part(tally.refused)) height="8" {} } }
            td { (tally.events) " (" (tally.refused) " refused)" }
        } } } }
    } }
}
