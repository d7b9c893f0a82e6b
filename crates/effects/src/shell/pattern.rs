//! `${v%x}` and its kin, for patterns that are a text, or a text with `*` at its open end: `${f%.txt}`, `${f##*/}`.

use crate::word::{Part, Word};

/// Cuts what the pattern matches from the end or the beginning of a word; none if that cannot be told.
pub(super) fn cut(word: &Word, pattern: &Word, suffix: bool, longest: bool) -> Option<Word> {
    let is_star = |part: &Part| matches!(part, Part::Glob(glob) if glob == "*");
    match (&*pattern.parts, suffix) {
        ([Part::Text(text), star], true) | ([star, Part::Text(text)], false) if is_star(star) => {
            cut_at(word, text, suffix, suffix != longest)
        }
        _ => cut_text(word, pattern.known()?, suffix),
    }
    .map(|mut word| {
        // An empty text in front of a pattern says that it is no option: that stays so where the end is cut.
        let is_empty = |part: &Part| *part == Part::Text(String::new());
        let is_name =
            suffix && matches!(&*word.parts, [first, Part::Glob(_), ..] if is_empty(first));
        let first = word.parts.first().cloned().filter(|_| is_name);
        word.parts.retain(|part| !is_empty(part));
        word.parts.splice(..0, first);
        word
    })
}

/// Cuts a text, if it stands there.
fn cut_text(word: &Word, cut: &str, suffix: bool) -> Option<Word> {
    let mut word = word.clone();
    let (end, cuts): (_, fn(&str, &str) -> Option<String>) = if suffix {
        (word.parts.last_mut(), |text, cut| {
            text.strip_suffix(cut).map(str::to_owned)
        })
    } else {
        (word.parts.first_mut(), |text, cut| {
            text.strip_prefix(cut).map(str::to_owned)
        })
    };
    if let Some(Part::Text(text)) = end {
        match cuts(text, cut) {
            Some(rest) => *text = rest,
            None if text.len() < cut.len() && word.known().is_none() => return None,
            None => {}
        }
        return Some(word);
    }
    word.parts.is_empty().then_some(word)
}

/// Cuts from the first or last place of a text to the end, or from the beginning to there.
fn cut_at(word: &Word, mark: &str, suffix: bool, is_last: bool) -> Option<Word> {
    // Where a text may stand half in a part that is not known, its place cannot be told.
    if mark.len() != 1 && word.known().is_none() {
        return None;
    }
    let mut places: Vec<usize> = (0..word.parts.len()).collect();
    if is_last {
        places.reverse();
    }
    for at in places {
        let text = match word.parts.get(at)? {
            Part::Text(text) => text,
            // It stands for a part of one name.
            Part::Glob(_) if mark == "/" => continue,
            _ => return None,
        };
        let found = if is_last {
            text.rsplit_once(mark)
        } else {
            text.split_once(mark)
        };
        let Some((before, behind)) = found else {
            continue;
        };
        let (left, right) = word.parts.split_at_checked(at)?;
        let parts = if suffix {
            [left, &[Part::Text(before.to_owned())]].concat()
        } else {
            [&[Part::Text(behind.to_owned())], right.get(1..)?].concat()
        };
        return Some(Word { parts });
    }
    Some(word.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_cuts_is_what_bash_cuts() {
        let star = || Part::Glob("*".into());
        let text = |text: &str| Part::Text(text.into());
        let word = |parts: &[Part]| Word {
            parts: parts.to_vec(),
        };
        let known = word(&[text("a.b.c")]);
        let name = word(&[text("d/"), star(), text(".txt")]);
        for (from, pattern, suffix, longest, left) in [
            (&known, vec![text("."), star()], true, false, Some("a.b")),
            (&known, vec![text("."), star()], true, true, Some("a")),
            (&known, vec![star(), text(".")], false, false, Some("b.c")),
            (&known, vec![star(), text(".")], false, true, Some("c")),
            (&known, vec![text("x")], true, false, Some("a.b.c")),
            (&known, vec![text(".c")], true, false, Some("a.b")),
            (&name, vec![text(".txt")], true, false, Some("d/*")),
            (&name, vec![text("."), star()], true, false, Some("d/*")),
            (&name, vec![star(), text("/")], false, true, Some("*.txt")),
            (&name, vec![text("/"), star()], true, false, Some("d")),
            (&name, vec![text("."), star()], true, true, None),
            (&name, vec![text("a.txt")], true, false, None),
            (&name, vec![text("?"), star(), text("x")], true, false, None),
        ] {
            let found = cut(from, &Word { parts: pattern }, suffix, longest);
            let found = found.map(|word| {
                let parts = word.parts.iter().map(|part| match part {
                    Part::Text(text) | Part::Glob(text) => text.clone(),
                    Part::Of(_) | Part::Unknown | Part::Split => "?".to_owned(),
                });
                parts.collect::<String>()
            });
            assert_eq!(found.as_deref(), left);
        }
    }
}
