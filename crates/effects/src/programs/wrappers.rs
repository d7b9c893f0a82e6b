//! Programs that run the command behind them: where that command begins.

use super::call::Call;
use super::processes::rest;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// What a shell runs by itself when it starts, of the settings of the person: at a login, and when it talks with a person.
const AT_LOGIN: &[&str] = &[".bash_profile", ".bash_login", ".profile"];
const AT_TALKING: &[&str] = &[".bashrc"];
const AT_ZSH: &[&str] = &[".zshenv", ".zprofile", ".zshrc", ".zlogin"];

/// Notes the settings that a shell runs before anything else, whose code is not read here. `first` is the place of its first
/// operand, in front of which its options stand.
pub(super) fn starts_up(call: &mut Call<'_>, first: Option<usize>) {
    let words = &call.command.words;
    let own = words
        .get(1..first.unwrap_or(words.len()))
        .unwrap_or_default();
    let known: Vec<_> = own.iter().filter_map(Word::known).collect();
    let has = |long: &str| known.iter().any(|word| **word == *long);
    let short = |letter: char| {
        let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
        known
            .iter()
            .any(|word| is_short(word) && word.contains(letter))
    };
    let (is_login, talks) = (short('l') || has("--login"), short('i'));
    let settings = match &*call.name {
        "zsh" if short('f') || has("--no-rcs") => return,
        // A shell that is started for one line runs the first of these too.
        "zsh" => AT_ZSH,
        "bash" if is_login && has("--noprofile") => return,
        _ if is_login => AT_LOGIN,
        "bash" if talks && has("--norc") => return,
        "bash" if talks => AT_TALKING,
        // The file that `$ENV` names.
        _ if talks => &[],
        _ => return,
    };
    call.opaque = true;
    let home = call.places.home.as_ref();
    let files: Vec<_> = settings
        .iter()
        .filter_map(|name| Some(home?.join(name)))
        .collect();
    for file in files {
        call.effect(Kind::Read, Object::Path(file), Certainty::Likely);
    }
}

/// A wrapper whose own options are not all known: what follows an unlisted one may be its value.
pub(super) fn wrapper(call: &mut Call<'_>) {
    behind_options(call);
    if !call.reading.unlisted.is_empty() && call.row.name() != "unshare" {
        let words = rest(call).get(1..).unwrap_or_default().to_vec();
        call.run(words, false);
    }
    if call.words().is_empty() {
        call.opaque = call.row.name() == "unshare";
    }
}

/// `setarch ARCHITECTURE COMMAND…`: the first word may be no program.
pub(super) fn second(call: &mut Call<'_>) {
    let words = rest(call).get(1..).unwrap_or_default().to_vec();
    call.run(words, false);
}

/// `capsh … -- WORDS`: the words are those of a shell.
pub(super) fn bounded(call: &mut Call<'_>) {
    let words = &call.command.words;
    let is_end = |word: &Word| matches!(word.known().as_deref(), Some("--" | "==") | None);
    let Some(at) = words.iter().position(is_end) else {
        return;
    };
    let mut shell = vec![Word::text("bash")];
    shell.extend(words.iter().skip(at + 1).cloned());
    call.run(shell, false);
}

/// The value of an option that other programs of the row lack may be the command.
fn behind_options(call: &mut Call<'_>) {
    let first = call.reading.operands.first().map(|operand| operand.at);
    let before = call
        .command
        .words
        .get(1..first.unwrap_or(call.command.words.len()));
    let may_be = |word: &Word| match word.known() {
        Some(text) => text.contains('/') || super::find(&text).is_some(),
        None => true,
    };
    let is_option = |word: &Word| word.head().starts_with('-');
    let at = before
        .unwrap_or_default()
        .iter()
        .position(|word| !is_option(word) && may_be(word));
    if let Some(at) = at {
        let words = call
            .command
            .words
            .get(at + 1..)
            .unwrap_or_default()
            .to_vec();
        call.run(words, false);
    }
}
