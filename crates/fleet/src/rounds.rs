//! The rounds of a shipper: what is new goes out, and news about policies come in.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhook::files::FileError;
use async_nats::Subscriber;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::control::{CURRENT, POLICY};
use crate::error::PolicyError;
use crate::server::{Caller, Server};
use crate::ship::{Shipped, Shipper};
use crate::store::Store;

/// So often one looks for new records.
const PAUSE: Duration = Duration::from_secs(1);
/// So long is waited at most before a server that was not reached is tried again.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// News about a policy: which one there is, and nothing of what is in it. The signature on the disk decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct News {
    pub(crate) revision: u64,
    pub(crate) digest: String,
}

/// A member of the fleet on one machine.
pub(crate) struct Member<'m> {
    shipper: Shipper,
    caller: &'m Caller<'m>,
    managed: &'m Path,
    news: Option<News>,
    /// The news that were obeyed last, when they are tried again, and how long that is.
    tried: Option<(String, Instant, Duration)>,
}

impl<'m> Member<'m> {
    pub(crate) fn new(shipper: Shipper, caller: &'m Caller<'m>, managed: &'m Path) -> Self {
        Self {
            shipper,
            caller,
            managed,
            news: None,
            tried: None,
        }
    }

    /// Reads which policy is out.
    async fn ask(&mut self, server: &Server) -> Result<(), PolicyError> {
        let read = server.read(POLICY, CURRENT).await?;
        self.news = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(())
    }

    /// Lets the policy hold that is out, where this process may: the machine's own source is asked, and the signature decides.
    /// What does not hold then is tried again later and later: a thousand machines must not ask a source each second.
    fn obey(&mut self, applying: &dyn Fn() -> Result<String, String>) {
        let Some(policy) = Store::at(self.managed).current() else {
            return;
        };
        let held = policy.stamp.unwrap_or_default().digest;
        let news = self.news.as_ref().filter(|news| news.digest != held);
        let Some(news) = news.filter(|_| is_writable(&self.managed.join("policy"))) else {
            return;
        };
        let pause = match &self.tried {
            Some((digest, again, _)) if *digest == news.digest && Instant::now() < *again => return,
            Some((digest, _, pause)) if *digest == news.digest => (*pause * 2).min(LONGEST_PAUSE),
            Some(_) | None => PAUSE,
        };
        self.tried = Some((news.digest.clone(), Instant::now() + pause, pause));
        let said =
            applying().unwrap_or_else(|why| format!("the new policy is not applied: {why}\n"));
        crate::failed::say(&said);
    }
}

/// Sends what there is, and ends.
pub(crate) async fn once(member: &mut Member<'_>) -> Result<Shipped, PolicyError> {
    let server = match Server::connect(member.caller).await {
        Ok(server) => server,
        Err(error) => {
            member.shipper.offline()?;
            return Err(error);
        }
    };
    let done = member.shipper.send(&server).await;
    if done.is_err() {
        member.shipper.offline()?;
    }
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
    member: &mut Member<'_>,
    applying: &dyn Fn() -> Result<String, String>,
) -> Result<Infallible, PolicyError> {
    let mut pause = PAUSE;
    loop {
        let why = match Server::connect(member.caller).await {
            Ok(server) => {
                pause = PAUSE;
                let Err(why) = rounds(member, &server, applying).await;
                why
            }
            Err(why) => why,
        };
        if !passes(&why) {
            return Err(why);
        }
        if let Err(error) = member.shipper.offline()
            && !passes(&error)
        {
            return Err(error);
        }
        crate::failed::say(&format!(
            "{}; tried again in {} s\n",
            anyhook::files::with_causes(&why),
            pause.as_secs()
        ));
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn rounds(
    member: &mut Member<'_>,
    server: &Server,
    applying: &dyn Fn() -> Result<String, String>,
) -> Result<Infallible, PolicyError> {
    // Heard before it is read, so that nothing is missed in between.
    let mut news: Subscriber = server.news(POLICY).await?;
    member.ask(server).await?;
    loop {
        member.shipper.send(server).await?;
        member.obey(applying);
        if let Ok(Some(message)) = tokio::time::timeout(PAUSE, news.next()).await {
            member.news = serde_json::from_slice(&message.payload).ok();
            member.obey(applying);
        }
    }
}

/// Tells whether this process may change a policy: the folder is its own user's, and not only readable.
fn is_writable(folder: &PathBuf) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
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
