//! Lines as most tests of them want one.

use std::path::Path;

use anyhook::event::{Caller, Context};
use anyhook::world::{Places, World};

/// A world whose person has this home, and works in it.
pub(crate) fn world(home: &Path) -> World {
    let places = Places {
        home: home.into(),
        config: home.join("config"),
        state: home.join("state"),
    };
    World {
        cwd: home.into(),
        places: Some(places),
        ..World::real()
    }
}

/// A line of Claude Code for a person who tries something: it finds its files by itself, and remembers nothing.
pub(crate) fn line(world: &World) -> Context<'_> {
    Context::new(
        world,
        anyhook::wires::host("claude-code").unwrap(),
        Caller::Person,
    )
}
