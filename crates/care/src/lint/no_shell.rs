//! A rule that confines something else than shell commands.

use anyhook_core::event::EventName;
use anyhook_core::manifest::Action;
use anyhook_wires::tools::canonical;

use super::Note;
use super::linted::{Linted, Site};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let confines = |site: &Site<'_>| matches!(&site.entry.action, Action::Rule(then) if then.confine.is_some());
    let sites = linted.sites().filter(confines);
    let notes = sites.filter_map(|site| {
        let message = no_shell(&site)?;
        let help = "confine shell commands before they run: `\"pre-tool-use\": [{\"matcher\": \"Bash\", …`";
        Some(Note::new(linted.at(site, "then"), message).help(help))
    });
    notes.collect()
}

fn no_shell(site: &Site<'_>) -> Option<String> {
    if site.group.spec.is_some()
        && !EventName::new(&site.group.event)
            .mutable()
            .contains(&"tool_input")
    {
        return Some("no command can be rewritten at this event".to_owned());
    }
    let is_shell =
        |name: &str| canonical(name) == "Bash" && !name.eq_ignore_ascii_case("powershell");
    let mut names = site.group.matcher.names().iter();
    if let Some(other) = names.find(|name| !is_shell(name)) {
        return Some(format!(
            "`{other}` is no shell tool, so nothing of it can run confined"
        ));
    }
    let narrowed = site.entry.when.is_some() || site.entry.only.is_some();
    let all = site.group.matcher.is_all() && !narrowed;
    all.then(|| {
        "this rule confines the calls of every tool, and only shell tools have a command".to_owned()
    })
}
