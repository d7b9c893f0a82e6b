//! Work that several threads share, and its results in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Fewer things than this are not worth another thread.
const WORTH: usize = 256;

/// Returns how many threads work at once unless a number is given.
pub(crate) fn processors() -> NonZeroUsize {
    static PROCESSORS: OnceLock<NonZeroUsize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// Results by their numbers. The thread that closes a gap tells what comes behind it, so that no thread waits for another.
struct OrderedResults<'t, T> {
    tell: &'t mut (dyn FnMut(&T) + Send),
    told: Vec<T>,
    early: BTreeMap<usize, T>,
}

impl<T> OrderedResults<'_, T> {
    fn tell_next(&mut self) {
        while let Some(one) = self.early.remove(&self.told.len()) {
            (self.tell)(&one);
            self.told.push(one);
        }
    }
}

/// Has threads work on one number after the other until there is nothing. Each result is told in its order; behind one that
/// is missing after a stop the others are told all the same.
pub(crate) fn in_order<T: Send>(
    threads: usize,
    work: impl Fn(usize) -> Option<T> + Sync,
    tell: &mut (dyn FnMut(&T) + Send),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let (told, early) = (Vec::new(), BTreeMap::new());
    let telling = Mutex::new(OrderedResults { tell, told, early });
    let job = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(done) = work(number) else { return };
            let mut telling = telling.lock().unwrap_or_else(PoisonError::into_inner);
            telling.early.insert(number, done);
            telling.tell_next();
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(job);
        }
        job();
    });
    let mut telling = telling.into_inner().unwrap_or_else(PoisonError::into_inner);
    for one in std::mem::take(&mut telling.early).into_values() {
        (telling.tell)(&one);
        telling.told.push(one);
    }
    telling.told
}

/// Does the same with each thing, on all processors where that is worth it.
pub(crate) fn spread<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = processors().get().min(things.len().div_ceil(WORTH));
    in_order(threads, |number| things.get(number).map(&work), &mut |_| {})
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
