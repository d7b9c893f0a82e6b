//! Visitors of the page: browsers that a person let in by a link, each with a cookie of its own.
//!
//! A link is a secret that counts once, for some minutes. Only its digest is kept, as the name of an empty file in the private
//! folder of the server: who can make one is the person, and the server lets in by removing it. Cookies are kept in memory,
//! by their digests, and end with the server.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhook::files;
use axum::http::{HeaderMap, header};

use crate::clients::{is_same, secret};
use crate::error::ServeError;
use crate::places::ServerFolder;

/// How long a link counts.
const LINK: Duration = Duration::from_mins(10);
/// How long a browser may look without a new link.
const VISIT: Duration = Duration::from_hours(12);
/// So many browsers are known at a time; the one that came first goes.
const MOST: usize = 16;
/// The name of the cookie.
const COOKIE: &str = "anyhook";

/// A browser that was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// The digest of its cookie: it names the browser, and lets no other one in.
    pub(crate) digest: String,
}

/// The browsers that were let in.
pub(crate) struct Visitors {
    links: PathBuf,
    known: Mutex<Vec<(Visitor, Instant)>>,
}

/// Makes a link that lets one browser in, once, and returns its secret.
pub(crate) fn link(folder: &ServerFolder) -> Result<String, ServeError> {
    let links = folder.links()?;
    for old in fs::read_dir(&links).into_iter().flatten().flatten() {
        let age = old.metadata().and_then(|meta| meta.modified());
        if age.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > LINK)) {
            // One that stays counts no more all the same.
            let _ = fs::remove_file(old.path());
        }
    }
    let secret = secret()?;
    let mut made = fs::OpenOptions::new();
    made.write(true).create_new(true).mode(0o600);
    made.open(links.join(files::digest(secret.as_bytes())))
        .map_err(ServeError::io("keep a link"))?;
    Ok(secret)
}

impl Visitors {
    pub(crate) fn of(folder: &ServerFolder) -> Result<Self, ServeError> {
        Ok(Self {
            links: folder.links()?,
            known: Mutex::default(),
        })
    }

    /// Lets in a browser that has the secret of a link, and returns the cookie for it. The link counts no more.
    pub(crate) fn enter(&self, secret: &str) -> Option<String> {
        let file = self.links.join(files::digest(secret.as_bytes()));
        let made = fs::symlink_metadata(&file).and_then(|meta| meta.modified());
        // Of two that come at once, the one that removes the file is let in.
        fs::remove_file(&file).ok()?;
        let is_young = made.ok()?.elapsed().is_ok_and(|age| age <= LINK);
        let value = is_young.then(crate::clients::secret)?.ok()?;
        let visitor = Visitor {
            digest: files::digest(value.as_bytes()),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, since)| since.elapsed() < VISIT);
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((visitor, Instant::now()));
        Some(format!(
            "{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}",
            VISIT.as_secs()
        ))
    }

    /// Returns the browser whose cookie this request has.
    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<Visitor> {
        let cookies = headers.get_all(header::COOKIE).iter();
        let cookies = cookies.filter_map(|line| line.to_str().ok());
        let mut pairs = cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == COOKIE);
        let (_, value) = pairs.next()?;
        let given = files::digest(value.as_bytes());
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = known.iter().filter(|(_, since)| since.elapsed() < VISIT);
        let found = known.find(|(visitor, _)| is_same(given.as_bytes(), visitor.digest.as_bytes()));
        found.map(|(visitor, _)| visitor.clone())
    }
}
