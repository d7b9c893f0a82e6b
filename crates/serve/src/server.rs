//! The server: one lock, one port on loopback, one socket, and an end that loses no answer.

use std::fs;
use std::future::Future;
use std::net::{Ipv4Addr, TcpListener as BoundPort};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener as BoundSocket;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhook::files::FileLock;
use anyhook::world::World;
use axum::Router;
use axum::serve::{Listener, ListenerExt as _};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, UnixListener};
use tokio::runtime;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::body::PayloadBudget;
use crate::clients::{Clients, secret};
use crate::desk::EventService;
use crate::error::ServeError;
use crate::gate::Door;
use crate::inbox::Inbox;
use crate::instance::{self, ServerInstance};
use crate::limits::Limits;
use crate::page::{self, PageContext};
use crate::places::ServerFolder;
use crate::routes::{RouteContext, router};

/// The stack of a thread that answers an event: as large as that of the process of `anyhook run`.
const STACK: usize = 8 * 1024 * 1024;
/// The most headers of a request, and the longest head.
const HEADERS: (usize, usize) = (64, 64 * 1024);

/// A server that has its lock and its sockets.
///
/// ```
/// use anyhook::world::{UserFolders, World};
/// use anyhook_serve::{Limits, Server};
///
/// let place = tempfile::tempdir()?;
/// let state = place.path().join("state");
/// let places = UserFolders { home: place.path().into(), config: place.path().join("config"), state };
/// let world = World { places: Some(places), ..World::real() };
/// let server = Server::bind(&world, 0, Limits::default())?;
/// assert!(server.running.socket.exists());
/// assert!(Server::bind(&world, 0, Limits::default()).is_err(), "a person has one");
///
/// // It runs until it is told to end, and takes its socket with it.
/// server.run(std::future::ready(()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    folder: ServerFolder,
    /// Held as long as the server lives.
    lock: FileLock,
    world: World,
    limits: Limits,
    socket: BoundSocket,
    port: BoundPort,
    /// Where it listens.
    pub running: ServerInstance,
}

impl Server {
    /// Takes the lock and the sockets of the one server of a person, and says where it listens: on loopback, where 0 is a
    /// port that is free.
    pub fn bind(world: &World, port: u16, limits: Limits) -> Result<Self, ServeError> {
        let folder = ServerFolder::of(world)?;
        let lock = instance::take(&folder)?;
        let socket = bound_socket(&folder.bindable()?)?;
        let port = bound_port(port)?;
        let address = port.local_addr().map_err(ServeError::io("tell the port"))?;
        let running = ServerInstance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: rustix::process::getpid().as_raw_nonzero().get(),
            address: address.to_string(),
            socket: folder.file("socket"),
            page: page_name()?,
        };
        instance::tell(&folder, &running)?;
        Ok(Self {
            folder,
            lock,
            world: world.clone(),
            limits,
            socket,
            port,
            running,
        })
    }

    /// Answers until `end` is over, and then for as long as the events take that are under way.
    pub fn run(self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(self.limits.events.saturating_add(8))
            .thread_stack_size(STACK)
            .build()
            .map_err(ServeError::io("start the server"))?;
        let interrupted = Arc::clone(&self.world.interrupted);
        let answered = runtime.block_on(self.answer(end));
        // A thread that hangs in a hook of a disk that does not answer must not keep the process.
        interrupted.store(true, Ordering::Relaxed);
        runtime.shutdown_timeout(Duration::from_secs(1));
        answered
    }

    async fn answer(self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        let (world, folder, limits) = (self.world, self.folder, self.limits);
        let (tell, ends) = watch::channel(());
        let pages = Arc::new(PageContext::new(world.clone(), &folder, ends.clone())?);
        let office = Arc::new(RouteContext {
            desk: EventService::new(world.clone(), limits.events),
            room: PayloadBudget::new(&limits),
        });
        let clients = Clients::of(&folder)?;
        let inbox = Arc::new(Inbox::new(world.clone()));
        let app = |door: &Door| {
            let all = router(&office, &clients, door).merge(page::router(&pages, door));
            all.merge(page::inbox::router(&inbox, door))
        };
        let number = self.port.local_addr().map_or(0, |address| address.port());
        let port = TcpListener::from_std(self.port).map_err(ServeError::io("listen"))?;
        let port = port.tap_io(|io| {
            let _ = io.set_nodelay(true);
        });
        let socket = UnixListener::from_std(self.socket).map_err(ServeError::io("listen"))?;
        let of_page = app(&Door::port(number, &self.running.page));
        let doors = [
            open(port, of_page, limits, ends.clone()),
            open(socket, app(&Door::Socket), limits, ends),
        ];
        end.await;
        let _ = tell.send(());
        close(&doors, limits, &world.interrupted).await;
        let _ = fs::remove_file(folder.file("socket"));
        instance::forget(&folder);
        drop(self.lock);
        Ok(())
    }
}

