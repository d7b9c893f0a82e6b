//! What a person reads before a package is trusted: what its hooks do, not only their names.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Manifest, RuleAnswer, SnapshotMode, UnknownPolicy};
use anyhook::core::result::Kind;
use anyhook::load;
use anyhook::models::ConfiguredModel;
use anyhook::sandbox::capabilities;
use anyhook::trust::TrustPin;
use anyhook::world::World;

use crate::ui::{self, paint};
use crate::view;

/// So many lines of a script are shown before a person asks for all.
const FIRST: usize = 8;
/// Of more scripts than these, a person reads the names before asking for all.
const FEW: usize = 3;
/// Of more hooks than these, each is one line before a person asks for all.
const FEW_HOOKS: usize = 5;
/// How wide the names of the parts of a hook are.
const WIDE: usize = 14;

/// How much of each script is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptPreview {
    /// Its first lines.
    First,
    /// All of it.
    Whole,
}

/// Writes what a manifest would do, with its scripts; `before` is what a person trusted in its place.
pub(crate) fn page(
    file: &Path,
    manifest: &Manifest,
    before: Option<&Manifest>,
    looked: &TrustPin,
    scripts: ScriptPreview,
) -> String {
    let hooks = load::hooks(manifest, file);
    let before = before.map_or_else(Vec::new, |before| load::hooks(before, file));
    let mut text = format!("{}\n", paint(ui::BOLD, &ui::path(file)));
    text.push_str(&unit(looked));
    text.push_str(&allows(&hooks));
    let is_brief = hooks.len() > FEW_HOOKS && scripts == ScriptPreview::First;
    for hook in &hooks {
        text.push_str(&if is_brief {
            in_one_line(hook)
        } else {
            one(hook)
        });
        text.push_str(&grown(hook, &before));
    }
    let is_many = looked.runs.len() > FEW && scripts == ScriptPreview::First;
    if is_brief {
        text.push_str(&may_touch_all(&hooks));
    } else if is_many {
        let title = "scripts; answer v to read them";
        text.push_str(&listed(ui::DIM, title, &looked.runs));
    } else {
        let scripts = looked
            .runs
            .iter()
            .map(|name| script(&looked.root, name, scripts));
        text.extend(scripts);
    }
    for (style, title, names) in limits(looked) {
        text.push_str(&listed(style, title, &names));
    }
    text.push_str(&unconfined(file, &hooks));
    text.push_str(&counts(&hooks, looked));
    text
}

/// Says how the commands of a file of ours are confined, where some are not.
fn unconfined(file: &Path, hooks: &[Hook]) -> String {
    let is_open =
        |hook: &&Hook| matches!(hook.action(), Some(Action::Command(_))) && hook.sandbox.is_none();
    match hooks.iter().filter(is_open).count() {
        0 => String::new(),
        _ if !file.ends_with("hooks.json") => String::new(),
        open => {
            let open = ui::many(open, "command");
            let told = format!(
                "{open} unconfined: with `\"sandbox\": {{}}` in the file the kernel keeps them in the project"
            );
            format!("\n{}", ui::wrapped("  ", &told))
        }
    }
}

/// Says what is trusted together.
fn unit(looked: &TrustPin) -> String {
    let files = ui::many(looked.files.len(), "file");
    let what = if looked.whole {
        format!("a package: {files}, every one of its folder")
    } else {
        format!("part of a project: {files}, the manifest and what it runs")
    };
    let digest = format!("digest {}", looked.digest());
    format!("  {what}\n  {}\n", paint(ui::DIM, &digest))
}

/// What would happen without a question to the person stands first.
fn allows(hooks: &[Hook]) -> String {
    let mut text = String::new();
    for hook in hooks {
        let Some(Action::Rule(then)) = hook.action() else {
            continue;
        };
        let Some((Kind::Allow, why)) = &then.verdict else {
            continue;
        };
        let when = hook.condition.as_deref().unwrap_or("true");
        let matcher = hook.info.matcher.as_deref().unwrap_or("*");
        let told = format!(
            "{} of `{}` when `{}`: {}",
            ui::line(hook.event.universal()),
            ui::line(matcher),
            ui::line(when),
            ui::line(why),
        );
        text.push_str(&format!(
            "  {} {told}\n",
            paint(ui::DENY, "allows without asking you:")
        ));
    }
    text
}

