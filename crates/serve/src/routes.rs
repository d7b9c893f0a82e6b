//! The routes of the server: events in the form of a host, and events in our own form.
//!
//! The table of routes is what the `OpenAPI` page says; nothing else is answered.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhook::event::EventTime;
use anyhook::load::Strictness;
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::wires::{self, Host};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::body::{PayloadBudget, RequestBody};
use crate::clients::Clients;
use crate::desk::{EventReply, EventRequest, EventService};
use crate::gate::{self, Door, HEALTH};
use crate::limits::LONGEST;
use crate::problem::{Rejection, json_of};
use crate::said;

/// What every request is answered with.
pub(crate) struct RouteContext {
    pub(crate) desk: EventService,
    pub(crate) room: PayloadBudget,
}

type RouteState = State<Arc<RouteContext>>;

/// The header that names the folder of the project.
const PROJECT: &str = "anyhook-project";

/// Every path for the token of a client, and what answers at it.
fn routes() -> [(&'static str, MethodRouter<Arc<RouteContext>>); 4] {
    let health = async || json_of(StatusCode::OK, &json!({"status": "ok"}));
    let page = async || json_of(StatusCode::OK, &openapi());
    [
        ("/v1/hosts/{host}/events", post(of_host)),
        ("/v1/events", post(of_program)),
        (HEALTH, get(health)),
        ("/v1/openapi.json", get(page)),
    ]
}

/// Returns the `OpenAPI` page of the server, which is a file.
///
/// ```
/// let page = anyhook_serve::openapi();
/// assert!(page["paths"]["/v1/hosts/{host}/events"]["post"]["responses"]["200"].is_object());
/// ```
pub fn openapi() -> Value {
    // A test reads the file, so it is JSON.
    serde_json::from_str(include_str!("../openapi.json")).unwrap_or_default()
}

/// Makes the router for one door.
pub(crate) fn router(office: &Arc<RouteContext>, clients: &Clients, door: &Door) -> Router {
    let routes = routes().into_iter();
    let all = routes.fold(Router::new(), |all, (path, handler)| {
        all.route(path, handler)
    });
    let nothing = async || Rejection::NoPath;
    let gate = middleware::from_fn_with_state((clients.clone(), door.clone()), gate::watch);
    all.fallback(nothing)
        .layer(gate)
        .with_state(Arc::clone(office))
}

async fn of_host(
    State(office): RouteState,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Rejection> {
    let host = wires::host(&name).ok_or(Rejection::NoHost)?;
    let (said, form) = answered(&office, host, request).await?;
    Ok(match form {
        ReplyForm::Bytes => said::bytes(said.reply),
        ReplyForm::Object => said::object(&said.reply),
    })
}

async fn of_program(State(office): RouteState, request: Request) -> Result<Response, Rejection> {
    let (said, _) = answered(&office, &UNIVERSAL, request).await?;
    let Some(report) = said.report else {
        return Err(Rejection::Failed);
    };
    Ok(json_of(
        StatusCode::OK,
        &json!({"result": report.answer(), "report": report}),
    ))
}

async fn answered(
    office: &RouteContext,
    host: &'static Host,
    request: Request,
) -> Result<(EventReply, ReplyForm), Rejection> {
    let (head, body) = request.into_parts();
    let wishes = RequestOptions::of(head.uri.query().unwrap_or_default(), &head.headers)?;
    let times = EventTime::of(wishes.deadline);
    // Its part of the room is held until the event is answered.
    let payload: RequestBody = office.room.read(body, times.payload()).await?;
    let project = match wishes.project {
        Some(project) => project,
        None => told(host, &payload, wishes.event.as_deref())?,
    };
    let asked = EventRequest {
        host,
        hint: wishes.event,
        project,
        strict: wishes.strict,
        times,
        payload: payload.bytes.clone(),
    };
    Ok((office.desk.answer(asked).await, wishes.form))
}

/// What the client wants to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ReplyForm {
    /// What an agent reads.
    #[default]
    Bytes,
    /// One object of all that an agent reads.
    Object,
}

/// What a client says beside the payload.
#[derive(Debug, Default, PartialEq, Eq)]
struct RequestOptions {
    event: Option<String>,
    deadline: Option<Duration>,
    project: Option<PathBuf>,
    strict: Strictness,
    form: ReplyForm,
}

impl RequestOptions {
    fn of(query: &str, headers: &HeaderMap) -> Result<Self, Rejection> {
        let mut wishes = Self::default();
        let mut seen = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(Rejection::UnknownQuery)?;
            if seen.contains(&name) {
                return Err(Rejection::UnknownQuery);
            }
            seen.push(name);
            // A plus sign is a plus sign here: no path loses one.
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| Rejection::UnreadableQuery)?.into_owned();
            match (name, &*value) {
                ("event", _) => wishes.event = Some(value),
                ("deadline", text) => wishes.deadline = Some(seconds(text)?),
                ("project", text) => wishes.project = Some(folder(text.into())?),
                ("strict", "yes") => wishes.strict = Strictness::Strict,
                ("reply", "json") => wishes.form = ReplyForm::Object,
                _ => return Err(Rejection::UnknownQuery),
            }
        }
        let mut named = headers.get_all(PROJECT).iter();
        match (named.next(), named.next(), &wishes.project) {
            (None, _, _) => {}
            (Some(one), None, None) => {
                wishes.project = Some(folder(OsStr::from_bytes(one.as_bytes()).into())?);
            }
            (Some(_), _, _) => return Err(Rejection::NoProject),
        }
        Ok(wishes)
    }
}

