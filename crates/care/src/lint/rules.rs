//! Rules and guards that do not do what they say.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhook_core::event::EventName;
use anyhook_core::hook::{Mode, OnFault};
use anyhook_core::manifest::{Action, RuleAnswer};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::{Class, nearest};
use anyhook_wires::native_files::{FailurePolicy, RefusalValue};
use anyhook_wires::tools::canonical;

use super::Note;
use super::linted::{HookSite, LintTarget};

/// What holds for a whole line because of a part of it.
const PARTS: &[&str] = &["runs(", "command.contains(", "command.startsWith("];

/// Words by which people call a guard.
const GUARDS: &str = "guard|block|deny|protect|safety|prevent|forbid|dangerous|validate|firewall";

/// The hooks that are rules.
fn rules<'l>(linted: &'l LintTarget<'_>) -> impl Iterator<Item = (HookSite<'l>, &'l RuleAnswer)> {
    linted.sites().filter_map(|site| {
        let Action::Rule(then) = &site.entry.action else {
            return None;
        };
        Some((site, then))
    })
}

/// Finds a hook that has the name of an earlier one of its event.
pub(super) fn same_name(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut names = BTreeSet::new();
    let sites = linted.sites().filter(|_| linted.format.is_none());
    let again = sites.filter_map(|site| {
        let name = site.entry.name.as_deref()?;
        let is_new = names.insert((EventName::new(&site.group.event).as_str().to_owned(), name));
        let message = format!("another hook of `{}` is called `{name}`", site.event());
        (!is_new).then(|| Note::new(linted.at(site, "name"), message))
    });
    again
        .map(|note| note.help("give each its own: `anyhook list off` means all of one name"))
        .collect()
}

/// Finds a rule that stops everything, because it has no condition.
pub(super) fn stops_all(linted: &LintTarget<'_>) -> Vec<Note> {
    let stops = rules(linted).filter(|(site, then)| {
        let (group, entry) = (site.group, site.entry);
        let is_narrow = entry.when.is_some() || entry.only.is_some() || !group.matcher.is_all();
        let class = EventName::new(&group.event).class();
        let kind = then.verdict.as_ref().map(|(kind, _)| *kind);
        !is_narrow && class == Class::Gate && kind >= Some(Kind::Ask)
    });
    let notes = stops.map(|(site, _)| {
        let message = format!("without a `when` this rule stops every `{}`", site.event());
        let help = "say when it holds; if it is meant so: `\"when\": \"true\"`";
        Note::new(linted.at(site, "then"), message).help(help)
    });
    notes.collect()
}

/// Finds an approval that looks at only a part of a command.
pub(super) fn allow_by_part(linted: &LintTarget<'_>) -> Vec<Note> {
    let notes = rules(linted).filter_map(|(site, then)| {
        let when = site.entry.when.as_ref()?;
        let allows = matches!(then.verdict, Some((Kind::Allow, _)));
        let part = part(&when.text).filter(|_| allows && !when.text.contains("only_runs("))?;
        let message = "this approves a whole command line because of a part of it";
        let help = "`only_runs` holds for one plain command and nothing else";
        Some(Note::new(when.at.within(&when.text, &part), message).help(help))
    });
    notes.collect()
}

/// Finds a condition about a part, outside of texts and not turned round.
fn part(when: &str) -> Option<Range<usize>> {
    let found = PARTS.iter().flat_map(|part| when.match_indices(part));
    let mut found = found.filter(|(at, _)| {
        let before = when.get(..*at).unwrap_or_default();
        let quotes = before.matches(['\'', '"']).count();
        let name = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let turned = before.trim_end().ends_with('!');
        quotes.is_multiple_of(2) && !name && !turned
    });
    found.next().map(|(at, part)| at..at + part.len() - 1)
}

