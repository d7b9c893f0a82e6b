//! JavaScript, read as far as it only computes, prints, and reads or writes files that it names.
//!
//! Of `require`, `fs` and `process` a few forms are read. Any other name is one that the code itself gave, a harmless one of
//! the language, or an error when it runs. What leads from any value to code that a text holds is refused wherever it stands.

use super::tokens::CodeToken::{self, End, Filled, Name, Number, Sign, Text};
use super::tokens::{self, Findings, LONGEST, TokenCursor};
use super::{looks, modules};
use crate::effect::EffectKind;
use crate::programs::words;

mod imports;
mod lexer;

use imports::{given_to, imports, is_given_module, requires};

/// Reads a code; none where it may do more.
pub(super) fn read(text: &str) -> Option<Findings> {
    let mut tokens = lexer::tokens(text)?;
    if tokens.len() > LONGEST {
        return None;
    }
    tokens::constants(&mut tokens, given, is_use);
    let mut found = Findings::default();
    let mut open: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        let code = TokenCursor::new(&tokens, at);
        let inside = open.last().map(|at| code.from(*at));
        match code.token() {
            Name(name) | Text(Some(name)) if words::NODE_HIDDEN.contains(&name) => return None,
            Name(name) if name.contains("__") || name.len() > 1 && name.starts_with('_') => {
                return None;
            }
            // The key of an object.
            Name(_) if code.behind(1) == Sign(':') && is_first(code, inside) => {}
            Name(name) if !is_member(code) => own(code, name, &mut found)?,
            // A key that is written in another way may be any.
            Text(None) if next_of(code, 1) == Sign(':') && is_first(code, inside) => return None,
            Sign('[') if !is_harmless_item(code, inside) => return None,
            _ => {}
        }
        match code.token() {
            Sign('(' | '[' | '{') => open.push(at),
            Sign(')' | ']' | '}') => drop(open.pop()),
            _ => {}
        }
    }
    // Of a module of the project each member is its own, and may be one of node.
    let acts = tokens
        .iter()
        .any(|token| matches!(token, Name(name) if words::NODE_ACTS.contains(name)));
    if found.imports && acts || found.packages && !looks::only(&tokens) {
        return None;
    }
    // What it asks for may be what it writes.
    let is_data = |file: &String| {
        let end = file.rsplit_once('.').map(|(_, end)| end);
        end == Some("json") && !file.contains("node_modules")
    };
    let of = |kind: EffectKind| found.files.iter().filter(move |(of, _)| *of == kind);
    let runs = of(EffectKind::Read).any(|(_, file)| !is_data(file));
    let mut written = of(EffectKind::Write);
    let brings = written.any(|(_, file)| runs || !is_data(file) || file.contains(".json/"));
    if found.imports && brings {
        return None;
    }
    given_to(&tokens, &mut found)?;
    Some(found)
}

/// Tells whether a name is asked of a value; behind three dots stands a value of its own.
fn is_member(code: TokenCursor<'_, '_>) -> bool {
    code.before(1) == Sign('.') && code.before(2) != Sign('.')
}

/// The next token that ends no line, from so many on.
fn next_of<'t>(code: TokenCursor<'_, 't>, from: usize) -> CodeToken<'t> {
    let rest = code.tokens.get(code.at + from..).unwrap_or_default();
    let next = rest.iter().find(|token| **token != End);
    next.copied().unwrap_or(End)
}

/// Tells whether a statement ends here: by a sign, or by the end of a line behind which another one begins.
fn ends(code: TokenCursor<'_, '_>, at: usize) -> bool {
    match code.behind(at) {
        Sign(';') => true,
        End => matches!(next_of(code, at), Name(_) | End),
        _ => false,
    }
}

