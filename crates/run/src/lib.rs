//! What an agent starts at every event: the part of `anyhook run` that answers agents, and the small program `anyhook-run`.
//!
//! ```text
//!  agent ──payload──> anyhook-run ──> the line of the engine ──> answer
//!                          └── what it cannot do ──> exec anyhook run
//! ```
//!
//! It is the same line under both programs. The small one is linked without what an event seldom needs (help, TOML, YAML,
//! models): where an event needs it, the small program becomes the full one.
//!
//! ```
//! assert_eq!(anyhook_run::full("/opt/bin/anyhook-run".as_ref()), std::path::Path::new("/opt/bin/anyhook"));
//! ```

mod elsewhere;
pub mod flags;
pub mod hosted;
pub mod options;
pub mod out;
pub mod stdin;
mod watchdog;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhook_wires as wires;

use anyhook_wires::settings::command::SMALL as NAME;
use hosted::Hosted;
use options::Options;

/// Returns where the full program stands: beside the small one.
pub fn full(small: &Path) -> PathBuf {
    small.with_file_name(format!("anyhook{}", std::env::consts::EXE_SUFFIX))
}

/// Carries out the small program, and returns its exit code. `run` in front of the arguments may be left out.
///
/// ```no_run
/// std::process::exit(anyhook_run::main(std::env::args_os().skip(1).collect()).into());
/// ```
pub fn main(mut args: Vec<OsString>) -> u8 {
    if args.first().is_some_and(|first| first == "run") {
        args.remove(0);
    }
    if let [only] = args.as_slice()
        && only == "--version"
    {
        return version();
    }
    let full = std::env::current_exe().map(|own| full(&own));
    let named = options::named_host(&args);
    let host = named.as_deref().and_then(wires::host);
    let read = Options::read(args.clone(), true).ok();
    match (host, read.filter(Options::is_plain)) {
        (Some(host), Some(options)) => {
            let hosted = Hosted::new(host, options);
            let hosted = match full {
                Ok(full) => hosted.or_else(full),
                Err(_) => hosted,
            };
            hosted.answer(|mut answered, _| hosted::say(&mut answered))
        }
        _ => instead(full.as_deref(), args),
    }
}

/// Says which version this is: `anyhook doctor` asks both programs.
fn version() -> u8 {
    let said = out::raw(&format!("{NAME} {}\n", env!("CARGO_PKG_VERSION")));
    u8::from(said.is_err())
}

/// Leaves to the full program what is no plain answer to a host. Where there is none the event is refused, loudly: it may be
/// a gate.
fn instead(full: Result<&Path, &std::io::Error>, args: Vec<OsString>) -> u8 {
    let why = match full {
        Ok(full) => format!(
            "`{}` cannot be started: {}",
            full.display(),
            elsewhere::instead(full, args)
        ),
        Err(error) => format!("this program cannot tell where it is: {error}"),
    };
    out::err(&format!(
        "anyhook-run: {}. It needs `anyhook` beside it; install both again\n",
        out::visible(&why)
    ));
    2
}
