//! The simple commands of a script, wherever in it they stand: in lists, pipes, branches, functions and substitutions.
//!
//! Nothing is run, and no branch is chosen. Patterns of `case`, here-documents, redirections and comments are no commands.
//!
//! ```
//! use anyhook_effects::shell::visit::read;
//!
//! let stated = read("if true; then \"$TOOLS/a b\" <in; fi | sh").unwrap();
//! let words: Vec<_> = stated.all.iter().map(|call| &*call.words).collect();
//! assert_eq!(words, [vec!["true"], vec!["${TOOLS}/a b"], vec!["sh"]]);
//! assert_eq!(stated.redirected, [(vec!["${TOOLS}/a b".to_owned()], "in".to_owned())]);
//! assert!(read("if true; then").is_none());
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{
    Assigned, Given, List, Node, Parameter, Piece, Raw, Redirect, Simple, Step, Way, What,
};
use super::{roomy, syntax};

/// A longer text is not taken apart.
const LONGEST: usize = 256 << 10;

/// A text in which more commands read texts, files and other commands is not taken apart: a long pipe holds as many pairs as
/// the square of its length.
const MOST_READINGS: usize = 50_000;

/// To so many values of a variable a text is put that is added to it; of more, what stands before it is not known.
const MOST_VALUES: usize = 64;

/// What stands for the folder of the script that is being read.
pub const HERE: &str = "${@}";
/// What stands for some folder above it.
pub const ABOVE: &str = "${!}";
/// What stands for a value that only the shell knows.
const SOME: &str = "${?}";

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The byte at which it begins, or the command whose words hold it.
    pub at: usize,
    /// The assignments before it, and its words.
    pub words: Vec<String>,
    /// How many of them are assignments.
    pub assigned: usize,
}

impl Call {
    /// The program and its arguments.
    pub fn program(&self) -> &[String] {
        self.words.get(self.assigned..).unwrap_or_default()
    }
}

/// What a script holds. Words are without their quotes; a value that only the shell knows is `${NAME}` or `${?}`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// The simple commands.
    pub all: Vec<Call>,
    /// Texts that a command reads from its standard input, with the command.
    pub inputs: Vec<(Vec<String>, String)>,
    /// Files that a command reads from its standard input, with the command.
    pub redirected: Vec<(Vec<String>, String)>,
    /// Commands with those that they write their output to.
    pub piped: Vec<(Vec<String>, Vec<String>)>,
    /// The values that variables may have.
    pub values: BTreeMap<String, BTreeSet<String>>,
    /// Where the command begins that is looked at.
    at: usize,
    /// Whether its words are, whose commands have no place of their own.
    is_inside: bool,
}

/// Takes a script apart; none if it is not closed, too long, nested too deep, or a pipe too long.
pub fn read(text: &str) -> Option<Stated> {
    if text.len() > LONGEST {
        return None;
    }
    roomy(|| {
        let list = syntax::script(text, 0).ok()?;
        let mut stated = Stated::default();
        stated.list(&list);
        (!stated.is_full()).then_some(stated)
    })?
}

/// The programs of a text with their arguments; none if it cannot be read.
pub fn programs(text: &str) -> Vec<Vec<String>> {
    let calls = read(text).map(|stated| stated.all).unwrap_or_default();
    let programs = calls.iter().map(|call| call.program().to_vec());
    programs.filter(|words| !words.is_empty()).collect()
}

impl Stated {
    /// Adds what another text holds.
    pub fn add(&mut self, other: Self) {
        self.all.extend(other.all);
        self.inputs.extend(other.inputs);
        self.redirected.extend(other.redirected);
        self.piped.extend(other.piped);
        for (name, values) in other.values {
            self.values.entry(name).or_default().extend(values);
        }
    }

    /// Tells whether more commands read something than are noted.
    pub fn is_full(&self) -> bool {
        self.inputs.len() + self.redirected.len() + self.piped.len() > MOST_READINGS
    }

