//! A run of tests as it was asked for.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhook::processes::Alone;
use anyhook_testing::{How, Ran, Selection, Suite, Tally, formats, read, run};

use super::{Page, bless, interrupts};
use crate::error::Problem;
use crate::exit::Exit;
use crate::thorough::{Asked, Thorough};
use crate::{tested, ui};

/// What is done with cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Todo {
    /// They are run.
    Run,
    /// They are run, and what they expect is written from what happened.
    Bless,
    /// They are listed.
    List,
}

/// A run as it was asked for.
pub(crate) struct Running {
    /// Packages, folders of packages, files of cases.
    pub(crate) paths: Vec<PathBuf>,
    /// Which of their cases.
    pub(crate) selection: Selection,
    /// What is done with them.
    pub(crate) todo: Todo,
    /// How they are run.
    pub(crate) how: How,
    /// How thorough they are to be.
    pub(crate) thorough: Asked,
    /// The form of what is shown.
    pub(crate) format: String,
    /// How each case is shown.
    pub(crate) page: Page,
}

impl Running {
    /// Does what was asked for.
    pub(crate) fn go(mut self) -> Result<Exit, Problem> {
        let interrupted = interrupts();
        self.how.interrupted = Arc::clone(&interrupted);
        let suite = self.chosen();
        let exit = match self.todo {
            Todo::List => list(&suite, &self.format)?,
            Todo::Bless => bless::write(&self.once(&suite)?.0)?,
            Todo::Run => self.once(&suite)?.1,
        };
        if interrupted.load(Ordering::Relaxed) {
            // Everything is tidy now: the signal does what it would have done.
            let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
        }
        Ok(exit)
    }

    /// Reads the cases that are run.
    fn chosen(&self) -> Suite {
        let mut suite = read(&self.paths);
        self.selection.narrow(&mut suite);
        suite
    }

    /// Runs cases, and tells everything about it.
    fn once(&self, suite: &Suite) -> Result<(Vec<Ran>, Exit), Problem> {
        let ran = self.play(suite)?;
        let how = &self.how;
        let thorough = Thorough::look(&self.thorough, suite, &ran, how);
        if self.format == "pretty" {
            ui::err(&tested::problems(&suite.problems));
            ui::out(&self.page.summary(suite, &ran))?;
            ui::out(&thorough.page())?;
        } else {
            ui::raw(&self.written(suite, &ran, &thorough))?;
            thorough.tell_beside(&self.format);
        }
        let exit = Exit::Tested(thorough.exit(Tally::of(&ran, suite.problems.len())));
        Ok((ran, exit))
    }

    /// Writes a run in one of the forms for programs.
    fn written(&self, suite: &Suite, ran: &[Ran], thorough: &Thorough) -> String {
        let problems = &suite.problems;
        match &*self.format {
            "json" => {
                let mut all = formats::json(ran, problems);
                thorough.add_to(&mut all, Tally::of(ran, problems.len()));
                if let Some(all) = all.as_object_mut() {
                    all.insert("network".to_owned(), self.page.network.to_string().into());
                }
                format!("{all:#}\n")
            }
            "junit" => formats::junit(ran, problems),
            "github" => formats::github(ran, problems) + &thorough.annotations(),
            _ => String::new(),
        }
    }

    fn play(&self, suite: &Suite) -> Result<Vec<Ran>, Problem> {
        let is_live = self.format == "pretty";
        let bar = Bar::new(suite.cases.len(), is_live);
        let (mut count, mut trouble) = (0, None);
        let alone = Alone::now();
        let ran = run(&suite.cases, &self.how, &mut |ran| {
            count += 1;
            bar.clear();
            if is_live {
                let told = ui::out(&self.page.one(ran));
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

fn list(suite: &Suite, format: &str) -> Result<Exit, Problem> {
    if format == "json" {
        let list = formats::list(&suite.cases, &suite.problems);
        ui::raw(&format!("{list:#}\n"))?;
    } else {
        ui::err(&tested::problems(&suite.problems));
        ui::out(&tested::list(&suite.cases))?;
    }
    let code = match (suite.problems.is_empty(), suite.cases.is_empty()) {
        (false, _) => 2,
        (true, true) => 4,
        (true, false) => 0,
    };
    Ok(Exit::Tested(code))
}

/// The line that counts, on a terminal only.
struct Bar {
    of: usize,
    is_drawn: bool,
}

impl Bar {
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
