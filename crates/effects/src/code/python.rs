//! Python, read as far as it only computes, prints, and reads or writes files that it names.
//!
//! A name behind a dot or of a module has to be in the list of what is harmless. Any other name is one that the code itself
//! gave, a builtin that is harmless, or an error when it runs; the builtins that may do anything are a list as well.

use super::modules::{self, CodeEnvironment};
use super::tokens::CodeToken::{self, End, File, Filled, Name, Number, Sign, Text};
use super::tokens::{self, Findings, LONGEST, TokenCursor};
use crate::effect::EffectKind;
use crate::programs::words;

/// What opens a file by its name.
const OPENING: [&str; 4] = ["open", "read_csv", "read_json", "read_parquet"];

/// What of some modules runs code that is data elsewhere, or writes a file.
const LOADING: [&str; 4] = ["load", "loads", "dump", "dumps"];

/// Reads a code; none where it may do more.
pub(super) fn read(text: &str, place: &CodeEnvironment<'_>) -> Option<Findings> {
    let mut tokens = taken_apart(text)?;
    if tokens.len() > LONGEST || (text.contains("format") && may_ask_members(text)) {
        return None;
    }
    paths(&mut tokens);
    tokens::constants(&mut tokens, given, |code| code.is_use());
    let mut found = Findings::default();
    if let Some(own) = modules::of_project(&mut tokens, place) {
        found.imports = true;
        modules::given_to(&own, &tokens, &mut found)?;
    }
    let (mut is_import, mut has_import) = (false, found.imports);
    for at in 0..tokens.len() {
        let code = TokenCursor::new(&tokens, at);
        match code.token() {
            End => is_import = false,
            // `import *` and names on the next line are not read.
            Sign('(' | '*') if is_import => return None,
            File(_) if !code.is_plain_path() => return None,
            // Shells of Python run a line of words as a command.
            Name(name) if is_own(name) && matches!(code.before(1), Name(name) if is_own(name)) => {
                return None;
            }
            Name("from") if !matches!(code.before(1), End | Sign(':')) => {}
            Name("import" | "from") => (is_import, has_import) = (true, true),
            Name(name) if is_import => {
                code.imports(name)?;
                found.imports |= place.may_hold(name);
            }
            Name(name) if code.before(1) == Sign('.') => code.member(name, &mut found)?,
            Name(name) => code.name(name, &mut found)?,
            // Other shells of Python run lines that begin with it.
            Sign('%') if code.before(1) == End => return None,
            Sign(_) | Text(_) | File(_) | Filled | Number(_) => {}
        }
    }
    // What it imports may be what it writes.
    let mut written = found
        .files
        .iter()
        .filter(|(kind, _)| *kind == EffectKind::Write);
    let brings_code = has_import && written.any(|(_, file)| may_be_module(file));
    (!brings_code).then_some(found)
}

/// Tells whether a file may be a module that is found in the folder where code runs.
fn may_be_module(file: &str) -> bool {
    let file = file.strip_prefix("./").unwrap_or(file);
    let (above, name) = file.rsplit_once('/').unwrap_or(("", file));
    let is_code = match name.rsplit_once('.') {
        Some((_, end)) => ["py", "pyc", "pth", "so"].contains(&end),
        None => true,
    };
    let is_package = name.starts_with("__init__.");
    let top = above.split('/').next().unwrap_or_default();
    let is_top = words::PYTHON.contains(&top) || words::PYTHON_MODULES.contains(&top);
    is_package || is_code && (is_top || top.is_empty() || above.contains(".."))
}

impl TokenCursor<'_, '_> {
    /// Tells whether what is loaded here runs no code: that of these may.
    fn is_data(&self) -> bool {
        !self.has(&["np", "numpy", "torch", "pd", "pandas", "yaml"])
    }

    /// Tells whether a value is only looked at here: an argument of a call, filled into a text, or asked for a member.
    fn is_use(&self) -> bool {
        const OTHERS: [&str; 7] = ["for", "as", "del", "lambda", "def", "class", "in"];
        let (before, behind) = (self.before(1), self.behind(1));
        let is_called = match (self.before(2), self.before(3)) {
            (_, Name(above)) if OTHERS.contains(&above) => false,
            (Name(name), _) => !OTHERS.contains(&name),
            _ => false,
        };
        match (before, behind) {
            (_, Sign('.')) => before != Sign('.'),
            (Sign('('), Sign(')' | ',')) => is_called,
            (Filled, Filled) => true,
            _ => false,
        }
    }

