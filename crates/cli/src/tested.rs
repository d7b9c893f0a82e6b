//! The results of tests, for a person: what failed first and in full, then the count.

pub(crate) mod bless;
mod interrupts;
pub(crate) mod network;
mod running;

use std::fmt::Write as _;

use anyhook::core::report::StepOutcome;
use anyhook_testing::{
    Case, CaseMode, CaseOutcome, CaseRun, CaseTally, FailedExpectation, JsonDifference,
    NetworkAccess, Problem, ProcessOutput, Suite, formats,
};

pub(crate) use interrupts::interrupts;
pub(crate) use running::{SuiteRunner, list};

use crate::findings;
use crate::ui::{self, paint, short, visible};

/// A case that takes longer than this is marked.
const SLOW: std::time::Duration = std::time::Duration::from_secs(1);

/// How many characters of a line of an output are shown.
const LONGEST: usize = 1000;

impl SuiteRunner<'_> {
    /// Writes one case, as soon as it was run. What passed is counted, and named on demand.
    fn one(&self, ran: &CaseRun) -> String {
        match &ran.outcome {
            CaseOutcome::Passed => self.passed(ran),
            CaseOutcome::Skipped(_) => headline("- skip", ui::DIM, ran),
            CaseOutcome::Broken(_) => headline("! error", ui::DENY, ran) + &self.rest(ran),
            CaseOutcome::Nondeterministic | CaseOutcome::Failed => {
                headline("✗ fail", ui::DENY, ran) + &failures(ran) + &self.rest(ran)
            }
        }
    }

    /// What was said, what was sent on demand, and how to see it again.
    fn rest(&self, ran: &CaseRun) -> String {
        let sent = ran.evidence.as_ref().filter(|_| self.is_verbose);
        let sent = sent.map(|evidence| output_of("sent", &evidence.sent.to_string()));
        words(ran) + &sent.unwrap_or_default() + &replay(ran)
    }

    fn passed(&self, ran: &CaseRun) -> String {
        if self.is_verbose || ran.leaks() || ran.took > SLOW {
            headline("✓ pass", ui::PASS, ran)
        } else {
            String::new()
        }
    }

    /// Writes the last line: how many cases went how.
    fn summary(&self, suite: &Suite, ran: &[CaseRun]) -> String {
        let tally = CaseTally::of(ran, suite.problems.len());
        if tally.exit() == 4 {
            let why = match suite.cases.len() + suite.not_asked {
                0 => {
                    "there are no cases here; `anyhook init example` writes a package with some, to copy from".to_owned()
                }
                all => format!(
                    "none of {all} cases is what you asked for; anyhook test --list names them"
                ),
            };
            return format!("{}  {why}\n", paint(ui::ASK, "nothing to run"));
        }
        let counts = [
            (tally.passed, "passed"),
            (tally.failed, "failed"),
            (tally.skipped, "skipped"),
            (tally.problems, "wrong in files"),
            (suite.cases.len().saturating_sub(ran.len()), "not run"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, word)| *count > 0 || *word == "passed")
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let (style, mark) = if tally.is_good() {
            (ui::PASS, "✓")
        } else {
            (ui::DENY, "✗")
        };
        let took: std::time::Duration = ran.iter().map(|ran| ran.took).sum();
        let network = &self.how.network;
        let rest = format!(
            "{:.2} s of hooks; network: {network}{}",
            took.as_secs_f64(),
            match network {
                NetworkAccess::NotIsolated(why) if self.is_verbose =>
                    format!(" ({})", short(why, 120)),
                NetworkAccess::NotIsolated(_) | NetworkAccess::Cut | NetworkAccess::Allowed =>
                    String::new(),
            },
        );
        format!(
            "{}  {}\n",
            paint(style, &format!("{mark} {}", counts.join(", "))),
            paint(ui::DIM, &rest)
        )
    }
}

fn headline(word: &str, style: anstyle::Style, ran: &CaseRun) -> String {
    let case = &ran.case;
    let took = format!("{:.0} ms", ran.took.as_secs_f64() * 1000.0);
    let place = format!("{}:{}", case.place(), ran.line());
    let mut text = format!(
        "{}  {}  {}\n",
        paint(style, word),
        paint(ui::BOLD, &visible(&case.id)),
        paint(ui::DIM, &visible(&format!("{place}  {took}"))),
    );
    let slow = (ran.outcome == CaseOutcome::Passed && ran.took > SLOW).then(|| "SLOW".to_owned());
    let leak = ran.leaks().then(|| formats::LEAK.to_owned());
    for remark in ran.outcome.sentence().into_iter().chain(leak).chain(slow) {
        text.push_str(&ui::wrapped("    ", &short(&remark, 300)));
    }
    text
}

