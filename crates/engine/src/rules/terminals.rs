//! Whether a command waits for what a terminal types.

use anyhook_effects::command::{Input, ShellCommand};
use anyhook_effects::word::Word;

use super::Facts;
use crate::lists::{PROMPTS, TERMINAL_MODULES, TERMINALS};

impl Facts<'_> {
    /// Tells whether a shell or an interpreter runs without a script: it will read its commands from a terminal, where no hook is
    /// asked about them.
    pub(super) fn is_interactive(&self) -> bool {
        self.runs_unread() || self.call().commands.iter().any(reads_from_a_terminal)
    }
}

/// Tells whether a command waits for commands of a terminal. A word that cannot be read may be a script.
fn reads_from_a_terminal(command: &ShellCommand) -> bool {
    let Some((program, arguments)) = command.words.split_first() else {
        return false;
    };
    let name = program.known().unwrap_or_default().to_lowercase();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if command.input != Input::Inherited {
        return false;
    }
    let arguments: Vec<&str> = arguments.iter().map(Word::head).collect();
    let verb = arguments.first().map(|verb| format!("{name}+{verb}"));
    let row_of = |name: &str| {
        let rows = TERMINALS.iter().map(|row| TerminalProgram::of(row));
        rows.into_iter().find(|row| row.names.contains(&name))
    };
    let usual = || PROMPTS.contains(&name).then(|| row_of("*")).flatten();
    let (row, skipped) = match verb.and_then(|verb| row_of(&verb)) {
        Some(row) => (Some(row), 1),
        None => (row_of(name).or_else(usual), 0),
    };
    row.is_some_and(|row| row.waits(arguments.get(skipped..).unwrap_or_default()))
}

fn is_short(head: &str) -> bool {
    head.starts_with('-') && !head.starts_with("--")
}

/// How a program waits for commands of a terminal.
struct TerminalProgram {
    names: Vec<&'static str>,
    /// The options that say what runs instead.
    says: Vec<&'static str>,
    /// The options that take a value.
    takes: Vec<&'static str>,
    /// How many other words say it.
    count: usize,
}

impl TerminalProgram {
    fn of(row: &'static str) -> Self {
        let mut parts = row.split(':');
        let mut part = || parts.next().unwrap_or_default();
        let (names, says, takes, count) = (part(), part(), part(), part());
        let words = |part: &'static str| part.split_whitespace().collect();
        Self {
            names: words(names),
            says: words(says),
            takes: words(takes),
            count: count.trim().parse().unwrap_or(1),
        }
    }

    fn waits(&self, arguments: &[&str]) -> bool {
        // What asks for it holds wherever it stands, also behind what runs.
        let asks = |head: &&str| *head == "--interactive" || is_short(head) && head.contains('i');
        let is_prompt = self.count == 1 || self.names.iter().any(|name| PROMPTS.contains(name));
        if is_prompt && arguments.iter().any(asks) {
            return true;
        }
        let (mut others, mut is_shell) = (0, false);
        let mut rest = arguments.iter();
        while let Some(head) = rest.next() {
            let is_among = |option: &&str| {
                let letter = option.strip_prefix('-').filter(|name| name.len() == 1);
                *option == *head
                    || letter.is_some_and(|letter| is_short(head) && head.contains(letter))
            };
            is_shell |= is_short(head) && head.contains(['s', 'i']);
            if self.takes.contains(head) {
                rest.next();
            } else if self.says.iter().any(is_among) {
                // Some modules of Python are a terminal themselves.
                let is_terminal = |module: &&str| TERMINAL_MODULES.contains(module);
                return head.ends_with('m') && rest.next().is_some_and(is_terminal);
            } else if !head.starts_with(['-', '+']) && !head.starts_with("/dev/") {
                others += 1;
            }
        }
        others < self.count || self.count == 0 && is_shell && others == 0
    }
}