    /// Tells whether a path is only opened here, or asked for a member.
    fn is_plain_path(&self) -> bool {
        let is_opened = (self.before(2), self.before(1)) == (Name("open"), Sign('('));
        self.is_use() && (is_opened || self.behind(1) == Sign('.'))
    }

    /// A name that is imported, or stands for one.
    fn imports(&self, name: &str) -> Option<()> {
        let is_alias = self.before(1) == Name("as");
        let is_fine = match name {
            "Path" | "load" | "loads" | "dump" | "dumps" if self.behind(1) == Name("as") => false,
            _ if OPENING.contains(&name) => self.behind(1) != Name("as"),
            "os" => {
                !matches!(self.before(1), Name("from" | "as"))
                    && matches!(self.behind(1), End | Sign(','))
            }
            _ if is_alias => !words::PYTHON_UNSAFE.contains(&name) && is_plain(name),
            _ => {
                words::PYTHON.contains(&name)
                    || words::PYTHON_MODULES.contains(&name)
                    || name == "as"
            }
        };
        is_fine.then_some(())
    }

    /// Tells whether it is asked for one variable, which is called like no secret: `os.environ.get('PORT')`.
    fn asks_variable(&self) -> bool {
        let all: Vec<CodeToken<'_>> = (1..=5).map(|count| self.behind(count)).collect();
        let (name, end) = match *all {
            [Sign('.'), Name("get"), Sign('('), Text(Some(name)), end]
            | [Sign('('), Text(Some(name)), end, ..] => (name, end),
            [Sign('['), Text(Some(name)), Sign(']'), end, _] if end != Sign('=') => {
                (name, Sign(')'))
            }
            _ => return false,
        };
        matches!(end, Sign(')' | ',')) && modules::is_plain_variable(name)
    }

    /// A name behind a dot.
    fn member(&self, name: &str, found: &mut Findings) -> Option<()> {
        let is_empty = (self.behind(1), self.behind(2)) == (Sign('('), Sign(')'));
        let is_fine = match (self.before(2), self.before(4)) {
            (File(file), _) => {
                let kind = if name.starts_with("write_") {
                    EffectKind::Write
                } else {
                    EffectKind::Read
                };
                found.files.push((kind, file.to_owned()));
                words::PYTHON_FILES.contains(&name)
            }
            (Name("os"), _) if name == "listdir" => return self.opens(found),
            (Name("os"), _) if name == "environ" || name == "getenv" => self.asks_variable(),
            (Name("os"), _) => words::PYTHON_OS.contains(&name),
            (Name("path"), Name("os")) => words::PYTHON_PATHS.contains(&name),
            (Name("re"), _) if name == "compile" => true,
            _ if OPENING.contains(&name) && name != "open" => return self.opens(found),
            // A text that is put together may ask for any member.
            _ if name == "format" => {
                matches!(self.before(2), Text(_)) && !matches!(self.before(3), Text(_) | Filled)
            }
            _ if LOADING.contains(&name) => self.is_data(),
            // With one word it moves or copies a file.
            _ if ["replace", "copy"].contains(&name) => {
                name == "copy" && is_empty || name == "replace" && self.has_two_words()
            }
            _ => words::PYTHON.contains(&name) || is_told(name),
        };
        // With a word inside it writes a file.
        let writes = name == "to_string" && !is_empty;
        (is_fine && !writes).then_some(())
    }

    /// Tells whether a call has more than one word.
    fn has_two_words(&self) -> bool {
        let mut depth = 0;
        for at in 1.. {
            match self.behind(at) {
                Sign('(' | '[' | '{') => depth += 1,
                Sign(')' | ']' | '}') if depth <= 1 => return false,
                Sign(')' | ']' | '}') => depth -= 1,
                Sign(',') if depth == 1 => return self.behind(at + 1) != Sign(')'),
                End if depth == 0 || self.at + at >= self.tokens.len() => return false,
                _ => {}
            }
        }
        false
    }

    /// A name of its own.
    fn name(&self, name: &str, found: &mut Findings) -> Option<()> {
        let is_fine = match name {
            _ if OPENING.contains(&name) => return self.opens(found),
            "os" | "pathlib" => self.behind(1) == Sign('.'),
            // Where to print; a value of it only Python 2 has.
            "file" => self.behind(1) == Sign('=') && self.behind(2) != Sign('='),
            _ if LOADING.contains(&name) => self.is_data(),
            _ => !words::PYTHON_UNSAFE.contains(&name) && (is_plain(name) || is_told(name)),
        };
        is_fine.then_some(())
    }

