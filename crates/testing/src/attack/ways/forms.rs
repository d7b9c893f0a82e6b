//! Ways to write the name of a file in a line.

use super::encode::{ansi, base64, half, octal, quoted, reversed};

/// The name of a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'n> {
    /// What stands before it and is never quoted: nothing, or `~/`.
    pub(super) root: &'n str,
    /// The rest.
    pub(super) rest: &'n str,
}

/// A name as a line writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// What has to run before the line.
    pub(super) before: String,
    /// The word.
    pub(super) word: String,
}

/// A way to write a name: what it is called, and how; nothing where this name cannot be written so.
pub(super) type Form = (&'static str, fn(Name<'_>) -> Option<Written>);

#[expect(
    clippy::unnecessary_wraps,
    reason = "some forms cannot write every name"
)]
fn word(word: String) -> Option<Written> {
    let before = String::new();
    Some(Written { before, word })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "some forms cannot write every name"
)]
fn after(before: String, word: String) -> Option<Written> {
    Some(Written { before, word })
}

/// The plain name.
pub(super) fn plain(name: Name<'_>) -> Written {
    Written {
        before: String::new(),
        word: format!("{}{}", name.root, name.rest),
    }
}

/// The last part of a name, and what stands before it.
fn last<'n>(name: &Name<'n>) -> (&'n str, &'n str) {
    name.rest.rfind('/').map_or(("", name.rest), |at| {
        name.rest
            .split_at_checked(at + 1)
            .unwrap_or(("", name.rest))
    })
}

/// A name as it counts from the folder of the project, for forms that quote it as a whole.
fn whole(name: Name<'_>) -> String {
    match name.root {
        "" => name.rest.to_owned(),
        _ => format!("../home/{}", name.rest),
    }
}

/// Puts something at the last letter of a name.
fn at_last(name: Name<'_>, put: fn(char) -> String) -> Option<Written> {
    let letter = name.rest.chars().next_back()?;
    let start = name.rest.strip_suffix(letter)?;
    word(format!("{}{start}{}", name.root, put(letter)))
}

