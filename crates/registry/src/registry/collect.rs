//! Asking all handlers for their own answers, instead of for one common answer.

use std::time::{Duration, Instant};

use anyhook_core::event::{Data, Datum, Event};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{AskFrequency, Hook, HookRole, Mode};
use anyhook_core::matcher::Hit;
use anyhook_core::report::{AskRound, Report, SkipReason, Step, StepOutcome};
use anyhook_core::result::{HookId, Kind};
use serde_json::Value;

use super::{HookRegistry, story, wait};
use crate::drivers::future::{ClaimChange, ask_alone};

/// No handler is waited for longer than this.
const LONGEST: Duration = Duration::from_mins(5);

/// How long [`HookRegistry::emit_and_collect`] waits for each handler: one second, if nothing else is said.
///
/// ```
/// use anyhook_registry::registry::Patience;
/// use std::time::Duration;
/// assert_eq!(Patience::default(), Patience::from(Duration::from_secs(1)));
/// assert_eq!(Patience::seconds(0.25)?, Patience::from(Duration::from_millis(250)));
/// assert!(Patience::seconds(-1.0).is_err());
/// # Ok::<(), anyhook_registry::registry::BadPatience>(())
/// ```
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::handler::later;
/// use anyhook_registry::core::hook::Hook;
/// use anyhook_registry::core::result::HookResult;
/// use anyhook_registry::registry::Patience;
/// use serde_json::json;
///
/// let registry = HookRegistry::new();
/// registry.on("my:vote", |_: &Event| HookResult::proceed().reply("aye"));
/// registry.register(Hook::on("my:vote", later(|_: Event| std::future::pending::<HookResult>())));
/// // A handler that has no answer ready is not waited for.
/// let votes = registry.collect_blocking("my:vote", json!({}), Patience::READY);
/// assert_eq!(votes.replies.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience(Duration);

/// A number of seconds that is no time.
///
/// ```
/// use anyhook_registry::registry::{BadPatience, Patience};
///
/// assert_eq!(Patience::seconds(-0.5), Err(BadPatience(-0.5)));
/// assert_eq!(BadPatience(-0.5).to_string(), "a timeout of `-0.5` seconds is none");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a timeout of `{0}` seconds is none")]
pub struct BadPatience(pub f64);

impl Patience {
    /// Takes only answers that are ready.
    pub const READY: Self = Self(Duration::ZERO);

    /// Reads seconds. Negative ones and NaN are an error; more than 300, and infinitely many, are 300 with a remark in the
    /// report.
    pub fn seconds(seconds: f64) -> Result<Self, BadPatience> {
        if seconds.is_nan() || seconds < 0.0 {
            return Err(BadPatience(seconds));
        }
        // What does not fit into a duration is longer than the longest in any case.
        Ok(Self(
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        ))
    }

    pub(super) fn within(self) -> Duration {
        self.0.min(LONGEST)
    }

    fn remark(self) -> Option<Box<str>> {
        (self.0 > LONGEST).then(|| {
            let text =
                format!("a timeout of more than {LONGEST:?} was asked for: {LONGEST:?} it is");
            text.into()
        })
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self(Duration::from_secs(1))
    }
}

impl From<Duration> for Patience {
    fn from(time: Duration) -> Self {
        Self(time)
    }
}

/// What [`HookRegistry::emit_and_collect`] came to.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::result::HookResult;
/// use anyhook_registry::registry::{CollectOutcome, Patience};
/// use serde_json::json;
///
/// let registry = HookRegistry::new();
/// registry.on("my:vote", |_: &Event| HookResult::proceed().reply("aye"));
/// registry.on("my:vote", |_: &Event| Err::<(), _>("not in the mood"));
/// let CollectOutcome { replies, report } =
///     registry.collect_blocking("my:vote", json!({}), Patience::default());
/// assert_eq!(replies, ["aye".into()]);
/// assert_eq!(report.faults().count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CollectOutcome {
    /// Every reply that is not null, in the order of asking.
    pub replies: Vec<Datum>,
    /// What became of each handler: who failed, who was too slow. Its result is empty, because nothing was decided.
    pub report: Report,
}

