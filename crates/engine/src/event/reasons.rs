//! What rules say, made ready for a reader: one text about code that cannot be read, and which part of a call decided.
//!
//! No verdict changes here, and the record keeps what each rule said itself.

use anyhook_core::event::Event;
use anyhook_core::question::Question;
use anyhook_core::result::{HookId, Reason, Verdict};

use super::turn::EventRun;
use crate::rules::{CompiledCondition, RuleCause};
use crate::runners::RunnerContext;

/// The longest text to which is added which part decided: what is longer tells it itself.
const LONGEST: usize = 2_000;

/// What becomes of one text.
#[derive(Debug)]
enum Rewording {
    Itself,
    And(String),
    Instead(String),
    Nothing,
}

impl EventRun<'_> {
    /// Makes the texts of a verdict ready.
    pub(super) fn word(&self, verdict: &mut Verdict, event: &Event, shared: &RunnerContext) {
        let becomes = |by: Vec<_>| self.becomes(&by, event, shared);
        match verdict {
            Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
                let becomes = becomes(reasons.iter().map(|reason| reason.by).collect());
                let all = std::mem::take(reasons).into_iter().zip(becomes);
                let told = |(reason, becomes): (Reason, Rewording)| {
                    let text = becomes.of(&reason.text)?.into();
                    Some(Reason { text, ..reason })
                };
                *reasons = all.filter_map(told).collect();
            }
            Verdict::Ask { questions } => {
                let becomes = becomes(questions.iter().map(|question| question.by).collect());
                let all = std::mem::take(questions).into_iter().zip(becomes);
                let told = |(question, becomes): (Question, Rewording)| match becomes {
                    // The person sees the call itself.
                    Rewording::And(_) => Some(question),
                    becomes => {
                        let prompt = becomes.of(&question.prompt)?.into();
                        Some(Question { prompt, ..question })
                    }
                };
                *questions = all.filter_map(told).collect();
            }
            Verdict::Continue | Verdict::Allow { .. } => {}
        }
    }

    /// Tells what becomes of the text of each hook. Of the texts that are said because code cannot be read, one stays: that
    /// of the rule about such code, else one that says what cannot be read.
    fn becomes(
        &self,
        by: &[Option<HookId>],
        event: &Event,
        shared: &RunnerContext,
    ) -> Vec<Rewording> {
        let because = |by: &Option<HookId>| self.because((*by)?, event, shared);
        let why: Vec<Option<RuleCause>> = by.iter().map(because).collect();
        let is = |asked: bool| {
            let mut why = why.iter();
            why.position(
                |why| matches!(why, Some(RuleCause::Unread { is_asked, .. }) if *is_asked == asked),
            )
        };
        let stays = is(true).or_else(|| is(false));
        let one = |(at, why): (usize, &Option<RuleCause>)| match why {
            None | Some(RuleCause::Own(None)) => Rewording::Itself,
            Some(RuleCause::Own(Some(what))) => Rewording::And(format!("This is because {what}.")),
            Some(RuleCause::Unread { .. }) if stays != Some(at) => Rewording::Nothing,
            Some(RuleCause::Unread {
                is_asked: true,
                what,
            }) => Rewording::And(format!("This cannot be read here: {what}.")),
            Some(RuleCause::Unread { what, .. }) => Rewording::Instead(format!(
                "This cannot be read here, and may do anything: {what}. Plain commands and file tools can be read."
            )),
        };
        why.iter().enumerate().map(one).collect()
    }

    /// Tells why a rule holds.
    fn because(&self, by: HookId, event: &Event, shared: &RunnerContext) -> Option<RuleCause> {
        let hook = self.hooks.get(by)?;
        let when = hook.condition.as_deref().filter(|_| hook.is_rule())?;
        let when = CompiledCondition::read(when).ok()?;
        when.because(&self.asking(hook, event, shared).facts())
    }
}

impl Rewording {
    fn of(self, text: &str) -> Option<String> {
        match self {
            Self::And(more) if text.len() <= LONGEST => {
                let ends = text.ends_with(['.', '!', '?', ':', ')']);
                let between = if ends { " " } else { ". " };
                Some(format!("{text}{between}{more}"))
            }
            Self::Itself | Self::And(_) => Some(text.to_owned()),
            Self::Instead(told) => Some(told),
            Self::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::report::{Report, SkipReason, StepOutcome};
    use anyhook_core::result::Kind;
    use serde_json::{Value, json};

    use crate::tests::{line, nobody};

    /// What becomes of a shell line under rules: what each asks, what it decides, and what it says.
    fn told(rules: &[(&str, &str, &str)], command: &str) -> Report {
        let rule = |(when, verdict, text): &(&str, &str, &str)| json!({"type": "rule", "name": text, "when": when, "then": {*verdict: text}});
        told_by(&rules.iter().map(rule).collect::<Vec<Value>>(), command)
    }

    fn told_by(rules: &[Value], command: &str) -> Report {
        let place = tempfile::tempdir().unwrap();
        let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": rules}]}});
        std::fs::write(place.path().join("hooks.json"), manifest.to_string()).unwrap();
        let event = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "cwd": place.path(),
        });
        let world = nobody(place.path());
        let context = line(&world, place.path());
        context.run(event.to_string().as_bytes()).report
    }

    fn said(report: &Report) -> (Kind, String) {
        (report.result.verdict.kind(), report.result.verdict.text())
    }

