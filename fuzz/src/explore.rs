//! Running a target, and telling what it says about an input that breaks a law.

use std::cell::RefCell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::Target;
use crate::corpus::seeds;
use crate::generate::input;

/// An input that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The number of the input, where it was made; nothing for one of the corpus.
    pub number: Option<u64>,
    /// The input.
    pub bytes: Vec<u8>,
    /// What the target said, with its place in the source.
    pub said: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.bytes);
        write!(f, "input {:?}: {}\n{text}", self.number, self.said)
    }
}

thread_local! {
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a target on one input; what it says where a law does not hold.
///
/// ```
/// use anyhook_fuzz::explore::held;
/// use anyhook_fuzz::target;
///
/// assert_eq!(held(target("payload").unwrap(), b"claude-code Stop\n{}"), Ok(()));
/// ```
pub fn held(target: &Target, bytes: &[u8]) -> Result<(), String> {
    static HOOK: Once = Once::new();
    // A panic that is caught on the way is no finding, and a page of them hides the one that counts.
    HOOK.call_once(|| panic::set_hook(Box::new(|info| SAID.set(info.to_string()))));
    panic::catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).map_err(|_| SAID.take())
}

/// Runs a target on its corpus and on this many inputs that are made of it, and returns the first that breaks a law.
///
/// ```
/// use anyhook_fuzz::explore::explore;
/// use anyhook_fuzz::target;
///
/// assert_eq!(explore(target("when").unwrap(), 20, 1), None);
/// ```
pub fn explore(target: &Target, inputs: u64, seed: u64) -> Option<Broken> {
    let (seeds, words) = (seeds(target), target.words());
    let known = seeds.iter().map(|bytes| (None, bytes.clone()));
    let made = (0..inputs).map(|number| (Some(number), input(&seeds, &words, seed, number)));
    known.chain(made).find_map(|(number, bytes)| {
        let said = held(target, &bytes).err()?;
        Some(Broken {
            number,
            bytes,
            said,
        })
    })
}
