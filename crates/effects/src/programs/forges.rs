//! Compilers, containers and forges.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::paths::says;
use super::words;
use crate::command::{Command, Inner};
use crate::effect::{Certainty, Kind, Object, Push};
use crate::places::{objects, tidy};
use crate::word::Word;

/// Where it fails, it removes what it was to write.
pub(super) fn removes_output(call: &mut Call<'_>) {
    for output in call.values("o") {
        call.likely("d", &output);
    }
}

/// A compiler, which may load a part of itself, or start another program.
pub(super) fn compiles(call: &mut Call<'_>) {
    removes_output(call);
    let words = call.words_from(1);
    let heads: Vec<&str> = words.iter().map(Word::head).collect();
    // A file with more options, of which one may name the output.
    let has_more = heads.iter().any(|head| head.starts_with('@'));
    let loads = |head: &&str| {
        words::COMPILERS_LOAD
            .iter()
            .any(|option| head.starts_with(option))
    };
    let writes = |head: &&str| {
        head.starts_with('-')
            && words::COMPILERS_WRITE
                .iter()
                .any(|option| head.contains(option))
    };
    call.opaque |= has_more || heads.iter().any(loads);
    if has_more || heads.iter().any(writes) {
        call.unknown("w");
    }
}

/// `docker run IMAGE COMMAND…`, `docker exec CONTAINER COMMAND…`, `kubectl exec POD -- COMMAND…`: a command that is known is read
/// with the folders of this machine that the container has. Any other program, and who has the socket of the engine itself, can
/// do anything with them.
pub(super) fn contained(call: &mut Call<'_>) {
    let mut words = call.rest();
    if call.row.name().starts_with("docker ") {
        words.drain(..words.len().min(1));
        words.splice(..0, call.values("entrypoint"));
    } else {
        let is_end = |word: &Word| says(word, &["--"]);
        let end = call.command.words.iter().position(is_end);
        words = end.map_or(Vec::new(), |end| call.words_from(end + 1));
    }
    let is_known = |word: &Word| super::find(&super::program_name(word)).is_some();
    let is_known = words.first().is_some_and(is_known);
    let mut mounts = Vec::new();
    for mount in call.values("v mount") {
        let Some((source, target)) = mount.known().and_then(|text| mounted(&text)) else {
            call.unknown("W");
            continue;
        };
        // What is no path is the name of a volume.
        if !source.starts_with(['/', '.', '~']) {
            continue;
        }
        let is_socket = Path::new(&source)
            .extension()
            .is_some_and(|end| end == "sock");
        let source = Word::text(source);
        let mut is_read = is_known && !is_socket;
        if let [(Object::Path(here), _)] = &*objects(&source, &call.folders) {
            let here = tidy(here);
            // What else is on this disk, a container may reach as another user than the line.
            is_read &= here.starts_with(&call.places.project);
            mounts.push((target.into(), here));
        } else {
            is_read = false;
        }
        if !is_read {
            call.likely("W", &source);
        }
    }
    if call.may("v") && !call.has("v") {
        call.unknown("W");
    }
    let folder = call.values("w").pop();
    let folder = folder.and_then(|word| Some(word.known()?.into_owned()));
    runs_inside(call, words, folder, mounts);
}

/// What `-v SOURCE:TARGET` and `--mount source=SOURCE,target=TARGET` name.
fn mounted(text: &str) -> Option<(String, String)> {
    let field = |names: &[&str]| {
        let mut fields = text.split(',').filter_map(|field| field.split_once('='));
        fields.find_map(|(name, value)| names.contains(&name).then(|| value.to_owned()))
    };
    if let Some(target) = field(&["target", "dst", "destination"]) {
        return Some((field(&["source", "src"]).unwrap_or_default(), target));
    }
    let mut parts = text.split(':').map(str::to_owned);
    let source = parts.next()?;
    // A folder of the container alone is no folder of this machine.
    Some(
        parts
            .next()
            .map_or_else(Default::default, |target| (source, target)),
    )
}

