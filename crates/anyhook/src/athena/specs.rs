//! The nineteen events of `ex_athena`, read from `events.txt`.

use std::sync::LazyLock;

/// One event of the original.
#[derive(Debug)]
pub(super) struct AthenaEvent {
    /// Its name there.
    pub(super) name: &'static str,
    /// Its name here.
    pub(super) canonical: &'static str,
    /// Which entries its list may have, and how it is dispatched.
    pub(super) list: ListKind,
    /// The keys of its payload, and the fields of our data that they are read from; the first that is there.
    pub(super) keys: Vec<(&'static str, Vec<&'static str>)>,
    /// Whether the original's loop hears an injection.
    pub(super) hears_injections: bool,
}

/// The kind of an event's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// Groups and functions, about a tool that is about to run.
    PreTool,
    /// Groups and functions, about a tool that has run.
    PostTool,
    /// Functions.
    Flat,
}

pub(super) static SPECS: LazyLock<Vec<AthenaEvent>> = LazyLock::new(|| {
    let lines = include_str!("events.txt").lines();
    lines.filter_map(spec).collect()
});

fn spec(line: &'static str) -> Option<AthenaEvent> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| *name != "#")?;
    let (canonical, list, injects) = (words.next()?, words.next()?, words.next()?);
    let keys = words.map(|word| {
        let (key, fields) = word.split_once('=').unwrap_or((word, word));
        (key, fields.split(',').collect())
    });
    Some(AthenaEvent {
        name,
        canonical,
        list: match list {
            "pre-tool" => ListKind::PreTool,
            "post-tool" => ListKind::PostTool,
            _ => ListKind::Flat,
        },
        keys: keys.collect(),
        hears_injections: injects == "heard",
    })
}
