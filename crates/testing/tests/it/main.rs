//! Tests of the test runner: packages on disk, real scripts, and what is told about them.

mod broken;
mod isolation;
mod merged;
mod package;
mod seed;
mod words;
