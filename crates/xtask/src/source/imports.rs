//! What the modules of a crate take from one another.

use std::collections::BTreeMap;
use std::path::Path;

use super::items::is_name;
use super::{Token, close, test_ranges, tokens};

/// The modules of a crate, each with what it takes from others and the place where it first does so.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// What the top modules of a crate import from one another, tests left out. `files` are the files below `src` with their
/// texts. A name that the crate's root takes from a module counts as that module.
pub(crate) fn imports(files: &BTreeMap<String, String>) -> Imports {
    let root = ["lib.rs", "main.rs"]
        .into_iter()
        .find_map(|name| files.get(name));
    let names = root.map(|text| taken(&tokens(text))).unwrap_or_default();
    let mut all: Imports = files
        .keys()
        .filter_map(|file| module(file))
        .map(|module| (module, BTreeMap::new()))
        .collect();
    let modules: Vec<String> = all.keys().cloned().collect();
    for (file, text) in files {
        let Some(own) = module(file) else { continue };
        let depth = Path::new(file).components().count();
        for (name, line) in heads(&tokens(text), depth) {
            let to = names.get(&name).cloned().unwrap_or(name);
            if to != own && modules.contains(&to) {
                let of = all.entry(own.clone()).or_default();
                of.entry(to).or_insert_with(|| format!("{file}:{line}"));
            }
        }
    }
    all
}

/// The modules that stand in a ring: each reaches each other one.
pub(crate) fn rings(imports: &Imports) -> Vec<Vec<String>> {
    let mut left: Vec<&String> = imports.keys().collect();
    let mut rings = Vec::new();
    while let Some(first) = left.pop() {
        let there = reached(imports, first);
        let back = |other: &String| reached(imports, other).contains(&first);
        let (with, without): (Vec<&String>, Vec<&String>) = left
            .into_iter()
            .partition(|other| there.contains(other) && back(other));
        left = without;
        if !with.is_empty() {
            let ring = with.into_iter().chain([first]).cloned();
            let mut ring: Vec<String> = ring.collect();
            ring.sort();
            rings.push(ring);
        }
    }
    rings.sort();
    rings
}

fn reached<'i>(imports: &'i Imports, from: &str) -> Vec<&'i String> {
    let mut found: Vec<&String> = Vec::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for to in imports.get(at).into_iter().flat_map(BTreeMap::keys) {
            if !found.contains(&to) {
                found.push(to);
                open.push(to);
            }
        }
    }
    found
}

/// The top module of a file below `src`; nothing for the root of the crate.
fn module(file: &str) -> Option<String> {
    let first = file.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(file, "lib.rs" | "main.rs")).then(|| name.to_owned())
}

/// The names that a root takes from its modules: `pub use session::Session;`.
fn taken(tokens: &[Token]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.text == "use")
    {
        let words = tokens
            .iter()
            .skip(at + 1)
            .take_while(|token| token.text != ";");
        let mut words = words.filter(|token| is_name(token) && token.text != "crate");
        if let Some(module) = words.next() {
            found.extend(words.map(|name| (name.text.clone(), module.text.clone())));
        }
    }
    found
}

/// The first names of the paths that begin at the root of the crate, with their lines: behind `crate::`, and behind as many
/// `super::` as lead there from a file so deep.
fn heads(tokens: &[Token], depth: usize) -> Vec<(String, usize)> {
    let tests = test_ranges(tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let begin = at;
        let mut steps = 0;
        while is(tokens, at, "super") && is_path(tokens, at + 1) {
            steps += 1;
            at += 3;
        }
        let is_root = steps == depth || (is(tokens, at, "crate") && is_path(tokens, at + 1));
        if is_root && !tests.iter().any(|range| range.contains(&token.line)) {
            let from = if steps == depth { at } else { at + 3 };
            found.extend(names(tokens, from));
        }
        at = at.max(begin + 1);
    }
    found
}

/// The name at this place, or the first name of each path of a list in braces.
fn names(tokens: &[Token], at: usize) -> Vec<(String, usize)> {
    let end = match close(tokens, at) {
        Some(end) if is(tokens, at, "{") => end,
        _ => {
            return tokens
                .get(at)
                .map(|name| (name.text.clone(), name.line))
                .into_iter()
                .collect();
        }
    };
    let mut found = Vec::new();
    let (mut next, mut is_first) = (at + 1, true);
    while next < end {
        let Some(token) = tokens.get(next) else { break };
        if is_first {
            found.push((token.text.clone(), token.line));
        }
        is_first = token.text == ",";
        next = match token.text.as_str() {
            "{" => close(tokens, next).unwrap_or(next),
            _ => next,
        } + 1;
    }
    found
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

fn is_path(tokens: &[Token], at: usize) -> bool {
    is(tokens, at, ":") && is(tokens, at + 1, ":")
}
