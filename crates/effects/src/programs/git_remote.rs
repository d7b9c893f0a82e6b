//! Git commands that exchange data with other machines.

use super::call::Call;
use super::git::{of_this_call, refspec};
use crate::effect::{Certainty, Kind, Object, Push};
use crate::word::Word;

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
    let sure = sure.min(forces(call, &mut push));
    let unreadable = remote.as_ref().is_some_and(|word| word.known().is_none());
    let sure = if unreadable { Certainty::Unknown } else { sure };
    if call.has("dry-run") {
        return;
    }
    call.effect(Kind::Push, Object::Push(push), sure);
    contacts(call, remote.as_ref());
}

/// Notes what the options of a push do, and tells how sure that is.
fn forces(call: &Call<'_>, push: &mut Push) -> Certainty {
    let mut sure = Certainty::Exact;
    for given in &call.reading.given {
        let is = |names: &[&str]| names.iter().any(|name| given.option.is(name));
        let forces = is(&["f", "force-with-lease", "mirror"]);
        let deletes = is(&["d", "mirror", "prune"]);
        push.forced |= forces;
        push.deleted |= deletes;
        if (forces || deletes) && !given.sure {
            sure = Certainty::Unknown;
        }
    }
    sure
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

/// `git init A/B` makes `A` too.
pub(super) fn makes_folders(call: &mut Call<'_>) {
    for word in call.words() {
        super::files::above(call, Kind::Write, &word);
    }
}

/// Notes the folder into which a repository is cloned: the one that is named, or one of its own name.
pub(super) fn makes_clone(call: &mut Call<'_>, source: Option<&Word>, folder: Option<&Word>) {
    if let Some(folder) = folder {
        super::files::above(call, Kind::Write, folder);
    }
    let name = |word: &Word| {
        let text = word.known()?;
        let text = text
            .trim_end_matches('/')
            .trim_end_matches("/.git")
            .trim_end_matches(".git");
        text.rsplit(['/', ':']).next().map(Word::text)
    };
    let folder = folder.cloned().or_else(|| source.and_then(name));
    let folder = folder.unwrap_or_else(Word::unknown);
    call.act_path(Kind::Write, &folder, Certainty::Exact, true);
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
    makes_clone(call, words.first(), words.get(1));
    let settings: Vec<Word> = call.reading.values("c").cloned().collect();
    for setting in settings {
        let head = setting.head().to_owned();
        let key = head.split('=').next().unwrap_or_default();
        of_this_call(call, key, &setting.without(key.len() + 1));
    }
}
