//! Secrets in what a call sends to somewhere else, and in what a line prints.

use anyhook_core::redact::{MatchedRules, RedactionClass, Redactor};
use anyhook_effects::effect::EffectKind;
use serde_json::Value;

use super::Facts;
use super::sent::strings;
use crate::lists::{
    ADDRESS_ENDS, FETCHING, LOCAL_SERVERS, PRINTING, PRINTING_ALL, READING_TEXTS, SECRET_ENDS,
    SECRET_WORDS, THIS_MACHINE,
};

impl Facts<'_> {
    /// Tells whether a server of tools is called that works elsewhere, by its name.
    fn is_of_others(&self) -> bool {
        let server = self.tool().strip_prefix("mcp__");
        let server = server.and_then(|name| name.split("__").next());
        let is_local = |word: &str| LOCAL_SERVERS.contains(&&*word.to_lowercase());
        server.is_some_and(|server| !server.split(['_', '-', '.']).any(is_local))
    }

    /// Tells whether a token, or a variable that is called like a secret, is in what leaves: an address, a body, an upload.
    /// What proves who sends it stands in a header, and is no part of that.
    pub(super) fn sends_secret(&self) -> bool {
        // What stays on this machine does not leave, unless the line may lead it elsewhere.
        let here: Vec<String> = THIS_MACHINE.iter().map(ToString::to_string).collect();
        // What a server of tools keeps is no longer on this disk, unless it works there.
        let leaves = self.connects(&here) || self.is_of_others();
        let fields = self.input().into_iter().flatten();
        let urls = fields.filter(|(name, _)| name.contains("url") || name.contains("uri"));
        let in_field = urls.flat_map(|(_, value)| strings(value)).any(has_token);
        let line = self
            .input()
            .and_then(|input| input.get("command"))
            .and_then(Value::as_str);
        // Of a tool that is no shell each text may leave.
        let mut texts = self.input().into_iter().flatten();
        in_field
            || leaves && line.is_none() && texts.any(|(_, value)| strings(value).any(has_token))
            || leaves
                && line.is_some_and(|line| {
                    // An address of a database is no proof of the sender, wherever it stands.
                    let is_address = |one: Variable<'_>| {
                        one.is_behind(FETCHING) && ends(&one.name.to_uppercase(), ADDRESS_ENDS)
                    };
                    let sent = without_headers(line);
                    let is_secret = |one: Variable<'_>| ends(&one.name.to_uppercase(), SECRET_ENDS);
                    has_token(&sent)
                        || variables(&sent).any(is_secret)
                        || variables(line).any(is_address)
                })
    }

    /// Tells whether a line prints a variable that is called like a secret, or all variables with their values.
    pub(super) fn prints_secret(&self) -> bool {
        let line = self.line();
        let environment = ["/proc/*/environ".to_owned()];
        let is_all =
            || self.falls_on(EffectKind::Read, &environment) && has_word(line, PRINTING_ALL);
        let env = ["{env,printenv}".to_owned(), "!*".to_owned()];
        let is_elsewhere =
            || self.runs(&env) && self.runs_listed(|kind| kind == "shells-elsewhere");
        let is_traced = line.contains("set -x") || line.contains(" -xc ");
        variables(line).any(|one| one.is_printed() || is_traced && is_secret(one.name))
            || prints_by_name(line)
            || prints_alias(line)
            || (is_all() || is_elsewhere()) && !looks_for_name(line)
    }
}

/// A variable whose value a line fills in.
struct Variable<'l> {
    name: &'l str,
    /// What stands before it in the line.
    before: &'l str,
}

/// Returns the variables whose values a line fills in: `$NAME`, `${NAME:-x}`, but not `${NAME:+x}` and `${#NAME}`.
fn variables(line: &str) -> impl Iterator<Item = Variable<'_>> {
    line.match_indices('$').filter_map(|(at, _)| {
        let rest = line.get(at + 1..)?;
        let inside = rest.strip_prefix('{');
        let name = word_at(inside.unwrap_or(rest));
        let behind = inside.and_then(|inside| inside.get(name.len()..));
        // It is only asked whether it is set.
        let is_told = behind.is_some_and(|behind| behind.trim_start_matches(':').starts_with('+'));
        let before = line.get(..at)?;
        (!name.is_empty() && !is_told).then_some(Variable { name, before })
    })
}

/// Returns the letters that a text begins with and a name may have.
fn word_at(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

fn ends(name: &str, list: &[&str]) -> bool {
    list.iter().any(|end| name.ends_with(end))
}

/// Tells whether the name of a variable says that it holds a secret. One in small letters is one that a script made.
fn is_secret(name: &str) -> bool {
    ends(name, SECRET_ENDS) || ends(name, ADDRESS_ENDS) || name.ends_with("WEBHOOK_URL")
}

impl Variable<'_> {
    /// Tells whether one of these programs stands before it in its command.
    fn is_behind(&self, programs: &[&str]) -> bool {
        has_word(behind_last(self.before, &[';', '&', '|', '\n']), programs)
    }

    /// Tells whether its value is a secret and is printed.
    fn is_printed(&self) -> bool {
        let command = behind_last(self.before, &[';', '&', '|', '\n']);
        let given = behind_last(command, &['<', '>']);
        let is_read = command
            .rsplit_once("<<<")
            .is_some_and(|(before, _)| has_word(before, READING_TEXTS));
        is_secret(self.name)
            && (has_word(given, PRINTING) || is_read || is_in_document_of_cat(self.before))
    }
}