    fn list(&mut self, list: &List) {
        list.0.iter().for_each(|step| self.step(step));
    }

    fn lists<'l>(&mut self, lists: impl IntoIterator<Item = &'l List>) {
        lists.into_iter().for_each(|list| self.list(list));
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w Raw>) -> Vec<String> {
        words.into_iter().map(|word| self.word(word)).collect()
    }

    /// Each command of a step reads what the whole step reads.
    fn step(&mut self, step: &Step) {
        let first = self.all.len();
        if !self.is_inside {
            self.at = step.at;
        }
        self.node(&step.node);
        if step.redirects.is_empty() {
            return;
        }
        let own = self.since(first);
        for redirect in &step.redirects {
            self.redirect(redirect, &own);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Chain(steps) => steps.iter().for_each(|(_, step)| self.step(step)),
            Node::Pipe(steps) => self.pipe(steps),
            Node::Group(list) | Node::Subshell(list) => self.list(list),
            Node::If { arms, otherwise } => {
                let both = arms.iter().flat_map(|(test, body)| [test, body]);
                self.lists(both.chain(otherwise));
            }
            Node::For {
                name, words, body, ..
            } => {
                for value in self.words(words.iter().flatten()) {
                    self.value(name, value);
                }
                self.list(body);
            }
            Node::Count { text, body } => {
                self.word(text);
                self.list(body);
            }
            Node::While {
                condition, body, ..
            } => self.lists([condition, body]),
            Node::Case { word, arms } => {
                self.word(word);
                for (patterns, body) in arms {
                    self.words(patterns);
                    self.list(body);
                }
            }
            Node::Arithmetic(text) => drop(self.word(text)),
            Node::Test {
                words,
                numbers,
                names,
            } => drop(self.words(words.iter().chain(numbers).chain(names))),
            Node::Function { body, .. } => self.step(body),
        }
    }

    fn simple(&mut self, simple: &Simple) {
        let mut words = self.words(&simple.words);
        for one in &simple.declared {
            words.push(self.assigned(one));
        }
        // `local x` and `env x=y` are words of a program, and may set the variable all the same.
        for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
            self.value(name, value.to_owned());
        }
        let set = simple.assigned.iter().map(|one| self.assigned(one));
        let mut whole: Vec<String> = set.collect();
        let assigned = whole.len();
        whole.extend(words);
        if !whole.is_empty() {
            self.all.push(Call {
                at: self.at,
                words: whole,
                assigned,
            });
        }
    }

    /// The words of the commands from this one on.
    fn since(&self, first: usize) -> Vec<Vec<String>> {
        let own = self.all.get(first..).unwrap_or_default();
        own.iter().map(|call| call.words.clone()).collect()
    }

    fn pipe(&mut self, steps: &[Step]) {
        let mut before: Vec<Vec<String>> = Vec::new();
        for step in steps {
            let first = self.all.len();
            self.step(step);
            let now = self.since(first);
            for from in &before {
                if self.is_full() {
                    break;
                }
                self.piped
                    .extend(now.iter().map(|to| (from.clone(), to.clone())));
            }
            before.extend(now);
        }
    }

    fn redirect(&mut self, redirect: &Redirect, own: &[Vec<String>]) {
        let target = self.word(redirect.target());
        if self.is_full() {
            return;
        }
        let read = match redirect.kind {
            Way::Read | Way::ReadWrite => &mut self.redirected,
            Way::Document | Way::Text => &mut self.inputs,
            _ => return,
        };
        read.extend(own.iter().map(|command| (command.clone(), target.clone())));
    }

    /// Notes what a variable is set to, and writes the assignment.
    fn assigned(&mut self, one: &Assigned) -> String {
        one.subscript.iter().for_each(|key| drop(self.word(key)));
        let values = match &one.value {
            Given::Scalar(value) => vec![self.word(value)],
            Given::Array { keys, words } => {
                self.words(keys);
                self.words(words)
            }
        };
        let written = format!("{}={}", one.name, values.join(" "));
        for value in values {
            if one.append {
                self.longer(&one.name, &value);
            }
            self.value(&one.name, value);
        }
        written
    }

    /// Notes what a variable is where a text is put behind each value that it may have.
    fn longer(&mut self, name: &str, text: &str) {
        let values = self.values.entry(name.to_owned()).or_default();
        let longer: Vec<String> = match values.len() {
            0..MOST_VALUES => values
                .iter()
                .map(|value| format!("{value}{text}"))
                .collect(),
            _ => vec![format!("{SOME}{text}")],
        };
        values.extend(longer);
    }

    fn value(&mut self, name: &str, value: String) {
        let values = self.values.entry(name.to_owned()).or_default();
        values.insert(value);
    }

    /// Writes a word without its quotes, and notes the commands in it.
    fn word(&mut self, word: &[Piece]) -> String {
        word.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, piece: &Piece) -> String {
        match piece {
            Piece::Bare(text) | Piece::Quoted(text) | Piece::Ansi(text) | Piece::Pattern(text) => {
                text.clone()
            }
            Piece::Command { list, .. } => self.inner(list),
            Piece::Process { list, .. } => {
                self.inner(list);
                SOME.to_owned()
            }
            Piece::Arithmetic { text, .. } => {
                self.word(text);
                SOME.to_owned()
            }
            Piece::Parameter { of, .. } => self.parameter(of),
        }
    }

    /// Notes the commands of a substitution, and tells whether it writes the folder of its script, or one above, as scripts do.
    fn inner(&mut self, list: &List) -> String {
        let mut inner = Self {
            at: self.at,
            is_inside: true,
            ..Self::default()
        };
        inner.list(list);
        let files = inner.redirected.iter().map(|(_, file)| file);
        let words = inner.all.iter().flat_map(|call| &call.words);
        let words: Vec<&String> = words.chain(files).collect();
        let has = |part: &str| words.iter().any(|word| word.contains(part));
        let is_own = ["${0}", "${BASH_SOURCE", HERE, ABOVE].into_iter().any(has);
        let is_parent = |call: &Call| {
            let has = |part: &str| call.words.iter().any(|word| word.contains(part));
            has("dirname") && has(HERE)
        };
        let is_above = has("..") || has(ABOVE) || inner.all.iter().any(is_parent);
        let written = match (is_own, is_above) {
            (true, true) => ABOVE,
            (true, false) => HERE,
            (false, _) => SOME,
        };
        self.add(inner);
        written.to_owned()
    }

    fn parameter(&mut self, of: &Parameter) -> String {
        self.words(&of.subscript);
        let name = &of.name;
        let unknown = match name.as_str() {
            "0" | "BASH_SOURCE" => ABOVE,
            _ => SOME,
        };
        match &of.what {
            What::Value => format!("${{{name}}}"),
            What::Default {
                letter, operand, ..
            } => {
                let value = self.word(operand);
                // What is written behind `?` is a message.
                if *letter != '?' {
                    self.value(name, value);
                }
                format!("${{{name}}}")
            }
            What::Length => SOME.to_owned(),
            What::Cut {
                suffix,
                longest,
                pattern,
            } => {
                let is_name = self.word(pattern) == "/*" && *suffix && !*longest;
                let is_folder = is_name && unknown == ABOVE;
                if is_folder { HERE } else { unknown }.to_owned()
            }
            What::Other { evaluated, .. } => {
                self.words(evaluated);
                unknown.to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ABOVE, HERE, read};

    fn commands(text: &str) -> Vec<String> {
        let stated = read(text).unwrap();
        let calls = stated.all.iter();
        calls.map(|call| call.words.join(" ")).collect()
    }

    #[test]
    fn commands_are_found_wherever_they_stand() {
        for text in [
            "if a; then b; elif c; then d; else e; fi",
            "a && b || c | d & e",
            "a; (b; { c; }); f() { d; }; time e",
            "while a; do b; done; until c; do d; done; e",
            "for x in $(a) `b`; do c; done; case $(d) in x) e ;; esac",
        ] {
            assert_eq!(
                commands(text).join("").replace("${?}", ""),
                "abcde",
                "{text}"
            );
        }
        assert_eq!(
            commands("[[ -n $(a) ]]; (( $(b) )); x=(\"$(c)\")"),
            ["a", "b", "c", "x=${?}"]
        );
        assert_eq!(
            commands("cat <(a) \"${x:-$(b)}\" <<E\n$(c)\nE\n# d"),
            ["a", "b", "cat ${?} ${x}", "c"]
        );
    }

    #[test]
    fn every_command_of_a_group_reads_what_the_group_reads() {
        let stated = read("{ read x; sh; } <<'E'\n./a\nE\nwhile b; do :; done <c").unwrap();
        let sh = |(command, text): &(Vec<String>, String)| command == &["sh"] && text == "./a\n";
        assert!(stated.inputs.iter().any(sh), "{stated:?}");
        let b = |(command, file): &(Vec<String>, String)| command == &["b"] && file == "c";
        assert!(stated.redirected.iter().any(b), "{stated:?}");
    }

    #[test]
    fn the_folder_of_the_script_is_known_as_scripts_write_it() {
        for (text, folder) in [
            ("$(dirname \"$0\")/x", HERE),
            ("${0%/*}/x", HERE),
            (
                "\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/x\"",
                HERE,
            ),
            ("$(dirname \"${BASH_SOURCE:-$0}\")/x", HERE),
            ("$(cd `dirname $0`/.. && pwd)/x", ABOVE),
            ("$(dirname \"$(dirname \"$0\")\")/x", ABOVE),
            ("$(dirname \"${0%/*}\")/x", ABOVE),
            ("${BASH_SOURCE%/*/*}/x", ABOVE),
            ("$(cd \"${0%/*/*}\" && pwd)/x", ABOVE),
            ("${0/bin/lib}/x", ABOVE),
        ] {
            let wanted = format!("{folder}/x");
            assert_eq!(commands(text).last(), Some(&wanted), "{text}");
        }
    }

    #[test]
    fn values_of_variables_are_those_that_any_assignment_gives() {
        let text =
            "A=1; export A=2; for A in 3 4; do :; done; A=(5 6); : ${A:=7} ${A:-8} ${A+9} ${A:?no}";
        let stated = read(text).unwrap();
        let values: Vec<&str> = stated.values["A"].iter().map(String::as_str).collect();
        assert_eq!(values, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    }

    #[test]
    fn a_value_that_is_added_to_is_known_as_a_whole() {
        let stated = read("A=./x; A+=/y; export A+=.sh").unwrap();
        let values: Vec<&str> = stated.values["A"].iter().map(String::as_str).collect();
        assert_eq!(
            values,
            ["./x", "./x.sh", "./x/y", "./x/y.sh", ".sh", "/y", "/y.sh"]
        );
        let many: Vec<String> = (0..3_000).map(|n| format!("A+={n}")).collect();
        assert!(read(&many.join(";")).unwrap().values["A"].len() < 10_000);
    }

    #[test]
    fn a_text_with_more_readers_than_can_be_held_has_no_commands() {
        let groups = format!(
            "{}{}{}",
            "{ ".repeat(90),
            "a;".repeat(9_000),
            "} <b;".repeat(90)
        );
        for text in ["a|".repeat(100_000) + "sh", groups] {
            assert_eq!(read(&text), None);
        }
        assert_eq!(
            read(&("a|".repeat(200) + "sh")).unwrap().piped.len(),
            20_100
        );
    }

    #[test]
    fn what_does_not_end_or_is_too_long_has_no_commands() {
        for text in ["if a", "a 'b", &"x ".repeat(200_000), &"(".repeat(5_000)] {
            assert_eq!(read(text), None);
        }
    }
}
