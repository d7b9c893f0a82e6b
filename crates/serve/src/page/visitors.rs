//! Visitors of the page: browsers that a person let in by a link, each with a cookie of its own.
//!
//! A link is a secret that counts once, for some minutes. Only its digest is kept, as the name of an empty file in the private
//! folder of the server: who can make one is the person, and the server lets in by removing it. Cookies are kept in memory,
//! by their digests, and end with the server.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhook::files;
use axum::http::HeaderMap;

use crate::clients::secret;
use crate::cookies::KnownBrowsers;
use crate::error::ServeError;
use crate::places::ServerFolder;

/// How long a link counts.
const LINK: Duration = Duration::from_mins(10);
/// How long a browser may look without a new link.
const VISIT: Duration = Duration::from_hours(12);
/// The browsers that were let in.
pub(crate) struct Visitors {
    links: PathBuf,
    known: KnownBrowsers<Instant>,
}

/// Makes a link that lets one browser in, once, and returns its secret.
pub(crate) fn link(folder: &ServerFolder) -> Result<String, ServeError> {
    let links = folder.below("links")?;
    for old in fs::read_dir(&links).into_iter().flatten().flatten() {
        let age = old.metadata().and_then(|meta| meta.modified());
        if age.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > LINK)) {
            // One that stays counts no more all the same.
            let _ = fs::remove_file(old.path());
        }
    }
    let secret = secret()?;
    let made = ServerFolder::create(&links.join(files::digest(secret.as_bytes())));
    made.map_err(ServeError::io("keep a link"))?;
    Ok(secret)
}

impl Visitors {
    pub(crate) fn of(folder: &ServerFolder) -> Result<Self, ServeError> {
        Ok(Self {
            links: folder.below("links")?,
            known: KnownBrowsers::new("anyhook", VISIT),
        })
    }

    /// Lets in a browser that has the secret of a link, and returns the cookie for it. The link counts no more.
    pub(crate) fn enter(&self, secret: &str) -> Option<String> {
        let file = self.links.join(files::digest(secret.as_bytes()));
        let made = fs::symlink_metadata(&file).and_then(|meta| meta.modified());
        // Of two that come at once, the one that removes the file is let in.
        fs::remove_file(&file).ok()?;
        let is_young = made.ok()?.elapsed().is_ok_and(|age| age <= LINK);
        is_young.then(|| self.known.add(Instant::now()))?.ok()
    }

    /// Tells whether this request has the cookie of a browser that was let in.
    pub(crate) fn has(&self, headers: &HeaderMap) -> bool {
        let lasts = |since: &Instant| since.elapsed() < VISIT;
        self.known.find(headers, lasts, |_| ()).is_some()
    }
}