fn failures(ran: &CaseRun) -> String {
    let mut text = String::new();
    if let Some(about) = ran.case.description() {
        text.push_str(&paint(ui::DIM, &ui::wrapped("    ", &short(about, 120))));
    }
    // What a hook that never ran did not say follows from that.
    let is_cause = |about: &str| matches!(about, "fires" | "event");
    let is_told = |failure: &&FailedExpectation| !was_never_asked(ran) || is_cause(failure.about);
    for failure in ran.failures.iter().filter(is_told) {
        text.push_str(&failed(failure));
    }
    text
}

fn failed(failure: &FailedExpectation) -> String {
    let about = format!("    {} ", paint(ui::BOLD, &format!("{}:", failure.about)));
    let mut text = ui::beside(&about, 6, &short(&failure.message, 400));
    for difference in &failure.differences {
        text.push_str(&differs(difference));
    }
    text
}

/// Tells whether a case fails because no hook was asked.
fn was_never_asked(ran: &CaseRun) -> bool {
    let is_silent = |became: &StepOutcome| matches!(became, StepOutcome::NotAsked(_));
    let evidence = ran.evidence.as_ref();
    ran.failures.iter().any(|failure| failure.about == "fires")
        && evidence.is_some_and(|evidence| {
            let mut steps = evidence.report.steps.iter();
            steps.all(|step| is_silent(&step.became))
        })
}

fn differs(one: &JsonDifference) -> String {
    let at = if one.at.is_empty() {
        "the whole"
    } else {
        &one.at
    };
    let found = one
        .found
        .as_ref()
        .map_or_else(|| "nothing".to_owned(), ToString::to_string);
    format!(
        "      {}\n        {}\n        {}\n",
        short(at, 100),
        paint(
            ui::PASS,
            &format!("expected {}", short(&one.expected.to_string(), 300))
        ),
        paint(ui::DENY, &format!("found    {}", short(&found, 300))),
    )
}

/// Writes what was said: of a hook that ran alone its own words, else the answer; and what a host was told, where one is
/// played.
fn words(ran: &CaseRun) -> String {
    let Some(evidence) = ran.evidence.as_ref().filter(|_| !was_never_asked(ran)) else {
        return String::new();
    };
    let answer = evidence.answer();
    let mut text = match ran.case.mode() {
        CaseMode::Hook => said("", &evidence.words(CaseMode::Hook)),
        CaseMode::Dispatch => {
            let hooks = evidence.heard.iter().map(|heard| {
                let name = format!("{} ", visible(&heard.hook));
                output_of(&format!("{name}stderr"), &heard.raw.stderr.text())
            });
            said("answer: ", &answer) + &hooks.collect::<String>()
        }
    };
    if let (CaseMode::Hook, Some(host)) = (ran.case.mode(), ran.case.host()) {
        text.push_str(&said(&format!("{host} is told: "), &answer));
    }
    text
}

fn said(who: &str, words: &ProcessOutput) -> String {
    let code = words
        .exit
        .map_or_else(|| "none".to_owned(), |code| code.to_string());
    let mut text = format!(
        "    {} {code}\n",
        paint(ui::DIM, &format!("{who}exit code"))
    );
    for (name, output) in [("stdout", &words.stdout), ("stderr", &words.stderr)] {
        text.push_str(&output_of(&format!("{who}{name}"), output));
    }
    text
}

fn output_of(name: &str, output: &str) -> String {
    if output.trim().is_empty() {
        return String::new();
    }
    let lines = ui::first("      ", visible(output).lines().map(cut));
    format!("    {}\n{lines}", paint(ui::DIM, name))
}

/// A line that a person may want to read; a hook may print a megabyte of them without an end.
fn cut(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LONGEST) else {
        return line.to_owned();
    };
    let (kept, rest) = line.split_at(end);
    format!("{kept}… {} more characters", rest.chars().count())
}

fn replay(ran: &CaseRun) -> String {
    format!(
        "    {} {}\n\n",
        paint(ui::DIM, "again:"),
        visible(&ran.replay)
    )
}

/// Writes what is wrong with files, each at its line.
pub(crate) fn problems(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        match &problem.text {
            Some(source) => text.push_str(&findings::page(
                &problem.file,
                source,
                std::slice::from_ref(&problem.finding),
            )),
            None => {
                let _ = writeln!(
                    text,
                    "{}: {}",
                    paint(ui::DENY, "error"),
                    visible(&problem.to_string())
                );
            }
        }
    }
    text
}

/// Lists cases, one a line. What a narrow terminal has no room for stands below.
pub(crate) fn table(cases: &[Case]) -> String {
    let rows = cases.iter().map(|case| {
        let about = case.description().map(|about| short(about, 80));
        let (id, place) = (visible(&case.id), visible(&case.place()));
        [id, about.unwrap_or_default(), place]
    });
    ui::table("case|about|file", rows)
}
