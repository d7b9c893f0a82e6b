//! The simple commands of a shell text, wherever in it they stand, also where the text as a whole cannot be read.

use anyhook_effects::shell::visit::{Call, Stated, read};

/// Takes a text apart, and tells whether that is rough: it could not be read as a whole, so that these are its lines alone.
pub(super) fn of(text: &str) -> (Stated, bool) {
    if let Some(stated) = read(text) {
        return (stated, false);
    }
    let mut rough = Stated::default();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        match read(line) {
            Some(stated) if !rough.is_full() => rough.add(stated),
            _ => rough.all.extend(words(line).map(|words| Call {
                at: 0,
                words,
                assigned: 0,
            })),
        }
    }
    (rough, true)
}

/// Splits a line that cannot be read at its operators and blanks, whatever is quoted.
fn words(line: &str) -> impl Iterator<Item = Vec<String>> {
    let commands = line.split([';', '|', '&', '(', ')', '`', '<', '>']);
    let commands = commands.map(|command| {
        let words = command.split_whitespace();
        let words = words.map(|word| word.replace(['\'', '"', '\\'], ""));
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>()
    });
    commands.filter(|command| !command.is_empty())
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn lines_of_a_text_that_cannot_be_read_are_read_alone() {
        let (stated, rough) = of("# no\nif true\n./a 'b c' | sh\n./d 'e; ./f");
        assert!(rough);
        let wanted = [
            vec!["if", "true"],
            vec!["./a", "b c"],
            vec!["sh"],
            vec!["./d", "e"],
            vec!["./f"],
        ];
        let words: Vec<_> = stated.all.iter().map(|call| &*call.words).collect();
        assert_eq!(words, wanted);
        assert_eq!(stated.piped.len(), 1);
    }
}
