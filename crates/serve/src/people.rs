//! The requests of a signed-in browser: the open questions, and answers to them. A client's token does not count here.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use serde::Deserialize;
use serde_json::json;

use crate::gate::Door;
use crate::inbox::{Answer, BROKEN, Inbox, Its, Says, as_json, aside, read};
use crate::page::{door, inbox};
use crate::problem::{Problem, json_of};

/// The header that holds the proof of a session.
pub(crate) const PROOF: &str = "anyhook-proof";
/// Makes the router of the inbox for one door.
pub(crate) fn router(inbox: &Arc<Inbox>, door: &Door) -> Router {
    let watch = middleware::from_fn_with_state(door.clone(), door::watch);
    Router::new()
        .route("/v1/session", post(sign_in).delete(sign_out))
        .route("/v1/questions", get(questions))
        .route("/v1/questions/{code}", post(answer))
        .merge(inbox::router())
        .layer(watch)
        .with_state(Arc::clone(inbox))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignsIn {
    passphrase: String,
}

async fn sign_in(State(inbox): Its, request: Request) -> Result<Response, Problem> {
    inbox.sessions.is_possible()?;
    let body = read(request.into_body()).await?;
    let given: SignsIn = serde_json::from_slice(&body).map_err(|_| BROKEN)?;
    let signed = inbox.sessions.sign_in(given.passphrase).await?;
    let answer = json_of(StatusCode::OK, &json!({"proof": signed.proof}));
    Ok(([(SET_COOKIE, signed.cookie)], answer).into_response())
}

async fn sign_out(State(inbox): Its, headers: HeaderMap) -> Response {
    let gone = inbox.sessions.end(&headers);
    let answer = json_of(StatusCode::OK, &json!({}));
    ([(SET_COOKIE, gone)], answer).into_response()
}

async fn questions(State(inbox): Its, headers: HeaderMap) -> Result<Response, Problem> {
    inbox.sessions.reads(&headers)?;
    let open = aside(&inbox, Inbox::open).await?;
    let all: Vec<_> = open.iter().map(as_json).collect();
    Ok(json_of(StatusCode::OK, &json!({"questions": all})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    answer: String,
    mark: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    choices: Vec<Option<usize>>,
}

async fn answer(
    State(inbox): Its,
    Path(code): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let mut proofs = head.headers.get_all(PROOF).iter();
    let proof = proofs.next().and_then(|proof| proof.to_str().ok());
    inbox
        .sessions
        .answers(&head.headers, proof.unwrap_or_default())?;
    let given: Answers = serde_json::from_slice(&read(body).await?).map_err(|_| BROKEN)?;
    let answer = Answer {
        says: Says::of(&given.answer).ok_or(BROKEN)?,
        note: given.note,
        choices: given.choices,
        mark: given.mark,
    };
    aside(&inbox, move |inbox| inbox.answer(&code, &answer)).await?;
    Ok(json_of(StatusCode::OK, &json!({"answered": given.answer})))
}
