//! Session state on disk: one private file for each session, for hosts that start a process for each event.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::{
    FlightGuard, KEPT, PriorState, SessionKey, SessionState, State, StateError, VERSION, millis,
    secrets,
};
use crate::files::{self, Durability, FileError, FileLock};

/// How long an update waits for another process; one update takes less than a millisecond. A process that holds the lock for
/// longer means harm, and the time of an answer is short.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest file that is read back.
const LIMIT: u64 = 16 * 1024 * 1024;
/// How far a file grows by states that are appended to it. To replace a file takes ten times as long as to append to it.
const MOST_APPENDED: usize = 64 * 1024;

/// Keeps session state in one directory.
///
/// A session is `<hash>.json`: lines, each the whole state, of which the last complete one holds. An update appends one, or
/// replaces the file where it has grown, under the lock `<hash>.lock`. What cannot be read is put aside as
/// `<hash>.json.bad` and counts as empty. An event under way is a locked `<hash>.<hash>.flight`, which the kernel
/// releases if the process dies.
#[derive(Debug, Clone)]
pub struct FileState {
    dir: PathBuf,
}

impl FileState {
    /// Keeps state below `dir`, which is made when something is first kept.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Looks at every session that is kept. One that cannot be read is passed over: its next event tells.
    ///
    /// ```
    /// use anyhook_engine::state::{FileState, SessionKey, State};
    ///
    /// let place = tempfile::tempdir()?;
    /// let state = FileState::new(place.path());
    /// for (session, turns) in [("s1", 3), ("s2", 4)] {
    ///     let key = SessionKey::new("claude-code", session);
    ///     let _ = state.update(&key, &mut |kept| kept.turn = turns)?;
    /// }
    /// let mut turns = 0;
    /// state.each(&mut |kept| turns += kept.turn);
    /// assert_eq!(turns, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn each(&self, look: &mut dyn FnMut(&SessionState)) {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
            let bytes = files::read(&path, LIMIT).ok().flatten();
            let session = bytes.and_then(|bytes| serde_json::from_slice(last(&bytes)).ok());
            if let Some(session) = session {
                look(&session);
            }
        }
    }

    fn path(&self, key: &SessionKey, ending: &str) -> PathBuf {
        self.dir.join(format!("{}.{ending}", key.file_name()))
    }
}

impl State for FileState {
    fn update(
        &self,
        key: &SessionKey,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<PriorState, StateError> {
        files::private_dir(&self.dir)?;
        let path = self.path(key, "json");
        let _lock = files::lock(&path.with_extension("lock"), PATIENCE)?;
        let (before, loaded, length) = load(&path);
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            secrets::hide(&before, &mut after);
            let mut line = serde_json::to_vec(&after)?;
            line.push(b'\n');
            if line.len() as u64 > LIMIT {
                return Err(StateError::TooLarge(line.len()));
            }
            if length.is_some_and(|length| length + line.len() <= MOST_APPENDED) {
                let written = files::appending(&path)?.write_all(&line);
                written.map_err(FileError::io("append to", &path))?;
            } else {
                files::replace(&path, &line, Durability::No)?;
            }
        }
        Ok(loaded)
    }

    fn look(&self, key: &SessionKey) -> Option<SessionState> {
        // A line that is only half written does not count: reading one takes no lock.
        let Some(bytes) = files::read(&self.path(key, "json"), LIMIT).ok()? else {
            return Some(SessionState::default());
        };
        let session: Option<SessionState> = serde_json::from_slice(last(&bytes)).ok();
        session.filter(|session| session.version.0 <= VERSION)
    }

    fn flight(
        &self,
        key: &SessionKey,
        event: &str,
        patience: Duration,
    ) -> Result<FlightGuard, StateError> {
        files::private_dir(&self.dir)?;
        let event = files::name_of(&[event.as_bytes()]);
        match files::lock(&self.path(key, &format!("{event}.flight")), patience) {
            Ok(lock) => Ok(FlightGuard(Some(lock))),
            Err(FileError::Busy { patience, .. }) => Err(StateError::InFlight(patience)),
            Err(error) => Err(error.into()),
        }
    }

