//! The machine that a word names: a URL, `user@machine:path`, or a bare name.
//!
//! Two readers look at it, as browsers do and as `curl` does. What they read differently is unknown.

use url::{Host, Url};

use crate::word::Word;

/// Schemes whose URLs a browser reads without the slashes too.
const SPECIAL: &[&str] = &["http", "https", "ws", "wss", "ftp"];

/// Returns the machine that a word names, with the port behind a `:` where there is one, if it can be read.
pub fn host_of(word: &Word) -> Option<String> {
    let known = word.known();
    let text = known.unwrap_or_else(|| word.head());
    let (told, port) = match by_hand(text, known.is_some()) {
        Some((name, port)) => (host_name(name), port),
        None => (None, None),
    };
    let url = Url::parse(text).ok();
    let by_browser = url.as_ref().and_then(|url| host_name(url.host_str()?));
    let name = match (told, by_browser) {
        (Some(told), Some(other)) if told != other => return None,
        (Some(told), _) => told,
        // What follows an unreadable part may belong to the name.
        (None, other) => other.filter(|_| known.is_some())?,
    };
    let port = port.map(str::to_owned);
    let port = port.or_else(|| Some(url?.port()?.to_string()));
    Some(port.map_or_else(|| name.clone(), |port| format!("{name}:{port}")))
}

/// Returns the name of a machine as it is compared: small ASCII letters without the dot of the root. Patterns of `curl`
/// such as `{a,b}` are none.
pub(crate) fn host_name(text: &str) -> Option<String> {
    if text.contains(['{', '*', '$', ',']) {
        return None;
    }
    let is_bare = text.contains(':') && !text.starts_with('[');
    let host = if is_bare {
        Host::parse(&format!("[{text}]"))
    } else {
        Host::parse(text)
    };
    let name = host.ok()?.to_string();
    let name = name.strip_suffix('.').unwrap_or(&name);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Reads a name and a port as `curl`, `git` and `ssh` do. Of a text that goes on with something unknown only what is surely
/// ended is read.
fn by_hand(text: &str, is_whole: bool) -> Option<(&str, Option<&str>)> {
    let (is_url, rest) = match text.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, text),
    };
    let end = rest.find(['/', '?', '#']);
    let end = end.or_else(|| is_whole.then_some(rest.len()))?;
    let authority = rest.get(..end)?;
    let machine = authority
        .rsplit_once('@')
        .map_or(authority, |(_, machine)| machine);
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let name_end = machine.rfind(']').map_or(0, |at| at + 1);
    let colon = machine.get(name_end..)?.find(':');
    let Some(colon) = colon.map(|at| at + name_end) else {
        return Some((machine, None));
    };
    let (name, port) = (machine.get(..colon)?, machine.get(colon + 1..)?);
    let is_scheme = SPECIAL
        .iter()
        .any(|scheme| scheme.eq_ignore_ascii_case(name));
    match (is_url, port) {
        (_, port) if is_port(port) => Some((name, Some(port))),
        (true, "") => Some((name, None)),
        (true, _) => None,
        // An address with several colons, or `machine:path`.
        (false, port) if port.contains(':') => Some((machine, None)),
        (false, _) => (!name.is_empty() && !is_scheme).then_some((name, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Option<String> {
        host_of(&Word::text(text))
    }

    #[test]
    fn every_spelling_of_a_machine_is_that_machine() {
        for row in include_str!("hosts.txt").lines().skip(1) {
            let (text, wanted) = row.split_once(" ⇒ ").unwrap();
            let text: String = serde_json::from_str(text).unwrap();
            assert_eq!(host(&text).as_deref(), Some(wanted), "{row}");
        }
    }

    #[test]
    fn what_two_readers_read_differently_is_unknown() {
        for text in [
            "https://good.example\\@evil.example/",
            "https://{good,evil}.example/",
            "https://",
            "",
        ] {
            assert_eq!(host(text), None, "{text:?}");
        }
    }

    #[test]
    fn of_a_text_that_goes_on_only_a_name_that_has_ended_is_known() {
        let begins = |text: &str| {
            let mut word = Word::text(text);
            word.parts.extend(Word::unknown().parts);
            host_of(&word)
        };
        assert_eq!(
            begins("https://evil.example/").as_deref(),
            Some("evil.example")
        );
        for text in [
            "https://evil.example",
            "https://evil.example\\",
            "https:evil.example\\x",
            "",
        ] {
            assert_eq!(begins(text), None, "{text:?}");
        }
    }
}
