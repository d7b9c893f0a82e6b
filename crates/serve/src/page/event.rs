//! One event in full: what was attempted as a person reads it, who said what and when, what was lost, and what decided.

use std::path::Path;
use std::time::Duration;

use anyhook::core::report::{ActionRecord, AskRound, Report, SkipReason, StepOutcome};
use anyhook::record::{lost, not_asked, rewritten, said_in_short, time, trouble};
use anyhook::stores::Filter;
use anyhook_effects::call;
use anyhook_effects::effect::sentences;
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::tools::ToolHints;
use axum::extract::{Path as At, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;

use super::timeline::verdict;
use super::wanted::only;
use super::{NavigationItem, PageContext, PageError, PageState, layout, shown};

/// The longest text of a value that a page shows.
const LONGEST: usize = 20_000;

/// Answers with one event.
pub(super) async fn page(State(pages): PageState, At(id): At<String>) -> Response {
    pages.make(move |pages| event(pages, &id)).await
}

fn event(pages: &PageContext, id: &str) -> Result<Markup, PageError> {
    let filter = Filter {
        id: Some(id.to_owned()),
        ..Filter::default()
    };
    let found = pages.record()?.find(&filter)?;
    let exact = found.iter().find(|report| *report.id == *id);
    let report = exact
        .or_else(|| found.first().filter(|_| found.len() == 1))
        .ok_or_else(|| {
            let kept = "It may be older than what is kept.";
            let what = format!("No event of the record has the id `{id}`. {kept}");
            PageError(StatusCode::NOT_FOUND, what)
        })?;
    let action = report.action.as_deref();
    let body = html! {
        p { (verdict(report)) " " (time(report.at, "%Y-%m-%d %H:%M:%S")) @if let Some(took) = report.took { " · " (millis(took)) } }
        (decided(report))
        @if let Some(action) = action { (attempted(report, action)) }
        (steps(report))
        (list("Rewritten", report.result.effects.patch().iter().map(rewritten)))
        (list("What the agent could not be told", report.losses.iter().map(lost)))
        (list("What else to know", trouble(report).into_iter()))
        (about(report, action))
    };
    let subject = report.event.subject.as_deref().unwrap_or_default();
    let title = format!("{} {subject}", report.event.name);
    Ok(layout(&shown(title.trim()), NavigationItem::Nowhere, &body))
}

/// The hook that decided, with the file and the line where it stands.
fn decided(report: &Report) -> Markup {
    let hook = report.decided_by().and_then(|id| report.hook(id));
    html! {
        @if let Some(hook) = hook {
            p { "Decided by " b { (shown(&hook.name)) } @if let Some(source) = &hook.source { ", " code { (shown(&source.file)) ":" (source.line) } } ":" }
            blockquote { (shown(&report.result.verdict.text())) }
        } @else if !report.result.verdict.text().is_empty() { blockquote { (shown(&report.result.verdict.text())) } }
    }
}

fn attempted(report: &Report, action: &ActionRecord) -> Markup {
    let tool = report.event.subject.as_deref().unwrap_or_default();
    let input = action.data.get("tool_input").unwrap_or(&Value::Null);
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let project = Path::new(action.project.as_deref().unwrap_or("/"));
    let places = Places {
        folder: project.into(),
        project: project.into(),
        ..Places::default()
    };
    let would = input.is_object().then(|| {
        let read = call::read(tool, input, ToolHints::default(), &places, &NoFiles);
        sentences(&read.effects, project)
    });
    html! {
        h2 { "What was attempted" }
        @if let Some(command) = text("command") { pre tabindex="0" { code { (cut(command)) } } }
        @if let (Some(old), Some(new)) = (text("old_string"), text("new_string")) { (diff(text("file_path").unwrap_or_default(), old, new)) }
        (list("What it would do", would.into_iter().flatten()))
        details open[text("command").is_none()] {
            summary { "All fields, as the agent sent them" }
            dl { @for (name, value) in &action.data { dt { (shown(name)) } dd { pre tabindex="0" { code { (cut(&written(value))) } } } } }
        }
    }
}

fn written(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| format!("{value:#}"))
}

