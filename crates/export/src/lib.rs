//! The record as JSON lines and over OTLP/HTTP: `fn export(&Request) -> Result<Exported, ExportError>`.
//!
//! `anyhook log export` and `anyhook fleet ship` call it.
//!
//! ```
//! use anyhook_export::{Form, Request, export};
//!
//! let place = tempfile::tempdir()?;
//! let to = place.path().join("out.jsonl");
//! let done = export(&Request {
//!     reports: place.path().join("reports"),
//!     filter: Default::default(),
//!     form: Form::Jsonl { to: Some(to.clone()) },
//! })?;
//! assert_eq!((done.records, std::fs::read_to_string(to)?.as_str()), (0, ""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod jsonl;
mod otlp;
mod ship;

use std::path::PathBuf;

use anyhook::core::ports::StoreError;
use anyhook::files::FileError;
use anyhook::stores::{Filter, Jsonl, Keep};

/// What is to be exported, and whereto.
#[derive(Debug)]
pub struct Request {
    /// The folder of the record.
    pub reports: PathBuf,
    /// Which records.
    pub filter: Filter,
    /// In which form.
    pub form: Form,
}

/// The forms.
#[derive(Debug)]
pub enum Form {
    /// A record a line, and the head of the chain at the end.
    Jsonl {
        /// The file; standard output if there is none.
        to: Option<PathBuf>,
    },
    /// Logs and spans to a receiver, each at least once.
    Otlp {
        /// The address of the receiver.
        to: String,
        /// What it wants to see in the header `Authorization`.
        authorization: Option<String>,
        /// The folder for the place up to which everything was sent.
        state: PathBuf,
        /// How much of each record is sent.
        level: Keep,
    },
}

/// Why nothing more was exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The record cannot be read.
    #[error("the record cannot be read")]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("cannot write `{}`", file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The place up to which everything was sent cannot be kept.
    #[error("cannot keep how far the export came")]
    Place(#[from] FileError),
    /// The receiver did not take it.
    #[error(
        "`{to}` did not take the records: {why}; {sent} were sent, and the next export goes on behind them"
    )]
    Receiver {
        /// Its address.
        to: String,
        /// What it said.
        why: String,
        /// How many it took before.
        sent: u64,
    },
}

/// What an export did.
///
/// ```
/// assert_eq!(anyhook_export::Exported::default().records, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many records went out.
    pub records: u64,
    /// How many lines of the record are no records.
    pub skipped: usize,
    /// How many of them the receiver rejected.
    pub rejected: u64,
    /// Whether another export to this receiver is at work, so that nothing was done.
    pub busy: bool,
    /// Whether records were removed by size or age before they were sent.
    pub lost: bool,
}

/// Carries out a request.
pub fn export(request: &Request) -> Result<Exported, ExportError> {
    let store = Jsonl::new(&request.reports, Keep::Payload);
    match &request.form {
        Form::Jsonl { to } => jsonl::write(&store, &request.filter, to.as_deref()),
        Form::Otlp {
            to,
            authorization,
            state,
            level,
        } => {
            let store = Jsonl::new(&request.reports, *level);
            let shipping = ship::Shipping::to(to, authorization.as_deref(), state);
            shipping.ship(&store, &request.filter)
        }
    }
}
