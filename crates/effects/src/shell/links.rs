//! Links that a line makes: what happens below one of them happens to a file that is not told.

use std::path::{Path, PathBuf};

use crate::effect::{Certainty, Effect, EffectKind, Target};
use crate::places::tidy;

/// Adds to the effects of a line that fall on the links which it makes that they fall on some other file.
pub(super) fn followed(mut effects: Vec<Effect>) -> Vec<Effect> {
    let is_link = |effect: &Effect| effect.through.starts_with("ln");
    let path = |effect: &Effect| match &effect.object {
        Target::Path(path) => Some(tidy(path)),
        Target::Pattern(pattern) => Some(PathBuf::from(pattern)),
        _ => None,
    };
    let of = |kind: EffectKind| {
        effects
            .iter()
            .filter(move |it| is_link(it) && it.kind == kind)
    };
    let sources: Vec<PathBuf> = of(EffectKind::Read).filter_map(path).collect();
    // What a link names may be written through it: that is likely alone.
    let is_own = |effect: &&Effect| {
        effect.certainty == Certainty::Exact
            || path(effect).is_some_and(|it| !sources.contains(&it))
    };
    let links = of(EffectKind::Write).filter(is_own);
    let links: Vec<PathBuf> = links.filter_map(path).collect();
    // What names a file, and shows nothing of what is in it.
    let names = |effect: &Effect| {
        let program = effect.through.split(' ').next().unwrap_or_default();
        effect.kind == EffectKind::Read && ["ls", "readlink", "realpath", "stat"].contains(&program)
    };
    let passes = |effect: &&Effect| {
        !is_link(effect) && !names(effect) && links.iter().any(|link| is_below(effect, link))
    };
    let moved = |effect: &Effect| Effect {
        object: Target::Unknown,
        certainty: Certainty::Unknown,
        ..effect.clone()
    };
    let more: Vec<Effect> = effects.iter().filter(passes).map(moved).collect();
    effects.extend(more);
    effects
}

/// Tells whether an effect falls on a link, or below it.
fn is_below(effect: &Effect, link: &Path) -> bool {
    let (path, is_tree) = match &effect.object {
        Target::Path(path) => (tidy(path), false),
        Target::Tree(path) => (tidy(path), true),
        Target::Pattern(pattern) => (PathBuf::from(pattern), false),
        _ => return false,
    };
    match effect.kind {
        // What removes a link does not remove what it names, but `find LINK/ -delete` goes there.
        EffectKind::Delete if path == link => is_tree && effect.through.starts_with("find"),
        EffectKind::Read | EffectKind::Write | EffectKind::Delete => path.starts_with(link),
        _ => false,
    }
}