/// Shows an edit as lines that go and lines that come.
fn diff(file: &str, old: &str, new: &str) -> Markup {
    let lines = |text: &str| cut(text).lines().map(str::to_owned).collect::<Vec<_>>();
    html! {
        p { code { (shown(file)) } }
        pre.diff tabindex="0" {
            @for line in lines(old) { del { "- " (line) } "\n" }
            @for line in lines(new) { ins { "+ " (line) } "\n" }
        }
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = shown(text).chars().take(LONGEST).collect();
    if text.len() > cut.len() {
        cut.push_str("\n… the rest is not shown here: anyhook why shows all of it");
    }
    cut
}

/// Each hook that was asked: what it said, where it stands, and a bar of its time.
fn steps(report: &Report) -> Markup {
    let times = report.steps.iter().filter_map(|step| step.took);
    let longest = times.max().unwrap_or_default();
    let is_here =
        |became: &StepOutcome| !matches!(became, StepOutcome::NotAsked(SkipReason::OtherEvent));
    html! {
        h2 { "Who said what" }
        table {
            thead { tr { th scope="col" { "Hook" } th scope="col" { "Said" } th scope="col" { "Time" } } }
            tbody { @for step in report.steps.iter().filter(|step| is_here(&step.became)) {
                @if let Some(hook) = report.hook(step.hook) {
                    tr {
                        td { a href=(only("hook", &hook.name)) { (shown(&hook.name)) } @if let Some(source) = &hook.source { br; small { (shown(&source.file)) ":" (source.line) } } }
                        td { @if step.again == AskRound::Again { "again: " } (shown(&match &step.became {
                            StepOutcome::Said(None) => "nothing to say".to_owned(),
                            StepOutcome::Said(Some(said)) => said_in_short(said),
                            StepOutcome::Would(said) => format!("would have said, in shadow mode: {}", said_in_short(said)),
                            StepOutcome::Failed { fault, .. } => format!("failed: {}", fault.text),
                            StepOutcome::NotAsked(why) => not_asked(&report.event, &report.hooks, *why, hook),
                        })) }
                        td.time { @if let Some(took) = step.took { (bar(took, longest)) (millis(took)) } }
                    }
                }
            } }
        }
    }
}

fn bar(took: Duration, longest: Duration) -> Markup {
    let part = took.as_secs_f64() / longest.as_secs_f64().max(1e-9);
    html! { svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" { rect.all width=(format!("{:.1}", part * 100.0)) height="8" {} } }
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn list(title: &str, all: impl Iterator<Item = String>) -> Markup {
    let all: Vec<String> = all.collect();
    html! { @if !all.is_empty() { h2 { (title) } ul { @for one in &all { li { (cut(one)) } } } } }
}

fn about(report: &Report, action: Option<&ActionRecord>) -> Markup {
    let of = |take: fn(&ActionRecord) -> Option<&str>| action.and_then(take);
    let told = [
        ("Agent", Some(&*report.event.host)),
        ("Version", of(|action| action.agent_version.as_deref())),
        ("Session", report.event.session.as_deref()),
        ("Project", of(|action| action.project.as_deref())),
        ("Person", of(|action| action.person.as_deref())),
        ("Policy", of(|action| action.policy.as_deref())),
        ("Id", Some(&*report.id)),
    ];
    html! {
        h2 { "Where it happened" }
        dl { @for (name, text) in told { @if let Some(text) = text.filter(|text| !text.is_empty()) {
            dt { (name) }
            dd { @if name == "Session" { a href=(only("session", text)) { (shown(text)) } } @else { (shown(text)) } }
        } } }
        @if let Some(action) = action { (list("Who answered", action.approval.iter().map(ToString::to_string))) }
    }
}
