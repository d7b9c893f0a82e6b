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
//! assert!(read("if true; then").is_none());
//! ```

use super::parsed;
use super::tree::{
    AssignedValue, Assignment, List, Node, Parameter, ParameterExpansion, RawWord, Redirect,
    RedirectKind, SimpleCommand, Statement, WordPiece,
};

/// A longer text is not taken apart.
const LONGEST: usize = 256 << 10;

/// What stands for a value that only the shell knows.
const SOME: &str = "${?}";

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptCommand {
    /// The byte at which it begins, or the command whose words hold it.
    pub at: usize,
    /// The assignments before it, and its words.
    pub words: Vec<String>,
    /// How many of them are assignments.
    pub assigned: usize,
}

impl ScriptCommand {
    /// The program and its arguments.
    pub fn program(&self) -> &[String] {
        self.words.get(self.assigned..).unwrap_or_default()
    }
}

/// What a script holds. Words are without their quotes; a value that only the shell knows is `${NAME}` or `${?}`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ScriptCommands {
    /// The simple commands.
    pub all: Vec<ScriptCommand>,
    /// Where the command begins that is looked at.
    at: usize,
    /// Whether its words are, whose commands have no place of their own.
    is_inside: bool,
}

/// Takes a script apart; none if it is not closed, too long or nested too deep.
pub fn read(text: &str) -> Option<ScriptCommands> {
    taken(text, |_| true)
}

fn taken(text: &str, is_meant: fn(&List) -> bool) -> Option<ScriptCommands> {
    if text.len() > LONGEST {
        return None;
    }
    parsed(text, |list| {
        is_meant(list).then(|| {
            let mut stated = ScriptCommands::default();
            stated.list(list);
            stated
        })
    })?
}

/// The commands of a line of nothing but words, quotes, `|`, `&&`, `||`, `;`, `$(…)`, and redirections to `/dev/null` and between
/// descriptors; none for any other. In their words `${?}` is what a command prints, and no other text.
///
/// ```
/// use anyhook_effects::shell::visit::chain;
///
/// let commands = chain("cd src && rg -l \"$(cat a)\" 2>/dev/null | head").unwrap();
/// let words: Vec<_> = commands.iter().map(|call| call.words.join(" ")).collect();
/// assert_eq!(words, ["cd src", "cat a", "rg -l ${?}", "head"]);
/// assert!(["ls > x", "ls *", "ls $X", "ls &", "! ls", "f() { ls; }", "ls ~"].into_iter().all(|line| chain(line).is_none()));
/// ```
pub fn chain(line: &str) -> Option<Vec<ScriptCommand>> {
    let all = taken(line, |list| is_chain(list, 0))?.all;
    // A comment is no word, and who reads the line may take it for one.
    let marks = |text: &str| text.matches('#').count();
    let words = all.iter().flat_map(|call| &call.words);
    let is_whole = words.map(|word| marks(word)).sum::<usize>() == marks(line);
    is_whole.then_some(all)
}

/// How deep substitutions are read in such a line.
const DEEPEST: usize = 4;

fn is_chain(list: &List, depth: usize) -> bool {
    let mut steps = list.0.iter();
    depth <= DEEPEST && !list.0.is_empty() && steps.all(|step| is_plain(step, depth))
}

fn is_plain(step: &Statement, depth: usize) -> bool {
    let is_plain = match &step.node {
        Node::Simple(simple) => {
            let set = simple.assigned.iter().map(|one| match &one.value {
                AssignedValue::Scalar(value) if !one.append && one.subscript.is_none() => {
                    Some(value)
                }
                _ => None,
            });
            let mut words = simple.words.iter().map(Some).chain(set);
            let is_plain =
                |word: Option<&RawWord>| word.is_some_and(|word| is_plain_word(word, depth));
            simple.declared.is_empty() && !simple.words.is_empty() && words.all(is_plain)
        }
        Node::Chain(steps) => steps.iter().all(|(_, step)| is_plain(step, depth)),
        Node::Pipe(steps) => steps.iter().all(|step| is_plain(step, depth)),
        _ => false,
    };
    is_plain && !step.background && !step.negated && step.redirects.iter().all(keeps_files)
}

/// Whether a redirection reads and writes nothing.
fn keeps_files(redirect: &Redirect) -> bool {
    let [WordPiece::Bare(target)] = redirect.target() else {
        return false;
    };
    match redirect.kind {
        RedirectKind::Write | RedirectKind::Append | RedirectKind::Both | RedirectKind::Read => {
            target == "/dev/null"
        }
        RedirectKind::CopyOut => matches!(&**target, "1" | "2"),
        _ => false,
    }
}

