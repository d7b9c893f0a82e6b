//! What an entry of ours says: which program, for which event of which host, and for how long.

use std::time::Duration;

/// An entry of ours, read back by [`called`](super::called).
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_wires::settings::command::{EntryCommand, called};
///
/// let line = "exec '/home/me/my bin/anyhook' run Stop --host claude-code --deadline 2.5";
/// let said = EntryCommand {
///     program: "/home/me/my bin/anyhook".to_owned(),
///     event: Some("Stop".to_owned()),
///     host: "claude-code".to_owned(),
///     deadline: Some(Duration::from_millis(2500)),
///     is_strict: false,
/// };
/// assert_eq!(called(line), Some(said));
/// assert_eq!(called("./guard.sh"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryCommand {
    /// The program as it is written: a path, or a name that is looked for on `PATH`.
    pub program: String,
    /// The event, in whatever spelling.
    pub event: Option<String>,
    /// The host.
    pub host: String,
    /// How long the host waits, as it is written.
    pub deadline: Option<Duration>,
    /// Whether it refuses what hooks guard that may not run.
    pub is_strict: bool,
}

impl EntryCommand {
    /// Reads the words behind `anyhook run`; without a host they are no entry's.
    pub(super) fn read(program: String, words: Vec<String>) -> Option<Self> {
        let mut called = EntryCommand {
            program,
            ..EntryCommand::default()
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                called.event = called.event.or(Some(word));
                continue;
            };
            let (flag, value) = match flag.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (flag, None),
            };
            match flag {
                "host" => called.host = value.or_else(|| words.next()).unwrap_or_default(),
                "deadline" => {
                    let seconds = value.or_else(|| words.next());
                    let seconds = seconds.and_then(|text| text.parse().ok());
                    called.deadline =
                        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                }
                "strict" => called.is_strict = true,
                // The only other flag of `run` with a value that an entry may have.
                "manifest" if value.is_none() => {
                    words.next();
                }
                _ => {}
            }
        }
        Some(called).filter(|called| !called.host.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::command::called;

    #[test]
    fn what_the_installed_forms_say_is_read_back() {
        let stop = |program: &str, deadline| {
            Some(EntryCommand {
                program: program.to_owned(),
                event: Some("Stop".to_owned()),
                host: "claude-code".to_owned(),
                deadline,
                is_strict: false,
            })
        };
        let minute = Some(Duration::from_mins(1));
        assert_eq!(
            called("/opt/anyhook run Stop --host claude-code --deadline 60"),
            stop("/opt/anyhook", minute)
        );
        assert_eq!(
            called("A=1 anyhook run --host=claude-code --deadline=60 Stop"),
            stop("anyhook", minute)
        );
        assert_eq!(
            called("anyhook run Stop --host claude-code --deadline soon"),
            stop("anyhook", None)
        );
        assert_eq!(
            called("./guard.sh && anyhook run Stop --host claude-code"),
            None
        );
    }

    #[test]
    fn a_manifest_is_no_event() {
        let called = called("anyhook run --manifest Stop --host claude-code").unwrap();
        assert_eq!(called.event, None);
    }
}
