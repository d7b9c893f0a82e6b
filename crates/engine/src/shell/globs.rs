//! Comparing two patterns of paths: whether one path can match both.

use anyhook_effects::braces;

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GlobPart {
    Letter(char),
    /// Any text of digits and of what stands between those of a time.
    Number,
    /// One letter, and no `/`.
    One,
    /// Any text without a `/`.
    Name,
    /// Any text.
    Text,
}

/// A pattern as its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob(Vec<GlobPart>);

/// More alternatives are not written out.
const MOST: usize = 64;

impl Glob {
    /// Reads a pattern of a rule, which may stand for several: `{a,b}` is either, and `**/` is folders or nothing.
    /// Nothing if it stands for too many.
    pub(crate) fn of_rule(pattern: &str) -> Option<Vec<Self>> {
        let mut globs = Vec::new();
        for text in alternatives(pattern)? {
            let mut one = vec![Vec::new()];
            let mut rest = text.as_str();
            while !rest.is_empty() {
                if let Some(after) = rest.strip_prefix("**/") {
                    let with: Vec<Vec<GlobPart>> = one
                        .iter()
                        .map(|parts| [&**parts, &[GlobPart::Text, GlobPart::Letter('/')]].concat())
                        .collect();
                    one.extend(with);
                    rest = after;
                } else {
                    let (part, after) = first(rest)?;
                    for parts in &mut one {
                        parts.push(part);
                    }
                    rest = after;
                }
                if one.len() > MOST {
                    return None;
                }
            }
            globs.extend(one.into_iter().map(Self));
        }
        (globs.len() <= MOST).then_some(globs)
    }

    /// Reads a pattern of a shell, in which `**` is any text.
    pub(crate) fn of_shell(pattern: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some((part, after)) = first(rest) {
            parts.push(part);
            rest = after;
        }
        Self(parts)
    }

    /// Makes the pattern that only this text matches.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(text.chars().map(GlobPart::Letter).collect())
    }

    /// Tells whether some text matches both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.0, &other.0);
        // From the end: `after[j]` says whether the rests behind the next part of ours and `j` of theirs meet.
        let mut after: Vec<bool> = Vec::new();
        for i in (0..=ours.len()).rev() {
            let mut row = vec![false; theirs.len() + 1];
            for j in (0..=theirs.len()).rev() {
                let later = |step: usize| row.get(j + step).copied().unwrap_or(false);
                let below = |step: usize| after.get(j + step).copied().unwrap_or(false);
                let met = match (ours.get(i), theirs.get(j)) {
                    (None, None) => true,
                    (Some(part), None) if is_long(*part) => below(0),
                    (None, Some(part)) if is_long(*part) => later(1),
                    (None, Some(_)) | (Some(_), None) => false,
                    (Some(a), Some(b)) => {
                        let both = fits(*a, *b);
                        (is_long(*a) && (below(0) || both && later(1)))
                            || (is_long(*b) && (later(1) || both && below(0)))
                            || (!is_long(*a) && !is_long(*b) && both && below(1))
                    }
                };
                if let Some(place) = row.get_mut(j) {
                    *place = met;
                }
            }
            after = row;
        }
        after.first().copied().unwrap_or(false)
    }
}

/// Writes out the braces of a pattern; nothing if it stands for too many.
pub(crate) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    braces::expand(pattern, MOST, |one| Some(one.to_owned()))
}

fn is_long(part: GlobPart) -> bool {
    matches!(part, GlobPart::Number | GlobPart::Name | GlobPart::Text)
}

/// Tells whether both may stand for the same letter.
fn fits(one: GlobPart, other: GlobPart) -> bool {
    match (one, other) {
        (GlobPart::Letter(a), GlobPart::Letter(b)) => a == b,
        (GlobPart::Letter(letter), GlobPart::One | GlobPart::Name)
        | (GlobPart::One | GlobPart::Name, GlobPart::Letter(letter)) => letter != '/',
        (GlobPart::Letter(letter), GlobPart::Number)
        | (GlobPart::Number, GlobPart::Letter(letter)) => {
            letter.is_ascii_digit() || "-_:.tT".contains(letter)
        }
        _ => true,
    }
}

/// Reads the first part of a pattern.
fn first(text: &str) -> Option<(GlobPart, &str)> {
    let mut letters = text.chars();
    let letter = letters.next()?;
    let rest = letters.as_str();
    Some(match letter {
        '\\' => match letters.next() {
            Some(escaped) => (GlobPart::Letter(escaped), letters.as_str()),
            None => (GlobPart::Letter('\\'), rest),
        },
        '*' => match rest.strip_prefix('*') {
            Some(rest) => (GlobPart::Text, rest.trim_start_matches('*')),
            None => (GlobPart::Name, rest),
        },
        '?' => (GlobPart::One, rest),
        '<' if rest.starts_with("->") => (GlobPart::Number, rest.get(2..).unwrap_or_default()),
        // One of them, or none: whichever, it is one letter. An open bracket that does not end is a letter.
        '[' => match rest
            .char_indices()
            .skip(1)
            .find(|(at, c)| *c == ']' && !(*at == 1 && rest.starts_with(['!', '^'])))
        {
            Some((end, _)) => (GlobPart::One, rest.get(end + 1..).unwrap_or_default()),
            None => (GlobPart::Letter('['), rest),
        },
        letter => (GlobPart::Letter(letter), rest),
    })
}

#[cfg(test)]
mod tests {
    use super::Glob;

    fn meet(rule: &str, shell: &str) -> bool {
        let shell = Glob::of_shell(shell);
        let rules = Glob::of_rule(rule).unwrap();
        rules.iter().any(|rule| rule.meets(&shell))
    }

    #[test]
    fn two_patterns_meet_where_one_path_matches_both() {
        let meeting = [
            ("/p/**/.env", "/p/.e*"),
            ("/p/**/.env", "/p/a/.[e]nv"),
            ("/p/**/.env{,.local}", "/p/*.local"),
            ("/h/.{ssh,aws}/**", "/h/.s?h/id*"),
            ("/**/*.pem", "/p/**"),
            ("/p/src/**", "/p/**/x"),
            ("/p/a?c", "/p/*"),
            ("/p/**/.env{,.*}", "/p/.env<->"),
        ];
        for (rule, shell) in meeting {
            assert!(meet(rule, shell), "{rule} {shell}");
        }
        let apart = [
            ("/p/**/.env", "/p/*.rs"),
            ("/**/.env", "/p/**.txt"),
            ("/p/src/*", "/p/src/a/*"),
            ("/p/a?c", "/p/a/c"),
            ("/p/**/.env", "/p/x.env"),
            ("/**/*.p12", "/p/x.<->"),
        ];
        for (rule, shell) in apart {
            assert!(!meet(rule, shell), "{rule} {shell}");
        }
        assert!(Glob::of_rule(&"{a,b}".repeat(9)).is_none());
    }
}
