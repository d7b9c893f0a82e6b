//! What a call sends to somewhere else: requests to a machine, commands by what they do, and words in its texts.

use anyhook_effects::command::ShellCommand;
use anyhook_effects::hosts;
use anyhook_effects::options::ParsedOption;
use anyhook_effects::programs::{CommandMatch, CommandPattern, only_tries, read};
use anyhook_effects::word::Word;
use serde_json::Value;

use super::Facts;
use super::objects;
use crate::lists::{HTTP_CLIENTS, HTTP_DATA, LEADING_ELSEWHERE, THINGS};

/// Commands by what they do, made of `tables/commands.txt`, whose head says how a row is written.
static KINDS: &[(&str, &[CommandRow])] = include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// A row of the table.
struct CommandRow {
    /// The names of its program; none where they are a pattern.
    programs: &'static [&'static str],
    command: &'static str,
    more: &'static [&'static str],
}

/// Returns the kinds of commands that are listed.
pub(super) fn listed() -> impl Iterator<Item = &'static str> + Clone {
    KINDS.iter().map(|(listed, _)| *listed)
}

/// Tells whether an option or a variable of a line may lead a connection elsewhere than its address says.
pub(super) fn is_led_elsewhere(line: &str) -> bool {
    let line = line.replace(['"', '\'', '\\'], "");
    let lower = line.to_lowercase();
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let mut words = line.split_whitespace();
    LEADING_ELSEWHERE.iter().any(|mark| lower.contains(mark))
        || words.any(|word| is_short(word) && word.contains(['x', 'K', 'L']))
}

impl Facts<'_> {
    /// Tells whether a request with this method goes to a machine with such a name; without names, to any.
    pub(super) fn http(&self, words: &[String]) -> bool {
        let Some((method, hosts)) = words.split_first() else {
            return false;
        };
        let is_host = |host: Option<&str>| match host {
            _ if hosts.is_empty() => true,
            Some(host) => hosts.iter().any(|wanted| objects::is_name(wanted, host)),
            None => true,
        };
        let is_it = |request: OutgoingRequest| {
            let asks = request
                .method
                .is_none_or(|asked| asked.eq_ignore_ascii_case(method));
            (asks || method == "*") && is_host(request.host.as_deref())
        };
        let field = |name: &str| {
            self.input()
                .and_then(|input| input.get(name))
                .and_then(Value::as_str)
        };
        let fetched = field("url").map(|url| OutgoingRequest {
            method: Some(field("method").unwrap_or("GET").to_owned()),
            host: host_of(url),
        });
        let mut commands = self.call().commands.iter().filter_map(OutgoingRequest::of);
        fetched.is_some_and(is_it) || commands.any(is_it)
    }

    /// Tells whether such a thing is removed; without names, whether any is.
    pub(super) fn destroys(&self, things: &[String]) -> bool {
        self.runs_listed(|kind| {
            let mut wanted = things.iter();
            THINGS.contains(&kind) && (things.is_empty() || wanted.any(|thing| thing == kind))
        })
    }

    /// Tells whether a command of such a kind runs, other than to be described or tried.
    pub(super) fn runs_listed(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        let named = self.call().commands.iter().map(|command| {
            let name = program(command).map(|name| name.to_lowercase());
            (command, name, command.program())
        });
        let named: Vec<(&ShellCommand, Option<String>, String)> = named.collect();
        let may = |row: &CommandRow| {
            named.iter().any(|(command, name, known)| {
                let is_named = name.as_ref().is_none_or(|name| {
                    row.programs.contains(&&**name) || row.programs.contains(&&**known)
                });
                (row.programs.is_empty() || is_named)
                    && !only_tries(command)
                    && CommandPattern::of(row.command, row.more).meets(command) >= CommandMatch::May
            })
        };
        let mut kinds = KINDS.iter().filter(|(kind, _)| is_wanted(kind));
        self.runs_unread() || kinds.any(|(_, rows)| rows.iter().any(may))
    }

    /// Tells whether some text of the call has these words in it.
    pub(super) fn mentions(&self, words: &[String]) -> bool {
        let plain = |text: &str| {
            text.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase()
        };
        // A blank at an end is one that has to stand there: `chmod ` is no part of `BatchMode`.
        let blank = |is_blank| if is_blank { " " } else { "" };
        let whole = |text: &String| {
            let (first, last) = (
                blank(text.starts_with(char::is_whitespace)),
                blank(text.ends_with(char::is_whitespace)),
            );
            format!("{first}{}{last}", plain(text))
        };
        let wanted: Vec<String> = words.iter().map(whole).collect();
        let has = |text: &str| {
            let text = plain(text);
            wanted.iter().any(|wanted| text.contains(wanted))
        };
        let fields = self.input().into_iter().flatten();
        fields.flat_map(|(_, value)| strings(value)).any(has)
    }
}

/// Returns the texts of a value, at any depth.
pub(super) fn strings(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(all) => Box::new(all.iter().flat_map(strings)),
        Value::Object(all) => Box::new(all.values().flat_map(strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Box::new(std::iter::empty()),
    }
}

/// Returns the name of a command's program.
fn program(command: &ShellCommand) -> Option<String> {
    let name = command.words.first()?.known()?;
    Some(name.rsplit('/').next().unwrap_or(name).to_owned())
}

/// A request that a command sends.
struct OutgoingRequest {
    /// Nothing where it cannot be read.
    method: Option<String>,
    host: Option<String>,
}

impl OutgoingRequest {
    /// Reads the request of a program that sends one.
    fn of(command: &ShellCommand) -> Option<Self> {
        let (name, reading) = read(command);
        if !HTTP_CLIENTS.contains(&&*name) {
            return None;
        }
        let given = |names: &[&'static str]| {
            let is_one = |given: &&ParsedOption| names.iter().any(|name| given.option.is(name));
            reading.given.iter().filter(|given| given.sure).find(is_one)
        };
        let is_method =
            |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase());
        let operands = reading.operands.iter().map(|operand| operand.word.head());
        let method = match given(&["X", "method"]) {
            Some(given) => given.value.as_ref().and_then(Word::known),
            None if given(&["upload-file"]).is_some() => Some("PUT"),
            None if given(&["head"]).is_some() => Some("HEAD"),
            None if given(HTTP_DATA).is_some() => Some("POST"),
            None => Some(operands.clone().find(is_method).unwrap_or("GET")),
        };
        let mut host = reading.values("url").map(Word::head).chain(operands);
        let is_gh = name.ends_with(" api");
        Some(Self {
            method: method.map(str::to_uppercase),
            host: if is_gh {
                Some("api.github.com".to_owned())
            } else {
                host.find_map(host_of)
            },
        })
    }
}

/// Returns the machine of an address, with or without its scheme.
fn host_of(text: &str) -> Option<String> {
    if text.starts_with(':') {
        return Some("localhost".to_owned());
    }
    let host = hosts::host_of(&Word::text(text))?;
    let name = without_port(&host);
    let is_plain = name.contains('.') || name == "localhost";
    let is_name = !text.starts_with('-') && (text.contains("://") || is_plain);
    is_name.then(|| name.to_owned())
}

/// The name of a machine without its port.
pub(super) fn without_port(host: &str) -> &str {
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_that_can_be_destroyed_has_rows() {
        for thing in THINGS {
            assert!(listed().any(|kind| kind == *thing), "{thing}");
        }
    }
}