/// Makes the name of this machine by which a browser reaches the page: browsers resolve what ends with `.localhost` themselves.
fn page_name() -> Result<String, ServeError> {
    let secret: String = secret()?.chars().take(32).collect();
    Ok(format!("{secret}.localhost"))
}

/// The connections of one door that may still be opened.
type ConnectionSlots = Arc<Semaphore>;

/// Accepts connections until the server ends.
fn open(
    mut listener: impl Listener<Addr: std::fmt::Debug>,
    app: Router,
    limits: Limits,
    mut ends: watch::Receiver<()>,
) -> ConnectionSlots {
    let free = Arc::new(Semaphore::new(limits.connections));
    let its = Arc::clone(&free);
    tokio::spawn(async move {
        loop {
            // What is not accepted waits in the system, and the next one that ends lets it in.
            let Ok(permit) = Arc::clone(&its).acquire_owned().await else {
                return;
            };
            let io = tokio::select! {
                (io, _) = listener.accept() => io,
                _ = ends.changed() => return,
            };
            let (app, ends) = (app.clone(), ends.clone());
            tokio::spawn(async move {
                connection(io, app, limits, ends).await;
                drop(permit);
            });
        }
    });
    free
}

async fn connection<I>(io: I, app: Router, limits: Limits, mut ends: watch::Receiver<()>)
where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(HEADERS.0)
        .max_buf_size(HEADERS.1);
    let served = builder.serve_connection(TokioIo::new(io), TowerToHyperService::new(app));
    let mut served = std::pin::pin!(served);
    // A client that breaks the connection off is no news.
    let is_over = tokio::select! {
        _ = served.as_mut() => true,
        _ = ends.changed() => false,
    };
    if !is_over {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}

/// Waits until every connection is over: those that are idle end at once, an event that takes long has its hooks ended.
async fn close(doors: &[ConnectionSlots], limits: Limits, interrupted: &AtomicBool) {
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let over = async {
        for free in doors {
            let _ = free.acquire_many(all).await;
        }
    };
    let mut over = std::pin::pin!(over);
    if timeout(limits.ending, over.as_mut()).await.is_err() {
        interrupted.store(true, Ordering::Relaxed);
        let _ = timeout(limits.ending, over).await;
    }
}

fn bound_port(number: u16) -> Result<BoundPort, ServeError> {
    let port = BoundPort::bind((Ipv4Addr::LOCALHOST, number));
    let port = port.and_then(|port| port.set_nonblocking(true).map(|()| port));
    port.map_err(|cause| ServeError::listen(&format!("127.0.0.1:{number}"), &cause))
}

/// Listens on the socket. One that stands there belongs to a server that was killed: ours is the lock.
fn bound_socket(path: &Path) -> Result<BoundSocket, ServeError> {
    match path.symlink_metadata() {
        Ok(meta) if !meta.file_type().is_socket() => {
            let what = format!("`{}` is not a socket", path.display());
            let help = "look what it is, and move it away";
            return Err(ServeError::new(73, what, help));
        }
        Ok(_) => fs::remove_file(path).map_err(ServeError::io("remove a socket that is left"))?,
        Err(_) => {}
    }
    let bind = || {
        let socket = BoundSocket::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    bind().map_err(|cause: std::io::Error| ServeError::listen(&path.to_string_lossy(), &cause))
}
