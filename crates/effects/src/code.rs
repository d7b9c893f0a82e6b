//! Inline code of other languages, as far as it can be read: code that computes and prints, and nothing else.
//!
//! It is a list of what is harmless. A name that is not in it, called or not, makes the code unreadable.

use crate::effect::{Certainty, Effect, Kind, Object};

/// Words of Python that only compute and print.
const PYTHON: &[&str] = &[
    "False",
    "None",
    "True",
    "abs",
    "all",
    "and",
    "any",
    "append",
    "argv",
    "as",
    "b64decode",
    "b64encode",
    "base64",
    "bool",
    "break",
    "ceil",
    "chr",
    "collections",
    "continue",
    "count",
    "Counter",
    "d",
    "data",
    "date",
    "datetime",
    "decode",
    "def",
    "dict",
    "digest",
    "dumps",
    "elif",
    "else",
    "encode",
    "end",
    "endswith",
    "enumerate",
    "except",
    "exit",
    "f",
    "filter",
    "find",
    "findall",
    "float",
    "floor",
    "for",
    "format",
    "from",
    "fromtimestamp",
    "get",
    "hashlib",
    "hex",
    "hexdigest",
    "i",
    "if",
    "import",
    "in",
    "indent",
    "int",
    "is",
    "isoformat",
    "items",
    "j",
    "join",
    "json",
    "k",
    "key",
    "keys",
    "lambda",
    "len",
    "line",
    "lines",
    "list",
    "load",
    "loads",
    "lower",
    "lstrip",
    "m",
    "map",
    "match",
    "math",
    "max",
    "md5",
    "min",
    "n",
    "not",
    "now",
    "or",
    "ord",
    "p",
    "pass",
    "platform",
    "pop",
    "print",
    "quote",
    "r",
    "range",
    "re",
    "read",
    "readline",
    "readlines",
    "replace",
    "return",
    "reversed",
    "round",
    "rstrip",
    "s",
    "search",
    "sep",
    "set",
    "sha1",
    "sha256",
    "sort",
    "sorted",
    "split",
    "splitlines",
    "sqrt",
    "startswith",
    "stderr",
    "stdin",
    "stdout",
    "str",
    "strftime",
    "strip",
    "sub",
    "sum",
    "sys",
    "time",
    "title",
    "today",
    "try",
    "tuple",
    "type",
    "upper",
    "utcnow",
    "uuid",
    "uuid4",
    "v",
    "value",
    "values",
    "version",
    "version_info",
    "while",
    "write",
    "x",
    "y",
    "z",
    "zip",
];

/// Words of JavaScript that only compute and print.
const NODE: &[&str] = &[
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "E",
    "JSON",
    "Math",
    "Number",
    "Object",
    "PI",
    "String",
    "a",
    "abs",
    "argv",
    "b",
    "ceil",
    "concat",
    "console",
    "const",
    "else",
    "entries",
    "error",
    "false",
    "filter",
    "floor",
    "for",
    "forEach",
    "from",
    "i",
    "if",
    "in",
    "includes",
    "indexOf",
    "isArray",
    "join",
    "keys",
    "length",
    "let",
    "log",
    "map",
    "max",
    "min",
    "new",
    "now",
    "null",
    "of",
    "parse",
    "parseFloat",
    "parseInt",
    "pow",
    "process",
    "push",
    "random",
    "reduce",
    "replace",
    "return",
    "reverse",
    "round",
    "slice",
    "sort",
    "split",
    "sqrt",
    "stringify",
    "toFixed",
    "toISOString",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
    "true",
    "typeof",
    "undefined",
    "values",
    "var",
    "version",
    "versions",
    "x",
    "y",
];

/// Words of Ruby and Perl that only compute and print.
const SCRIPTS: &[&str] = &[
    "and", "chomp", "each", "else", "elsif", "foreach", "if", "join", "keys", "lc", "length",
    "map", "my", "not", "or", "print", "printf", "puts", "say", "size", "sort", "split", "sprintf",
    "sum", "to_f", "to_i", "to_s", "uc", "unless", "upcase",
];

