//! The model of a test, and its answer.

use anyhook::models::StandIn;
use anyhook::yaml;
use serde_json::Value;

use super::Planning;
use crate::problem::Problem;

impl Planning<'_> {
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
        match &given.value {
            Value::String(_) => Ok(Some(StandIn::Says(given.value.clone()))),
            Value::Object(object) => match object.get("error") {
                None => Ok(Some(StandIn::Says(given.value.clone()))),
                Some(Value::String(late)) if late == "timeout" && object.len() == 1 => {
                    Ok(Some(StandIn::Late))
                }
                Some(status) => match status.as_u64().and_then(|code| u16::try_from(code).ok()) {
                    Some(code @ 300..=599) if object.len() == 1 => Ok(Some(StandIn::Refuses(code))),
                    Some(_) | None => wrong(
                        "`error` is `timeout`, or the status of a server from 300 to 599, and stands alone",
                    ),
                },
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => wrong(
                "a model answers with a text, with an object such as `{ok: true}`, or not at all: `{error: 429}`, \
                 `{error: timeout}`",
            ),
        }
    }
}
