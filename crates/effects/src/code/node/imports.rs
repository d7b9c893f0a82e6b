//! What JavaScript loads: modules of node that are read, of the project, and packages that are installed.

use super::{ends, is_of_crypto, opens};
use crate::code::modules;
use crate::code::tokens::CodeToken::{self, End, Filled, Name, Sign, Text};
use crate::code::tokens::{Findings, TokenCursor};
use crate::effect::EffectKind;
use crate::programs::words;

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
pub(super) fn given_to(tokens: &[CodeToken<'_>], found: &mut Findings) -> Option<()> {
    let around = |at| TokenCursor::new(tokens, at);
    if !(0..tokens.len()).any(|at| is_own_code(around(at))) {
        return Some(());
    }
    let is_secret =
        |token: &CodeToken<'_>| matches!(token, Name(name) if modules::says_secret(name));
    // All settings at once.
    let gives_all = |at: usize| {
        let code = around(at);
        let is_one = matches!(code.token(), Text(Some(module)) if modules::is_of_settings(module));
        let member = [code.behind(1), code.behind(2)];
        is_one && is_own_code(code) && member != [Sign(')'), Sign('.')]
    };
    if tokens.iter().any(is_secret) || (0..tokens.len()).any(gives_all) {
        return None;
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

/// Tells whether a name is given the module that is called so.
pub(super) fn is_given_module(code: TokenCursor<'_, '_>) -> bool {
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
pub(super) fn imports(code: TokenCursor<'_, '_>, found: &mut Findings) -> Option<()> {
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
pub(super) fn requires(code: TokenCursor<'_, '_>, found: &mut Findings) -> Option<()> {
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
