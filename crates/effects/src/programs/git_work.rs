//! Git commands that change the files of a repository or throw work away.

use super::call::Call;
use super::git::{discards, writes_tree};
use super::git_remote::contacts;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// `git switch`.
pub(super) fn switch(call: &mut Call<'_>) {
    // A new branch where we stand changes no file.
    let stays = call.has("c") || call.has("C");
    if !stays || call.may("orphan") || !call.reading.operands.is_empty() {
        writes_tree(call, Certainty::Likely);
    }
}

/// `git apply`, of which some options only look at the patch.
pub(super) fn apply(call: &mut Call<'_>) {
    let looks = ["check", "stat", "numstat", "summary"];
    if !looks.iter().any(|name| call.has(name)) || call.may("apply") {
        writes_tree(call, Certainty::Likely);
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
    let frees = |setting: &Word| {
        setting
            .head()
            .to_lowercase()
            .starts_with("clean.requireforce")
    };
    let is_free = call.above.values("c").any(frees);
    if call.has("n") || !(is_free || call.may("f") || call.may("i") || call.reading.unreadable) {
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

/// `git branch -D`, `git tag -d`, `git update-ref -d`: what they throw away has a name. `git branch -d` alone refuses a branch
/// that is not merged, so nothing is lost by it; of a branch of another place it does not ask that.
pub(super) fn forgets(call: &mut Call<'_>) {
    let asks =
        call.row.name() == "git branch" && !["D", "f", "r"].iter().any(|name| call.may(name));
    for given in call.reading.given.clone() {
        if asks && given.option.is("d") {
            continue;
        }
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

/// `git grep`: outside of the index it reads every file below its folder.
pub(super) fn grep(call: &mut Call<'_>) {
    let reads = ["no-index", "untracked"];
    if let Some(name) = reads.iter().find(|name| call.may(name)) {
        let own = std::mem::replace(&mut call.name, format!("git grep --{name}"));
        call.act_path(Kind::Read, &Word::text("."), Certainty::Exact, true);
        call.name = own;
    }
    let has_pattern = call.may("e") || call.may("f");
    for word in call.words().iter().skip(usize::from(!has_pattern)) {
        super::git_told::reads(call, word);
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

/// The first operand, which says what such a verb does, and the words behind it. What cannot be read may do anything.
fn verb_and_rest(call: &mut Call<'_>) -> Option<(String, Vec<Word>)> {
    let Some(first) = call.reading.operands.first() else {
        return Some((String::new(), Vec::new()));
    };
    let Some(verb) = first.word.known().map(std::borrow::Cow::into_owned) else {
        discards(call, Certainty::Unknown);
        call.may_run_code();
        return None;
    };
    let rest = call.command.words.get(first.at + 1..).unwrap_or_default();
    Some((verb, rest.to_vec()))
}

/// `stash drop`, `reflog expire`, `lfs pull` and others that do one thing.
pub(super) fn by_word(call: &mut Call<'_>) {
    let Some((word, rest)) = verb_and_rest(call) else {
        return;
    };
    let verb = call.name.split(' ').nth(1).unwrap_or_default().to_owned();
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
        ("stash", "list" | "show" | "create" | "store") => {}
        ("bisect", "run") => call.run(rest, false),
        ("stash", _) | ("bisect", "start" | "good" | "bad" | "new" | "old" | "skip" | "reset") => {
            writes_tree(call, Certainty::Likely);
        }
        ("sparse-checkout", "set" | "add" | "reapply" | "disable" | "init")
        | ("lfs", "pull" | "checkout" | "migrate") => {
            discards(call, Certainty::Likely);
        }
        (
            "remote",
            "add" | "rename" | "rm" | "remove" | "set-url" | "set-head" | "set-branches",
        ) => {
            // The next push or fetch goes there.
            let is_url =
                |word: &&Word| !word.head().starts_with('-') && word.head().contains([':', '/']);
            if let Some(url) = rest.iter().skip(1).rfind(is_url) {
                contacts(call, Some(url));
            }
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
        _ => {}
    }
}

/// `git worktree add PATH`, `move`, `remove`.
pub(super) fn worktree(call: &mut Call<'_>) {
    let Some((word, rest)) = verb_and_rest(call) else {
        return;
    };
    // Values of its options look like paths too.
    let mut paths = rest.iter().filter(|word| !word.head().starts_with('-'));
    match &*word {
        "add" | "repair" => {
            paths.for_each(|path| call.act_path(Kind::Write, path, Certainty::Likely, true));
        }
        "remove" => {
            let is_forced = rest.iter().any(|word| {
                let text = word.known();
                text.is_none_or(|text| text == "-f" || text == "-ff" || text.starts_with("--fo"))
            });
            for path in paths {
                call.act_path(Kind::Delete, path, Certainty::Exact, true);
                // Otherwise git refuses where something is not committed.
                if is_forced {
                    call.act_path(Kind::Discard, path, Certainty::Exact, true);
                }
            }
        }
        "move" => {
            if let Some(path) = paths.next() {
                call.letter('m', Some(path), Certainty::Exact);
            }
            paths.for_each(|path| call.act_path(Kind::Write, path, Certainty::Exact, true));
        }
        _ => {}
    }
}

/// `git submodule foreach TEXT`, `update`.
pub(super) fn submodule(call: &mut Call<'_>) {
    let Some((word, rest)) = verb_and_rest(call) else {
        return;
    };
    match &*word {
        "foreach" => {
            let words: Vec<Word> = rest
                .into_iter()
                .skip_while(|word| word.head().starts_with('-'))
                .collect();
            match &*words {
                [] => {}
                [one] => call.shell(one.clone(), Vec::new()),
                _ => call.run(words, false),
            }
        }
        "add" | "update" | "set-url" | "sync" | "init" => {
            // `add` takes any folder and any repository; `update` brings those that the project names.
            if word == "update" {
                call.name.push_str(" update");
            }
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            writes_tree(call, Certainty::Likely);
        }
        "deinit" => discards(call, Certainty::Likely),
        _ => {}
    }
}
