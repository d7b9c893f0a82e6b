//! Entries that post their event to a server, for agents that can ask an address where others start a program.
//!
//! The address is the mark of such an entry, as the command line is of the others, and says the same: the event, the host, and
//! how long the host waits. It is always one of this machine: no event of a person leaves it by an entry of ours.
//!
//! ```
//! use anyhook_wires::settings::command::{EntryCommand, ProgramReference, called, is_ours};
//! use anyhook_wires::settings::entries;
//!
//! let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
//! let facts = claude.facts();
//! let program = ProgramReference { server: Some(7467), ..ProgramReference::at("/opt/anyhook") };
//! let all = entries(claude, facts.settings.ok_or("no settings")?, program);
//! for entry in &all {
//!     let is_posted = facts.posts.is_some_and(|posts| posts.events.contains(&entry.event));
//!     assert_eq!(entry.value["type"], if is_posted { "http" } else { "command" });
//! }
//! let url = "http://127.0.0.1:7467/v1/hosts/claude-code/events?event=Stop&deadline=600";
//! let EntryCommand { program, host, .. } = called(url).ok_or("not ours")?;
//! assert_eq!((&*program, &*host), ("http://127.0.0.1:7467", "claude-code"));
//! assert!(!is_ours("http://example.org/v1/hosts/claude-code/events?event=Stop&deadline=600"));
//! # Ok::<(), &str>(())
//! ```

use super::EntryValue;
use super::command::seconds;
use crate::HostRow;

/// The variable that holds the token of the server.
pub const TOKEN: &str = "ANYHOOK_TOKEN";

const HERE: &str = "http://127.0.0.1:";
const STRICT: &str = "&strict=yes";

/// How a host writes an entry that posts an event, and for which events that says all that a command says.
#[derive(Debug, Clone, Copy)]
pub struct Posts {
    /// The fields of the entry; its command is the address.
    pub entry: &'static [(&'static str, EntryValue)],
    /// The events: the host posts them, refuses where the server gives no answer, and understands our answers without an exit
    /// code.
    pub events: &'static [&'static str],
}

/// Writes the address to which an event is posted, at a port and, if that is wanted, strictly.
pub fn address(host: &str, row: &HostRow, port: u16, is_strict: bool) -> String {
    let (event, deadline) = (row.name, seconds(row.timeout));
    let strict = if is_strict { STRICT } else { "" };
    format!("{HERE}{port}/v1/hosts/{host}/events?event={event}&deadline={deadline}{strict}")
}

/// Returns the server of an address of ours, and what it says in the words of `anyhook run`.
pub(super) fn read(address: &str) -> Option<(String, Vec<String>)> {
    let (port, rest) = address.strip_prefix(HERE)?.split_once("/v1/hosts/")?;
    let (host, query) = rest.split_once("/events?")?;
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_plain = |text: &str| {
        let mut chars = text.chars();
        !text.is_empty() && chars.all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let mut words = vec!["--host", host];
    for pair in query.split('&') {
        match pair.split_once('=')? {
            ("event", event) => words.push(event),
            ("deadline", seconds) => words.extend(["--deadline", seconds]),
            ("strict", "yes") => words.push("--strict"),
            _ => return None,
        }
    }
    let is_ours = is_port && words.iter().all(|word| is_plain(word));
    let words = words.into_iter().map(str::to_owned).collect();
    is_ours.then(|| (format!("{HERE}{port}"), words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_the_command_line_says() {
        let row = crate::host("claude-code").and_then(|host| host.row("PreToolUse"));
        let said = |is_strict| {
            let address = address("claude-code", row.unwrap(), 7467, is_strict);
            let (server, words) = read(&address).unwrap();
            assert_eq!(server, "http://127.0.0.1:7467");
            words.join(" ")
        };
        let usual = "--host claude-code PreToolUse --deadline 600";
        assert_eq!(said(false), usual);
        assert_eq!(said(true), format!("{usual} --strict"));
    }

    #[test]
    fn an_address_of_another_author_is_not_ours() {
        let ours = "http://127.0.0.1:7467/v1/hosts/claude-code/events?event=Stop&deadline=60";
        assert!(read(ours).is_some());
        for (from, to) in [
            ("127.0.0.1:", "127.0.0.1.example.org:"),
            ("http:", "https:"),
            (":7467", ":74670"),
            (":7467", ":0"),
            (":7467", ":7467@example.org"),
            ("claude-code", "../x"),
            ("/events", "/other"),
            ("event=Stop", "event=Stop;x"),
            ("&deadline=60", "&deadline=60&project=/x"),
            ("&deadline=60", "&strict=no"),
            ("?event=Stop&deadline=60", ""),
        ] {
            let other = ours.replace(from, to);
            assert_eq!(read(&other), None, "{other}");
        }
    }
}
