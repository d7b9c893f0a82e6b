//! What would happen at an event: the facts, and two pages that are made from them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhook::core::hook::Pace;
use anyhook::core::matcher::Hit;
use anyhook::core::report::{Heading, WhyNot};
use anyhook::core::result::{HookResult, Kind};
use anyhook::event::{Explained, Explanation, Fires, Means};
use anyhook::layers::Layer;
use anyhook::text::word;
use anyhook::trust::Kept;
use serde::Serialize;
use serde_json::Value;

use crate::permits::Permits;
use crate::ui::{self, paint, short, visible};
use crate::view;

/// The most effects that a screen shows, and the most rows of a text.
const MOST: usize = 6;
/// The longest line of a screen that is repeated.
const LONGEST: usize = 74;

/// Everything that is known of an event before it happens.
#[derive(Serialize)]
pub(super) struct Facts<'e> {
    event: &'e Heading,
    said: &'e HookResult,
    effects: Value,
    pub(super) hooks: Vec<OfHook<'e>>,
    switched_off: Vec<Off<'e>>,
    remarks: Vec<String>,
    as_if_trusted: &'e [PathBuf],
    #[serde(flatten)]
    permits: Permits,
    /// What the call does, in words.
    #[serde(skip)]
    does: Vec<String>,
}

/// A hook that is switched off.
#[derive(Serialize)]
struct Off<'e> {
    name: &'e str,
    event: &'e str,
    at: Option<String>,
    by: String,
    /// Whether it is about this event.
    #[serde(skip)]
    is_about: bool,
}

/// One hook.
#[derive(Serialize)]
pub(super) struct OfHook<'e> {
    name: &'e str,
    event: &'e str,
    at: Option<String>,
    layer: Option<&'static str>,
    r#async: bool,
    matcher: Option<&'e str>,
    guard: bool,
    shadow: bool,
    clause: Option<&'e str>,
    pub(super) fires: bool,
    #[serde(flatten)]
    turn: Option<Turn>,
    #[serde(flatten)]
    comes: Comes<'e>,
}

/// When a hook is asked.
#[derive(Serialize)]
struct Turn {
    turn: usize,
    alias: bool,
}

/// What asking a hook comes to.
#[derive(Serialize)]
#[serde(untagged)]
enum Comes<'e> {
    Not {
        why: String,
        #[serde(skip)]
        is_elsewhere: bool,
    },
    Runs {
        argv: Vec<Cow<'e, str>>,
        cwd: &'e Path,
        timeout: f64,
    },
    Says {
        says: &'e HookResult,
    },
    Fails {
        fault: &'e str,
        #[serde(skip)]
        blocks: bool,
    },
}

impl<'e> Facts<'e> {
    pub(super) fn of(explained: &'e Explained, untrusted: &'e [PathBuf]) -> Self {
        let off = explained.off.iter().map(|off| Off {
            name: &off.hook.info.name,
            event: off.hook.event.as_str(),
            at: view::place(&off.hook.info),
            by: off.by.to_string(),
            is_about: off.hook.event.covers(&explained.event.name),
        });
        let hooks = explained.hooks.iter();
        let remarks = explained.remarks.iter();
        Self {
            event: &explained.event,
            said: &explained.said,
            effects: serde_json::to_value(&explained.effects).unwrap_or_default(),
            hooks: hooks.map(|hook| OfHook::of(explained, hook)).collect(),
            switched_off: off.collect(),
            remarks: remarks.map(|remark| remark.text.clone()).collect(),
            as_if_trusted: untrusted,
            permits: Permits::about(&explained.trusted, &explained.approvals),
            does: explained.sentences(),
        }
    }
}

