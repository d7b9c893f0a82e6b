//! Driving a dispatch: asking the hooks that it says to ask, and handing in what they answer.
//!
//! [`future`] awaits code of this process, one hook after the other, on whatever executor calls it. The
//! line of `anyhook` has a driver of its own, which runs the processes of a manifest side by side, without a thread or
//! a runtime. Neither decides anything: what an answer means is for
//! [`Dispatch`](anyhook_core::dispatch::Dispatch) to say.

pub mod future;
