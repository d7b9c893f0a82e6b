//! Whether somebody else than an administrator may change what is managed (D30).

use super::presence::Presence;
use super::{Check, Finding, Fix};
use anyhook_engine::text;

/// The row.
pub(super) const ROW: Check = Check {
    slug: "managed",
    summary: "only an administrator can change the managed hooks",
    run,
};

const WHY: &str = "they are trusted without a question and always run, so a user who can change them decides for all users";

fn run(seen: &Presence) -> Vec<Finding> {
    let told = seen.managed.iter().map(|(path, why)| {
        let shown = text::word(&path.to_string_lossy());
        let fix = Fix::by_hand(format!(
            "sudo chown root {shown} && sudo chmod go-w {shown}"
        ));
        let what =
            format!("another user than the administrator can change the managed hooks: {why}");
        Finding::problem(&ROW, what, WHY, fix).at(path, None)
    });
    told.collect()
}
