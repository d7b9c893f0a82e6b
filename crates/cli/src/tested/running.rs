//! A run of tests as it was asked for: once, or again and again.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anstream::adapter;
use anyhook::processes::Alone;
use anyhook_testing::{
    Case, How, Last, Prints, Problem as Flaw, Ran, Selection, Suite, Tally, formats, prints, read,
    run,
};

use super::watch::{self, Watch};
use super::{Page, bless};
use crate::error::Problem;
use crate::exit::Exit;
use crate::thorough::{Asked, Thorough};
use crate::{tested, ui};

/// What was asked for.
pub(crate) struct Wanted {
    /// Packages, folders of packages, files of cases.
    pub(crate) paths: Vec<PathBuf>,
    /// Whether every case of the packages is run.
    pub(crate) is_whole: bool,
    /// Which of their cases.
    pub(crate) selection: Selection,
    /// Whether only those that failed last time.
    pub(crate) is_failed: bool,
    /// Whether only those that did not pass as they are now.
    pub(crate) is_changed: bool,
    /// What is done with them.
    pub(crate) todo: Todo,
    /// How they are run.
    pub(crate) how: How,
    /// How thorough they are to be.
    pub(crate) thorough: Asked,
    /// The form of what is shown.
    pub(crate) format: String,
    /// What is written besides: a form, and into which file.
    pub(crate) reports: Vec<(String, PathBuf)>,
}

/// What is done with cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Todo {
    /// They are run.
    Run,
    /// They are run, and what they expect is written from what happened.
    Bless,
    /// They are listed.
    List,
    /// They are run whenever something changed.
    Watch,
}

/// A run.
pub(crate) struct Running {
    wanted: Wanted,
    last: Option<Last>,
    page: Page,
}

/// Cases, and the prints of all that were looked at.
type Read = (Suite, Prints);

impl Running {
    /// Makes a run; nothing is read yet.
    pub(crate) fn new(wanted: Wanted, last: Option<Last>, page: Page) -> Self {
        Self { wanted, last, page }
    }

    /// Does what was asked for.
    pub(crate) fn go(mut self) -> Result<Exit, Problem> {
        if self.wanted.todo == Todo::Watch {
            return self.watch();
        }
        let interrupted = watch::interrupts();
        self.wanted.how.interrupted = Arc::clone(&interrupted);
        let (suite, prints) = self.chosen();
        let exit = match self.wanted.todo {
            Todo::List => list(&suite, &self.wanted.format)?,
            Todo::Bless => bless::write(&self.once(&suite, &prints)?.0)?,
            Todo::Run | Todo::Watch => {
                let (ran, exit) = self.once(&suite, &prints)?;
                // The process ends now: what it knows need not be taken apart.
                std::mem::forget((suite, prints, ran));
                exit
            }
        };
        if interrupted.load(Ordering::Relaxed) {
            // Everything is tidy now: the signal does what it would have done.
            let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
        }
        Ok(exit)
    }

    /// Reads all cases that this run may ever be about.
    fn all(&self) -> Read {
        let mut suite = read(&self.wanted.paths);
        self.wanted.selection.narrow(&mut suite);
        let reports = self.wanted.reports.iter();
        let besides: Vec<PathBuf> = reports.map(|(_, file)| watch::absolute(file)).collect();
        let prints = prints(&suite.cases, &besides);
        (suite, prints)
    }

    /// Reads the cases that are run first.
    fn chosen(&self) -> Read {
        let (mut suite, prints) = self.all();
        let last = self.last.as_ref();
        if self.wanted.is_failed {
            let failed = last.map(Last::failed).unwrap_or_default();
            suite.cases.retain(|case| failed.contains(&case.identity()));
        }
        if let (true, Some(last)) = (self.wanted.is_changed, last) {
            let changed = last.changed(&prints);
            suite
                .cases
                .retain(|case| changed.contains(&case.identity()));
        }
        (suite, prints)
    }

