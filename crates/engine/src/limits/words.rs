//! Texts from hooks, made safe before an agent, a model or a person reads them.

use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Verdict};

use super::clean;

/// The longest reason, question or notice. A longer one would push everything else out of sight.
const LONGEST: usize = 10 * 1024;

/// Makes every reason, question and notice of an answer one that draws nothing on a terminal and has an end. Texts for the
/// model have limits of their own, and the values of a rewrite are data.
pub(crate) fn tame(mut said: HandlerResult) -> HandlerResult {
    match &mut said {
        Ok(said) => verdict(said),
        Err(fault) => tamed(&mut fault.text),
    }
    said
}

fn verdict(said: &mut HookResult) {
    match &mut said.verdict {
        Verdict::Continue => {}
        Verdict::Allow { reasons } | Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
            reasons
                .iter_mut()
                .for_each(|reason| tamed(&mut reason.text));
        }
        Verdict::Ask { questions } => {
            for question in questions {
                tamed(&mut question.prompt);
                question
                    .options
                    .iter_mut()
                    .for_each(|choice| tamed(&mut choice.label));
            }
        }
    }
    if !said.effects.notify().is_empty() {
        for notice in &mut said.effects.edit().notify {
            tamed(&mut notice.text);
        }
    }
}

fn tamed(text: &mut Box<str>) {
    let is_plain = |text: &str| text.len() <= LONGEST && !text.contains('\r');
    let cleaned = clean(text);
    if is_plain(&cleaned) && cleaned.len() == text.len() {
        return;
    }
    // Alone it moves to the beginning of the line, over what stands there.
    let mut cleaned = cleaned.replace("\r\n", "\n").replace('\r', "\n");
    if cleaned.len() > LONGEST {
        let more = cleaned.len() - LONGEST;
        cleaned.truncate(cleaned.floor_char_boundary(LONGEST));
        cleaned.push_str(&format!("… ({more} bytes more)"));
    }
    *text = cleaned.into();
}

#[cfg(test)]
mod tests {
    use anyhook_core::effects::Notice;
    use anyhook_core::fault::{Fault, FaultKind};
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "no\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}!\rgone\r\nend";

    #[test]
    fn what_a_hook_says_draws_nothing_on_a_terminal() {
        let tidy = "no!\ngone\nend";
        for said in [
            HookResult::deny(HOSTILE),
            HookResult::halt(HOSTILE),
            HookResult::ask(HOSTILE),
            HookResult::allow_because(HOSTILE),
        ] {
            assert_eq!(tame(Ok(said)).unwrap().verdict.text(), tidy);
        }
        let said = HookResult::proceed().notifying(Notice::new(HOSTILE));
        assert_eq!(&*tame(Ok(said)).unwrap().effects.notify()[0].text, tidy);
        let fault = Fault::new(FaultKind::ExitCode, HOSTILE);
        assert_eq!(&*tame(Err(Box::new(fault))).unwrap_err().text, tidy);
    }

    #[test]
    fn a_reason_of_900_kilobytes_has_an_end() {
        let said = tame(Ok(HookResult::deny("ä".repeat(450_000)))).unwrap();
        let text = said.verdict.text();
        assert!(
            text.len() < 11_000 && text.ends_with("(889760 bytes more)"),
            "{}",
            text.len()
        );
    }

    #[test]
    fn a_plain_answer_and_the_values_of_a_rewrite_stay_what_they_are() {
        let said = HookResult::deny("two\nlines\tand 👩‍👧")
            .modify("tool_input", json!({"command": HOSTILE}));
        assert_eq!(tame(Ok(said.clone())), Ok(said));
    }
}
