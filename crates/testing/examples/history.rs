//! Writes the bundled history as a record: `history FOLDER [EVENTS] [SEED]`.
//!
//! The folder is that of the reports: `$XDG_STATE_HOME/anyhook/reports`. The history ends today at 18:00 UTC.

use std::error::Error;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhook_testing::history::{self, Plan};

const DAY: i64 = 86_400_000;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args
        .first()
        .ok_or("which folder? history FOLDER [EVENTS] [SEED]")?;
    let number = |at: usize, usual: u64| args.get(at).map_or(Ok(usual), |text| text.parse());
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let usual = Plan::default();
    let plan = Plan {
        events: usize::try_from(number(1, 5_000)?)?,
        seed: number(2, usual.seed)?,
        until: i64::try_from(now)? / DAY * DAY + 18 * 3_600_000,
        ..usual
    };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    history::write(&plan, &fixtures, Path::new(folder))?;
    Ok(())
}