    /// A call of a function that opens one file by its name.
    fn opens(&self, found: &mut Findings) -> Option<()> {
        let (Sign('('), Text(Some(file)) | File(file)) = (self.behind(1), self.behind(2)) else {
            return None;
        };
        let mut next = 3;
        let mut mode = "r";
        if let (Sign(','), Text(text)) = (self.behind(next), self.behind(next + 1)) {
            mode = text?;
            next += 2;
        }
        while self.behind(next) == Sign(',') {
            let Name(word @ ("encoding" | "errors" | "newline")) = self.behind(next + 1) else {
                return None;
            };
            let (Sign('='), Text(value)) = (self.behind(next + 2), self.behind(next + 3)) else {
                return None;
            };
            value.or((word == "newline").then_some(""))?;
            next += 4;
        }
        let is_mode = mode.chars().all(|letter| "rwaxbt+".contains(letter));
        // What looks like an address may be asked over the network, and some functions look for `~` in the home.
        if self.behind(next) != Sign(')') || !is_mode || file.contains([':', '~']) {
            return None;
        }
        let writes = mode.contains(['w', 'a', 'x', '+']);
        let reads = !writes || mode.contains(['r', '+']);
        let kinds = [(EffectKind::Read, reads), (EffectKind::Write, writes)];
        let done = kinds.into_iter().filter(|(_, does)| *does);
        found
            .files
            .extend(done.map(|(kind, _)| (kind, file.to_owned())));
        Some(())
    }
}

/// Tells whether a name is no word of the language.
fn is_own(name: &str) -> bool {
    !words::PYTHON_KEYWORDS.contains(&name)
}

pub(super) fn is_plain(name: &str) -> bool {
    !name.contains("__")
}

pub(super) fn is_told(name: &str) -> bool {
    ["__name__", "__version__", "__doc__", "__file__"].contains(&name)
}

/// Tells whether what stands in braces may ask for a member or an item, which a text that is formatted would print.
fn may_ask_members(text: &str) -> bool {
    let mut escapes = text.split('\\').skip(1);
    let mut fields = text.split('{').skip(1);
    escapes.any(|letters| {
        letters.starts_with(['x', 'u', 'U', 'N', '0', '1', '2', '3', '4', '5', '6', '7'])
    }) || fields.any(|field| {
        let name = field.split(['}', ':', '!']).next().unwrap_or_default();
        name.contains(['.', '['])
    })
}

/// Makes one token of each `Path` of a file that is named.
fn paths(tokens: &mut Vec<CodeToken<'_>>) {
    let mut made = Vec::with_capacity(tokens.len());
    let mut rest = &**tokens;
    while let [first, behind @ ..] = rest {
        let path = match rest {
            [
                Name("Path"),
                Sign('('),
                Text(Some(file)),
                Sign(')'),
                behind @ ..,
            ] => Some((file, behind)),
            _ => None,
        };
        if made.ends_with(&[Name("pathlib"), Sign('.')]) && path.is_some() {
            made.truncate(made.len() - 2);
        }
        made.push(path.map_or(*first, |(file, _)| File(file)));
        rest = path.map_or(behind, |(_, behind)| behind);
    }
    *tokens = made;
}

/// The name that is given a text or a path here.
fn given<'t>(code: TokenCursor<'_, 't>) -> Option<(&'t str, CodeToken<'t>)> {
    let (End, Name(name), Sign('=')) = (code.before(1), code.token(), code.behind(1)) else {
        return None;
    };
    let (value @ (Text(Some(_)) | File(_)), End) = (code.behind(2), code.behind(3)) else {
        return None;
    };
    // Python itself gives others a value before.
    is_plain(name).then_some((name, value))
}