fn runs_inside(
    call: &mut Call<'_>,
    words: Vec<Word>,
    folder: Option<String>,
    mounts: Vec<(PathBuf, PathBuf)>,
) {
    if words.is_empty() {
        return;
    }
    let command = Command {
        words,
        assigned: Vec::new(),
        folders: folder.into_iter().map(PathBuf::from).collect(),
        ..call.command.clone()
    };
    let more = false;
    call.elsewhere(Inner::Command { command, more }, mounts);
}

/// Other verbs of containers: `docker cp`, and `docker compose exec SERVICE COMMAND…`.
pub(super) fn docker(call: &mut Call<'_>) {
    if call.name.ends_with(" cp") {
        let is_inside = |word: &Word| word.known().is_some_and(|text| text.contains(':'));
        for word in call.words().iter().filter(|word| !is_inside(word)) {
            call.likely("W", word);
        }
    }
    let words = call.rest();
    let runs = |verb: &Word| says(verb, &["exec", "run"]);
    if call.name.ends_with(" compose") && words.first().is_some_and(runs) {
        let mut rest = words.into_iter().skip(1).peekable();
        while let Some(option) = rest.next_if(|word| word.head().starts_with('-')) {
            if says(&option, words::COMPOSE_TAKES) {
                rest.next();
            }
        }
        runs_inside(call, rest.skip(1).collect(), None, Vec::new());
    }
}

/// `gh repo clone REPOSITORY [FOLDER] [-- OPTIONS OF GIT]`.
fn clones(call: &mut Call<'_>, words: &[Word]) {
    let is_end = |word: &&Word| says(word, &["--"]);
    let own: Vec<&Word> = words.iter().take_while(|word| !is_end(word)).collect();
    let is_operand = |word: &&Word| {
        word.head()
            .starts_with(|letter: char| letter.is_ascii_alphanumeric() || "./_".contains(letter))
    };
    match &*own {
        [_, source, rest @ ..] if own.iter().all(is_operand) => {
            super::git::makes_clone(call, Some(source), rest.first().copied());
        }
        // The folder may be any of the words behind an option.
        _ => call.unknown("W"),
    }
    // It runs git, with the words behind `--`.
    call.opaque = true;
}

/// Notes the files that are sent to the forge.
fn uploads(call: &mut Call<'_>, kind: &str, words: &[Word]) {
    let verb = words.first().and_then(Word::known).unwrap_or_default();
    // How many words stand in front of the files.
    let mut skip = match (kind, &*verb) {
        ("gist", "create") | ("ssh-key" | "gpg-key", "add") => 1,
        ("release", "create" | "upload") => 2,
        _ => usize::MAX,
    };
    let mut takes = false;
    for word in words {
        let text = word.known().unwrap_or_default();
        let (name, value) = text.split_once('=').unwrap_or((&text, ""));
        let is_of_files = words::FORGE_FILES.contains(&name);
        if takes {
            call.does("r", word);
        } else if is_of_files && !value.is_empty() {
            call.does("r", &Word::text(value));
        } else if skip == 0 && !text.starts_with('-') {
            call.likely("r", word);
        }
        let is_env = text == "-f" && matches!(kind, "secret" | "variable");
        takes = !takes && value.is_empty() && (is_of_files || is_env);
        skip = skip.saturating_sub(usize::from(!text.starts_with('-')));
    }
}

/// `gh run download`, `gh release download`: into a folder, or to one file.
fn downloads(call: &mut Call<'_>, words: &[Word]) {
    let to = |names: &[&str]| {
        let is_named = |word: &Word| says(word, names);
        words.get(words.iter().position(is_named)? + 1).cloned()
    };
    match to(&["-O", "--output"]) {
        Some(file) => call.does("w", &file),
        None => call.likely(
            "W",
            &to(&["-D", "--dir"]).unwrap_or_else(|| Word::text(".")),
        ),
    }
}

