//! One page of requirements: sentences and the names of their proofs.

/// What one page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) requirements: Vec<Requirement>,
    /// What cannot be read, with its line.
    pub(super) errors: Vec<(usize, String)>,
}

/// One sentence and what proves it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) line: usize,
    pub(super) sentence: String,
    pub(super) proofs: Vec<String>,
}

impl Page {
    /// Reads every bullet and every table row; headings, paragraphs and fenced blocks are prose.
    pub(super) fn read(text: &str) -> Self {
        let mut page = Self::default();
        for (line, item) in items(text) {
            match read_item(&item) {
                Ok((sentence, proofs)) => page.requirements.push(Requirement {
                    line,
                    sentence,
                    proofs,
                }),
                Err(error) => page.errors.push((line, error)),
            }
        }
        page
    }
}

/// The bullets, each with its continuation lines joined, and the rows of tables below their headings.
fn items(text: &str) -> Vec<(usize, String)> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut fenced = false;
    let mut before = Line::Prose;
    for (index, line) in text.lines().enumerate() {
        let is_edge = line.trim_start().starts_with("```");
        fenced ^= is_edge;
        if fenced || is_edge {
            continue;
        }
        let here = Line::of(line, before);
        match here {
            Line::Bullet | Line::Row => items.push((index + 1, line.trim_end().to_owned())),
            Line::More => {
                if let Some((_, bullet)) = items.last_mut() {
                    bullet.push(' ');
                    bullet.push_str(line.trim());
                }
            }
            Line::Head | Line::Prose => {}
        }
        before = here;
    }
    items
}

/// What a line outside fenced blocks is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// The first line of a bullet.
    Bullet,
    /// An indented line of the bullet above.
    More,
    /// The heading of a table, or the rule below it.
    Head,
    /// A row of a table.
    Row,
    Prose,
}

impl Line {
    fn of(line: &str, before: Self) -> Self {
        let below_bullet = matches!(before, Self::Bullet | Self::More);
        let below_table = matches!(before, Self::Head | Self::Row);
        if line.starts_with("- ") || line.starts_with("* ") {
            Self::Bullet
        } else if line.starts_with(' ') && below_bullet && !line.trim().is_empty() {
            Self::More
        } else if line.starts_with('|') && below_table && !is_rule(line) {
            Self::Row
        } else if line.starts_with('|') {
            Self::Head
        } else {
            Self::Prose
        }
    }
}

fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn read_item(item: &str) -> Result<(String, Vec<String>), String> {
    let (sentence, tail) = if let Some(row) = item.strip_prefix('|') {
        let mut cells = cells(row);
        let proofs = cells.pop().unwrap_or_default();
        (cells.join(" | "), proofs)
    } else {
        let text = item.trim_start_matches(['-', '*', ' ']);
        let mut parts = split_outside_code(text, '→');
        let proofs = parts.pop().unwrap_or_default();
        (parts.join("→").trim().to_owned(), proofs)
    };
    if sentence.is_empty() {
        return Err(String::from(
            "no sentence with a proof behind it (`- SENTENCE → \\`test_name\\``)",
        ));
    }
    Ok((sentence, proofs(&tail)?))
}

/// The cells of a row without its first bar; `\|` is no bar.
fn cells(row: &str) -> Vec<String> {
    let row = row.strip_suffix('|').unwrap_or(row).replace("\\|", "\u{0}");
    split_outside_code(&row, '|')
        .iter()
        .map(|cell| cell.trim().replace('\u{0}', "|"))
        .collect()
}

fn split_outside_code(text: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut in_code = false;
    for c in text.chars() {
        in_code ^= c == '`';
        if c == at && !in_code {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// Names in backticks with commas between them; `manual: …` needs no backticks and is the last one.
fn proofs(tail: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = tail.trim();
    while !rest.is_empty() {
        if rest.starts_with("manual:") {
            found.push(rest.to_owned());
            break;
        }
        let code = rest.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        let Some((name, behind)) = code else {
            return Err(format!("no name in backticks at `{rest}`"));
        };
        found.push(name.to_owned());
        let behind = behind.trim_start();
        rest = match behind.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if behind.is_empty() || behind == "." => "",
            None => return Err(format!("no comma before `{behind}`")),
        };
    }
    if found.is_empty() {
        Err(String::from("no proof"))
    } else {
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String, Vec<String>)> {
        let page = Page::read(text);
        assert_eq!(page.errors, []);
        page.requirements
            .into_iter()
            .map(|one| (one.line, one.sentence, one.proofs))
            .collect()
    }

    fn requirement(line: usize, sentence: &str, proofs: &[&str]) -> (usize, String, Vec<String>) {
        (
            line,
            sentence.to_owned(),
            proofs.iter().map(|proof| (*proof).to_owned()).collect(),
        )
    }

    #[test]
    fn a_bullet_ends_in_its_proofs() {
        let text = "# Fold\n\nProse.\n\n- A deny wins. → `a_deny_wins`, `bench:fold`\n- It is pretty. → manual: look, and look again\n";
        let expected = [
            requirement(5, "A deny wins.", &["a_deny_wins", "bench:fold"]),
            requirement(6, "It is pretty.", &["manual: look, and look again"]),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_bullet_goes_on_in_indented_lines() {
        let text = "- A deny\n  wins. →\n  `a_deny_wins`\n\nProse\n  that is indented.\n";
        assert_eq!(
            read(text),
            [requirement(1, "A deny wins.", &["a_deny_wins"])]
        );
    }

    #[test]
    fn an_arrow_in_code_or_in_the_sentence_is_no_proof() {
        let text = "- `a → b` becomes a → b. → `a_b`";
        assert_eq!(
            read(text),
            [requirement(1, "`a → b` becomes a → b.", &["a_b"])]
        );
    }

    #[test]
    fn a_table_row_has_its_proofs_in_the_last_cell() {
        let text = "| Requirement | Decision | Proof |\n|---|:-:|---|\n| `a|b` or a \\| b. | D7 | `a_b`, manual: see |\n";
        assert_eq!(
            read(text),
            [requirement(
                3,
                "`a|b` or a | b. | D7",
                &["a_b", "manual: see"]
            )]
        );
    }

    #[test]
    fn fenced_blocks_are_prose() {
        assert_eq!(
            read("```\n- not one\n| a | b |\n```\n- One. → `one`\n"),
            [requirement(5, "One.", &["one"])]
        );
    }

    #[test]
    fn what_has_no_readable_proof_is_an_error_with_its_line() {
        let text = "- No proof.\n- Empty. →\n- Plain. → name\n- Glued. → `a` `b`\n| a | b |\n|---|---|\n| c | |\n";
        let page = Page::read(text);
        assert_eq!(page.requirements, []);
        let expected = [
            (
                1,
                "no sentence with a proof behind it (`- SENTENCE → \\`test_name\\``)",
            ),
            (2, "no proof"),
            (3, "no name in backticks at `name`"),
            (4, "no comma before ``b``"),
            (7, "no proof"),
        ];
        assert_eq!(
            page.errors,
            expected.map(|(line, error)| (line, error.to_owned()))
        );
    }
}
