//! The targets: one file and one row each.

mod answer;
mod case;
mod cases;
mod manifest;
mod payload;
mod places;
mod settings;
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
    /// Words that its inputs are likely to hold.
    pub words: &'static [&'static str],
}

/// Every target.
pub static TARGETS: &[Target] = &[
    manifest::TARGET,
    answer::TARGET,
    payload::TARGET,
    when::TARGET,
    cases::TARGET,
    settings::TARGET,
];

/// Finds a target by its name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
