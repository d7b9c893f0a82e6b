//! `--bless`: writes expectations from the real results, and shows each change.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anyhook::files::{Durability, replace};
use anyhook_testing::{BlessedFile, CaseRun, UnblessedCase, bless};
use similar::{ChangeTag, TextDiff};

use crate::error::CliError;
use crate::exit::Exit;
use crate::ui::{self, paint, visible};

/// How many lines around a change are shown.
const AROUND: usize = 2;

/// Refuses where no person looks at what is written.
pub(crate) fn allowed() -> Result<(), CliError> {
    let ci = std::env::var_os("CI").filter(|ci| !ci.is_empty() && ci != "false" && ci != "0");
    let problem = || {
        CliError::new(
            Exit::Permission,
            "`--bless` writes expectations, and `CI` is set",
        )
        .help("bless on your own machine, read the change, and commit it")
    };
    ci.is_none().then_some(()).ok_or_else(problem)
}

/// Writes the files, shows what changed, and tells how the run ends.
pub(crate) fn write(ran: &[CaseRun]) -> Result<Exit, CliError> {
    let (blessed, refused) = bless(ran);
    for one in &blessed {
        rewrite(&one.file, one.after.as_bytes()).map_err(|error| {
            CliError::new(Exit::CannotCreate, format!("cannot write `{}`", one.shown))
                .because(error)
        })?;
        ui::out(&diff(one))?;
    }
    ui::out(&summary(&blessed, &refused))?;
    Ok(Exit::Tested(u8::from(!refused.is_empty())))
}

/// Replaces what a file holds: who may read it stays, and where a link leads to it, so does the link.
fn rewrite(file: &Path, text: &[u8]) -> io::Result<()> {
    let real = file.canonicalize()?;
    let permissions = fs::metadata(&real)?.permissions();
    replace(&real, text, Durability::No).map_err(io::Error::other)?;
    fs::set_permissions(&real, permissions)
}

fn diff(one: &BlessedFile) -> String {
    let mut text = format!("{}\n", paint(ui::BOLD, &visible(&one.shown)));
    let diff = TextDiff::from_lines(&one.before, &one.after);
    for group in diff.grouped_ops(AROUND) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = visible(change.value().trim_end_matches('\n'));
            let line = match change.tag() {
                ChangeTag::Delete => paint(ui::DENY, &format!("  - {line}")),
                ChangeTag::Insert => paint(ui::PASS, &format!("  + {line}")),
                ChangeTag::Equal => paint(ui::DIM, &format!("    {line}")),
            };
            let _ = writeln!(text, "{line}");
        }
    }
    if one.softens {
        let why = "this case expected a refusal, and does not any more: is that what you want?";
        let _ = writeln!(text, "  {} {why}", paint(ui::DENY, "!"));
    }
    text.push('\n');
    text
}

fn summary(blessed: &[BlessedFile], refused: &[UnblessedCase]) -> String {
    let mut text = String::new();
    for UnblessedCase { case, why } in refused {
        let case = paint(ui::BOLD, &visible(case));
        let _ = writeln!(
            text,
            "{}  {case}\n    {}",
            paint(ui::ASK, "- not blessed"),
            visible(why)
        );
    }
    let count = match blessed.len() {
        0 => "nothing to bless".to_owned(),
        1 => "1 file blessed: read it before you commit it".to_owned(),
        many => format!("{many} files blessed: read them before you commit them"),
    };
    let rest = match refused.len() {
        0 => String::new(),
        many => format!(", {many} not blessed"),
    };
    let _ = writeln!(text, "{count}{rest}");
    text
}
