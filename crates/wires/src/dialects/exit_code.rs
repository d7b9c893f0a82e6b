//! What the end of a process says: 0 is success, 2 is a refusal, everything else a failure.

use anyhook_core::effects::Level;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_core::transcript::{End, Transcript};

use crate::answer::{NO_REASON, warning};

/// The exit code of a hook that did its work.
pub(crate) const SUCCESS: i32 = 0;

/// The exit code of a hook that refuses.
pub(crate) const BLOCK: i32 = 2;

/// Returns the exit code, or the fault of a process that did not come so far.
pub(crate) fn code(raw: &Transcript) -> Result<i32, Box<Fault>> {
    let (kind, text) = match &raw.end {
        End::Code(code) => return Ok(*code),
        End::Signal(signal) => (FaultKind::Signal, format!("signal {signal} ended it")),
        End::TimedOut => {
            let seconds = raw.took.as_secs_f64();
            (
                FaultKind::TimedOut,
                format!("it did not end in time, and was stopped after {seconds:.1} s"),
            )
        }
        End::NotStarted(why) => {
            return Err(Fault::new(FaultKind::NotStarted, why.clone()).into());
        }
    };
    Err(Fault::new(kind, explained(text, raw)).into())
}

/// Returns the fault of an exit code that means nothing.
pub(crate) fn failed(code: i32, raw: &Transcript) -> Fault {
    let text = format!("exit code {code}");
    Fault::new(FaultKind::ExitCode, explained(text, raw))
}

/// Adds the first line of the standard error.
fn explained(text: String, raw: &Transcript) -> String {
    let stderr = raw.stderr.text();
    let mut lines = stderr.lines().map(str::trim);
    match lines.find(|line| !line.is_empty()) {
        Some(line) => format!("{text}: {}", line.chars().take(400).collect::<String>()),
        None => text,
    }
}

/// Makes a refusal of what was said, whatever it was: for the reason that it gives, else the standard error, else
/// what it tells the person, else a general sentence. What could not be read becomes a warning.
pub(crate) fn blocked(said: HandlerResult, reason: Option<&str>, raw: &Transcript) -> HookResult {
    let mut said =
        said.unwrap_or_else(|fault| HookResult::proceed().notifying(warning(&*fault.text)));
    if matches!(said.verdict, Verdict::Halt { .. }) {
        return said;
    }
    let stderr = raw.stderr.text();
    let stderr = Some(stderr.trim()).filter(|text| !text.is_empty());
    let mut told = said.effects.notify().iter();
    let told = told.find(|notice| notice.level != Level::Warning);
    let told = told.map(|notice| &*notice.text);
    let reason = Reason::new(reason.or(stderr).or(told).unwrap_or(NO_REASON));
    said.verdict = Verdict::Deny {
        reasons: [reason].into(),
    };
    said
}
