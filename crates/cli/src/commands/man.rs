//! `anyhook man`: the manual pages.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_mangen::Man;

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "man",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Write the manual pages: one for each command")
        .arg(
            Arg::new("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Where to; without one, the page of anyhook itself is printed"),
        )
        .after_help("Example:\n  anyhook man ~/.local/share/man/man1")
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let app = super::app();
    let Some(folder) = args.get_one::<PathBuf>("DIR") else {
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
