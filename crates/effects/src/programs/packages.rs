//! Package managers: what they install, publish and run.

use super::call::Call;
use super::words;
use crate::effect::Certainty::{Exact, Likely};
use crate::effect::{EffectKind, Target};
use crate::word::Word;

/// Without operands it publishes what is here, and for a try nothing. npm takes `--dry-run false` and `--no-dry-run` too, and yarn
/// passes the option over.
pub(super) fn publishes(call: &mut Call<'_>) {
    let words = Word::all_known(&call.command.words).unwrap_or_default();
    let tries = |word: &str| {
        word == "--dry-run" || !word.contains("dry-run") && word != "false" && word != "null"
    };
    let is_try = words.iter().all(|word| tries(word)) && words.contains(&"--dry-run");
    if is_try && call.row.name() != "yarn publish" {
        let effects = &mut call.acts.effects;
        effects.retain(|effect| effect.kind != EffectKind::Publish);
    } else if call.words().is_empty() {
        call.named(EffectKind::Publish, None, Exact);
    }
}

/// `go install MACHINE/PATH@VERSION`.
pub(super) fn of_machine(call: &mut Call<'_>) {
    for word in call.words() {
        let (machine, _) = word.head().split_once('/').unwrap_or_default();
        if machine.trim_matches('.').contains('.') {
            call.likely("n", &Word::text(machine));
        }
    }
}

/// `yarn` alone installs.
pub(super) fn bare_installs(call: &mut Call<'_>) {
    if call.verb == super::VerbLookup::Missing
        && call.name == call.row.name()
        && !call.may("version")
    {
        call.named(EffectKind::Install, None, Exact);
        call.opaque = true;
        call.likely("W", &Word::text("node_modules"));
    }
}

/// `go run MODULE@VERSION` and `pipx run NAME` fetch a package and start it; `uv run` and `go test` run what is there.
pub(super) fn fetched(call: &mut Call<'_>) {
    if call.row.name() == "pip run" {
        super::processes::handed_on(call);
    }
    if call.name.ends_with(" run") {
        super::interpreters::starts(call, "python", words::OTHER_FILES);
    }
    let Some(first) = call.words().into_iter().next() else {
        return;
    };
    let is_version = first.known().is_none_or(|text| text.contains('@'));
    let (is_fetched, registry) = match call.row.name() {
        "pip run" => (call.name.starts_with("pipx "), "pypi.org"),
        _ => (
            call.name.ends_with(" run") && is_version,
            "proxy.golang.org",
        ),
    };
    if is_fetched {
        call.likely("n", &Word::text(registry));
        call.does("p", &first);
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
    if matches!(call.reading.text(0), Some("install" | "package")) {
        call.effect(EffectKind::Net, Target::Unknown, Likely);
        call.named(EffectKind::Install, None, Exact);
    }
    // `mvn exec:exec -Dexec.executable=PROGRAM`.
    let names_program = |setting: &Word| setting.head().starts_with("exec.executable=");
    if call.values("D").iter().any(names_program) {
        call.anything();
    }
    if call.words().iter().any(publishes) {
        call.effect(EffectKind::Net, Target::Unknown, Likely);
        call.named(EffectKind::Publish, None, Exact);
    }
}

/// `npm pkg set scripts.NAME=LINE`: the line runs later.
pub(super) fn scripts(call: &mut Call<'_>) {
    for word in call.words() {
        if let Some((name, _)) = word
            .head()
            .split_once('=')
            .filter(|it| it.0.starts_with("scripts"))
        {
            let line = word.without(name.len() + 1);
            call.shell(line, Vec::new());
        }
    }
}
