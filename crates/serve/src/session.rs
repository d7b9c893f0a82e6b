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
use anyhook::passphrase::{PassphraseError, PassphraseState, PassphraseStore};
use anyhook::world::World;
use axum::http::HeaderMap;
use tokio::sync::Semaphore;

use crate::clients::{is_same, secret};
use crate::cookies::KnownBrowsers;
use crate::problem::Rejection;

/// The name of the cookie.
const COOKIE: &str = "anyhook_session";
/// How long a session may be idle.
const IDLE: Duration = Duration::from_mins(30);
/// How long it lasts at most.
const LONGEST: Duration = Duration::from_hours(12);

/// The sessions of a server.
pub(crate) struct BrowserSessions {
    passphrase: Option<PassphraseStore>,
    clock: Arc<dyn Clock>,
    pub(crate) known: KnownBrowsers<BrowserSession>,
    /// A hash takes much memory: one is computed at a time.
    one: Semaphore,
}

/// One session.
pub(crate) struct BrowserSession {
    /// The digest of its proof.
    proof: String,
    /// The passphrase that it proved: a new one ends it.
    of: String,
    since: Instant,
    seen: Instant,
}

/// What a browser gets for the passphrase.
#[derive(Debug)]
pub(crate) struct SignInGrant {
    /// The header that sets the cookie.
    pub(crate) cookie: String,
    pub(crate) proof: String,
}

impl BrowserSessions {
    pub(crate) fn of(world: &World) -> Self {
        Self {
            passphrase: world.places.as_ref().map(PassphraseStore::of),
            clock: Arc::clone(&world.clock),
            known: KnownBrowsers::new(COOKIE, LONGEST),
            one: Semaphore::new(1),
        }
    }

    /// Signs a browser in that has the passphrase.
    pub(crate) async fn sign_in(&self, given: &str) -> Result<SignInGrant, Rejection> {
        let _one = self.one.try_acquire().map_err(|_| Rejection::Busy)?;
        let passphrase = self.passphrase.clone().ok_or(Rejection::NotSet)?;
        let now = self.clock.now();
        let (its, given) = (passphrase.clone(), given.trim().to_owned());
        let proved = tokio::task::spawn_blocking(move || its.prove(&given, now)).await;
        proved
            .map_err(|_| Rejection::PassphraseFailed)?
            .map_err(|error| match error {
                PassphraseError::NotSet => Rejection::NotSet,
                PassphraseError::Gone(_) => Rejection::PassphraseGone,
                PassphraseError::Wrong { .. } => Rejection::WrongPassphrase,
                PassphraseError::Wait(_) => Rejection::WaitAWhile,
                _ => Rejection::PassphraseFailed,
            })?;
        let proof = secret().map_err(|_| Rejection::PassphraseFailed)?;
        let session = BrowserSession {
            proof: files::digest(proof.as_bytes()),
            of: passphrase.current().ok_or(Rejection::PassphraseGone)?,
            since: Instant::now(),
            seen: Instant::now(),
        };
        let cookie = self.known.add(session);
        let cookie = cookie.map_err(|_| Rejection::PassphraseFailed)?;
        Ok(SignInGrant { cookie, proof })
    }

    /// Refuses a browser that is not signed in, and, where a proof is given, one of another session: reading needs none.
    pub(crate) fn check(&self, headers: &HeaderMap, proof: Option<&str>) -> Result<(), Rejection> {
        let current = self.passphrase.as_ref().and_then(PassphraseStore::current);
        let current = current.ok_or(Rejection::SignIn)?;
        let given = proof.map(|proof| files::digest(proof.as_bytes()));
        let lasts = |session: &BrowserSession| session.lasts() && session.of == current;
        let looked = |session: &mut BrowserSession| {
            let its = session.proof.as_bytes();
            if given.is_some_and(|given| !is_same(given.as_bytes(), its)) {
                return Err(Rejection::SignIn);
            }
            session.seen = Instant::now();
            Ok(())
        };
        let found = self.known.find(headers, lasts, looked);
        found.unwrap_or(Err(Rejection::SignIn))
    }

    /// Tells whether there is a passphrase to sign in with.
    pub(crate) fn is_possible(&self) -> Result<(), Rejection> {
        match self.passphrase.as_ref().map(PassphraseStore::standing) {
            Some(PassphraseState::Set) => Ok(()),
            Some(PassphraseState::Gone(_)) => Err(Rejection::PassphraseGone),
            Some(PassphraseState::None) | None => Err(Rejection::NotSet),
        }
    }
}

impl BrowserSession {
    fn lasts(&self) -> bool {
        self.since.elapsed() < LONGEST && self.seen.elapsed() < IDLE
    }
}
