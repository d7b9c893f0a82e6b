//! `anyhook man`: the manual pages.

use std::path::PathBuf;

use clap::Args;
use clap_mangen::Man;

use super::Row;
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("man", ManArgs, run);

/// Write the manual pages: one for each command
#[derive(Args)]
#[command(after_help = include_str!("help/man.txt"))]
struct ManArgs {
    /// The folder to write to [default: print only the page of anyhook itself]
    dir: Option<PathBuf>,
}

fn run(args: &ManArgs) -> Result<Exit, Problem> {
    let app = super::app();
    let Some(folder) = &args.dir else {
        let mut page = Vec::new();
        let made = Man::new(app).render(&mut page);
        made.map_err(|error| Problem::new(Exit::Software, "cannot make the page").because(error))?;
        ui::raw(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Done);
    };
    let made = std::fs::create_dir_all(folder);
    let made = made.and_then(|()| clap_mangen::generate_to(app, folder));
    made.map_err(|error| {
        let what = format!("cannot write into `{}`", folder.display());
        Problem::new(Exit::CannotCreate, what).because(error)
    })?;
    Ok(Exit::Done)
}
