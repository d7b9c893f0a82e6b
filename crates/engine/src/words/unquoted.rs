//! Placeholders that a shell would split, because they stand outside of quotes.

use std::ops::Range;

use super::{is_name, name};
use crate::lists::BEFORE;

/// Returns where placeholders stand outside of quotes; `$NAME` and `${NAME…}` are both found. What a shell does not split is
/// none: the value of an assignment, the word of `case`, and what stands in `[[ ]]` and `(( ))`.
///
/// ```
/// use anyhook_engine::words::unquoted_placeholders;
/// assert_eq!(unquoted_placeholders(r#"cat ${a} "${b}" '${c}'"#), [4..8]);
/// ```
pub fn unquoted_placeholders(command: &str) -> Vec<Range<usize>> {
    let mut rest = command.char_indices().peekable();
    // Whether quotes are open, for the line and for each bracket that is open.
    let mut quotes = vec![false];
    let (mut word, mut before, mut is_test, mut begins) = (0, "", false, true);
    let mut found = Vec::new();
    while let Some((at, letter)) = rest.next() {
        let is_quoted = quotes.last() == Some(&true);
        let own = command.get(word..at).unwrap_or_default();
        match letter {
            '\\' => drop(rest.next()),
            '"' => drop(quotes.pop().map(|open| quotes.push(!open))),
            '$' if rest.next_if(|(_, next)| *next == '(').is_some() => {
                is_test |= rest.next_if(|(_, next)| *next == '(').is_some();
                quotes.extend((!is_test).then_some(false));
            }
            '$' => {
                let is_open = rest.next_if(|(_, next)| *next == '{').is_some();
                let name = name(&mut rest);
                let end = if is_open {
                    closed(command, at)
                } else {
                    at + 1 + name.len()
                };
                let is_whole = is_test || before == "case" || begins && is_assignment(own);
                if is_name(&name) && !is_quoted && !is_whole {
                    found.push(at..end);
                }
                while rest.next_if(|(at, _)| *at < end).is_some() {}
            }
            _ if is_quoted => {}
            '\'' => drop(rest.find(|(_, letter)| *letter == '\'')),
            '#' if own.is_empty() => drop(rest.find(|(_, letter)| *letter == '\n')),
            '(' if rest.next_if(|(_, next)| *next == '(').is_some() => is_test = true,
            '(' => quotes.push(false),
            ')' if rest.next_if(|(_, next)| is_test && *next == ')').is_some() => is_test = false,
            ')' if quotes.len() > 1 => drop(quotes.pop()),
            _ => {}
        }
        let is_end = "\n;&|()".contains(letter);
        if !is_quoted && (is_end || letter == ' ' || letter == '\t') {
            if !own.is_empty() {
                before = own;
                begins &= is_assignment(own) || BEFORE.contains(&own);
                is_test = own == "[[" || is_test && own != "]]";
            }
            begins |= is_end && !is_test;
            word = rest.peek().map_or(command.len(), |(at, _)| *at);
        }
    }
    found
}

/// Returns where the brace that begins here ends.
fn closed(command: &str, from: usize) -> usize {
    let mut open = 0_usize;
    let end = command
        .char_indices()
        .skip_while(|(at, _)| *at < from)
        .find(|(_, letter)| {
            open += usize::from(*letter == '{');
            let is_end = *letter == '}' && open == 1;
            open = open.saturating_sub(usize::from(*letter == '}'));
            is_end
        });
    end.map_or(command.len(), |(at, _)| at + 1)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| is_name(name.strip_suffix('+').unwrap_or(name)))
}
