//! `anyhook completions`: what a shell needs to complete our command line.

use clap::Args;
use clap_complete::Shell;

use super::CommandSpec;
use crate::error::CliError;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("completions", CompletionsArgs, run);

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = include_str!("help/completions.txt"))]
struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "shell")]
    shell: Shell,
}

fn run(args: &CompletionsArgs) -> Result<Exit, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::app(), "anyhook", &mut text);
    ui::done(&String::from_utf8_lossy(&text))
}
