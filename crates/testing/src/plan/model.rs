//! The model of a test, and its answer.

use anyhook::models::StandIn;
use anyhook::yaml;
use serde_json::Value;

use super::CasePlanner;
use crate::problem::Problem;

impl CasePlanner<'_> {
    pub(super) fn model(&self) -> Result<Option<StandIn>, Problem> {
        let Some(given) = &self.spec.input.model_response else {
            if let Some(text) = self.spec.expected.prompt_contains.first() {
                let message =
                    "nothing is asked of a model: say what it answers with `input.model-response`";
                return Err(self.problem(yaml::of(text), message));
            }
            return Ok(None);
        };
        let wrong = |message: &str| Err(self.problem(yaml::of(given), message));
        let is_alone = given
            .value
            .as_object()
            .is_some_and(|object| object.len() == 1);
        match (&given.value, given.value.get("error")) {
            (Value::String(_) | Value::Object(_), None) => {
                Ok(Some(StandIn::Says(given.value.clone())))
            }
            (_, Some(Value::String(late))) if late == "timeout" && is_alone => {
                Ok(Some(StandIn::Late))
            }
            (_, Some(status)) => match status.as_u64().and_then(|code| u16::try_from(code).ok()) {
                Some(code @ 300..=599) if is_alone => Ok(Some(StandIn::Refuses(code))),
                Some(_) | None => wrong(
                    "`error` is `timeout`, or the status of a server from 300 to 599, and stands alone",
                ),
            },
            (_, None) => wrong(
                "a model answers with a text, with an object such as `{ok: true}`, or not at all: `{error: 429}`, \
                 `{error: timeout}`",
            ),
        }
    }
}