fn one(hook: &Hook) -> String {
    let matcher = hook.info.matcher.as_deref().unwrap_or("*");
    let mut text = format!(
        "\n  {} {} {}\n",
        ui::line(hook.event.universal()),
        paint(ui::BOLD, &ui::line(&hook.info.name)),
        paint(ui::DIM, &ui::line(matcher)),
    );
    if let Some(when) = hook.condition.as_deref() {
        text.push_str(&part("when", when));
    }
    if let Some(only) = &hook.only {
        text.push_str(&part("only if", only.matcher.as_str()));
    }
    let lines = does(hook).into_iter();
    text.extend(lines.map(|(style, name, text)| styled(style, name, &text)));
    text.push_str(&part("may touch", &may_touch(hook)));
    text
}

/// A hook in one line: where it is asked, its name, and what it does first.
fn in_one_line(hook: &Hook) -> String {
    let matcher = hook.info.matcher.as_deref().unwrap_or("*");
    let (event, name) = (hook.event.universal(), &hook.info.name);
    let names = [event, name, matcher].map(ui::line).join(" ");
    let does = does(hook).into_iter().next();
    let does = does.map_or_else(String::new, |(_, name, text)| format!("{name} {text}"));
    let room = ui::width().saturating_sub(names.chars().count() + 4);
    let does = ui::short(&ui::line(&does), room.max(16));
    format!("  {names}  {does}\n")
}

/// Says once for all hooks what they may touch.
fn may_touch_all(hooks: &[Hook]) -> String {
    let mut all: Vec<String> = hooks.iter().map(may_touch).collect();
    all.sort();
    all.dedup();
    let told = all.iter().map(|touched| part("may touch", touched));
    let more = paint(
        ui::DIM,
        "answer v for all that each does, and to read the scripts",
    );
    format!("{}  {more}\n", told.collect::<String>())
}

/// Says that a hook may touch more than when it was trusted, and what it was then.
fn grown(hook: &Hook, before: &[Hook]) -> String {
    let mut before = before.iter();
    let was = before.find(|was| was.event == hook.event && was.info.name == hook.info.name);
    let Some(was) = was.filter(|_| matches!(hook.action(), Some(Action::Command(_)))) else {
        return String::new();
    };
    let was = was.sandbox.as_deref();
    let is_within = match (hook.sandbox.as_deref(), was) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(now), Some(was)) => now.is_within(was),
    };
    if is_within {
        return String::new();
    }
    styled(ui::DENY, "more than", &capabilities(was))
}

/// What a hook may reach.
fn may_touch(hook: &Hook) -> String {
    match hook.action() {
        Some(Action::Command(_)) => capabilities(hook.sandbox.as_deref()),
        Some(Action::Prompt(_)) => "nothing here; the event goes to the model".to_owned(),
        Some(Action::Http(http)) => {
            let mut told = format!("nothing here; the event goes to {}", http.host());
            if !http.variables.is_empty() {
                told.push_str(&format!(
                    " with the values of {}",
                    http.variables.join(", ")
                ));
            }
            told
        }
        Some(Action::Rule(_) | Action::Builtin(_) | Action::Broken(_)) | None => {
            "nothing: it starts no process".to_owned()
        }
    }
}

