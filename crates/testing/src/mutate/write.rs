//! The case to write for a mutant that no case notices: candidates, the strongest first.

use anyhook::core::event::EventName;
use anyhook::core::manifest::{Action, Command};
use anyhook::core::matcher::Hit;
use serde_json::{Value, json};

use super::draft::Draft;
use super::make::{self, Made};
use super::pattern::{Pattern, camel};
use super::{Seen, Written, asks, implied};
use crate::exercise::Shown;
use crate::judge;
use crate::mutant::Mutation;
use crate::roster::Tested;

/// How many cases are taken as patterns.
const PATTERNS: usize = 3;

/// Writes the case that asks a hook which no case asks.
pub(crate) fn unasked(tested: &Tested, name: &str) -> Written {
    let remark = match &tested.hook.condition {
        None => "Say what the hook is to answer.".to_owned(),
        Some(_) => "A sketch: send what its `when` is about, and say what the hook is to answer."
            .to_owned(),
    };
    let draft = needed(tested, Draft::new(tested, name, &remark));
    written(tested, name, &draft.expecting("fires", true.into()))
}

pub(super) fn written(tested: &Tested, name: &str, draft: &Draft) -> Written {
    let file = tested.package.tests.join(format!("cases/{name}.yaml"));
    Written {
        file: tested.package.names(&file).display().to_string(),
        text: draft.text(),
        is_proven: false,
    }
}

/// Returns cases that may notice a mutant, the first of them as the sketch where none does.
pub(super) fn candidates(made: &Made<'_>, seen: &Seen<'_>) -> Vec<Draft> {
    let who = &made.tested.who;
    let remark = format!(
        "Notices: {} ({}, {}:{})",
        made.mutation, who.name, who.file, who.line
    );
    let drafting = Drafting {
        made,
        seen,
        blank: Draft::new(made.tested, &made.name, &remark),
    };
    match &made.mutation {
        Mutation::Disabled | Mutation::MatcherEmptied | Mutation::WhenNegated => drafting.asked(),
        Mutation::ExitCode | Mutation::Decision(_) | Mutation::Rewrite | Mutation::Injection => {
            drafting.answered()
        }
        Mutation::MatcherWithout(name) | Mutation::PatternWithout { example: name, .. } => {
            drafting.named(name)
        }
        Mutation::MatcherRemoved | Mutation::MatcherWidened => drafting.strange(),
        Mutation::WhenRemoved => drafting.missed(),
    }
}

struct Drafting<'d> {
    made: &'d Made<'d>,
    seen: &'d Seen<'d>,
    blank: Draft,
}