/// Verbs of forges: many only look.
pub(super) fn forge(call: &mut Call<'_>) {
    call.likely("n", &Word::text("https://api.github.com"));
    let words = call.words();
    let kind = call.name.split(' ').nth(1).unwrap_or_default().to_owned();
    uploads(call, &kind, &words);
    let Some(first) = words.first() else { return };
    let Some(verb) = first.known() else {
        call.anything();
        return;
    };
    match (&*kind, &*verb) {
        (_, verb) if words::FORGE_LOOKS.contains(&verb) => {}
        ("run" | "release", "download") => downloads(call, &words),
        ("release", _) => call.named(Kind::Publish, words.get(1), Certainty::Exact),
        ("pr" | "mr", "merge") => {
            call.effect(Kind::Push, Object::Push(Push::default()), Certainty::Likely);
        }
        ("repo" | "gist", "clone") => clones(call, &words),
        ("pr" | "mr", "checkout") | ("repo", "sync" | "fork") => {
            // It runs git.
            call.by_name(format!("git {kind} checkout"), |call| {
                super::git::writes_tree(call, Certainty::Likely);
            });
            call.opaque = true;
        }
        ("codespace" | "cs", _) => call.opaque = true,
        (kind, _) => call.on(Kind::Config, format!("github {kind}"), Certainty::Likely),
    }
}

/// Tells whether a request is about what people say. A merge of a pull request is not.
fn talks(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let is_plain = |name: &&str| {
        !name.contains(['.', '%', ':']) && !matches!(*name, "merge" | "update-branch")
    };
    match &*names {
        ["repos", _, _, rest @ ..] => {
            rest.first()
                .is_some_and(|name| words::FORGE_TALK.contains(name))
                && rest.iter().all(is_plain)
        }
        _ => false,
    }
}

/// Tells whether every field of a request to GraphQL is known, and none holds a mutation.
fn asks_only(call: &Call<'_>) -> bool {
    let fields = call.values("f F");
    let asks = |word: &Word| match word
        .known()
        .as_deref()
        .and_then(|text| text.strip_prefix("query="))
    {
        Some(query) => !query.contains("mutation") && !query.starts_with('@'),
        None => word
            .head()
            .split_once('=')
            .is_some_and(|(name, _)| name != "query"),
    };
    !call.may("input") && !fields.is_empty() && fields.iter().all(asks)
}

/// A request with fields or a method other than GET changes something there.
pub(super) fn api(call: &mut Call<'_>) {
    let methods = call.values("X");
    let is = |word: &Word, method: &str| word.known().map(|text| text.eq_ignore_ascii_case(method));
    let gets = methods
        .last()
        .is_some_and(|word| is(word, "get") == Some(true));
    let path = call.reading.text(0);
    let asks = path.as_deref() == Some("graphql") && asks_only(call);
    if asks || gets || methods.is_empty() && !call.may("f F input") {
        return;
    }
    call.on(Kind::Config, "github api", Certainty::Likely);
    // All others may change commits or branches, or remove the repository.
    let deletes = methods.iter().any(|word| is(word, "delete") != Some(false));
    if deletes || !path.is_some_and(|path| talks(&path)) {
        call.effect(Kind::Push, Object::Unknown, Certainty::Unknown);
    }
}

/// A setting, by its key or the verb; `config get` and `auth status` change nothing.
pub(super) fn sets(call: &mut Call<'_>) {
    let words = call.words();
    let verb = call.reading.text(0).unwrap_or_default();
    let own = call.name.split(' ').next_back().unwrap_or_default();
    let only_shows = matches!(
        own,
        "config" | "c" | "alias" | "cache" | "profile" | "source"
    );
    let shows = words::SETTINGS_SHOW.contains(&&*verb) || words.is_empty() && only_shows;
    if !shows {
        call.letter('k', words.get(1).or(words.first()), Certainty::Exact);
    }
}

/// Agents have settings of their own, which hold hooks.
pub(super) fn agents(call: &mut Call<'_>) {
    let verb = call.reading.text(0).unwrap_or_default();
    if words::AGENTS_SET.contains(&&*verb) {
        let name = format!("{} {verb}", call.name);
        call.on(Kind::Config, name, Certainty::Likely);
    }
}
