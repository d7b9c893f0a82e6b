//! The payload of a request: bounded in length, in time, and together with all others.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use http_body_util::LengthLimitError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

use crate::limits::Limits;
use crate::problem::Problem;

/// What is left for payloads, in KiB: each holds its part until its event is answered.
#[derive(Clone)]
pub(crate) struct Room {
    free: Arc<Semaphore>,
    longest: usize,
}

/// A payload, and its part of the room.
pub(crate) struct Payload {
    pub(crate) bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl Room {
    pub(crate) fn new(limits: &Limits) -> Self {
        let kib = (limits.bodies / 1024).min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(kib)),
            longest: limits.body,
        }
    }

    /// Reads a payload until this instant. It takes as much room as the request says, or the most where it says nothing, and
    /// waits for none: a client that is slow keeps nobody else waiting.
    pub(crate) async fn read(&self, body: Body, last: Instant) -> Result<Payload, Problem> {
        let said = body.size_hint().exact();
        let bytes = said.map_or(Ok(self.longest), usize::try_from);
        let bytes = bytes.ok().filter(|bytes| *bytes <= self.longest);
        let kib = bytes.and_then(|bytes| u32::try_from(bytes.div_ceil(1024)).ok());
        let kib = kib.ok_or(Problem::TooLong)?;
        let room = Arc::clone(&self.free).try_acquire_many_owned(kib);
        let room = room.map_err(|_| Problem::NoRoom)?;
        let read = timeout_at(last.into(), to_bytes(body, self.longest));
        let bytes = read.await.map_err(|_| Problem::TooSlow)?;
        let bytes = bytes.map_err(|error| {
            let is_long = error
                .source()
                .is_some_and(<dyn Error>::is::<LengthLimitError>);
            if is_long {
                Problem::TooLong
            } else {
                Problem::BrokenOff
            }
        })?;
        Ok(Payload { bytes, _room: room })
    }
}
