//! What a hook printed: JSON documents, and text around them.

use std::borrow::Cow;

use anyhook_core::event::Map;
use serde_json::Value;

use super::mended::{RepairedText, offset};
use super::{UniqueKeysJson, described, kind};

/// What a hook printed.
///
/// ```
/// use anyhook_wires::json::{ParsedOutput, printed};
///
/// let ParsedOutput { objects, text, broken, doubt } =
///     printed("checking\n{\"decision\": \"block\"}\n{\"reason\": \"frozen\"}\n");
/// assert_eq!((objects.len(), &*text, broken, doubt), (2, "checking", None, None));
/// assert!(printed("checking {\"decision\": \"approve\"}").doubt.is_some());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedOutput {
    /// The JSON objects, in order.
    pub objects: Vec<Map>,
    /// Everything that is no JSON: plain text, and noise before or after the objects.
    pub text: String,
    /// What looks like JSON and is none, in words that name the line.
    pub broken: Option<String>,
    /// Why an object may be a piece of something else, or what no other reader takes for JSON: it may refuse, not approve.
    pub doubt: Option<&'static str>,
}

/// How many times a brace in the middle of a line is tried as the beginning of an answer.
const TRIES: usize = 8;

/// Reads what a hook printed: a stream of JSON objects, possibly with noise around it.
///
/// Text is text unless it looks like JSON: its first character is a brace, or a line begins with a brace and a quoted
/// key. A brace in the middle of a line counts only if everything behind it can be read, and where more text follows on
/// its line, what was read is told as broken: a piece of an answer must not approve. The same holds for an object in
/// which a key stands twice: its last value counts, as for most readers, and only for what refuses or asks.
///
/// ```
/// use anyhook_wires::json::printed;
/// let read = printed("Welcome!\n{\"decision\": \"block\"}\n");
/// assert_eq!(read.objects.len(), 1);
/// assert_eq!(read.text, "Welcome!");
/// assert!(printed("fn main() {").broken.is_none());
/// assert!(printed("{'decision': 'block'}").broken.is_some());
/// ```
pub fn printed(text: &str) -> ParsedOutput {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(broken) = array(text) {
        return ParsedOutput {
            broken: Some(broken),
            ..ParsedOutput::default()
        };
    }
    let mut tries = 0;
    for (at, begins_line) in braces(text) {
        tries += usize::from(!begins_line);
        if begins_line || tries <= TRIES {
            let (mut read, behind) = documents(text, at);
            if !begins_line {
                if read.broken.is_some() || read.objects.is_empty() {
                    continue;
                }
                // A piece of an answer must not approve.
                let what = "text stands before and behind it";
                read.broken = goes_on(&behind).then(|| complaint(text, "", at, what));
            }
            return doubted(text, at, read, &behind);
        }
    }
    ParsedOutput {
        text: text.trim().to_owned(),
        ..ParsedOutput::default()
    }
}

/// Returns each brace that may begin an answer, and whether it begins a line. Looks at each byte once, however long a line is.
fn braces(text: &str) -> impl Iterator<Item = (usize, bool)> + '_ {
    let mut is_first = true;
    let mut is_line = true;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        let (first, line) = (is_first, is_line);
        is_first &= byte.is_ascii_whitespace();
        is_line = byte == b'\n' || (is_line && byte.is_ascii_whitespace());
        if byte != b'{' {
            return None;
        }
        let after = text.get(at + 1..)?.trim_start();
        let opens = after.starts_with(['"', '}']);
        let begins_line = first || (line && (opens || after.starts_with('\'')));
        (begins_line || opens).then_some((at, begins_line))
    })
}

/// Tells that the whole text is a JSON array, which is an answer of no kind.
fn array(text: &str) -> Option<String> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    let UniqueKeysJson(value) = serde_json::from_str(text).ok()?;
    Some(format!("it printed {}, not an object", kind(&value)))
}