impl<'e> OfHook<'e> {
    fn of(explained: &'e Explained, hook: &'e Explanation) -> Self {
        let info = &hook.hook;
        let (turn, comes) = match &hook.fires {
            Fires::No(why) => (None, Comes::not(explained, hook, *why)),
            Fires::Yes { hit, turn, by } => {
                let (turn, alias) = (*turn, *hit == Hit::Alias);
                (Some(Turn { turn, alias }), Comes::of(by))
            }
        };
        Self {
            name: &info.name,
            event: hook.event.as_str(),
            at: view::place(info),
            layer: hook.layer.map(Layer::name),
            r#async: hook.pace == Pace::Background,
            matcher: info.matcher.as_deref(),
            guard: info.guard,
            shadow: info.shadow,
            clause: hook.clause.as_deref(),
            fires: turn.is_some(),
            turn,
            comes,
        }
    }
}

impl<'e> Comes<'e> {
    fn not(explained: &Explained, hook: &Explanation, why: WhyNot) -> Self {
        let hooks = explained.hooks.iter();
        let roster: Vec<_> = hooks.map(|hook| hook.hook.clone()).collect();
        Self::Not {
            why: anyhook::record::not_asked(&explained.event, &roster, why, &hook.hook),
            is_elsewhere: why == WhyNot::OtherEvent,
        }
    }

    fn of(by: &'e Means) -> Self {
        match by {
            Means::Process(job) => {
                let args = job.args.iter().map(AsRef::as_ref);
                let words = std::iter::once(job.program.as_os_str()).chain(args);
                Self::Runs {
                    argv: words.map(std::ffi::OsStr::to_string_lossy).collect(),
                    cwd: &job.cwd,
                    timeout: job.deadline.as_secs_f64(),
                }
            }
            Means::Ours(says) => Self::Says { says },
            Means::Fault { fault, refusal } => Self::Fails {
                fault: &fault.text,
                blocks: refusal.is_some(),
            },
        }
    }

    fn is_elsewhere(&self) -> bool {
        matches!(
            self,
            Self::Not {
                is_elsewhere: true,
                ..
            }
        )
    }
}

/// Writes the page of an event.
pub(super) fn page(facts: &Facts<'_>, trusted: &[Kept], now: i64) -> String {
    let subject = facts.event.subject.as_deref();
    let subject = subject.map(|subject| format!(" · {}", short(subject, 60)));
    let mut text = format!(
        "{}{}  {}\n",
        paint(ui::BOLD, &ui::line(facts.event.name.universal())),
        subject.unwrap_or_default(),
        paint(ui::DIM, &ui::line(facts.event.name.as_str())),
    );
    for (at, line) in facts.does.iter().enumerate() {
        text += if at == 0 { "\n" } else { "" };
        text += &ui::wrapped("  ", &visible(line));
    }
    let is_silent = |comes: &Comes<'_>| matches!(comes, Comes::Says { says } if says.is_identity());
    let shown = |hook: &&OfHook<'_>| !hook.comes.is_elsewhere() && !is_silent(&hook.comes);
    let (asked, passed): (Vec<_>, Vec<_>) = facts
        .hooks
        .iter()
        .filter(shown)
        .partition(|hook| hook.fires);
    if asked.is_empty() {
        text += "\n  no hook is asked\n";
    }
    text.extend(asked.into_iter().chain(passed).map(told));
    for off in facts.switched_off.iter().filter(|off| off.is_about) {
        let (name, by) = (ui::line(off.name), ui::line(&off.by));
        let at = paint(ui::DIM, off.at.as_deref().unwrap_or_default());
        text += &format!("\n  · {name}  {at}\n    switched off by {by}\n");
    }
    match facts
        .hooks
        .iter()
        .filter(|hook| hook.comes.is_elsewhere())
        .count()
    {
        0 => {}
        1 => text += &paint(ui::DIM, "\n  1 hook is for other events\n"),
        many => text += &paint(ui::DIM, &format!("\n  {many} hooks are for other events\n")),
    }
    for remark in &facts.remarks {
        text += &format!("\n{}", ui::warning(remark));
    }
    text + &as_if_trusted(facts.as_if_trusted, trusted) + &facts.permits.page(now)
}

