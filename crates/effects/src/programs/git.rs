//! Git itself: its settings, where it pushes, what it throws away.

use std::path::PathBuf;

use super::call::Call;
use super::words;
use crate::effect::{Certainty, Kind, Object, Push};
use crate::word::Word;

fn is_one_of(list: &[&str], key: &str) -> bool {
    let key = key.to_lowercase();
    list.iter().any(|row| {
        let row = row.trim_start_matches('$');
        match row.split_once('*') {
            Some((head, tail)) => {
                key.len() > head.len() + tail.len() && key.starts_with(head) && key.ends_with(tail)
            }
            None => key == row,
        }
    })
}

fn is_shell_text(key: &str) -> bool {
    let rows: Vec<&str> = words::RUNNING
        .iter()
        .copied()
        .filter(|row| row.starts_with('$'))
        .collect();
    is_one_of(&rows, key)
}

/// What stands in front of each verb: settings of this call, and variables.
pub(super) fn around(call: &mut Call<'_>) {
    let settings: Vec<Word> = call.above.values("c").cloned().collect();
    let settings = if settings.is_empty() && call.row.name() == "git" {
        call.reading.values("c").cloned().collect()
    } else {
        settings
    };
    for setting in settings {
        let head = setting.head().to_owned();
        let key = head.split('=').next().unwrap_or_default();
        if setting.known().is_none() && !head.contains('=') {
            call.named(Kind::Config, None, Certainty::Unknown);
            call.opaque = true;
        } else {
            of_this_call(call, key, &setting.without(key.len() + 1));
        }
    }
    let from_env: Vec<Word> = call.above.values("config-env").cloned().collect();
    for setting in from_env {
        let key = setting.head().split('=').next().unwrap_or_default();
        of_this_call(call, key, &Word::unknown());
    }
    variables(call);
    let folder = call.above.values("git-dir").last().cloned();
    if let Some(folder) = folder
        && !call.above.may_have("work-tree")
        && let Some(text) = folder.known()
        && let Some(above) = text.strip_suffix("/.git")
    {
        call.folders = call.folders.iter().map(|base| base.join(above)).collect();
    }
}

/// A setting that counts for one call.
pub(super) fn of_this_call(call: &mut Call<'_>, key: &str, value: &Word) {
    let verb = call.name.split(' ').nth(1).map(str::to_owned);
    let own_alias = verb.as_deref().or(None).map(|verb| format!("alias.{verb}"));
    let first = call.reading.text(0);
    let alias = first.map(|verb| format!("alias.{verb}")).or(own_alias);
    if is_one_of(words::STEERING, key) || is_one_of(words::RUNNING, key) {
        call.effect(Kind::Config, Object::Name(key.to_owned()), Certainty::Exact);
    }
    steers(call, key, value);
    let lower = key.to_lowercase();
    if lower.starts_with("gc.") && lower.contains("expire") {
        // What is kept for two weeks, or for ninety days, may be thrown away at once.
        discards(call, Certainty::Exact);
    }
    if key.starts_with("alias.") {
        if alias.as_deref() == Some(key) {
            let rest = call.reading.operands.iter().skip(1);
            let rest = rest.map(|operand| operand.word.clone()).collect();
            runs_alias(call, value, rest);
        }
        return;
    }
    match value.known().as_deref() {
        _ if !is_one_of(words::RUNNING, key) => {}
        Some("" | "/dev/null" | "true" | "false" | "never" | "none") => {}
        _ if is_shell_text(key) => call.shell(value.clone(), Vec::new()),
        _ => call.opaque = true,
    }
}

fn runs_alias(call: &mut Call<'_>, value: &Word, rest: Vec<Word>) {
    let Some(text) = value.known() else {
        call.anything();
        return;
    };
    if let Some(line) = text.strip_prefix('!') {
        call.shell(Word::text(line), Vec::new());
        return;
    }
    let words = std::iter::once("git")
        .chain(text.split_whitespace())
        .map(Word::text);
    call.run(words.chain(rest).collect(), false);
}

