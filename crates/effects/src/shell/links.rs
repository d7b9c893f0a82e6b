//! Links that a line makes: an effect below a link falls on what the link names.

use std::path::{Path, PathBuf};

use crate::effect::{Certainty, Effect, Kind, Object};
use crate::places::tidy;

/// How many effects are added at most; beyond it what they fall on is unknown.
const MOST: usize = 256;

/// The program that makes links, as effects name it.
const LINKS: &str = "ln";

/// Adds what the effects of a line do through the links that it makes.
///
/// Each link may lead to each source that the line links: few lines make two, and which is which can be one of many orders.
pub(super) fn followed(mut effects: Vec<Effect>) -> Vec<Effect> {
    let is_link = |effect: &&Effect| effect.through.starts_with(LINKS);
    let path = |effect: &Effect| match &effect.object {
        Object::Path(path) => Some(tidy(path)),
        _ => None,
    };
    let sources: Vec<Option<PathBuf>> = effects
        .iter()
        .filter(is_link)
        .filter(|effect| effect.kind == Kind::Read)
        .map(path)
        .collect();
    let mut links: Vec<PathBuf> = effects
        .iter()
        .filter(is_link)
        .filter(|effect| effect.kind == Kind::Write)
        .filter_map(path)
        .filter(|link| !sources.contains(&Some(link.clone())))
        .collect();
    links.sort_unstable();
    links.dedup();
    let mut more = Vec::new();
    for effect in effects.iter().filter(|effect| !is_link(effect)) {
        for rest in links.iter().filter_map(|link| below(effect, link)) {
            more.extend(
                sources
                    .iter()
                    .map(|source| moved(effect, source.as_deref(), &rest)),
            );
            if more.len() > MOST {
                more.truncate(MOST);
                more.push(moved(effect, None, &rest));
                break;
            }
        }
    }
    effects.extend(more);
    effects
}

/// What is left of an effect's object below a link, if the effect passes it.
fn below(effect: &Effect, link: &Path) -> Option<String> {
    let (text, whole) = match &effect.object {
        Object::Path(path) => (tidy(path).to_str()?.to_owned(), false),
        Object::Tree(path) => (tidy(path).to_str()?.to_owned(), true),
        Object::Pattern(pattern) => (pattern.clone(), false),
        _ => return None,
    };
    let rest = text.strip_prefix(link.to_str()?)?;
    match effect.kind {
        // What removes a link does not remove what it names, but `find LINK/ -delete` goes there.
        Kind::Delete if rest.is_empty() => {
            (whole && effect.through.starts_with("find")).then(String::new)
        }
        Kind::Read | Kind::Write | Kind::Delete => {
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
        }
        _ => None,
    }
}

/// The same effect below the source of a link.
fn moved(effect: &Effect, source: Option<&Path>, rest: &str) -> Effect {
    let place = source
        .and_then(Path::to_str)
        .map(|source| format!("{source}{rest}"));
    let object = match (&effect.object, place) {
        (Object::Path(_), Some(place)) => Object::Path(place.into()),
        (Object::Tree(_), Some(place)) => Object::Tree(place.into()),
        (Object::Pattern(_), Some(place)) => Object::Pattern(place),
        _ => Object::Unknown,
    };
    let certainty = match object {
        Object::Unknown => Certainty::Unknown,
        _ => effect.certainty.min(Certainty::Likely),
    };
    Effect {
        object,
        certainty,
        ..effect.clone()
    }
}
