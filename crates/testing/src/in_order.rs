//! Results of several threads, reported in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Tells what threads hand in, in the order of its numbers, as soon as everything before it is told: the thread that closes the gap
/// tells, so that no thread has to wait for it.
pub(crate) struct InOrder<'t, T> {
    telling: Mutex<Telling<'t, T>>,
}

struct Telling<'t, T> {
    tell: &'t mut (dyn FnMut(&T) + Send),
    told: Vec<T>,
    early: BTreeMap<usize, T>,
}

impl<'t, T> InOrder<'t, T> {
    pub(crate) fn new(tell: &'t mut (dyn FnMut(&T) + Send)) -> Self {
        let (told, early) = (Vec::new(), BTreeMap::new());
        Self {
            telling: Mutex::new(Telling { tell, told, early }),
        }
    }

    /// Hands in what has this number.
    pub(crate) fn hand_in(&self, number: usize, one: T) {
        let mut telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        telling.early.insert(number, one);
        telling.tell_next();
    }

    /// Returns everything in its order. After a stop some numbers are missing: what comes behind them is told all the same.
    pub(crate) fn into_all(self) -> Vec<T> {
        let telling = self.telling.into_inner();
        let mut telling = telling.unwrap_or_else(PoisonError::into_inner);
        for one in std::mem::take(&mut telling.early).into_values() {
            (telling.tell)(&one);
            telling.told.push(one);
        }
        telling.told
    }
}

impl<T> Telling<'_, T> {
    fn tell_next(&mut self) {
        while let Some(one) = self.early.remove(&self.told.len()) {
            (self.tell)(&one);
            self.told.push(one);
        }
    }
}
