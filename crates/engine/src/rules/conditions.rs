//! Expressions that were read before, for those who ask the same hooks about many events: a text is read once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;

use super::When;

/// So many are kept; with more of them all are read again, so that a program that runs for months stays small.
const MOST: usize = 4096;

/// What one text means, or what is wrong with it.
type Read = Arc<Result<When, String>>;

/// What each text means, or what is wrong with it.
///
/// ```
/// use anyhook_engine::rules::Conditions;
/// let known = Conditions::default();
/// assert!(known.read("tool_name == 'Bash'").is_ok());
/// assert!(known.read("tool_name ==").is_err());
/// ```
#[derive(Debug, Default)]
pub struct Conditions(Mutex<HashMap<Box<str>, Read, RandomState>>);

impl Conditions {
    /// Reads an expression, or says what is wrong with it.
    pub fn read(&self, text: &str) -> Arc<Result<When, String>> {
        // Nothing under this lock can panic halfway through a change.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = known.get(text) {
            return Arc::clone(read);
        }
        let read = Arc::new(When::read(text).map_err(|error| error.what));
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(text.into(), Arc::clone(&read));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_read_once_and_no_more_of_them_are_kept_than_fit() {
        let known = Conditions::default();
        let (good, bad) = (
            known.read("tool_name == 'Bash'"),
            known.read("tool_name =="),
        );
        assert!(good.is_ok() && bad.is_err());
        assert!(Arc::ptr_eq(&good, &known.read("tool_name == 'Bash'")));
        assert!(Arc::ptr_eq(&bad, &known.read("tool_name ==")));
        for number in 0..MOST {
            assert!(known.read(&format!("size(tool_name) == {number}")).is_ok());
        }
        assert!(known.0.lock().unwrap().len() <= MOST);
        assert!(
            !Arc::ptr_eq(&good, &known.read("tool_name == 'Bash'")),
            "it was read again"
        );
    }
}
