//! Work on many files by all processors: what is read before the first case runs is waited for.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

/// Fewer pieces of work are done at once: a thread costs as much as reading some files.
const FEW: usize = 16;

/// Returns how many processors there are for us. Finding out is a matter of many files, and the answer stays the same.
pub(crate) fn processors() -> NonZeroUsize {
    static PROCESSORS: OnceLock<NonZeroUsize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Does the same to each of many things, side by side, and returns what came of them in their order.
pub(crate) fn spread<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let share = things.len().div_ceil(processors().get()).max(FEW);
    let mut shares = things.chunks(share);
    let own = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = shares
            .map(|share| (share, scope.spawn(move || done(share, work))))
            .collect();
        let mut all = done(own, work);
        for (share, other) in others {
            // What panicked there panics here again, as it would have without threads.
            all.extend(other.join().unwrap_or_else(|_| done(share, work)));
        }
        all
    })
}

fn done<T, R>(things: &[T], work: &impl Fn(&T) -> R) -> Vec<R> {
    things.iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_many_things_is_in_their_order() {
        for many in [0, 1, 15, 16, 17, 100, 1000] {
            let things: Vec<usize> = (0..many).collect();
            let doubled: Vec<usize> = things.iter().map(|thing| thing * 2).collect();
            assert_eq!(spread(&things, |thing| thing * 2), doubled);
        }
    }
}
