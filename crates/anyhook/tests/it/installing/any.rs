//! Settings files as people write them: any style, any comments, any hooks, by a number.

use std::fmt::Write as _;

/// A text, and the comments in it.
pub(super) struct Any {
    pub(super) text: String,
    pub(super) comments: Vec<String>,
}

struct Style {
    newline: &'static str,
    unit: &'static str,
    /// Everything on one line.
    is_flat: bool,
    has_comments: bool,
    has_trailing_commas: bool,
}

struct Writing {
    seed: u64,
    style: Style,
    text: String,
    comments: Vec<String>,
}

/// Writes the settings of this number.
pub(super) fn settings(number: usize) -> Any {
    let mut writing = Writing {
        seed: (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        style: Style {
            newline: ["\n", "\r\n"][usize::from(number.is_multiple_of(5))],
            unit: ["  ", "    ", "\t", ""][number % 4],
            is_flat: number.is_multiple_of(7),
            has_comments: !number.is_multiple_of(3),
            has_trailing_commas: number.is_multiple_of(2),
        },
        text: String::new(),
        comments: Vec::new(),
    };
    if number.is_multiple_of(11) {
        writing.text.push('\u{feff}');
    }
    writing.comment(0);
    writing.root();
    writing.comment(0);
    if writing.one_in(2) {
        let newline = writing.style.newline;
        writing.text.push_str(newline);
    }
    Any {
        text: writing.text,
        comments: writing.comments,
    }
}

impl Writing {
    fn number(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        let number = usize::try_from(self.seed >> 33).unwrap();
        number % below
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.number(many) == 0
    }

    fn line(&mut self, depth: usize) {
        if self.style.is_flat {
            if self.one_in(2) {
                self.text.push(' ');
            }
            return;
        }
        if self.one_in(12) {
            self.text.push_str(self.style.newline);
        }
        self.text.push_str(self.style.newline);
        self.text.push_str(&self.style.unit.repeat(depth));
    }

    fn comment(&mut self, depth: usize) {
        if !self.style.has_comments || !self.one_in(4) {
            return;
        }
        let number = self.comments.len();
        let text = match self.number(3) {
            0 if !self.style.is_flat => format!("// \"say\": {{ {number}"),
            1 if !self.style.is_flat => format!("/* {number},{}{number} */", self.style.newline),
            _ => format!("/* ]}}, {number} // */"),
        };
        self.text.push_str(&text);
        let is_line = text.starts_with("//");
        self.comments.push(text);
        if is_line {
            self.line(depth);
        }
    }

    /// Writes what stands between brackets, with everything that may stand there besides.
    fn between(
        &mut self,
        brackets: [char; 2],
        depth: usize,
        many: usize,
        mut each: impl FnMut(&mut Self, usize),
    ) {
        self.text.push(brackets[0]);
        for at in 0..many {
            self.line(depth + 1);
            self.comment(depth + 1);
            each(self, at);
            self.comment(depth + 1);
            let is_last = at + 1 == many;
            if !is_last || (self.style.has_trailing_commas && self.one_in(2)) {
                self.text.push(',');
            }
            if self.one_in(2) {
                self.text.push(' ');
                self.comment(depth + 1);
            }
        }
        if many > 0 || self.one_in(3) {
            self.line(depth);
        }
        if many == 0 {
            self.comment(depth);
        }
        self.text.push(brackets[1]);
    }

    fn root(&mut self) {
        let many = self.number(4);
        let place = self.number(many + 1);
        let has_hooks = !self.one_in(4);
        self.between(
            ['{', '}'],
            0,
            many + usize::from(has_hooks),
            |writing, at| {
                if has_hooks && at == place {
                    writing.text.push_str("\"hooks\": ");
                    writing.hooks();
                } else {
                    let _ = write!(writing.text, "\"key{at}\": ");
                    writing.value(1, 8);
                }
            },
        );
    }

    fn hooks(&mut self) {
        const EVENTS: [&str; 4] = ["PreToolUse", "Stop", "Notification", "NotYetInvented"];
        let many = self.number(5);
        self.between(['{', '}'], 1, many, |writing, at| {
            let event = EVENTS.get(at).copied().unwrap_or("PostToolUse");
            let _ = write!(writing.text, "\"{event}\" : ");
            let groups = writing.number(3);
            writing.between(['[', ']'], 2, groups, |writing, _| writing.group());
        });
    }

    fn group(&mut self) {
        let entries = self.number(3);
        self.between(['{', '}'], 3, 2, |writing, at| {
            if at == 0 {
                writing.text.push_str("\"matcher\": \"Bash|Edit\"");
                return;
            }
            writing.text.push_str("\"hooks\": ");
            writing.between(['[', ']'], 4, entries, |writing, at| {
                let own = ["./a.sh \\\"$X\\\"", "anyhook run Stop --host claude-code"];
                let line = own[usize::from(at == 1 && writing.one_in(2))];
                let _ = write!(
                    writing.text,
                    "{{\"type\": \"command\", \"command\": \"{line}\"}}"
                );
            });
        });
    }

    fn value(&mut self, depth: usize, left: usize) {
        match self.number(if left == 0 { 3 } else { 5 }) {
            0 => self.text.push_str("\"// no, \\\\ } comment \\u00e9 ö\""),
            1 => self.text.push_str("-1.5e3"),
            2 => self.text.push_str("null"),
            kind => {
                let many = self.number(3);
                let brackets = [['[', ']'], ['{', '}']][usize::from(kind == 4)];
                self.between(brackets, depth, many, |writing, at| {
                    if kind == 4 {
                        let _ = write!(writing.text, "\"k{at}\":");
                    }
                    writing.value(depth + 1, left - 1);
                });
            }
        }
    }
}
