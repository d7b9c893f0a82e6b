//! Groups, comments and flags.

use super::{Last, Read, Reader, refused, unknown, wrong};

impl<'t> Reader<'t> {
    /// Reads what begins with a bracket.
    pub(super) fn group(&mut self, at: usize) -> Read {
        let rest = self.rest(at + 1);
        if rest.starts_with('*') {
            return Err(unknown(at, "a verb such as `(*UTF8)`"));
        }
        let Some(kind) = rest.strip_prefix('?') else {
            self.open.push(at);
            return self.put("(?:", Last::Nothing);
        };
        if let Some(comment) = kind.strip_prefix('#') {
            let Some(length) = comment.find(')') else {
                return Err(wrong(at, "this comment is not closed", "write its `)`"));
            };
            self.skip_to(at + 4 + length);
            return Ok(());
        }
        if let Some(what) = unsupported(kind) {
            return Err(refused(at, what));
        }
        match kind.trim_start_matches('P').chars().next() {
            Some('<') => self.named(at, kind, '>'),
            Some('\'') => self.named(at, kind, '\''),
            _ => self.flags(at, kind),
        }
    }

    /// Reads `(?<name>`, `(?'name'` and `(?P<name>`; nothing asks for the name.
    fn named(&mut self, at: usize, kind: &'t str, end: char) -> Read {
        let begin = usize::from(kind.starts_with('P')) + 1;
        let inside = kind.get(begin..).and_then(|rest| rest.split_once(end));
        let name = inside.map_or("", |(name, _)| name);
        let is_word = name
            .bytes()
            .all(|one| one.is_ascii_alphanumeric() || one == b'_');
        let is_name = is_word
            && (1..=32).contains(&name.len())
            && !name.starts_with(|one: char| one.is_ascii_digit());
        if !is_name || self.names.contains(&name) {
            return Err(wrong(
                at,
                "this is no new name of a group",
                "a group without a name is `(?:…)`",
            ));
        }
        self.names.push(name);
        self.skip_to(at + 2 + begin + name.len() + 1);
        self.open.push(at);
        self.put("(?:", Last::Nothing)
    }

    /// Reads `(?:`, `(?i)`, `(?i-s:` and so on.
    fn flags(&mut self, at: usize, kind: &str) -> Read {
        let length = kind.find([')', ':']).unwrap_or(kind.len());
        let (flags, opens) = (
            kind.get(..length).unwrap_or_default(),
            kind.get(length..).is_some_and(|rest| rest.starts_with(':')),
        );
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        let is_known = |all: &str| all.chars().all(|flag| matches!(flag, 'i' | 's'));
        let both = on.chars().any(|flag| off.contains(flag));
        let is_empty = on.is_empty() && off.is_empty() && (!opens || flags.contains('-'));
        if length == kind.len() || !is_known(on) || !is_known(off) || both || is_empty {
            return Err(wrong(
                at,
                format!("the flags `(?{flags}` are not supported"),
                "there are `i` and `s`, as in `(?i)` or `(?i:…)`",
            ));
        }
        self.skip_to(at + 3 + length);
        self.out.push_str("(?");
        for (sign, all) in [("", on), ("-", off)] {
            let letters: String = ['i', 's']
                .iter()
                .filter(|flag| all.contains(**flag))
                .collect();
            if !letters.is_empty() {
                self.out.push_str(sign);
                self.out.push_str(&letters);
            }
        }
        if opens {
            self.open.push(at);
            return self.put(":", Last::Nothing);
        }
        self.put(")", Last::Place)
    }
}

/// Names what begins so after `(?`, where it is not supported.
fn unsupported(kind: &str) -> Option<&'static str> {
    const KINDS: &[(&str, &str)] = &[
        ("=", "a look-ahead"),
        ("!", "a look-ahead"),
        ("<=", "a look-behind"),
        ("<!", "a look-behind"),
        (">", "an atomic group"),
        ("|", "a group that counts its branches alike"),
        ("(", "a condition"),
        ("P=", "a back reference"),
        ("P>", "a recursion"),
        ("&", "a recursion"),
        ("R", "a recursion"),
        ("C", "a callout"),
    ];
    let found = KINDS.iter().find(|(begins, _)| kind.starts_with(begins));
    let counted = || {
        kind.trim_start_matches(['+', '-'])
            .starts_with(|one: char| one.is_ascii_digit())
    };
    found
        .map(|(_, what)| *what)
        .or_else(|| counted().then_some("a recursion"))
}
