//! What a signed-in browser may ask: the open questions, and the answers to them. No token of a client counts here.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use crate::gate::Door;
use crate::inbox::{Answer, Inbox, Says, as_json};
use crate::openapi::{By, Route, Takes};
use crate::page::{door, inbox};
use crate::problem::{Problem, json_of};

/// The header that holds the proof of a session.
pub(crate) const PROOF: &str = "anyhook-proof";
/// The longest body.
const LONGEST: usize = 64 * 1024;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) type Its = State<Arc<Inbox>>;

/// What the `OpenAPI` page says of these.
pub(crate) static ROUTES: &[Route] = &[
    Route {
        method: "post",
        path: "/v1/session",
        about: "Sign a browser in with the passphrase: a cookie, and in the body the proof that each answer has to carry.",
        answers: &[
            (
                200,
                "The proof. The cookie is `HttpOnly` and `SameSite=Strict`.",
            ),
            (
                400,
                "The body is not an object with `passphrase`, or it broke off.",
            ),
            (
                429,
                "Too many passphrases were wrong, or one is being looked at: wait.",
            ),
            (500, "The passphrase could not be looked at."),
        ],
        takes: Takes::Nothing,
        by: By::Person,
    },
    Route {
        method: "delete",
        path: "/v1/session",
        about: "Sign this browser out.",
        answers: &[(200, "It is not signed in any more.")],
        takes: Takes::Nothing,
        by: By::Person,
    },
    Route {
        method: "get",
        path: "/v1/questions",
        about: "List the open questions of all agents and sessions.",
        answers: &[
            (
                200,
                "Each with its exact action, the hooks that ask, and the `mark` that an answer has to carry.",
            ),
            (500, "The questions cannot be read."),
        ],
        takes: Takes::Nothing,
        by: By::Person,
    },
    Route {
        method: "post",
        path: "/v1/questions/{code}",
        about: "Answer one question: `answer` is `once`, `session`, `always` or `no`; `note` is told to the model; `mark` is that of \
                the question as it was shown; `choices` has the chosen choice of each question that has choices. The header \
                `Anyhook-Proof` holds the proof.",
        answers: &[
            (200, "It is answered, and who waits for it goes on."),
            (400, "The body is not an answer, or it broke off."),
            (404, "No open question has this code."),
            (
                409,
                "Another answer came first, or the question changed since it was shown.",
            ),
            (422, "The question cannot be answered so."),
            (500, "The questions cannot be read or written."),
        ],
        takes: Takes::Nothing,
        by: By::Person,
    },
];

const BROKEN: Problem = Problem {
    status: StatusCode::BAD_REQUEST,
    what: "the body of this request cannot be understood",
    help: "what it takes: GET /v1/openapi.json",
};

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

/// Reads a short body in its time.
pub(crate) async fn read(body: Body) -> Result<Bytes, Problem> {
    let read = timeout(PATIENCE, to_bytes(body, LONGEST)).await;
    read.map_err(|_| BROKEN)?.map_err(|_| BROKEN)
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

/// Does what reads files on a thread of its own.
pub(crate) async fn aside<T: Send + 'static>(
    inbox: &Arc<Inbox>,
    work: impl FnOnce(&Inbox) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let its = Arc::clone(inbox);
    let done = tokio::task::spawn_blocking(move || work(&its)).await;
    done.unwrap_or(Err(Problem {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        what: "a mistake of ours kept this from being done",
        help: "look in a terminal: anyhook approve",
    }))
}
