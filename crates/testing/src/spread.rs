//! Work that several threads share, and its results in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_many_things_is_in_their_order() {
        for many in [0, 1, 7, 256] {
            let doubled = |number: usize| (number < many).then_some(number * 2);
            let mut told = Vec::new();
            let all = in_order(4, doubled, &mut |one| told.push(*one));
            let expected: Vec<usize> = (0..many).map(|number| number * 2).collect();
            assert_eq!(all, expected);
            assert_eq!(told, all);
        }
    }

    #[test]
    fn what_panics_beside_others_panics_for_the_caller() {
        let work = |number: usize| {
            assert_ne!(number, 77);
            (number < 1000).then_some(())
        };
        let caught = std::panic::catch_unwind(|| in_order(4, work, &mut |()| {}));
        assert!(caught.is_err());
    }
}
