//! Whether somebody else than an administrator may change what is managed (D30).

use super::presence::Presence;
use super::{Check, Finding, Fix};
use crate::text;

/// The row.
pub(super) const ROW: Check = Check {
    slug: "managed",
    summary: "nobody but an administrator can change the hooks of whoever manages the machine",
    run,
};

const WHY: &str = "they are trusted without a question and nobody switches them off, so whoever can change them decides for all";

fn run(seen: &Presence) -> Vec<Finding> {
    let told = seen.managed.iter().map(|(path, why)| {
        let shown = text::word(&path.to_string_lossy());
        let fix = Fix::by_hand(format!(
            "sudo chown root {shown} && sudo chmod go-w {shown}"
        ));
        let what = format!("what whoever manages the machine wrote can be changed: {why}");
        Finding::problem(&ROW, what, WHY, fix).at(path, None)
    });
    told.collect()
}
