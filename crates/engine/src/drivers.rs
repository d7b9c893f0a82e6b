//! Driving a dispatch: asking the hooks that it says to ask, and handing in what they answer.

pub mod future;
pub mod poll;