impl HookRegistry {
    /// Asks every handler for a reply, one after the other, and returns all of them.
    ///
    /// Nothing is decided: a refusal ends nothing, and a rewrite reaches no handler. Handlers that fail, or take longer than
    /// `patience` or than their own deadline, are skipped. Default fields are merged as by
    /// [`emit`](HookRegistry::emit); the timestamp is not.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::{Datum, Event};
    /// use anyhook_registry::core::result::HookResult;
    /// use anyhook_registry::registry::Patience;
    /// use serde_json::json;
    ///
    /// # async fn example() {
    /// let registry = HookRegistry::new();
    /// registry.on("decision:tool_resolution", |_: &Event| {
    ///     HookResult::proceed().reply(json!({"tool": "web_search"}))
    /// });
    /// registry.on("decision:tool_resolution", |_: &Event| ());
    /// let asked = json!({"query": "what is the weather"});
    /// let collected =
    ///     registry.emit_and_collect("decision:tool_resolution", asked, Patience::default()).await;
    /// assert_eq!(collected.replies, [Datum::Json(json!({"tool": "web_search"}))]);
    /// # }
    /// # pollster::block_on(example());
    /// ```
    pub async fn emit_and_collect(
        &self,
        event: &str,
        data: impl Into<Data>,
        patience: Patience,
    ) -> CollectOutcome {
        let (rows, mut other) = self.inner.book.read();
        let list = self.inner.book.list(&rows, &mut other, event);
        let mut event = Event::named(list.name.clone(), data);
        list.fill(&mut event.data);
        let event = &event;
        let once = |id, what| self.once(list, id, what);
        let began = Instant::now();
        let mut report = story(list, event);
        report.at = Some(self.inner.clock.now());
        report.remarks.extend(patience.remark());
        let mut replies = Vec::new();
        for (at, hook) in list.hooks.list().iter().enumerate() {
            let id = HookId(u32::try_from(at).unwrap_or(u32::MAX));
            let began = Instant::now();
            let (became, reply) = reply(hook, event, patience, |what| once(id, what)).await;
            replies.extend(reply);
            report.steps.push(Step {
                hook: id,
                became,
                again: AskRound::First,
                took: Some(began.elapsed()),
            });
        }
        report.took = Some(began.elapsed());
        CollectOutcome { replies, report }
    }

    /// Does what [`HookRegistry::emit_and_collect`] does, and waits for it on this thread.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::registry::Patience;
    /// use serde_json::json;
    ///
    /// let empty = HookRegistry::new();
    /// assert!(empty.collect_blocking("my:vote", json!({}), Patience::default()).replies.is_empty());
    /// ```
    pub fn collect_blocking(
        &self,
        event: &str,
        data: impl Into<Data>,
        patience: Patience,
    ) -> CollectOutcome {
        wait(self.emit_and_collect(event, data.into(), patience))
    }
}

async fn reply(
    hook: &Hook,
    event: &Event,
    patience: Patience,
    once: impl Fn(ClaimChange) -> bool,
) -> (StepOutcome, Option<Datum>) {
    if hook.selects(event) == Hit::No {
        return (StepOutcome::NotAsked(SkipReason::NoMatch), None);
    }
    if hook.times == AskFrequency::Once && !once(ClaimChange::Taken) {
        return (StepOutcome::NotAsked(SkipReason::Once), None);
    }
    let own = hook.deadline.unwrap_or(Duration::MAX);
    let within = Some(patience.within().min(own));
    let said = ask_alone(hook, event, AskRound::First, within).await;
    if hook.times == AskFrequency::Once && ClaimChange::is_left(&said) {
        once(ClaimChange::GivenBack);
    }
    became(hook, said)
}

/// A reply is a value; `null` is none. What an observer says, or a hook that is tried out, is no reply.
fn became(hook: &Hook, said: HandlerResult) -> (StepOutcome, Option<Datum>) {
    let mut said = match said {
        Ok(said) if said.is_identity() => return (StepOutcome::Said(None), None),
        Ok(said) => said,
        Err(fault) if let Some(why) = fault.why_not() => return (StepOutcome::NotAsked(why), None),
        Err(fault) => {
            let verdict = Kind::Continue;
            return (StepOutcome::Failed { fault, verdict }, None);
        }
    };
    if hook.role == HookRole::Observe || hook.mode == Mode::Shadow {
        return (StepOutcome::Would(Box::new(said)), None);
    }
    let reply = said.effects.edit().reply.clone();
    let reply = reply.filter(|reply| !matches!(reply, Datum::Json(Value::Null)));
    (StepOutcome::Said(Some(Box::new(said))), reply)
}