/// Returns what a piece of code does, or none if it cannot be read.
pub fn read(language: &str, text: &str) -> Option<Vec<Effect>> {
    let computes = match language {
        "awk" => plain_awk(text),
        "jq" => true,
        // Three quotes hold what single ones would end.
        "python" => {
            !["__", "\'\'\'", "\"\"\""]
                .iter()
                .any(|no| text.contains(no))
                && only(text, PYTHON, "")
        }
        "node" => only(text, NODE, "/`["),
        "ruby" | "perl" => only(text, SCRIPTS, "`|<>/#%@&*$?"),
        _ => false,
    };
    let imports = language == "python" && text.contains("import");
    computes.then(|| imports.then(imported).into_iter().collect())
}

/// A module that is imported may be a file of the folder: code that is not read.
fn imported() -> Effect {
    Effect {
        kind: Kind::Exec,
        object: Object::Program {
            name: "python".to_owned(),
            arguments: Vec::new(),
            opaque: true,
        },
        certainty: Certainty::Likely,
        through: "import".to_owned(),
    }
}

/// Whether all words of a code outside of its quotes are among those that are harmless, and no letter there is refused.
fn only(text: &str, harmless: &[&str], refused: &str) -> bool {
    let mut word = String::new();
    let mut quote = None;
    for letter in text.chars().chain(Some(' ')) {
        match quote {
            Some(open) if letter == open => quote = None,
            // What a text fills in is code too.
            Some(_) if matches!(letter, '{' | '\\' | '#' | '\n') => return false,
            Some(_) => {}
            None if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            None if letter == '\\' || refused.contains(letter) => return false,
            None => {
                let number = word.starts_with(|letter: char| letter.is_ascii_digit());
                if !word.is_empty() && !number && !harmless.contains(&&*word) {
                    return false;
                }
                word.clear();
                if matches!(letter, '"' | '\'') {
                    quote = Some(letter);
                }
            }
        }
    }
    quote.is_none()
}

/// Whether an awk program only reads its input and prints.
fn plain_awk(text: &str) -> bool {
    // A pipe, a redirection, a call of the shell or an include needs one of these.
    let comparison = text.replace(">=", "").replace("||", "");
    !comparison.contains(['|', '>', '@']) && !text.contains("system") && !text.contains("getline")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_computes_and_prints_does_nothing_else() {
        for (language, text) in [
            ("python", "print(1+1)"),
            (
                "python",
                "import json,sys; print(json.load(sys.stdin)['x'])",
            ),
            ("node", "console.log(1+1, 'a')"),
            ("awk", "{print $1}"),
            ("ruby", "puts 1"),
            ("perl", "print 1+1"),
        ] {
            let done = read(language, text).unwrap();
            assert!(
                done.iter().all(|effect| effect.kind == Kind::Exec),
                "{text}"
            );
        }
    }

    #[test]
    fn code_that_may_do_more_cannot_be_read() {
        for (language, text) in [
            ("python", "open('.env','w')"),
            ("python", "import os; os.system('x')"),
            ("python", "print(f'{os.remove(1)}')"),
            ("python", "getattr(x,'y')()"),
            ("python", "__import__('os')"),
            ("python", "sys.modules['os']"),
            ("python", "'unclosed"),
            ("python", "# '\nopen('x','w')"),
            ("python", "\'\'\'s\'i\'\'\'+open(\"x\")+\'\'\'s\'i\'\'\'"),
            ("node", "/'/.x; require('fs'); /'/"),
            ("ruby", "puts ?'; system(1); puts ?'"),
            ("node", "require('fs').rmSync('x')"),
            ("node", "console['log']['constructor']('x')()"),
            ("node", "console.log(`${process.exit()}`)"),
            ("perl", "print `rm x`"),
            ("perl", "unlink 'x'"),
            ("ruby", "puts \"#{system 1}\""),
            ("ruby", "system 'x'"),
            ("awk", "{print > \"x\"}"),
            ("php", "echo 1;"),
        ] {
            assert_eq!(read(language, text), None, "{text}");
        }
    }
}
