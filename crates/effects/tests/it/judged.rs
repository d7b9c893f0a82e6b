//! What happened and is not in the effects.

use std::path::Path;

use anyhook_effects::effect::{Effect, EffectKind, Target};
use anyhook_effects::places::tidy;
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::word::Word;

use crate::bash::Seen;
use crate::traced::{Event, What};

/// Whether a pattern of a shell matches a path; `**` matches anything.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| matches(rest, &path[at..])),
        [b'*', rest @ ..] => {
            let end = path
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(path.len());
            (0..=end).any(|at| matches(rest, &path[at..]))
        }
        [b'[', rest @ ..] if rest.contains(&b']') => {
            let end = rest.iter().position(|byte| *byte == b']').unwrap();
            let set = &rest[..end];
            let ranges = set.windows(3).filter(|three| three[1] == b'-');
            let is_in = |byte: u8| {
                set.contains(&byte)
                    || ranges
                        .clone()
                        .any(|three| (three[0]..=three[2]).contains(&byte))
            };
            path.first().is_some_and(|byte| is_in(*byte)) && matches(&rest[end + 1..], &path[1..])
        }
        [b'?', rest @ ..] => {
            path.first().is_some_and(|byte| *byte != b'/') && matches(rest, &path[1..])
        }
        [b'\\', letter, rest @ ..] | [letter, rest @ ..] => {
            path.first() == Some(letter) && matches(rest, &path[1..])
        }
    }
}

/// Whether a path may have the name that `mktemp` makes of a template with its `X`.
fn may_be_made(template: &Path, path: &Path) -> bool {
    let template = tidy(template).to_string_lossy().into_owned();
    let path = path.to_string_lossy();
    let mut letters = template.bytes().zip(path.bytes());
    template.contains("XXX") && letters.all(|(own, letter)| own == letter || own == b'X')
}

/// Whether an effect falls on a path.
fn falls_on(effect: &Effect, path: &Path) -> bool {
    match &effect.object {
        Target::Path(own) => tidy(own) == path || may_be_made(own, path),
        Target::Tree(own) => path.starts_with(tidy(own)) || may_be_made(own, path),
        Target::Pattern(pattern) => {
            let pattern = tidy(Path::new(pattern)).to_string_lossy().into_owned();
            let path = path.to_string_lossy();
            // A pattern that matches nothing is a name.
            let parts = pattern.split("**").map(|part| {
                part.replace('[', "\\[")
                    .replace('?', "\\?")
                    .replace('*', "\\*")
            });
            let name = parts.collect::<Vec<_>>().join("**");
            // In a folder that is not known a template of `mktemp` is a pattern.
            let made = if pattern.contains("XXX") {
                pattern.replace('X', "?")
            } else {
                pattern.clone()
            };
            [&pattern, &name, &made]
                .iter()
                .any(|pattern| matches(pattern.as_bytes(), path.as_bytes()))
        }
        Target::Unknown => true,
        _ => false,
    }
}

/// What a line did, against what was read of it.
pub(crate) struct Judge<'a> {
    pub(crate) done: &'a LineAnalysis,
    pub(crate) seen: &'a Seen,
    pub(crate) folder: &'a Path,
    pub(crate) line: &'a str,
}

