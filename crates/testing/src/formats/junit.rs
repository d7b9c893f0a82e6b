//! The XML of `JUnit`, which every CI server reads.

use std::collections::BTreeMap;

use crate::formats::lines;
use crate::problem::Problem;
use crate::ran::{CaseOutcome, CaseRun};

/// Writes a run as `JUnit` XML: one suite for each package, and one for files with problems.
pub fn junit(ran: &[CaseRun], problems: &[Problem]) -> String {
    let mut suites: BTreeMap<String, Vec<&CaseRun>> = BTreeMap::new();
    for ran in ran {
        let package = ran.case.package.shown.display().to_string();
        suites.entry(package).or_default().push(ran);
    }
    let suites = suites.iter().map(|(package, cases)| suite(package, cases));
    let mut suites: String = suites.collect();
    let count = problems.len();
    if count > 0 {
        let problem = |problem: &Problem| {
            let (place, what) = (xml(&problem.place()), xml(&problem.finding.message));
            format!(
                "    <testcase name=\"{place}\" classname=\"files\"><error message=\"{what}\"/></testcase>\n"
            )
        };
        let problems: String = problems.iter().map(problem).collect();
        suites.push_str(&format!(
            "  <testsuite name=\"files\" tests=\"{count}\" errors=\"{count}\">\n{problems}  </testsuite>\n"
        ));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"anyhook\">\n{suites}</testsuites>\n"
    )
}

fn suite(package: &str, cases: &[&CaseRun]) -> String {
    let tally = |words: &[&str]| {
        let cases = cases
            .iter()
            .filter(|ran| words.contains(&ran.outcome.as_str()));
        cases.count()
    };
    let package = xml(package);
    let all: String = cases.iter().map(|ran| case(&package, ran)).collect();
    format!(
        "  <testsuite name=\"{package}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{all}  </testsuite>\n",
        cases.len(),
        tally(&["fail", "nondeterministic"]),
        tally(&["error"]),
        tally(&["skip"])
    )
}

fn case(package: &str, ran: &CaseRun) -> String {
    let (name, file) = (xml(&ran.case.id), xml(&ran.case.place()));
    let head = format!(
        "    <testcase name=\"{name}\" classname=\"{package}\" file=\"{file}\" line=\"{}\" time=\"{:.3}\"",
        ran.line(),
        ran.took.as_secs_f64()
    );
    let sentence = ran.outcome.sentence();
    let why = xml(sentence.as_deref().unwrap_or_default());
    let body = match &ran.outcome {
        CaseOutcome::Passed => return format!("{head}/>\n"),
        CaseOutcome::Skipped(_) => format!("<skipped message=\"{why}\"/>"),
        CaseOutcome::Broken(_) => format!("<error message=\"{why}\"/>"),
        CaseOutcome::Failed | CaseOutcome::Nondeterministic => {
            let lines = xml(&lines(ran).join("\n"));
            let first = ran.failures.first().map(|failure| failure.message.as_str());
            let message = xml(sentence
                .as_deref()
                .or(first)
                .unwrap_or(ran.outcome.as_str()));
            format!("<failure message=\"{message}\">{lines}</failure>")
        }
    };
    format!("{head}>{body}{}</testcase>\n", output(ran))
}

fn output(ran: &CaseRun) -> String {
    let evidence = ran.evidence.as_ref().filter(|_| ran.outcome.is_bad());
    let Some(words) = evidence.map(|evidence| evidence.words(ran.case.mode())) else {
        return String::new();
    };
    let (stdout, stderr) = (xml(&words.stdout), xml(&words.stderr));
    format!("<system-out>{stdout}</system-out><system-err>{stderr}</system-err>")
}

/// Writes a text so that it is XML wherever it stands. What XML cannot hold at all becomes the replacement character.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_hook_ends_an_attribute_or_breaks_the_file() {
        assert_eq!(
            xml("a\"<b>&\u{1b}[31m\n"),
            "a&quot;&lt;b&gt;&amp;\u{fffd}[31m&#10;"
        );
    }
}
