//! What would happen at an event, for programs and for people.

use std::path::PathBuf;

use anyhook::core::hook::WaitMode;
use anyhook::core::matcher::Hit;
use anyhook::core::report::SkipReason;
use anyhook::core::result::Kind;
use anyhook::event::{EventExplanation, HookExplanation, HookPreview, HookSelection, RuleEffect};
use anyhook::layers::Layer;
use anyhook::load::DisabledHook;
use anyhook::processes::Job;
use anyhook::text::word;
use anyhook::trust::TrustedManifest;
use serde_json::{Value, json};

use crate::permits;
use crate::ui::{self, paint, short, visible};
use crate::view;

/// The most effects of a line that are shown, and the most rows of a text.
const MOST: usize = 6;
/// The longest line that is repeated.
const LONGEST: usize = 74;

/// Everything that is known of an event before it happens, with the files that a person has not trusted yet.
pub(super) fn as_json(explained: &EventExplanation, untrusted: &[PathBuf]) -> Value {
    let hooks = explained.hooks.iter();
    let off = explained.off.iter().map(|off| {
        let (info, event) = (&off.hook.info, off.hook.event.as_str());
        json!({"name": info.name, "event": event, "at": view::place(info), "by": off.by.to_string()})
    });
    let remarks = explained.remarks.iter().map(|remark| &*remark.text);
    let told = json!({
        "event": explained.event, "said": explained.said, "effects": explained.effects,
        "hooks": hooks.map(|hook| hook_as_json(explained, hook)).collect::<Value>(),
        "switched_off": off.collect::<Value>(), "remarks": remarks.collect::<Value>(),
        "as_if_trusted": untrusted.iter().map(|file| file.to_string_lossy()).collect::<Value>(),
    });
    joined(
        told,
        permits::as_json(&explained.trusted, &explained.approvals),
    )
}

fn hook_as_json(explained: &EventExplanation, hook: &HookExplanation) -> Value {
    let info = &hook.hook;
    let told = json!({
        "name": info.name, "event": hook.event.as_str(), "at": view::place(info),
        "layer": hook.layer.map(Layer::name), "async": hook.pace == WaitMode::Background,
        "matcher": info.matcher, "guard": info.guard, "shadow": info.shadow, "clause": hook.clause,
        "fires": matches!(hook.fires, HookSelection::Yes { .. }),
    });
    let (hit, turn, by) = match &hook.fires {
        HookSelection::No(why) => {
            return joined(told, json!({"why": why_not(explained, hook, *why)}));
        }
        HookSelection::Yes { hit, turn, by } => (*hit, turn, by),
    };
    let told = joined(told, json!({"turn": turn, "alias": hit == Hit::Alias}));
    joined(
        told,
        match by {
            HookPreview::Process(job) => {
                let (cwd, timeout) = (job.cwd.to_string_lossy(), job.deadline.as_secs_f64());
                json!({"argv": argv(job), "cwd": cwd, "timeout": timeout})
            }
            HookPreview::Ours(says) => json!({"says": says}),
            HookPreview::Fault { fault, .. } => json!({"fault": fault.text}),
        },
    )
}

