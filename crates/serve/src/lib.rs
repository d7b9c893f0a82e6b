//! The decisions of `anyhook run`, over HTTP on this machine, for agents and programs that cannot start a process.
//!
//! ```text
//!  client ──token──> gate ──> route ──> desk ──> the line of `anyhook run` ──> reply
//! ```
//!
//! The server decides nothing of its own: each event goes through the same line, in the world of the person who started the
//! server. It listens on loopback and on a socket of its person, and nowhere else.

mod body;
mod clients;
mod command;
mod cookies;
mod desk;
mod error;
mod gate;
mod inbox;
mod instance;
mod limits;
mod open;
mod page;
mod places;
mod problem;
mod routes;
mod said;
mod server;
mod session;

pub use clients::Clients;
pub use command::main;
pub use error::ServeError;
pub use instance::ServerInstance;
pub use limits::Limits;
pub use places::ServerFolder;
pub use routes::openapi;
pub use server::Server;
