//! Checks whether a user who is not an administrator can change managed files.

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
    told.chain(of_policy(seen)).collect()
}

/// What is wrong with the policy of this machine.
fn of_policy(seen: &Presence) -> Option<Finding> {
    let (policy, now) = seen.policy.as_ref()?;
    let (what, source) = match &policy.stamp {
        Err(why) => (
            format!(
                "the policy {} of this machine cannot be read: {why}",
                policy.name
            ),
            "FILE".to_owned(),
        ),
        Ok(stamp) if stamp.is_overdue(*now) => {
            let what = format!(
                "the policy {} of this machine was not confirmed in time and holds no longer",
                policy.name
            );
            (what, text::word(&stamp.source))
        }
        Ok(_) => return None,
    };
    let why = "its hooks guard all users of this machine, and it says itself what happens when it holds no longer";
    let fix = Fix::by_hand(format!("sudo anyhook fleet policy apply {source}"));
    Some(Finding::problem(&ROW, what, why, fix).at(&policy.folder, None))
}
