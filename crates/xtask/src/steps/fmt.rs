//! Formatting, with stable rustfmt and its defaults.

use super::{Done, Outcome};
use crate::workspace::{Workspace, component, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    component(workspace, "fmt", "rustfmt")?;
    pass(&mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    Ok(Outcome::Passed)
}
