//! The parts that the operands of a command play, such as source or target.

use super::call::{Call, TELLING};
use crate::effect::Certainty;
use crate::options::Operand;
use crate::word::{Part, Word};

/// What happens to the operands of a command, by its row and its options.
struct OperandEffects {
    first: &'static [&'static str],
    each: Option<String>,
    last: &'static [&'static str],
    /// The option that said what happens to each.
    said_by: Option<String>,
    /// What may happen to each besides.
    maybe: String,
}

impl Call<'_> {
    fn parts(&self) -> OperandEffects {
        let row = self.row.operands;
        let mut parts = OperandEffects {
            first: row.first,
            each: row.each.map(str::to_owned),
            last: row.last,
            said_by: None,
            maybe: String::new(),
        };
        let mut dropped = false;
        for given in &self.reading.given {
            let option = given.option;
            let drops = option.of_flag.contains('^') || option.of_value.contains('^');
            if drops && given.sure && !dropped {
                dropped = true;
                parts.first = parts.first.split_last().map_or(&[], |(_, first)| first);
            }
            let letters = option.of_flag.chars();
            let told: String = letters.filter(|letter| TELLING.contains(*letter)).collect();
            if !given.sure {
                parts.maybe += &told;
            } else if !told.is_empty() {
                parts.each = Some(told);
                parts.said_by = Some(option.written());
            }
        }
        parts
    }

    pub(super) fn operands(&mut self) {
        let parts = self.parts();
        let operands = std::mem::take(&mut self.reading.operands);
        self.deal(&parts, &operands, Certainty::Exact);
        // A word that the shell splits or fills in may be none or many: those behind it may have another part.
        let spreads = |part: &Part| matches!(part, Part::Split | Part::Glob(_));
        let is_many = |operand: &Operand| operand.word.parts.iter().any(spreads);
        let has_parts = parts.first.len() + parts.last.len() > 0;
        if has_parts && operands.iter().any(is_many) {
            let all = operands.iter().cloned();
            let (many, one): (Vec<_>, Vec<_>) = all.clone().partition(is_many);
            if many.iter().any(|operand| operand.word.splits()) {
                self.deal(&parts, &one, Certainty::Unknown);
            }
            let times = |operand: Operand| {
                let times = 1 + usize::from(is_many(&operand));
                std::iter::repeat_n(operand, times)
            };
            let twice: Vec<Operand> = all.flat_map(times).collect();
            self.deal(&parts, &twice, Certainty::Unknown);
        }
        self.reading.operands = operands;
    }

    /// Gives each operand its part.
    fn deal(&mut self, parts: &OperandEffects, operands: &[Operand], sure: Certainty) {
        let behind = operands.len().saturating_sub(parts.first.len());
        let last = behind.min(parts.last.len());
        for (at, operand) in operands.iter().enumerate() {
            let at_end = (at + last).checked_sub(operands.len());
            let at_end = at_end.map(|at| at + parts.last.len() - last);
            let own = parts.first.get(at).or_else(|| parts.last.get(at_end?));
            let mut name = self.name.clone();
            let letters = match (own, &parts.each) {
                (Some(letters), _) => *letters,
                (None, Some(letters)) => {
                    for letter in parts.maybe.chars() {
                        self.letter(letter, Some(&operand.word), Certainty::Unknown);
                    }
                    if let Some(option) = &parts.said_by {
                        name = format!("{name} {option}");
                    }
                    letters
                }
                (None, None) => continue,
            };
            let mut before = operands.iter().take(at);
            // A word in front that the shell splits may hold the command itself.
            let is_hidden = before.any(|operand| operand.word.splits());
            self.by_name(name, |call| {
                for letter in letters.chars() {
                    match letter {
                        'C' | 'f' | 'F' if sure != Certainty::Exact => {}
                        'C' | 'f' | 'F' => {
                            if is_hidden {
                                call.anything();
                            }
                            call.follow(letter, operand);
                        }
                        letter => call.letter(letter, Some(&operand.word), sure),
                    }
                }
            });
        }
    }

    /// A command or a script begins at this operand.
    fn follow(&mut self, letter: char, operand: &Operand) {
        let words = self.words_from(operand.at);
        if letter == 'C' {
            self.run(words);
        } else if !words.is_empty() {
            let arguments: Vec<Word> = words.into_iter().skip(1).collect();
            self.script(&operand.word, letter == 'F', arguments);
        }
    }
}
