//! Package managers: what they install, publish and run.

use super::call::Call;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Without operands it installs what a file of the project lists.
pub(super) fn all_of_them(call: &mut Call<'_>) {
    if call.words().is_empty() {
        call.named(Kind::Install, None, Certainty::Exact);
    }
}

/// Without operands it publishes what is here, and for a try nothing. npm takes `--dry-run false` and `--no-dry-run` too, and yarn
/// passes the option over.
pub(super) fn publishes(call: &mut Call<'_>) {
    let words: Option<Vec<_>> = call.command.words.iter().map(Word::known).collect();
    let words = words.unwrap_or_default();
    let tries = |word: &str| {
        word == "--dry-run" || !word.contains("dry-run") && word != "false" && word != "null"
    };
    let is_heard = call.row.name() != "yarn publish";
    if is_heard
        && words.iter().any(|word| word == "--dry-run")
        && words.iter().all(|word| tries(word))
    {
        call.acts
            .effects
            .retain(|effect| effect.kind != Kind::Publish);
    } else if call.words().is_empty() {
        call.named(Kind::Publish, None, Certainty::Exact);
    }
}

/// `yarn` alone installs.
pub(super) fn bare_installs(call: &mut Call<'_>) {
    if call.verb == super::Verb::Missing && call.name == call.row.name() && !call.may("version") {
        call.named(Kind::Install, None, Certainty::Exact);
        call.opaque = true;
        call.likely("W", &Word::text("node_modules"));
    }
}

/// Runners that fetch a package and start it: `npx NAME`, `uvx NAME`, `go run MODULE@VERSION`.
pub(super) fn fetched(call: &mut Call<'_>) {
    let words = call.words();
    let first = words.first().filter(|_| !call.may("p from"));
    let row = call.row.name();
    let is_go = row.starts_with("go ");
    // These run what is there, unless the name says where it comes from.
    let from = |word: &Word| word.known().is_none_or(|text| text.contains('@'));
    let runs_own = row == "pip run" && !call.name.starts_with("pipx ")
        || is_go && !(call.name.ends_with(" run") && first.is_some_and(from));
    if runs_own || words.is_empty() {
        return;
    }
    let registry = match row {
        _ if is_go => "proxy.golang.org",
        "uvx" => "pypi.org",
        _ if row.starts_with("pip ") => "pypi.org",
        _ => "registry.npmjs.org",
    };
    call.effect(
        Kind::Net,
        Object::Host(registry.to_owned()),
        Certainty::Likely,
    );
    if let Some(first) = first {
        call.does("p", first);
    }
}

/// Gradle and Maven take several goals, of any part of the project: `:lib:publishPlugins`.
pub(super) fn goals(call: &mut Call<'_>) {
    let publishes = |word: &Word| {
        let goal = word.known().unwrap_or_default();
        let last = goal.rsplit(':').next().unwrap_or_default();
        let is_remote = last != "publishToMavenLocal" && last.starts_with("publish");
        is_remote || matches!(last, "deploy" | "upload" | "release" | "perform")
    };
    // What a build is made of is brought along.
    if matches!(call.reading.text(0).as_deref(), Some("install" | "package")) {
        call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
        call.named(Kind::Install, None, Certainty::Exact);
    }
    if call.words().iter().any(publishes) {
        call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
        call.named(Kind::Publish, None, Certainty::Exact);
    }
}