/// Takes a code apart; none where it is read in more than one way.
fn taken_apart(text: &str) -> Option<Vec<CodeToken<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(letter) = rest.chars().next() {
        let next = rest.get(letter.len_utf8()..)?;
        rest = match letter {
            ' ' | '\t' => next,
            // In brackets the statement goes on.
            '\n' if depth > 0 => next,
            '\n' | ';' => {
                tokens.push(End);
                next
            }
            '\\' => next.strip_prefix('\n')?,
            '#' => {
                let (comment, behind) = next.split_at(next.find('\n').unwrap_or(next.len()));
                // The letters of a code may stand for others by a comment.
                if comment.contains("coding") || comment.contains('\r') {
                    return None;
                }
                behind
            }
            '\'' | '"' => string(rest, "", &mut tokens)?,
            _ if letter.is_ascii_alphanumeric() || letter == '_' => {
                let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let (word, behind) =
                    rest.split_at(rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()));
                let is_prefix =
                    word.len() <= 2 && word.chars().all(|one| "rRbBuUfFtT".contains(one));
                if is_prefix && behind.starts_with(['\'', '"']) {
                    string(behind, word, &mut tokens)?
                } else {
                    let is_number = letter.is_ascii_digit();
                    tokens.push(if is_number { Number(word) } else { Name(word) });
                    behind
                }
            }
            '!' if !next.starts_with('=') => return None,
            _ if letter.is_ascii_punctuation() && !matches!(letter, '`' | '$' | '?') => {
                match letter {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.checked_sub(1)?,
                    _ => {}
                }
                tokens.push(Sign(letter));
                next
            }
            _ => return None,
        };
    }
    Some(tokens)
}

/// Takes a text in quotes with its prefix, and returns what follows.
fn string<'t>(text: &'t str, prefix: &str, tokens: &mut Vec<CodeToken<'t>>) -> Option<&'t str> {
    let one = text.get(..1)?;
    let three = text.get(..3).filter(|three| *three == one.repeat(3));
    let quote = three.unwrap_or(one);
    let inside = text.get(quote.len()..)?;
    let mut end = 0;
    while !inside.get(end..)?.starts_with(quote) {
        let letter = inside.get(end..)?.chars().next()?;
        if letter == '\n' && three.is_none() {
            return None;
        }
        end += letter.len_utf8();
        if letter == '\\' {
            end += inside.get(end..)?.chars().next()?.len_utf8();
        }
    }
    let (inside, behind) = (inside.get(..end)?, inside.get(end + quote.len()..)?);
    let is_filled = prefix.contains(['f', 'F', 't', 'T']);
    if is_filled {
        filled(inside, one, tokens)?;
    }
    let is_bytes = prefix.contains(['b', 'B']);
    let stands = !is_filled && !is_bytes;
    let plain = tokens::plain(inside).or(inside.is_empty().then_some(""));
    tokens.push(Text(plain.filter(|_| stands)));
    Some(behind)
}

/// The most that the form of a value fills in.
const MOST_FILLED: usize = 4;

/// Reads what a text fills in.
fn filled<'t>(text: &'t str, quote: &str, tokens: &mut Vec<CodeToken<'t>>) -> Option<()> {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('{') {
        if let Some(behind) = behind.strip_prefix('{') {
            rest = behind;
            continue;
        }
        let end = closing(behind)?;
        let (inside, behind) = (behind.get(..end)?, behind.get(end + 1..)?);
        let is_long = ["'''", "\"\"\""].iter().any(|three| inside.contains(three));
        if inside.contains(['\\', '#', '\n']) || inside.contains(quote) || is_long {
            return None;
        }
        // What tells the form may fill in more.
        let (code, form) = inside.split_at(form_at(inside));
        if form.matches('{').count() > MOST_FILLED || form.contains("{{") {
            return None;
        }
        tokens.push(Filled);
        tokens.extend(taken_apart(code)?);
        tokens.push(Filled);
        filled(form, quote, tokens)?;
        rest = behind;
    }
    Some(())
}

/// Where the bracket closes that was open before this text.
fn closing(text: &str) -> Option<usize> {
    outside(text).find_map(|(at, letter, depth)| (letter == '}' && depth == 0).then_some(at))
}

/// Where the form of a value begins that is filled in.
fn form_at(text: &str) -> usize {
    let begins = |at: usize, letter| {
        let behind = text.get(at + 1..).unwrap_or_default();
        letter == ':' || (letter == '!' && !behind.starts_with('='))
    };
    let mut letters = outside(text).filter(|(_, _, depth)| *depth == 0);
    let found = letters.find(|(at, letter, _)| begins(*at, *letter));
    found.map_or(text.len(), |(at, _, _)| at)
}

/// The letters that are in no quotes, with their place and the count of open brackets before them.
fn outside(text: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let (mut quote, mut depth) = (None, 0_usize);
    text.char_indices().filter_map(move |(at, letter)| {
        match quote {
            Some(open) => {
                if letter == open {
                    quote = None;
                }
                return None;
            }
            None if matches!(letter, '\'' | '"') => {
                quote = Some(letter);
                return None;
            }
            None => {}
        }
        let before = depth;
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        Some((at, letter, before))
    })
}
