//! The inbox as a page: it works without JavaScript, and each form carries the proof of its session, or asks for the passphrase.
//!
//! A link in a notification opens this page and grants nothing: who has only the cookie reads, who has the proof answers.

use std::sync::Arc;

use anyhook::approvals::{AskedQuestion, OpenQuestion};
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use maud::{Markup, html};

use super::door::watch;
use super::{NavigationItem, document, layout, shown};
use crate::gate::Door;
use crate::inbox::{Inbox, InboxAnswer, InboxState, aside, gives, may, read, yes};
use crate::problem::Rejection;

/// Makes the router of the inbox for one door.
pub(crate) fn router(inbox: &Arc<Inbox>, door: &Door) -> Router {
    let watch = middleware::from_fn_with_state(door.clone(), watch);
    Router::new()
        .route("/inbox", get(all))
        .route("/inbox/sign-in", post(sign_in))
        .route("/inbox/sign-out", post(sign_out))
        .route("/inbox/{code}", get(one).post(answer))
        .layer(watch)
        .with_state(Arc::clone(inbox))
}

/// What a form sent.
struct FormFields(Vec<(String, String)>);

impl FormFields {
    async fn read(body: Body) -> Result<Self, Rejection> {
        let bytes = read(body).await?;
        Ok(Self(form_urlencoded::parse(&bytes).into_owned().collect()))
    }

    fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(its, _)| its == name);
        found.map_or("", |(_, value)| value)
    }
}

/// What stands above the questions.
#[derive(Default)]
struct InboxHeader<'a> {
    /// The proof, where this answers a passphrase or a proof.
    proof: Option<&'a str>,
    /// What came of the form.
    told: Option<&'a str>,
    /// The one question that is shown, if it is one.
    code: Option<&'a str>,
}

async fn all(State(inbox): InboxState, headers: HeaderMap) -> Response {
    looked(&inbox, &headers, None).await
}

async fn one(State(inbox): InboxState, Path(code): Path<String>, headers: HeaderMap) -> Response {
    looked(&inbox, &headers, Some(&code)).await
}

async fn looked(inbox: &Arc<Inbox>, headers: &HeaderMap, code: Option<&str>) -> Response {
    if inbox.sessions.check(headers, None).is_err() {
        return asks(inbox, code.unwrap_or_default(), None);
    }
    let seen = InboxHeader {
        code,
        ..InboxHeader::default()
    };
    listed(inbox, StatusCode::OK, &seen).await
}

async fn sign_in(State(inbox): InboxState, request: Request) -> Response {
    let form = match FormFields::read(request.into_body()).await {
        Ok(form) => form,
        Err(problem) => return asks(&inbox, "", Some(problem)),
    };
    let code = form.get("code");
    let signed = match inbox.sessions.sign_in(form.get("passphrase")).await {
        Ok(signed) => signed,
        Err(problem) => return asks(&inbox, code, Some(problem)),
    };
    let seen = InboxHeader {
        proof: Some(&signed.proof),
        code: Some(code).filter(|code| !code.is_empty()),
        ..InboxHeader::default()
    };
    let page = listed(&inbox, StatusCode::OK, &seen).await;
    ([(SET_COOKIE, &signed.cookie)], page).into_response()
}

async fn sign_out(State(inbox): InboxState, headers: HeaderMap) -> Response {
    let gone = inbox.sessions.known.forget(&headers);
    let page = asks(&inbox, "", None);
    ([(SET_COOKIE, gone)], page).into_response()
}

async fn answer(State(inbox): InboxState, Path(code): Path<String>, request: Request) -> Response {
    let (form, proof, cookie) = match proved(&inbox, request).await {
        Ok(proved) => proved,
        Err(problem) => return asks(&inbox, &code, Some(problem)),
    };
    let page = answered(&inbox, &code, &form, &proof).await;
    let page = page.unwrap_or_else(|problem| asks(&inbox, &code, problem));
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], page).into_response(),
        None => page,
    }
}

/// Reads a form with its proof, or makes one for its passphrase, and a cookie.
async fn proved(
    inbox: &Inbox,
    request: Request,
) -> Result<(FormFields, String, Option<String>), Rejection> {
    let (head, body) = request.into_parts();
    let form = FormFields::read(body).await?;
    let proof = form.get("proof").to_owned();
    if !proof.is_empty() {
        inbox.sessions.check(&head.headers, Some(&proof))?;
        return Ok((form, proof, None));
    }
    let signed = inbox.sessions.sign_in(form.get("passphrase")).await?;
    Ok((form, signed.proof, Some(signed.cookie)))
}

async fn answered(
    inbox: &Arc<Inbox>,
    code: &str,
    form: &FormFields,
    proof: &str,
) -> Result<Response, Option<Rejection>> {
    let says = form.get("says");
    let many = form
        .0
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("choice-")?.parse::<usize>().ok());
    let many = many.max().map_or(0, |last| last.min(64) + 1);
    let choices = (0..many).map(|at| form.get(&format!("choice-{at}")).parse().ok());
    let answer = InboxAnswer {
        holds: yes(says),
        note: form.get("note").to_owned(),
        choices: choices.collect(),
        mark: form.get("mark").to_owned(),
    };
    if says == "always" && form.get("sure").is_empty() {
        return sure(inbox, code, form, proof).await;
    }
    if says != "no" && answer.holds.is_none() {
        return Err(None);
    }
    let its = code.to_owned();
    let done = aside(inbox, move |inbox| inbox.answer(&its, &answer)).await;
    let (status, told) = match &done {
        Ok(()) => (StatusCode::OK, format!("{code} is answered: {says}.")),
        Err(problem) => (
            problem.status(),
            format!("{code}: {}; {}.", problem.what(), problem.help()),
        ),
    };
    let seen = InboxHeader {
        proof: Some(proof),
        told: Some(&told),
        code: None,
    };
    Ok(listed(inbox, status, &seen).await)
}