/// Adds the fields of an object to another one.
fn joined(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn argv(job: &Job) -> Vec<String> {
    let args = job.args.iter().map(AsRef::as_ref);
    let words = std::iter::once(job.program.as_os_str()).chain(args);
    words
        .map(|one| one.to_string_lossy().into_owned())
        .collect()
}

fn why_not(explained: &EventExplanation, hook: &HookExplanation, why: SkipReason) -> String {
    let hooks = explained.hooks.iter();
    let roster: Vec<_> = hooks.map(|hook| hook.hook.clone()).collect();
    anyhook::record::not_asked(&explained.event, &roster, why, &hook.hook)
}

fn is_elsewhere(hook: &HookExplanation) -> bool {
    matches!(hook.fires, HookSelection::No(SkipReason::OtherEvent))
}

/// Returns what answers for a hook that is asked.
fn means(hook: &HookExplanation) -> Option<&HookPreview> {
    match &hook.fires {
        HookSelection::Yes { by, .. } => Some(by),
        HookSelection::No(_) => None,
    }
}

fn is_silent(hook: &HookExplanation) -> bool {
    hook.rule != RuleEffect::Keeps
        && matches!(means(hook), Some(HookPreview::Ours(says)) if says.is_identity())
}

/// Writes the page of an event, or of a shell line: what it does, who answers, and the common answer. The page of an event tells
/// of each hook too.
pub(super) fn page(
    explained: &EventExplanation,
    line: Option<&str>,
    untrusted: &[PathBuf],
    now: i64,
) -> String {
    let mut text = match line {
        Some(line) => paint(ui::BOLD, &short(&ui::line(line), LONGEST)) + "\n\n",
        None => title(explained),
    };
    let does = &explained.sentences;
    text += match (does.as_slice(), line) {
        ([], Some(_)) => "does nothing that a rule asks about\n",
        ([], None) => "",
        (_, Some(_)) => "does\n",
        (_, None) => "\ndoes\n",
    };
    let most = line.map_or(usize::MAX, |_| MOST);
    for one in does.iter().take(most) {
        text += &match line {
            Some(_) => {
                let one = one.strip_suffix(", exact").unwrap_or(one);
                format!("  {}\n", short(&ui::line(one), LONGEST))
            }
            None => ui::wrapped("  ", &visible(one)),
        };
    }
    if let Some(more @ 1..) = does.len().checked_sub(most) {
        text += &format!("  and {more} more\n");
    }
    text += &answers(explained);
    text += &verdict(explained);
    if line.is_none() {
        text += &hooks(explained);
    }
    for remark in &explained.remarks {
        text += &format!("\n{}", ui::warning(&remark.text));
    }
    let told = |kept: &&TrustedManifest| line.is_none() || !kept.is_valid();
    text += &as_if_trusted(explained.trusted.iter().filter(told), explained, untrusted);
    match line {
        Some(_) => text,
        None => text + &permits::page(&explained.trusted, &explained.approvals, now),
    }
}

fn title(explained: &EventExplanation) -> String {
    let event = &explained.event;
    let subject = event.subject.as_deref();
    let subject = subject.map(|subject| format!(" · {}", short(subject, 60)));
    format!(
        "{}{}  {}\n",
        paint(ui::BOLD, &ui::line(event.name.universal())),
        subject.unwrap_or_default(),
        paint(ui::DIM, &ui::line(event.name.as_str())),
    )
}

/// Tells of each hook that has something to say about the event, those that are asked first.
fn hooks(explained: &EventExplanation) -> String {
    let all = explained.hooks.iter();
    let shown = all.filter(|hook| !is_elsewhere(hook) && !is_silent(hook));
    let (asked, passed): (Vec<_>, Vec<_>) = shown.partition(|hook| means(hook).is_some());
    let told = asked.into_iter().chain(passed);
    let mut text: String = told.map(|hook| one(explained, hook)).collect();
    let others = explained.hooks.iter().filter(|hook| is_elsewhere(hook));
    text += &match others.count() {
        0 => String::new(),
        1 => paint(ui::DIM, "\n  1 hook is for other events\n"),
        many => paint(ui::DIM, &format!("\n  {many} hooks are for other events\n")),
    };
    text
}

/// Names the copies that run, and the files that are shown as if a person had trusted them.
fn as_if_trusted<'k>(
    told: impl Iterator<Item = &'k TrustedManifest>,
    explained: &EventExplanation,
    untrusted: &[PathBuf],
) -> String {
    let mut text = String::new();
    for kept in told {
        let [name, copy] = [&kept.manifest, &kept.copy].map(ui::path);
        let head = paint(ui::DIM, "trusted");
        text += &ui::wrapped("", &format!("\n{head}: {name} runs as the copy in {copy}"));
        if !kept.is_valid() {
            text += "  A newer version waits, and the hooks above are those of it: they run after: anyhook trust\n";
        }
    }
    let is_copied = |file: &&PathBuf| !explained.trusted.iter().any(|kept| kept.manifest == **file);
    for file in untrusted.iter().filter(is_copied) {
        let (head, name) = (paint(ui::ASK, "as if trusted"), ui::path(file));
        text += &format!(
            "\n{head}: {name} is not trusted, or changed since.\n  This is what its hooks do after: anyhook trust\n"
        );
    }
    text
}

/// Tells of one hook.
fn one(explained: &EventExplanation, hook: &HookExplanation) -> String {
    let info = &hook.hook;
    let (turn, rule) = match &hook.fires {
        HookSelection::No(_) => ("·".to_owned(), ""),
        HookSelection::Yes { turn, .. } => {
            let rule = match (info.shadow, info.guard) {
                (true, _) => "  shadow: what it says does not count",
                (false, true) => "  guard: its own failure refuses",
                (false, false) => "",
            };
            (turn.to_string(), rule)
        }
    };
    let layer = hook.layer.map(|layer| format!("{} ", layer.name()));
    let (layer, at) = (
        layer.unwrap_or_default(),
        view::place(info).unwrap_or_default(),
    );
    let (name, at) = (
        paint(ui::BOLD, &ui::line(&info.name)),
        paint(ui::DIM, &format!("{rule}  {layer}{at}")),
    );
    let lines = lines(explained, hook);
    let lines = lines.iter().map(|line| ui::wrapped("    ", line));
    format!("\n  {turn} {name}{at}\n{}", lines.collect::<String>())
}

