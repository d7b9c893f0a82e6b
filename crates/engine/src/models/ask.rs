//! Asking over HTTP: one question, a few tries, and an account of both.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhook_core::event::Map;
use anyhook_wires::json;
use serde_json::Value;
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use super::account::Account;
use super::answer::{self, Unread};
use super::providers::{Answered, Wanted};
use super::settings::{Configured, Place, Settings, SettingsError};
use super::{BudgetError, Judging, LATE, instruct};
use crate::load::plain;
use crate::state::FileState;
use crate::world::World;

/// How many times a request is made again (D43).
const RETRIES: u32 = 2;

/// How long is waited before the first of them; each time twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// How many tokens an answer may have: a model that thinks first needs some.
const LONGEST_ANSWER: u64 = 2048;

/// How many bytes of a server's answer are read.
const LONGEST_BODY: u64 = 1 << 20;

/// How much of what a server says of its own error is told.
const TOLD: usize = 200;

/// Why a model gave no answer.
///
/// ```
/// use anyhook::models::AskError;
/// let error = AskError::Status("503: try later".into());
/// assert_eq!(error.told(), "the server of the model answered 503: try later");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is none to ask.
    #[error("no model can be asked")]
    Settings(#[from] SettingsError),
    /// Nobody can count the calls.
    #[error("there is no home folder, so the calls of this session cannot be counted")]
    Homeless,
    /// The session may ask no more.
    #[error("the model was not asked")]
    Budget(#[from] BudgetError),
    /// The server cannot be reached.
    #[error("the server of the model cannot be reached")]
    Unreachable(#[source] Box<ureq::Error>),
    /// There is no time left.
    #[error("{LATE}")]
    Late,
    /// The server refuses.
    #[error("the server of the model answered {0}")]
    Status(String),
    /// What the server sent is no answer of its protocol.
    #[error("the server of the model sent {0}")]
    NoProtocol(String),
    /// What the model said is no judgement.
    #[error(transparent)]
    Unread(#[from] Unread),
}

impl AskError {
    /// Returns what happened with its causes, and what to do about it, in one line.
    pub fn told(&self) -> String {
        match self {
            Self::Settings(error) => error.told(),
            other => crate::files::with_causes(other),
        }
    }
}

/// Asks the configured model about an event, and returns its answer as a hook would print it.
///
/// It blocks until there is one, and counts every request in the state of its session. A model that is not there, not in
/// time or not to be understood is an error: what that means is for the hook to say.
///
/// ```
/// use anyhook::models::{AskError, Judging, ask};
/// use anyhook::world::World;
///
/// let env = [
///     ("ANYHOOK_MODEL".into(), "m".into()),
///     ("ANYHOOK_MODEL_BASE_URL".into(), "not an address".into()),
/// ];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let judging =
///     Judging { prompt: "Is it safe?".into(), session: None, millis: 20_000, stand_in: None };
/// let failed = ask(&world, &judging, b"{}").unwrap_err();
/// assert!(matches!(failed, AskError::Settings(_) | AskError::Homeless));
/// ```
pub fn ask(world: &World, judging: &Judging, event: &[u8]) -> Result<Value, AskError> {
    let settings = Configured::of(world).settings?;
    let places = world.places.as_ref().ok_or(AskError::Homeless)?;
    let state = FileState::new(places.sessions());
    let account = Account::of(&state, judging.session.as_ref(), world.clock.now());
    let instruction = instruct::instruction(&judging.prompt);
    let data = instruct::data(event);
    let wanted = Wanted {
        model: &settings.model,
        instruction: &instruction,
        data: &data,
        most: LONGEST_ANSWER,
    };
    let asking = Asking {
        settings: &settings,
        account: &account,
        end: Instant::now() + Duration::from_millis(judging.millis),
    };
    Ok(answer::read(&asking.until_answered(&wanted)?.said?)?)
}

/// One asking.
struct Asking<'a> {
    settings: &'a Settings,
    account: &'a Account<'a>,
    end: Instant,
}

/// What a request came to that is no answer.
enum Failed {
    /// The next one may go better, not before this time.
    Again(AskError, Option<Duration>),
    /// The server does not know this form of a request.
    Form(AskError),
    /// Nothing will change.
    Finally(AskError),
}

impl Failed {
    fn is_refusal(&self) -> bool {
        let (Self::Again(error, _) | Self::Form(error) | Self::Finally(error)) = self;
        matches!(error, AskError::Status(_))
    }
}

impl Asking<'_> {
    fn until_answered(&self, wanted: &Wanted<'_>) -> Result<Answered, AskError> {
        let mut forms = self.settings.provider.forms.iter();
        let mut form = forms.next();
        let mut tries = 0;
        while let Some(write) = form {
            match self.once(&write(wanted), wanted.most)? {
                Ok(answered) => return Ok(answered),
                Err(Failed::Finally(error)) => return Err(error),
                Err(Failed::Form(error)) => match forms.next() {
                    Some(next) => form = Some(next),
                    None => return Err(error),
                },
                Err(Failed::Again(error, told)) => {
                    let pause = told.unwrap_or(PAUSE * 2_u32.pow(tries));
                    tries += 1;
                    if tries > RETRIES || Instant::now() + pause >= self.end {
                        return Err(error);
                    }
                    sleep(pause);
                }
            }
        }
        Err(Unread::new("the provider knows no request").into())
    }

    /// Makes one request, on the account of the session.
    fn once(&self, body: &Value, most: u64) -> Result<Result<Answered, Failed>, AskError> {
        let body = body.to_string();
        let taken = self.account.take(body.len(), most)?;
        let done = self.sent(body.as_bytes());
        let used = match &done {
            Ok(answered) => answered.tokens.unwrap_or(taken),
            // A server that refuses has asked no model; what happened in any other case, nobody knows.
            Err(failed) if failed.is_refusal() => 0,
            Err(_) => taken,
        };
        self.account.settle(taken, used);
        Ok(done)
    }

    fn sent(&self, body: &[u8]) -> Result<Answered, Failed> {
        let Settings {
            provider,
            base,
            key,
            ..
        } = self.settings;
        let agent = self.agent();
        let mut request = agent
            .post(format!("{base}{}", provider.path))
            .content_type("application/json")
            .header("accept", "application/json");
        for (name, value) in provider.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = key {
            let (name, before) = provider.key;
            request = request.header(name, format!("{before}{}", key.reveal()));
        }
        let answer = request.send(body).map_err(unreachable)?;
        self.read(answer)
    }

    fn agent(&self) -> Agent {
        let left = self.end.saturating_duration_since(Instant::now());
        let config = Agent::config_builder()
            .user_agent(concat!("anyhook/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            // Where it leads, nobody chose: neither the event nor the key goes there.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(left.max(Duration::from_millis(1))));
        let config = match Place::of(&self.settings.base) {
            Ok(Place::Here) => config.proxy(None),
            Ok(Place::Clear | Place::Private) | Err(_) => config,
        };
        config.build().into()
    }

    fn read(&self, mut answer: Response<Body>) -> Result<Answered, Failed> {
        let status = answer.status();
        let wait = wait(&answer);
        let kind = answer.body().mime_type().map(str::to_owned);
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(LONGEST_BODY)
            .read_to_vec()
            .map_err(unreachable)?;
        if !status.is_success() {
            return Err(self.refused(status, wait, &bytes));
        }
        let other = |what: String| Failed::Finally(AskError::NoProtocol(what));
        if kind.as_deref() != Some("application/json") {
            let kind = kind.map_or_else(|| "nothing".to_owned(), |kind| plain(&kind));
            return Err(other(format!("`{kind}` instead of JSON")));
        }
        let object =
            json::object(&bytes).map_err(|error| other(format!("broken JSON: {error}")))?;
        (self.settings.provider.read)(&object).map_err(|unread| Failed::Finally(unread.into()))
    }

    fn refused(&self, status: StatusCode, wait: Option<Duration>, body: &[u8]) -> Failed {
        let code = status.as_u16();
        let error = AskError::Status(match code {
            300..=399 => format!("{code}: it is somewhere else, and nobody chose that address"),
            // What a server says about a key may quote it.
            401 | 403 => format!("{code}: it does not accept the key"),
            _ => format!("{code}{}", self.complaint(body)),
        });
        match code {
            429 | 500..=599 => Failed::Again(error, wait),
            400 | 415 | 422 => Failed::Form(error),
            _ => Failed::Finally(error),
        }
    }

    /// Quotes what a server says about its error, without the key.
    fn complaint(&self, body: &[u8]) -> String {
        let said = json::object(body).ok().and_then(|body| complaint_of(&body));
        let Some(said) = said else {
            return String::new();
        };
        let said = match &self.settings.key {
            Some(key) => key.erased_from(&said),
            None => said,
        };
        let said: String = plain(&said.replace('\n', " ")).chars().take(TOLD).collect();
        format!(": {said}")
    }
}

/// Both protocols say it in `error.message`; some servers in `error`, or `message`.
fn complaint_of(body: &Map) -> Option<String> {
    let error = body.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let text = nested.or(error).or_else(|| body.get("message"))?.as_str()?;
    Some(text.to_owned())
}

/// How long the server asks us to wait; a date is passed over.
fn wait(answer: &Response<Body>) -> Option<Duration> {
    let header = answer.headers().get("retry-after")?.to_str().ok()?;
    header.trim().parse().ok().map(Duration::from_secs)
}

fn unreachable(error: ureq::Error) -> Failed {
    let is_late = match &error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => error.kind() == io::ErrorKind::TimedOut,
        _ => false,
    };
    Failed::Finally(match error {
        _ if is_late => AskError::Late,
        ureq::Error::BodyExceedsLimit(most) => {
            AskError::NoProtocol(format!("more than {most} bytes"))
        }
        other => AskError::Unreachable(Box::new(other)),
    })
}
