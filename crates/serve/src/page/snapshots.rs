//! The snapshots: what an agent may have destroyed, and the command that brings it back. The page restores nothing.

use anyhook::record::time;
use anyhook::undo::{SnapshotDiff, Snapshots, StoredSnapshot};
use anyhook::world::World;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

use super::{NavigationItem, PageContext, PageError, PageState, layout, shown};

/// Of so many snapshots, the newest, it is counted what differs now: each is compared with what is on the disk.
const COUNTED: usize = 20;
/// So many files are listed.
const FILES: usize = 500;

/// Answers with all snapshots.
pub(super) async fn page(State(pages): PageState) -> Response {
    pages.make(list).await
}

/// Answers with one snapshot.
pub(super) async fn one(State(pages): PageState, Path(id): Path<String>) -> Response {
    pages.make(move |pages| snapshot(pages, &id)).await
}

fn snapshots(world: &World) -> Result<Snapshots, PageError> {
    Snapshots::of(world)
        .ok_or_else(|| PageError::of("There is no home folder, so no snapshot is kept: set HOME."))
}

fn list(pages: &PageContext) -> Result<Markup, PageError> {
    let snapshots = snapshots(&pages.world)?;
    let all = snapshots.list();
    let differ = all.iter().enumerate().map(|(at, snapshot)| {
        let is_counted = at < COUNTED;
        let found = is_counted.then(|| snapshots.difference(snapshot, None).ok());
        found.flatten().map(|found| found.all().count())
    });
    let body = html! {
        p { "What actions might have destroyed was kept before them. To bring something back, type " code { "anyhook undo ID" } " in a terminal: it shows what changes, and asks." }
        @if all.is_empty() { p { "No snapshot was taken: " code { "anyhook add undo" } " adds a rule that takes them." } }
        @else { div.wide tabindex="0" role="region" aria-label="Snapshots" { table {
            thead { tr { @for head in ["Taken", "Before", "Snapshot", "Files that differ now", "Not kept"] { th scope="col" { (head) } } } }
            tbody { @for (snapshot, differ) in all.iter().zip(differ) { (row(snapshot, differ)) } }
        } } }
    };
    Ok(layout("Snapshots", NavigationItem::Snapshots, &body))
}

fn row(snapshot: &StoredSnapshot, differ: Option<usize>) -> Markup {
    let lost = snapshot.losses.len();
    html! { tr {
        td.time { (time(Some(snapshot.at), "%m-%d %H:%M:%S")) }
        td { code { (shown(&snapshot.action)) } }
        td { a href={ "/snapshots/" (snapshot.id) } { (shown(&snapshot.id)) } }
        td { @match differ { Some(many) => (many), None => "not counted" } }
        td data-kind=[(lost > 0).then_some("ask")] { @if lost == 0 { "nothing" } @else { (lost) } }
    } }
}

fn snapshot(pages: &PageContext, id: &str) -> Result<Markup, PageError> {
    let snapshots = snapshots(&pages.world)?;
    let all = snapshots.list();
    let snapshot = all.iter().find(|snapshot| snapshot.id == id);
    let snapshot = snapshot.ok_or_else(|| {
        let what = format!("No snapshot has the id `{id}`. It may be older than what is kept.");
        PageError(StatusCode::NOT_FOUND, what)
    })?;
    let found = snapshots.difference(snapshot, None)?;
    let body = html! {
        p { "Taken " (time(Some(snapshot.at), "%Y-%m-%d %H:%M:%S")) ", before:" }
        pre { (shown(&snapshot.action)) }
        @if !snapshot.losses.is_empty() {
            h2 { "Not kept" }
            ul { @for loss in &snapshot.losses { li { (shown(loss)) } } }
        }
        h2 { "What an undo would change now" }
        @if found.is_none() { p { "Nothing: all is as it was." } } @else { (difference(&found)) }
        p { "To restore it: " code { "anyhook undo " (shown(&snapshot.id)) } }
    };
    Ok(layout("Snapshot", NavigationItem::Nowhere, &body))
}

fn difference(found: &SnapshotDiff) -> Markup {
    let many = found.all().count();
    html! {
        ul { @for one in found.all().take(FILES) { li { (one.change.word()) " " code { (shown(&one.path.to_string_lossy())) } } } }
        @if many > FILES { p { "and " (many - FILES) " more" } }
        @if !found.patch.is_empty() { pre { (shown(&found.patch)) } }
    }
}
