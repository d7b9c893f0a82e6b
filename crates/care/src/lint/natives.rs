//! What an agent makes of its own file: fields that it does not know, places where it does not look, files that it drops.

use anyhook_core::manifest::{Action, Group, LineIndex, Place};
use anyhook_core::taxonomy::nearest;
use anyhook_wires::native_files::{MatcherSyntax, NativeFormat, Syntax};
use anyhook_wires::settings::SettingsFile;

use super::Note;
use super::linted::{LintTarget, event_of};

/// Fields that agents agree about.
const KNOWN: &[&str] = &[
    "type", "matcher", "hooks", "prompt", "args", "env", "async", "shell",
];

/// Fields of agents that are read by them, and not here.
const THEIRS: &str = "statusMessage once model description url headers allowedEnvVars id comment agent failClosed \
                      loop_limit version title tags enabled onFailure rewakeMessage rewakeSummary commandWindows \
                      command_windows powershell windows";

/// What Codex knows at the top of its file, and the names of one field of which a hook has one: it reads the file strictly.
const CODEX: &str = ".codex/hooks.json";
const CODEX_TOP: [&str; 2] = ["description", "hooks"];
const CODEX_TWINS: [&str; 2] = ["commandWindows", "command_windows"];
const CODEX_TYPES: [&str; 4] = ["command", "mcp_tool", "prompt", "agent"];

/// The types of hooks that Claude Code knows and Anyhook does not run: nothing is said of them.
const CLAUDE_TYPES: &[&str] = &["prompt", "http", "agent", "mcp_tool"];

/// Finds what is nearly a field in the file of an agent; what is far from any may be one that we do not know.
pub(super) fn unknown_field(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let unread = format.unread(linted.text, Syntax::of(linted.file));
    let unread = unread.into_iter().chain(misspelt_hooks(linted));
    let notes = unread.filter_map(|(at, field)| {
        let known = format.timeout.fields.iter().chain(KNOWN).copied();
        let known = format.commands_here().chain(known);
        let near = nearest(&field, known)?;
        let is_judged = field.len() > 3 && !THEIRS.split(' ').any(|theirs| theirs == field);
        let message = format!("`{}` does not know the field `{field}`", format.host);
        let note = Note::new(at, message).error();
        is_judged.then(|| note.help(format!("did you mean `{near}`?")))
    });
    notes.collect()
}

/// Finds what is nearly the name of the list of hooks, at the top of a file that has none.
fn misspelt_hooks(linted: &LintTarget<'_>) -> Option<(Place, String)> {
    let top = Syntax::of(linted.file).as_json(linted.text)?;
    let top = top.as_object()?;
    let mut keys = top.keys().filter(|_| !top.contains_key("hooks"));
    let key = keys.find(|key| nearest(key, ["hooks"].into_iter()).is_some())?;
    let at = linted.text.find(&format!("\"{key}\""))?;
    let place = LineIndex::new(0, linted.text).place(at..at + key.len() + 2);
    Some((place, key.clone()))
}

/// Finds a matcher where the host of a file looks at none; of universal files their reader says it.
pub(super) fn useless_matcher(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let notes = linted.manifest.groups.iter().filter_map(|group| {
        let native = &group.speaks.as_ref()?.native;
        let form = format.events.iter().find(|form| form.native == &**native);
        let at = linted.document.field(&group.at, "matcher")?;
        // What selects everything says what holds anyway.
        let text = group.matcher_text.as_deref().map(str::trim);
        let blind = format.matching == MatcherSyntax::Nothing
            || form.is_some_and(|form| form.at.is_none() && form.tools.is_none());
        let is_judged = blind && !matches!(text, Some("" | "*" | "**"));
        let message = format!("`{}` looks at no matcher on `{native}`", format.host);
        let help = "leave it out: the hook runs on every such event";
        is_judged.then(|| Note::new(at, message).help(help))
    });
    notes.collect()
}

