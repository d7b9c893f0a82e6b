//! What is written by the tables and types of this crate, and committed.

mod generated;
