//! A report for a person: what happened at one event, why, and which hooks decided it.

use anstyle::Style;
use anyhook::core::event::Map;
use anyhook::core::events;
use anyhook::core::hook::HookInfo;
use anyhook::core::report::{AskRound, AuditEvent, Report, SkipReason, Step, StepOutcome};
use anyhook::core::result::{HookId, Kind};
use anyhook::record::{lost, not_asked, rewritten, said_in_short};

use crate::ui::{self, paint, short, visible};

/// The longest text of one hook in the list of all.
const LONGEST: usize = 300;

/// Returns what was said in the end.
pub(crate) fn kind(report: &Report) -> Kind {
    report.answer().verdict.kind()
}

/// Returns how a verdict is shown.
pub(crate) fn style(kind: Kind) -> Style {
    match kind {
        Kind::Continue => ui::DIM,
        Kind::Allow => ui::PASS,
        Kind::Ask => ui::ASK,
        Kind::Deny | Kind::Halt => ui::DENY,
    }
}

/// Returns the mark of a verdict: its shape says what its colour says.
pub(crate) fn mark(kind: Kind) -> &'static str {
    match kind {
        Kind::Continue => "·",
        Kind::Allow => "✓",
        Kind::Ask => "?",
        Kind::Deny => "✗",
        Kind::Halt => "■",
    }
}

/// Writes a report for a person.
pub(crate) fn report(report: &Report, width: usize) -> String {
    let mut page = ReportView::of(report, width);
    page.headline();
    page.verdict();
    page.hooks();
    page.effects();
    page.losses();
    page.audit();
    page.remarks();
    page.text
}

/// Writes for a person what was decided about: who did what, where, and under which hooks.
pub(crate) fn action(report: &Report, width: usize) -> String {
    let mut page = ReportView::of(report, width);
    page.action();
    page.text
}

struct ReportView<'r> {
    report: &'r Report,
    width: usize,
    text: String,
}