fn seconds(text: &str) -> Result<Duration, Rejection> {
    let seconds: f64 = text.parse().map_err(|_| Rejection::NoTime)?;
    let is_in_reach = seconds > 0.0 && seconds <= LONGEST.as_secs_f64();
    is_in_reach
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or(Rejection::NoTime)
}

/// A folder need not be there any more; one that is not named in full would be another one in each process.
fn folder(path: PathBuf) -> Result<PathBuf, Rejection> {
    let is_whole = path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0);
    is_whole.then_some(path).ok_or(Rejection::NoProject)
}

/// Returns the folder that the payload names. Without one nothing says whose hooks hold, so nothing is decided.
fn told(host: &Host, payload: &RequestBody, hint: Option<&str>) -> Result<PathBuf, Rejection> {
    let event = host.read_event(&payload.bytes, hint);
    let event = event.map_err(|_| Rejection::NoEvent)?;
    let data = event.data.json();
    let cwd = data.get("cwd").and_then(Value::as_str);
    folder(cwd.ok_or(Rejection::NoProject)?.into())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn wishes(query: &str, project: &[&str]) -> Result<RequestOptions, Rejection> {
        let mut headers = HeaderMap::new();
        for one in project {
            headers.append(PROJECT, HeaderValue::from_bytes(one.as_bytes()).unwrap());
        }
        RequestOptions::of(query, &headers)
    }

    #[test]
    fn the_page_has_every_path_for_clients_and_every_host() {
        let page = openapi();
        for (path, _) in routes() {
            assert!(page["paths"][path].is_object(), "{path}");
        }
        let known = page.pointer("/paths/~1v1~1hosts~1{host}~1events/post/parameters");
        let known = known.and_then(Value::as_array).into_iter().flatten();
        let mut known = known.filter(|one| one["name"] == "host");
        let hosts: Vec<&str> = wires::hosts::HOSTS.iter().map(|host| host.id()).collect();
        assert_eq!(known.next().unwrap()["schema"]["enum"], json!(hosts));
    }

    #[test]
    fn a_client_says_the_event_its_time_and_its_project() {
        let all = wishes("event=Stop&deadline=1.5&project=/a%20b/c+d&reply=json", &[]);
        let all = all.unwrap();
        assert_eq!(all.event.as_deref(), Some("Stop"));
        assert_eq!(all.deadline, Some(Duration::from_millis(1500)));
        assert_eq!(all.project, Some("/a b/c+d".into()));
        assert_eq!(all.form, ReplyForm::Object);
        let by_header = wishes("", &["/a b/\u{e4}"]).unwrap();
        assert_eq!(by_header.project, Some("/a b/\u{e4}".into()));
    }

    #[test]
    fn a_wish_that_is_not_understood_is_refused_and_never_passed_over() {
        for (query, project, problem) in [
            ("manifest=/x", &[][..], Rejection::UnknownQuery),
            ("trust-all", &[], Rejection::UnknownQuery),
            ("reply=text", &[], Rejection::UnknownQuery),
            ("strict=no", &[], Rejection::UnknownQuery),
            ("event=Stop&event=PreToolUse", &[], Rejection::UnknownQuery),
            ("deadline=0", &[], Rejection::NoTime),
            ("deadline=601", &[], Rejection::NoTime),
            ("deadline=NaN", &[], Rejection::NoTime),
            ("deadline=soon", &[], Rejection::NoTime),
            ("event=%ff", &[], Rejection::UnreadableQuery),
            ("project=src", &[], Rejection::NoProject),
            ("project=/a%00b", &[], Rejection::NoProject),
            ("", &[""], Rejection::NoProject),
            ("", &["/a", "/b"], Rejection::NoProject),
            ("project=/a", &["/b"], Rejection::NoProject),
        ] {
            assert_eq!(wishes(query, project), Err(problem), "{query} {project:?}");
        }
    }
}
