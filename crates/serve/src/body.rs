//! The payload of a request: bounded in length, in time, and together with all others.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

use crate::limits::Limits;
use crate::problem::Rejection;

/// What is left for payloads, in KiB: each holds its part until its event is answered.
#[derive(Clone)]
pub(crate) struct PayloadBudget {
    free: Arc<Semaphore>,
    longest: usize,
}

/// A payload, and its part of the room.
pub(crate) struct RequestBody {
    pub(crate) bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl PayloadBudget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let kib = (limits.bodies / 1024).min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(kib)),
            longest: limits.body,
        }
    }

    /// Reads a payload until this instant.
    pub(crate) async fn read(&self, body: Body, last: Instant) -> Result<RequestBody, Rejection> {
        let read = timeout_at(last.into(), self.all(body));
        read.await.unwrap_or(Err(Rejection::TooSlow))
    }

    async fn all(&self, mut body: Body) -> Result<RequestBody, Rejection> {
        let mut bytes = Vec::new();
        let mut room = self.part(0)?;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Rejection::BrokenOff)?.into_data() else {
                continue;
            };
            if bytes.len() + data.len() > self.longest {
                return Err(Rejection::TooLong);
            }
            bytes.extend_from_slice(&data);
            let missing = bytes
                .len()
                .div_ceil(1024)
                .saturating_sub(room.num_permits());
            room.merge(self.part(missing)?);
        }
        Ok(RequestBody {
            bytes: bytes.into(),
            _room: room,
        })
    }

    /// Takes a part of the room. It does not wait: who holds a part waits for no other part.
    fn part(&self, kib: usize) -> Result<OwnedSemaphorePermit, Rejection> {
        let kib = u32::try_from(kib).map_err(|_| Rejection::TooLong)?;
        let part = Arc::clone(&self.free).try_acquire_many_owned(kib);
        part.map_err(|_| Rejection::NoRoom)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use hyper::body::{Body as HttpBody, Frame, SizeHint};

    use super::*;

    /// A body that says how long it is, and sends nothing.
    struct Silent(u64);

    impl HttpBody for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.0)
        }
    }

    #[tokio::test]
    async fn a_request_that_says_its_length_and_sends_nothing_takes_no_room_from_others() {
        let (body, bodies) = (16 * 1024, 32 * 1024);
        let room = PayloadBudget::new(&Limits {
            body,
            bodies,
            ..Limits::default()
        });
        let last = Instant::now() + Duration::from_mins(1);
        let silent = || room.read(Body::new(Silent(16 * 1024)), last);
        let full = || room.read(Body::from(vec![b'x'; body]), last);
        tokio::select! {
            biased;
            _ = silent() => panic!("it sends nothing"),
            _ = silent() => panic!("it sends nothing"),
            _ = silent() => panic!("it sends nothing"),
            both = async { (full().await, full().await.map(|_| ())) } => {
                let (one, other) = both;
                assert!(one.is_ok() && other.is_ok());
            }
        }
    }

    #[tokio::test]
    async fn a_payload_holds_its_room_until_it_is_dropped() {
        let body = 16 * 1024;
        let room = PayloadBudget::new(&Limits {
            body,
            bodies: body,
            ..Limits::default()
        });
        let last = Instant::now() + Duration::from_mins(1);
        let full = || room.read(Body::from(vec![b'x'; body]), last);
        let held = full().await;
        assert!(held.is_ok());
        assert!(matches!(full().await, Err(Rejection::NoRoom)));
        drop(held);
        assert!(full().await.is_ok());
    }
}