    const PRINTS: &str = "python3 -c 'import os; print(os.environ)'";
    const UNREAD: (&str, &str, &str) = ("unread()", "deny", "No unread code.");
    const PUSHES: (&str, &str, &str) = ("pushes('force')", "deny", "No push by force.");
    const DELETES: (&str, &str, &str) = ("deletes('**/')", "deny", "No folder goes.");
    const DISCARDS: (&str, &str, &str) = ("discards()", "ask", "Discard?");

    #[test]
    fn code_that_cannot_be_read_has_one_text_and_the_record_names_every_rule() {
        let report = told(&[PUSHES, UNREAD, DELETES, DISCARDS], PRINTS);
        let text = format!("No unread code. This cannot be read here: python, in `{PRINTS}`.");
        assert_eq!(said(&report), (Kind::Deny, text));
        let spoke = |became: &StepOutcome| matches!(became, StepOutcome::Said(Some(_)));
        assert!(report.steps.iter().all(|step| spoke(&step.became)));
        assert_eq!(report.steps.len(), 4);
    }

    #[test]
    fn without_a_rule_about_such_code_one_sentence_says_what_cannot_be_read() {
        let text = format!(
            "This cannot be read here, and may do anything: python, in `{PRINTS}`. \
             Plain commands and file tools can be read."
        );
        let report = told(&[PUSHES, DELETES, DISCARDS], PRINTS);
        assert_eq!(said(&report), (Kind::Deny, text.clone()));
        let asks = ("unread()", "ask", "Run it?");
        let report = told(&[asks, PUSHES], PRINTS);
        assert_eq!(said(&report), (Kind::Deny, text), "the strictest decides");
        let report = told(
            &[DISCARDS, asks, ("publishes()", "ask", "Publish?")],
            PRINTS,
        );
        assert_eq!(said(&report), (Kind::Ask, "Run it?".to_owned()));
    }

    #[test]
    fn a_rule_with_a_reason_of_its_own_keeps_its_text_and_names_the_part_that_decided() {
        let report = told(&[PUSHES, DELETES], "rm -rf src; eval \"$X\"");
        let text = "This cannot be read here, and may do anything: eval, in `rm -rf src; eval \"$X\"`. \
            Plain commands and file tools can be read.\nNo folder goes. This is because it deletes `src` and everything below it: `rm -rf src; eval \"$X\"`.";
        assert_eq!(said(&report), (Kind::Deny, text.to_owned()));
        let report = told(&[("writes('.env')", "deny", "No.")], "date > \"$OUT\"");
        let text = "No. This is because it may write a file whose name is not known: `$OUT`.";
        assert_eq!(said(&report), (Kind::Deny, text.to_owned()));
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let report = told(
            &[("connects()", "deny", "No.")],
            &format!("curl -u me:{token} example.com"),
        );
        let (_, text) = said(&report);
        assert!(
            text.contains("it connects to `example.com`") && !text.contains(&token),
            "{text}"
        );
    }

    #[test]
    fn a_condition_about_fields_alone_adds_nothing() {
        let report = told(&[("tool_name == 'Bash'", "deny", "No shell.")], "ls");
        assert_eq!(said(&report), (Kind::Deny, "No shell.".to_owned()));
    }

    #[test]
    fn a_rule_that_would_look_at_a_tree_is_not_asked_where_another_one_refuses() {
        let looks = ("touches('**/.env')", "deny", "No secrets.");
        let report = told(&[looks, DELETES], "rm -rf /");
        let became: Vec<&StepOutcome> = report.steps.iter().map(|step| &step.became).collect();
        let [
            StepOutcome::NotAsked(SkipReason::Decided),
            StepOutcome::Said(Some(_)),
        ] = &became[..]
        else {
            panic!("{became:?}");
        };
        let stops = ("touches('**/.env')", "halt", "Stop.");
        let report = told(&[stops, DELETES], "rm -rf /");
        assert_eq!(said(&report).0, Kind::Halt, "a graver one is asked");
    }

    #[test]
    fn where_only_the_unknown_decides_a_rule_says_what_its_when_unknown_says() {
        let rule = |way: &str| json!({"type": "rule", "when": "deletes('src/**')", "then": {"deny": "Keep src."}, "when unknown": way});
        for way in ["ask", "confine", "snapshot"] {
            let report = told_by(&[rule(way)], "rm -rf src");
            assert_eq!(
                said(&report).0,
                Kind::Deny,
                "{way}: the rule has a reason of its own"
            );
            let report = told_by(&[rule(way)], "rm -rf src; eval \"$X\"");
            assert_eq!(
                said(&report).0,
                Kind::Deny,
                "{way}: beside what is not known"
            );
            let report = told_by(&[rule(way)], "ls");
            assert_eq!(said(&report).0, Kind::Continue, "{way}");
        }
        for unknown in [PRINTS, "rm -rf \"$DIR\""] {
            assert_eq!(
                said(&told_by(&[rule("ask")], unknown)).0,
                Kind::Ask,
                "{unknown}"
            );
        }
        // Without a home folder nothing can be kept, so a person is asked.
        let report = told_by(&[rule("snapshot")], PRINTS);
        assert_eq!(said(&report).0, Kind::Ask);
        let other =
            json!({"type": "rule", "when": "unread()", "then": {"deny": "No unread code."}});
        let report = told_by(&[rule("snapshot"), other], PRINTS);
        assert_eq!(said(&report).0, Kind::Deny, "another rule still decides");
    }
}
