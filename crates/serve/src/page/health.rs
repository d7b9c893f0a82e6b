//! The page of counts, as plots.

use anyhook::record::{Counted, Wanted, bars, columns, count};
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, PreEscaped, html};

use super::{Broken, Pages, Place, Shared, layout};

/// Answers with the plots.
pub(super) async fn statistics(State(pages): Shared) -> Response {
    pages.make(statistics_page).await
}

pub(super) fn counted(pages: &Pages) -> Result<Counted, Broken> {
    let counted = count(&pages.record()?, &Wanted::default());
    counted.map_err(|error| Broken::of(anyhook::files::with_causes(&error)))
}

fn statistics_page(pages: &Pages) -> Result<Markup, Broken> {
    let counted = counted(pages)?;
    let body = html! {
        p { (counted.events) " events, " (counted.refused) " refused, " (counted.asked) " asked about (" (counted.yes) " of these then ran), " (counted.faults) " faults of hooks. Days are those of UTC; the dark part of a bar was refused." }
        // The plots escape what they are given.
        div.plots tabindex="0" role="region" aria-label="Plots" { (PreEscaped(columns(&counted.days))) (PreEscaped(bars("Agents", &counted.hosts))) (PreEscaped(bars("Projects", &counted.projects))) }
    };
    Ok(layout("Statistics", Place::Statistics, &body))
}
