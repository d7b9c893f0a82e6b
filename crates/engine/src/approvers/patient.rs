//! An approver that is waited for no longer than its questions say.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhook_core::event::Event;
use anyhook_core::ports::{Approver, Dialog, DialogQuestion};
use anyhook_core::question::{Answer, Question};

/// No person is waited for longer than this: what is added to the clock has to stay a time.
const LONGEST: Duration = Duration::from_hours(366 * 24);

/// How often it is looked whether an answer is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Asks an approver on a thread of its own, and waits for it as long as the most impatient of the questions says.
///
/// What does not come in time is [`Answer::TimedOut`], and a panic is [`Answer::Failed`]: the question's default holds. A
/// thread that is not waited for any more runs on, and its answer is dropped.
pub struct TimedApprover {
    approver: Arc<dyn Approver>,
    before: Option<String>,
    cancelled: Arc<AtomicBool>,
}

impl TimedApprover {
    /// Waits for an approver.
    pub fn new(approver: Arc<dyn Approver>) -> Self {
        Self {
            approver,
            before: None,
            cancelled: Arc::default(),
        }
    }

    /// Refuses in the person's place as soon as this is true.
    pub(crate) fn until(self, cancelled: Arc<AtomicBool>) -> Self {
        Self { cancelled, ..self }
    }

    /// Shows how the action was before hooks rewrote it.
    pub fn showing(self, before: String) -> Self {
        let before = Some(before);
        Self { before, ..self }
    }

    fn wait(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        let count = dialog.asks.len();
        let timeouts = dialog.asks.iter().map(|asks| asks.question.timeout);
        let within = timeouts.min().unwrap_or_default().min(LONGEST);
        let owned = OwnedDialog::of(dialog, self.before.clone());
        let approver = Arc::clone(&self.approver);
        let (say, hear) = channel();
        let ask = move || {
            let asked = catch_unwind(AssertUnwindSafe(|| owned.put(&*approver)));
            // No one waits any more if it took too long.
            let _ = say.send(asked.unwrap_or_else(|_| vec![Answer::Failed; owned.asks.len()]));
        };
        let started = std::thread::Builder::new()
            .name("anyhook-approver".to_owned())
            .spawn(ask);
        if started.is_err() {
            return vec![Answer::Failed; count];
        }
        let until = Instant::now() + within;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match hear.recv_timeout(left.min(LOOK)) {
                // A yes that comes with the cancellation comes too late.
                _ if self.cancelled.load(Ordering::Relaxed) => return vec![Answer::Deny; count],
                Ok(answers) => return answers,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return vec![Answer::TimedOut; count];
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return vec![Answer::Failed; count],
            }
        }
    }
}

impl Approver for TimedApprover {
    fn answer(&self, event: &Event, question: &Question) -> Answer {
        super::answer_one(self, event, question)
    }

    fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        self.wait(dialog)
    }
}

impl fmt::Debug for TimedApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedApprover").finish_non_exhaustive()
    }
}

/// A dialog for another thread.
struct OwnedDialog {
    event: Event,
    action: String,
    before: Option<String>,
    asks: Vec<(String, Question)>,
}

impl OwnedDialog {
    fn of(dialog: &Dialog<'_>, before: Option<String>) -> Self {
        let own = |asks: &DialogQuestion<'_>| (asks.hook.to_owned(), asks.question.clone());
        Self {
            event: dialog.event.clone(),
            action: dialog.action.to_owned(),
            before: before.or_else(|| dialog.before.map(str::to_owned)),
            asks: dialog.asks.iter().map(own).collect(),
        }
    }

    fn put(&self, approver: &dyn Approver) -> Vec<Answer> {
        let asks: Vec<DialogQuestion<'_>> = self
            .asks
            .iter()
            .map(|(hook, question)| DialogQuestion { hook, question })
            .collect();
        approver.answer_all(&Dialog {
            event: &self.event,
            action: &self.action,
            before: self.before.as_deref(),
            asks: &asks,
        })
    }
}
