//! Build tools, test runners, compilers, formatters and tools of containers and clouds.

use super::call::Call;
use super::words;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Where it fails, it removes what it was to write.
pub(super) fn removes_output(call: &mut Call<'_>) {
    let outputs: Vec<Word> = call.reading.values("o").cloned().collect();
    for output in &outputs {
        call.act_path(Kind::Delete, output, Certainty::Likely, false);
    }
}

/// A compiler, which may load a part of itself, or start another program.
pub(super) fn compiles(call: &mut Call<'_>) {
    removes_output(call);
    let loading = [
        "-fplugin",
        "-fpass-plugin",
        "-specs",
        "--specs",
        "-wrapper",
        "-load",
        "-B",
    ];
    let mut words = call.command.words.iter();
    call.opaque |= words.any(|word| loading.iter().any(|own| word.head().starts_with(own)));
    let heads: Vec<&str> = call.command.words.iter().map(Word::head).collect();
    // A file with more options, of which one may name the output.
    let has_more = heads.iter().any(|head| head.starts_with('@'));
    let names = |head: &&str| {
        head.starts_with('-')
            && words::COMPILERS_WRITE
                .iter()
                .any(|option| head.contains(option))
    };
    if has_more || heads.iter().any(names) {
        call.opaque |= has_more;
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// A container that has the folders of this machine, or the socket of its own engine, can do anything with them.
pub(super) fn docker(call: &mut Call<'_>) {
    let mounts: Vec<Word> = call.reading.values("v").cloned().collect();
    for mount in mounts {
        match mount.known() {
            Some(text) => {
                let source = text.split(':').next().unwrap_or_default();
                if source.starts_with(['/', '.', '~']) {
                    call.act_path(Kind::Write, &Word::text(source), Certainty::Likely, true);
                }
            }
            None => call.act_path(Kind::Write, &Word::unknown(), Certainty::Unknown, true),
        }
    }
    // The folders with a colon in their names, which the row's letter gave.
    call.acts.effects.retain(|effect| !matches!(&effect.object, Object::Tree(path) if path.to_string_lossy().contains(':')));
    if call.name.ends_with(" cp") {
        for word in call.words() {
            if !word.known().is_some_and(|text| text.contains(':')) {
                call.act_path(Kind::Write, &word, Certainty::Likely, true);
            }
        }
    }
}

/// `gh repo clone REPOSITORY [FOLDER] [-- OPTIONS OF GIT]`.
fn clones(call: &mut Call<'_>, words: &[Word]) {
    let is_end = |word: &&Word| word.known().as_deref() == Some("--");
    let own: Vec<&Word> = words.iter().take_while(|word| !is_end(word)).collect();
    let is_operand = |word: &&Word| {
        let first = word.head().chars().next();
        first.is_some_and(|letter| letter.is_ascii_alphanumeric() || "./_".contains(letter))
    };
    match &*own {
        [_, source, rest @ ..] if own.iter().all(is_operand) => {
            super::git_remote::makes_clone(call, Some(source), rest.first().copied());
        }
        // The folder may be any of the words behind an option.
        _ => call.act_path(Kind::Write, &Word::unknown(), Certainty::Unknown, true),
    }
    // It runs git, with the words behind `--`.
    call.opaque = true;
}

/// Verbs of `gh` whose operands are files, and how many words stand before them.
const UPLOADING: &[(&str, &str, usize)] = &[
    ("gist", "create", 1),
    ("release", "create", 2),
    ("release", "upload", 2),
    ("ssh-key", "add", 1),
    ("gpg-key", "add", 1),
];

/// Notes the files that are sent to the forge.
fn uploads(call: &mut Call<'_>, kind: &str, words: &[Word]) {
    let verb = words.first().and_then(Word::known).unwrap_or_default();
    let row = UPLOADING
        .iter()
        .find(|(of, name, _)| *of == kind && *name == verb);
    let mut skip = row.map_or(usize::MAX, |(_, _, before)| *before);
    let mut takes = false;
    for word in words {
        let text = word.known().unwrap_or_default().into_owned();
        let is_env = text == "-f" && matches!(kind, "secret" | "variable");
        let (name, value) = text.split_once('=').unwrap_or((&text, ""));
        if takes {
            call.act_path(Kind::Read, word, Certainty::Exact, false);
        } else if !value.is_empty() && words::FORGE_FILES.contains(&name) {
            call.act_path(Kind::Read, &Word::text(value), Certainty::Exact, false);
        } else if skip == 0 && !text.starts_with('-') {
            call.act_path(Kind::Read, word, Certainty::Likely, false);
        }
        takes = !takes && (words::FORGE_FILES.contains(&&*text) || is_env);
        if !text.starts_with('-') {
            skip = skip.saturating_sub(1);
        }
    }
}

/// `gh run download`, `gh release download`: into a folder, or to one file.
fn downloads(call: &mut Call<'_>, words: &[Word]) {
    let to = |names: &[&str]| {
        let mut pairs = words.windows(2);
        pairs.find_map(|pair| match pair {
            [option, to] if names.contains(&&*option.known()?) => Some(to.clone()),
            _ => None,
        })
    };
    if let Some(file) = to(&["-O", "--output"]) {
        call.act_path(Kind::Write, &file, Certainty::Exact, false);
    } else {
        let folder = to(&["-D", "--dir"]).unwrap_or_else(|| Word::text("."));
        call.act_path(Kind::Write, &folder, Certainty::Likely, true);
    }
}

/// Verbs of forges that only look.
pub(super) fn forge(call: &mut Call<'_>) {
    call.connect(&Word::text("https://api.github.com"), Certainty::Likely);
    let words = call.words();
    let kind = call.name.split(' ').nth(1).unwrap_or_default().to_owned();
    uploads(call, &kind, &words);
    let verb = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    match (&*kind, verb.as_deref()) {
        (
            _,
            Some(
                "list" | "ls" | "view" | "status" | "diff" | "checks" | "watch" | "show" | "verify"
                | "get" | "check",
            )
            | None,
        ) if !words.is_empty() || verb.is_none() => {
            if verb.is_none() && !words.is_empty() {
                call.anything();
            }
        }
        ("run" | "release", Some("download")) => downloads(call, &words),
        ("release", Some(_)) => call.named(Kind::Publish, words.get(1), Certainty::Exact),
        ("pr" | "mr", Some("merge")) => call.effect(
            Kind::Push,
            Object::Push(crate::effect::Push::default()),
            Certainty::Likely,
        ),
        ("repo" | "gist", Some("clone")) => clones(call, &words),
        ("pr" | "mr", Some("checkout")) | ("repo", Some("sync" | "fork")) => {
            // It runs git.
            let own = std::mem::replace(&mut call.name, format!("git {kind} checkout"));
            super::git::writes_tree(call, Certainty::Likely);
            call.name = own;
            call.opaque = true;
        }
        ("codespace" | "cs", _) => call.opaque = true,
        ("repo" | "pr" | "issue" | "gist" | "secret" | "variable" | "ruleset" | _, Some(_)) => call
            .effect(
                Kind::Config,
                Object::Name(format!("github {kind}")),
                Certainty::Likely,
            ),
        (_, None) => {}
    }
}

/// Tells whether a request is about what people say. A merge of a pull request is not.
fn talks(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let last = names.last().copied().unwrap_or_default();
    let is_plain = |name: &&str| !name.contains(['.', '%', ':']);
    let is_about = |rest: &[&str]| {
        rest.first()
            .is_some_and(|name| words::FORGE_TALK.contains(name))
    };
    matches!(&*names, ["repos", _, _, rest @ ..] if is_about(rest) && rest.iter().all(is_plain))
        && !matches!(last, "merge" | "update-branch")
}

/// Tells whether every field of a request to GraphQL is known, and none holds a mutation.
fn asks_only(call: &Call<'_>) -> bool {
    let fields: Vec<&Word> = ["f", "F"]
        .iter()
        .flat_map(|name| call.reading.values(name))
        .collect();
    let asks = |word: &&Word| {
        let text = word.known();
        let query = text.as_deref().and_then(|text| text.strip_prefix("query="));
        match query {
            Some(query) => !query.contains("mutation") && !query.starts_with('@'),
            None => word
                .head()
                .split_once('=')
                .is_some_and(|(name, _)| name != "query"),
        }
    };
    !call.may("input") && !fields.is_empty() && fields.iter().all(asks)
}

/// A request with fields or a method other than GET changes something there.
pub(super) fn api(call: &mut Call<'_>) {
    let methods: Vec<Word> = call.reading.values("X").cloned().collect();
    let writes = ["f", "F", "input"].iter().any(|name| call.may(name));
    let gets = methods.last().is_some_and(|word| {
        word.known()
            .is_some_and(|text| text.eq_ignore_ascii_case("get"))
    });
    let path = call.words().first().cloned().unwrap_or_default();
    let path = path.known();
    if path.as_deref() == Some("graphql") && asks_only(call) || gets {
        return;
    }
    if writes || !methods.is_empty() {
        call.effect(
            Kind::Config,
            Object::Name("github api".to_owned()),
            Certainty::Likely,
        );
        // All others may change commits or branches, or remove the repository.
        let deletes = |word: &Word| {
            word.known()
                .is_none_or(|text| text.eq_ignore_ascii_case("delete"))
        };
        let only_talks = !methods.iter().any(deletes) && path.is_some_and(|path| talks(&path));
        if !only_talks {
            call.effect(Kind::Push, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// A setting, by its key or the verb; `config get` and `auth status` change nothing.
pub(super) fn sets(call: &mut Call<'_>) {
    let words = call.words();
    let verb = call.reading.text(0).unwrap_or_default();
    let own = call.name.split(' ').next_back().unwrap_or_default();
    let reads = [
        "get",
        "list",
        "ls",
        "status",
        "token",
        "get-value",
        "view",
        "current-context",
        "get-contexts",
        "debug",
        "dir",
        "info",
        "path",
        "show",
        "describe",
        "env",
    ];
    if reads.contains(&&*verb)
        || (words.is_empty()
            && matches!(
                own,
                "config" | "c" | "alias" | "cache" | "profile" | "source"
            ))
    {
        return;
    }
    match words.get(1).or_else(|| words.first()) {
        Some(word) => call.named(Kind::Config, Some(&word.clone()), Certainty::Exact),
        None => call.effect(
            Kind::Config,
            Object::Name(call.name.clone()),
            Certainty::Exact,
        ),
    }
}
