//! A comparison as a person and as a program reads it. Nothing of the clock is in it: twice over the same history it is the
//! same bytes.

use anyhook::text::line;
use serde_json::{Value, json};

use super::answer::{AnswerChange, CHANGES};
use super::compare::{Backtest, DifferenceGroup, DifferenceKey};

/// How a comparison is called on its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonTitle {
    /// The side before.
    pub before: String,
    /// The side after.
    pub after: String,
    /// The kinds of difference that are a failure.
    pub fails: Vec<AnswerChange>,
}

impl ComparisonTitle {
    /// Tells whether a comparison has a difference that is a failure.
    pub fn is_failed(&self, compared: &Backtest) -> bool {
        self.fails.iter().any(|change| compared.count(*change) > 0)
    }
}

/// What is counted beside the differences, a line each.
fn counts(compared: &Backtest) -> Vec<String> {
    let mut lines = vec![format!("{} events asked again", compared.asked)];
    let verdicts = compared
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{verdict} {count}"));
    let verdicts: Vec<String> = verdicts.collect();
    if !verdicts.is_empty() {
        lines.push(format!("now: {}", verdicts.join(", ")));
    }
    let left = compared.left.iter();
    lines.extend(left.map(|(left, count)| format!("{count} records {}", left.why())));
    let passed = compared.passed.iter();
    lines.extend(passed.map(|(hook, count)| {
        let hook = line(hook);
        format!(
            "{count} events without `{hook}`: it asks a model or a server, writes where a replay may not, or cannot be confined here"
        )
    }));
    lines
}

/// Says what became of the actions of a group then.
fn then(group: &DifferenceGroup) -> String {
    let then = &group.then;
    let all = [
        (then.approved, "you approved then"),
        (then.ran, "ran then"),
        (then.refused, "refused then"),
    ];
    let told = all.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if told.is_empty() {
        return "not known what became of them".to_owned();
    }
    told.join(", ")
}

/// The page for a terminal.
pub fn text(title: &ComparisonTitle, compared: &Backtest) -> String {
    let mut page = format!("before: {}\nafter:  {}\n", title.before, title.after);
    for line in counts(compared) {
        page.push_str(&format!("{line}\n"));
    }
    if compared.groups.is_empty() {
        page.push_str("no difference\n");
    }
    for change in CHANGES {
        let count = compared.count(*change);
        if count == 0 {
            continue;
        }
        page.push_str(&format!("\n{}  {count}\n", change.as_str()));
        for ((_, hook, shape), group) in groups(compared, *change) {
            page.push_str(&format!(
                "  {} · {} · {} ({})\n",
                line(hook),
                line(shape),
                group.count,
                then(group)
            ));
            for example in &group.examples {
                let [id, what, before, after] =
                    [&example.id, &example.what, &example.before, &example.after]
                        .map(|text| line(text));
                page.push_str(&format!(
                    "    {id}  {what}\n      - {before}\n      + {after}\n"
                ));
            }
        }
    }
    page
}

/// The groups of a kind, the largest first.
fn groups(compared: &Backtest, change: AnswerChange) -> Vec<(&DifferenceKey, &DifferenceGroup)> {
    let of = compared.groups.iter().filter(|((is, ..), _)| *is == change);
    let mut groups: Vec<_> = of.collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
    groups
}

/// The page for a program.
pub fn json(title: &ComparisonTitle, compared: &Backtest) -> Value {
    let groups = CHANGES.iter().flat_map(|change| groups(compared, *change));
    let groups = groups.map(|((change, hook, shape), group)| {
        json!({
            "change": change.as_str(), "hook": hook, "shape": shape, "count": group.count, "then": group.then,
            "examples": group.examples,
        })
    });
    let left = compared.left.iter();
    json!({
        "version": 1,
        "before": title.before,
        "after": title.after,
        "events": compared.asked,
        "verdicts": compared.verdicts,
        "left": left.map(|(left, count)| (left.why().to_owned(), json!(count))).collect::<serde_json::Map<_, _>>(),
        "without": compared.passed,
        "failed": title.is_failed(compared),
        "groups": groups.collect::<Value>(),
    })
}
