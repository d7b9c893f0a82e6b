//! Expressions that were read before: a text is read once in a process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use foldhash::fast::RandomState;

use super::{CompiledCondition, ConditionError, LONGEST};
use crate::lock;

/// So many are kept; with more of them all are read again, so that a program that runs for months stays small.
const MOST: usize = 4096;

/// What a text means, or what is wrong with it.
type CachedCondition = Result<Arc<CompiledCondition>, ConditionError>;

static KNOWN: LazyLock<Mutex<HashMap<Box<str>, CachedCondition, RandomState>>> =
    LazyLock::new(Mutex::default);

/// Reads an expression, or says what is wrong with it.
pub(super) fn known(text: &str) -> CachedCondition {
    if text.len() > LONGEST {
        return CompiledCondition::read_anew(text).map(Arc::new);
    }
    // Nothing under this lock can panic halfway through a change.
    let mut known = lock(&KNOWN);
    if let Some(read) = known.get(text) {
        return read.clone();
    }
    let read = CompiledCondition::read_anew(text).map(Arc::new);
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(text.into(), read.clone());
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_read_once_and_no_more_of_them_are_kept_than_fit() {
        let good = known("tool_name == 'Bash'").unwrap();
        assert!(known("tool_name ==").is_err() && known("tool_name ==").is_err());
        assert!(Arc::ptr_eq(&good, &known("tool_name == 'Bash'").unwrap()));
        for number in 0..MOST {
            assert!(known(&format!("size(tool_name) == {number}")).is_ok());
        }
        assert!(KNOWN.lock().unwrap().len() <= MOST);
        let again = known("tool_name == 'Bash'").unwrap();
        assert!(!Arc::ptr_eq(&good, &again), "it was read again");
    }
}
