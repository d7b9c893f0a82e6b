//! Programs of `awk`: what they do besides printing.

use super::call::Call;
use super::sed::{code_may_act, scripts_of};
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// What `awk` programs do besides printing: `print > FILE`, `system()`, `| getline`.
pub(super) fn awk(call: &mut Call<'_>) {
    if call.may("f") || call.may("i") || call.may("E") {
        call.opaque = true;
    }
    for script in scripts_of(call, &["source"]) {
        let Some(text) = script.known() else {
            code_may_act(call, "awk");
            continue;
        };
        if runs_code(&text) {
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

/// The program with spaces in place of what stands in quotes or between slashes.
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
            Some(_) => {
                escaped = letter == '\\' && !escaped;
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

fn runs_code(script: &str) -> bool {
    let plain = outside_of_text(script).replace("||", " ");
    let words = ["|", "system", "getline", "@", "inplace"];
    words.iter().any(|word| plain.contains(word))
}

/// Returns the files that `print > "FILE"` names; `None` for one that is put together.
fn awk_targets(script: &str) -> Vec<Option<String>> {
    let plain: Vec<char> = outside_of_text(script).chars().collect();
    let whole: Vec<char> = script.chars().collect();
    let mut targets = Vec::new();
    let mut at = 0;
    while let Some(rest) = plain.get(at..).filter(|rest| !rest.is_empty()) {
        if !rest.starts_with(&['p', 'r', 'i', 'n', 't']) {
            at += 1;
            continue;
        }
        let end = rest
            .iter()
            .position(|letter| ";}\n".contains(*letter))
            .unwrap_or(rest.len());
        let mut depth = 0_usize;
        let mut mark = None;
        for (offset, letter) in rest.iter().take(end).enumerate() {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '>' if depth == 0 => mark = Some(at + offset + 1),
                _ => {}
            }
        }
        if let Some(target) = mark.and_then(|mark| whole.get(mark..at + end)) {
            let target: String = target.iter().collect();
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
