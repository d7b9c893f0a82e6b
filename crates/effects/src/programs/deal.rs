//! The parts that the operands of a command play, such as source or target.

use super::call::Call;
use crate::effect::Certainty;
use crate::options::Operand;
use crate::word::Part;

/// What happens to operands.
struct Parts {
    first: &'static [&'static str],
    each: Option<String>,
    /// The option that said what happens to them.
    said_by: Option<String>,
    /// What may happen to them besides.
    maybe: Vec<char>,
    last: &'static [&'static str],
}

impl Call<'_> {
    fn parts(&self) -> Parts {
        let operands = self.row.operands;
        let mut parts = Parts {
            first: operands.first,
            each: operands.each.map(str::to_owned),
            said_by: None,
            maybe: Vec::new(),
            last: operands.last,
        };
        let mut dropped = false;
        for given in &self.reading.given {
            let mut told = String::new();
            let of_value = given
                .option
                .of_value
                .chars()
                .filter(|letter| *letter == '^');
            for letter in given.option.of_flag.chars().chain(of_value) {
                match letter {
                    '^' if given.sure && !dropped => {
                        dropped = true;
                        parts.first = parts.first.split_last().map_or(&[], |(_, first)| first);
                    }
                    'r' | 'R' | 'w' | 'W' | 'd' | 'D' | 'm' if given.sure => told.push(letter),
                    'r' | 'R' | 'w' | 'W' | 'd' | 'D' | 'm' => parts.maybe.push(letter),
                    _ => {}
                }
            }
            if !told.is_empty() {
                parts.each = Some(told);
                parts.said_by = Some(given.option.written());
            }
        }
        parts
    }

    pub(super) fn operands(&mut self) {
        let parts = self.parts();
        let operands = std::mem::take(&mut self.reading.operands);
        self.deal(&parts, &operands, Certainty::Exact);
        // A word that the shell splits or fills in may be none or many: those behind it may have another part.
        let spreads = |operand: &&Operand| {
            operand
                .word
                .parts
                .iter()
                .any(|part| matches!(part, Part::Split | Part::Glob(_)))
        };
        if (parts.first.len() + parts.last.len() > 0)
            && operands.iter().any(|operand| spreads(&operand))
        {
            let without: Vec<Operand> = operands
                .iter()
                .filter(|operand| !spreads(operand))
                .cloned()
                .collect();
            let is_split = |operand: &Operand| operand.word.parts.contains(&Part::Split);
            if operands.iter().any(is_split) {
                self.deal(&parts, &without, Certainty::Unknown);
            }
            let twice = operands.iter().flat_map(|operand| {
                let count = if spreads(&operand) { 2 } else { 1 };
                std::iter::repeat_n(operand.clone(), count)
            });
            let twice: Vec<Operand> = twice.collect();
            self.deal(&parts, &twice, Certainty::Unknown);
        }
        self.reading.operands = operands;
    }

    /// Gives each operand its part.
    fn deal(&mut self, parts: &Parts, operands: &[Operand], sure: Certainty) {
        let count = operands.len();
        let last = count
            .saturating_sub(parts.first.len())
            .min(parts.last.len());
        for (at, operand) in operands.iter().enumerate() {
            let from_end = count - at;
            let own = self.name.clone();
            let letters = if let Some(letters) = parts.first.get(at) {
                (*letters).to_owned()
            } else if from_end <= last {
                let at = parts.last.len() - from_end;
                parts.last.get(at).copied().unwrap_or_default().to_owned()
            } else if let Some(letters) = &parts.each {
                for letter in &parts.maybe {
                    self.letter(*letter, Some(&operand.word), Certainty::Unknown);
                }
                if let Some(option) = &parts.said_by {
                    self.name = format!("{own} {option}");
                }
                letters.clone()
            } else {
                continue;
            };
            for letter in letters.chars() {
                match letter {
                    'C' | 'f' | 'F' if sure == Certainty::Exact => {
                        // A word in front that the shell splits may hold the command itself.
                        let before = operands.get(..at).unwrap_or_default();
                        if before
                            .iter()
                            .any(|operand| operand.word.parts.contains(&Part::Split))
                        {
                            self.anything();
                        }
                        self.follow(letter, operand);
                    }
                    'C' | 'f' | 'F' => {}
                    letter => self.letter(letter, Some(&operand.word), sure),
                }
            }
            self.name = own;
        }
    }

    /// A command or a script begins at this operand.
    fn follow(&mut self, letter: char, operand: &Operand) {
        let Some(words) = self.command.words.get(operand.at..) else {
            return;
        };
        if letter == 'C' {
            self.run(words.to_vec(), false);
            return;
        }
        let arguments = words.get(1..).unwrap_or_default().to_vec();
        self.script(&operand.word, letter == 'F', arguments);
    }
}
