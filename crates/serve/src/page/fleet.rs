//! All machines of an organisation: what the store of its fleet answers, on a machine where one is configured.
//!
//! The program `anyhook-fleet` is asked with the words of the command line, so the page says what `anyhook fleet stats`, `coverage`
//! and `log` say. Every text of an answer is one of a member: it is shown, and nothing in it counts as more.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhook::config::{Config, ConfigError};
use anyhook::files::with_causes;
use anyhook::record::short;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use form_urlencoded::parse;
use maud::{Markup, html};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::process::Command;

use super::{Broken, Pages, Place, Shared, layout, shown};

/// So long one question to the store may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// So many rows a table has.
const ROWS: usize = 100;
/// No text in a table is longer.
const LONG: usize = 240;
/// How far is looked back where nothing was typed.
const WEEK: &str = "7d";

/// Answers with all machines.
pub(super) async fn page(State(pages): Shared, RawQuery(query): RawQuery) -> Response {
    let asked = Asked::of(&query.unwrap_or_default());
    match answer(&pages, &asked).await {
        Ok(answer) => pages.make(move |_| Ok(written(&asked, &answer))).await,
        Err(broken) => broken.into_response(),
    }
}

/// Tells whether there is something to see, or a mistake to be told.
pub(super) fn is_there(pages: &Pages) -> bool {
    !matches!(store(pages), Ok(None))
}

fn store(pages: &Pages) -> Result<Option<std::path::PathBuf>, ConfigError> {
    Ok(Config::of(&pages.world).fleet?.store)
}

/// What a person wants to see: the options of `anyhook fleet`, under the same names.
struct Asked {
    since: String,
    person: String,
    text: String,
}

impl Asked {
    fn of(query: &str) -> Self {
        let field = |wanted: &str| {
            let mut named = parse(query.as_bytes()).filter(|(name, _)| name == wanted);
            let value = named.next().map(|(_, value)| value.trim().to_owned());
            value.unwrap_or_default()
        };
        let since = field("since");
        Self {
            since: if since.is_empty() { WEEK.into() } else { since },
            person: field("person"),
            text: field("text"),
        }
    }

    /// A value cannot be taken for an option: it stands behind the name of its own.
    fn options(&self) -> Vec<String> {
        let all = [
            ("since", &self.since),
            ("person", &self.person),
            ("text", &self.text),
        ];
        let typed = all.into_iter().filter(|(_, value)| !value.is_empty());
        typed
            .map(|(name, value)| format!("--{name}={value}"))
            .chain([format!("-n{ROWS}")])
            .collect()
    }
}