fn is_plain_word(word: &RawWord, depth: usize) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || "_./+=,:@%^-!~".contains(letter);
    let is_home = |text: &str| ["=~", ":~"].iter().any(|home| text.contains(home));
    word.iter().enumerate().all(|(at, piece)| match piece {
        WordPiece::Quoted(text) => !text.contains(SOME),
        WordPiece::Bare(text) => {
            let begins = at == 0 && text.starts_with('~');
            text.chars().all(is_letter) && !begins && !is_home(text)
        }
        WordPiece::Command { list, .. } => is_chain(list, depth + 1),
        WordPiece::Parameter { of, .. } => of.name == "?" && of.what == ParameterExpansion::Value,
        _ => false,
    })
}

/// The programs of a text with their arguments; none if it cannot be read.
pub fn programs(text: &str) -> Vec<Vec<String>> {
    let calls = read(text).map(|stated| stated.all).unwrap_or_default();
    let programs = calls.iter().map(|call| call.program().to_vec());
    programs.filter(|words| !words.is_empty()).collect()
}

impl ScriptCommands {
    fn list(&mut self, list: &List) {
        list.0.iter().for_each(|step| self.step(step));
    }

    fn lists<'l>(&mut self, lists: impl IntoIterator<Item = &'l List>) {
        lists.into_iter().for_each(|list| self.list(list));
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w RawWord>) -> Vec<String> {
        words.into_iter().map(|word| self.word(word)).collect()
    }

    fn step(&mut self, step: &Statement) {
        if !self.is_inside {
            self.at = step.at;
        }
        self.node(&step.node);
        for redirect in &step.redirects {
            self.word(redirect.target());
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Chain(steps) => steps.iter().for_each(|(_, step)| self.step(step)),
            Node::Pipe(steps) => steps.iter().for_each(|step| self.step(step)),
            Node::Group(list) | Node::Subshell(list) => self.list(list),
            Node::If { arms, otherwise } => {
                let both = arms.iter().flat_map(|(test, body)| [test, body]);
                self.lists(both.chain(otherwise));
            }
            Node::For { words, body, .. } => {
                self.words(words.iter().flatten());
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

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut words = self.words(&simple.words);
        for one in &simple.declared {
            words.push(self.assigned(one));
        }
        let set = simple.assigned.iter().map(|one| self.assigned(one));
        let mut whole: Vec<String> = set.collect();
        let assigned = whole.len();
        whole.extend(words);
        if !whole.is_empty() {
            self.all.push(ScriptCommand {
                at: self.at,
                words: whole,
                assigned,
            });
        }
    }

    /// Writes an assignment.
    fn assigned(&mut self, one: &Assignment) -> String {
        one.subscript.iter().for_each(|key| drop(self.word(key)));
        let values = match &one.value {
            AssignedValue::Scalar(value) => vec![self.word(value)],
            AssignedValue::Array(words) => self.words(words),
        };
        format!("{}={}", one.name, values.join(" "))
    }

    /// Writes a word without its quotes, and notes the commands in it.
    fn word(&mut self, word: &[WordPiece]) -> String {
        word.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, piece: &WordPiece) -> String {
        match piece {
            WordPiece::Bare(text)
            | WordPiece::Quoted(text)
            | WordPiece::Ansi(text)
            | WordPiece::Pattern(text) => text.clone(),
            WordPiece::Command { list, .. } | WordPiece::Process { list, .. } => {
                let is_inside = std::mem::replace(&mut self.is_inside, true);
                self.list(list);
                self.is_inside = is_inside;
                SOME.to_owned()
            }
            WordPiece::Arithmetic { text, .. } => {
                self.word(text);
                SOME.to_owned()
            }
            WordPiece::Parameter { of, .. } => self.parameter(of),
        }
    }

    fn parameter(&mut self, of: &Parameter) -> String {
        self.words(&of.subscript);
        match &of.what {
            ParameterExpansion::Value => {}
            ParameterExpansion::Default { operand, .. } => drop(self.word(operand)),
            ParameterExpansion::Length => return SOME.to_owned(),
            ParameterExpansion::Cut { pattern, .. } => {
                self.word(pattern);
                return SOME.to_owned();
            }
            ParameterExpansion::Other { evaluated, .. } => {
                self.words(evaluated);
                return SOME.to_owned();
            }
        }
        format!("${{{}}}", of.name)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

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
    fn what_does_not_end_or_is_too_long_has_no_commands() {
        for text in ["if a", "a 'b", &"x ".repeat(200_000), &"(".repeat(5_000)] {
            assert_eq!(read(text), None);
        }
    }
}
