//! Words of a shell that stand for several paths: `*`, `?`, `[…]`, `{a,b}` and variables.

use super::globs::Glob;

/// What a pattern has to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GlobMatch {
    /// It matches a folder above the path; as many names of the path are left.
    Above(usize),
    /// It would match something below the path.
    Below,
    /// It matches the path.
    Whole,
}

/// Tells what a pattern has to do with a path, name by name. `**` is any number of names.
pub fn covers(pattern: &[&str], names: &[&str]) -> Option<GlobMatch> {
    match (pattern, names) {
        ([] | ["**"], []) => Some(GlobMatch::Whole),
        ([], left) => Some(GlobMatch::Above(left.len())),
        (_, []) => Some(GlobMatch::Below),
        (["**", rest @ ..], [_, more @ ..]) => covers(rest, names).max(covers(pattern, more)),
        ([first, rest @ ..], [name, more @ ..])
            if let Some((head, tail)) = first.split_once("**") =>
        {
            // `[^.]**` is no name that begins with a dot, and none below such a name.
            let is_hidden = |name: &&str| first.starts_with("[^.]") && name.starts_with('.');
            if is_hidden(name) {
                return None;
            }
            let one = glob(name, first).then(|| covers(rest, more)).flatten();
            // Over several names: the first begins like this, and the last ends like that.
            let begins = glob(name, &format!("{head}*"));
            let ends = |(at, name): (usize, &&str)| {
                let rest_of = more.get(at + 1..)?;
                glob(name, &format!("*{tail}")).then(|| covers(rest, rest_of))?
            };
            let shown = more.iter().take_while(|name| !is_hidden(name)).enumerate();
            let many = begins.then(|| shown.filter_map(ends).max());
            one.max(many.flatten())
        }
        ([first, rest @ ..], [name, more @ ..]) => name_matches(name, first)
            .then(|| covers(rest, more))
            .flatten(),
    }
}

/// As a shell does it: `*` any letters, `?` and `[…]` one, and none of them a leading dot.
pub fn name_matches(name: &str, pattern: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?', '[']) {
        return false;
    }
    glob(name, pattern)
}

/// Tells whether a name matches a pattern; a set in brackets counts as any letter.
pub fn glob(name: &str, pattern: &str) -> bool {
    Glob::of_shell(pattern).meets(&Glob::of_text(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        use GlobMatch::{Above, Below, Whole};
        let cases = [
            ("/p/hooks/hooks.json", "/p/hook?/*.json", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/*", Some(Above(1))),
            ("/p/hooks/hooks.json", "/p/**", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/hooks/hooks.json/*", Some(Below)),
            ("/p/hooks/hooks.json", "/p/**/*.json", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/**/*.toml", Some(Below)),
            ("/p/hooks/hooks.json", "/p/h[a-z]oks/hooks.j*n", Some(Whole)),
            ("/p/hooks/hooks.json", "/**/hooks/hooks.json", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/**hooks.json", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/ho**", Some(Whole)),
            ("/p/hooks/hooks.json", "/p/ho**.toml", None),
            ("/p/.claude/x", "/p/*/x", None),
            ("/p/.claude/x", "/p/.c*/x", Some(Whole)),
            ("/aaaaaaaaaaaaaaaaaaaaaaaa", "/*a*a*a*a*a*a*a*a*b", None),
            ("/[x", "/[x", Some(Whole)),
            ("/*", "/\\*", Some(Whole)),
            ("/x", "/\\*", None),
        ];
        for (path, pattern, expected) in cases {
            let [names, parts] = [path, pattern].map(|text| text.split('/').collect::<Vec<_>>());
            assert_eq!(covers(&parts, &names), expected, "{path} {pattern}");
        }
    }
}
