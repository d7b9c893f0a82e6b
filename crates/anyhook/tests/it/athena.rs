//! Tables of `ex_athena`, held against the original.

mod original;