/// Finds a rewrite of a field that cannot be changed.
pub(super) fn lost_rewrite(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, then) in rules(linted).filter(|(site, _)| site.group.spec.is_some()) {
        let mutable = EventName::new(&site.group.event).mutable();
        let lost = then.modify.iter().map(|(field, _)| field);
        for field in lost.filter(|field| !mutable.contains(&&***field)) {
            let help = match (nearest(field, mutable.iter().copied()), mutable) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, ["tool_input", ..]) => format!(
                    "say `tool_input`, with everything that is in it: `{{\"tool_input\": {{\"{field}\": …}}}}`"
                ),
                (None, []) => "nothing of this event can be changed".to_owned(),
                (None, fields) => format!("what can be changed is `{}`", fields.join("`, `")),
            };
            let message = format!(
                "a new `{field}` has no effect: no hook can change this field at this event"
            );
            notes.push(Note::new(linted.at(site, "then"), message).help(help));
        }
    }
    notes
}

/// Finds a rule that confines something else than shell commands.
pub(super) fn no_shell(linted: &LintTarget<'_>) -> Vec<Note> {
    let confines = rules(linted).filter(|(_, then)| then.confine.is_some());
    let notes = confines.filter_map(|(site, _)| {
        let help = "confine shell commands before they run: `\"pre-tool-use\": [{\"matcher\": \"Bash\", …`";
        Some(Note::new(linted.at(site, "then"), unconfined(&site)?).help(help))
    });
    notes.collect()
}

fn unconfined(site: &HookSite<'_>) -> Option<String> {
    let mutable = EventName::new(&site.group.event).mutable();
    if site.group.spec.is_some() && !mutable.contains(&"tool_input") {
        return Some("no command can be rewritten at this event".to_owned());
    }
    let is_shell =
        |name: &str| canonical(name) == "Bash" && !name.eq_ignore_ascii_case("powershell");
    let mut names = site.group.matcher.names().iter();
    if let Some(other) = names.find(|name| !is_shell(name)) {
        return Some(format!(
            "`{other}` is no shell tool, so nothing of it can run confined"
        ));
    }
    let narrowed = site.entry.when.is_some() || site.entry.only.is_some();
    (site.group.matcher.is_all() && !narrowed).then(|| {
        "this rule confines the calls of every tool, and only shell tools have a command".to_owned()
    })
}

/// Finds a guard whose failure lets the action through.
pub(super) fn soft_guard(linted: &LintTarget<'_>) -> Vec<Note> {
    let notes = linted.commands().filter_map(|(site, command)| {
        let entry = site.entry;
        let lets_through =
            !entry.guard && matches!(entry.on_failure, None | Some(OnFault::Continue));
        let counts = site.class() == Class::Gate && entry.mode == Mode::Enforce;
        let names = [
            entry.name.as_deref(),
            site.group.name.as_deref(),
            Some(&*command.command),
        ];
        let names = names.into_iter().flatten().map(str::to_lowercase);
        let names: Vec<String> = names.filter(|_| lets_through && counts).collect();
        let mut words = names
            .iter()
            .flat_map(|name| name.split(|c: char| !c.is_ascii_alphanumeric()));
        let word = words.find(|word| GUARDS.split('|').any(|guard| guard == *word))?;
        let message =
            format!("`{word}` sounds like a guard, and when this hook fails the action goes on");
        Some(Note::new(entry.at.clone(), message).help(refusing(linted)))
    });
    notes.collect()
}

/// How a file says that a failure refuses.
fn refusing(linted: &LintTarget<'_>) -> String {
    let how = match linted.format.map(|format| format.failure) {
        None => r#""guard": true"#.to_owned(),
        Some(FailurePolicy::Where(field, RefusalValue::True)) => format!(r#""{field}": true"#),
        Some(FailurePolicy::Where(
            field,
            RefusalValue::Word(word) | RefusalValue::Unless(word, _),
        )) => {
            format!(r#""{field}": "{word}""#)
        }
        Some(FailurePolicy::On(_) | FailurePolicy::Never) => {
            return "this agent cannot be told otherwise; a universal hooks.json can".to_owned();
        }
    };
    format!("write `{how}`, so that its failure refuses")
}
