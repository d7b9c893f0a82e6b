//! Ways to write the name of a file in a line.

use data_encoding::BASE64;

use super::encode::{ansi, half, octal, reversed};

/// The name of a file: below the project, or with `~/` before it below the home.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileName<'n> {
    pub(super) root: &'n str,
    pub(super) rest: &'n str,
}

/// A name as it stands in a line: what has to be said before, and the word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpelledName {
    pub(super) before: String,
    pub(super) word: String,
}

/// What a row of `[form]` says in braces, and what stands for it; nothing where a name has no such part.
type NamePlaceholder = (&'static str, fn(&FileName<'_>) -> Option<String>);

#[rustfmt::skip]
const PARTS: &[NamePlaceholder] = &[
    ("{root}", |n| Some(n.root.to_owned())),
    ("{n}", |n| Some(n.rest.to_owned())),
    ("{a}", |n| Some(half(n.rest)?.0.to_owned())),
    ("{z}", |n| Some(half(n.rest)?.1.to_owned())),
    ("{w}", |n| Some(n.whole())),
    ("{wa}", |n| Some(half(&n.whole())?.0.to_owned())),
    ("{wz}", |n| Some(half(&n.whole())?.1.to_owned())),
    ("{W}", |n| Some(n.whole().to_uppercase()).filter(|up| up.to_lowercase() == n.whole())),
    ("{ansi}", |n| Some(ansi(n.rest))),
    ("{octal}", |n| Some(octal(n.rest))),
    ("{woctal}", |n| Some(octal(&n.whole()))),
    ("{w64}", |n| Some(BASE64.encode(n.whole().as_bytes()))),
    ("{wrev}", |n| Some(reversed(&n.whole()))),
    ("{l}", |n| n.rest.chars().next_back().map(String::from)),
    ("{l8}", |n| n.rest.bytes().next_back().map(|byte| format!("{:o}+1", byte - 1))),
    ("{s}", |n| Some(n.rest.strip_suffix(n.rest.chars().next_back()?)?.to_owned())),
    ("{folder}", |n| Some(n.split().0.to_owned())),
    ("{file}", |n| Some(n.split().1.to_owned())),
    ("{fa}", |n| Some(half(n.split().1)?.0.to_owned())),
    ("{fz}", |n| Some(half(n.split().1)?.1.chars().skip(1).collect())),
    ("{at}", |n| Some(if n.is_at_top() { "sub".to_owned() } else { format!("{}{}", n.root, n.split().0) })),
    ("{there}", |n| Some(if n.is_at_top() { format!("../{}", n.rest) } else { n.split().1.to_owned() })),
    ("{here}", |n| Some(if n.is_at_top() { ".".to_owned() } else { format!("{}{}", n.root, n.split().0) })),
    ("{link}", |n| Some(if n.is_at_top() { ".".to_owned() } else { n.whole().strip_suffix(n.split().1)?.to_owned() })),
    ("{bare}", |n| (!n.rest.is_empty() && !n.rest.contains('.')).then(|| n.rest.to_owned())),
];

impl<'n> FileName<'n> {
    /// The name as it is.
    pub(super) fn plain(&self) -> SpelledName {
        SpelledName {
            before: String::new(),
            word: format!("{}{}", self.root, self.rest),
        }
    }

    /// The name in the form of a row, which has another text for files of the home where they need one.
    pub(super) fn written(&self, row: &str) -> Option<SpelledName> {
        let (project, home) = row.split_once('\t').unwrap_or((row, row));
        let mut text = if self.root.is_empty() { project } else { home }.to_owned();
        for (name, part) in PARTS {
            if text.contains(name) {
                text = text.replace(name, &part(self)?);
            }
        }
        let (before, word) = text.split_once('⇨').unwrap_or(("", &text));
        (!word.is_empty()).then(|| SpelledName {
            before: before.to_owned(),
            word: word.to_owned(),
        })
    }

    /// The name from the project on, also of a file of the home.
    fn whole(&self) -> String {
        match self.root {
            "" => self.rest.to_owned(),
            _ => format!("../home/{}", self.rest),
        }
    }

    /// Its folder with the slash behind it, and its last part.
    fn split(&self) -> (&'n str, &'n str) {
        let at = self.rest.rfind('/').map_or(0, |at| at + 1);
        self.rest.split_at_checked(at).unwrap_or(("", self.rest))
    }

    /// Tells whether it stands in the project's own folder.
    fn is_at_top(&self) -> bool {
        self.root.is_empty() && self.split().0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::ways::rows::section;

    fn written(form: &str, root: &str, rest: &str) -> Option<(String, String)> {
        let (_, row) = section("form")
            .iter()
            .find(|(name, _)| *name == form)
            .unwrap();
        let written = FileName { root, rest }.written(row)?;
        Some((written.before, written.word))
    }

    #[test]
    fn a_name_is_written_in_each_form_that_it_has() {
        let pair = |before: &str, word: &str| Some((before.to_owned(), word.to_owned()));
        assert_eq!(written("quotes within", "", ".env"), pair("", ".e''nv"));
        assert_eq!(
            written("a variable", "~/", "x"),
            pair("v='../home/x'; ", "$v")
        );
        assert_eq!(
            written("cd to its folder", "", "x"),
            pair("cd sub; ", "../x")
        );
        assert_eq!(
            written("cd to its folder", "~/", "a/x"),
            pair("cd ~/a/; ", "x")
        );
        assert_eq!(written("cd home", "", "x"), None);
        assert_eq!(written("a variable in lower case", "", "X"), None);
        for (form, row) in section("form") {
            let all = ["", "~/"].map(|root| {
                FileName {
                    root,
                    rest: "a/bcd",
                }
                .written(row)
            });
            assert!(all.iter().flatten().next().is_some(), "{form}");
            let is_left =
                |written: &SpelledName| PARTS.iter().any(|(name, _)| written.word.contains(name));
            assert!(!all.iter().flatten().any(is_left), "{form}");
        }
    }
}