/// Judges a name that is no member.
fn own(code: TokenCursor<'_, '_>, name: &str, found: &mut Findings) -> Option<()> {
    let member = match (code.behind(1), code.behind(2)) {
        (Sign('.'), Name(member)) => member,
        _ => "",
    };
    let is_fine = match name {
        "require" => return requires(code, found),
        "import" if code.behind(1) == Sign('(') => return requires(code, found),
        "import" => return imports(code, found),
        "fs" if member.is_empty() => is_given_module(code),
        "fs" => return opens(code.from(code.at + 2), member, found),
        // It prints, and nothing else is put in its place.
        "console" => !["", "valueOf"].contains(&member) && code.behind(3) == Sign('('),
        // Else it is the name of a value.
        "let" => match code.behind(1) {
            Sign('[' | '{') => true,
            Name(name) => !["of", "in", "instanceof"].contains(&name),
            _ => false,
        },
        "process" if ["stdout", "stderr"].contains(&member) => {
            let call = [code.behind(3), code.behind(4), code.behind(5)];
            call == [Sign('.'), Name("write"), Sign('(')]
        }
        "process" if member == "stdin" => {
            let does = [code.behind(3), code.behind(4), code.behind(5)];
            matches!(
                does,
                [Sign('.'), Name("on" | "once" | "setEncoding"), Sign('(')]
            )
        }
        "process" if member == "env" => {
            let variable = [code.behind(3), code.behind(4)];
            let is_read = code.behind(5) != Sign('=') || code.behind(6) == Sign('=');
            is_read
                && matches!(variable, [Sign('.'), Name(name)] if modules::is_plain_variable(name))
        }
        "process" => words::NODE_PROCESS.contains(&member),
        "crypto" => is_of_crypto(member) || is_given_module(code),
        _ => !words::NODE_UNSAFE.contains(&name),
    };
    is_fine.then_some(())
}

/// Tells whether this stands first in an object or behind a comma in it.
fn is_first(code: TokenCursor<'_, '_>, inside: Option<TokenCursor<'_, '_>>) -> bool {
    let is_object = inside.is_some_and(|open| open.token() == Sign('{'));
    let before = (1..=code.at).map(|count| code.before(count));
    let before = before.into_iter().find(|token| *token != End);
    is_object && matches!(before, Some(Sign('{' | ',')))
}

fn is_of_crypto(member: &str) -> bool {
    member.starts_with("random") || member == "createHash"
}

/// Reads a call of a function of `fs`, which names one file.
fn opens(code: TokenCursor<'_, '_>, member: &str, found: &mut Findings) -> Option<()> {
    let reads = ["readFileSync", "readdirSync", "existsSync", "statSync"].contains(&member);
    let writes = ["writeFileSync", "appendFileSync"].contains(&member);
    let form = |at: usize| [code.behind(at), code.behind(at + 1)];
    let is_coding = matches!(form(3), [Sign(','), Text(Some(_))]) && code.behind(5) == Sign(')');
    let file = match (code.behind(1), code.behind(2)) {
        (Sign('('), Text(Some(file))) => Some(file),
        // What the input holds is no file that has a name.
        (Sign('('), Number("0")) if reads => None,
        _ => return None,
    };
    let kind = match code.behind(3) {
        Sign(')') if reads => EffectKind::Read,
        _ if reads && is_coding => EffectKind::Read,
        Sign(',') if writes => EffectKind::Write,
        _ => return None,
    };
    found.files.extend(file.map(|file| (kind, file.to_owned())));
    Some(())
}