/// What the store answers.
struct Answer {
    stats: Vec<Stat>,
    coverage: Coverage,
    refusals: Vec<Refusal>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Stat {
    hook: String,
    member: String,
    decided: u64,
    refused: u64,
    would_refuse: u64,
    p95_ms: Option<f64>,
}

#[derive(Deserialize)]
struct Coverage {
    machines: Vec<Machine>,
    revisions: std::collections::BTreeMap<String, u64>,
    exceptions: Vec<Ending>,
    refused: std::collections::BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Machine {
    person: String,
    #[serde(rename = "machine")]
    name: String,
    revision: Option<String>,
    waits_for: Option<String>,
    on: Vec<String>,
    off: Vec<String>,
    silent_since: Option<String>,
    thinned: u64,
    missing: u64,
    lost: u64,
}

#[derive(Deserialize)]
struct Ending {
    hook: String,
    owner: String,
    until: String,
    machines: u64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Refusal {
    moment: String,
    member: String,
    machine: String,
    host: Option<String>,
    tool: Option<String>,
    hook: Option<String>,
    attempted: Option<String>,
    reason: Option<String>,
}

impl Machine {
    /// Says what is wrong with it; nothing where its guards are on and everything arrived.
    fn trouble(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.on.is_empty() {
            all.push("no guard is known to be on".to_owned());
        }
        if !self.off.is_empty() {
            all.push(format!("guards off: {}", self.off.join(", ")));
        }
        let waits = self.waits_for.as_ref();
        all.extend(waits.map(|next| format!("revision {next} does not hold yet")));
        let silent = self.silent_since.as_ref();
        all.extend(silent.map(|since| format!("silent since {since}")));
        let counts = [
            (self.missing, "batches missing"),
            (self.lost, "times the record lost its oldest part"),
            (self.thinned, "records thinned"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        all.extend(told.map(|(count, what)| format!("{count} {what}")));
        all
    }
}

async fn answer(pages: &Pages, asked: &Asked) -> Result<Answer, Broken> {
    let store = store(pages).map_err(|error| Broken::of(with_causes(&error)))?;
    let store = store.ok_or_else(|| Broken {
        status: StatusCode::NOT_FOUND,
        what: "No store of a fleet is configured here: write `store = \"FOLDER\"` below [fleet] in config.toml.".into(),
    })?;
    // Its place among the pages is free again before the page is written.
    let Ok(_permit) = pages.free.acquire().await else {
        return Err(Broken::of("the server ends"));
    };
    let options = asked.options();
    let denied: Vec<String> = [vec!["--denied".to_owned()], options.clone()].concat();
    Ok(Answer {
        coverage: told(&store, "coverage", &[]).await?,
        stats: told(&store, "stats", &options).await?,
        refusals: told(&store, "log", &denied).await?,
    })
}

/// Asks the program that is beside this one.
async fn told<T: DeserializeOwned>(
    store: &Path,
    verb: &str,
    options: &[String],
) -> Result<T, Broken> {
    let own = std::env::current_exe().and_then(|own| own.canonicalize());
    let program = own.map(|own| own.with_file_name("anyhook-fleet"));
    let program = program.ok().filter(|program| program.is_file());
    let program = program.ok_or_else(|| {
        Broken::of("The program anyhook-fleet is not beside anyhook-serve: cargo install --path crates/fleet")
    })?;
    let asked = Command::new(program)
        .args(["fleet", verb])
        .arg(store)
        .arg("--json")
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let asked =
        asked.map_err(|error| Broken::of(format!("anyhook-fleet cannot start: {error}")))?;
    let mut group = Group(asked.id());
    let said = tokio::time::timeout(PATIENCE, asked.wait_with_output()).await;
    if said.is_ok() {
        group.0 = None;
    }
    let said = said.map_err(|_| Broken::of("The store did not answer within a minute."))?;
    let said = said.map_err(|error| Broken::of(format!("anyhook-fleet: {error}")))?;
    if !said.status.success() {
        let status = match said.status.code() {
            Some(64) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let what = String::from_utf8_lossy(&said.stderr).into_owned();
        return Err(Broken { status, what });
    }
    serde_json::from_slice(&said.stdout)
        .map_err(|error| Broken::of(format!("anyhook-fleet {verb} gave another answer: {error}")))
}

/// A program with those that it started, such as `DuckDB`: none outlives its question, nor the browser that asked it.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.0.and_then(|id| i32::try_from(id).ok());
        if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

fn written(asked: &Asked, answer: &Answer) -> Markup {
    let body = html! {
        (form(asked))
        (stats(&answer.stats))
        (machines(&answer.coverage))
        (refusals(&answer.refusals))
    };
    layout("All machines", Place::Statistics, &body)
}

fn form(asked: &Asked) -> Markup {
    let fields = [
        ("since", "Since", &asked.since),
        ("person", "Person", &asked.person),
        ("text", "Text", &asked.text),
    ];
    html! {
        div.filter { form method="get" action="/fleet" role="search" {
            @for (name, words, value) in fields { label { span { (words) } input name=(name) value=(shown(value)) autocomplete="off"; } }
            button { "Show" }
        } }
    }
}

fn stats(stats: &[Stat]) -> Markup {
    html! {
        h2 { "Which hook decided, for whom" }
        @if stats.is_empty() { p { "No hook decided anything in this time." } }
        @else { div.wide tabindex="0" role="region" aria-label="Hooks and persons" { table {
            thead { tr { @for head in ["Hook", "Person", "Decided", "Refused", "Would refuse", "p95"] { th scope="col" { (head) } } } }
            tbody { @for stat in stats { tr {
                td { (named(&stat.hook, "none")) } td { (short(&stat.member, LONG)) } td { (stat.decided) } td { (stat.refused) } td { (stat.would_refuse) }
                td { @if let Some(p95) = stat.p95_ms { (format!("{p95:.1} ms")) } }
            } } }
        } } (cut(stats.len())) }
    }
}

fn machines(coverage: &Coverage) -> Markup {
    let (mut troubled, fine): (Vec<_>, Vec<_>) = coverage
        .machines
        .iter()
        .map(|machine| (machine, machine.trouble()))
        .partition(|(_, trouble)| !trouble.is_empty());
    // Those without guards come first.
    troubled.sort_by_key(|(machine, _)| !machine.on.is_empty() && machine.off.is_empty());
    html! {
        h2 { "Machines to look at" }
        p { (troubled.len()) " of " (coverage.machines.len()) " machines; the guards of " (fine.len()) " are on, and everything of them arrived." }
        @if !troubled.is_empty() { div.wide tabindex="0" role="region" aria-label="Machines to look at" { table {
            thead { tr { @for head in ["Person", "Machine", "Revision", "Guards on", "What"] { th scope="col" { (head) } } } }
            tbody { @for (machine, trouble) in troubled.iter().take(ROWS) { tr {
                td { (short(&machine.person, LONG)) } td { code { (short(&machine.name, LONG)) } }
                td { (named(machine.revision.as_deref().unwrap_or_default(), "no policy")) } td { (short(&machine.on.join(", "), LONG)) }
                td data-kind="deny" { (short(&trouble.join("; "), LONG)) }
            } } }
        } } (cut(troubled.len())) }
        h2 { "Revisions out there" }
        @if coverage.revisions.is_empty() { p { "No machine said which policy it has." } }
        @else { ul { @for (revision, machines) in coverage.revisions.iter().take(ROWS) { li { (short(revision, LONG)) ": " (counted(*machines, "machine")) } } } (cut(coverage.revisions.len())) }
        @if !coverage.exceptions.is_empty() {
            h2 { "Exceptions that end within two weeks" }
            ul { @for ending in coverage.exceptions.iter().take(ROWS) { li {
                (short(&ending.until, LONG)) ": from " b { (short(&ending.hook, LONG)) } ", granted by " (short(&ending.owner, LONG)) ", on " (counted(ending.machines, "machine"))
            } } } (cut(coverage.exceptions.len()))
        }
        @if !coverage.refused.is_empty() {
            h2 { "What the store refused" }
            ul { @for (why, count) in coverage.refused.iter().take(ROWS) { li { (counted(*count, "message")) ": " (short(why, LONG)) } } } (cut(coverage.refused.len()))
        }
    }
}

fn refusals(refusals: &[Refusal]) -> Markup {
    let text = |text: &Option<String>| short(text.as_deref().unwrap_or_default(), LONG);
    html! {
        h2 { "What was tried and refused" }
        @if refusals.is_empty() { p { "Nothing was refused in this time." } }
        @else { table.events {
            thead { tr { @for head in ["Time", "Who", "Agent", "Attempted", "Said"] { th scope="col" { (head) } } } }
            tbody { @for row in refusals { tr {
                td.time { (short(&row.moment, LONG)) }
                td { (short(&row.member, LONG)) " " small { (short(&row.machine, LONG)) } }
                td { (text(&row.host)) " " b { (text(&row.tool)) } }
                td { code { (text(&row.attempted)) } }
                td { b { (text(&row.hook)) } " " (text(&row.reason)) }
            } } }
        } (cut(refusals.len())) }
    }
}

fn named(text: &str, none: &str) -> String {
    if text.is_empty() {
        return none.to_owned();
    }
    short(text, LONG)
}

fn counted(count: u64, what: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{count} {what}{many}")
}

/// Says that there may be more than a table shows.
fn cut(rows: usize) -> Markup {
    html! { @if rows >= ROWS { p.note { "These are the first " (ROWS) ". " code { "anyhook fleet" } " shows more: " code { "-n" } ", " code { "coverage" } "." } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_stays_the_value_of_its_option() {
        let asked =
            Asked::of("since=1d&person=--key%3D%2Fetc%2Fx&text=%27%3B+drop&text=second&key=evil");
        assert_eq!(
            asked.options(),
            [
                "--since=1d",
                "--person=--key=/etc/x",
                "--text='; drop",
                "-n100"
            ]
        );
        assert_eq!(Asked::of("since=+&x").options(), ["--since=7d", "-n100"]);
    }
}