    /// Runs cases, and tells everything about it.
    fn once(&self, suite: &Suite, prints: &Prints) -> Result<(Vec<Ran>, Exit), Problem> {
        let ran = self.play(suite)?;
        if let Some(last) = &self.last {
            // Without this memory `--failed` and `--changed` run more than they need to: no test fails by it.
            let _ = last.remember(&ran);
            let _ = last.remember_prints(&ran, prints);
        }
        let how = &self.wanted.how;
        let thorough = Thorough::look(&self.wanted.thorough, suite, &ran, how);
        if self.wanted.is_whole {
            thorough.keep(suite);
        }
        let results = Results {
            suite,
            ran: &ran,
            thorough: &thorough,
            page: &self.page,
        };
        if self.wanted.format == "pretty" {
            ui::err(&tested::problems(&suite.problems));
            ui::out(&self.page.summary(suite, &ran))?;
            ui::out(&thorough.page())?;
        } else {
            ui::raw(&results.written(&self.wanted.format))?;
            thorough.tell_beside(&self.wanted.format);
        }
        for (format, file) in &self.wanted.reports {
            std::fs::write(file, results.written(format)).map_err(|error| {
                let what = format!("cannot write `{}`", file.display());
                Problem::new(Exit::CannotCreate, what).because(error)
            })?;
        }
        let exit = Exit::Tested(thorough.exit(results.tally()));
        Ok((ran, exit))
    }

    fn play(&self, suite: &Suite) -> Result<Vec<Ran>, Problem> {
        let is_live = self.wanted.format == "pretty";
        let bar = Bar::new(suite.cases.len(), is_live);
        let (mut count, mut trouble) = (0, None);
        let alone = Alone::now();
        let ran = run(&suite.cases, &self.wanted.how, &mut |ran| {
            count += 1;
            bar.clear();
            if is_live {
                let told = ui::out(&self.page.one(ran));
                trouble = trouble.take().or(told.err());
            }
            bar.draw(count);
        });
        bar.clear();
        match alone.map_or(0, Alone::end_rest) {
            0 => {}
            many => ui::err(&format!(
                "hooks left processes running outside their groups and without their environment, which were ended: {many}\n"
            )),
        }
        trouble.map_or(Ok(ran), Err)
    }

    /// Runs what was chosen, then what each change affects. It ends with what is known of every case by then.
    fn watch(mut self) -> Result<Exit, Problem> {
        let (mut suite, mut prints) = self.chosen();
        let roots = suite.cases.iter().map(|case| case.package.root.clone());
        let places = watch::places(roots, &self.wanted.paths);
        let watch = Watch::new(&places)?;
        self.wanted.how.interrupted = Arc::clone(&watch.interrupted);
        let mut known = Known::default();
        loop {
            watch::clear()?;
            let ran = if known.is_mended(&suite) {
                // A file was taken away or mended, and no case is another one by that.
                Vec::new()
            } else {
                self.once(&suite, &prints)?.0
            };
            known.learn(&suite, &prints, &ran);
            ui::out(&known.others(&ran))?;
            if known.is_restless(self.all().1) {
                ui::err(
                    "hooks write into the package while they run: the tests are not run again for that\n",
                );
            }
            ui::out(&watch::waiting(&places))?;
            let Some(next) = self.affected(&watch, &mut known) else {
                watch::leave()?;
                return Ok(known.exit());
            };
            (suite, prints) = next;
        }
    }

    /// Waits until a change affects some cases, and returns those.
    fn affected(&self, watch: &Watch, known: &mut Known) -> Option<Read> {
        loop {
            watch.next()?;
            let (mut suite, prints) = self.all();
            known.forget_others(&prints);
            suite.cases.retain(|case| known.is_changed(case, &prints));
            if !suite.cases.is_empty() || suite.problems != known.problems || known.is_rid {
                return Some((suite, prints));
            }
        }
    }
}

/// What a run came to, to be written in any form.
struct Results<'r> {
    suite: &'r Suite,
    ran: &'r [Ran],
    thorough: &'r Thorough,
    page: &'r Page,
}

