//! Git itself: its settings, where it pushes, what it throws away.

use std::path::PathBuf;

use super::call::Call;
use super::{Program, row};
use crate::effect::{Certainty, Kind, Object, Push};
use crate::options::Given;
use crate::word::Word;

pub(super) static ROWS: &[Program] = &[
    row("git|hub", "+ C:/ c: git-dir: work-tree:/ namespace: exec-path?x super-prefix: config-env:x p,paginate P,no-pager bare no-replace-objects literal-pathspecs glob-pathspecs no-optional-locks attr-source: list-cmds: h,help v,version html-path man-path info-path", "v").more(around),
];

/// Settings that make git run something: `*` stands for a name, `$` in front for text that a shell runs.
const RUNNING: &[&str] = &[
    "$alias.*",
    "$core.pager",
    "$pager.*",
    "$core.editor",
    "$sequence.editor",
    "$core.sshcommand",
    "$core.fsmonitor",
    "$core.askpass",
    "core.gitproxy",
    "$credential.helper",
    "$credential.*.helper",
    "$diff.external",
    "$diff.*.command",
    "$diff.*.textconv",
    "$difftool.*.cmd",
    "difftool.*.path",
    "$mergetool.*.cmd",
    "mergetool.*.path",
    "$merge.*.driver",
    "$filter.*.clean",
    "$filter.*.smudge",
    "$filter.*.process",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "$interactive.difffilter",
    "sendemail.*",
    "uploadpack.packobjectshook",
    "$browser.*.cmd",
    "$man.*.cmd",
    "protocol.ext.allow",
    "protocol.allow",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "remote.*.vcs",
    "submodule.*.update",
    "$trailer.*.command",
    "$trailer.*.cmd",
    "include.path",
    "includeif.*.path",
    "core.hookspath",
    "init.templatedir",
    "core.attributesfile",
    "core.worktree",
    "$guitool.*.cmd",
    "$tar.*.command",
    "web.browser",
    "core.alternaterefscommand",
    "hook.*.command",
    "extensions.*",
];
/// Settings that send a push or a fetch elsewhere, or make it another one.
const STEERING: &[&str] = &[
    "url.*.insteadof",
    "url.*.pushinsteadof",
    "remote.*.url",
    "remote.*.pushurl",
    "remote.*.push",
    "remote.*.mirror",
    "remote.pushdefault",
    "push.default",
    "branch.*.remote",
    "branch.*.pushremote",
    "branch.*.merge",
    "http.proxy",
    "http.*.proxy",
    "remote.*.proxy",
    "push.followtags",
    "receive.*",
];

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
    let rows: Vec<&str> = RUNNING
        .iter()
        .copied()
        .filter(|row| row.starts_with('$'))
        .collect();
    is_one_of(&rows, key)
}

