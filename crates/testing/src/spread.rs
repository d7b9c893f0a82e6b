//! Work on many files by all processors, finished before the first case runs.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many of them are taken at once.
const PIECE: usize = 8;

/// So many of them are worth a thread: a kernel may let a new one wait for milliseconds although a processor is free, and to
/// read fewer takes no longer than that.
const WORTH: usize = 256;

/// Returns how many processors there are for us. Finding out is a matter of many files, and the answer stays the same.
pub(crate) fn processors() -> NonZeroUsize {
    static PROCESSORS: OnceLock<NonZeroUsize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Does the same to each of many things, side by side, and returns what came of them in their order. Who comes first takes
/// the next piece.
pub(crate) fn spread<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let pieces: Vec<&[T]> = things.chunks(PIECE).collect();
    let threads = processors().get().min(things.len().div_ceil(WORTH));
    let next = AtomicUsize::new(0);
    let take = || -> Vec<(usize, Vec<R>)> {
        let taken = std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            pieces.get(index).map(|piece| (index, *piece))
        });
        taken
            .map(|(index, piece)| (index, piece.iter().map(&work).collect()))
            .collect()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            // What panicked there panics here, as it would have without threads.
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().flat_map(|(_, done)| done).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_many_things_is_in_their_order() {
        for many in [0, 1, 7, 8, 9, 256, 257, 1000] {
            let things: Vec<usize> = (0..many).collect();
            let doubled: Vec<usize> = things.iter().map(|thing| thing * 2).collect();
            assert_eq!(spread(&things, |thing| thing * 2), doubled);
        }
    }

    #[test]
    fn what_panics_beside_others_panics_for_the_caller() {
        let things: Vec<usize> = (0..1000).collect();
        let work = |thing: &usize| assert_ne!(*thing, 77);
        let caught = std::panic::catch_unwind(|| spread(&things, work));
        assert!(caught.is_err());
    }
}
