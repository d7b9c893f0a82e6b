//! A run of tests as it is told.

use std::io::{IsTerminal as _, Write as _};

use anyhook::processes::ExclusiveReaper;
use anyhook_testing::{CaseRun, CaseTally, Suite, TestOptions, formats, run};

use crate::error::CliError;
use crate::exit::Exit;
use crate::thorough::ThoroughResult;
use crate::{tested, ui};

/// How cases are run and shown.
pub(crate) struct SuiteRunner<'a> {
    pub(crate) how: &'a TestOptions,
    /// The form of what is shown.
    pub(crate) format: &'a str,
    /// Whether the cases that pass are named.
    pub(crate) is_verbose: bool,
}

impl SuiteRunner<'_> {
    /// Tells everything about a run.
    pub(crate) fn tell(
        &self,
        suite: &Suite,
        ran: &[CaseRun],
        thorough: &ThoroughResult,
    ) -> Result<Exit, CliError> {
        if self.format == "pretty" {
            ui::err(&tested::problems(&suite.problems));
            ui::out(&self.summary(suite, ran))?;
            ui::out(&thorough.page())?;
        } else {
            ui::raw(&self.written(suite, ran, thorough))?;
            // JUnit and TAP have no place for it.
            if self.format != "json" {
                ui::err(&thorough.page());
            }
        }
        let tally = CaseTally::of(ran, suite.problems.len());
        Ok(Exit::Tested(thorough.exit(tally)))
    }

    /// Writes a run in one of the forms for programs.
    fn written(&self, suite: &Suite, ran: &[CaseRun], thorough: &ThoroughResult) -> String {
        let problems = &suite.problems;
        match self.format {
            "json" => {
                let mut all = formats::json(ran, problems);
                thorough.add_to(&mut all, CaseTally::of(ran, problems.len()));
                if let Some(all) = all.as_object_mut() {
                    all.insert("network".to_owned(), self.how.network.to_string().into());
                }
                format!("{all:#}\n")
            }
            "junit" => formats::junit(ran, problems),
            "github" => formats::github(ran, problems) + &thorough.annotations(),
            _ => String::new(),
        }
    }

    /// Runs the cases, and tells of each while it goes.
    pub(crate) fn play(&self, suite: &Suite) -> Result<Vec<CaseRun>, CliError> {
        let is_live = self.format == "pretty";
        let bar = ProgressBar::new(suite.cases.len(), is_live);
        let (mut count, mut trouble) = (0, None);
        let alone = ExclusiveReaper::now();
        let ran = run(&suite.cases, self.how, &mut |ran| {
            count += 1;
            bar.clear();
            if is_live {
                let told = ui::out(&self.one(ran));
                trouble = trouble.take().or(told.err());
            }
            bar.draw(count);
        });
        bar.clear();
        match alone.map_or(0, |alone| alone.end_rest()) {
            0 => {}
            many => ui::err(&format!(
                "hooks left processes running outside their groups, which were ended: {many}\n"
            )),
        }
        trouble.map_or(Ok(ran), Err)
    }
}

/// Lists the cases.
pub(crate) fn list(suite: &Suite, format: &str) -> Result<Exit, CliError> {
    if format == "json" {
        let list = formats::list(&suite.cases, &suite.problems);
        ui::raw(&format!("{list:#}\n"))?;
    } else {
        ui::err(&tested::problems(&suite.problems));
        ui::out(&tested::table(&suite.cases))?;
    }
    let code = match (suite.problems.is_empty(), suite.cases.is_empty()) {
        (false, _) => 2,
        (true, true) => 4,
        (true, false) => 0,
    };
    Ok(Exit::Tested(code))
}

/// The line that counts, on a terminal only.
struct ProgressBar {
    of: usize,
    is_drawn: bool,
}

impl ProgressBar {
    fn new(of: usize, is_live: bool) -> Self {
        Self {
            of,
            is_drawn: is_live && std::io::stderr().is_terminal(),
        }
    }

    fn draw(&self, count: usize) {
        if self.is_drawn && count < self.of {
            ui::err(&ui::paint(ui::DIM, &format!("  {count} of {}", self.of)));
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.is_drawn {
            ui::err("\r\u{1b}[2K");
        }
    }
}