/// A setting by which a plain push becomes another one: it counts as that push.
fn steers(call: &mut Call<'_>, key: &str, value: &Word) {
    let key = key.to_lowercase();
    let of_remote = key
        .strip_prefix("remote.")
        .and_then(|key| key.rsplit_once('.'));
    let mut push = Push::default();
    match (of_remote, value.known().as_deref()) {
        (Some((_, "mirror")), Some("false")) => {}
        (Some((_, "mirror")), _) | (Some((_, "push")), None) => {
            (push.forced, push.deleted) = (true, true);
        }
        (Some((_, "push")), Some(text)) => refspec(text, &mut push),
        _ => {}
    }
    if push.forced || push.deleted {
        call.effect(Kind::Push, Object::Push(push), Certainty::Likely);
    }
}

/// Notes what one refspec of a push does.
pub(super) fn refspec(text: &str, push: &mut Push) {
    let plain = text.strip_prefix('+');
    push.forced |= plain.is_some();
    let (source, target) = match plain.unwrap_or(text).split_once(':') {
        Some((source, target)) => (source, target),
        None => ("-", plain.unwrap_or(text)),
    };
    push.deleted |= source.is_empty() && !target.is_empty();
    let name = target.strip_prefix("refs/heads/").unwrap_or(target);
    push.refs.push(name.to_owned());
}

/// Tells whether the manager of a repository's hooks runs none of them, or not all, because of a variable.
fn switches_checks_off(name: &str, value: &Word) -> bool {
    let is_on = |on: &[&str]| value.known().is_some_and(|text| on.contains(&&*text));
    match name {
        "HUSKY" | "LEFTHOOK" => !is_on(&["1", "2", "true"]),
        "HUSKY_SKIP_HOOKS" | "OVERCOMMIT_DISABLE" | "SKIP_SIMPLE_GIT_HOOKS" => !is_on(&["", "0"]),
        "SKIP" | "LEFTHOOK_EXCLUDE" => !is_on(&[""]),
        _ => false,
    }
}

/// Variables that git believes.
fn variables(call: &mut Call<'_>) {
    for (name, value) in &call.command.assigned {
        match &**name {
            "GIT_SSH_COMMAND"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_PAGER"
            | "PAGER"
            | "EDITOR"
            | "VISUAL"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
                if !matches!(value.known().as_deref(), Some("" | "true" | ":" | "cat")) =>
            {
                call.shell(value.clone(), Vec::new());
            }
            "GIT_DIR" | "GIT_WORK_TREE" => {
                let text = value.known();
                let folder = text
                    .as_deref()
                    .map(|text| text.strip_suffix("/.git").unwrap_or(text));
                call.folders = match folder {
                    Some(".git") => call.folders.clone(),
                    Some(folder) => call.folders.iter().map(|base| base.join(folder)).collect(),
                    None => Vec::new(),
                };
            }
            "GIT_SSH" | "GIT_PROXY_COMMAND" | "GIT_EXEC_PATH" | "GIT_TEMPLATE_DIR"
            | "GIT_ALLOW_PROTOCOL" | "GIT_ATTR_SOURCE" => call.opaque = true,
            name if switches_checks_off(name, value) => {
                call.effect(
                    Kind::Config,
                    Object::Name(name.to_owned()),
                    Certainty::Exact,
                );
            }
            name if name.starts_with("GIT_CONFIG") => {
                call.named(Kind::Config, None, Certainty::Unknown);
                if !matches!(value.known().as_deref(), Some("/dev/null" | "1" | "true")) {
                    call.opaque = true;
                }
            }
            name if name.starts_with("GIT_TRACE")
                && (value.head().starts_with('/') || value.known().is_none()) =>
            {
                call.act_path(Kind::Write, value, Certainty::Exact, false);
            }
            _ => {}
        }
    }
}

