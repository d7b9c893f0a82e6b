//! Syntax errors of an expression, in the words of its author instead of those of a parser.

/// Operators of other languages, and what they are here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("===", "=="),
    ("=", "=="),
    ("&", "&&"),
    ("|", "||"),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("is", "=="),
];

/// Signs of CEL that `when` does not have.
const ONLY_CEL: &str = "?:+-*/%{";

/// Says which form of CEL stands here that `when` does not have.
pub(super) fn only_cel(rest: &str) -> Option<String> {
    let sign = rest
        .chars()
        .next()
        .filter(|sign| ONLY_CEL.contains(*sign))?;
    Some(format!(
        "`when` has no `{sign}`: it neither calculates nor chooses, and it has no maps"
    ))
}

/// Says what is wrong at a place of an expression that cannot be read.
pub(super) fn error(text: &str, at: usize) -> String {
    let at = text.floor_char_boundary(at.min(text.len()));
    let (before, rest) = text.split_at(at);
    let open = open_at_the_end(text);
    if let Some(quote) = open.filter(|open| QUOTES.contains(open)) {
        return format!("syntax error: a text has no closing `{quote}`");
    }
    let rest = rest.trim_start();
    if rest.is_empty() {
        return match open {
            Some(bracket) => format!("syntax error: `{bracket}` is not closed"),
            None => "syntax error: the expression ends too early".to_owned(),
        };
    }
    if let Some(what) = only_cel(rest) {
        return what;
    }
    // A parser may stop at the last sign of an operator that it does not have.
    let begun = before.trim_end_matches(['=', '&', '|']).len();
    let written = token(text.get(begun..).unwrap_or(rest).trim_start());
    let here = token(rest);
    let known = |word: &str| ELSEWHERE.iter().find(|(theirs, _)| *theirs == word);
    // `not` is read as the name of a field, and what follows it is one too many.
    let last = before
        .trim_end()
        .rsplit(|letter: char| !is_word(letter))
        .next();
    let last = last.filter(|word| *word == "not").unwrap_or_default();
    if let Some((theirs, ours)) = [written, here, last].into_iter().find_map(known) {
        return format!("syntax error: `{theirs}` is no operator; write `{ours}`");
    }
    let unclosed = open.map(|bracket| format!("; `{bracket}` is not closed"));
    format!(
        "syntax error: `{here}` is not expected here{}",
        unclosed.unwrap_or_default()
    )
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the first word, operator or sign.
fn token(text: &str) -> &str {
    let is_operator = |letter: char| matches!(letter, '=' | '&' | '|');
    let end = |is: &dyn Fn(char) -> bool| text.find(|letter| !is(letter)).unwrap_or(text.len());
    let length = match text.chars().next() {
        Some(first) if is_word(first) => end(&is_word),
        Some(first) if is_operator(first) => end(&is_operator),
        Some(first) => first.len_utf8(),
        None => 0,
    };
    text.get(..length).unwrap_or_default()
}

const QUOTES: [char; 2] = ['\'', '"'];

/// Returns the quote, or else the innermost bracket, that is still open at the end.
fn open_at_the_end(text: &str) -> Option<char> {
    let (mut open, mut quote, mut letters) = (Vec::new(), None, text.chars());
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(begun), _) => quote = (begun != letter).then_some(begun),
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(' | '[' | '{') => open.push(letter),
            (None, ')' | ']' | '}') => drop(open.pop()),
            (None, _) => {}
        }
    }
    quote.or_else(|| open.pop())
}