    fn sweep(&self, now: i64) {
        let Ok(entries) = std::fs::read_dir(&self.dir) else {
            return;
        };
        let earliest = now.saturating_sub(millis(KEPT));
        for path in entries.flatten().map(|entry| entry.path()) {
            if touched(&path).is_some_and(|at| at < earliest) {
                forget(&path, earliest);
            }
        }
    }
}

/// Returns the last line that was written to its end. A file of one line without an end is taken as it is.
fn last(bytes: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| *byte == b'\n';
    let whole = bytes
        .iter()
        .rposition(is_end)
        .and_then(|end| bytes.get(..end));
    let mut lines = whole.unwrap_or(bytes).rsplit(is_end);
    lines.next().unwrap_or_default()
}

/// Reads a state, with the length of its file where another one can be appended. One that cannot be read is put aside, and
/// the next update starts from nothing.
fn load(path: &Path) -> (SessionState, PriorState, Option<usize>) {
    let why = match files::read(path, LIMIT) {
        Ok(None) => return (SessionState::default(), PriorState::Fresh, None),
        // Serde would also take an array for a struct; we never write one.
        Ok(Some(bytes)) if !last(&bytes).starts_with(b"{") => "it is no JSON object".to_owned(),
        Ok(Some(bytes)) => match serde_json::from_slice::<SessionState>(last(&bytes)) {
            Ok(state) if state.version.0 <= VERSION => {
                let length = bytes.ends_with(b"\n").then_some(bytes.len());
                return (state, PriorState::Found, length);
            }
            Ok(state) => format!("it is of the later version {}", state.version.0),
            Err(error) => error.to_string(),
        },
        Err(FileError::Io { source, .. }) => source.to_string(),
        Err(error) => error.to_string(),
    };
    let mut aside = path.as_os_str().to_owned();
    aside.push(".bad");
    // Where even this fails, the update fails too when it writes, or finds the same again.
    let _ = std::fs::rename(path, aside);
    (
        SessionState::default(),
        PriorState::WasUnreadable(why),
        None,
    )
}

fn touched(path: &Path) -> Option<i64> {
    let at = std::fs::symlink_metadata(path).ok()?.modified().ok()?;
    Some(at.duration_since(UNIX_EPOCH).map_or(0, millis))
}

/// Removes one old file, unless a process uses it. A lock goes with its session, never before it.
fn forget(path: &Path, earliest: i64) {
    let name = path.file_name().and_then(|name| name.to_str());
    let Some((stem, ending)) = name.and_then(|name| name.rsplit_once('.')) else {
        return;
    };
    match ending {
        "json" => {
            let lock = path.with_file_name(format!("{stem}.lock"));
            let Ok(lock) = files::lock(&lock, Duration::ZERO) else {
                return;
            };
            // Looked at again under the lock: it may just have been written.
            if touched(path).is_some_and(|at| at < earliest) {
                let _ = std::fs::remove_file(path);
                lock.remove();
            }
        }
        "lock" if path.with_extension("json").exists() => {}
        "lock" | "flight" => {
            let _ = files::lock(path, Duration::ZERO).map(FileLock::remove);
        }
        _ if ending == "bad" || ending.starts_with("new-") => {
            let _ = std::fs::remove_file(path);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_was_half_appended_does_not_count_and_the_file_stays_small() {
        let place = tempfile::tempdir().unwrap();
        let state = FileState::new(place.path());
        let key = SessionKey::new("codex", "s");
        let add = || {
            let mut count = 0;
            let loaded = state.update(&key, &mut |kept| count = kept.count("c"));
            assert!(!matches!(loaded.unwrap(), PriorState::WasUnreadable(_)));
            count
        };
        assert_eq!((add(), add()), (1, 2));
        let path = state.path(&key, "json");
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..=whole.len() / 2 {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            assert_eq!(
                state.look(&key).unwrap().counters["c"],
                1,
                "{cut} bytes less"
            );
            assert_eq!((add(), add()), (2, 3), "{cut} bytes less");
        }
        for _ in 0..1000 {
            add();
        }
        assert_eq!(add(), 1004);
        assert!(std::fs::metadata(&path).unwrap().len() <= MOST_APPENDED as u64);
    }
}
