//! A link to a server that is slow, loses what it carries, or is cut.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long everything takes on a slow link, and how much longer what was lost and is sent again.
const SLOW: Duration = Duration::from_millis(40);
const AGAIN: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Slow,
    Cut,
}

pub(crate) struct Link {
    pub(crate) address: SocketAddr,
    state: watch::Sender<State>,
}

impl Link {
    /// A link to an address, which lives as long as the process.
    pub(crate) fn to(server: SocketAddr) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (state, heard) = watch::channel(State::Good);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                loop {
                    let Ok((client, _)) = listener.accept().await else {
                        continue;
                    };
                    if *heard.borrow() != State::Cut {
                        tokio::spawn(carry(client, server, heard.clone()));
                    }
                }
            });
        });
        Self { address, state }
    }

    pub(crate) fn cut(&self, is_cut: bool) {
        self.state
            .send_replace(if is_cut { State::Cut } else { State::Good });
    }

    pub(crate) fn slow(&self) {
        self.state.send_replace(State::Slow);
    }
}

async fn carry(client: TcpStream, server: SocketAddr, mut heard: watch::Receiver<State>) {
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((here, to_client), (there, to_server)) = (client.into_split(), server.into_split());
    let (one, other) = (heard.clone(), heard.clone());
    // Where one way ends, or the link is cut, both ends see that the connection is gone.
    tokio::select! {
        () = pump(here, to_server, one) => {}
        () = pump(there, to_client, other) => {}
        _ = heard.wait_for(|state| *state == State::Cut) => {}
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, heard: watch::Receiver<State>) {
    let (mut bytes, mut count) = (vec![0; 16 << 10], 0_u32);
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let state = *heard.borrow();
        if state == State::Slow {
            count += 1;
            // One of fifty is lost and sent again; one of a thousand is the end of the connection.
            let more = if count.is_multiple_of(50) {
                AGAIN
            } else {
                Duration::ZERO
            };
            tokio::time::sleep(SLOW + more).await;
            if count.is_multiple_of(1000) {
                return;
            }
        }
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}
