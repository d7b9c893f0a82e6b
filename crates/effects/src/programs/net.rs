//! Programs that connect to other machines.

use url::Url;

use super::call::Call;
use super::words;
use crate::command::{Input, NestedCommand};
use crate::effect::Certainty::Likely;
use crate::word::Word;

/// Tells whether a word names a place on another machine: `machine:path`, or a URL. `None` if it cannot be read.
pub(super) fn is_remote(word: &Word) -> Option<bool> {
    let known = word.known();
    let text = known.unwrap_or_else(|| word.head());
    match (text.find(':'), text.find('/')) {
        (Some(colon), Some(slash)) if slash < colon => Some(false),
        (Some(colon), _) => Some(colon > 0),
        (None, slash) if slash.is_some() || known.is_some() => Some(false),
        (None, _) => None,
    }
}

/// `-o ProxyCommand=…` of ssh and its relatives runs a command.
pub(super) fn options_run(call: &mut Call<'_>) {
    call.values("F").iter().for_each(|file| call.loads(file));
    for word in call.values("o") {
        let Some(text) = word.known().map(str::to_lowercase) else {
            call.may_run_code();
            continue;
        };
        let (key, value) = text.split_once(['=', ' ']).unwrap_or((&text, ""));
        let value_as_given = word.without(key.len() + 1);
        if words::SSH_RUNS.contains(&key.trim()) && value != "none" {
            call.shell(value_as_given, Vec::new());
        } else if ["hostname", "proxyjump"].contains(&key.trim()) && value != "none" {
            call.does("n", &value_as_given);
        }
    }
}

/// `sftp`: what its input says may send or write any file.
pub(super) fn typed_lines(call: &mut Call<'_>) {
    options_run(call);
    if let Input::Text(_) = call.command.input {
        call.anything();
    }
}

/// `scp`: copies files from or to other machines.
pub(super) fn scp(call: &mut Call<'_>) {
    options_run(call);
    copies(call);
}

/// What a copy between machines writes: one file that comes to a folder keeps its name there.
pub(super) fn copies(call: &mut Call<'_>) {
    let words = call.words();
    let Some((target, sources)) = words.split_last() else {
        return;
    };
    let name = match sources {
        [one] if !call.may("r R recursive") => one.known(),
        _ => None,
    };
    let name = name.map(|text| text.rsplit(['/', ':']).next().unwrap_or_default());
    // The machine there may read other signs as more than a name.
    let is_plain = |name: &&str| {
        let mut signs = name.chars();
        !matches!(*name, "" | "." | "..")
            && signs.all(|sign| sign.is_alphanumeric() || "._-+@,=%".contains(sign))
    };
    match name
        .filter(is_plain)
        .filter(|_| is_remote(target) == Some(false))
    {
        Some(name) => {
            call.does("w", target);
            call.likely("w", &target.below(&Word::text(name)));
        }
        None => call.does("M", target),
    }
}

/// `ssh MACHINE LINE…`: a shell there reads the words as one text, or what it gets as its input.
pub(super) fn line_there(call: &mut Call<'_>) {
    options_run(call);
    let words: Vec<Word> = call.rest().into_iter().skip(1).collect();
    let text = match (Word::all_known(&words), &call.command.input) {
        (Some(known), Input::Text(text)) if known.is_empty() => text.clone(),
        (Some(known), _) => known.join(" "),
        (None, _) => return,
    };
    if text.is_empty() {
        return;
    }
    let machine = call.reading.text(0).unwrap_or_default();
    let machine = machine.rsplit('@').next().unwrap_or_default();
    // Behind another port there is mostly another machine, such as a virtual one.
    if OWN_MACHINE.contains(&machine) && !call.may("p") {
        call.folders = call.places.home.iter().cloned().collect();
        call.shell(Word::text(text), Vec::new());
        return;
    }
    call.elsewhere(
        NestedCommand::line(Word::text(text), Vec::new()),
        Vec::new(),
    );
}

/// Names of this machine.
const OWN_MACHINE: &[&str] = &["localhost", "127.0.0.1", "::1"];