/// What stands in front of each verb: settings of this call, and variables.
fn around(call: &mut Call<'_>) {
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
fn of_this_call(call: &mut Call<'_>, key: &str, value: &Word) {
    let verb = call.name.split(' ').nth(1).map(str::to_owned);
    let own_alias = verb.as_deref().or(None).map(|verb| format!("alias.{verb}"));
    let first = call.reading.text(0);
    let alias = first.map(|verb| format!("alias.{verb}")).or(own_alias);
    if is_one_of(STEERING, key) || is_one_of(RUNNING, key) {
        call.effect(Kind::Config, Object::Name(key.to_owned()), Certainty::Exact);
    }
    if key.starts_with("alias.") {
        if alias.as_deref() == Some(key) {
            runs_alias(call, value);
        }
        return;
    }
    match value.known().as_deref() {
        _ if !is_one_of(RUNNING, key) => {}
        Some("" | "/dev/null" | "true" | "false" | "never" | "none") => {}
        _ if is_shell_text(key) => call.shell(value.clone(), Vec::new()),
        _ => call.opaque = true,
    }
}

fn runs_alias(call: &mut Call<'_>, value: &Word) {
    let Some(text) = value.known() else {
        call.anything();
        return;
    };
    if let Some(line) = text.strip_prefix('!') {
        call.shell(Word::text(line), Vec::new());
        return;
    }
    let rest = call
        .reading
        .operands
        .iter()
        .skip(1)
        .map(|operand| operand.word.clone());
    let words = std::iter::once("git")
        .chain(text.split_whitespace())
        .map(Word::text);
    let words = words.chain(rest).collect();
    call.run(words, false);
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
    on_repositories(call, Kind::Write, sure.min(Certainty::Likely));
}

pub(super) fn discards(call: &mut Call<'_>, sure: Certainty) {
    on_repositories(call, Kind::Discard, sure);
}

/// `git push [REMOTE [REFSPEC…]]` and `git send-pack`.
pub(super) fn push(call: &mut Call<'_>) {
    let words = call.words();
    let named: Option<Word> = call.reading.values("repo").last().cloned();
    let (remote, specs) = match words.split_first() {
        Some((first, rest)) => (Some(first.clone()), rest.to_vec()),
        None => (named, Vec::new()),
    };
    let mut push = Push {
        remote: remote
            .as_ref()
            .and_then(|word| word.known().map(std::borrow::Cow::into_owned)),
        ..Push::default()
    };
    let mut sure = Certainty::Exact;
    for word in &specs {
        if let Some(text) = word.known() {
            refspec(&text, &mut push);
        } else {
            sure = Certainty::Unknown;
            let head = word.head();
            push.forced |= head.starts_with('+') || head.is_empty();
            push.deleted |= head.starts_with(':') || head.is_empty();
        }
    }
    let is = |given: &&Given, names: &[&str]| names.iter().any(|name| given.option.is(name));
    for given in call
        .reading
        .given
        .iter()
        .filter(|given| is(given, &["f", "force-with-lease", "mirror"]))
    {
        push.forced = true;
        push.deleted |= given.option.is("mirror");
        sure = if given.sure { sure } else { Certainty::Unknown };
    }
    for given in call
        .reading
        .given
        .iter()
        .filter(|given| is(given, &["d", "prune"]))
    {
        push.deleted = true;
        sure = if given.sure { sure } else { Certainty::Unknown };
    }
    let unreadable = remote.as_ref().is_some_and(|word| word.known().is_none());
    let sure = if unreadable { Certainty::Unknown } else { sure };
    if call.has("dry-run") {
        return;
    }
    call.effect(Kind::Push, Object::Push(push), sure);
    contacts(call, remote.as_ref());
}

fn refspec(text: &str, push: &mut Push) {
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

/// `git fetch`, `pull`, `clone`: the machine of a URL, or the name of a remote.
pub(super) fn contacts(call: &mut Call<'_>, remote: Option<&Word>) {
    let Some(remote) = remote else {
        call.effect(
            Kind::Net,
            Object::Name("origin".to_owned()),
            Certainty::Likely,
        );
        return;
    };
    let Some(text) = remote.known() else {
        call.connect(remote, Certainty::Exact);
        return;
    };
    if text.starts_with("ext::") {
        call.shell(remote.without(5), Vec::new());
    } else if text.contains("::") {
        call.opaque = true;
    } else if text.contains("://") || super::net::is_remote(remote) == Some(true) {
        call.connect(remote, Certainty::Exact);
    } else if text.starts_with(['/', '.']) {
        call.act_path(Kind::Read, remote, Certainty::Exact, true);
    } else {
        call.effect(
            Kind::Net,
            Object::Name(text.into_owned()),
            Certainty::Likely,
        );
    }
}

/// `git fetch [REMOTE]`, `git ls-remote`, `git pull`.
pub(super) fn fetch(call: &mut Call<'_>) {
    let words = call.words();
    contacts(call, words.first());
    let runs = ["upload-pack", "u", "receive-pack", "exec"];
    if runs.iter().any(|name| call.may(name)) {
        call.opaque = true;
    }
}

/// `git clone URL [FOLDER]`.
pub(super) fn clone(call: &mut Call<'_>) {
    let words = call.words();
    contacts(call, words.first());
    let name = |word: &Word| {
        let text = word.known()?;
        let text = text
            .trim_end_matches('/')
            .trim_end_matches("/.git")
            .trim_end_matches(".git");
        text.rsplit(['/', ':']).next().map(Word::text)
    };
    let folder = words
        .get(1)
        .cloned()
        .or_else(|| words.first().and_then(name));
    call.act_path(
        Kind::Write,
        &folder.unwrap_or_else(Word::unknown),
        Certainty::Exact,
        true,
    );
    let settings: Vec<Word> = call.reading.values("c").cloned().collect();
    for setting in settings {
        let head = setting.head().to_owned();
        let key = head.split('=').next().unwrap_or_default();
        of_this_call(call, key, &setting.without(key.len() + 1));
    }
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
    let changing = [
        "unset",
        "unset-all",
        "add",
        "replace-all",
        "rename-section",
        "remove-section",
        "e",
    ];
    let forced = matches!(
        &*verb,
        "set" | "unset" | "edit" | "rename-section" | "remove-section"
    ) || changing.iter().any(|name| call.may(name));
    let reading = [
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "l",
        "get-color",
        "get-colorbool",
    ]
    .iter()
    .any(|name| call.has(name))
        || matches!(&*verb, "get" | "list");
    let unreadable = call.reading.unreadable && !reading;
    if reading || !(forced || words.len() > 1 || unreadable) {
        return;
    }
    let key = words.first().cloned();
    call.named(Kind::Config, key.as_ref(), Certainty::Exact);
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

/// `git checkout`: of a branch, or of paths.
pub(super) fn checkout(call: &mut Call<'_>) {
    let words = &call.command.words;
    let marks = |word: &Word| word.known().as_deref() == Some("--");
    let dashes = words.iter().position(marks);
    let operands = call.reading.operands.clone();
    let makes = ["b", "B", "orphan"].iter().any(|name| call.has(name));
    if ["f", "B", "force"].iter().any(|name| call.may(name)) {
        discards(
            call,
            if call.has("f") {
                Certainty::Exact
            } else {
                Certainty::Likely
            },
        );
    }
    // `git checkout X` is a branch or a path: it may be both.
    let mut paths = Vec::new();
    let mut only_maybe = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        match dashes {
            Some(dashes) if operand.at > dashes => paths.push(operand.word.clone()),
            Some(_) => {}
            None if makes => {}
            None if at == 0 && is_commit(&operand.word) => {}
            None if at == 0 && operand.word.known().as_deref() != Some(".") => {
                only_maybe.push(operand.word.clone());
            }
            None => paths.push(operand.word.clone()),
        }
    }
    if call.may("pathspec-from-file") {
        paths.push(Word::unknown());
    }
    for path in &paths {
        call.act_path(Kind::Write, path, Certainty::Likely, true);
        call.act_path(Kind::Discard, path, Certainty::Exact, true);
    }
    if paths.is_empty() && !(makes && operands.is_empty()) {
        writes_tree(call, Certainty::Likely);
    }
    for path in only_maybe {
        call.act_path(Kind::Discard, &path, Certainty::Likely, true);
    }
}

/// Tells whether a word is a branch or a commit by its look, and no path.
fn is_commit(word: &Word) -> bool {
    let Some(text) = word.known() else {
        return false;
    };
    let names = [
        "main",
        "master",
        "develop",
        "dev",
        "trunk",
        "staging",
        "production",
        "-",
        "HEAD",
        "FETCH_HEAD",
    ];
    let heads = [
        "origin/",
        "upstream/",
        "feature/",
        "feat/",
        "fix/",
        "bugfix/",
        "hotfix/",
        "release/",
        "HEAD~",
        "HEAD^",
        "HEAD@",
        "@{",
        "refs/",
    ];
    let is_hash = text.len() >= 7 && text.chars().all(|letter| letter.is_ascii_hexdigit());
    names.contains(&&*text) || is_hash || heads.iter().any(|head| text.starts_with(head))
}

/// `git restore`: of the index alone it throws nothing away.
pub(super) fn restore(call: &mut Call<'_>) {
    if call.has("S") && !call.may("W") {
        return;
    }
    for path in call.words() {
        call.act_path(Kind::Write, &path, Certainty::Likely, true);
        call.act_path(Kind::Discard, &path, Certainty::Exact, true);
    }
    if call.may("pathspec-from-file") {
        call.act_path(Kind::Discard, &Word::unknown(), Certainty::Unknown, true);
    }
}

/// `git clean`: below the folder it runs in, or the paths that are named.
pub(super) fn clean(call: &mut Call<'_>) {
    if call.has("n") || !(call.may("f") || call.may("i") || call.reading.unreadable) {
        return;
    }
    let mut paths = call.words();
    if paths.is_empty() {
        paths.push(Word::text("."));
    }
    let sure = if call.has("f") {
        Certainty::Likely
    } else {
        Certainty::Unknown
    };
    for path in paths {
        call.act_path(Kind::Delete, &path, sure, true);
        call.act_path(Kind::Discard, &path, sure, true);
    }
}

/// `git reset`: `--hard` and its kin throw changes away.
pub(super) fn reset(call: &mut Call<'_>) {
    for given in call.reading.given.clone() {
        let throws = ["hard", "merge", "keep"]
            .iter()
            .any(|name| given.option.is(name));
        if throws {
            discards(
                call,
                if given.sure {
                    Certainty::Exact
                } else {
                    Certainty::Unknown
                },
            );
            writes_tree(
                call,
                if given.sure {
                    Certainty::Likely
                } else {
                    Certainty::Unknown
                },
            );
        }
    }
}

/// `git branch -D`, `git tag -d`, `git update-ref -d`: what they throw away has a name.
pub(super) fn forgets(call: &mut Call<'_>) {
    for given in call.reading.given.clone() {
        if ["D", "d", "M", "f", "C"]
            .iter()
            .any(|name| given.option.is(name))
        {
            let sure = if given.sure {
                Certainty::Exact
            } else {
                Certainty::Unknown
            };
            for word in call.words() {
                call.named(Kind::Discard, Some(&word), sure);
            }
        }
    }
}

/// `git rm`: files and their copy in the index; `git mv`: from one place to another.
pub(super) fn removes(call: &mut Call<'_>) {
    if call.has("cached") || call.has("n") {
        return;
    }
    for word in call.words() {
        let tree = call.may("r");
        call.act_path(Kind::Delete, &word, Certainty::Exact, tree);
        if call.may("f") {
            call.act_path(Kind::Discard, &word, Certainty::Exact, tree);
        }
    }
}

/// Verbs whose first operand says what happens: `stash drop`, `reflog expire`, `worktree remove`, `bisect run`.
pub(super) fn by_word(call: &mut Call<'_>) {
    let verb = call.name.split(' ').nth(1).unwrap_or_default().to_owned();
    let word = call
        .words()
        .first()
        .map(Word::known)
        .map(|text| text.map(std::borrow::Cow::into_owned));
    let Some(word) = word.unwrap_or_else(|| Some(String::new())) else {
        discards(call, Certainty::Unknown);
        call.may_run_code();
        return;
    };
    let at = call.reading.operands.get(1).map(|operand| operand.at);
    let rest: Vec<Word> = at
        .and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec();
    match (&*verb, &*word) {
        ("stash", "drop" | "clear")
        | ("reflog", "expire" | "delete")
        | ("rerere", "clear" | "forget") => {
            call.effect(
                Kind::Discard,
                Object::Name(format!("{verb} {word}")),
                Certainty::Exact,
            );
        }
        ("stash", "list" | "show" | "create" | "store") | ("notes", _) => {}
        ("stash", _) => writes_tree(call, Certainty::Likely),
        ("worktree", "add") => rest
            .first()
            .into_iter()
            .for_each(|path| call.act_path(Kind::Write, path, Certainty::Exact, true)),
        ("worktree", "remove") => rest
            .iter()
            .for_each(|path| call.act_path(Kind::Delete, path, Certainty::Exact, true)),
        ("worktree", "move") => {
            rest.first()
                .into_iter()
                .for_each(|path| call.letter('m', Some(path), Certainty::Exact));
            rest.get(1)
                .into_iter()
                .for_each(|path| call.act_path(Kind::Write, path, Certainty::Exact, true));
        }
        ("bisect", "run") => call.run(rest, false),
        ("bisect", "start" | "good" | "bad" | "new" | "old" | "skip" | "reset") => {
            writes_tree(call, Certainty::Likely);
        }
        ("submodule", "foreach") => {
            let words: Vec<&Word> = rest
                .iter()
                .filter(|word| !word.head().starts_with("--"))
                .collect();
            match &*words {
                [] => call.shell(Word::unknown(), Vec::new()),
                [one] => call.shell((*one).clone(), Vec::new()),
                all => call.run(all.iter().map(|word| (*word).clone()).collect(), false),
            }
        }
        ("submodule", "add" | "update" | "set-url" | "sync" | "init") => {
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            writes_tree(call, Certainty::Likely);
        }
        ("submodule", "deinit")
        | ("sparse-checkout", "set" | "add" | "reapply" | "disable" | "init")
        | ("lfs", "pull" | "checkout" | "migrate") => discards(call, Certainty::Likely),
        (
            "remote",
            "add" | "rename" | "rm" | "remove" | "set-url" | "set-head" | "set-branches",
        ) => {
            let name = rest
                .first()
                .and_then(|name| name.known().map(|name| format!("remote.{name}")));
            call.effect(
                Kind::Config,
                name.map_or(Object::Unknown, Object::Name),
                Certainty::Exact,
            );
        }
        ("remote", "update" | "prune" | "show") | ("lfs", "fetch" | "push") => {
            contacts(call, rest.first());
        }
        ("lfs", "install" | "track" | "untrack" | "uninstall")
        | ("maintenance", "start" | "register" | "unregister" | "stop") => {
            call.named(Kind::Config, None, Certainty::Exact);
        }
        ("maintenance", "run") => call.effect(
            Kind::Discard,
            Object::Name("unreachable".to_owned()),
            Certainty::Likely,
        ),
        _ => {}
    }
}
