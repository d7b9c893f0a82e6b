//! The hooks: of the record their health, and of the files in which they stand whether they are trusted, run and have cases.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhook::record::{Counted, OfHook};
use anyhook::survey::{Survey, Surveyed};
use anyhook::world::World;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::health::counted;
use super::wanted::only;
use super::{Broken, Pages, Place, Shared, layout, shown};

/// So many projects of the record are looked at, those with the most events first.
const PROJECTS: usize = 16;

/// Answers with the hooks.
pub(super) async fn page(State(pages): Shared) -> Response {
    pages.make(made).await
}

/// One file with hooks, and how many of these run.
struct File {
    stands: Surveyed,
    hooks: usize,
    on: usize,
}

/// What the files say of the hooks that stand in them now.
#[derive(Default)]
struct Standing {
    files: Vec<File>,
    /// By the name of a hook what is said of it, of each file of its own.
    states: BTreeMap<String, BTreeSet<String>>,
}

impl Standing {
    /// Looks at the files that hold in the projects of the record, and in none.
    fn of(world: &World, counted: &Counted) -> Self {
        let mut projects: Vec<(&String, u64)> = counted
            .projects
            .iter()
            .map(|(project, tally)| (project, tally.events))
            .collect();
        projects.sort_by_key(|(_, events)| std::cmp::Reverse(*events));
        let projects = projects
            .into_iter()
            .map(|(project, _)| PathBuf::from(project));
        let there = projects.filter(|project| project.is_absolute() && project.is_dir());
        let mut standing = Self::default();
        for cwd in std::iter::once(PathBuf::from("/")).chain(there.take(PROJECTS)) {
            let world = World {
                cwd,
                ..world.clone()
            };
            standing.add(Survey::of(&world, ""));
        }
        standing
    }

    fn add(&mut self, survey: Survey) {
        for file in survey.files {
            let is_known = self
                .files
                .iter()
                .any(|known| known.stands.file == file.file);
            if !file.is_there() || is_known {
                continue;
            }
            let its = survey.hooks.iter().filter(|listed| listed.is_of(&file));
            let (mut hooks, mut on) = (0, 0);
            for listed in its {
                hooks += 1;
                let state = listed.state(&file);
                on += usize::from(state == "on");
                let states = self.states.entry(listed.hook.info.name.to_string());
                states.or_default().insert(state);
            }
            self.files.push(File {
                stands: file,
                hooks,
                on,
            });
        }
    }
}

fn made(pages: &Pages) -> Result<Markup, Broken> {
    let counted = counted(pages)?;
    let standing = Standing::of(&pages.world, &counted);
    let body = html! { (table(&counted, &standing)) (files(&standing)) };
    Ok(layout("Hooks", Place::Hooks, &body))
}

fn table(counted: &Counted, standing: &Standing) -> Markup {
    let never = OfHook::default();
    let mut all: Vec<(&String, &OfHook)> = counted.hooks.iter().collect();
    let listed = standing.states.keys();
    let unheard = listed.filter(|name| !counted.hooks.contains_key(*name));
    all.extend(unheard.map(|name| (name, &never)));
    all.sort_by_key(|(_, hook)| std::cmp::Reverse((hook.faults, hook.refused, hook.answered)));
    html! {
        p { "Every hook of the record, and of the files below. A hook that failed often, or never fired, is worth a look." }
        div.wide tabindex="0" role="region" aria-label="Hooks" { table.numbers {
            thead { tr { @for head in ["Hook", "Now", "Asked", "Refused", "Questions", "Would refuse", "Faults", "p50 ms", "p95 ms"] { th scope="col" { (head) } } } }
            tbody { @for (name, hook) in all { tr {
                td { a href=(only("hook", name)) { (shown(name)) } }
                (state(standing.states.get(name)))
                @if hook.is_idle() { td colspan="7" { "never fired" } } @else {
                    @for number in [hook.looked, hook.refused, hook.asked, hook.would] { td { (number) } }
                    td data-kind=[(hook.faults > 0).then_some("deny")] { (hook.faults) }
                    @for us in hook.percentiles().iter().take(2) { td { (format!("{:.1}", f64::from(*us) / 1000.0)) } }
                }
            } } }
        } }
    }
}

/// Whether a hook runs now: of several files of one name each is said.
fn state(states: Option<&BTreeSet<String>>) -> Markup {
    let Some(states) = states else {
        return html! { td { "in none of these files" } };
    };
    let all: Vec<&str> = states.iter().map(String::as_str).collect();
    let is_well = all == ["on"];
    html! { td data-kind=[(!is_well).then_some("ask")] { (shown(&all.join("; "))) } }
}

fn files(standing: &Standing) -> Markup {
    html! {
        h2 { "Where they stand" }
        @if standing.files.is_empty() { p { "No file with hooks is here: " code { "anyhook init" } } }
        @else {
            div.wide tabindex="0" role="region" aria-label="Files" { table {
                thead { tr { @for head in ["File", "Whose", "Trust", "Hooks that run", "Files of cases"] { th scope="col" { (head) } } } }
                tbody { @for File { stands: file, hooks, on } in &standing.files {
                    @let cases = file.cases().len();
                    tr {
                        td { code { (shown(&file.file.to_string_lossy())) } }
                        td { (file.layer.name()) }
                        td { (shown(&file.stands())) }
                        td data-kind=[(on < hooks).then_some("ask")] { (on) " of " (hooks) }
                        td data-kind=[(cases == 0).then_some("ask")] { @if cases == 0 { "none" } @else { (cases) } }
                    }
                } }
            } }
            p.note { "Which hooks the cases reach is counted by " code { "anyhook test --coverage" } ". Whether a file is trusted is your answer: " code { "anyhook trust" } "." }
        }
    }
}
