//! JavaScript, read as far as it only computes, prints, and reads or writes files that it names.
//!
//! Of `require`, `fs` and `process` a few forms are read. Any other name is one that the code itself gave, a harmless one of
//! the language, or an error when it runs. What leads from any value to code that a text holds is refused wherever it stands.

use super::tokens::CodeToken::{self, End, Filled, Name, Number, Sign, Text};
use super::tokens::{self, Findings, LONGEST, TokenCursor};
use super::{looks, modules};
use crate::effect::EffectKind;
use crate::programs::words;

/// The deepest that brackets and texts stand in each other.
const DEEPEST: usize = 64;

/// Reads a code; none where it may do more.
pub(super) fn read(text: &str) -> Option<Findings> {
    // Comments of pages, and ends of lines that look like blanks, are read in another way here.
    let odd = ["<!--", "-->", "\r", "\u{2028}", "\u{2029}"];
    if odd.iter().any(|odd| text.contains(odd)) {
        return None;
    }
    let mut lexer = CodeLexer {
        rest: text,
        tokens: Vec::new(),
        open: Vec::new(),
        was_condition: false,
    };
    lexer.code(false)?;
    let mut tokens = lexer.tokens;
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

/// Tells whether this names a module of the project that is code.
fn is_own_code(code: TokenCursor<'_, '_>) -> bool {
    let is_named = matches!(
        (code.before(2), code.before(1)),
        (Name("require" | "import"), Sign('(')) | (_, Name("from"))
    );
    let is_code = |module: &str| is_of_project(module) && module.rsplit('.').next() != Some("json");
    is_named && matches!(code.token(), Text(Some(module)) if is_code(module))
}

/// Reads what a code gives to functions of the project: each text may be a file that they read or change. None where a text may
/// be put together, or is a line of words for a program.
fn given_to(tokens: &[CodeToken<'_>], found: &mut Findings) -> Option<()> {
    let around = |at| TokenCursor::new(tokens, at);
    if !(0..tokens.len()).any(|at| is_own_code(around(at))) {
        return Some(());
    }
    let mut open: Vec<&str> = Vec::new();
    for at in 0..tokens.len() {
        let code = around(at);
        match code.token() {
            Sign('(') => open.push(match (code.before(3), code.before(1)) {
                (Name("console"), Name(_)) => "console",
                (_, Name(name)) => name,
                _ => "",
            }),
            Sign('[' | '{') => open.push(""),
            Sign(')' | ']' | '}') => drop(open.pop()),
            Text(_)
                if open
                    .last()
                    .is_some_and(|it| ["console", "import", "require"].contains(it)) => {}
            Text(_) if matches!(code.before(1), Name("from" | "import")) => {}
            Text(Some(text)) => {
                let name = open.iter().rev().find(|name| !name.is_empty());
                let is_first = code.behind(1) == Sign(',') || code.before(1) == Sign('[');
                modules::text_given(
                    text,
                    is_first,
                    name.map_or(&[][..], std::slice::from_ref),
                    found,
                )?;
            }
            Text(None) if code.behind(1) == Sign(')') || code.behind(1) == Sign(',') => {
                return None;
            }
            _ => {}
        }
    }
    Some(())
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

/// Tells whether a name is given the module that is called so.
fn is_given_module(code: TokenCursor<'_, '_>) -> bool {
    let (Name(name), before) = (code.token(), code.before(1)) else {
        return false;
    };
    let is_star = (code.before(2), before) == (Sign('*'), Name("as"));
    let (module, is_given) = match (before, code.behind(1)) {
        (_, Name("from")) => (code.behind(2), is_star || before == Name("import")),
        (Name("const" | "let" | "var"), Sign('=')) => {
            let call = [code.behind(2), code.behind(3), code.behind(5)];
            let is_end = code.behind(6) == Sign(',') || ends(code, 6);
            let is_call = call == [Name("require"), Sign('('), Sign(')')];
            (code.behind(4), is_call && is_end)
        }
        _ => return false,
    };
    is_given && matches!(module, Text(Some(module)) if module.trim_start_matches("node:") == name)
}

/// Reads an `import` that stands alone, of a module that only computes, is given its own name, or is of the project.
fn imports(code: TokenCursor<'_, '_>, found: &mut Findings) -> Option<()> {
    let is_name = |token: &CodeToken<'_>| matches!(token, Name(_) | Sign('{' | '}' | ',' | '*'));
    let rest = code.tokens.get(code.at + 1..).unwrap_or_default();
    let from = rest.iter().position(|token| *token == Name("from"))?;
    let Text(Some(module)) = code.behind(from + 2) else {
        return None;
    };
    let last = code.from(code.at + from);
    let is_fine = match module.trim_start_matches("node:") {
        "path" | "os" | "url" | "util" => rest.iter().take(from).all(is_name),
        "fs" | "crypto" => is_given_module(last) && (from == 1 || from == 3),
        _ if is_of_project(module) => {
            of_project(module, found);
            rest.iter().take(from).all(is_name)
        }
        name => {
            is_package(name) && {
                of_package(found);
                rest.iter().take(from).all(is_name)
            }
        }
    };
    (is_fine && matches!(code.before(1), End | Sign(';')) && ends(code, from + 3)).then_some(())
}

/// Tells whether a module is a file of the project, and none of others; a part of an address that is no path may be another file.
fn is_of_project(module: &str) -> bool {
    let is_device = module.starts_with("/dev/") || module.starts_with("/proc/");
    module.starts_with(['.', '/'])
        && !is_device
        && !module.contains(['?', '#', '%'])
        && (!module.contains("node_modules") || module.rsplit('/').next() == Some("package.json"))
}

/// Tells whether a module is a package that is installed. Those of node and bun themselves have the environment.
fn is_package(module: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@/._-".contains(letter);
    // A part of a package may be its program, which acts when it is loaded.
    let parts = module.split('/').count();
    let is_whole = parts == 1 + usize::from(module.starts_with('@'));
    let first = module.split('/').next().unwrap_or_default();
    let is_name = first.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@')
        && !["process", "bun", "fs"].contains(&first)
        && !words::NODE_UNSAFE.contains(&first);
    module.chars().all(is_plain) && !module.contains("..") && is_whole && is_name
}

/// Notes a package.
fn of_package(found: &mut Findings) {
    (found.imports, found.packages) = (true, true);
}

/// Notes a module of the project, which is its code also where it looks like data.
fn of_project(module: &str, found: &mut Findings) {
    let ends = [".json", ".js", ".cjs", ".mjs"];
    let is_whole = ends.iter().any(|end| module.ends_with(end));
    let others = [".json", "/index.json"].iter().filter(|_| !is_whole);
    let files = others.map(|end| format!("{module}{end}"));
    let files = files.chain([module.to_owned()]);
    found
        .files
        .extend(files.map(|file| (EffectKind::Read, file)));
    found.imports = true;
}

/// Reads a call of `require`.
fn requires(code: TokenCursor<'_, '_>, found: &mut Findings) -> Option<()> {
    let (Sign('('), Text(Some(module)), Sign(')')) =
        (code.behind(1), code.behind(2), code.behind(3))
    else {
        return None;
    };
    let module = module.strip_prefix("node:").unwrap_or(module);
    let behind = [code.behind(4), code.behind(5)];
    let is_last = !matches!(code.behind(6), Sign('(' | '[' | '.' | '?') | Filled);
    let name = code.at.checked_sub(2).map(|at| code.from(at));
    if name.is_some_and(is_given_module) && ["fs", "crypto"].contains(&module) {
        return Some(());
    }
    match (module, behind) {
        ("fs", [Sign('.'), Name(member)]) => {
            return opens(code.from(code.at + 5), member, found);
        }
        ("crypto", [Sign('.'), Name(member)]) if is_of_crypto(member) => return Some(()),
        ("path" | "os" | "url" | "util", _) => return Some(()),
        _ if is_of_project(module) => of_project(module, found),
        _ if module.ends_with("/package.json") => {}
        (_, [Sign('.'), Name("version")]) if is_last => {}
        _ if is_package(module) => of_package(found),
        _ => return None,
    }
    found.imports = true;
    Some(())
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

/// Takes a code apart.
struct CodeLexer<'t> {
    rest: &'t str,
    tokens: Vec<CodeToken<'t>>,
    /// The brackets that are open, and for each whether it holds a condition, behind which no value stands.
    open: Vec<(char, bool)>,
    /// Whether the bracket that was closed last held one.
    was_condition: bool,
}

impl<'t> CodeLexer<'t> {
    /// Takes all of it, or up to the bracket that ends what a text fills in; none where it is read in more than one way.
    fn code(&mut self, is_filling: bool) -> Option<()> {
        let depth = self.open.len();
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '}' if is_filling && self.open.len() == depth => return Some(()),
                ' ' | '\t' => self.skip(1),
                '\n' => self.sign(End),
                '\'' | '"' => self.string(letter)?,
                '`' => self.template()?,
                '/' => self.slash()?,
                '(' | '[' | '{' => {
                    let conditions = ["if", "while", "for", "await", "with"];
                    let is = matches!(self.last(), Some(Name(name)) if conditions.contains(&name));
                    self.open.push((letter, is));
                    if self.open.len() > DEEPEST {
                        return None;
                    }
                    self.sign(Sign(letter));
                }
                ')' | ']' | '}' => {
                    self.was_condition = self.open.pop()?.1;
                    self.sign(Sign(letter));
                }
                _ if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') => {
                    let is_word = |letter: char| {
                        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$')
                    };
                    let end = self.rest.find(|letter| !is_word(letter));
                    let word = self.taken(end.unwrap_or(self.rest.len()))?;
                    let is_number = letter.is_ascii_digit();
                    self.tokens
                        .push(if is_number { Number(word) } else { Name(word) });
                }
                _ if letter.is_ascii_punctuation() && !matches!(letter, '\\' | '#' | '@') => {
                    self.sign(Sign(letter));
                }
                _ => return None,
            }
        }
        (!is_filling && self.open.is_empty()).then_some(())
    }

    /// The last token that ends no line.
    fn last(&self) -> Option<CodeToken<'t>> {
        self.last_two().0
    }

    /// That one, and the one before it.
    fn last_two(&self) -> (Option<CodeToken<'t>>, Option<CodeToken<'t>>) {
        let mut tokens = self.tokens.iter().rev().filter(|token| **token != End);
        (tokens.next().copied(), tokens.next().copied())
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn taken(&mut self, count: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn sign(&mut self, token: CodeToken<'t>) {
        self.tokens.push(token);
        self.skip(1);
    }

    /// Takes what stands up to this letter, without it; a backslash takes the meaning of the next one.
    fn up_to(&mut self, end: char) -> Option<&'t str> {
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                _ if letter == end => {
                    let taken = self.taken(at);
                    self.skip(1);
                    return taken;
                }
                '\\' => drop(letters.next()?),
                '\n' => return None,
                _ => {}
            }
        }
        None
    }

    fn string(&mut self, quote: char) -> Option<()> {
        self.skip(1);
        let inside = self.up_to(quote)?;
        self.tokens.push(Text(tokens::plain(inside)));
        Some(())
    }

    fn template(&mut self) -> Option<()> {
        // Behind a value it is a call of it.
        const BEFORE: [&str; 5] = ["return", "case", "throw", "in", "typeof"];
        let is_word = matches!(self.last_two(), (Some(Name(name)), before)
            if BEFORE.contains(&name) && before != Some(Sign('.')));
        if !is_word && self.last() != Some(Sign('+')) && !self.wants_value() {
            return None;
        }
        self.skip(1);
        loop {
            let mut letters = self.rest.char_indices();
            let (at, letter) = loop {
                match letters.next()? {
                    (_, '\\') => drop(letters.next()?),
                    (at, '$') if self.rest.get(at + 1..)?.starts_with('{') => break (at, '$'),
                    (at, '`') => break (at, '`'),
                    _ => {}
                }
            };
            self.skip(at);
            if letter == '`' {
                self.sign(Text(None));
                return Some(());
            }
            self.skip(2);
            // What is filled in stands deeper.
            if self.open.len() >= DEEPEST {
                return None;
            }
            self.open.push(('$', false));
            self.tokens.push(Filled);
            self.code(true)?;
            self.open.pop();
            self.sign(Filled);
        }
    }

    /// Tells whether a value has to follow, whatever stood before.
    fn wants_value(&self) -> bool {
        match self.last_two() {
            (Some(Sign('>')), before) => before == Some(Sign('=')),
            (None | Some(Sign('(' | ',' | '=' | ':' | '[' | '&' | '|' | '?' | '{' | ';')), _) => {
                true
            }
            _ => false,
        }
    }

    /// Takes a pattern. In a set of letters a slash ends nothing.
    fn pattern(&mut self) -> Option<()> {
        let mut letters = self.rest.char_indices().skip(1);
        let mut is_set = false;
        loop {
            match letters.next()? {
                (_, '\\') => drop(letters.next().filter(|(_, letter)| *letter != '\n')?),
                (_, '\n') => return None,
                (_, '[') => is_set = true,
                (_, ']') => is_set = false,
                (at, '/') if !is_set => {
                    self.skip(at + 1);
                    self.tokens.push(Text(None));
                    return Some(());
                }
                _ => {}
            }
        }
    }

    /// Takes a comment, a pattern, or the sign of a division.
    fn slash(&mut self) -> Option<()> {
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            return Some(());
        }
        if self.rest.starts_with("/*") {
            let comment = self.taken(self.rest.find("*/")? + 2)?;
            // It ends the line too.
            self.tokens.extend(comment.contains('\n').then_some(End));
            return Some(());
        }
        let is_line_end = self.tokens.last() == Some(&End);
        match self.last() {
            _ if self.wants_value() => self.pattern(),
            // Behind the end of a line it may begin a pattern.
            _ if is_line_end => None,
            Some(Sign(')')) if self.was_condition => None,
            Some(Name(name)) if words::NODE_KEYWORDS.contains(&name) => None,
            Some(Sign(')' | ']') | Number(_) | Name(_)) => {
                self.sign(Sign('/'));
                Some(())
            }
            _ => None,
        }
    }
}