/// A URL of a file on this machine is read, or written by an upload.
fn local(call: &mut Call<'_>, url: &Word) {
    let head = url.head().to_ascii_lowercase();
    // A scheme in braces is one of several.
    if !head.starts_with("file:") && !head.starts_with(['{', '[']) {
        return;
    }
    let text = url.known().filter(|text| !text.contains(['{', '[']));
    let path = text.and_then(|text| Url::parse(text).ok()?.to_file_path().ok());
    let path = path.map_or_else(Word::unknown, |path| Word::text(path.to_string_lossy()));
    call.does("r", &path);
    if call.may("T") {
        call.likely("w", &path);
    }
}

/// `-d @FILE`, `-F x=@FILE`, `-o FILE`, `-O`, `-K FILE`.
pub(super) fn curl(call: &mut Call<'_>) {
    let folder = call.values("output-dir").pop().unwrap_or_default();
    // What has no scheme may be a file, and what a variable reads may be sent.
    if call.has("proto-default variable") {
        call.anything();
    }
    // `--resolve NAME:PORT:ADDRESS`, `--connect-to NAME:PORT:ADDRESS:PORT`.
    for word in call.values("resolve connect-to") {
        let known = word.known();
        let machine = known.and_then(|text| text.splitn(3, ':').nth(2));
        call.likely("n", &machine.map_or_else(Word::unknown, Word::text));
    }
    let words = call.words();
    for url in call.values("url").iter().chain(&words) {
        local(call, url);
    }
    for given in call.reading.given.clone() {
        let value = given.value.clone().unwrap_or_else(Word::unknown);
        let sure = given.certainty();
        let through = format!("{} {}", call.name, given.option.written());
        call.by_name(through, |call| {
            if given.option.is("o") {
                let file = folder.below(&value);
                if call.may("create-dirs") {
                    super::files::above(call, 'w', &file);
                }
                call.letter('w', Some(&file), sure);
            } else if given.option.is("K") {
                call.letter('r', Some(&value), sure);
                call.unknown("nw");
            } else if given.option.is_one_of("O remote-name-all") {
                for url in &words {
                    let name = url.known().filter(|_| !call.may("J"));
                    let name = name.map_or_else(Word::unknown, named_by);
                    let file = folder.below(&name);
                    call.letter('w', Some(&file), sure.min(Likely));
                }
            } else if given.option.is("b")
                && given.sure
                && value.known().is_none_or(|text| !text.contains('='))
            {
                call.does("r", &value);
            }
        });
    }
}

/// `openssl s_client MACHINE:PORT`.
pub(super) fn client_of_tls(call: &mut Call<'_>) {
    let words = call.words();
    if let [verb, machine, ..] = &*words
        && verb.says(&["s_client", "s_time"])
    {
        call.does("n", machine);
    }
    let is_verb = words.first().is_some_and(|verb| verb.says(&["x509"]));
    if is_verb && call.has("noout") && call.has_only(words::OF_CERTIFICATES) {
        for effect in &mut call.acts.effects {
            "certificate".clone_into(&mut effect.through);
        }
    }
}

/// `ssh-keygen`: the public half stands beside the private one.
pub(super) fn keys(call: &mut Call<'_>) {
    // The print of a key tells nothing of it.
    if call.has_only(&["l", "f", "E", "v"]) && call.has("l") {
        return;
    }
    for file in call.values("f") {
        call.does("u", &file);
        call.likely("w", &Word::joined(&[&file, &Word::text(".pub")]));
    }
}

/// Without `-O` it writes a file that the URL names.
pub(super) fn wget(call: &mut Call<'_>) {
    // A line of its settings may send or write any file.
    let is_robots = |word: &Word| {
        word.known()
            .is_some_and(|text| text.replace(' ', "").starts_with("robots="))
    };
    if !call.values("e").iter().all(is_robots) {
        call.anything();
    }
    if call.has("O spider") {
        return;
    }
    if call.may("r m i p") {
        call.likely("W", &Word::text("."));
        return;
    }
    let folder = call.values("P").pop().unwrap_or_default();
    for url in call.words() {
        let name = url.known();
        let name = name.map_or_else(Word::unknown, named_by);
        call.likely("w", &folder.below(&name));
    }
}

/// The name that a download gets by its URL.
fn named_by(url: &str) -> Word {
    let path = url.split_once("://").map_or(url, |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit_once('/').map_or("", |(_, name)| name);
    Word::text(if name.is_empty() { "index.html" } else { name })
}