/// Tells whether what begins with this bracket is a list, or an item of a value that leads to no code.
fn is_harmless_item(code: TokenCursor<'_, '_>, inside: Option<TokenCursor<'_, '_>>) -> bool {
    const BEFORE_LIST: [&str; 5] = ["return", "in", "const", "var", "case"];
    let is_key = inside.is_some_and(|open| open.token() == Sign('{'));
    let before = code.before(2);
    match code.before(1) {
        Name(name) if BEFORE_LIST.contains(&name) && before != Sign('.') => return true,
        // These are names of values too.
        Name("of")
            if matches!(before, Name(name) if !words::NODE_KEYWORDS.contains(&name))
                || before == Sign(']') =>
        {
            return inside.is_some_and(|open| open.before(1) == Name("for"));
        }
        Name("let") if matches!(before, End | Sign(';' | '{' | '}' | '(')) => return true,
        Sign(',') if is_key => return false,
        Sign('=' | '(' | ',' | '[' | ':' | '?' | '>' | '&' | '|' | ';') => return true,
        Sign('.') => return code.before(2) == Sign('.') && code.before(3) == Sign('.'),
        _ => {}
    }
    let (item, behind) = (code.behind(1), code.behind(3));
    match (item, code.behind(2)) {
        (Number(_), Sign(']')) => true,
        (Text(Some(name)), Sign(']')) => !name.contains("__"),
        (Name(_), Sign(']')) => {
            // Any item may be printed, for nothing is done with it.
            let Some(from) = begin_of(code) else {
                return false;
            };
            let before = code.from(from).before(1);
            let is_print = inside.is_some_and(|open| {
                let called = [open.before(3), open.before(2), open.before(1)];
                let is_log = called == [Name("console"), Sign('.'), Name("log")];
                open.token() == Sign('(') && is_log && open.before(4) != Sign('.')
            });
            let is_other = matches!(code.behind(4), Sign('=' | '>'));
            let or = [code.behind(4), code.behind(6), code.behind(7)];
            match (before, behind) {
                (Filled, Filled) => true,
                (Sign('(' | ','), Sign(')' | ',')) => is_print,
                // One of an object that the code made is given a value, or counted up.
                _ if !is_made(code) => false,
                (_, Sign('=')) => !is_other,
                (_, Sign('+' | '-')) => true,
                (Sign('('), Sign('|')) => {
                    let is_value = code.from(from).before(2) == Sign('=');
                    is_value
                        && matches!(code.behind(5), Number(_))
                        && or == [Sign('|'), Sign(')'), Sign('+')]
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Tells whether what stands in front of this bracket is a name to which the code gives an empty object or list.
fn is_made(code: TokenCursor<'_, '_>) -> bool {
    let given = |all: &[CodeToken<'_>]| match all {
        [Name("const"), name, Sign('='), Sign('{'), Sign('}')]
        | [Name("const"), name, Sign('='), Sign('['), Sign(']')] => *name == code.before(1),
        _ => false,
    };
    code.before(2) != Sign('.') && code.tokens.windows(5).any(given)
}

/// Where the names begin that stand before this with dots between them.
fn begin_of(code: TokenCursor<'_, '_>) -> Option<usize> {
    let mut from = code;
    loop {
        match from.before(1) {
            Name(name) if !words::NODE_KEYWORDS.contains(&name) => from.at -= 1,
            _ => return None,
        }
        if !is_member(from) {
            return Some(from.at);
        }
        from.at -= 1;
    }
}

/// The name that is given a text here for good.
fn given<'t>(code: TokenCursor<'_, 't>) -> Option<(&'t str, CodeToken<'t>)> {
    let (Name("const"), Name(name), Sign('=')) = (code.before(1), code.token(), code.behind(1))
    else {
        return None;
    };
    let is_end = ends(code, 3);
    let value = code.behind(2);
    (is_end && matches!(value, Text(Some(_)))).then_some((name, value))
}

/// Tells whether a value is only looked at here: handed to a function, or filled into a text.
fn is_use(code: TokenCursor<'_, '_>) -> bool {
    const OTHERS: [&str; 7] = ["catch", "function", "async", "for", "if", "while", "with"];
    match (code.before(1), code.behind(1)) {
        (Filled, Filled) => true,
        (Sign('('), Sign(')' | ',')) => {
            // A function that is made here would give the name once more.
            let is_member = code.before(3) == Sign('.');
            is_member && matches!(code.before(2), Name(name) if !OTHERS.contains(&name))
        }
        _ => false,
    }
}
