//! What is written by the tables of this crate, and committed.

mod generated;
