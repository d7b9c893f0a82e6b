//! Coverage and mutants, for a person; 80 columns are enough.

use std::fmt::Write as _;

use anyhook_testing::{
    Coverage, CoverageBranch, EventCoverage, HookCoverage, HookIdentity, MutationRun, Sketch,
    Survivor, TestedMutant,
};

use crate::ui::{self, paint, short, visible};

/// How wide the name of a hook is.
const NAME: usize = 26;

/// Writes the table, and what no case shows.
pub(super) fn coverage(coverage: &Coverage, threshold: Option<f64>) -> String {
    let counted = coverage.counted();
    let rows = coverage.hooks.iter().flat_map(rows);
    let mut text = format!("\n{}", ui::table("hook|answers|at", rows));
    text.push_str(&gaps(coverage));
    if counted.total == 0 {
        let _ = writeln!(text, "{}", paint(ui::ASK, "- nothing to cover"));
        return text;
    }
    let percent = format!("{:.1}%", (counted.percent() * 10.0).floor() / 10.0);
    let (style, mark) = match threshold {
        Some(threshold) if counted.is_below(threshold) => (ui::DENY, "✗"),
        Some(_) | None => (ui::PASS, "✓"),
    };
    let wanted = threshold.map(|threshold| format!(", at least {threshold}% wanted"));
    let _ = writeln!(
        text,
        "{}  {}",
        paint(style, &format!("{mark} {percent} covered")),
        paint(
            ui::DIM,
            &format!(
                "{} of {}{}",
                counted.covered,
                counted.total,
                wanted.unwrap_or_default()
            )
        ),
    );
    text
}

/// A row for each event that some case sends, or one that says that none does.
fn rows(hook: &HookCoverage) -> Vec<[String; 3]> {
    let mut at = vec![format!(
        "{}, {}",
        place(&hook.hook),
        visible(&hook.hook.event)
    )];
    at.extend(branches("matcher", &hook.branches));
    at.extend(branches("when", &hook.branches));
    let row = |event: &str, answers: String| {
        let name = short(&format!("{} {event}", hook.hook.name), NAME);
        [name, answers, at.join("; ")]
    };
    if !hook.is_asked() {
        return vec![row("", "never fired".to_owned())];
    }
    let asked = hook.rows.iter().filter(|row| !row.cases.is_empty());
    let of_event = |one: &EventCoverage| {
        let answers = one.cases.iter();
        let answers = answers.map(|(saw, count)| format!("{} {count}", saw.as_str()));
        let event = if hook.rows.len() > 1 { &*one.event } else { "" };
        row(event, answers.collect::<Vec<_>>().join(", "))
    };
    asked.map(of_event).collect()
}

fn branches(of: &str, branches: &[CoverageBranch]) -> Vec<String> {
    let own = branches.iter().filter(|branch| branch.of == of);
    own.map(|branch| {
        let count = match branch.cases {
            0 => "never".to_owned(),
            count => count.to_string(),
        };
        format!("{of} {} {count}", visible(&branch.branch))
    })
    .collect()
}

fn gaps(coverage: &Coverage) -> String {
    let mut text = String::new();
    for hook in &coverage.hooks {
        let who = format!("{} ({})", ui::line(&hook.hook.name), place(&hook.hook));
        if let Some(sketch) = &hook.sketch {
            let _ = writeln!(text, "{}  no case asks it", paint(ui::BOLD, &who));
            text.push_str(&to_paste(sketch));
            continue;
        }
        let missing = hook.goals.iter().filter(|goal| !goal.is_covered);
        let missing: Vec<String> = missing.map(|goal| visible(&goal.goal)).collect();
        if !missing.is_empty() {
            let _ = writeln!(text, "{}  no case shows that", paint(ui::BOLD, &who));
            let lines = missing.iter().map(|goal| format!("    {goal}\n"));
            text.extend(lines);
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\n{text}\n")
    }
}

fn place(hook: &HookIdentity) -> String {
    format!("{}:{}", visible(&hook.file), hook.line)
}

fn to_paste(sketch: &Sketch) -> String {
    let mut text = format!("    paste into {}\n", visible(&sketch.file));
    for line in visible(&sketch.text).lines() {
        let _ = writeln!(text, "      {line}");
    }
    text
}

/// Writes what survived, then the count.
pub(super) fn mutated(mutated: &MutationRun) -> String {
    let mut text = String::from("\n");
    for (tried, survivor) in mutated.survivors() {
        text.push_str(&survived(tried, survivor));
    }
    let survived = mutated.survivors().count();
    let (style, mark) = match (survived, mutated.tried.is_empty()) {
        (0, false) => (ui::PASS, "✓"),
        (_, _) => (ui::DENY, "✗"),
    };
    let killed = ui::many(mutated.killed(), "mutant");
    let counts = format!("{mark} {killed} killed, {survived} survived");
    text.push_str(&paint(style, &counts));
    if mutated.left_out > 0 {
        let hooks = ui::many(mutated.left_out, "hook");
        let told = paint(ui::DIM, &format!("{hooks} not asked by these cases"));
        let _ = write!(text, "  {told}");
    }
    text.push('\n');
    text
}

fn survived(tried: &TestedMutant, survivor: &Survivor) -> String {
    let hook = &tried.hook;
    let sketch = to_paste(&survivor.sketch);
    format!(
        "{}  {}  {}\n    {}\n{sketch}\n",
        paint(ui::DENY, "✗ survived"),
        paint(ui::BOLD, &visible(&tried.mutation.to_string())),
        paint(
            ui::DIM,
            &format!("{}, {}", ui::line(&hook.name), place(hook))
        ),
        survivor.why,
    )
}
