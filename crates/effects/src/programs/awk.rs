//! Programs of `awk`: what they do besides printing.

use super::call::Call;
use super::sed::{code_may_act, scripts_of};
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// What `awk` programs do besides printing: `print > FILE`, `system()`, `| getline`.
pub(super) fn awk(call: &mut Call<'_>) {
    if call.may("f") || call.may("i") || call.may("E") {
        call.opaque = true;
    }
    if call.reading.unreadable {
        call.anything();
        return;
    }
    for script in scripts_of(call, &["source"]) {
        let Some(text) = script.known() else {
            call.anything();
            continue;
        };
        let plain = outside_of_text(&text);
        // Where a slash may divide or begin a pattern, what seems to stand in text may be code.
        if text.contains('/') && calls(&text).count() > calls(&plain).count() {
            call.anything();
        }
        for command in commands(&text, &plain) {
            match command {
                Some(command) => {
                    let words = ["sh", "-c", &command].map(Word::text).to_vec();
                    call.run_with(words, false, Vec::new(), Input::unknown());
                }
                None => call.anything(),
            }
        }
        let reads = plain.match_indices("getline").any(|(at, _)| {
            let behind = plain.get(at..).unwrap_or_default();
            let own = behind.split([';', '}', '\n']).next().unwrap_or_default();
            own.contains('<')
        });
        if reads || plain.contains("ARGV[") {
            call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
        }
        if ["@", "inplace"].iter().any(|word| plain.contains(word)) {
            code_may_act(call, "awk");
        }
        for file in awk_targets(&text) {
            match file {
                Some(file) if file == "/dev/stderr" || file == "/dev/stdout" => {}
                Some(file) => {
                    call.act_path(Kind::Write, &Word::text(file), Certainty::Likely, false);
                }
                None => call.effect(Kind::Write, Object::Unknown, Certainty::Unknown),
            }
        }
    }
}

/// The program with spaces in place of what stands in quotes, between slashes or in comments. Each sign stands where it stood.
fn outside_of_text(script: &str) -> String {
    let mut out = String::new();
    let mut quoted = None;
    let mut escaped = false;
    let mut before = ' ';
    for letter in script.chars() {
        match quoted {
            Some(end) if letter == end && !escaped => {
                quoted = None;
                out.push(letter);
            }
            Some(end) => {
                escaped = end != '\n' && letter == '\\' && !escaped;
                out.extend(std::iter::repeat_n(' ', letter.len_utf8()));
            }
            None if letter == '#' => {
                quoted = Some('\n');
                out.push(' ');
            }
            None => {
                let divides = before.is_alphanumeric() || ")]$".contains(before);
                let begins = letter == '"' || (letter == '/' && !divides);
                quoted = begins.then_some(letter);
                out.push(letter);
            }
        }
        if !letter.is_whitespace() {
            before = letter;
        }
    }
    out
}

/// Returns what the program has a shell run, by `system(…)` and by pipes; `None` for a text that is put together.
fn commands(script: &str, plain: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    found.extend(calls(plain).map(|from| constant(script, plain, from, &[')'])));
    let mut bars = plain.match_indices('|').map(|(at, _)| at).peekable();
    while let Some(at) = bars.next() {
        if bars.next_if_eq(&(at + 1)).is_some() {
            // `||` is no pipe.
            continue;
        }
        let behind = plain.get(at + 1..).unwrap_or_default();
        let behind = behind.strip_prefix('&').unwrap_or(behind);
        if behind.trim_start().starts_with("getline") {
            let before = plain.get(..at).unwrap_or_default().trim_end();
            let from = before
                .strip_suffix('"')
                .and_then(|text| text.rfind('"'))
                .filter(|from| plain.get(..*from).is_some_and(is_beginning));
            found.push(from.and_then(|from| constant(script, plain, from, &['|'])));
        } else {
            found.push(constant(
                script,
                plain,
                plain.len() - behind.len(),
                &[';', '}', '\n'],
            ));
        }
    }
    found
}

/// Where the arguments of each `system(…)` begin.
fn calls(program: &str) -> impl Iterator<Item = usize> {
    program.match_indices("system").filter_map(|(at, name)| {
        let is_part = program
            .get(..at)?
            .ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let open = program.get(at + name.len()..)?.trim_start();
        let is_call = !is_part && open.starts_with('(');
        is_call.then_some(program.len() - open.len() + 1)
    })
}

/// Whether what begins behind this part of a program is not put together with what stands before it.
fn is_beginning(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty()
        || before.ends_with(['{', '}', ';', '(', '\n', '='])
        || before.ends_with("while")
}

/// Reads the text that begins here, if it is one constant up to one of these ends.
fn constant(script: &str, plain: &str, from: usize, ends: &[char]) -> Option<String> {
    let start = from
        + plain
            .get(from..)?
            .find(|letter: char| !letter.is_whitespace())?;
    let inner = plain.get(start..)?.strip_prefix('"')?;
    let length = inner.find('"')?;
    let rest = inner.get(length + 1..)?.trim_start_matches([' ', '\t']);
    if !rest.is_empty() && !rest.starts_with(ends) {
        return None;
    }
    let text = script.get(start + 1..start + 1 + length)?;
    // Signs of awk itself are rare, and read as what they stand for by awk alone.
    (!text.contains('\\')).then(|| text.to_owned())
}

/// Returns the files that `print > "FILE"` names; `None` for one that is put together.
fn awk_targets(script: &str) -> Vec<Option<String>> {
    let plain = outside_of_text(script);
    let plain = plain.as_bytes();
    let mut targets = Vec::new();
    let mut at = 0;
    while let Some(rest) = plain.get(at..).filter(|rest| !rest.is_empty()) {
        if !rest.starts_with(b"print") {
            at += 1;
            continue;
        }
        let end = rest
            .iter()
            .position(|letter| b";}\n".contains(letter))
            .unwrap_or(rest.len());
        let mut depth = 0_usize;
        let mut mark = None;
        for (offset, letter) in rest.iter().take(end).enumerate() {
            match letter {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'>' if depth == 0 => mark = Some(at + offset + 1),
                _ => {}
            }
        }
        if let Some(target) = mark.and_then(|mark| script.get(mark..at + end)) {
            let target = target.trim();
            let text = target
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            targets.push(
                text.filter(|text| !text.contains(['"', '\\']))
                    .map(str::to_owned),
            );
        }
        at += end.max(1);
    }
    targets
}
