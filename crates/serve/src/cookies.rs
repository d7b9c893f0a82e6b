//! Browsers that were let in: each has a cookie, which is kept in memory by its digest and ends with the server.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhook::files;
use axum::http::{HeaderMap, header};

use crate::clients::{is_same, secret};
use crate::error::ServeError;

/// So many browsers are known at a time; the one that came first goes.
const MOST: usize = 16;

/// The browsers that have a cookie of one name, and what is known of each.
pub(crate) struct KnownBrowsers<T> {
    name: &'static str,
    /// How long a browser keeps it.
    age: Duration,
    all: Mutex<Vec<(String, T)>>,
}

impl<T> KnownBrowsers<T> {
    pub(crate) fn new(name: &'static str, age: Duration) -> Self {
        Self {
            name,
            age,
            all: Mutex::default(),
        }
    }

    /// Lets a browser in, and returns the header that sets its cookie.
    pub(crate) fn add(&self, its: T) -> Result<String, ServeError> {
        let value = secret()?;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push((files::digest(value.as_bytes()), its));
        Ok(self.set(&value, self.age))
    }

    /// Forgets who does not last, and returns what is made of the browser whose cookie this request has.
    pub(crate) fn find<R>(
        &self,
        headers: &HeaderMap,
        lasts: impl Fn(&T) -> bool,
        found: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let given = self.given(headers)?;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, its)| lasts(its));
        let mut all = all.iter_mut();
        let one = all.find(|(digest, _)| is_same(given.as_bytes(), digest.as_bytes()));
        one.map(|(_, its)| found(its))
    }

    /// Forgets the browser whose cookie this request has, and returns the header that takes it away.
    pub(crate) fn forget(&self, headers: &HeaderMap) -> String {
        let given = self.given(headers);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(digest, _)| Some(digest) != given.as_ref());
        self.set("", Duration::ZERO)
    }

    fn set(&self, value: &str, age: Duration) -> String {
        let (name, age) = (self.name, age.as_secs());
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}")
    }

    /// The digest of the first cookie of this name.
    fn given(&self, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(header::COOKIE).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        let mut pairs = lines
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.name);
        let (_, value) = pairs.next()?;
        Some(files::digest(value.as_bytes()))
    }
}
