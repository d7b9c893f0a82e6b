//! Programs in front of a command: where the command begins.

use super::call::Call;
use super::processes::rest;
use crate::word::Word;

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
