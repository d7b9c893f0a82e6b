//! What rules refuse by the file or the machine alone: what a sandbox, which knows no commands, can hold too.

use std::net::Ipv4Addr;

use anyhook_core::hook::Mode;
use anyhook_core::manifest::{Action, Entry, Manifest, RuleAnswer};
use anyhook_core::result::Kind as Verdict;

use super::CompiledCondition;
use super::ast::{Expr, ExprKind};
use crate::shell::globs::{Glob, alternatives};

/// What a fence keeps an agent from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceKind {
    /// Reading and writing a file.
    Touch,
    /// Writing a file.
    Write,
    /// Connecting to a machine.
    Connect,
}

/// One file, folder or machine that a rule refuses, whatever the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// What is refused.
    pub kind: FenceKind,
    /// The pattern of the files, without `{a,b}`, or the name of the machine.
    pub pattern: String,
    /// The patterns within it that the rule leaves open.
    pub except: Vec<String>,
}

/// What the rules of a manifest refuse.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Fences {
    /// What a sandbox could hold.
    pub fences: Vec<Fence>,
    /// The rules of which at least a part is about something else, such as what a command does.
    pub others: Vec<String>,
}

impl FenceKind {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Touch => "touch",
            Self::Write => "write",
            Self::Connect => "connect",
        }
    }
}

impl Fences {
    /// Adds the rules that refuse a call before it happens. What asks a person, and what is no rule, is left to the hooks.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    /// use anyhook_engine::rules::{Fence, FenceKind, Fences};
    ///
    /// let text = r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
    ///     {"name": "keys", "type": "rule", "when": "touches('~/.ssh/**', '!~/.ssh/*.pub')", "then": {"deny": "no"}},
    ///     {"name": "push", "type": "rule", "when": "pushes('force')", "then": {"deny": "no"}}
    /// ]}]}}"#;
    /// let mut found = Fences::default();
    /// found.add(&Manifest::parse(text)?.manifest);
    /// let Fence { kind, pattern, except } = &found.fences[0];
    /// assert_eq!((kind.name(), &**pattern, &*except[0]), ("touch", "~/.ssh/**", "~/.ssh/*.pub"));
    /// assert_eq!((*kind, found.others), (FenceKind::Touch, vec!["push".to_owned()]));
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn add(&mut self, manifest: &Manifest) {
        let groups = manifest.groups.iter();
        let groups = groups.filter(|group| group.spec.is_some_and(|spec| spec.name == "tool:pre"));
        for group in groups {
            let is_whole = group.matcher_text.is_none() && group.effects.is_empty();
            for entry in group.entries.iter().filter(|entry| refuses(entry)) {
                let when = entry.when.as_ref().filter(|_| is_whole);
                let read = when.and_then(|when| CompiledCondition::read(&when.text).ok());
                if !read.is_some_and(|read| self.add_of(&read.expr)) {
                    let name = entry.name.as_deref();
                    self.others
                        .push(name.unwrap_or("a rule without a name").to_owned());
                }
            }
        }
    }

    /// Adds what an expression is about; false where it is about something else too.
    fn add_of(&mut self, expr: &Expr) -> bool {
        match &expr.node {
            ExprKind::Any(parts) => {
                let left = parts.iter().filter(|part| !self.add_of(part));
                left.count() == 0
            }
            ExprKind::About("touches" | "reads", _, texts) => {
                self.add_files(FenceKind::Touch, texts)
            }
            ExprKind::About("writes", _, texts) => self.add_files(FenceKind::Write, texts),
            ExprKind::About("connects", _, texts) => {
                let (_, wanted) = super::effects::exceptions(texts);
                self.add_machines(&wanted);
                !wanted.is_empty()
            }
            // An address is refused wherever it stands, and so are texts that are no address: those are left to the hooks.
            ExprKind::About("mentions", _, texts) => {
                let texts = texts.iter().map(String::as_str);
                self.add_machines(&texts.filter(|text| is_machine(text)).collect::<Vec<_>>());
                false
            }
            _ => false,
        }
    }

    fn add_files(&mut self, kind: FenceKind, texts: &[String]) -> bool {
        let (except, wanted) = super::effects::exceptions(texts);
        for pattern in wanted.iter().copied().flat_map(spelled_out) {
            let is_in = |except: &String| may_meet(except, &pattern);
            let except = except.iter().copied().flat_map(spelled_out);
            let except = except.filter(is_in).collect();
            self.fences.push(Fence {
                kind,
                pattern,
                except,
            });
        }
        !wanted.is_empty()
    }

    fn add_machines(&mut self, machines: &[&str]) {
        self.fences.extend(machines.iter().map(|machine| Fence {
            kind: FenceKind::Connect,
            pattern: machine.to_lowercase(),
            except: Vec::new(),
        }));
    }
}

fn refuses(entry: &Entry) -> bool {
    let is_refusal =
        |then: &RuleAnswer| matches!(then.verdict, Some((Verdict::Deny | Verdict::Halt, _)));
    let is_rule = matches!(&entry.action, Action::Rule(then) if is_refusal(then));
    is_rule && entry.enabled && entry.mode == Mode::Enforce
}

/// Writes `{a,b}` out; a pattern that stands for too many stays as it is.
fn spelled_out(pattern: &str) -> Vec<String> {
    alternatives(pattern).unwrap_or_else(|| vec![pattern.to_owned()])
}

/// Tells whether some path may match both.
fn may_meet(one: &str, other: &str) -> bool {
    let globs = Glob::of_rule(one).zip(Glob::of_rule(other));
    globs.is_none_or(|(one, other)| {
        one.iter()
            .any(|one| other.iter().any(|other| one.meets(other)))
    })
}

/// Tells whether a text is an address, or a name of a machine with two domains above it, as which no file is called.
fn is_machine(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let ends = |letter: char| letter.is_ascii_alphabetic();
    let is_name = text.matches('.').count() > 1 && text.chars().all(is_plain);
    text.parse::<Ipv4Addr>().is_ok() || is_name && !text.starts_with('.') && text.ends_with(ends)
}
