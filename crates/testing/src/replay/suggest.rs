//! Rules that give the answers that people always gave, and refusals for actions that never happened.
//!
//! A rule is never wider than what was seen: the same agent, folder, mode, tool and arguments. An action that any hook refused,
//! also in shadow mode, is never allowed; one of which a part was hidden or cut is not looked at.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use anyhook::core::event::{EventName, Map};
use anyhook::core::report::{Action, Became, Outcome, Report};
use anyhook::core::result::Kind;
use anyhook::files::digest;
use anyhook::text::plain;
use serde_json::{Value, json};

use super::history::{Reading, share};

/// A rule that could be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The event that it is for, as in `hooks.json`.
    pub event: &'static str,
    /// The rule with its matcher, as a group of `hooks.json`.
    pub group: Value,
    /// The name of the rule.
    pub name: String,
    /// What it is about, in one line.
    pub what: String,
    /// How often it was asked about; nothing for what never happened.
    pub seen: u64,
}

/// Fields that say nothing of what an action does.
const WORDS: &[&str] = &["description"];
/// A condition that is longer is not suggested.
const LONGEST: usize = 4000;

/// What is dangerous, and may never have happened here: the name, the condition, and what the agent reads.
const NEVER: &[(&str, &str, &str)] = &[
    (
        "never-force-push",
        "pushes('force', 'delete')",
        "A push that rewrites or removes what is there never happened here.",
    ),
    (
        "never-sudo",
        "runs('sudo')",
        "Nothing was ever run with sudo here.",
    ),
    (
        "never-publish",
        "publishes()",
        "Nothing was ever published from here by an agent.",
    ),
    (
        "never-discard",
        "discards()",
        "Work that is not committed was never thrown away here.",
    ),
    (
        "never-ssh-keys",
        "touches('~/.ssh/**')",
        "The keys in ~/.ssh were never touched from here.",
    ),
    (
        "never-env-files",
        "touches('**/.env')",
        "No .env file was ever touched here.",
    ),
    (
        "never-git-hooks",
        "configures('core.hooksPath')",
        "The hooks of git were never moved here.",
    ),
];

/// The manifest with a rule for each thing that may never have happened.
pub fn never() -> Value {
    let all = NEVER
        .iter()
        .map(|(name, when, text)| never_group(name, when, text));
    json!({"version": 1, "hooks": {"pre-tool-use": all.collect::<Value>()}})
}

/// Refusals for what never happened, where these rules did.
pub fn unseen(happened: &BTreeSet<String>) -> Vec<Suggestion> {
    let never = NEVER.iter().filter(|(name, ..)| !happened.contains(*name));
    let suggest = |(name, when, text): &(&str, &str, &str)| Suggestion {
        event: "pre-tool-use",
        group: never_group(name, when, text),
        name: (*name).to_owned(),
        what: format!("deny what never happened: {when}"),
        seen: 0,
    };
    never.map(suggest).collect()
}

fn never_group(name: &str, when: &str, text: &str) -> Value {
    json!({"hooks": [{"type": "rule", "name": name, "when": when, "then": {"deny": text}}]})
}

/// What is known of one exact action.
#[derive(Default)]
struct Known {
    asked: u64,
    yes: u64,
    no: u64,
    refused: bool,
    /// Whether the agent itself asked: only its questions can be answered with yes by a rule.
    by_agent: bool,
    by_hook: bool,
}

/// One exact action.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Exact {
    host: String,
    tool: String,
    cwd: String,
    mode: Option<String>,
    /// The names of all fields of the input, and the fields with their values but those that are only words.
    names: Vec<String>,
    input: String,
}

#[derive(Default)]
struct Counting {
    known: BTreeMap<Exact, Known>,
    /// Questions that are open in a session, by what is asked.
    open: HashMap<(String, Exact), u64>,
    strange: BTreeMap<String, u64>,
}

/// What a history suggests.
#[derive(Debug)]
pub struct Suggested {
    /// The rules that would have answered what was asked.
    pub rules: Vec<Suggestion>,
    /// The events of agents whose names this version does not know, with how many there are: what an answer to them means is not
    /// known either.
    pub strange: BTreeMap<String, u64>,
}

/// Looks through a history, and returns the rules that would have answered what was asked at least so often.
pub fn suggest(reading: &Reading, least: u64) -> io::Result<Suggested> {
    let (counted, _) = share(reading, vec![Counting::default()], |counting, _, line| {
        if let Ok(report) = serde_json::from_slice::<Report>(line) {
            counting.report(&report);
        }
    })?;
    let mut suggested = Suggested {
        rules: Vec::new(),
        strange: BTreeMap::new(),
    };
    for counting in counted {
        let all = counting.known.iter();
        let rules = all.filter_map(|(exact, known)| suggestion(exact, known, least));
        suggested.rules.extend(rules);
        suggested.strange.extend(counting.strange);
    }
    Ok(suggested)
}

