//! Browsers whose person proved the passphrase: only they answer questions.
//!
//! A session is a cookie and a proof. The cookie comes with every request of the browser, also with those to another server of
//! this machine, as cookies know no ports; so it lets its holder read the open questions and nothing more. The proof is a
//! second secret. It stands in what answers the passphrase, and in no page that a cookie alone opens, so no page of another
//! origin ever has it: it also keeps forms of other pages out. Both are kept in memory, by their digests, and end with the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhook::core::ports::Clock;
use anyhook::files;
use anyhook::passphrase::{Passphrase, PassphraseError, Standing};
use anyhook::world::World;
use axum::http::HeaderMap;
use tokio::sync::Semaphore;

use crate::clients::{is_same, secret};
use crate::cookies::Known;
use crate::problem::Problem;

/// The name of the cookie.
const COOKIE: &str = "anyhook_session";
/// How long a session may be idle.
const IDLE: Duration = Duration::from_mins(30);
/// How long it lasts at most.
const LONGEST: Duration = Duration::from_hours(12);

/// The sessions of a server.
pub(crate) struct Sessions {
    passphrase: Option<Passphrase>,
    clock: Arc<dyn Clock>,
    known: Known<Session>,
    /// A hash takes much memory: one is computed at a time.
    one: Semaphore,
}

/// One session.
struct Session {
    /// The digest of its proof.
    proof: String,
    /// The passphrase that it proved: a new one ends it.
    of: String,
    since: Instant,
    seen: Instant,
}

/// What a browser gets for the passphrase.
#[derive(Debug)]
pub(crate) struct SignedIn {
    /// The header that sets the cookie.
    pub(crate) cookie: String,
    pub(crate) proof: String,
}

impl Sessions {
    pub(crate) fn of(world: &World) -> Self {
        Self {
            passphrase: world.places.as_ref().map(Passphrase::of),
            clock: Arc::clone(&world.clock),
            known: Known::new(COOKIE, LONGEST),
            one: Semaphore::new(1),
        }
    }

    /// Signs a browser in that has the passphrase.
    pub(crate) async fn sign_in(&self, given: String) -> Result<SignedIn, Problem> {
        let _one = self.one.try_acquire().map_err(|_| Problem::Busy)?;
        let passphrase = self.passphrase.clone().ok_or(Problem::NotSet)?;
        let now = self.clock.now();
        let its = passphrase.clone();
        let proved = tokio::task::spawn_blocking(move || its.prove(given.trim(), now)).await;
        proved
            .map_err(|_| Problem::PassphraseFailed)?
            .map_err(|error| match error {
                PassphraseError::NotSet => Problem::NotSet,
                PassphraseError::Gone(_) => Problem::PassphraseGone,
                PassphraseError::Wrong { .. } => Problem::WrongPassphrase,
                PassphraseError::Wait(_) => Problem::WaitAWhile,
                _ => Problem::PassphraseFailed,
            })?;
        let proof = secret().map_err(|_| Problem::PassphraseFailed)?;
        let session = Session {
            proof: files::digest(proof.as_bytes()),
            of: passphrase.current().ok_or(Problem::PassphraseGone)?,
            since: Instant::now(),
            seen: Instant::now(),
        };
        let cookie = self
            .known
            .add(session)
            .map_err(|_| Problem::PassphraseFailed)?;
        Ok(SignedIn { cookie, proof })
    }

    /// Tells whether this browser is signed in.
    pub(crate) fn reads(&self, headers: &HeaderMap) -> Result<(), Problem> {
        self.with(headers, |_| true)
    }

    /// Tells whether this browser is signed in, and this request has its proof.
    pub(crate) fn answers(&self, headers: &HeaderMap, proof: &str) -> Result<(), Problem> {
        let given = files::digest(proof.as_bytes());
        self.with(headers, |session| {
            is_same(given.as_bytes(), session.proof.as_bytes())
        })
    }

    fn with(&self, headers: &HeaderMap, holds: impl Fn(&Session) -> bool) -> Result<(), Problem> {
        let current = self.passphrase.as_ref().and_then(Passphrase::current);
        let current = current.ok_or(Problem::SignIn)?;
        let lasts = |session: &Session| session.lasts() && session.of == current;
        let looked = |session: &mut Session| {
            let is_its = holds(session);
            if is_its {
                session.seen = Instant::now();
            }
            is_its
        };
        let is_its = self.known.find(headers, lasts, looked);
        is_its
            .filter(|is_its| *is_its)
            .map(drop)
            .ok_or(Problem::SignIn)
    }

    /// Ends the session of this browser, and returns the header that takes its cookie away.
    pub(crate) fn end(&self, headers: &HeaderMap) -> String {
        self.known.forget(headers)
    }

    /// Tells whether there is a passphrase to sign in with.
    pub(crate) fn is_possible(&self) -> Result<(), Problem> {
        match self.passphrase.as_ref().map(Passphrase::standing) {
            Some(Standing::Set) => Ok(()),
            Some(Standing::Gone(_)) => Err(Problem::PassphraseGone),
            Some(Standing::None) | None => Err(Problem::NotSet),
        }
    }
}

impl Session {
    fn lasts(&self) -> bool {
        self.since.elapsed() < LONGEST && self.seen.elapsed() < IDLE
    }
}