fn lines(explained: &EventExplanation, hook: &HookExplanation) -> Vec<String> {
    let mut lines = Vec::new();
    let clause = hook.clause.as_deref().map(ui::line);
    let (hit, by) = match &hook.fires {
        HookSelection::No(why) => {
            let clause = clause.map(|clause| format!(": `{clause}` is false"));
            let why = visible(&why_not(explained, hook, *why));
            return vec![why + &clause.unwrap_or_default()];
        }
        HookSelection::Yes { hit, by, .. } => (*hit, by),
    };
    let how = if hit == Hit::Alias {
        "selects another name of this tool; an approval would not count"
    } else {
        "selects it"
    };
    let matcher = hook.hook.matcher.as_deref();
    lines.extend(matcher.map(|matcher| format!("matcher `{}` {how}", ui::line(matcher))));
    lines.extend(clause.map(|clause| format!("when `{clause}` holds")));
    match by {
        HookPreview::Process(job) => {
            let words: Vec<String> = argv(job).iter().map(|one| word(one)).collect();
            lines.push(format!("runs {}", ui::line(&words.join(" "))));
            let cwd = ui::path(&job.cwd);
            let timeout = job.deadline.as_secs_f64();
            lines.push(format!("in {cwd}, for at most {timeout} s"));
        }
        HookPreview::Ours(says) => {
            let said = visible(&anyhook::record::said_in_short(says));
            lines.push(format!("starts nothing; says {said}"));
        }
        HookPreview::Fault { fault, refusal } => {
            let fault = visible(&fault.text);
            lines.push(format!("{}: {fault}", paint(ui::DENY, "fails")));
            let told = || paint(ui::DENY, "blocks the action, because it failed");
            lines.extend(refusal.is_some().then(told));
        }
    }
    if hook.pace == WaitMode::Background {
        let told =
            "goes on in the background; what it says comes later, and no verdict of it counts";
        lines.push(told.to_owned());
    }
    lines
}

/// What a hook does, the gravest first.
const WORDS: &[&str] = &[
    "halt", "deny", "ask", "allow", "confines", "changes", "keeps", "fails", "runs", "silent",
];

/// Says in a word what a hook does.
fn word_of(hook: &HookExplanation) -> &'static str {
    match (means(hook), hook.rule) {
        (Some(HookPreview::Ours(says)), _) if says.verdict.kind() != Kind::Continue => {
            says.verdict.kind().as_str()
        }
        (Some(HookPreview::Ours(_)), RuleEffect::Keeps) => "keeps",
        (Some(HookPreview::Ours(says)), _) if says.is_identity() => "silent",
        (Some(HookPreview::Ours(_)), RuleEffect::Confines) => "confines",
        (Some(HookPreview::Ours(_)), RuleEffect::None) => "changes",
        (Some(HookPreview::Fault { .. }), _) => "fails",
        (Some(HookPreview::Process(_)), _) => "runs",
        (None, _) => "silent",
    }
}

/// Names who answers, the gravest first.
fn answers(explained: &EventExplanation) -> String {
    // A guard of ours with nothing to say is no hook of the person's.
    let is_shown = |hook: &&HookExplanation| {
        !(is_elsewhere(hook) || is_silent(hook) && hook.hook.source.is_none())
    };
    let shown = || explained.hooks.iter().filter(is_shown);
    let mut text = "\nanswers\n".to_owned();
    for word in WORDS {
        let names = shown().filter(|hook| word_of(hook) == *word);
        let names: Vec<String> = names.map(|hook| ui::line(&hook.hook.name)).collect();
        if names.is_empty() {
            continue;
        }
        let told = names.join(", ");
        let told = match *word {
            "confines" => format!("{told}: the command runs held by the kernel"),
            "keeps" => format!("{told}: what may be lost is kept before, for anyhook undo"),
            "runs" => format!("{told}, which is not started here"),
            "silent" => ui::many(names.len(), "hook"),
            _ => told,
        };
        text += &ui::beside(&format!("  {word:<9}"), 11, &told);
    }
    if shown().next().is_none() {
        text += "  no hook is asked\n";
    }
    let is_about = |off: &&DisabledHook| off.hook.event.covers(&explained.event.name);
    let off = explained.off.iter().filter(is_about);
    let off = off.map(|off| format!("{}, by {}", ui::line(&off.hook.info.name), off.by));
    let off: Vec<String> = off.collect();
    if !off.is_empty() {
        text += &ui::beside("  off      ", 11, &visible(&off.join("; ")));
    }
    text
}

/// What the built-in guards and the rules say together.
fn verdict(explained: &EventExplanation) -> String {
    let verdict = &explained.said.verdict;
    let style = match verdict.kind() {
        Kind::Continue | Kind::Allow => ui::PASS,
        kind => view::style(kind),
    };
    let runs = |hook: &HookExplanation| matches!(means(hook), Some(HookPreview::Process(_)));
    let is_open = |hook: &HookExplanation| runs(hook) && !hook.hook.shadow;
    let changes = |hook: &HookExplanation| matches!(means(hook), Some(HookPreview::Ours(says)) if !says.is_identity());
    let said = match verdict.text() {
        text if !text.is_empty() => visible(&text),
        _ if explained.hooks.iter().any(is_open) => {
            "unless what runs says otherwise: it is not started here".to_owned()
        }
        _ if explained.hooks.iter().any(changes) => {
            "with what a hook adds or changes: anyhook explain --json shows it".to_owned()
        }
        _ => "no guard objects".to_owned(),
    };
    let body = ui::wrapped("  ", &said);
    let mut rows = body.split_inclusive('\n');
    let shown: String = rows.by_ref().take(MOST).collect();
    let cut = if rows.next().is_some() { "  …\n" } else { "" };
    format!("\n{}\n{shown}{cut}", paint(style, verdict.kind().as_str()))
}
