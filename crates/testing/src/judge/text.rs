//! Output as a person reads it: without colour, with one kind of line end.

/// Takes escape sequences out of a text, and turns `\r\n` into `\n`.
pub(crate) fn plain(text: &str) -> String {
    let bare = anstream::adapter::strip_str(text).to_string();
    bare.replace("\r\n", "\n")
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