/// Tells whether a line has more text from here on.
fn goes_on(behind: &str) -> bool {
    let line = behind.lines().next();
    line.is_some_and(|line| !line.trim().is_empty())
}

/// Says why what was read may be a piece of something else: text stands on its lines.
fn doubted(text: &str, at: usize, mut read: ParsedOutput, behind: &str) -> ParsedOutput {
    let line = text.get(..at).and_then(|before| before.rsplit('\n').next());
    let begins = line.is_none_or(|line| line.trim().is_empty());
    if !begins || goes_on(behind) {
        read.doubt.get_or_insert("other text stands on its line");
    }
    read
}

/// Reads the documents that begin here; beside them, where the text goes on behind them.
fn documents(text: &str, at: usize) -> (ParsedOutput, String) {
    let (before, rest) = text.split_at_checked(at).unwrap_or(("", text));
    let (mut objects, mut end, mut broken) = stream(rest);
    let (mut rest, mut doubt) = (Cow::Borrowed(rest), None);
    if broken.is_some() {
        let mended = RepairedText::new(&rest);
        (objects, end, broken) = stream(&mended.text);
        let control = mended.control.filter(|_| broken.is_none());
        doubt = control.map(|_| "a raw control character stands in a string");
        rest = mended.text.into();
    }
    let behind = rest.get(end..).unwrap_or_default().to_owned();
    let (text, broken) = match broken {
        None => ([before.trim(), behind.trim()].join("\n"), None),
        Some(BrokenJson { at, what }) => {
            let whole = [before, &rest].concat();
            let broken = complaint(&whole, before, before.len() + end + at, &what);
            (before.to_owned(), Some(broken))
        }
    };
    let text = text.trim().to_owned();
    let read = ParsedOutput {
        objects,
        text,
        broken,
        doubt,
    };
    (read, behind)
}

struct BrokenJson {
    /// From the end of the last good document.
    at: usize,
    what: String,
}

/// Reads documents until the text ends, or something follows that is none; returns where the last good one ended.
fn stream(text: &str) -> (Vec<Map>, usize, Option<BrokenJson>) {
    let mut objects = Vec::new();
    let mut from = serde_json::Deserializer::from_str(text).into_iter::<UniqueKeysJson>();
    let mut end = 0;
    loop {
        let (at, what) = match from.next() {
            None => return (objects, end, None),
            Some(Ok(UniqueKeysJson(Value::Object(map)))) => {
                objects.push(map);
                end = from.byte_offset();
                continue;
            }
            Some(Ok(UniqueKeysJson(other))) => (0, format!("{}, not an object", kind(&other))),
            Some(Err(error)) => (offset(text, &error).saturating_sub(end), described(&error)),
        };
        let rest = text.get(end..).unwrap_or_default().trim_start();
        let broken = rest.starts_with(['{', '[']) || objects.is_empty();
        if what.starts_with(TWICE) {
            objects.extend(last_wins(rest));
        }
        return (objects, end, broken.then_some(BrokenJson { at, what }));
    }
}

/// How the reader of unique keys begins to say that one is not.
const TWICE: &str = "duplicate key";

/// Reads an object in which a key stands twice as most readers do.
fn last_wins(text: &str) -> Option<Map> {
    let mut from = serde_json::Deserializer::from_str(text).into_iter();
    match from.next()? {
        Ok(Value::Object(map)) => Some(map),
        Ok(_) | Err(_) => None,
    }
}

fn complaint(text: &str, before: &str, at: usize, what: &str) -> String {
    let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
    let shown: String = shown.chars().take(120).collect();
    let noise = before.lines().map(str::trim).find(|line| !line.is_empty());
    let hint = noise.map_or_else(String::new, |noise| {
        let noise: String = noise.chars().take(60).collect();
        format!("; before it stands `{noise}`: does a shell profile print that?")
    });
    format!("line {line} of its output looks like JSON and is none ({what}): `{shown}`{hint}")
}
