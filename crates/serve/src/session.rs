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
    pub(crate) known: Known<Session>,
    /// A hash takes much memory: one is computed at a time.
    one: Semaphore,
}

/// One session.
pub(crate) struct Session {
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
    pub(crate) async fn sign_in(&self, given: &str) -> Result<SignedIn, Problem> {
        let _one = self.one.try_acquire().map_err(|_| Problem::Busy)?;
        let passphrase = self.passphrase.clone().ok_or(Problem::NotSet)?;
        let now = self.clock.now();
        let (its, given) = (passphrase.clone(), given.trim().to_owned());
        let proved = tokio::task::spawn_blocking(move || its.prove(&given, now)).await;
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
        let cookie = self.known.add(session);
        let cookie = cookie.map_err(|_| Problem::PassphraseFailed)?;
        Ok(SignedIn { cookie, proof })
    }

    /// Refuses a browser that is not signed in, and, where a proof is given, one of another session: reading needs none.
    pub(crate) fn check(&self, headers: &HeaderMap, proof: Option<&str>) -> Result<(), Problem> {
        let current = self.passphrase.as_ref().and_then(Passphrase::current);
        let current = current.ok_or(Problem::SignIn)?;
        let given = proof.map(|proof| files::digest(proof.as_bytes()));
        let lasts = |session: &Session| session.lasts() && session.of == current;
        let looked = |session: &mut Session| {
            let its = session.proof.as_bytes();
            if given.is_some_and(|given| !is_same(given.as_bytes(), its)) {
                return Err(Problem::SignIn);
            }
            session.seen = Instant::now();
            Ok(())
        };
        let found = self.known.find(headers, lasts, looked);
        found.unwrap_or(Err(Problem::SignIn))
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
