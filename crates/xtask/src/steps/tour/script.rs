//! The blocks of a README that are run, and what they must print.

const START: &str = "<!-- tour:start -->";
const END: &str = "<!-- tour:end -->";

/// One `sh` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its first fence.
    pub(super) line: usize,
    pub(super) script: String,
    /// The lines of the `text` block behind it that are not empty.
    pub(super) expected: Vec<String>,
}

/// The blocks between the markers; nothing where there are no markers.
pub(super) fn blocks(page: &'static str, text: &str) -> Result<Option<Vec<Block>>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut state = State::Before;
    for (number, line) in text.lines().enumerate() {
        let mark = line.trim();
        state = match state {
            State::Before if mark == START => State::Prose { after_sh: false },
            State::Before => State::Before,
            State::Prose { .. } if mark == END && blocks.is_empty() => {
                return Err(format!("{page}: the tour has no `sh` block"));
            }
            State::Prose { .. } if mark == END => return Ok(Some(blocks)),
            State::Prose { after_sh } => match mark.strip_prefix("```") {
                Some("sh") => {
                    blocks.push(Block {
                        line: number + 1,
                        script: String::new(),
                        expected: Vec::new(),
                    });
                    State::Script
                }
                Some("text") if after_sh => State::Expected,
                Some(_) => State::Other,
                None => State::Prose { after_sh },
            },
            State::Script if mark == "```" => State::Prose { after_sh: true },
            State::Expected | State::Other if mark == "```" => State::Prose { after_sh: false },
            State::Script | State::Expected | State::Other => {
                keep(blocks.last_mut(), state, line);
                state
            }
        };
    }
    match state {
        State::Before => Ok(None),
        _ => Err(format!("{page}: `{START}` without `{END}`")),
    }
}

#[derive(Clone, Copy)]
enum State {
    Before,
    Prose { after_sh: bool },
    Script,
    Expected,
    Other,
}

fn keep(block: Option<&mut Block>, state: State, line: &str) {
    let Some(block) = block else { return };
    match state {
        State::Script => {
            block.script.push_str(line);
            block.script.push('\n');
        }
        State::Expected if !line.trim().is_empty() => block.expected.push(line.trim().to_owned()),
        State::Expected | State::Before | State::Prose { .. } | State::Other => {}
    }
}

/// The first expected line that the rest of the output does not have; `…` stands for anything.
pub(super) fn first_missing<'a>(expected: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    expected
        .iter()
        .find(|pattern| !lines.any(|line| matches(pattern, line.trim())))
        .map(String::as_str)
}

fn matches(pattern: &str, line: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('…') else {
        return pattern == line;
    };
    let Some(mut rest) = line.strip_prefix(head) else {
        return false;
    };
    let (middle, end) = tail.rsplit_once('…').unwrap_or(("", tail));
    for part in middle.split('…') {
        let Some((_, behind)) = rest.split_once(part) else {
            return part.is_empty() && rest.ends_with(end);
        };
        rest = behind;
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "\
# Anyhook

```sh
outside
```

<!-- tour:start -->
```sh
anyhook demo
anyhook why
```
This prints:
```text
denied  .env

  …
```

```json
{}
```
```text
behind json
```
```sh
true
```
<!-- tour:end -->
```sh
outside
```
";

    #[test]
    fn the_blocks_between_the_markers_come_with_what_they_must_print() {
        let expected = vec![
            Block {
                line: 8,
                script: "anyhook demo\nanyhook why\n".into(),
                expected: vec!["denied  .env".into(), "…".into()],
            },
            Block {
                line: 25,
                script: "true\n".into(),
                expected: vec![],
            },
        ];
        assert_eq!(blocks("README.md", README), Ok(Some(expected)));
    }

    #[test]
    fn without_markers_there_is_no_tour_and_half_a_marker_is_an_error() {
        assert_eq!(
            blocks("README.md", "# Anyhook\n```sh\nfalse\n```\n"),
            Ok(None)
        );
        let error = "README.md: `<!-- tour:start -->` without `<!-- tour:end -->`";
        assert_eq!(
            blocks(
                "README.md",
                "<!-- tour:start -->\n```sh\n<!-- tour:end -->\n"
            ),
            Err(error.into())
        );
        assert!(blocks("README.md", "<!-- tour:start -->\n<!-- tour:end -->\n").is_err());
    }

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn expected_lines_occur_in_order_with_others_between_them() {
        let output = "one\n  two\nthree\n";
        assert_eq!(first_missing(&lines("one\nthree"), output), None);
        assert_eq!(first_missing(&lines("two\none"), output), Some("one"));
        assert_eq!(first_missing(&lines("one\none"), output), Some("one"));
        assert_eq!(first_missing(&lines("tw"), output), Some("tw"));
    }

    #[test]
    fn an_ellipsis_stands_for_anything() {
        for pattern in [
            "…",
            "took …",
            "… ms",
            "took … ms",
            "t… 12 …s",
            "took 12 ms…",
            "took …12… ms",
        ] {
            assert!(matches(pattern, "took 12 ms"), "{pattern}");
        }
        for pattern in ["took … s!", "x…", "…x…", "took 12 ms… ms", "…12…12…"] {
            assert!(!matches(pattern, "took 12 ms"), "{pattern}");
        }
    }
}
