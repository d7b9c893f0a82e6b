//! Asking over HTTP: one question, a few tries, and an account of both.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::answer::{self, UnreadableAnswer};
use super::http::{RequestFailure, post};
use super::providers::{ModelReply, ModelRequest};
use super::settings::{ConfiguredModel, ModelError, ModelSettings};
use super::{JudgeRequest, instruct};
use crate::remote::SendError;
use crate::state::{BudgetError, FileState, PriorState, SessionKey, State as _};
use crate::world::World;

/// How many times a request is made again.
const RETRIES: u32 = 2;

/// How long is waited before the first of them; each time twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// How many bytes are taken for a token, before the server says how many there were.
const BYTES_A_TOKEN: u64 = 4;

/// How many tokens an answer may have: a model that thinks first needs some.
const LONGEST_ANSWER: u64 = 2048;

/// Why a model gave no answer.
///
/// ```
/// use anyhook_engine::models::AskError;
/// assert!(AskError::Homeless.told().starts_with("there is no home folder"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is none to ask.
    #[error(transparent)]
    Settings(#[from] ModelError),
    /// The calls cannot be counted.
    #[error("there is no home folder, so the calls of this session cannot be counted")]
    Homeless,
    /// The session may ask no more.
    #[error("the model was not asked")]
    Budget(#[from] BudgetError),
    /// The server gave no answer.
    #[error(transparent)]
    Send(#[from] SendError),
    /// What the model or its server said is no judgement.
    #[error(transparent)]
    Unread(#[from] UnreadableAnswer),
}

impl AskError {
    /// Returns what happened with its causes, and what to do about it, in one line.
    pub fn told(&self) -> String {
        crate::files::with_causes(self)
    }
}

/// Asks the configured model about an event, and returns its answer as a hook would print it.
///
/// It blocks until there is one, and counts every request in the state of its session. A model that is not there, not in
/// time or not to be understood is an error: what that means is for the hook to say.
///
/// ```
/// use anyhook_engine::models::{AskError, JudgeRequest, ask};
/// use anyhook_engine::world::World;
///
/// let env = [
///     ("ANYHOOK_MODEL".into(), "m".into()),
///     ("ANYHOOK_MODEL_BASE_URL".into(), "not an address".into()),
/// ];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let judging =
///     JudgeRequest { prompt: "Is it safe?".into(), session: None, millis: 20_000, stand_in: None };
/// let failed = ask(&world, &judging, b"{}").unwrap_err();
/// assert!(matches!(failed, AskError::Settings(_) | AskError::Homeless));
/// ```
pub fn ask(world: &World, judging: &JudgeRequest, event: &[u8]) -> Result<Value, AskError> {
    let settings = ConfiguredModel::of(world).settings?;
    let places = world.places.as_ref().ok_or(AskError::Homeless)?;
    let now = world.clock.now();
    let account = ModelAccount {
        state: FileState::new(places.sessions()),
        // Events without a session have one account for each day.
        key: judging.session.clone().unwrap_or_else(|| {
            let day = now / 86_400_000;
            SessionKey::new("anyhook", format!("events without a session, day {day}"))
        }),
        now,
    };
    let instruction = instruct::instruction(&judging.prompt);
    let data = instruct::data(event);
    let wanted = ModelRequest {
        model: &settings.model,
        instruction: &instruction,
        data: &data,
        most: LONGEST_ANSWER,
    };
    let end = Instant::now() + Duration::from_millis(judging.millis);
    let mut forms = settings.provider.forms.iter().peekable();
    let mut tries = 0;
    while let Some(write) = forms.peek() {
        match once(&settings, &account, &write(&wanted), end)? {
            Ok(answered) => return Ok(answer::read(&answered.said?)?),
            Err(RequestFailure::Finally(error)) => return Err(error),
            Err(RequestFailure::Form(error)) => {
                forms.next();
                if forms.peek().is_none() {
                    return Err(error);
                }
            }
            Err(RequestFailure::Again(error, told)) => {
                let pause = told.unwrap_or(PAUSE * 2_u32.pow(tries));
                tries += 1;
                if tries > RETRIES || Instant::now() + pause >= end {
                    return Err(error);
                }
                sleep(pause);
            }
        }
    }
    Err(UnreadableAnswer::new("the provider knows no request").into())
}

/// Makes one request, on the account of the session.
fn once(
    settings: &ModelSettings,
    account: &ModelAccount,
    body: &Value,
    end: Instant,
) -> Result<Result<ModelReply, RequestFailure>, AskError> {
    let taken = account.take(body.to_string().len(), LONGEST_ANSWER)?;
    let left = end.saturating_duration_since(Instant::now());
    let done = post(settings, body, left).and_then(|answer| {
        let read = (settings.provider.read)(&answer);
        read.map_err(|unread| RequestFailure::Finally(unread.into()))
    });
    let used = match &done {
        Ok(answered) => answered.tokens.unwrap_or(taken),
        // A server that refuses has asked no model; what happened in any other case is not known.
        Err(failed) if failed.is_refusal() => 0,
        Err(_) => taken,
    };
    account.settle(taken, used);
    Ok(done)
}

/// The account of one session: each request is counted before it is made, in the state that all processes share.
struct ModelAccount {
    state: FileState,
    key: SessionKey,
    now: i64,
}

impl ModelAccount {
    /// Takes a call, and the tokens that it may need at most. Returns the account's claim on what it does not need.
    fn take(&self, bytes: usize, answer: u64) -> Result<u64, BudgetError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.div_ceil(BYTES_A_TOKEN).saturating_add(answer);
        let mut taken = Ok(wanted);
        let _found: PriorState = self.state.update(&self.key, &mut |session| {
            session.seen = session.seen.max(self.now);
            taken = session.models.take(wanted);
        })?;
        taken
    }

    /// Gives back what a call did not need, or takes what it needed more. Where that cannot be kept, what was taken
    /// stands: an answer that is there already is worth more than an exact account.
    fn settle(&self, taken: u64, used: u64) {
        let _ = self.state.update(&self.key, &mut |session| {
            session.models.settle(taken, used);
        });
    }
}
