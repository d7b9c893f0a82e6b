//! How thorough the tests are: `anyhook test --coverage` and `--mutate`.

mod page;

use std::io::IsTerminal as _;

use anyhook_testing::{
    CaseRun, CaseTally, Coverage, MutationRun, MutationScope, Suite, TestOptions, UnfitSuite,
    coverage, formats, mutate,
};
use serde_json::{Value, json};

use crate::ui;

/// What was found.
pub(crate) struct ThoroughResult {
    coverage: Option<Coverage>,
    threshold: Option<f64>,
    mutated: Option<Result<MutationRun, UnfitSuite>>,
}

impl ThoroughResult {
    /// Looks at what was run as far as the flags ask for it: how much has to be covered, in percent, where that is counted,
    /// and the hooks that are to be broken, where some are.
    pub(crate) fn look(
        percent: Option<f64>,
        scope: Option<MutationScope>,
        suite: &Suite,
        ran: &[CaseRun],
        how: &TestOptions,
    ) -> Self {
        let is_live = std::io::stderr().is_terminal();
        let mut count = 0;
        let mut told = |_: &anyhook_testing::TestedMutant| {
            count += 1;
            if is_live {
                ui::err(&format!("\r\u{1b}[2K  {count} mutants"));
            }
        };
        let mutated = scope.map(|scope| mutate(suite, ran, scope, how, &mut told));
        if is_live && mutated.is_some() {
            ui::err("\r\u{1b}[2K");
        }
        Self {
            coverage: percent.map(|_| coverage(suite, ran)),
            threshold: percent.filter(|percent| *percent > 0.0),
            mutated,
        }
    }

    /// Returns the exit code: what the tests come to, and 1 where they pass and are not thorough.
    pub(crate) fn exit(&self, tally: CaseTally) -> u8 {
        match tally.exit() {
            0 if self.is_below() => 1,
            0 => match &self.mutated {
                Some(Ok(mutated)) if mutated.survivors().next().is_some() => 1,
                Some(Ok(mutated)) if mutated.tried.is_empty() => 4,
                Some(Err(_)) => 1,
                Some(Ok(_)) | None => 0,
            },
            other => other,
        }
    }

    fn is_below(&self) -> bool {
        let counted = self.coverage.as_ref().map(Coverage::counted);
        counted
            .zip(self.threshold)
            .is_some_and(|(counted, threshold)| counted.is_below(threshold))
    }

    /// Adds it to the results for programs.
    pub(crate) fn add_to(&self, all: &mut Value, tally: CaseTally) {
        let Value::Object(all) = all else { return };
        all.insert("exit".to_owned(), self.exit(tally).into());
        if let Some(coverage) = &self.coverage {
            let mut section = formats::coverage(coverage);
            if let (Value::Object(section), Some(threshold)) = (&mut section, self.threshold) {
                section.insert("threshold".to_owned(), json!(threshold));
            }
            all.insert("coverage".to_owned(), section);
        }
        let section = match &self.mutated {
            None => return,
            Some(Ok(mutated)) => formats::mutation(mutated),
            Some(Err(unfit)) => json!({"refused": unfit.to_string()}),
        };
        all.insert("mutation".to_owned(), section);
    }

    /// Annotates the hooks that no case tests.
    pub(crate) fn annotations(&self) -> String {
        match &self.mutated {
            Some(Ok(mutated)) => formats::github_survivors(mutated),
            Some(Err(_)) | None => String::new(),
        }
    }

    /// Writes it for a person.
    pub(crate) fn page(&self) -> String {
        let mut text = String::new();
        if let Some(coverage) = &self.coverage {
            text.push_str(&page::coverage(coverage, self.threshold));
        }
        match &self.mutated {
            None => {}
            Some(Ok(mutated)) => text.push_str(&page::mutated(mutated)),
            Some(Err(unfit)) => {
                text.push_str(&format!("{}\n", ui::paint(ui::DENY, &unfit.to_string())));
            }
        }
        text
    }
}