impl<'d> Drafting<'d> {
    fn patterns(&self, is_one: &dyn Fn(&Shown) -> bool) -> Vec<Pattern<'d>> {
        let shown = self.seen.of(&self.made.tested.key).into_iter();
        let patterns = shown
            .filter(|(_, one)| is_one(one))
            .filter_map(|(at, shown)| {
                let ran = self.seen.ran.get(at)?;
                let evidence = ran.evidence.as_ref()?;
                Some(Pattern {
                    ran,
                    shown,
                    evidence,
                })
            });
        // A payload about which it does something says more than one that it lets pass.
        let mut patterns: Vec<Pattern<'d>> = patterns.collect();
        patterns.sort_by_key(|pattern| !pattern.shown.has_acted());
        patterns.truncate(PATTERNS);
        patterns
    }

    /// A draft like a case.
    fn taken(&self, pattern: &Pattern<'_>) -> Draft {
        let Pattern { ran, evidence, .. } = pattern;
        let asked = judge::asked(&ran.case, &evidence.report);
        self.blank.clone().like(&ran.case).beside(asked)
    }

    /// A draft like a case; and the same in the form of its host, where it is played in one.
    fn like(&self, pattern: &Pattern<'_>) -> Vec<Draft> {
        let draft = self.taken(pattern);
        let hosted = pattern
            .ran
            .case
            .host()
            .map(|host| draft.clone().played(Some(host)));
        [draft].into_iter().chain(hosted).collect()
    }

    fn asked(&self) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for pattern in self.patterns(&Shown::is_asked) {
            for draft in self.like(&pattern) {
                drafts.extend(
                    pattern
                        .code(self.made.tested)
                        .map(|code| draft.clone().expecting("exit-code", code.into())),
                );
                drafts.push(draft.expecting("fires", true.into()));
            }
        }
        if drafts.is_empty() {
            let draft = needed(self.made.tested, self.blank.clone());
            drafts.push(draft.expecting("fires", true.into()));
        }
        drafts
    }

    fn answered(&self) -> Vec<Draft> {
        let is_one = |one: &Shown| match &self.made.mutation {
            Mutation::ExitCode => one.has_refused_by_code,
            Mutation::Decision(kind) => one.verdicts.contains(kind),
            Mutation::Rewrite => one.has_rewritten,
            Mutation::Injection => one.has_injected,
            _ => false,
        };
        let mut drafts = Vec::new();
        for pattern in self.patterns(&is_one) {
            let expectations = pattern.expectations(&self.made.mutation, self.made.tested);
            for draft in self.like(&pattern) {
                let with =
                    |(field, value): &(&str, Value)| draft.clone().expecting(field, value.clone());
                drafts.extend(expectations.iter().map(with));
            }
        }
        if drafts.is_empty() {
            drafts.push(self.unseen());
        }
        drafts
    }

    /// A sketch: which payload the hook refuses is for its author to say.
    fn unseen(&self) -> Draft {
        let patterns = self.patterns(&Shown::is_asked);
        let pattern = patterns.first();
        let draft = match pattern {
            Some(pattern) => self.taken(pattern),
            None => needed(self.made.tested, self.blank.clone()),
        };
        let is_prompt = matches!(self.made.tested.action(), Some(Action::Prompt(_)));
        let draft = if is_prompt {
            draft.answered(json!({"ok": false, "reason": "say why"}))
        } else {
            draft
        };
        match &self.made.mutation {
            Mutation::Decision(kind) => draft.expecting("decision", kind.as_str().into()),
            Mutation::Rewrite => draft.expecting("rewrites", json!({"tool_input": {"$any": true}})),
            Mutation::Injection => draft.expecting("injects", json!([{"$any": true}])),
            _ => draft.expecting("exit-code", 2.into()),
        }
    }

    fn named(&self, name: &str) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for pattern in self.patterns(&Shown::is_asked) {
            let draft = self.taken(&pattern).with(&pattern.subject(), name.into());
            drafts.extend(
                pattern
                    .code(self.made.tested)
                    .map(|code| draft.clone().expecting("exit-code", code.into())),
            );
            drafts.push(draft.expecting("fires", true.into()));
        }
        let draft = self
            .blank
            .clone()
            .with(&field(self.made.tested), name.into());
        drafts.push(draft.expecting("fires", true.into()));
        drafts
    }

    /// Sends what the matcher does not select, the likeliest names to whatever else a case sends first.
    fn strange(&self) -> Vec<Draft> {
        let names = self.strangers();
        let mut drafts = Vec::new();
        for pattern in self.patterns(&Shown::is_asked) {
            for name in &names {
                let like = self.like(&pattern).into_iter();
                let sent = like.map(|draft| draft.with(&pattern.subject(), name.as_str().into()));
                drafts.extend(sent.map(|draft| draft.expecting("fires", false.into())));
            }
        }
        let field = field(self.made.tested);
        for name in names {
            let draft = self.blank.clone().with(&field, name.into());
            drafts.push(draft.expecting("fires", false.into()));
        }
        drafts
    }

    /// Names that the matcher does not select, and that one which is broken would.
    fn strangers(&self) -> Vec<String> {
        let tested = self.made.tested;
        let known = make::newcomer(tested).into_iter().map(str::to_owned);
        if self.made.mutation == Mutation::MatcherWidened {
            return known.collect();
        }
        let known = known.chain(make::stranger(tested).map(str::to_owned));
        // What cases send in vain, and what a condition behind the matcher names, may be what that lets in.
        let missed = self.patterns(&|one| one.selects == Some(false));
        let missed = missed.iter().filter_map(Pattern::named);
        let condition = tested.hook.condition.as_deref().unwrap_or_default();
        let texts = implied::texts(condition).chain(["other", "two\nlines", "\n"]);
        let names = known.chain(missed).chain(texts.map(str::to_owned));
        let is_strange =
            |name: &String| tested.hook.when.selects(Some(&make::subject(name))) == Hit::No;
        let mut all: Vec<String> = Vec::new();
        for name in names.filter(is_strange) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }

    fn missed(&self) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for pattern in self.patterns(&|one| one.condition() == Some(false)) {
            let like = self.like(&pattern).into_iter();
            drafts.extend(like.map(|draft| draft.expecting("fires", false.into())));
        }
        let draft = needed(self.made.tested, self.blank.clone());
        drafts.push(draft.expecting("fires", false.into()));
        drafts
    }
}

/// Sends what the hook has to have to be asked at all: what its matcher selects, what its model says, and the file that
/// its command names.
fn needed(tested: &Tested, draft: Draft) -> Draft {
    let draft = selected(tested, draft);
    match tested.action() {
        Some(Action::Prompt(_)) => draft.answered(json!({"ok": true})),
        Some(Action::Command(command)) if names_a_file(command) => {
            draft.with("toolInput.file_path", "README.md".into())
        }
        Some(
            Action::Command(_)
            | Action::Http(_)
            | Action::Rule(_)
            | Action::Builtin(_)
            | Action::Broken(_),
        )
        | None => draft,
    }
}

/// Tells whether a command has `${file}` or `${files}` in it: without a file it is passed over.
fn names_a_file(command: &Command) -> bool {
    let env = command.env.iter().map(|(_, value)| value);
    let args = command.args.iter().flatten();
    let mut texts = [&command.command].into_iter().chain(args).chain(env);
    texts.any(|text| text.contains("${file") || text.contains("$file"))
}

/// Sends what the matcher selects, where such a name can be told from it.
fn selected(tested: &Tested, draft: Draft) -> Draft {
    let matcher = &tested.hook.when;
    let name = match matcher.names().first() {
        Some(name) => Some(name.to_string()),
        None if matcher.is_all() => None,
        None => {
            let is_selected = |name: &str| matcher.selects(Some(&make::subject(name))) != Hit::No;
            make::example(tested, matcher.as_str(), &is_selected)
        }
    };
    match name.filter(|_| tested.has_subject()) {
        Some(name) => draft.with(&field(tested), name.into()),
        None => draft,
    }
}

/// The field of the smallest payload that a matcher looks at.
fn field(tested: &Tested) -> String {
    let event = EventName::new(&asks::event(tested));
    let spec = event.spec();
    camel(spec.and_then(|spec| spec.subject).unwrap_or("tool_name"))
}