/// Names the copies that run, and the files that are shown as if a person had trusted them.
fn as_if_trusted(untrusted: &[PathBuf], trusted: &[Kept]) -> String {
    let mut text = String::new();
    for kept in trusted {
        let [name, copy] =
            [&kept.manifest, &kept.copy].map(|file| ui::line(&file.to_string_lossy()));
        let head = paint(ui::DIM, "trusted");
        text += &ui::wrapped("", &format!("\n{head}: {name} runs as the copy in {copy}"));
        if !kept.is_valid() {
            text += "  A newer version waits, and the hooks above are those of it: they run after: anyhook trust\n";
        }
    }
    let is_copied = |file: &&PathBuf| !trusted.iter().any(|kept| kept.manifest == **file);
    for file in untrusted.iter().filter(is_copied) {
        let (head, name) = (
            paint(ui::ASK, "as if trusted"),
            ui::line(&file.to_string_lossy()),
        );
        text += &format!(
            "\n{head}: {name} is not trusted, or changed since.\n  This is what its hooks do after: anyhook trust\n"
        );
    }
    text
}

/// Tells of one hook.
fn told(hook: &OfHook<'_>) -> String {
    let turn = hook
        .turn
        .as_ref()
        .map_or("·".to_owned(), |turn| turn.turn.to_string());
    let rule = match (hook.fires, hook.shadow, hook.guard) {
        (true, true, _) => "  shadow: what it says does not count",
        (true, false, true) => "  guard: its own failure refuses",
        (true, false, false) | (false, ..) => "",
    };
    let layer = hook
        .layer
        .map(|layer| format!("{layer} "))
        .unwrap_or_default();
    let at = format!("{rule}  {layer}{}", hook.at.as_deref().unwrap_or_default());
    let name = paint(ui::BOLD, &ui::line(hook.name));
    let mut text = format!("\n  {turn} {name}{}\n", paint(ui::DIM, &at));
    text.extend(lines(hook).iter().map(|line| ui::wrapped("    ", line)));
    text
}

fn lines(hook: &OfHook<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let clause = hook.clause.map(ui::line);
    if let Some(turn) = &hook.turn {
        let how = if turn.alias {
            "selects another name of this tool; an approval would not count"
        } else {
            "selects it"
        };
        lines.extend(
            hook.matcher
                .map(|matcher| format!("matcher `{}` {how}", ui::line(matcher))),
        );
        lines.extend(
            clause
                .as_ref()
                .map(|clause| format!("when `{clause}` holds")),
        );
    }
    match &hook.comes {
        Comes::Not { why, .. } => {
            let clause = clause.map(|clause| format!(": `{clause}` is false"));
            lines.push(visible(why) + &clause.unwrap_or_default());
        }
        Comes::Runs { argv, cwd, timeout } => {
            let words: Vec<String> = argv.iter().map(|one| word(one)).collect();
            lines.push(format!("runs {}", ui::line(&words.join(" "))));
            let cwd = ui::line(&cwd.to_string_lossy());
            lines.push(format!("in {cwd}, for at most {timeout} s"));
        }
        Comes::Says { says } => {
            let said = visible(&anyhook::record::said_in_short(says));
            lines.push(format!("starts nothing; says {said}"));
        }
        Comes::Fails { fault, blocks } => {
            lines.push(format!("{}: {}", paint(ui::DENY, "fails"), visible(fault)));
            let told = || paint(ui::DENY, "blocks the action, because it failed");
            lines.extend(blocks.then(told));
        }
    }
    if hook.fires && hook.r#async {
        let told =
            "goes on in the background; what it says comes later, and no verdict of it counts";
        lines.push(told.to_owned());
    }
    lines
}