/// Returns what stands behind the last of these signs that is in no quotes.
fn behind_last<'l>(line: &'l str, signs: &[char]) -> &'l str {
    let (mut quote, mut begin) = (None, 0);
    for (at, letter) in line.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if signs.contains(&letter) => begin = at + letter.len_utf8(),
            _ => {}
        }
    }
    line.get(begin..).unwrap_or_default()
}

/// Tells whether a text has one of these words in it, whatever stands around it.
fn has_word(text: &str, words: &[&str]) -> bool {
    let mut all = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    all.any(|word| words.contains(&word))
}

/// Tells whether a line is, at its end, within a here-document that `cat` prints.
fn is_in_document_of_cat(line: &str) -> bool {
    line.match_indices("<<").any(|(at, _)| {
        let (before, document) = (line.get(..at), line.get(at + 2..));
        let head = document.and_then(|document| document.split_once('\n'));
        let Some((before, (head, body))) = before.zip(head) else {
            return false;
        };
        // Its text may go on to another program, which prints it.
        let end = word_at(head.trim_start_matches(['-', ' ']));
        let is_open = |body: &str| {
            body.lines()
                .all(|line| line.trim_start_matches('\t') != end)
        };
        before.trim_end().ends_with("cat")
            && !end.is_empty()
            && !head.contains('>')
            && is_open(body)
    })
}

/// Tells whether a line prints a variable by its name: `declare -p API_KEY`, `ENVIRON["API_KEY"]`.
fn prints_by_name(line: &str) -> bool {
    let mut commands = line.split([';', '&', '|', '\n', '<', '>']);
    let declares = |command: &str| {
        let is_print = |word: &str| word.starts_with('-') && word.contains('p');
        has_word(command, &["declare", "typeset"])
            && command.split_whitespace().any(is_print)
            && command
                .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .any(is_secret)
    };
    let mut looked_up = line.split("ENVIRON[").skip(1);
    commands.any(declares)
        || looked_up.any(|rest| is_secret(word_at(rest.trim_start_matches(['"', '\'', '\\']))))
}

/// Tells whether a line gives a secret another name, `x=$API_KEY` or `x=API_KEY`, and prints a variable behind it.
fn prints_alias(line: &str) -> bool {
    let mut given = line.match_indices('=');
    given.any(|(at, _)| {
        let rest = line.get(at + 1..).unwrap_or_default();
        let Some(end) = rest.find([';', '&', '\n']) else {
            return false;
        };
        let (value, behind) = rest.split_at(end);
        let value = value.trim().trim_matches(['"', '\'']);
        // What a command prints of it is another text.
        let is_filled =
            !value.contains(['(', '`']) && variables(value).any(|one| is_secret(one.name));
        let is_named = is_secret(value) && word_at(value) == value;
        let prints = |one: Variable<'_>| one.is_behind(PRINTING) || one.before.contains("<<<");
        let mut commands = behind.split([';', '&', '|', '\n', '<', '>']);
        let indirect = commands.any(|one| has_word(one, PRINTING) && one.contains("${!"));
        (is_filled || is_named) && (indirect || variables(behind).any(prints))
    })
}

/// Tells whether a line, of all variables, looks only for one that is called like no secret, or for names:
/// `env | grep -i node`, `printenv | cut -d= -f1 | sort`.
fn looks_for_name(line: &str) -> bool {
    let line = line.trim().trim_end_matches(['"', '\'']);
    let Some((before, rest)) = line.split_once('|') else {
        return false;
    };
    let before = before.trim_end();
    let above = ["printenv", "env"]
        .iter()
        .find_map(|name| before.strip_suffix(name));
    if rest.contains([';', '&', '\n']) {
        return false;
    }
    let mut steps = rest.split('|').map(str::trim);
    above.is_some_and(|above| !has_word(above, PRINTING_ALL))
        && steps
            .next()
            .is_some_and(|step| is_harmless_search(step) || step.replace(' ', "") == "cut-d=-f1")
        && steps.all(only_arranges)
}

/// Tells whether a command is `grep` for a part of a name that no secret has.
fn is_harmless_search(command: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let is_flags = |word: &&str| {
        let flags = word.strip_prefix('-');
        flags.is_some_and(|flags| flags.chars().all(|flag| "ciEeowq".contains(flag)))
    };
    let mut words = command.split_whitespace();
    let is_grep = words.next() == Some("grep");
    let mut words = words.skip_while(is_flags);
    let (Some(name), None) = (words.next(), words.next()) else {
        return false;
    };
    let name = name.trim_matches(['"', '\'']).to_uppercase();
    let mut ends = SECRET_ENDS.iter().chain(ADDRESS_ENDS);
    let mut parts = SECRET_WORDS.iter();
    is_grep
        && name.len() > 1
        && name.chars().all(is_letter)
        && !ends.any(|end| end.contains(&*name) || name.contains(end))
        && !parts.any(|part| name.contains(part))
}

/// Tells whether a command only orders, counts or shortens what it reads.
fn only_arranges(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let is_count = |word: &str| {
        let word = word.trim_start_matches('-');
        word.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    ["sort", "uniq", "head", "tail", "wc"].contains(&program) && words.all(is_count)
}

fn has_token(text: &str) -> bool {
    let mut found = MatchedRules::new();
    Redactor::of(&[RedactionClass::Secret]).text(text, &mut found);
    found.iter().any(|rule| *rule != "argument")
}

/// Returns a line without the values of its options for headers and names of users.
fn without_headers(line: &str) -> String {
    let Ok(headers) = regex_lite::Regex::new(
        r#"(?:-H|--header|-u|--user|--oauth2-bearer|--password-stdin)[ =]*(?:"[^"]*"|'[^']*'|\S+)"#,
    ) else {
        return line.to_owned();
    };
    headers.replace_all(line, "").into_owned()
}
