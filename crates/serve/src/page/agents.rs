//! The agents: whether they ask the hooks, whether they were seen to obey, and the calls that passed no hook.

use std::path::Path;

use anyhook::install::{Installer, unhindered};
use anyhook::record::{Counted, moment};
use anyhook::transcripts::coverage;
use anyhook::verify::verified;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::settings::Scope;
use anyhook::wires::{self, Host};
use anyhook::world::World;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::health::counted;
use super::wanted::only;
use super::{Broken, Pages, Place, Shared, layout, shown};

/// Transcripts are compared so far back: older calls may be from before Anyhook was installed.
const BACK: &str = "30d";
/// The settings that hold in every folder; those of a project are seen where the project is.
const EVERYWHERE: [Scope; 2] = [Scope::Managed, Scope::User];

/// Answers with the agents.
pub(super) async fn page(State(pages): Shared) -> Response {
    pages.make(made).await
}

/// An agent of this person.
struct Agent {
    name: String,
    /// In whose settings entries of ours stand, and for how many events.
    entries: Vec<(Scope, usize)>,
    /// When it was seen to obey, in which version; and in how much it did otherwise.
    verified: Option<(String, usize)>,
}

/// Lists the agents that are here or in the record.
fn agents(world: &World, counted: &Counted) -> Vec<Agent> {
    let program = std::env::current_exe().unwrap_or_default();
    let installer = Installer {
        world,
        program: &program,
        root: Path::new("/"),
        os: std::env::consts::OS,
        probe: &unhindered,
    };
    let here = |host: &&'static dyn Host| {
        let settings = host.facts().settings;
        settings.is_some_and(|settings| installer.finds(*host, settings).is_some())
    };
    let found = HOSTS.iter().filter(|host| here(host)).map(|host| host.id());
    let mut names: Vec<&str> = counted
        .hosts
        .keys()
        .map(String::as_str)
        .chain(found)
        .collect();
    names.sort_unstable();
    names.dedup();
    let agent = |name: &str| {
        let host = wires::host(name);
        let verified = world
            .places
            .as_ref()
            .and_then(|places| verified(places, name));
        Agent {
            name: name.to_owned(),
            entries: host.map_or_else(Vec::new, |host| installer.standing(host, &EVERYWHERE)),
            verified: verified.map(|seen| {
                let differences = seen.differences.len();
                (format!("{} on {}", seen.version, seen.date()), differences)
            }),
        }
    };
    names.into_iter().map(agent).collect()
}

fn made(pages: &Pages) -> Result<Markup, Broken> {
    let counted = counted(pages)?;
    let body = html! { (table(&agents(&pages.world, &counted), &counted)) (missed(pages)?) };
    Ok(layout("Agents", Place::Agents, &body))
}

fn table(agents: &[Agent], counted: &Counted) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Agents" { table.numbers {
            thead { tr { @for head in ["Agent", "Asks the hooks", "Seen to obey", "Events", "Refused"] { th scope="col" { (head) } } } }
            tbody { @for agent in agents {
                @let tally = counted.hosts.get(&agent.name);
                tr {
                    td { a href=(only("host", &agent.name)) { (shown(&agent.name)) } }
                    (entries(&agent.entries))
                    @match &agent.verified {
                        None => td data-kind="ask" { "never" },
                        Some((when, 0)) => td data-kind="allow" { (shown(when)) },
                        Some((when, differences)) => td data-kind="deny" { (shown(when)) ", and did otherwise in " (differences) },
                    }
                    td { (tally.map_or(0, |tally| tally.events)) } td { (tally.map_or(0, |tally| tally.refused)) }
                }
            } }
        } }
        p.note { "Entries in settings that hold in every folder; a project may have its own. They are written by " code { "anyhook install" }
            " and tried by " code { "anyhook doctor" } "; " code { "anyhook verify" } " sees whether the agent obeys." }
    }
}

fn entries(entries: &[(Scope, usize)]) -> Markup {
    let each = entries
        .iter()
        .map(|(scope, events)| format!("{events} events, {} settings", scope.name()));
    let all: Vec<String> = each.collect();
    html! {
        @if all.is_empty() { td data-kind="ask" { "no entry" } } @else { td data-kind="allow" { (all.join("; ")) } }
    }
}

fn missed(pages: &Pages) -> Result<Markup, Broken> {
    let places = pages.world.places.as_ref();
    let missed = places.map(|places| {
        coverage(&places.home, &pages.record()?, moment(BACK))
            .map_err(|error| Broken::of(anyhook::files::with_causes(&error)))
    });
    let missed = missed.transpose()?;
    Ok(html! {
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
    })
}
