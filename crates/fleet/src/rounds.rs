//! The rounds over a connection: once until everything is done, or again and again until the process is ended.

use std::path::Path;
use std::time::Duration;

use anyhook::files::with_causes;

use crate::error::PolicyError;
use crate::server::{ConnectionSettings, ServerConnection};

/// So often one looks for what is new.
const PAUSE: Duration = Duration::from_secs(1);
/// So long is waited at most before a server that was not reached is tried again.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Does something over a connection. This program waits for a network and does little else, so one thread is enough.
pub(crate) fn connected<T>(
    caller: &ConnectionSettings,
    work: impl AsyncFnOnce(&ServerConnection) -> Result<T, PolicyError>,
) -> Result<T, PolicyError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(PolicyError::io("start", Path::new("the runtime")))?;
    runtime.block_on(async {
        let server = ServerConnection::connect(caller).await?;
        let done = work(&server).await?;
        server.flush().await;
        Ok(done)
    })
}

/// Does rounds until one says that everything is done, or, followed, until the process is ended: a server that is lost or hangs
/// is connected anew, and a disk without room is waited for.
pub(crate) fn rounds(
    caller: &ConnectionSettings,
    is_followed: bool,
    mut round: impl AsyncFnMut(&ServerConnection) -> Result<bool, PolicyError>,
) -> Result<(), PolicyError> {
    let mut pause = PAUSE;
    loop {
        let done = connected(caller, async |server| {
            pause = PAUSE;
            loop {
                match round(server).await? {
                    true if is_followed => tokio::time::sleep(PAUSE).await,
                    true => return Ok(()),
                    false => {}
                }
            }
        });
        match done {
            Err(why) if is_followed && why.trouble.passes() => {
                let (why, seconds) = (with_causes(&why), pause.as_secs());
                crate::command::say(&format!("{why}; tried again in {seconds} s\n"));
            }
            done => return done,
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use anyhook::files::FileError;

    use super::*;
    use crate::error::Trouble;

    #[test]
    fn a_shipper_waits_for_a_server_and_for_room_on_its_disk_and_for_nothing_else() {
        let server = Trouble::Server.error("`nats://s`: it is away");
        let of = |kind: ErrorKind| FileError::Io {
            doing: "write",
            path: "f".into(),
            source: kind.into(),
        };
        let disk = |kind| PolicyError::from(of(kind));
        let all = [
            server,
            disk(ErrorKind::StorageFull),
            disk(ErrorKind::QuotaExceeded),
            disk(ErrorKind::PermissionDenied),
            Trouble::Nothing.error(""),
        ];
        assert_eq!(
            all.map(|why| why.trouble.passes()),
            [true, true, true, false, false]
        );
    }
}
