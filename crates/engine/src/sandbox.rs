//! The sandbox of a hook: which one applies, how the helper program gets it, and what the kernel enforces.
//!
//! ```
//! use anyhook_engine::core::sandbox::Sandbox;
//! use anyhook_engine::sandbox::{capabilities, holding};
//!
//! // Your own hooks and those of the project run open, unless they say otherwise; those of packages never do.
//! let (own, package) = ("/p/hooks/hooks.json".as_ref(), "/p/.agent-packages/x/hooks/hooks.json".as_ref());
//! assert_eq!(holding(own, None), None);
//! assert_eq!(holding(package, None), Some(Sandbox::of_package()));
//!
//! // What a hook does not say is as for a package.
//! let said: Sandbox = serde_json::from_str(r#"{"network": "any"}"#)?;
//! let held = holding(own, Some(&said)).unwrap();
//! assert_eq!(held.read, Sandbox::of_package().read);
//! assert_eq!(
//!     capabilities(Some(&held)),
//!     "Reads the project and the package's own folder, writes its private folder, and uses the network. \
//!      It gets no variable of your environment that could hold a key, and at most 1024 processes."
//! );
//! assert!(capabilities(None).starts_with("Not confined"));
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::path::Path;

use anyhook_confine::{AccessRefusals, ConfinementReport};
use anyhook_core::sandbox::Sandbox;
use anyhook_core::transcript::{End, Transcript};

use crate::layers::packages_of;

/// Returns the sandbox that holds for a command of this manifest, where hook, group and file say this together. Nothing means
/// that it runs open.
///
/// A package is known by its place, also where its manifest is named on a command line.
pub fn holding(manifest: &Path, said: Option<&Sandbox>) -> Option<Sandbox> {
    match said {
        Some(said) => {
            let mut package = Sandbox::of_package();
            // What a person requires is what stands there: a kernel that cannot count processes has all of it.
            if said.required {
                package.processes = None;
            }
            Some(said.clone().or(package))
        }
        None => packages_of(manifest).map(|_| Sandbox::of_package()),
    }
}

/// Says in one or two plain sentences what the command of a hook may touch, as the prompt of `anyhook trust` and `anyhook why`
/// show it. It is one line, without anything that a terminal obeys.
pub fn capabilities(sandbox: Option<&Sandbox>) -> String {
    sandbox.map_or_else(
        || "Not confined: it may touch whatever you may.".to_owned(),
        Sandbox::told,
    )
}

/// What a helper says that is older or newer than this program.
const UNREAD: &str = "cannot read the spec";
const OTHER_VERSION: &str =
    "; the `anyhook` that confines it is of another version than this program: install it again";

/// Takes what the helper program reported off the standard error of a hook that runs confined. A hook whose helper failed did
/// not start: that is what its transcript says from then on.
pub(crate) fn reached(raw: &mut Transcript) -> Option<ConfinementReport> {
    let line = raw.stderr.kept.iter().position(|byte| *byte == b'\n');
    let report: Option<ConfinementReport> = line.and_then(|end| {
        let report = serde_json::from_slice(raw.stderr.kept.get(..end)?).ok()?;
        raw.stderr.kept.drain(..=end);
        Some(report)
    });
    if let (None, End::Code(_)) = (&report, &raw.end) {
        let why = raw.stderr.text();
        let other = if why.contains(UNREAD) {
            OTHER_VERSION
        } else {
            ""
        };
        raw.end = End::NotStarted(format!("it could not be confined: {}{other}", why.trim()));
    }
    report
}

/// What the remark about a confinement says behind the name of its hook.
const CONFINED: &str = "` runs confined. ";

/// Tells whether a remark of a report says no more than how a hook was confined, which is no news in a list of events.
///
/// ```
/// use anyhook_engine::sandbox::is_told;
/// assert!(is_told("the hook `lint` runs confined. Reads the project."));
/// assert!(!is_told("the hook `lint` failed"));
/// ```
pub fn is_told(remark: &str) -> bool {
    remark.starts_with("the hook `") && remark.contains(CONFINED)
}

/// Says for the report of a replay that a hook could not do there what it does under an agent, and so was not heard.
///
/// ```
/// use anyhook_engine::sandbox::unheard;
/// assert_eq!(&*unheard("log"), "the hook `log` does what a replay refuses, so it was not heard");
/// ```
pub fn unheard(hook: &str) -> Box<str> {
    let told = format!("the hook `{hook}` does what a replay refuses, so it was not heard");
    crate::text::plain(&told).into()
}

/// Says for the report of an event what a hook could touch, what of that the kernel held, and what was refused to it.
pub(crate) fn remarks(
    hook: &str,
    sandbox: &Sandbox,
    reached: Option<&ConfinementReport>,
    refused: Option<&AccessRefusals>,
) -> Vec<Box<str>> {
    let told = capabilities(Some(sandbox));
    let reached = reached.map_or_else(
        || "it was not started".to_owned(),
        ConfinementReport::to_string,
    );
    let seen = match refused {
        None => " What the kernel refuses to it is not seen here.",
        Some(refused) if refused.is_nothing() => " Nothing that it opened was refused.",
        Some(_) => "",
    };
    let confined = format!("the hook `{hook}{CONFINED}{told} {reached}.{seen}");
    let mut all = vec![crate::text::plain(&confined).into()];
    if let Some(refused) = refused.filter(|refused| !refused.is_nothing()) {
        let told = format!("the hook `{hook}` was refused: {refused}");
        all.push(crate::text::plain(&told).into());
    }
    all
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use anyhook_core::transcript::Capture;

    use super::*;

    fn left(stderr: &str, end: End) -> Transcript {
        Transcript {
            stdout: Capture::default(),
            stderr: Capture {
                kept: stderr.as_bytes().to_vec(),
                dropped: 0,
            },
            end,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn what_the_helper_reported_is_taken_off_and_the_rest_is_the_hooks_own() {
        let mut raw = left(
            "{\"held\":[\"files\"],\"lacks\":[],\"notes\":[]}\n{\"held\":[]}\nno\n",
            End::Code(2),
        );
        let Some(report) = reached(&mut raw) else {
            panic!("{raw:?}")
        };
        assert_eq!(report.held, ["files"]);
        assert_eq!(
            (&*raw.stderr.text(), &raw.end),
            ("{\"held\":[]}\nno\n", &End::Code(2))
        );
    }

    #[test]
    fn a_helper_that_fails_is_a_hook_that_did_not_start() {
        let mut raw = left("anyhook confined: cannot start it\n", End::Code(126));
        assert_eq!(reached(&mut raw), None);
        let why = "it could not be confined: anyhook confined: cannot start it";
        assert_eq!(raw.end, End::NotStarted(why.to_owned()));
        // A stale one beside a newer program does not know every field.
        let mut raw = left(
            "anyhook confined: cannot read the spec: unknown field\n",
            End::Code(125),
        );
        reached(&mut raw);
        let End::NotStarted(why) = &raw.end else {
            panic!("{raw:?}")
        };
        assert!(
            why.ends_with("than this program: install it again"),
            "{why}"
        );
        // A hook that ends well and said nothing of a confinement was none of ours.
        let mut raw = left("", End::Code(0));
        assert_eq!(reached(&mut raw), None);
        assert!(matches!(raw.end, End::NotStarted(_)));
        let mut raw = left("", End::TimedOut);
        assert_eq!(reached(&mut raw), None);
        assert_eq!(raw.end, End::TimedOut);
    }
}
