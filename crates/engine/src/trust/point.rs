//! Replacing words of a command line that name files of a package by the paths in its trusted copy.
//!
//! Only the variable or the beginning of a word changes, so the quotes around it mean what they meant. A word that cannot be
//! written so stays, and its file is checked before each run.

use std::path::Path;

use super::follow::FileOrigin;
use super::scripts::roots;

/// What a word begins with that leads into the copy.
const INTO: &str = "${PACKAGE_ROOT}";

/// In which quotes a place of a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

/// Writes a command line so that the files of a package that it names are those of the copy.
///
/// `root` is that of the live package, and `files` are the names below it that may be executed.
///
/// ```
/// # use anyhook_engine::trust::pointed;
/// let files = ["hooks/check.sh"];
/// let line = pointed("sh hooks/check.sh && cat \"$PROJECT_DIR\"/notes", "/p".as_ref(), &files);
/// assert_eq!(line, "sh \"${PACKAGE_ROOT}\"/hooks/check.sh && cat \"$PROJECT_DIR\"/notes");
/// ```
pub fn pointed(line: &str, root: &Path, files: &[impl AsRef<str>]) -> String {
    let root = root.to_string_lossy();
    let mut text = String::with_capacity(line.len());
    let (mut quotes, mut before) = (Quotes::None, None);
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let begins = before.is_none_or(is_edge) && !writes(&text);
        let found = if begins {
            led(rest, &root, files)
        } else {
            None
        };
        if let Some((length, behind)) =
            found.filter(|(_, behind)| *behind != NamePrefix::Nothing || quotes != Quotes::Single)
        {
            // In single quotes an inner shell reads the variable, if any: a plain name would not be one.
            match quotes {
                Quotes::None => text.extend(["\"", INTO, "\""]),
                Quotes::Single | Quotes::Double => text.push_str(INTO),
            }
            if behind == NamePrefix::Nothing {
                text.push('/');
            }
            rest = rest.get(length..).unwrap_or_default();
            before = Some('/');
            continue;
        }
        if next == '\\' && quotes != Quotes::Single {
            let both: String = rest.chars().take(2).collect();
            rest = rest.get(both.len()..).unwrap_or_default();
            before = Some('\\');
            text.push_str(&both);
            continue;
        }
        quotes = match (quotes, next) {
            (Quotes::None, '\'') => Quotes::Single,
            (Quotes::None, '"') => Quotes::Double,
            (Quotes::Single, '\'') | (Quotes::Double, '"') => Quotes::None,
            (same, _) => same,
        };
        text.push(next);
        before = Some(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    text
}

/// What stands between the beginning of a word and the name of its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamePrefix {
    /// Nothing: the word is the name.
    Nothing,
    /// A slash, maybe with a closing quote before it.
    Slash,
}

/// Returns how long the beginning of a word is that leads to a file of the package.
fn led(rest: &str, root: &str, files: &[impl AsRef<str>]) -> Option<(usize, NamePrefix)> {
    let names = |behind: &str| {
        files.iter().any(|file| {
            let after = behind.strip_prefix(file.as_ref());
            after.is_some_and(|after| after.chars().next().is_none_or(is_end))
        })
    };
    let below = |length: usize| {
        let behind = rest.get(length..)?;
        let behind = behind
            .strip_prefix('"')
            .unwrap_or(behind)
            .strip_prefix('/')?;
        names(behind).then_some((length, NamePrefix::Slash))
    };
    if rest.starts_with('$') {
        let live = roots().filter(|(_, reach)| *reach == FileOrigin::Live);
        let mut forms = live.flat_map(|(name, _)| {
            [
                format!("${{{name}}}"),
                format!("${{{name}:-.}}"),
                format!("${name}"),
            ]
        });
        return forms.find_map(|form| rest.starts_with(&form).then(|| below(form.len())).flatten());
    }
    if !root.is_empty() && rest.starts_with(root) {
        return below(root.len());
    }
    let plain = rest.strip_prefix("./").unwrap_or(rest);
    names(plain).then_some((rest.len() - plain.len(), NamePrefix::Nothing))
}

/// Tells whether a word may begin behind this character.
fn is_edge(before: char) -> bool {
    before.is_whitespace() || "\"'`;|&()<={}".contains(before)
}

/// Tells whether a name may end before this character.
fn is_end(after: char) -> bool {
    after.is_whitespace() || "\"'`;|&()<>}".contains(after)
}

/// Tells whether what comes next is written to.
fn writes(before: &str) -> bool {
    before.trim_end_matches([' ', '"', '\'']).ends_with('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files_of_the_package_lead_into_the_copy_and_others_stay() {
        let files = ["hooks/a.sh", ".claude/hooks/b.py", "c.sh"];
        for row in include_str!("pointed.txt").lines().skip(1) {
            let (line, expected) = row.split_once(" ⇒ ").unwrap();
            assert_eq!(pointed(line, Path::new("/p/q"), &files), expected, "{line}");
        }
    }
}
