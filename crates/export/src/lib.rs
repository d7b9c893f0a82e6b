//! `anyhook-export`: the record as JSON lines, as Parquet, and over OTLP/HTTP.
//!
//! `anyhook export` reads the command line and starts this program with one JSON object, the [`Request`]: so no event and no
//! first build pays for a file format and a network.
//!
//! ```
//! use anyhook_export::Request;
//!
//! let request: Request = serde_json::from_str(r#"{"reports": "/r", "form": {"otlp": {"to": "http://127.0.0.1:4318",
//!     "state": "/s"}}}"#)?;
//! assert!(request.filter.texts.is_empty());
//! # Ok::<(), serde_json::Error>(())
//! ```

mod jsonl;
mod otlp;
mod ship;
mod table;

pub use table::{Row, write_rows};

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhook::core::ports::StoreError;
use anyhook::files::{FileError, with_causes};
use anyhook::stores::{Filter, Jsonl, Keep};
use serde::Deserialize;

/// What is to be exported, and whereto.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The folder of the record.
    pub reports: PathBuf,
    /// Which records.
    #[serde(default)]
    pub filter: Filter,
    /// In which form.
    pub form: Form,
}

/// The forms.
///
/// ```
/// use anyhook_export::Form;
/// assert!(matches!(serde_json::from_str::<Form>(r#"{"jsonl": {}}"#), Ok(Form::Jsonl { to: None })));
/// ```
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A record a line, and the head of the chain at the end.
    Jsonl {
        /// The file; standard output if there is none.
        to: Option<PathBuf>,
    },
    /// One row for each event.
    Parquet {
        /// The file.
        to: PathBuf,
    },
    /// Logs and spans to a receiver, each at least once.
    Otlp {
        /// The address of the receiver.
        to: String,
        /// What it wants to see in the header `Authorization`.
        #[serde(default)]
        authorization: Option<String>,
        /// The folder for the place up to which everything was sent.
        state: PathBuf,
        /// How much of each record is sent.
        #[serde(default)]
        level: Keep,
    },
}

/// Why nothing more was exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The request is not readable: another version of `anyhook` wrote it.
    #[error("`anyhook-export` does not understand `anyhook`: both must have the same version")]
    Request(#[source] serde_json::Error),
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
    /// The table cannot be written.
    #[error("cannot write the table")]
    Table(#[from] parquet::errors::ParquetError),
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
        Form::Parquet { to } => table::write(&store, &request.filter, to),
        Form::Otlp {
            to,
            authorization,
            state,
            level,
        } => {
            let store = Jsonl::new(&request.reports, *level);
            let shipping = ship::Shipping::to(to, authorization.as_deref(), state);
            shipping.ship(&store, *level, &request.filter)
        }
    }
}

/// Runs the program.
pub fn main(request: Option<String>) -> ExitCode {
    let request = serde_json::from_str(&request.unwrap_or_default()).map_err(ExportError::Request);
    let done = request.and_then(|request: Request| export(&request));
    let (text, code) = match done {
        Ok(done) => (told(&done), ExitCode::SUCCESS),
        // 74: an input or output failed, as everywhere in `anyhook`.
        Err(error) => (
            format!("error: {}\n", with_causes(&error)),
            ExitCode::from(74),
        ),
    };
    let _ = std::io::stderr().write_all(text.as_bytes());
    code
}

fn told(done: &Exported) -> String {
    if done.busy {
        return "another export to this receiver is at work\n".to_owned();
    }
    let mut text = format!("{} records were exported\n", done.records);
    let more = [
        (
            done.skipped as u64,
            "lines are no records: anyhook log verify",
        ),
        (
            done.rejected,
            "records were rejected by the receiver, and are not sent again",
        ),
    ];
    for (count, what) in more.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("{count} {what}\n"));
    }
    if done.lost {
        text.push_str("records were removed by size or age before they were sent: export more often, or keep more\n");
    }
    text
}
