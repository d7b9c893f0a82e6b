//! Ordinary command lines, and which of them the hooks refuse.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhook::core::result::Kind;
use serde::Serialize;
use serde_json::json;

use super::CannotAttack;
use super::judge::Judge;
use super::scene::Scene;
use crate::programs::Programs;
use crate::suite::Suite;

/// How ordinary lines went.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Ordinary {
    /// How many lines were judged.
    pub lines: usize,
    /// Those that do not happen, or only after a question.
    pub refused: Vec<Refused>,
}

/// A line that the hooks refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The line.
    pub line: String,
    /// `ask`, `deny` or `halt`.
    pub verdict: &'static str,
    /// The hooks that say so.
    pub by: Vec<String>,
    /// What they say.
    pub reason: String,
}

impl Ordinary {
    /// Returns the share of lines that are refused, in percent.
    #[expect(clippy::cast_precision_loss, reason = "no corpus has so many lines")]
    pub fn share(&self) -> f64 {
        if self.lines == 0 {
            0.0
        } else {
            self.refused.len() as f64 * 100.0 / self.lines as f64
        }
    }
}

/// Plays ordinary lines through the hooks of a suite: those of the texts, one a line. `⏎` stands for a line break, and `#`
/// begins a comment.
pub fn ordinary(
    suite: &Suite,
    texts: &[&str],
    program: &Path,
    interrupted: &Arc<AtomicBool>,
) -> Result<Ordinary, CannotAttack> {
    let programs = Programs::write(&[], Some(program))?;
    let scene = Scene::new(None, None, "feature")?;
    let all = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let all: Vec<String> = all.map(|line| line.replace('⏎', "\n")).collect();
    let mut went = Ordinary::default();
    let mut seen = std::collections::BTreeSet::new();
    for package in suite
        .packages
        .iter()
        .filter(|package| seen.insert(package.manifest.clone()))
    {
        let judge = Judge::new(package, &scene, &programs.of(None), interrupted);
        for line in all
            .iter()
            .take_while(|_| !interrupted.load(Ordering::Relaxed))
        {
            went.lines += 1;
            let said = judge.say("Bash", &json!({"command": line}));
            if said.refuses() {
                went.refused.push(Refused {
                    line: line.clone(),
                    verdict: Kind::as_str(said.kind),
                    by: said.by,
                    reason: said.text,
                });
            }
        }
    }
    Ok(went)
}
