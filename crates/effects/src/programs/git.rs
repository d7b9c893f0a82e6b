//! Git itself: its settings, the machines it asks, where it pushes, and which repositories it works on.

use std::path::PathBuf;

use super::call::Call;
use super::files::file_name;
use super::words;
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{EffectKind, Push, Target};
use crate::word::Word;

/// Tells whether a setting is one of a list.
pub(crate) fn is_one_of(list: &[&str], key: &str) -> bool {
    let mut rows = list.iter().map(|row| row.trim_start_matches('$'));
    rows.any(|row| match row.split_once('*') {
        Some((head, tail)) => {
            key.len() > head.len() + tail.len() && key.starts_with(head) && key.ends_with(tail)
        }
        None => key == row,
    })
}

fn is_shell_text(key: &str) -> bool {
    let mut rows = words::RUNNING.iter();
    rows.any(|row| row.starts_with('$') && is_one_of(&[row], key))
}

/// What stands in front of each verb: settings of this call, and variables.
pub(super) fn around(call: &mut Call<'_>) {
    let reading = if call.above.given.is_empty() {
        &call.reading
    } else {
        &call.above
    };
    // Of a setting from a variable, the value is not known.
    let unread = |setting: &Word| {
        let key = setting.head().split('=').next().unwrap_or_default();
        Word::joined(&[&Word::text(format!("{key}=")), &Word::unknown()])
    };
    let settings = reading.values("c").cloned();
    let settings: Vec<Word> = settings
        .chain(reading.values("config-env").map(unread))
        .collect();
    for setting in &settings {
        of_this_call(call, setting);
    }
    variables(call);
    let folder = call.above.values("git-dir").last().and_then(Word::known);
    let folder = folder.and_then(|folder| folder.strip_suffix("/.git"));
    let folder = folder.map(Word::text);
    if folder.is_some() && !call.above.may_have("work-tree") {
        call.goes_to(folder.as_ref());
    }
}

/// A setting `KEY=VALUE` that counts for one call.
fn of_this_call(call: &mut Call<'_>, setting: &Word) {
    let key = setting.head().split('=').next().unwrap_or_default();
    let value = setting.without(key.len() + 1);
    let (written, key) = (key, key.to_lowercase());
    if setting.known().is_none() && !setting.head().contains('=') {
        call.named(EffectKind::Config, None, Certainty::Unknown);
        call.opaque = true;
        return;
    }
    let runs = is_one_of(words::RUNNING, &key);
    if runs || is_one_of(words::STEERING, &key) {
        call.on(EffectKind::Config, written, Exact);
    }
    steers(call, &key, &value);
    if key.starts_with("gc.") && key.contains("expire") {
        // What is kept for two weeks, or for ninety days, may be thrown away at once.
        discards(call, Exact);
    }
    if key.starts_with("alias.") {
        return call.anything();
    }
    if key.ends_with("file") || key.ends_with("template") {
        call.likely("r", &value);
    }
    let quiet = ["", "/dev/null", "true", "false", "never", "none"];
    if is_one_of(words::LEADING, &key) {
        call.anything();
    } else if !runs || value.known().is_some_and(|value| quiet.contains(&value)) {
    } else if is_shell_text(&key) {
        call.shell(value, Vec::new());
    } else {
        call.opaque = true;
    }
}

/// An alias means what it stands for.
fn runs_alias(call: &mut Call<'_>, value: &Word) {
    let Some(text) = value.known() else {
        return call.anything();
    };
    match text.strip_prefix('!') {
        Some(line) => call.shell(Word::text(line), Vec::new()),
        None => call.run(
            ["git"]
                .into_iter()
                .chain(text.split_whitespace())
                .map(Word::text)
                .collect(),
        ),
    }
}

/// A setting by which a plain push becomes another one: of other branches than the one that is checked out, or any.
fn steers(call: &mut Call<'_>, key: &str, value: &Word) {
    let is_of_remote = is_one_of(&["remote.*.push", "remote.*.mirror"], key);
    if value.says(&["false", "nothing", "current", "simple"]) {
    } else if key == "push.default" {
        let mut push = Push::default();
        push.refs.push(":".to_owned());
        call.effect(EffectKind::Push, Target::Push(push), Likely);
    } else if is_of_remote {
        call.effect(EffectKind::Push, Target::Unknown, Likely);
    }
}

/// Notes what one refspec of a push does.
fn refspec(text: &str, push: &mut Push) {
    let plain = text.strip_prefix('+').unwrap_or(text);
    push.forced |= plain.len() < text.len();
    let (source, target) = plain.split_once(':').unwrap_or(("-", plain));
    push.deleted |= source.is_empty() && !target.is_empty();
    let name = target.strip_prefix("refs/heads/").unwrap_or(target);
    // A short way to write it.
    let name = if name == "@" { "HEAD" } else { name };
    push.refs.push(name.to_owned());
}

/// Tells whether the manager of a repository's hooks runs none of them, or not all, because of a variable.
fn switches_checks_off(name: &str, value: &Word) -> bool {
    let mut rows = words::CHECKS_ON.iter();
    rows.any(|(of, on)| *of == name && !on.split(',').any(|on| value.says(&[on])))
}

