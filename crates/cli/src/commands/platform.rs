//! `anyhook list platform`: what this platform can do, for programs that ask before they rely on it.

use anyhook::platform::{capabilities, of_host};

use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::pretty;
use crate::ui;

/// Prints the events and types of hooks that programs can rely on, of all agents or of one: always as JSON.
pub(super) fn run(host: Option<&str>) -> Result<Exit, Problem> {
    let named = host.map(error::host).transpose()?;
    ui::raw(&pretty(&named.map_or_else(capabilities, of_host)))?;
    Ok(Exit::Done)
}
