//! Tables of `ex_athena`, held against the original.

mod cases;
mod original;
