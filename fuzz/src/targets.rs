//! The targets: one file, one row and one list of words each.

mod answer;
mod case;
mod manifest;
mod payload;
mod places;
mod when;

/// One law, or several about the same reader.
#[derive(Debug)]
pub struct Target {
    /// Its name, on the command line and as the folder of its corpus.
    pub name: &'static str,
    /// What it proves, as one clause.
    pub about: &'static str,
    /// Reads any bytes; panics where a law does not hold.
    pub run: fn(&[u8]),
    /// Makes its inputs from the fixtures of this repository.
    pub fixtures: fn() -> Vec<Vec<u8>>,
    words: &'static str,
}

impl Target {
    /// Returns words that its inputs are likely to hold.
    pub fn words(&self) -> Vec<Vec<u8>> {
        spelled(self.words)
    }
}

/// Words that stand on a line each; `⏎` is a line break and `␣` a space at an end.
pub(crate) fn spelled(lines: &str) -> Vec<Vec<u8>> {
    let word = |line: &str| line.replace('⏎', "\n").replace('␣', " ").into_bytes();
    lines.lines().map(word).collect()
}

macro_rules! target {
    ($name:ident, $about:literal) => {
        Target {
            name: stringify!($name),
            about: $about,
            run: $name::run,
            fixtures: $name::fixtures,
            words: include_str!(concat!("words/", stringify!($name), ".txt")),
        }
    };
}

/// Every target.
pub static TARGETS: &[Target] = &[
    target!(
        manifest,
        "every finding has its place, no hook takes its siblings with it, no guard is lost, and what is mended is better"
    ),
    target!(
        answer,
        "what a hook answers is never heard softer than its own host hears it, nor said softer than it is heard"
    ),
    target!(
        payload,
        "a payload is read and written again as it was, or refused in the words of its host"
    ),
    target!(
        when,
        "an expression is read or refused with its place, and a library of CEL gives the same answer"
    ),
];

/// Finds a target by its name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
