//! A server on a thread of its own, which ends when it is dropped.

use std::io;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Running {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Runs it until this is dropped. Clients may keep their connections: the end does not wait for them.
    pub(crate) fn start(
        name: &str,
        serving: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<Self> {
        let (end, ended) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    tokio::select! {
                        () = serving => {}
                        _ = ended => {}
                    }
                });
                // A hook that still runs is not waited for: its client is gone.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            end: Some(end),
            thread: Some(thread),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            // It may have ended by itself.
            let _ = end.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
