//! Package managers: what they install, publish and run.

use super::call::Call;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Without operands it installs what a file of the project lists.
pub(super) fn all_of_them(call: &mut Call<'_>) {
    let words = call.words();
    if words.is_empty() {
        call.named(Kind::Install, None, Certainty::Exact);
    }
    // `uv pip install x` and its kin have one verb more.
    if call.name.ends_with(" pip") {
        let verb = call.reading.text(0).unwrap_or_default();
        let installs = matches!(&*verb, "install" | "sync" | "download" | "wheel");
        let is_verb = |object: &Object| *object == Object::Name(verb.clone());
        call.acts.effects.retain(|effect| {
            effect.kind != Kind::Install || (installs && !is_verb(&effect.object))
        });
    }
}

pub(super) fn publishes(call: &mut Call<'_>) {
    // npm takes `--dry-run false` too, so that option makes nothing sure.
    if call.words().is_empty() {
        call.named(Kind::Publish, None, Certainty::Exact);
    }
}

/// `yarn` alone installs.
pub(super) fn bare_installs(call: &mut Call<'_>) {
    if call.verb == super::Verb::Missing
        && call.name == call.row.name()
        && !call
            .reading
            .given
            .iter()
            .any(|given| given.option.is("version"))
    {
        call.named(Kind::Install, None, Certainty::Exact);
        call.opaque = true;
        call.act_path(
            Kind::Write,
            &Word::text("node_modules"),
            Certainty::Likely,
            true,
        );
    }
}

/// The verbs of many managers, by their usual words.
/// Runners that fetch a package and start it: `npx NAME`, `uvx NAME`, `go run MODULE@VERSION`.
pub(super) fn fetched(call: &mut Call<'_>) {
    let words = call.words();
    let package = ["p", "from"].iter().any(|name| call.may(name));
    let first = words.first().filter(|_| !package);
    let verb = call.name.rsplit(' ').next().unwrap_or_default();
    // These run what is there, unless the name says where it comes from.
    let runs_own = match call.row.name() {
        "pip run" => !call.name.starts_with("pipx "),
        name if name.starts_with("go ") => {
            let from = |word: &Word| word.known().is_none_or(|text| text.contains('@'));
            verb != "run" || !first.is_some_and(from)
        }
        _ => false,
    };
    if runs_own || words.is_empty() {
        return;
    }
    let registry = match call.row.name() {
        name if name.starts_with("go ") => "proxy.golang.org",
        name if name.starts_with("pip ") || name == "uvx" => "pypi.org",
        _ => "registry.npmjs.org",
    };
    let registry = Object::Host(registry.to_owned());
    call.effect(Kind::Net, registry, Certainty::Likely);
    if let Some(first) = first {
        call.named(Kind::Install, Some(first), Certainty::Exact);
    }
}

pub(super) fn managers(call: &mut Call<'_>) {
    let words = call.words();
    let verb = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    match verb.as_deref() {
        Some(
            "install" | "add" | "require" | "update" | "upgrade" | "restore" | "i" | "get" | "use"
            | "tool" | "package" | "plugin" | "fetch" | "prepare",
        ) => {
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            for word in words.iter().skip(1) {
                call.named(Kind::Install, Some(word), Certainty::Exact);
            }
            if words.len() < 2 {
                call.named(Kind::Install, None, Certainty::Exact);
            }
        }
        Some("publish") if call.name == "dotnet" => {}
        Some(
            "publish"
            | "deploy"
            | "push"
            | "upload"
            | "hex.publish"
            | "release"
            | "publishToMavenLocal"
            | "publishPlugins",
        ) => {
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            call.named(Kind::Publish, None, Certainty::Exact);
        }
        _ => {}
    }
}