/// Finds events at a place of the file where its agent does not look.
pub(super) fn misplaced_events(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let Some(file) = settings_file(linted, format) else {
        return Vec::new();
    };
    let is_at_top = file.at.is_empty();
    let is_below = |group: &Group| linted.document.is_below("hooks", &group.at);
    let groups = linted.manifest.groups.iter();
    let notes = groups
        .filter(|group| is_below(group) == is_at_top)
        .map(|group| {
            let event = event_of(group);
            let message = format!(
                "`{}` ignores `{event}` at this place of the file",
                format.host
            );
            Note::new(group.at.clone(), message).help(if is_at_top {
                "take the events out of `hooks`, to the top of the file"
            } else {
                "put the events below `hooks`"
            })
        });
    notes.collect()
}

/// Returns what is known of a file whose agent has one file with the events at the top, and another one.
fn settings_file(linted: &LintTarget<'_>, format: &NativeFormat) -> Option<&'static SettingsFile> {
    let settings = anyhook_wires::host(format.host)?.facts().settings?;
    let mut files = settings.files.iter();
    files.find(|file| file.at.is_empty())?;
    let ends = |file: &&SettingsFile| linted.file.ends_with(file.path.trim_start_matches("~/"));
    settings.files.iter().find(ends)
}

/// Finds what Codex cannot read, so that it runs no hook of the file.
pub(super) fn dropped_file(linted: &LintTarget<'_>) -> Vec<Note> {
    if !linted.file.ends_with(CODEX) {
        return Vec::new();
    }
    let unknown = linted.document.top_keys().into_iter();
    let unknown = unknown.filter(|(key, _)| !CODEX_TOP.contains(&key.as_str()));
    let unknown = unknown.map(|(key, at)| (format!("`{key}` at the top"), at));
    let twice = linted.sites().filter_map(|site| {
        let [one, other] = CODEX_TWINS;
        linted.document.field(&site.entry.at, one)?;
        let at = linted.document.field(&site.entry.at, other)?;
        Some((format!("`{one}` and `{other}` in one hook"), at))
    });
    let types = linted.sites().filter_map(|site| {
        let kind = linted.document.text(&site.entry.at, "type")?;
        let at = linted.document.field(&site.entry.at, "type")?;
        (!CODEX_TYPES.contains(&kind)).then(|| (format!("a hook of type `{kind}`"), at))
    });
    let parts = linted.sites().filter_map(|site| {
        let time = linted.document.number(&site.entry.at, "timeout")?;
        let at = linted.document.field(&site.entry.at, "timeout")?;
        let is_whole = time >= 0.0 && time.fract() == 0.0;
        (!is_whole).then(|| (format!("a timeout of {time} seconds"), at))
    });
    let note = |what: String, at: Place, help: &'static str| {
        let message = format!("`codex-cli` runs no hook of this file: it has {what}");
        Note::new(at, message).help(help)
    };
    let rest = unknown.chain(twice).chain(types);
    let notes = rest.map(|(what, at)| note(what, at, "take it out"));
    let whole = parts.map(|(what, at)| note(what, at, "write whole seconds"));
    notes.chain(whole).collect()
}

/// Finds the hooks of Claude Code that cannot be read, in a file that holds permissions too.
pub(super) fn dropped_permissions(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let mut keys = linted.document.top_keys().into_iter();
    if format.host != "claude-code" || !keys.any(|(key, _)| key == "permissions") {
        return Vec::new();
    }
    let is_unknown_there = |at: &Place| match linted.document.text(at, "type") {
        None => false,
        Some("command") => linted.document.field(at, "command").is_none(),
        Some(kind) => !CLAUDE_TYPES.contains(&kind),
    };
    let notes = linted.sites().filter_map(|site| {
        let at = &site.entry.at;
        let Action::Broken(why) = &site.entry.action else {
            return None;
        };
        let message = format!("{why}; `claude-code` drops the whole file, and its permissions too");
        let help = "mend the hook, or keep the permissions in a file of their own";
        is_unknown_there(at).then(|| Note::new(at.clone(), message).help(help))
    });
    notes.collect()
}
