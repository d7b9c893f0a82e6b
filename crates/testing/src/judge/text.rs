//! Output as a person reads it: without colour, with one kind of line end.

/// Takes escape sequences out of a text, and turns `\r\n` into `\n`.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                // A control sequence ends with a letter of this range.
                Some('[') => {
                    while letters
                        .next()
                        .is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c))
                    {}
                }
                // A command of the system ends with a bell, or with escape and backslash.
                Some(']') => {
                    while let Some(c) = letters.next() {
                        if c == '\u{7}' || c == '\u{1b}' && letters.next_if_eq(&'\\').is_some() {
                            break;
                        }
                    }
                }
                Some(_) | None => {}
            },
            '\r' if letters.peek() == Some(&'\n') => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_and_line_ends_are_no_part_of_a_text() {
        let text = "\u{1b}[1;31mred\u{1b}[0m\r\n\u{1b}]0;title\u{7}a\u{1b}]8;;x\u{1b}\\b\r";
        assert_eq!(plain(text), "red\nab\r");
    }
}