/// A line about a hook: how its name is shown, the name, and the text.
type PreviewLine = (anstyle::Style, &'static str, String);

/// Says what a hook does.
fn does(hook: &Hook) -> Vec<PreviewLine> {
    match hook.action() {
        Some(Action::Command(command)) => {
            let args = command.args.iter().flatten();
            let words = std::iter::once(&command.command).chain(args);
            let words: Vec<&str> = words.map(String::as_str).collect();
            vec![(ui::DIM, "runs", words.join(" "))]
        }
        Some(Action::Prompt(prompt)) => {
            let model = ConfiguredModel::of(&World::real()).settings;
            let model = model.map_or_else(|why| format!("none yet: {why}"), |set| set.model);
            vec![
                (ui::DIM, "asks a model", model),
                (ui::DIM, "with", prompt.prompt.clone()),
            ]
        }
        Some(Action::Http(http)) => vec![(ui::DIM, "asks the server", http.url.clone())],
        Some(Action::Rule(then)) => says(then),
        Some(Action::Builtin(builtin)) => {
            let config = serde_json::to_string(&builtin.config).unwrap_or_default();
            vec![(ui::DIM, "module", format!("{} {config}", builtin.module))]
        }
        Some(Action::Broken(why)) => vec![(ui::DIM, "does not run:", why.clone())],
        None => Vec::new(),
    }
}

/// Says what a rule says and does.
fn says(then: &RuleAnswer) -> Vec<PreviewLine> {
    let mut lines = Vec::new();
    if let Some((kind, why)) = &then.verdict {
        let style = if *kind == Kind::Allow {
            ui::DENY
        } else {
            view::style(*kind)
        };
        lines.push((style, kind.as_str(), why.clone()));
    }
    let rewrites = then.modify.iter();
    lines.extend(
        rewrites.map(|(field, value)| (ui::CHANGE, "rewrites", format!("{field} = {value}"))),
    );
    let told = then.inject.iter().map(ToString::to_string);
    lines.extend(told.map(|text| (ui::CHANGE, "to the model", text)));
    let told = then.notify.iter().map(ToString::to_string);
    lines.extend(told.map(|text| (ui::DIM, "to you", text)));
    lines.extend(then.marks.iter().map(|mark| {
        let does = if mark.lasts.is_some() {
            "marks"
        } else {
            "unmarks"
        };
        (ui::DIM, does, mark.name.clone())
    }));
    let unknown = match then.unknown {
        Some(UnknownPolicy::Ask) => Some("asks you instead"),
        Some(UnknownPolicy::Confine) => Some("runs confined instead"),
        Some(UnknownPolicy::Snapshot) | None => None,
    };
    lines.extend(unknown.map(|does| (ui::DIM, "unknown", does.to_owned())));
    if then.keeps() != SnapshotMode::No {
        lines.push((ui::DIM, "keeps", "what it may destroy".to_owned()));
    }
    lines
}

fn part(name: &str, text: &str) -> String {
    styled(ui::DIM, name, text)
}

/// Writes a part of a hook: what goes on in other lines stands below its begin.
fn styled(style: anstyle::Style, name: &str, text: &str) -> String {
    let gap = " ".repeat(WIDE.saturating_sub(name.len()));
    let before = format!("    {}{gap}", paint(style, name));
    let text = if text.is_empty() { "(empty)" } else { text };
    ui::beside(&before, WIDE + 4, &ui::visible(text))
}

fn script(root: &Path, name: &str, how: ScriptPreview) -> String {
    let title = paint(ui::BOLD, &ui::line(name));
    let Ok(bytes) = std::fs::read(root.join(name)) else {
        return format!("\n  {title} cannot be read\n");
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return format!("\n  {title} is a program and no text\n");
    };
    let all = text.lines().count();
    let shown = match how {
        ScriptPreview::First => FIRST,
        ScriptPreview::Whole => all,
    };
    let mut page = format!("\n  {title} {}\n", paint(ui::DIM, &ui::many(all, "line")));
    for line in text.lines().take(shown) {
        page.push_str(&format!("    │ {}\n", ui::line(line)));
    }
    if all > shown {
        let more = format!(
            "    … {} more; answer v to read all",
            ui::many(all - shown, "line")
        );
        page.push_str(&format!("{}\n", paint(ui::DIM, &more)));
    }
    page
}

fn listed(style: anstyle::Style, title: &str, names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("    {}\n", ui::line(name)))
        .collect();
    format!("\n  {}:\n{}", paint(style, title), names.concat())
}

/// What a copy does not stand in for: each list with its title.
pub(crate) fn limits(looked: &TrustPin) -> Vec<(anstyle::Style, &'static str, Vec<String>)> {
    let all = [
        (ui::ASK, "not covered", looked.loose.clone()),
        (
            ui::DIM,
            "run where they stand, and compared before each run",
            gathered(&looked.checked),
        ),
    ];
    all.into_iter()
        .filter(|(_, _, names)| !names.is_empty())
        .collect()
}

/// Writes the files of a package manager's folder as one line.
fn gathered(files: &[String]) -> Vec<String> {
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let ends = ["node_modules/", ".venv/", "venv/"];
        let end = ends
            .iter()
            .find_map(|name| Some(file.find(name)? + name.len() - 1));
        let name = end.and_then(|end| file.get(..end)).unwrap_or(file);
        *all.entry(name).or_default() += 1;
    }
    let told = all.into_iter().map(|(name, count)| match count {
        1 => name.to_owned(),
        many => format!("{name} ({})", ui::many(many, "file")),
    });
    told.collect()
}

fn counts(hooks: &[Hook], looked: &TrustPin) -> String {
    let of = |test: fn(&Action) -> bool| {
        let actions = hooks.iter().filter_map(Hook::action);
        actions.filter(|action| test(action)).count()
    };
    let counted = [
        (of(|action| matches!(action, Action::Command(_))), "command"),
        (of(|action| matches!(action, Action::Rule(_))), "rule"),
        (of(|action| matches!(action, Action::Prompt(_))), "prompt"),
        (of(|action| matches!(action, Action::Http(_))), "server"),
        (of(|action| matches!(action, Action::Builtin(_))), "module"),
        (looked.runs.len(), "script"),
        (looked.files.len(), "file"),
    ];
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counted
        .map(|(count, what)| ui::many(*count, what))
        .collect();
    let hooks = ui::many(hooks.len(), "hook");
    format!("\n  {hooks}: {}\n", counted.join(", "))
}