impl Counting {
    fn report(&mut self, report: &Report) {
        // A program gives its own events names of its own.
        if report.event.name.spec().is_none() && !report.event.host.is_empty() {
            let name = report.event.name.as_str().to_owned();
            *self.strange.entry(name).or_default() += 1;
        }
        let Some((exact, action)) = exact(report) else {
            return;
        };
        let session = report
            .event
            .session
            .as_deref()
            .unwrap_or_default()
            .to_owned();
        let open = (session, exact.clone());
        let name = &report.event.name;
        let known = self.known.entry(exact).or_default();
        if matches!(name.as_str(), "tool:post" | "tool:error") {
            known.yes += self.open.remove(&open).unwrap_or_default();
            return;
        }
        if *name == EventName::new("PermissionDenied") {
            known.no += self.open.remove(&open).unwrap_or_default();
            return;
        }
        let said = report
            .said
            .as_ref()
            .unwrap_or(&report.result)
            .verdict
            .kind();
        let asks_itself = *name == EventName::new("permission-request") && said == Kind::Continue;
        let imported = action.imported.as_ref().map(|imported| imported.outcome);
        let is_refused = said >= Kind::Deny && report.result.verdict.kind() != Kind::Ask;
        known.refused |= is_refused || report.steps.iter().any(|step| refuses(&step.became));
        let asks = asks_itself || report.result.verdict.kind() == Kind::Ask;
        if imported == Some(Outcome::Refused) {
            known.asked += 1;
            known.no += 1;
        } else if asks {
            known.asked += 1;
            known.by_agent |= asks_itself;
            known.by_hook |= !asks_itself;
            *self.open.entry(open).or_default() += 1;
        }
    }
}

fn refuses(became: &Became) -> bool {
    match became {
        Became::Said(Some(said)) => said.verdict.kind() >= Kind::Deny,
        Became::Would(would) => would.verdict.kind() >= Kind::Deny,
        Became::Failed { verdict, .. } => *verdict >= Kind::Deny,
        Became::Said(None) | Became::NotAsked(_) => false,
    }
}

/// The exact action of a report, if all of it is known.
fn exact(report: &Report) -> Option<(Exact, &Action)> {
    let action = report.action.as_deref()?;
    let is_whole = action.is_whole() && action.hidden.is_empty();
    let input = action
        .data
        .get("tool_input")
        .and_then(Value::as_object)
        .filter(|_| is_whole)?;
    let kept = input
        .iter()
        .filter(|(name, _)| !WORDS.contains(&name.as_str()));
    let kept: BTreeMap<&String, &Value> = kept.collect();
    let names: BTreeSet<&String> = input.keys().collect();
    let exact = Exact {
        host: report.event.host.to_string(),
        tool: action.text("tool_name")?.to_owned(),
        cwd: action.text("cwd")?.to_owned(),
        mode: action.text("permission_mode").map(str::to_owned),
        names: names.into_iter().cloned().collect(),
        input: serde_json::to_string(&kept).ok()?,
    };
    Some((exact, action))
}

fn suggestion(exact: &Exact, known: &Known, least: u64) -> Option<Suggestion> {
    let is_enough = known.asked >= least.max(1);
    let allows = known.yes == known.asked && known.by_agent && !known.by_hook && !known.refused;
    let denies = known.no == known.asked;
    if !is_enough || !(allows || denies) {
        return None;
    }
    let when = condition(exact)?;
    let (event, then) = if allows {
        let why = format!("You answered this with yes {} times.", known.yes);
        ("permission-request", json!({"allow": why}))
    } else {
        let why = format!("The user answered this with no {} times.", known.no);
        ("pre-tool-use", json!({"deny": why}))
    };
    let verb = if allows { "allow" } else { "deny" };
    let name: String = digest(when.as_bytes()).chars().take(8).collect();
    let name = format!("seen-{verb}-{name}");
    Some(Suggestion {
        event,
        group: json!({"matcher": exact.tool, "hooks": [{"type": "rule", "name": name, "when": when, "then": then}]}),
        name,
        what: plain(&format!(
            "{verb} {} {} in {}",
            exact.tool, exact.input, exact.cwd
        )),
        seen: known.asked,
    })
}

/// A condition that holds for this action and no other.
fn condition(exact: &Exact) -> Option<String> {
    let is_plain = |name: &String| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let is_name = exact
        .tool
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !is_name || !exact.names.iter().all(is_plain) {
        return None;
    }
    let mut parts = vec![
        format!("host == {}", quoted(&exact.host)?),
        format!("tool_name == {}", quoted(&exact.tool)?),
        format!("has(data.cwd) && data.cwd == {}", quoted(&exact.cwd)?),
        format!("size(tool_input) == {}", exact.names.len()),
    ];
    parts.push(match &exact.mode {
        Some(mode) => format!(
            "has(data.permission_mode) && data.permission_mode == {}",
            quoted(mode)?
        ),
        None => "!has(data.permission_mode)".to_owned(),
    });
    let input: Map = serde_json::from_str(&exact.input).ok()?;
    for name in &exact.names {
        parts.push(match input.get(name) {
            None => format!("has(tool_input.{name})"),
            Some(Value::String(text)) => format!(
                "has(tool_input.{name}) && tool_input.{name} == {}",
                quoted(text)?
            ),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => {
                format!("has(tool_input.{name}) && tool_input.{name} == {value}")
            }
            // What is compared must be compared whole.
            Some(Value::Null | Value::Array(_) | Value::Object(_)) => return None,
        });
    }
    let when = parts.join(" && ");
    (when.len() <= LONGEST).then_some(when)
}

/// A text as an expression has it; nothing for one with letters that no expression should have.
fn quoted(text: &str) -> Option<String> {
    let is_seen = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    let is_plain = text.chars().all(is_seen);
    is_plain.then(|| {
        let text = text.replace('\\', "\\\\").replace('\'', "\\'");
        format!("'{}'", text.replace('\n', "\\n").replace('\t', "\\t"))
    })
}
