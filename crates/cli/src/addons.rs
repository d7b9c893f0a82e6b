//! Add-ons: programs called `anyhook-NAME`, which `anyhook NAME` starts. No event of an agent and no first build pays for them.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use crate::error::CliError;
use crate::exit::Exit;

/// The add-ons of this project, and the folder of each in a checkout.
pub(crate) const OWN: &[(&str, &str)] = &[("fleet", "crates/fleet"), ("serve", "crates/serve")];

/// Becomes the program of an add-on; returns only where there is none, or where it cannot be started.
pub(crate) fn start(name: &str, args: impl IntoIterator<Item = OsString>) -> Option<CliError> {
    let own = OWN.iter().find(|(own, _)| *own == name);
    let Some(program) = find(name) else {
        let (_, folder) = own?;
        let what = format!(
            "`anyhook {name}` is a program of its own, `anyhook-{name}`, and it is not beside this one"
        );
        return Some(CliError::new(Exit::Config, what).help(format!(
            "in a checkout: cargo install --path {folder}; or put `anyhook-{name}` into the folder of `anyhook`"
        )));
    };
    let error = std::process::Command::new(&program).args(args).exec();
    let what = format!("cannot start `{}`", program.display());
    Some(CliError::new(Exit::NoInput, what).because(error))
}

/// Finds the program of an add-on: in the folder of this program, or of the file that this one is a link to, else on the `PATH`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let is_word = |name: &str| {
        let mut letters = name.chars();
        letters.all(|letter| letter.is_ascii_lowercase() || letter == '-')
    };
    if !is_word(name) {
        return None;
    }
    let own = std::env::current_exe().ok();
    let real = own.as_ref().and_then(|own| own.canonicalize().ok());
    let beside = own.into_iter().chain(real);
    let beside = beside.filter_map(|own| own.parent().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A folder that is named from where one stands may be a stranger's.
    let path = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut programs = beside
        .chain(path)
        .map(|folder| folder.join(format!("anyhook-{name}")));
    programs.find(|program| program.is_file())
}