impl Judge<'_> {
    /// What happened and is not in the effects.
    pub(crate) fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        let mut add = |what: &str, path: &Path| {
            let text = format!(
                "{what} {}",
                path.strip_prefix(self.folder).unwrap_or(path).display()
            );
            if !missed.contains(&text) {
                missed.push(text);
            }
        };
        for path in self.seen.written.iter().filter(|path| !self.is_kept(path)) {
            let is_setting =
                path.ends_with(".git/config") && (self.configures() || !self.may_configure());
            let is_told = self.covers(EffectKind::Write, path) || self.is_through_link(path);
            if !is_setting && !is_told && !self.is_unread(path) {
                add("write", path);
            }
        }
        for path in self.seen.removed.iter().filter(|path| !self.is_kept(path)) {
            if !self.covers(EffectKind::Delete, path) && !self.ran_unread() {
                add("delete", path);
            }
        }
        for event in &self.seen.events {
            let (kind, named, path) = match &event.what {
                What::Read(named, path) => (EffectKind::Read, named, path),
                // What programs write for a while is theirs; what a shell writes is the line's.
                What::Write(named, path) if is_shell(event) => (EffectKind::Write, named, path),
                _ => continue,
            };
            let is_inside = path.starts_with(self.folder) && !self.is_kept(path);
            if kind == EffectKind::Read
                && (Self::is_of_git_alone(event, path) || self.is_its_own(event, path))
            {
                continue;
            }
            let by_name =
                self.seen.before.contains(&tidy(named)) && self.covers(kind, &tidy(named));
            if is_inside
                && !path.is_dir()
                && !self.is_through_unread(event)
                && !by_name
                && !self.covers(kind, path)
            {
                add(kind.name(), path);
            }
        }
        for name in &self.seen.started {
            if !self.starts(name) {
                add("exec", Path::new(name));
            }
        }
        // The first is the shell of the line itself.
        for event in self.seen.events.iter().skip(1) {
            if let What::Start(name) = &event.what
                && event.asked
                && !matches!(name.as_str(), "time")
                && !(is_of_login(event, name) && self.knows_login())
                && !self.is_through_unread(event)
                && !self.starts(name)
            {
                add("exec", Path::new(name));
            }
        }
        missed
    }

    /// Whether git reads a file that it was not given: its settings, and what it compares with its store.
    fn is_of_git_alone(event: &Event, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_setting =
            name == "config" && path.parent().is_some_and(|folder| folder.ends_with(".git"));
        let is_git = event
            .through
            .first()
            .is_some_and(|program| program == "git" || program.starts_with("git-"));
        // What is told to the store is compared with it.
        let is_told = |verb: &str| event.words.contains(&format!("\"{verb}\""));
        let compares = [
            "add", "commit", "status", "stash", "rm", "mv", "checkout", "restore", "pull", "reset",
        ];
        is_git
            && (is_setting
                || compares.iter().any(|verb| is_told(verb))
                || event.through.get(1).is_some_and(|parent| parent == "git")
                || !event.words.contains(&*name))
    }

    /// Whether a program reads what it has written itself: a file that it replaces the old one by.
    fn is_its_own(&self, event: &Event, path: &Path) -> bool {
        let program = event.through.first();
        let writes = |other: &&Event| {
            matches!(&other.what, What::Write(_, own) if own == path)
                && other.through.first() == program
        };
        !is_shell(event)
            && !self.seen.before.contains(path)
            && self.seen.events.iter().any(|other| writes(&other))
    }

    /// Whether a file was written through a link that was there before and is in the effects: where it leads is looked up by
    /// who asks about them.
    fn is_through_link(&self, path: &Path) -> bool {
        self.seen.events.iter().any(|event| match &event.what {
            What::Write(named, own) if own == path => {
                let named = tidy(named);
                self.seen.before.contains(&named) && self.covers(EffectKind::Write, &named)
            }
            _ => false,
        })
    }

    fn covers(&self, kind: EffectKind, path: &Path) -> bool {
        let mut own = self
            .done
            .effects
            .iter()
            .filter(|effect| effect.kind == kind);
        own.any(|effect| falls_on(effect, path))
    }

    fn configures(&self) -> bool {
        self.done
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Config)
    }

    /// Whether git was told to change a setting; what it notes of branches is no setting of the line.
    fn may_configure(&self) -> bool {
        let words = ["\"config\"", "\"remote\"", "\"submodule\"", "\"init\""];
        self.seen
            .events
            .iter()
            .any(|event| words.iter().any(|word| event.words.contains(word)))
    }

    fn starts(&self, name: &str) -> bool {
        let told = self.done.effects.iter().any(|effect| match &effect.object {
            Target::Program { name: own, .. } => own == name,
            Target::Unknown => effect.kind == EffectKind::Exec,
            _ => false,
        });
        let words = self
            .done
            .commands
            .iter()
            .filter_map(|command| command.words.first());
        let mut named = words.filter_map(Word::known);
        told || named.any(|own| own.rsplit('/').next() == Some(name))
    }

    /// Whether a program runs code that is not read: its effects are its own.
    fn is_unread_program(&self, name: &str) -> bool {
        self.done.effects.iter().any(|effect| {
            matches!(&effect.object, Target::Program { name: own, opaque: true, .. } if own == name)
                && !is_login(effect)
        })
    }

    /// Whether a shell is said to run the settings of the person. What else it does is the line's, and has to be in the effects.
    fn knows_login(&self) -> bool {
        self.done.effects.iter().any(is_login)
    }

    fn is_through_unread(&self, event: &Event) -> bool {
        event
            .through
            .iter()
            .any(|name| self.is_unread_program(name))
    }

    /// Whether each program that wrote a file runs code that is not read.
    fn is_unread(&self, path: &Path) -> bool {
        let is_of_path = |event: &&Event| matches!(&event.what, What::Write(_, own) if own == path);
        let mut writers = self.seen.events.iter().filter(is_of_path).peekable();
        if writers.peek().is_none() {
            return self.ran_unread();
        }
        writers.all(|event| self.is_through_unread(event))
    }

    fn ran_unread(&self) -> bool {
        let mut started = self.seen.events.iter();
        started
            .any(|event| matches!(&event.what, What::Start(name) if self.is_unread_program(name)))
    }

    /// Whether a file belongs to the store of git, or to what programs keep below the home; settings and hooks of git do not.
    fn is_kept(&self, path: &Path) -> bool {
        let below = path.strip_prefix(self.folder).unwrap_or(path);
        let kept = [
            ".npm", ".cache", ".config", ".cargo", ".gnupg", ".local", ".viminfo",
        ];
        if kept
            .iter()
            .any(|own| below.starts_with(own) && !self.line.contains(own))
        {
            return true;
        }
        let mut parts = below
            .components()
            .skip_while(|part| part.as_os_str() != ".git")
            .skip(1);
        let is_git = below.components().any(|part| part.as_os_str() == ".git");
        let first = parts.next();
        is_git
            && !first.is_some_and(|part| {
                ["config", "hooks"]
                    .iter()
                    .any(|own| part.as_os_str() == *own)
            })
    }
}

/// Whether an effect is a shell of which the settings are not read, and its own text is.
fn is_login(effect: &Effect) -> bool {
    let Target::Program {
        name,
        arguments,
        opaque: true,
    } = &effect.object
    else {
        return false;
    };
    let is_option = |word: &Option<String>| word.as_ref().is_some_and(|word| word.starts_with('-'));
    matches!(name.as_str(), "bash" | "sh" | "dash") && arguments.iter().any(is_option)
}

/// Whether the settings of this machine started a program: a login shell runs them before its own text, which does not name it.
fn is_of_login(event: &Event, program: &str) -> bool {
    let mut words = event.words.split('"');
    let is_login = |word: &str| {
        let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word == "--login" || short.is_some_and(|letters| letters.contains('l'))
    };
    let is_bash = event.through.first().is_some_and(|name| name == "bash");
    is_bash && words.any(is_login) && !event.words.contains(program)
}

/// Whether a shell itself did it.
fn is_shell(event: &Event) -> bool {
    event.asked
        && event
            .through
            .first()
            .is_some_and(|name| matches!(name.as_str(), "bash" | "sh" | "dash"))
}
