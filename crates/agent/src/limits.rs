//! The limits at which a run ends by itself.

use std::time::Duration;

/// The bounds of a run.
///
/// ```
/// use anyhook_agent::limits::RunLimits;
///
/// let limits = RunLimits::default();
/// assert_eq!((limits.turns, limits.equal_denials, limits.stop_refusals), (50, 3, 8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// How often the model is asked about one prompt, by the agents that it starts too.
    pub turns: u32,
    /// How often the same call may be refused in a row.
    pub equal_denials: u32,
    /// How often hooks may refuse a stop in a row.
    pub stop_refusals: u32,
    /// How many agents may be inside each other.
    pub depth: u32,
    /// How long a tool may take.
    pub tool: Duration,
    /// How long a hook of this process may take.
    pub hook: Duration,
    /// How many tokens fit into a request.
    pub window: u64,
    /// Where between nothing and the window the conversation is made shorter.
    pub compact_at: f64,
    /// How many tokens an answer may have.
    pub answer: u64,
    /// How often a request is made again.
    pub retries: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            turns: 50,
            equal_denials: 3,
            stop_refusals: 8,
            depth: 3,
            tool: Duration::from_mins(2),
            hook: Duration::from_secs(10),
            window: 200_000,
            compact_at: 0.6,
            answer: 8192,
            retries: 2,
        }
    }
}

impl RunLimits {
    /// Returns how many tokens a conversation may have before it is made shorter.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a window is not exact to the token"
    )]
    pub(crate) fn threshold(&self) -> u64 {
        (self.window as f64 * self.compact_at.clamp(0.0, 1.0)) as u64
    }
}
