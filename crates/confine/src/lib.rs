//! Runs a command so that the kernel refuses what it may not touch: `run(spec, program)` confines this process and becomes
//! the program.
//!
//! ```text
//!  Sandbox ──roots──> Spec ──argument──> anyhook confined ──Landlock, seccomp, limits──> the command
//!  what people write  paths              the helper, one spawn                          same process
//! ```
//!
//! A line that tries to get out is refused by the kernel, whatever it looks like: nothing here reads the command. Where a
//! kernel has less than was asked for, the [`ConfinementReport`] names what it lacks; a confinement that is `required` does not run then.
//! On macOS the same is a profile for `sandbox-exec`, by which the command is started. This crate starts no process beside the command, and it does not decide what is confined.

mod arguments;
mod failure;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod linux;
mod programs;
mod refused;
mod report;
mod roots;
mod run;
#[cfg(any(not(target_os = "linux"), test))]
mod seatbelt;
mod spec;
mod target;
mod wrap;

pub use arguments::main;
pub use failure::ConfineError;
#[cfg(unix)]
pub use linux::AccessMonitor;
pub use linux::{level, names_without_plugins, raise_loopback};
pub use programs::VERB;
pub use refused::{AccessAttempt, AccessRefusals};
pub use report::{ConfinementGap, ConfinementReport, KernelSupport};
pub use roots::Roots;
pub use run::run;
pub use spec::Spec;
pub use target::ResolvedPath;
pub use wrap::CommandWrapper;