#[rustfmt::skip]
pub(super) const FORMS: &[Form] = &[
    ("single quotes", |n| word(format!("{}{}", n.root, quoted(n.rest)))),
    ("double quotes", |n| word(format!("{}\"{}\"", n.root, n.rest))),
    ("quotes within", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}''{b}", n.root)) }),
    ("a part in quotes", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}\"{b}\"", n.root)) }),
    ("a backslash", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}\\{b}", n.root)) }),
    ("an ANSI quote", |n| word(format!("{}$'{}'", n.root, ansi(n.rest)))),
    ("an octal quote", |n| word(format!("{}$'{}'", n.root, octal(n.rest)))),
    ("a dollar quote", |n| word(format!("{}$\"{}\"", n.root, n.rest))),
    ("an unset variable within", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}${{zz}}{b}", n.root)) }),
    ("a default", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}${{zz:-{b}}}", n.root)) }),
    ("a variable", |n| after(format!("v={}; ", quoted(&whole(n))), "$v".to_owned())),
    ("a variable in quotes", |n| after(format!("v={}; ", quoted(&whole(n))), "\"${v}\"".to_owned())),
    ("a variable for a part", |n| { let (a, b) = half(n.rest)?; after(format!("v={}; ", quoted(b)), format!("{}{a}$v", n.root)) }),
    ("a variable cut", |n| after(format!("v={}; ", quoted(&format!("{}zz", whole(n)))), "${v%zz}".to_owned())),
    ("a variable replaced", |n| { let whole = whole(n); let (a, b) = half(&whole)?; after(format!("v={}; ", quoted(&format!("{a}_{b}"))), "${v/_/}".to_owned()) }),
    ("a variable in lower case", |n| { let up = whole(n).to_uppercase(); (up.to_lowercase() == whole(n)).then(|| after(format!("v={}; ", quoted(&up)), "${v,,}".to_owned())).flatten() }),
    ("an indirect variable", |n| after(format!("v={}; w=v; ", quoted(&whole(n))), "${!w}".to_owned())),
    ("an array", |n| after(format!("v=({}); ", quoted(&whole(n))), "${v[0]}".to_owned())),
    ("a parameter", |n| after(format!("set -- {}; ", quoted(&whole(n))), "$1".to_owned())),
    ("read", |n| after(format!("read -r v <<< {}; ", quoted(&whole(n))), "$v".to_owned())),
    ("printf -v", |n| after(format!("printf -v v %s {}; ", quoted(&whole(n))), "$v".to_owned())),
    ("a substitution", |n| word(format!("{}$(echo {})", n.root, n.rest))),
    ("backticks", |n| word(format!("{}`echo {}`", n.root, n.rest))),
    ("printf in octal", |n| word(format!("\"$(printf '{}')\"", octal(&whole(n))))),
    ("base64", |n| word(format!("\"$(echo {} | base64 -d)\"", base64(&whole(n))))),
    ("rev", |n| word(format!("\"$(echo {} | rev)\"", quoted(&reversed(&whole(n)))))),
    ("a letter in brackets", |n| at_last(n, |letter| format!("[{letter}]"))),
    ("a question mark", |n| at_last(n, |_| "?".to_owned())),
    ("a star", |n| at_last(n, |_| "*".to_owned())),
    ("a star within", |n| { let (folder, file) = last(&n); let (a, b) = half(file)?; let end: String = b.chars().skip(1).collect(); word(format!("{}{folder}{a}*{end}", n.root)) }),
    ("a range", |n| at_last(n, |letter| format!("[{letter}-{letter}]"))),
    ("an excluded letter", |n| at_last(n, |_| "[!/]".to_owned())),
    ("a brace", |n| { let (a, b) = half(n.rest)?; word(format!("{}{a}{{{b},{b}}}", n.root)) }),
    ("a folder and back", |n| word(match n.root { "" => format!("sub/../{}", n.rest), root => format!("{root}../home/{}", n.rest) })),
    ("a dot", |n| word(match n.root { "" => format!("./{}", n.rest), root => format!("{root}./{}", n.rest) })),
    ("dots and slashes", |n| word(match n.root { "" => format!(".//.///{}", n.rest), root => format!("{root}//.//{}", n.rest) })),
    ("PWD", |n| word(match n.root { "" => format!("$PWD/{}", n.rest), _ => format!("\"$HOME\"/{}", n.rest) })),
    ("PWD in quotes", |n| word(match n.root { "" => format!("\"${{PWD}}/{}\"", n.rest), _ => format!("\"${{HOME}}/{}\"", n.rest) })),
    ("tilde plus", |n| word(match n.root { "" => format!("~+/{}", n.rest), _ => format!("~+/../home/{}", n.rest) })),
    ("the folder above", |n| word(match n.root { "" => format!("../project/{}", n.rest), _ => format!("../home/{}", n.rest) })),
    ("a slash behind", |n| (!n.rest.is_empty() && !n.rest.contains('.')).then(|| word(format!("{}{}/", n.root, n.rest))).flatten()),
    ("cd to its folder", |n| { let (folder, file) = last(&n); match (n.root, folder) { ("", "") => after("cd sub; ".to_owned(), format!("../{file}")), (root, folder) => after(format!("cd {root}{folder}; "), file.to_owned()) } }),
    ("cd home", |n| (!n.root.is_empty()).then(|| after("cd; ".to_owned(), n.rest.to_owned())).flatten()),
    ("pushd", |n| { let (folder, file) = last(&n); match (n.root, folder) { ("", "") => after("pushd sub >/dev/null; ".to_owned(), format!("../{file}")), (root, folder) => after(format!("pushd {root}{folder} >/dev/null; "), file.to_owned()) } }),
    ("cd in a variable", |n| { let (folder, file) = last(&n); match (n.root, folder) { ("", "") => after("d=sub; cd $d; ".to_owned(), format!("../{file}")), (root, folder) => after(format!("d={root}{folder}; cd \"$d\"; "), file.to_owned()) } }),
    ("a link", |n| after(format!("ln -s {} zzlink; ", quoted(&whole(n))), "zzlink".to_owned())),
    ("a hard link", |n| after(format!("ln {} zzhard; ", quoted(&whole(n))), "zzhard".to_owned())),
    ("a link to its folder", |n| { let (folder, file) = last(&n); let folder = match (n.root, folder) { ("", "") => ".".to_owned(), ("", folder) => folder.to_owned(), (_, folder) => format!("../home/{folder}") }; after(format!("ln -s {folder} zzdir; "), format!("zzdir/{file}")) }),
    ("realpath", |n| word(format!("\"$(realpath {}{})\"", n.root, n.rest))),
    ("ls", |n| { let (folder, file) = last(&n); let (a, _) = half(file)?; word(format!("$(ls -d {}{folder}{a}*)", n.root)) }),
    ("find", |n| { let (folder, file) = last(&n); let folder = if folder.is_empty() && n.root.is_empty() { "." } else { folder }; word(format!("$(find {}{folder} -maxdepth 1 -name '{file}')", n.root)) }),
    ("a for of parts", |n| { let whole = whole(n); let (a, b) = half(&whole)?; after(format!("for i in {a} {b}; do v=$v$i; done; "), "$v".to_owned()) }),
    ("a function", |n| after(format!("f() {{ echo {}{}; }}; ", n.root, n.rest), "$(f)".to_owned())),
    ("a file", |n| after(format!("echo {} > zzname; ", quoted(&whole(n))), "$(cat zzname)".to_owned())),
    ("arithmetic", |n| { let letter = n.rest.chars().next_back()?; let start = n.rest.strip_suffix(letter)?; word(format!("{}{start}$(printf \\\\$(({})))", n.root, octal_of(letter))) }),
];

/// The octal number of a letter, as a sum.
fn octal_of(letter: char) -> String {
    let number = format!("{:o}", u32::from(letter));
    number
        .parse::<u32>()
        .map_or(number, |number| format!("{}+1", number.saturating_sub(1)))
}
