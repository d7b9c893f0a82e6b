//! `{a,b}`: one text that becomes several.

/// How deep braces may stand in each other, or behind each other.
const DEEPEST: usize = 16;
/// The most `{` of one text.
const OPEN: usize = 64;

/// Returns the texts that a text becomes; none if they are more than `most`, or nested too deep. `alone` says what becomes of
/// what stands in braces without a comma; where it is nothing, it stays as it is.
///
/// ```
/// use anyhook_effects::braces::expand;
///
/// let same = |text: &str| expand(text, 9, |_| None);
/// assert_eq!(same("a{b,{c,}d}e").unwrap(), ["abe", "acde", "ade"]);
/// assert_eq!(same("a{b}{c").unwrap(), ["a{b}{c"]);
/// assert_eq!(expand("a{b}", 9, |text| Some(text.to_owned())).unwrap(), ["ab"]);
/// assert!(same("{a,b}{c,d}{e,f}{g,h}").is_none());
/// ```
pub fn expand(text: &str, most: usize, alone: fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let few = text.matches('{').count() <= OPEN;
    few.then(|| at_depth(text, most, alone, 0))?
}

fn at_depth(
    text: &str,
    most: usize,
    alone: fn(&str) -> Option<String>,
    depth: usize,
) -> Option<Vec<String>> {
    if depth > DEEPEST {
        return None;
    }
    for (open, _) in text.match_indices('{') {
        let (before, behind) = text.split_at_checked(open)?;
        let Some((choices, rest)) = choices(behind) else {
            continue;
        };
        let choices = match &*choices {
            [one] => alone(one).into_iter().collect(),
            many => many.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>(),
        };
        if choices.is_empty() {
            continue;
        }
        let tails = at_depth(rest, most, alone, depth + 1)?;
        let mut all = Vec::new();
        for choice in &choices {
            for inner in at_depth(choice, most, alone, depth + 1)? {
                all.extend(tails.iter().map(|tail| format!("{before}{inner}{tail}")));
            }
            if all.len() > most {
                return None;
            }
        }
        return Some(all);
    }
    Some(vec![text.to_owned()])
}

/// The choices between the brace at the beginning and the one that closes it, and what follows.
fn choices(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut all, mut depth, mut begin) = (Vec::new(), 0_usize, 1);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && letter == ',' {
            all.extend(text.get(begin..at));
            begin = at + 1;
        }
        if depth == 0 {
            return Some((all, text.get(begin..)?));
        }
    }
    None
}