/// Returns the repositories around the folders: the project, or the folder itself outside of it.
fn repositories(call: &Call<'_>) -> Vec<PathBuf> {
    let project = &call.places.project;
    let of = |folder: &PathBuf| {
        let folder = crate::places::tidy(folder);
        if folder.starts_with(project) {
            project.clone()
        } else {
            folder
        }
    };
    call.folders.iter().map(of).collect()
}

fn on_repositories(call: &mut Call<'_>, kind: Kind, sure: Certainty) {
    let all = repositories(call);
    if all.is_empty() {
        call.effect(kind, Object::Unknown, Certainty::Unknown);
    }
    for folder in all {
        call.effect(kind, Object::Tree(folder), sure);
    }
}

/// Notes a commit: on `HEAD`, the branch that is checked out in the project, or on an unknown one elsewhere.
pub(super) fn commits(call: &mut Call<'_>, sure: Certainty) {
    let own = repositories(call) == [call.places.project.clone()];
    let branch = if own {
        Object::Name("HEAD".to_owned())
    } else {
        Object::Unknown
    };
    call.effect(Kind::Commit, branch, sure);
}

pub(super) fn writes_tree(call: &mut Call<'_>, sure: Certainty) {
    // What another commit does not have is removed.
    on_repositories(call, Kind::Write, sure.min(Certainty::Likely));
    on_repositories(call, Kind::Delete, sure.min(Certainty::Likely));
}

pub(super) fn discards(call: &mut Call<'_>, sure: Certainty) {
    on_repositories(call, Kind::Discard, sure);
}

/// `git config KEY [VALUE]`, with or without `get`, `set`, `unset`.
pub(super) fn config(call: &mut Call<'_>) {
    let mut words = call.words();
    let verb = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned))
        .unwrap_or_default();
    let is_verb = matches!(
        &*verb,
        "get" | "set" | "unset" | "list" | "edit" | "rename-section" | "remove-section"
    );
    if is_verb {
        words.remove(0);
    }
    let changes = |verb: &str| {
        matches!(
            verb,
            "set" | "unset" | "edit" | "rename-section" | "remove-section"
        )
    };
    let forced = changes(&verb) || words::CONFIG_CHANGES.iter().any(|name| call.may(name));
    let reading =
        matches!(&*verb, "get" | "list") || words::CONFIG_SHOWS.iter().any(|name| call.has(name));
    let unreadable = call.reading.unreadable && !reading;
    if reading || !(forced || words.len() > 1 || unreadable) {
        return;
    }
    let key = words.first().cloned();
    call.named(Kind::Config, key.as_ref(), Certainty::Exact);
    writes_config(call);
    let name = key.as_ref().and_then(Word::known).unwrap_or_default();
    let Some(value) = words.get(1) else { return };
    // A name for a command does what the command does, by this line or by a later one.
    let lower = name.to_lowercase();
    if lower.starts_with("alias.") {
        runs_alias(call, value, Vec::new());
    } else if is_shell_text(&name) && !lower.starts_with("credential.") {
        call.shell(value.clone(), Vec::new());
    }
    steers(call, &name, value);
}

/// Notes the file that holds the settings.
fn writes_config(call: &mut Call<'_>) {
    let file = match (call.has("global"), call.has("system")) {
        (true, _) => call
            .places
            .home
            .as_ref()
            .map(|home| home.join(".gitconfig")),
        (_, true) => Some(PathBuf::from("/etc/gitconfig")),
        _ => None,
    };
    match file {
        Some(file) => call.effect(Kind::Write, Object::Path(file), Certainty::Likely),
        None if call.may("f") => {}
        None => {
            for folder in repositories(call) {
                call.effect(
                    Kind::Write,
                    Object::Path(folder.join(".git/config")),
                    Certainty::Likely,
                );
            }
        }
    }
}
