//! `anyhook shrink`: the smallest session that shows a difference, as a test case.

use std::path::{Path, PathBuf};

use anyhook::core::event::Event;
use anyhook::world::World;
use anyhook_testing::replay::{Change, Comparison, Shrunk, shrink};
use clap::Args;

use super::Row;
use super::history::{self, Side, Sides, Taken};
use crate::error::Problem;
use crate::exit::Exit;
use crate::{record, ui};

/// The row.
pub(crate) const ROW: Row = verb!("shrink", ShrinkArgs, run);

/// Turn a difference that anyhook backtest shows into a test case
#[derive(Args)]
#[command(
    after_help = "Removes events from the session, then fields and words from the events, as long as the difference stays. What is \
             left becomes a case with fixtures that anyhook test can run.\n\n\
             Examples:\n  anyhook shrink --before git:main\n  anyhook shrink --id k3f9 --expect after"
)]
struct ShrinkArgs {
    #[command(flatten)]
    sides: Sides,
    #[command(flatten)]
    taken: Taken,
    /// The record with the difference [default: the first one]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Only this kind of difference, such as newly-allowed
    #[arg(long, value_name = "CHANGE")]
    change: Option<String>,
    /// Which side's answer the case expects
    #[arg(long, value_name = "SIDE", value_parser = ["before", "after"], default_value = "before")]
    expect: String,
    /// The folder for the test [default: tests, beside hooks.json]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

fn run(args: &ShrinkArgs) -> Result<Exit, Problem> {
    let known = anyhook_testing::replay::CHANGES
        .iter()
        .map(|change| change.as_str());
    let kind = args.change.as_ref();
    let kind =
        kind.map(|word| Change::named(word).ok_or_else(|| Problem::unknown("change", word, known)));
    let [before, after] = Side::both(&args.sides)?;
    let beside = after.file.parent().unwrap_or(Path::new(".")).join("tests");
    let folder = args.folder.clone().unwrap_or(beside);
    let comparison = Comparison {
        before: Some(before.hooks),
        after: after.hooks,
        program: std::env::current_exe().ok(),
    };
    let id = args.id.as_deref();
    let found = shrink(
        &comparison,
        &history::reading(&args.taken)?,
        (id, kind.transpose()?),
    );
    let found = found
        .map_err(|error| Problem::new(Exit::Io, "the history cannot be read").because(error))?;
    let Some(shrunk) = found else {
        ui::err(
            "there is no such difference in this history\nhelp: anyhook backtest lists the differences and their ids\n",
        );
        return Ok(Exit::Negative);
    };
    let expects_after = args.expect == "after";
    let case = written(&shrunk, &folder, usize::from(expects_after)).map_err(|error| {
        Problem::new(
            Exit::CannotCreate,
            format!("the case cannot be written below `{}`", folder.display()),
        )
        .because(error)
    })?;
    ui::out(&format!(
        "{} by {}: {} of {} events are left\nwrote {}\nNow: anyhook test\n",
        shrunk.change.as_str(),
        shrunk.hook,
        shrunk.events.len(),
        shrunk.from,
        ui::line(&case.to_string_lossy()),
    ))?;
    Ok(Exit::Done)
}

/// Writes the case and its fixtures, and returns the file of the case.
fn written(shrunk: &Shrunk, folder: &Path, side: usize) -> std::io::Result<PathBuf> {
    let home = World::real().places.map(|places| places.home);
    let texts = shrunk
        .events
        .iter()
        .map(|event| format!("{:#}\n", record::fixture(event, home.as_deref())));
    let texts: Vec<String> = texts.collect();
    let Some((last, text)) = shrunk.events.last().zip(texts.last()) else {
        return Err(std::io::Error::other("nothing is left of the session"));
    };
    let name = format!(
        "{}-{}",
        shrunk.change.as_str(),
        record::name(last, &texts.concat())
    );
    let place = |number: usize| match shrunk.events.len() {
        len if number + 1 == len => format!("fixtures/{name}.json"),
        _ => format!("fixtures/{name}-{number}.json"),
    };
    let event = |event: &Event| record::word(event.name.universal());
    let mut case = format!(
        "# Made by `anyhook shrink`: {} by the hook {}.\nname: {name}\nevent: {}\nmode: dispatch\ninput:\n  fixture: {}\n",
        shrunk.change.as_str(),
        ui::line(&shrunk.hook),
        event(last),
        place(shrunk.events.len().saturating_sub(1)),
    );
    let earlier = shrunk.events.len().saturating_sub(1);
    if earlier > 0 {
        case.push_str("  before:\n");
    }
    for (number, (one, text)) in shrunk.events.iter().zip(&texts).take(earlier).enumerate() {
        record::create(&folder.join(place(number)), text)?;
        case.push_str(&format!(
            "    - event: {}\n      fixture: {}\n",
            event(one),
            place(number)
        ));
    }
    record::create(&folder.join(place(earlier)), text)?;
    let [before, after] = shrunk.decisions;
    let expected = if side == 1 { after } else { before };
    case.push_str(&format!("expected:\n  decision: {}\n", expected.as_str()));
    let file = folder.join("cases").join(format!("{name}.yaml"));
    record::create(&file, &case)?;
    Ok(file)
}
