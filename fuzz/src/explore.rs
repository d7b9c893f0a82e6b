//! Running a target, and telling what it says about an input that breaks a law.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::Target;
use crate::corpus::seeds;
use crate::generate::{dice, input};

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

/// Runs a target on its corpus and on this many inputs that are made of it; of the inputs that break a law in one way, the
/// first.
///
/// ```
/// use anyhook_fuzz::explore::explore;
/// use anyhook_fuzz::target;
///
/// assert_eq!(explore(target("when").unwrap(), 0..20, 1), []);
/// ```
pub fn explore(target: &Target, numbers: std::ops::Range<u64>, seed: u64) -> Vec<Broken> {
    /// A person who reads that many mends first.
    const ENOUGH: usize = 12;
    let (seeds, words) = (seeds(target), target.words());
    let known = seeds.iter().map(|bytes| (None, bytes.clone()));
    let made = numbers.map(|number| {
        let bytes = input(&seeds, &words, &mut dice(seed, number));
        (Some(number), bytes)
    });
    let mut all: Vec<Broken> = Vec::new();
    for (number, bytes) in known.chain(made) {
        let Err(said) = held(target, &bytes) else {
            continue;
        };
        if !all
            .iter()
            .any(|broken| manner(&broken.said) == manner(&said))
        {
            all.push(Broken {
                number,
                bytes,
                said,
            });
        }
        if all.len() == ENOUGH {
            break;
        }
    }
    all
}

/// In which way a law is broken: the place in the source, and the beginning of what was said there.
fn manner(said: &str) -> Vec<&str> {
    said.lines().take(2).collect()
}
