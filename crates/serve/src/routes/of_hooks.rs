//! The paths and the forms of the hooks server of NVIDIA `NeMo` Guardrails, for configurations that were written for it.
//!
//! They take the same payloads and answer the same words as the paths of hosts, under the same tokens. The one difference: where
//! nothing is said there is an empty object, as that server writes it.

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;

use super::{Form, Route, Served, Shared, Takes, answered};
use crate::openapi::By;
use crate::problem::Problem;
use crate::said;

const ABOUT: &str = "Answer one event of the agent in the form of the NeMo Guardrails hooks server: as under /v1/hosts, with an \
                     empty object where nothing is said.";
const ANSWERS: &[(u16, &str)] = &[
    (
        200,
        "The exit code is 0; the body is what the agent reads, or an empty object.",
    ),
    (
        403,
        "With `Anyhook-Exit`: the exit code is not 0, so the action may be refused. Without: a page in a browser asked.",
    ),
];

const fn route(path: &'static str) -> Route {
    Route {
        method: "post",
        path,
        about: ABOUT,
        answers: ANSWERS,
        takes: Takes::Event,
        by: By::Client,
    }
}

/// Their rows.
pub(super) static ROUTES: &[Served] = &[
    Served {
        route: route("/v1/hooks/claude-code"),
        handler: || {
            post(async |office: Shared, request: Request| {
                hook(office, "claude-code", request).await
            })
        },
    },
    Served {
        route: route("/v1/hooks/codex"),
        handler: || {
            post(async |office: Shared, request: Request| hook(office, "codex-cli", request).await)
        },
    },
];

async fn hook(
    State(office): Shared,
    host: &'static str,
    request: Request,
) -> Result<Response, Problem> {
    let host = super::host(host)?;
    let (mut said, form) = answered(&office, host, request).await?;
    if said.reply.exit == 0 && said.reply.stdout.is_empty() {
        "{}".clone_into(&mut said.reply.stdout);
    }
    Ok(match form {
        Form::Bytes => said::bytes(said.reply),
        Form::Object => said::object(&said.reply),
    })
}
