//! The nineteen events of `ex_athena`, read from `events.txt`.

use std::sync::LazyLock;

/// One event of the original.
#[derive(Debug)]
pub(super) struct Spec {
    /// Its name there.
    pub(super) name: &'static str,
    /// Its name here.
    pub(super) canonical: &'static str,
    /// Which entries its list may have, and how it is dispatched.
    pub(super) list: List,
    /// The keys of its payload, and the fields of our data that they are read from; the first that is there.
    pub(super) keys: Vec<(&'static str, Vec<&'static str>)>,
    /// Whether the original's loop hears an injection.
    pub(super) injects: Injects,
}

/// The kind of an event's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// Groups and functions, about a tool that is about to run.
    PreTool,
    /// Groups and functions, about a tool that has run.
    PostTool,
    /// Functions.
    Flat,
}

/// What the original's loop does with an injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Injects {
    /// It adds it to the conversation.
    Heard,
    /// It drops it.
    Dropped,
}

pub(super) static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    include_str!("events.txt")
        .lines()
        .filter_map(spec)
        .collect()
});

fn spec(line: &'static str) -> Option<Spec> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| *name != "#")?;
    let (canonical, list, injects) = (words.next()?, words.next()?, words.next()?);
    let keys = words.map(|word| {
        let (key, fields) = word.split_once('=').unwrap_or((word, word));
        (key, fields.split(',').collect())
    });
    Some(Spec {
        name,
        canonical,
        list: match list {
            "pre-tool" => List::PreTool,
            "post-tool" => List::PostTool,
            _ => List::Flat,
        },
        keys: keys.collect(),
        injects: if injects == "heard" {
            Injects::Heard
        } else {
            Injects::Dropped
        },
    })
}