/// Variables that git believes.
fn variables(call: &mut Call<'_>) {
    for (name, value) in &call.command.assigned {
        let text = value.known();
        let is = |quiet: &[&str]| text.is_some_and(|text| quiet.contains(&text));
        if words::GIT_RUNS.contains(&&**name) {
            if !is(&["", "true", ":", "cat"]) {
                call.shell(value.clone(), Vec::new());
            }
        } else if words::GIT_LOADS.contains(&&**name) {
            call.opaque = true;
        } else if matches!(&**name, "GIT_DIR" | "GIT_WORK_TREE") {
            let whole = |text| str::strip_suffix(text, "/.git").unwrap_or(text);
            let folder = text.map(whole);
            if folder != Some(".git") {
                call.goes_to(folder.map(Word::text).as_ref());
            }
        } else if switches_checks_off(name, value) {
            call.on(EffectKind::Config, name, Exact);
        } else if name.starts_with("GIT_CONFIG") {
            call.named(EffectKind::Config, None, Certainty::Unknown);
            call.opaque |= !is(&["/dev/null", "1", "true"]);
        } else if name.starts_with("GIT_TRACE") && (value.head().starts_with('/') || text.is_none())
        {
            call.does("w", value);
        }
    }
}

/// Returns the repositories around the folders: the project, or the folder itself outside of it.
pub(super) fn repositories(call: &Call<'_>) -> Vec<PathBuf> {
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

fn on_repositories(call: &mut Call<'_>, kind: EffectKind, sure: Certainty) {
    let all = repositories(call);
    if all.is_empty() {
        call.effect(kind, Target::Unknown, Certainty::Unknown);
    }
    for folder in all {
        call.effect(kind, Target::Tree(folder), sure);
    }
}

/// Notes a commit: on `HEAD`, the branch that is checked out in the project, or on an unknown one elsewhere.
pub(super) fn commits(call: &mut Call<'_>, sure: Certainty) {
    let is_own = repositories(call) == [call.places.project.clone()];
    let branch = if is_own {
        Target::Name("HEAD".to_owned())
    } else {
        Target::Unknown
    };
    call.effect(EffectKind::Commit, branch, sure);
}

pub(super) fn writes_tree(call: &mut Call<'_>, sure: Certainty) {
    // What another commit does not have is removed.
    on_repositories(call, EffectKind::Write, sure.min(Likely));
    on_repositories(call, EffectKind::Delete, sure.min(Likely));
}

pub(super) fn discards(call: &mut Call<'_>, sure: Certainty) {
    on_repositories(call, EffectKind::Discard, sure);
}

/// `git config KEY [VALUE]`, with or without `get`, `set`, `unset`.
pub(super) fn config(call: &mut Call<'_>) {
    let verb = call.reading.text(0).unwrap_or_default();
    let renames = verb == "rename-section" || call.has("rename-section");
    let (shows, changes) = (
        ["get", "list"],
        ["set", "unset", "edit", "rename-section", "remove-section"],
    );
    let (is_showing, is_changing) = (shows.contains(&verb), changes.contains(&verb));
    let skip = usize::from(is_showing || is_changing);
    let words: Vec<Word> = call.words().into_iter().skip(skip).collect();
    let forced = is_changing || words::CONFIG_CHANGES.iter().any(|name| call.may(name));
    let asks = is_showing || words::CONFIG_SHOWS.iter().any(|name| call.has(name));
    if asks || !(forced || words.len() > 1 || call.reading.unreadable) {
        return;
    }
    call.named(EffectKind::Config, words.first(), Exact);
    if renames {
        // What a setting of another name says may count from now on, whichever it is.
        call.named(EffectKind::Config, None, Exact);
        steers(call, "remote.*.push", &Word::unknown());
    }
    let home = call.places.home.as_ref();
    let files = match (call.has("global"), call.has("system")) {
        (true, _) if home.is_some() => home.iter().map(|home| home.join(".gitconfig")).collect(),
        (_, true) => vec![PathBuf::from("/etc/gitconfig")],
        _ if call.may("f") => Vec::new(),
        _ => repositories(call)
            .iter()
            .map(|folder| folder.join(".git/config"))
            .collect(),
    };
    for file in files {
        call.effect(EffectKind::Write, Target::Path(file), Likely);
    }
    let Some(value) = words.get(1) else { return };
    let key = words.first().and_then(Word::known);
    let key = key.unwrap_or_default().to_lowercase();
    // A name for a command does what the command does, by this line or by a later one.
    if key.starts_with("alias.") {
        runs_alias(call, value);
    } else if is_one_of(words::LEADING, &key) {
        call.anything();
    } else if is_shell_text(&key) && !key.starts_with("credential.") {
        call.shell(value.clone(), Vec::new());
    }
    steers(call, &key, value);
}

/// `git push [REMOTE [REFSPEC…]]` and `git send-pack`.
pub(super) fn push(call: &mut Call<'_>) {
    let words = call.words();
    let remote = words.first().cloned().or_else(|| call.values("repo").pop());
    let name = remote.as_ref().map(Word::known);
    let mut push = Push {
        remote: name.flatten().map(str::to_owned),
        ..Push::default()
    };
    let mut is_sure = !matches!(name, Some(None));
    for word in words.iter().skip(1) {
        if let Some(text) = word.known() {
            refspec(text, &mut push);
        } else {
            is_sure = false;
            let head = word.head();
            push.forced |= head.starts_with('+') || head.is_empty();
            push.deleted |= head.starts_with(':') || head.is_empty();
        }
    }
    for given in &call.reading.given {
        let forces = given.option.is_one_of("f force-with-lease mirror");
        let deletes = given.option.is_one_of("d mirror prune");
        push.forced |= forces;
        push.deleted |= deletes;
        if given.option.is("all") {
            push.refs.push("*".to_owned());
        }
        is_sure &= given.sure || !(forces || deletes);
    }
    if !call.has("dry-run") {
        let sure = if is_sure { Exact } else { Certainty::Unknown };
        call.effect(EffectKind::Push, Target::Push(push), sure);
        contacts(call, remote.as_ref());
    }
}

/// `git fetch`, `pull`, `clone`: the machine of a URL, or the name of a remote.
pub(super) fn contacts(call: &mut Call<'_>, remote: Option<&Word>) {
    let Some(remote) = remote else {
        call.on(EffectKind::Net, "origin", Likely);
        return;
    };
    let Some(text) = remote.known() else {
        call.does("n", remote);
        return;
    };
    if text.starts_with("ext::") {
        call.anything();
    } else if text.contains("::") {
        call.opaque = true;
    } else if text.contains("://") || super::net::is_remote(remote) == Some(true) {
        call.does("n", remote);
    } else if text.starts_with(['/', '.']) {
        call.does("R", remote);
    } else {
        call.on(EffectKind::Net, text, Likely);
    }
}

/// `jj git push`, which overwrites what has become another one, as a lease allows it.
pub(super) fn push_of_jj(call: &mut Call<'_>) {
    let names = call.values("b");
    let push = Push {
        remote: None,
        refs: (names
            .iter()
            .filter_map(|name| Some(name.known()?.to_owned())))
        .collect(),
        forced: !call.has("c"),
        deleted: call.may("deleted"),
    };
    call.effect(EffectKind::Push, Target::Push(push), Likely);
    contacts(call, call.values("remote").first());
}

/// Notes that a branch of this name gets other commits.
pub(super) fn moves_branch(call: &mut Call<'_>, name: &Word) {
    let text = name.known();
    let name = text.map(|text| Word::text(text.strip_prefix("refs/heads/").unwrap_or(text)));
    call.named(
        EffectKind::Commit,
        Some(&name.unwrap_or_else(Word::unknown)),
        Likely,
    );
}

/// `git fetch [REMOTE]`, `git ls-remote`, `git pull`. What comes from a folder of this disk may be a branch of this repository.
pub(super) fn fetch(call: &mut Call<'_>) {
    let words = call.words();
    contacts(call, words.first());
    if words
        .first()
        .is_some_and(|remote| remote.head().starts_with(['.', '/']))
    {
        for word in words.iter().skip(1) {
            if let Some(at) = word.head().find(':') {
                moves_branch(call, &word.without(at + 1));
            }
        }
    }
    call.opaque |= call.may("upload-pack u receive-pack exec");
}

/// `git remote add NAME URL`: the next push or fetch goes there.
pub(super) fn leads_to(call: &mut Call<'_>) {
    contacts(call, call.words().last());
    sets_remote(call);
    if call.may("mirror") {
        steers(call, "remote.*.mirror", &Word::text("true"));
    }
}

/// Notes the setting of a remote that is changed.
pub(super) fn sets_remote(call: &mut Call<'_>) {
    let name = call.reading.text(0);
    let setting = name.map(|name| Word::text(format!("remote.{name}")));
    call.named(EffectKind::Config, setting.as_ref(), Exact);
}

/// `git clone URL [FOLDER]`, and `gh repo clone REPOSITORY [FOLDER] [-- OPTIONS OF GIT]`.
pub(super) fn clone(call: &mut Call<'_>) {
    let words = call.words();
    contacts(call, words.first());
    let folder = words.get(1);
    if folder.is_some_and(|word| word.head().starts_with('-')) {
        makes_clone(call, words.first(), None);
    }
    makes_clone(call, words.first(), folder);
    let settings = call.values("c");
    for setting in &settings {
        of_this_call(call, setting);
    }
}

/// Notes the folder into which a repository is cloned: the one that is named, or one of its own name.
pub(super) fn makes_clone(call: &mut Call<'_>, source: Option<&Word>, folder: Option<&Word>) {
    if let Some(folder) = folder {
        super::files::above(call, 'w', folder);
    }
    let name = |word: &Word| {
        let text = word.known()?;
        let text = text.trim_end_matches('/').trim_end_matches(".git");
        let text = text.trim_end_matches('/');
        file_name(text).rsplit(':').next().map(Word::text)
    };
    let folder = folder.cloned().or_else(|| source.and_then(name));
    call.does("W", &folder.unwrap_or_else(Word::unknown));
}
