//! Removing secrets that a hook printed from the state of a session.

use anyhook_core::fit::UndeliveredText;
use anyhook_core::redact;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::SessionState;

/// Hides secrets in what a session keeps now and did not keep before.
///
/// An answer whose rewrite has a secret in it is not kept at all: the process that comes second asks the hooks again, and
/// no input runs that was made harmless in the wrong place.
pub(super) fn hide(before: &SessionState, after: &mut SessionState) {
    for text in &mut after.outbox {
        if !before.outbox.contains(text) {
            let text = match text {
                UndeliveredText::Injection(injection) => &mut injection.text,
                UndeliveredText::Notice(notice) => &mut notice.text,
            };
            *text = redact::text(text).into();
        }
    }
    after.answers.retain_mut(|flight| {
        if before.answers.contains(flight) {
            return true;
        }
        let Some(safe) = without_secrets(&flight.result) else {
            return false;
        };
        let is_same = safe == flight.result;
        let is_words =
            flight.result.effects.patch().is_empty() && flight.result.effects.native().is_empty();
        flight.result = safe;
        is_same || is_words
    });
    if after.halted != before.halted
        && let Some(halted) = &mut after.halted
    {
        halted.why = redact::text(&halted.why).into_owned();
    }
}

fn without_secrets<T: Serialize + DeserializeOwned>(kept: &T) -> Option<T> {
    let mut value = serde_json::to_value(kept).ok()?;
    redact::value(&mut value);
    serde_json::from_value(value).ok()
}

#[cfg(test)]
mod tests {
    use anyhook_core::effects::Injection;
    use anyhook_core::result::HookResult;
    use serde_json::json;

    use super::super::{Asker, FileState, FlightAnswer, SessionKey, State as _};
    use super::*;

    const TOKEN: &str = "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx";

    fn flight(key: &str, result: HookResult) -> FlightAnswer {
        FlightAnswer {
            key: key.into(),
            at: 1,
            asker: Asker::default(),
            taken: Vec::new(),
            result,
        }
    }

    #[test]
    fn a_token_that_a_hook_echoed_is_nowhere_in_the_file_of_the_session() {
        let place = tempfile::tempdir().unwrap();
        let state = FileState::new(place.path());
        let key = SessionKey::new("claude-code", "s1");
        let says = format!("the token {TOKEN} may not be printed");
        let _ = state
            .update(&key, &mut |session| {
                session
                    .post(UndeliveredText::Injection(Injection::new(&*says)))
                    .unwrap();
                session.remember(flight("deny", HookResult::deny(&*says)));
                session.remember(flight("plain", HookResult::deny("frozen")));
                let rewritten =
                    HookResult::proceed().modify("tool_input", json!({"command": says}));
                session.remember(flight("rewrite", rewritten));
            })
            .unwrap();
        let files = std::fs::read_dir(place.path()).unwrap().flatten();
        for file in files {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            assert!(!text.contains("xoxb-"), "{text}");
        }
        let mut kept = Vec::new();
        let _ = state
            .update(&key, &mut |session| {
                let answers = session.answers.iter();
                kept = answers
                    .map(|flight| (flight.key.clone(), flight.result.clone()))
                    .collect();
                let Some(UndeliveredText::Injection(text)) = session.outbox.first() else {
                    panic!("the text waits")
                };
                assert!(text.text.starts_with("the token [REDACTED"));
            })
            .unwrap();
        let names: Vec<&str> = kept.iter().map(|(key, _)| &**key).collect();
        assert_eq!(names, ["deny", "plain"], "a rewrite is not kept in pieces");
        assert_eq!(kept[1].1, HookResult::deny("frozen"));
    }
}