impl Results<'_> {
    fn tally(&self) -> Tally {
        Tally::of(self.ran, self.suite.problems.len())
    }

    fn written(&self, format: &str) -> String {
        let (ran, problems) = (self.ran, &self.suite.problems);
        match format {
            "json" => {
                let mut all = formats::json(ran, problems);
                self.thorough.add_to(&mut all, self.tally());
                if let Some(all) = all.as_object_mut() {
                    all.insert("network".to_owned(), self.page.network.to_string().into());
                }
                format!("{all:#}\n")
            }
            "junit" => formats::junit(ran, problems),
            "github" => formats::github(ran, problems) + &self.thorough.annotations(),
            // A file is no terminal: nothing is painted in it.
            _ => {
                let last = self.page.summary(self.suite, ran);
                formats::plain(ran, problems) + &adapter::strip_str(&last).to_string()
            }
        }
    }
}

/// How many cases are named that still fail.
const MOST_NAMED: usize = 5;

/// What is known of every case while changes are waited for.
#[derive(Default)]
struct Known {
    prints: Prints,
    is_bad: BTreeMap<String, bool>,
    problems: Vec<Flaw>,
    was_restless: bool,
    /// Whether a case that failed went away, which is still named on the page.
    is_rid: bool,
}

impl Known {
    fn learn(&mut self, suite: &Suite, prints: &Prints, ran: &[Ran]) {
        self.prints.clone_from(prints);
        self.problems.clone_from(&suite.problems);
        let outcomes = ran.iter();
        self.is_bad
            .extend(outcomes.map(|ran| (ran.case.identity(), ran.outcome.is_bad())));
    }

    /// Tells whether files changed while hooks ran, for the second time: then it is the hooks that change them, and their
    /// work is taken as it is. The first time it may have been a person.
    fn is_restless(&mut self, now: Prints) -> bool {
        let is_changed = now
            .iter()
            .any(|(case, print)| self.prints.get(case) != Some(print));
        let is_restless = is_changed && self.was_restless;
        if is_restless {
            self.prints = now;
        }
        self.was_restless = is_changed && !is_restless;
        is_restless
    }

    /// Tells whether there is nothing to run because what was wrong is not there any more.
    fn is_mended(&mut self, suite: &Suite) -> bool {
        let is_rid = std::mem::take(&mut self.is_rid);
        let was_wrong = is_rid || !self.problems.is_empty();
        suite.cases.is_empty() && suite.problems.is_empty() && was_wrong
    }

    /// Names the cases that failed before and were not run this time: the page was cleared of them.
    fn others(&self, ran: &[Ran]) -> String {
        let is_new = |case: &str| ran.iter().any(|ran| ran.case.identity() == case);
        let others = self.is_bad.iter().filter(|(_, is_bad)| **is_bad);
        let others = others.filter(|(case, _)| !is_new(case));
        // The name stands behind the file.
        let names = others.map(|(case, _)| case.rsplit('\t').next().unwrap_or(case));
        let names: Vec<String> = names.map(ui::visible).collect();
        if names.is_empty() {
            return String::new();
        }
        let shown = names.iter().take(MOST_NAMED).map(String::as_str);
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = match names.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let label = ui::paint(ui::DENY, "✗ still failing");
        format!("{label}  {shown}{more}\n")
    }

    fn is_changed(&self, case: &Case, prints: &Prints) -> bool {
        let case = case.identity();
        self.prints.get(&case) != prints.get(&case)
    }

    /// A case that is not there any more has no part in how this ends.
    fn forget_others(&mut self, prints: &Prints) {
        let bad = |known: &Self| known.is_bad.values().filter(|is_bad| **is_bad).count();
        let before = bad(self);
        self.is_bad.retain(|case, _| prints.contains_key(case));
        self.is_rid |= bad(self) < before;
    }

    fn exit(&self) -> Exit {
        let any_bad = self.is_bad.values().any(|is_bad| *is_bad);
        Exit::Tested(match (self.problems.is_empty(), any_bad) {
            (false, _) => 2,
            (true, true) => 1,
            (true, false) if self.is_bad.is_empty() => 4,
            (true, false) => 0,
        })
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
