//! The search for secrets: one pass finds where a rule may begin to match, then the rule itself is tried there.

use std::collections::BTreeMap;
use std::ops::Range;

use super::rule::{BEGINS, CharacterSet, Prefilter, RULES, RedactionRule, SecretShape, keywords};

/// Which rules are looked for, one bit each.
pub(super) type RuleMask = u128;

/// One thing that was found: where, and the place of its rule in the table.
pub(super) type ScanMatch = (Range<usize>, usize);

/// How far before a keyword a pattern may begin, and how far behind it one is looked for at first.
const LEAD: usize = 160;
const SPAN: usize = 512;
/// Digits with no more than this between them may be one number.
const GAP: usize = 10;
/// Fewer digits are no number of a person.
pub(super) const FEWEST: usize = 6;

/// No rule describes fewer letters than this without a digit or another sign.
pub(super) const LONG: usize = 20;

/// Finds everything that the wanted rules describe, in the order of the text, without overlaps.
pub(super) fn find(text: &str, wanted: RuleMask) -> Vec<ScanMatch> {
    if is_short_word(text) {
        return Vec::new();
    }
    let mut hits = Vec::new();
    let mut regions: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    let bytes = text.as_bytes();
    for (at, pair) in bytes.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let seconds = BEGINS.get(usize::from(*first)).copied().unwrap_or_default();
        if seconds >> (second & 31) & 1 == 0 {
            continue;
        }
        for (keyword, rule) in keywords(first.to_ascii_lowercase(), second.to_ascii_lowercase()) {
            if wanted & (1 << rule) != 0 {
                note(text, at, (keyword, *rule), &mut hits, &mut regions);
            }
        }
    }
    // Most texts have no numbers, and each key of a record is a text.
    let numbers = numbers(text);
    for (at, rule) in RULES.iter().enumerate().filter(|_| !numbers.is_empty()) {
        if let SecretShape::Pattern {
            near: Prefilter::Digits(least),
            ..
        } = rule.shape
            && wanted & (1 << at) != 0
        {
            for (place, _) in numbers.iter().filter(|(_, digits)| *digits >= least) {
                add(regions.entry(at).or_default(), place.clone());
            }
        }
    }
    for (rule, places) in regions {
        closer(text, rule, places, &mut hits);
    }
    merged(hits)
}

/// Tells whether a text is a short word, which no rule describes: most names of fields are.
fn is_short_word(text: &str) -> bool {
    let mut letters = text.bytes();
    text.len() < LONG
        && letters.all(|letter| letter.is_ascii_alphabetic() || b"_-".contains(&letter))
}

/// Notes a keyword: a token is there or not, a pattern is looked for later.
fn note(
    text: &str,
    at: usize,
    (keyword, rule): (&str, usize),
    hits: &mut Vec<ScanMatch>,
    regions: &mut BTreeMap<usize, Vec<Range<usize>>>,
) {
    let end = at + keyword.len();
    let Some(found) = text.get(at..end) else {
        return;
    };
    match RULES.get(rule).map(|rule| rule.shape) {
        Some(SecretShape::Token {
            body,
            least,
            is_word,
            ..
        }) if found == keyword => {
            let rest = text.get(end..).unwrap_or_default();
            let length = rest.find(|letter| !body.has(letter)).unwrap_or(rest.len());
            if length >= least && !(is_word && is_inside_word(text, at)) {
                hits.push((at..end + length, rule));
            }
        }
        Some(SecretShape::Pattern { .. }) if found.eq_ignore_ascii_case(keyword) => {
            add(regions.entry(rule).or_default(), region(text, at, end));
        }
        Some(SecretShape::Token { .. } | SecretShape::Pattern { .. }) | None => {}
    }
}

fn is_inside_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    before.is_some_and(|letter| CharacterSet::Alnum.has(letter))
}