/// Shows the rule that a yes for always makes, and what it would have let through, before it is made.
async fn sure(
    inbox: &Arc<Inbox>,
    code: &str,
    form: &FormFields,
    proof: &str,
) -> Result<Response, Option<Rejection>> {
    let its = code.to_owned();
    let found = aside(inbox, move |inbox| {
        let open = inbox.open()?.into_iter().find(|open| open.code == its);
        open.map(|open| Ok((inbox.past(&open)?, open))).transpose()
    });
    let Some((past, open)) = found.await? else {
        let seen = InboxHeader {
            proof: Some(proof),
            told: Some("This question is not open any more."),
            code: None,
        };
        return Ok(listed(inbox, StatusCode::NOT_FOUND, &seen).await);
    };
    let body = html! {
        p { (shown(&open.rule())) }
        p { (shown(&past)) }
        pre { (shown(&open.action)) }
        form method="post" action={ "/inbox/" (open.code) } {
            @for (name, value) in &form.0 {
                @if !["proof", "passphrase", "sure"].contains(&name.as_str()) {
                    input type="hidden" name=(name) value=(value);
                }
            }
            input type="hidden" name="proof" value=(proof);
            button name="sure" value="yes" { "Yes, for always" }
        }
    };
    let page = layout("For always?", NavigationItem::Inbox, &body);
    Ok(document(StatusCode::OK, page))
}

/// Asks for the passphrase, and shows nothing.
fn asks(inbox: &Inbox, code: &str, problem: Option<Rejection>) -> Response {
    let problem = problem.or_else(|| inbox.sessions.is_possible().err());
    let body = html! {
        @if let Some(problem) = problem { p role="alert" { (problem.what()) ": " (problem.help()) "." } }
        form method="post" action="/inbox/sign-in" {
            input type="hidden" name="code" value=(code);
            p { label { "Passphrase " input type="password" name="passphrase" required autocomplete="current-password" autofocus; } }
            button { "Show the questions" }
        }
        p { "A link leads here and answers nothing. Programs of your own user can read the same questions in your files." }
    };
    let status = problem.map_or(StatusCode::UNAUTHORIZED, Rejection::status);
    document(status, layout("Inbox", NavigationItem::Inbox, &body))
}

async fn listed(inbox: &Arc<Inbox>, status: StatusCode, seen: &InboxHeader<'_>) -> Response {
    let open = match aside(inbox, Inbox::open).await {
        Ok(open) => open,
        Err(problem) => return asks(inbox, "", Some(problem)),
    };
    let now = inbox.now();
    let is_shown = |one: &&OpenQuestion| seen.code.is_none_or(|code| one.code == code);
    let open: Vec<&OpenQuestion> = open.iter().filter(is_shown).collect();
    let body = html! {
        @if let Some(told) = seen.told { p role="status" { (shown(told)) } }
        @if open.is_empty() { p { "No question is open." } }
        @for one in &open { (card(one, seen.proof, now)) }
        @if seen.code.is_some() { p { a href="/inbox" { "All questions" } } }
        form method="post" action="/inbox/sign-out" { button { "Sign out" } }
    };
    document(status, layout("Inbox", NavigationItem::Inbox, &body))
}

fn card(open: &OpenQuestion, proof: Option<&str>, now: i64) -> Markup {
    let minutes = now.saturating_sub(open.at).max(0) / 60_000;
    let may = may(open);
    html! {
        section aria-labelledby={ "q-" (open.code) } {
            h2 id={ "q-" (open.code) } { (open.code) " · " (shown(&open.about.host)) }
            p {
                (shown(&open.about.event)) ", asked " (minutes) " min ago. "
                @if open.is_waited_for() { "The agent waits for your answer." } @else { "The agent tries again after your answer." }
            }
            p { "This exact action:" }
            pre tabindex="0" { (shown(&open.action)) }
            form method="post" action={ "/inbox/" (open.code) } {
                // Enter in a field presses the first button: a note would let the action through.
                button disabled hidden {}
                @for (at, put) in open.asked.iter().enumerate() { (asked(at, put)) }
                input type="hidden" name="mark" value=(open.mark());
                @match proof {
                    Some(proof) => input type="hidden" name="proof" value=(proof);,
                    None => p { label { "Passphrase " input type="password" name="passphrase" required autocomplete="current-password"; } },
                }
                p { label { "Note for the model, with a no " input name="note" maxlength="2000"; } }
                p {
                    @for (says, words) in [("once", "Let it through once"), ("session", "For this session"), ("always", "Always…")] {
                        @if may.contains(&says) { button name="says" value=(says) { (words) } " " }
                    }
                    button name="says" value="no" { "No" }
                }
            }
        }
    }
}

fn asked(at: usize, put: &AskedQuestion) -> Markup {
    html! {
        fieldset {
            legend { (shown(&put.hook)) " asks" @if let Some(place) = &put.place { " (" (shown(place)) ")" } }
            p { (shown(&put.prompt)) }
            @for (number, choice) in put.options.iter().enumerate() {
                p { label {
                    input type="radio" name={ "choice-" (at) } value=(number);
                    " " (shown(&choice.label)) " (" (gives(choice)) ")"
                } }
            }
        }
    }
}
