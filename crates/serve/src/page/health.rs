//! What was counted: the hooks with their health, the agents with the calls that passed no hook, and plots.

use anyhook::record::{Counted, OfHook, Wanted, bars, columns, count, moment};
use anyhook::transcripts::coverage;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, PreEscaped, html};

use super::wanted::only;
use super::{Broken, Pages, Place, Shared, layout, shown};

/// Transcripts are compared so far back: older calls may be from before Anyhook was installed.
const BACK: &str = "30d";

/// Answers with the hooks.
pub(super) async fn hooks(State(pages): Shared) -> Response {
    pages
        .make(|pages| Ok(layout("Hooks", Place::Hooks, &table(&counted(pages)?))))
        .await
}

/// Answers with the agents.
pub(super) async fn agents(State(pages): Shared) -> Response {
    pages.make(agents_page).await
}

/// Answers with the plots.
pub(super) async fn statistics(State(pages): Shared) -> Response {
    pages.make(statistics_page).await
}

fn counted(pages: &Pages) -> Result<Counted, Broken> {
    let counted = count(&pages.record()?, &Wanted::default());
    counted.map_err(|error| Broken::of(anyhook::files::with_causes(&error)))
}

fn table(counted: &Counted) -> Markup {
    let mut all: Vec<(&String, &OfHook)> = counted.hooks.iter().collect();
    all.sort_by_key(|(_, hook)| std::cmp::Reverse((hook.faults, hook.refused, hook.answered)));
    html! {
        p { "Every hook of the record. A hook that failed often, or never fired, is worth a look." }
        div.wide tabindex="0" role="region" aria-label="Hooks" { table.numbers {
            thead { tr { @for head in ["Hook", "Asked", "Refused", "Questions", "Would refuse", "Faults", "p50 ms", "p95 ms"] { th scope="col" { (head) } } } }
            tbody { @for (name, hook) in all { tr {
                td { a href=(only("hook", name)) { (shown(name)) } }
                @if hook.is_idle() { td colspan="7" { "never fired" } } @else {
                    @for number in [hook.looked, hook.refused, hook.asked, hook.would] { td { (number) } }
                    td data-kind=[(hook.faults > 0).then_some("deny")] { (hook.faults) }
                    @for us in hook.percentiles().iter().take(2) { td { (format!("{:.1}", f64::from(*us) / 1000.0)) } }
                }
            } } }
        } }
    }
}

fn agents_page(pages: &Pages) -> Result<Markup, Broken> {
    let counted = counted(pages)?;
    let home = pages
        .world
        .places
        .as_ref()
        .map(|places| places.home.clone());
    let missed = home.map(|home| {
        coverage(&home, &pages.record()?, moment(BACK))
            .map_err(|error| Broken::of(anyhook::files::with_causes(&error)))
    });
    let missed = missed.transpose()?;
    let body = html! {
        table.numbers {
            thead { tr { th scope="col" { "Agent" } th scope="col" { "Events" } th scope="col" { "Refused" } } }
            tbody { @for (name, tally) in &counted.hosts { tr { td { a href=(only("host", name)) { (shown(name)) } } td { (tally.events) } td { (tally.refused) } } } }
        }
        p { "Whether an installed agent asks these hooks and hears a refusal: " code { "anyhook doctor" } ", " code { "anyhook verify" } "." }
        h2 { "Calls that passed no hook" }
        @if let Some(found) = missed {
            p { (found.passed) " of " (found.calls) " calls in the transcripts of the last 30 days passed a hook." }
            @if !found.missed.is_empty() { table {
                thead { tr { @for head in ["Calls", "Agent", "Tool", "Outcome", "For example"] { th scope="col" { (head) } } } }
                tbody { @for missed in &found.missed { tr {
                    td { (missed.count) } td { (shown(&missed.host)) " " (shown(&missed.version)) } td { (shown(&missed.tool)) }
                    td { (missed.outcome.as_str()) } td { code { (anyhook::record::short(&missed.example.0, 120)) } }
                } } }
            } }
        }
    };
    Ok(layout("Agents", Place::Agents, &body))
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
