//! One notice to a webhook.

use std::time::Duration;

use serde_json::json;
use ureq::Agent;

use super::Told;
use crate::limits::{Form, Webhook};
use crate::text::plain;
use crate::world::World;

/// Posts a notice in the form that a webhook takes. What leads elsewhere is not followed, and the answer is not read.
pub(super) fn post(
    world: &World,
    hook: &Webhook,
    told: &Told,
    within: Duration,
) -> Result<(), String> {
    let config = Agent::config_builder()
        .user_agent(concat!("anyhook/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(within));
    let agent: Agent = config.build().into();
    let failed = |why: String| format!("`{}`: {why}", plain(&hook.url));
    let mut request = agent.post(&hook.url);
    if let Some(name) = &hook.token {
        let token = world.var(name).and_then(|token| token.to_str());
        let token = token.ok_or_else(|| failed(format!("the variable `{name}` is not set")))?;
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let sent = match hook.form {
        Form::Json => {
            let body = serde_json::to_string(told).map_err(|error| failed(error.to_string()))?;
            request.content_type("application/json").send(body)
        }
        Form::Slack => {
            let body = json!({"text": format!("{}\n{}", text(told), told.link)}).to_string();
            request.content_type("application/json").send(body)
        }
        // A header is one line of ASCII: what strangers wrote stands in the body.
        Form::Ntfy => request
            .header("title", format!("Anyhook asks: {}", told.code))
            .header("click", &told.link)
            .header("priority", if told.waits { "high" } else { "default" })
            .content_type("text/plain; charset=utf-8")
            .send(text(told)),
    };
    let status = sent.map_err(|error| failed(error.to_string()))?.status();
    if status.is_success() {
        return Ok(());
    }
    Err(failed(format!(
        "it answered with the status {}",
        status.as_u16()
    )))
}

fn text(told: &Told) -> String {
    let Told {
        code, host, action, ..
    } = told;
    let both = told.hooks.iter().zip(&told.questions);
    let asks: Vec<String> = both
        .map(|(hook, question)| format!("{hook} asks: {question}"))
        .collect();
    format!("{}\n{host}: {action}\nCode {code}", asks.join("\n"))
}
