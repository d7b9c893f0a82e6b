//! Compilers, containers and forges.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::words;
use crate::command::{ContainerMount, Input, NestedCommand, ShellCommand};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{EffectKind, Target};
use crate::places::path_of;
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
    // What it includes is no file that the line names.
    let includes = match &call.command.input {
        Input::Inherited => false,
        Input::Text(text) => {
            text.contains('"') && ["inc", "embed"].iter().any(|it| text.contains(it))
        }
        _ => true,
    };
    if includes && call.words().iter().all(|word| word.says(&["-"])) {
        call.unknown("r");
    }
    call.opaque |= has_more || heads.iter().any(loads);
    if has_more || heads.iter().any(writes) {
        call.unknown("w");
    }
}

/// Another agent, which may be told to look for its settings elsewhere, where no hooks are.
pub(super) fn agent(call: &mut Call<'_>) {
    let mut assigned = call.command.assigned.iter();
    if assigned.any(|(name, _)| words::MOVING_AGENTS.contains(&&**name)) {
        call.anything();
    }
}

/// A verb of an agent that sets something, such as its hooks, in its settings.
pub(super) fn agent_set(call: &mut Call<'_>) {
    let words = call.words();
    let shows = |word: &Word| word.says(words::AGENT_SHOWS);
    if !words.first().is_none_or(shows) {
        for file in call.places.at_home(words::AGENT_SETTINGS) {
            call.likely("w", &Word::text(file.to_string_lossy()));
        }
    }
}

/// `docker run IMAGE COMMAND…`, `docker exec CONTAINER COMMAND…`, `kubectl exec POD -- COMMAND…`: a command that is known is read
/// with the folders of this machine that the container has. Any other program, and who has the socket of the engine itself, can
/// do anything with them.
pub(super) fn contained(call: &mut Call<'_>) {
    let mut words = call.rest();
    if call.row.name().starts_with("docker") {
        words.drain(..words.len().min(1));
        words.splice(..0, call.values("entrypoint"));
    } else {
        let end = call.end_of_options();
        words = end.map_or(Vec::new(), |end| call.words_from(end + 1));
    }
    let is_known = |word: &Word| super::find(&super::program_name(word)).is_some();
    let is_known = words.first().is_some_and(is_known);
    let mut mounts = Vec::new();
    for mount in call.values("v mount") {
        let Some((source, target)) = mount.known().and_then(mounted) else {
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
        let here = path_of(&source, &call.folders);
        // What else is on this disk, a container may reach as another user than the line.
        let is_near = |here: &PathBuf| here.starts_with(&call.places.project);
        if !is_known || is_socket || !here.as_ref().is_some_and(is_near) {
            call.likely("W", &source);
        }
        let there = target.into();
        mounts.extend(here.map(|here| ContainerMount { there, here }));
    }
    if call.may("v") && !call.has("v") {
        call.unknown("W");
    }
    if words.is_empty() {
        return;
    }
    let folder = call.values("w").pop();
    let folder = folder.and_then(|word| Some(PathBuf::from(word.known()?)));
    let command = ShellCommand {
        assigned: Vec::new(),
        folders: folder.into_iter().collect(),
        ..call.command.with(words)
    };
    call.elsewhere(NestedCommand::Command(command), mounts);
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

/// The machine of a forge that a variable names.
pub(super) fn elsewhere(call: &mut Call<'_>) {
    for (name, value) in &call.command.assigned {
        if ["GH_HOST", "GITLAB_HOST", "GITEA_HOST"].contains(&&**name) {
            call.does("n", value);
        }
    }
}

/// `gh pr checkout` and `gh repo sync` run git.
pub(super) fn checks_out(call: &mut Call<'_>) {
    let kind = call.name.split(' ').nth(1).unwrap_or_default();
    call.by_name(format!("git {kind} checkout"), |call| {
        super::git::writes_tree(call, Likely);
    });
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
    let asks = |word: &Word| match word.known().and_then(|text| text.strip_prefix("query=")) {
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
    let asks = path == Some("graphql") && asks_only(call);
    if asks || gets || methods.is_empty() && !call.may("f F input") {
        return;
    }
    // All others may change commits or branches, or remove the repository.
    let deletes = methods.iter().any(|word| is(word, "delete") != Some(false));
    let is_talk = !deletes && path.is_some_and(talks);
    call.on(EffectKind::Config, "github api", Likely);
    if !is_talk {
        call.effect(EffectKind::Push, Target::Unknown, Certainty::Unknown);
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
    let shows = words::SETTINGS_SHOW.contains(&verb) || words.is_empty() && only_shows;
    if !shows {
        call.letter('k', words.get(1).or(words.first()), Exact);
    }
}
