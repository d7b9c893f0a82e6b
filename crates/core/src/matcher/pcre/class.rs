//! Classes: `[a-z_]`, with each member written so that it means itself.

use super::{Last, Read, Reader, push_literal, unknown, wrong};

/// One member of a class.
enum Member {
    /// A character, which may begin a range.
    Char(char),
    /// A class of its own, as our engine writes it.
    Class(String),
}

impl Reader<'_> {
    /// Reads a class, whose `[` is read.
    pub(super) fn class(&mut self, begin: usize) -> Read {
        let rest = self.rest(begin + 1);
        let mark = rest.chars().next().filter(|mark| is_mark(*mark));
        if mark.is_some_and(|mark| rest.contains(&format!("{mark}]"))) {
            return Err(wrong(
                begin,
                "this class stands in no class",
                "write `[[:alpha:]]`",
            ));
        }
        self.out.push('[');
        if self.chars.next_if(|(_, char)| *char == '^').is_some() {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let Some((at, char)) = self.chars.next() else {
                return Err(wrong(begin, "this class is not closed", "write its `]`"));
            };
            if char == ']' && !is_first {
                return self.put("]", Last::Atom);
            }
            is_first = false;
            let member = self.member(at, char)?;
            self.range(at, member)?;
        }
    }

    /// Writes a member, and the range that it begins.
    fn range(&mut self, at: usize, member: Member) -> Read {
        let mut ahead = self.chars.clone();
        let dash = ahead.next().filter(|(_, char)| *char == '-');
        let end = ahead
            .next()
            .filter(|(_, char)| dash.is_some() && *char != ']');
        let from = match (member, end) {
            (Member::Char(char), None) => {
                push_literal(&mut self.out, char);
                return Ok(());
            }
            (Member::Class(class), None) => {
                self.out.push_str(&class);
                return Ok(());
            }
            (Member::Class(_), Some(_)) => return Err(no_range(at)),
            (Member::Char(char), Some(_)) => char,
        };
        self.chars.next();
        let to = match self.chars.next() {
            Some((at, char)) => self.member(at, char)?,
            None => return Err(no_range(at)),
        };
        let Member::Char(to) = to else {
            return Err(no_range(at));
        };
        if from > to {
            return Err(wrong(
                at,
                "this range ends before it begins",
                "write the lower end first",
            ));
        }
        push_literal(&mut self.out, from);
        self.out.push('-');
        push_literal(&mut self.out, to);
        Ok(())
    }

    fn member(&mut self, at: usize, char: char) -> Read<Member> {
        match char {
            '\\' => self.escaped(at),
            '[' => self.posix(at),
            other if other.is_ascii() => Ok(Member::Char(other)),
            _ => Err(wrong(
                at,
                "in the original each byte of this character is a member of its own",
                "write the characters as alternatives: `(?:é|ü)`",
            )),
        }
    }

    fn escaped(&mut self, at: usize) -> Read<Member> {
        let Some((_, char)) = self.chars.next() else {
            return Err(wrong(at, "this class is not closed", "write its `]`"));
        };
        Ok(match char {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Member::Class(format!("\\{char}")),
            'h' => Member::Class(r"\t ".into()),
            't' => Member::Char('\t'),
            'n' => Member::Char('\n'),
            'r' => Member::Char('\r'),
            'f' => Member::Char('\x0c'),
            'a' => Member::Char('\x07'),
            'b' => Member::Char('\x08'),
            'e' => Member::Char('\x1b'),
            'x' => Member::Char(self.hex(at)?),
            other if other.is_ascii_punctuation() || other == ' ' => Member::Char(other),
            other => return Err(unknown(at, &format!("`\\{other}` in a class"))),
        })
    }

    /// Reads `[:alpha:]`; any other `[` is one that means itself.
    fn posix(&mut self, at: usize) -> Read<Member> {
        const NAMES: &[&str] = &[
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print",
            "punct", "space", "upper", "word", "xdigit",
        ];
        let rest = self.rest(at + 1);
        let Some(mark) = rest.chars().next().filter(|mark| is_mark(*mark)) else {
            return Ok(Member::Char('['));
        };
        let inside = rest
            .get(1..)
            .and_then(|rest| rest.split_once(&format!("{mark}]")));
        let Some((inside, _)) = inside else {
            return Ok(Member::Char('['));
        };
        let name = inside.strip_prefix('^').unwrap_or(inside);
        if mark != ':' || !NAMES.contains(&name) {
            return Err(unknown(at, &format!("`[{mark}{inside}{mark}]`")));
        }
        self.skip_to(at + inside.len() + 4);
        Ok(Member::Class(format!("[:{inside}:]")))
    }
}

/// Tells whether a `[` before it begins a named class.
fn is_mark(char: char) -> bool {
    matches!(char, ':' | '.' | '=')
}

fn no_range(at: usize) -> super::PatternError {
    wrong(at, "this is no range", "a `-` that means itself is `\\-`")
}
