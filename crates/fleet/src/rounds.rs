//! The rounds of a shipper: what is new goes out, once or until the process is ended.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::time::Duration;

use anyhook::files::FileError;

use crate::error::PolicyError;
use crate::server::{Caller, Server};
use crate::ship::{Shipped, Shipper};

/// So often one looks for new records.
const PAUSE: Duration = Duration::from_secs(1);
/// So long is waited at most before a server that was not reached is tried again.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Sends what there is, and ends.
pub(crate) async fn once(
    shipper: &mut Shipper,
    caller: &Caller<'_>,
) -> Result<Shipped, PolicyError> {
    let server = Server::connect(caller).await?;
    let done = shipper.send(&server).await;
    server.flush().await;
    done
}

/// Tells whether it may pass by itself: a server that is away, or a disk without room.
fn passes(why: &PolicyError) -> bool {
    let source = match why {
        PolicyError::Server { .. } => return true,
        PolicyError::Io { source, .. } | PolicyError::File(FileError::Io { source, .. }) => source,
        _ => return false,
    };
    matches!(
        source.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

/// Goes on until the process is ended; a server that is not reached is tried again, and so is a disk without room.
pub(crate) async fn follow(
    shipper: &mut Shipper,
    caller: &Caller<'_>,
) -> Result<Infallible, PolicyError> {
    let mut pause = PAUSE;
    loop {
        let why = match Server::connect(caller).await {
            Ok(server) => {
                pause = PAUSE;
                let Err(why) = rounds(shipper, &server).await;
                why
            }
            Err(why) => why,
        };
        if !passes(&why) {
            return Err(why);
        }
        crate::command::say(&format!(
            "{}; tried again in {} s\n",
            anyhook::files::with_causes(&why),
            pause.as_secs()
        ));
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn rounds(shipper: &mut Shipper, server: &Server) -> Result<Infallible, PolicyError> {
    loop {
        shipper.send(server).await?;
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipper_waits_for_a_server_and_for_room_on_its_disk_and_for_nothing_else() {
        let server = PolicyError::Server {
            server: "nats://s".into(),
            why: "it is away".into(),
        };
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
            PolicyError::Nothing,
        ];
        assert_eq!(all.each_ref().map(passes), [true, true, true, false, false]);
    }
}