impl<'r> ReportView<'r> {
    fn of(report: &'r Report, width: usize) -> Self {
        let text = String::new();
        Self {
            report,
            width,
            text,
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn headline(&mut self) {
        let report = self.report;
        let kind = kind(report);
        let event = &report.event;
        let subject = event
            .subject
            .as_deref()
            .map(|s| format!(" · {}", short(s, 40)))
            .unwrap_or_default();
        let host = if event.host.is_empty() || event.native.is_empty() {
            event.host.to_string()
        } else {
            format!("{} {}", event.host, short(&event.native, 40))
        };
        let took = report.took.map(millis).unwrap_or_default();
        let word = paint(style(kind), &format!("{} {}", mark(kind), kind.as_str()));
        let name = paint(ui::BOLD, &ui::line(event.name.as_str()));
        let rest = [host, report.id.to_string(), took]
            .into_iter()
            .filter(|s| !s.is_empty());
        let rest = paint(ui::DIM, &rest.collect::<Vec<_>>().join("  "));
        self.line(&format!("{word}  {name}{subject}  {rest}"));
    }

    fn verdict(&mut self) {
        let report = self.report;
        if let Some(hook) = report.decided_by().and_then(|id| report.hook(id)) {
            let place = place(hook).map(|place| format!(" ({place})"));
            let place = paint(ui::DIM, &place.unwrap_or_default());
            self.line(&format!("  decided by {}{place}", ui::line(&hook.name)));
        }
        let text = report.result.verdict.text();
        self.wrapped("    ", &text);
        let asked = report.result.verdict.kind();
        let said = kind(report);
        if said != asked {
            let (asked, said) = (asked.as_str(), said.as_str());
            self.line(&format!(
                "  the hooks said {asked}, the host was told {said}"
            ));
        }
    }

    fn hooks(&mut self) {
        if self.report.steps.is_empty() {
            self.line(&paint(ui::DIM, "  no hook was asked"));
            return;
        }
        self.line("");
        self.line(&paint(ui::BOLD, "  hooks"));
        let names = self
            .report
            .hooks
            .iter()
            .map(|hook| hook.name.chars().count());
        let widest = names.max().unwrap_or_default().clamp(8, 32);
        let mut steps: Vec<&Step> = self.report.steps.iter().collect();
        steps.sort_by_key(|step| (step.again == AskRound::Again, step.hook));
        let elsewhere =
            |step: &&&Step| step.became == StepOutcome::NotAsked(SkipReason::OtherEvent);
        for step in steps.iter().filter(|step| !elsewhere(step)) {
            let Some(hook) = self.report.hook(step.hook) else {
                continue;
            };
            let (mark, what) = became(self.report, step, hook);
            let took = step.took.map(millis).unwrap_or_default();
            let again = if step.again == AskRound::Again {
                "again: "
            } else {
                ""
            };
            let name = short(&hook.name, widest);
            // What was said stands above and below in full; why a hook was not heard stands here alone.
            let most = match &step.became {
                StepOutcome::Said(_) | StepOutcome::Would(_) => {
                    self.width.saturating_sub(widest + 18).max(20)
                }
                StepOutcome::Failed { .. } | StepOutcome::NotAsked(_) => LONGEST,
            };
            let what = short(&format!("{again}{what}"), most);
            let before = format!("    {mark} {name:widest$}  {took:>8}  ");
            self.text += &ui::beside(&before, widest + 18, &what);
        }
        let others = steps.iter().filter(elsewhere).count();
        if others > 0 {
            let plural = if others == 1 { "hook is" } else { "hooks are" };
            let told = format!("    {others} more {plural} for other events");
            self.line(&paint(ui::DIM, &told));
        }
    }

    fn effects(&mut self) {
        let report = self.report;
        let effects = &report.result.effects;
        let rewrites = effects.patch().iter();
        self.list("rewrites", rewrites.map(|one| (one.by, rewritten(one))));
        let said = &report.answer().effects;
        let told = said.inject().iter();
        self.list("told the model", told.map(|i| (i.by, i.text.to_string())));
        let told = said.notify().iter();
        self.list("told the person", told.map(|n| (n.by, n.text.to_string())));
        let natives = effects.native().iter().map(|n| {
            let fields = serde_json::Value::from(n.fields.clone());
            (n.by, format!("{}: {fields}", n.wire))
        });
        self.list("answers of one host", natives);
    }

    fn losses(&mut self) {
        let losses = self.report.losses.iter().map(|loss| (loss.by, lost(loss)));
        self.list("could not be said", losses);
    }

    /// What was delivered as it was said is told above; here stands what the limits made of the rest.
    fn audit(&mut self) {
        let told = self.report.audit.iter();
        let told = told.filter(|told| told.event.as_str() != events::HOOK_CONTEXT_INJECTION);
        let line = |told: &AuditEvent| format!("{}: {}", told.event, told.data);
        self.list("limits", told.map(|told| (None, line(told))));
    }

    fn remarks(&mut self) {
        let remarks = self.report.remarks.iter();
        self.list("remarks", remarks.map(|remark| (None, remark.to_string())));
    }

    fn action(&mut self) {
        let Some(action) = self.report.action.as_deref() else {
            return;
        };
        let event = &self.report.event;
        let version = action.agent_version.as_deref().unwrap_or_default();
        let agent = format!("{} {version}", event.host);
        let imported = action
            .imported
            .as_ref()
            .map(|from| format!("{}:{} ({})", from.file, from.line, from.outcome.as_str()));
        let told = [
            ("agent", Some(agent.trim())),
            ("session", event.session.as_deref()),
            ("project", action.project.as_deref()),
            ("person", action.person.as_deref()),
            ("policy", action.policy.as_deref()),
            ("answered", Some(&*action.approval.join("; "))),
            ("imported", imported.as_deref()),
            ("hidden", Some(&*action.hidden.join(", "))),
            ("cut", Some(&*action.cut.join(", "))),
        ];
        self.line("");
        self.line(&paint(ui::BOLD, "  action"));
        for (name, text) in told {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                self.line(&format!("    {name:10} {}", ui::line(text)));
            }
        }
        self.data(&action.data);
    }

    /// Shows the fields of an event, and those inside of them.
    fn data(&mut self, data: &Map) {
        let apart = ["session_id", "transcript_path"];
        let shown = data.iter();
        for (name, value) in shown.filter(|(name, _)| !apart.contains(&name.as_str())) {
            let inside = value.as_object().map(|inside| {
                let parts = inside.iter();
                parts.map(|(part, value)| (format!("{name}.{part}"), value))
            });
            let parts: Vec<_> = match inside {
                Some(inside) => inside.collect(),
                None => vec![(name.clone(), value)],
            };
            for (name, value) in parts {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                self.line(&format!("    {}", paint(ui::DIM, &ui::line(&name))));
                self.wrapped("      ", &text);
            }
        }
    }

    fn list(&mut self, title: &str, items: impl Iterator<Item = (Option<HookId>, String)>) {
        let items: Vec<_> = items.collect();
        if items.is_empty() {
            return;
        }
        self.line("");
        self.line(&paint(ui::BOLD, &format!("  {title}")));
        for (by, text) in items {
            let text = match by.and_then(|by| self.report.hook(by)) {
                Some(hook) => format!("{text}  ({})", ui::line(&hook.name)),
                None => text,
            };
            self.wrapped("    ", &text);
        }
    }

    /// Wraps text at words, each line of it by itself, and shows its first lines.
    fn wrapped(&mut self, indent: &str, text: &str) {
        let room = self.width.saturating_sub(indent.len()).max(20);
        let text = visible(text);
        let lines = text.lines().flat_map(|line| ui::wrap(line, room));
        let lines = lines.map(|line| line.trim_end().to_owned());
        self.text.push_str(&ui::first(indent, lines));
    }
}

/// Returns what became of a hook: a mark, and words.
fn became(report: &Report, step: &Step, hook: &HookInfo) -> (String, String) {
    match &step.became {
        StepOutcome::Said(None) => (paint(ui::DIM, "·"), "nothing to say".to_owned()),
        StepOutcome::Said(Some(said)) => (painted(said.verdict.kind()), said_in_short(said)),
        StepOutcome::Would(said) => (
            paint(ui::DIM, "~"),
            format!("would have said: {}", said_in_short(said)),
        ),
        StepOutcome::Failed { fault, verdict } => {
            let so = match verdict {
                Kind::Continue | Kind::Allow | Kind::Ask => "the action went on",
                Kind::Deny => "so the action is refused",
                Kind::Halt => "so the agent stops",
            };
            (
                paint(ui::DENY, "!"),
                format!("failed: {}; {so}", fault.text),
            )
        }
        StepOutcome::NotAsked(why) => (
            paint(ui::DIM, "-"),
            not_asked(&report.event, &report.hooks, *why, hook),
        ),
    }
}

fn painted(kind: Kind) -> String {
    match kind {
        Kind::Continue => paint(ui::CHANGE, "+"),
        kind => paint(style(kind), mark(kind)),
    }
}

/// Names the place where a hook was written.
pub(crate) fn place(hook: &HookInfo) -> Option<String> {
    hook.source
        .as_ref()
        .map(|source| format!("{}:{}", ui::line(&source.file), source.line))
}

/// Writes a time in milliseconds.
pub(crate) fn millis(time: std::time::Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