/// The part of a text that is looked at around a place.
fn region(text: &str, from: usize, to: usize) -> Range<usize> {
    text.floor_char_boundary(from.saturating_sub(LEAD))
        ..text.ceil_char_boundary((to + SPAN).min(text.len()))
}

/// Adds a region behind the others; what touches is one.
fn add(regions: &mut Vec<Range<usize>>, region: Range<usize>) {
    match regions.last_mut() {
        Some(last) if last.end >= region.start => last.end = last.end.max(region.end),
        Some(_) | None => regions.push(region),
    }
}

/// Finds the places with digits of one number, and how many they are.
fn numbers(text: &str) -> Vec<(Range<usize>, usize)> {
    let (mut found, bytes) = (Vec::new(), text.as_bytes());
    let is_inside = |byte: &u8| byte.is_ascii_uppercase() || b" .-()".contains(byte);
    let mut digits = (0..bytes.len())
        .filter(|at| bytes.get(*at).is_some_and(u8::is_ascii_digit))
        .peekable();
    while let Some(first) = digits.next() {
        let (mut end, mut count) = (first + 1, 1);
        while let Some(next) = digits.next_if(|next| {
            let between = bytes.get(end..*next).unwrap_or_default();
            between.len() <= GAP && between.iter().all(is_inside)
        }) {
            end = next + 1;
            count += 1;
        }
        if count >= FEWEST {
            let from = text.floor_char_boundary(first.saturating_sub(GAP));
            let to = text.ceil_char_boundary((end + GAP).min(text.len()));
            found.push((from..to, count));
        }
    }
    found
}

/// Looks closer at some parts of a text, and further on where something reaches the end of one.
fn closer(text: &str, at: usize, places: Vec<Range<usize>>, hits: &mut Vec<ScanMatch>) {
    let Some(rule) = RULES.get(at) else { return };
    let mut done = 0;
    for mut place in places {
        place.start = text.ceil_char_boundary(place.start.max(done));
        if place.start >= place.end {
            continue;
        }
        loop {
            let part = text.get(place.clone()).unwrap_or_default();
            let found = rule.search(part);
            let open = found.last().is_some_and(|last| last.end == part.len());
            if open && place.end < text.len() {
                let longer = place.end + part.len() * 4;
                place.end = text.ceil_char_boundary(longer.min(text.len()));
                continue;
            }
            let found = found
                .into_iter()
                .map(|range| range.start + place.start..range.end + place.start);
            let found = found.filter(|range| is_whole(text, range, rule));
            hits.extend(found.map(|range| (range, at)));
            break;
        }
        done = place.end;
    }
}

/// Tells whether what was found is not only a part of an id, nor a line that a patch adds.
fn is_whole(text: &str, found: &Range<usize>, rule: &RedactionRule) -> bool {
    let is_hex = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let before = text.get(..found.start).unwrap_or_default();
    let behind = text.get(found.end..).unwrap_or_default();
    if rule.class == super::RedactionClass::Personal {
        let start = before.trim_end_matches(is_hex).len();
        let end = text.len() - behind.trim_start_matches(is_hex).len();
        if text.get(start..end).is_some_and(is_uuid) {
            return false;
        }
    }
    let begins_line = before.is_empty() || before.ends_with('\n');
    let is_patch = begins_line
        && text.contains('\n')
        && text
            .get(found.clone())
            .is_some_and(|text| text.starts_with('+'));
    !is_patch
}

/// Tells whether a text is an id of RFC 9562.
pub(super) fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// Joins what overlaps; the earlier rule of the table names it.
pub(super) fn merged(mut hits: Vec<ScanMatch>) -> Vec<ScanMatch> {
    hits.sort_by_key(|(range, rule)| (range.start, *rule));
    let mut all: Vec<ScanMatch> = Vec::with_capacity(hits.len());
    for (range, rule) in hits {
        match all.last_mut() {
            Some((last, named)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *named = rule.min(*named);
            }
            Some(_) | None => all.push((range, rule)),
        }
    }
    all
}