/// Writes one screen about a shell line: what it does, and which guard answers.
pub(super) fn screen(line: &str, facts: &Facts<'_>) -> String {
    let mut text = format!("{}\n\n", paint(ui::BOLD, &short(&ui::line(line), LONGEST)));
    text += match &*facts.does {
        [] => "does nothing that a rule asks about\n",
        _ => "does\n",
    };
    for one in facts.does.iter().take(MOST) {
        let one = one.strip_suffix(", exact").unwrap_or(one);
        text += &format!("  {}\n", short(&ui::line(one), LONGEST));
    }
    if let Some(more @ 1..) = facts.does.len().checked_sub(MOST) {
        text += &format!("  and {more} more\n");
    }
    text += &answers(facts);
    let off = facts.switched_off.iter().filter(|off| off.is_about);
    let off: Vec<String> = off.map(|off| ui::line(off.name)).collect();
    if !off.is_empty() {
        text += &ui::beside("  off     ", 10, &off.join(", "));
    }
    text += &verdict(facts);
    if let Some(remark) = facts.remarks.first() {
        text += &ui::wrapped("", &format!("\nwarning: {}", visible(remark)));
    }
    if !facts.as_if_trusted.is_empty() {
        let files = ui::many(facts.as_if_trusted.len(), "file");
        text += &format!(
            "\nas if trusted: {files} that an agent would not obey before: anyhook trust\n"
        );
    }
    text
}

/// Names who answers, the gravest first.
fn answers(facts: &Facts<'_>) -> String {
    let rank = |hook: &OfHook<'_>| match &hook.comes {
        Comes::Not { .. } => (3, Reverse(Kind::Continue)),
        Comes::Says { says } if says.is_identity() => (3, Reverse(Kind::Continue)),
        Comes::Says { says } => (0, Reverse(says.verdict.kind())),
        Comes::Fails { .. } => (1, Reverse(Kind::Continue)),
        Comes::Runs { .. } => (2, Reverse(Kind::Continue)),
    };
    // A guard of ours with nothing to say is no hook of the person's.
    let is_shown = |hook: &&OfHook<'_>| {
        let is_silent = matches!(&hook.comes, Comes::Says { says } if says.is_identity());
        !(hook.comes.is_elsewhere() || is_silent && hook.at.is_none())
    };
    let own = facts.hooks.iter().filter(is_shown);
    let mut all: Vec<_> = own.map(|hook| (rank(hook), ui::line(hook.name))).collect();
    all.sort_by_key(|(rank, _)| *rank);
    let mut text = "\nanswers\n".to_owned();
    for group in all.chunk_by(|one, other| one.0 == other.0) {
        let names: Vec<&str> = group.iter().map(|(_, name)| &**name).collect();
        let told = names.join(", ");
        let (word, told) = match group.first().map(|(rank, _)| *rank) {
            Some((0, Reverse(kind))) => (kind.as_str(), told),
            Some((1, _)) => ("fails", told),
            Some((2, _)) => ("runs", format!("{told}, which is not started here")),
            _ => ("silent", ui::many(names.len(), "hook")),
        };
        text += &ui::beside(&format!("  {word:<8}"), 10, &told);
    }
    if all.is_empty() {
        text += "  no hook is asked\n";
    }
    text
}

/// What the built-in guards and the rules say together.
fn verdict(facts: &Facts<'_>) -> String {
    let verdict = &facts.said.verdict;
    let style = match verdict.kind() {
        Kind::Continue | Kind::Allow => ui::PASS,
        kind => view::style(kind),
    };
    let is_open = |hook: &OfHook<'_>| matches!(hook.comes, Comes::Runs { .. }) && !hook.shadow;
    let said = match verdict.text() {
        text if !text.is_empty() => visible(&text),
        _ if facts.hooks.iter().any(is_open) => {
            "unless what runs says otherwise: it is not started here".to_owned()
        }
        _ => "no guard has a word against it".to_owned(),
    };
    let body = ui::wrapped("  ", &said);
    let mut rows = body.split_inclusive('\n');
    let shown: String = rows.by_ref().take(MOST).collect();
    let cut = if rows.next().is_some() { "  …\n" } else { "" };
    format!("\n{}\n{shown}{cut}", paint(style, verdict.kind().as_str()))
}
