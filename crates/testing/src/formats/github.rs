//! Annotations of GitHub Actions: one line for each failure, shown beside the file.

use crate::formats::{LEAK, lines};
use crate::problem::Problem;
use crate::ran::Ran;

/// Writes what went wrong as workflow commands.
pub fn github(ran: &[Ran], problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        let (line, column) = (problem.finding.at.line, problem.finding.at.column);
        let file = property(&problem.file.display().to_string());
        text.push_str(&format!(
            "::error file={file},line={line},col={column},title=hook test::{}\n",
            data(&problem.finding.message)
        ));
    }
    for ran in ran.iter().filter(|ran| ran.outcome.is_bad()) {
        let case = &ran.case;
        let mut told: Vec<String> = ran.outcome.sentence().into_iter().collect();
        told.extend(lines(ran));
        told.push(ran.replay.clone());
        text.push_str(&format!(
            "::error file={},line={},title={}::{}\n",
            property(&case.place()),
            ran.line(),
            property(&format!("{} {}", ran.outcome.as_str(), case.id)),
            data(&told.join("\n"))
        ));
    }
    for ran in ran.iter().filter(|ran| ran.leaks()) {
        let (file, line) = (property(&ran.case.place()), ran.case.line());
        let title = property(&format!("leak {}", ran.case.id));
        text.push_str(&format!(
            "::warning file={file},line={line},title={title}::{LEAK}\n"
        ));
    }
    text
}

pub(super) fn data(text: &str) -> String {
    let mut data = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '%' => data.push_str("%25"),
            '\r' => data.push_str("%0D"),
            '\n' => data.push_str("%0A"),
            // The log may be read in a terminal.
            letter if letter.is_control() => data.extend(letter.escape_unicode()),
            letter => data.push(letter),
        }
    }
    data
}

pub(super) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_hook_begins_a_command_of_its_own() {
        assert_eq!(data("x\n::error::y\r%0A"), "x%0A::error::y%0D%250A");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
        assert_eq!(data("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
    }
}
