//! What real shells read of the settings of the person when they start, against the effects.

use anyhook_effects::effect::{Effect, EffectKind, Target};
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell::read;

use crate::bash::Scratch;
use crate::room;
use crate::traced::What;

/// Files that shells know; each is there.
const SETTINGS: &[&str] = &[".bash_profile", ".bash_login", ".profile", ".bashrc"];

fn is_opaque(effect: &Effect) -> bool {
    matches!(effect.object, Target::Program { opaque: true, .. })
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn what_a_shell_runs_of_the_settings_when_it_starts_is_in_the_effects() {
        let traced = room::is_inside();
        if !traced {
            match room::again(
                "login::slow::what_a_shell_runs_of_the_settings_when_it_starts_is_in_the_effects",
            ) {
                Some(held) => return assert!(held, "in the room above"),
                None => eprintln!(
                    "no namespaces or no strace here: what is said is not compared with what happens"
                ),
            }
        }
        let temporary = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(&temporary.path().join("one"), traced, &[]);
        let folder = scratch.folder();
        let places = Places {
            folder: folder.clone(),
            project: folder.clone(),
            home: Some(folder.clone()),
            ..Places::default()
        };
        let mut wrong = Vec::new();
        for row in include_str!("login.txt").lines().skip(1) {
            let (line, runs) = row.split_once(" ⇒ ").unwrap();
            let runs = runs == "settings";
            let done = read(line, &places, &NoFiles);
            if done.effects.iter().any(is_opaque) != runs {
                wrong.push(format!("{line}: opaque should be {runs}"));
            }
            if !traced {
                continue;
            }
            // The first file that bash finds hides the others, so each is tried without those in front of it.
            for first in 0..SETTINGS.len() {
                scratch.reset();
                for name in &SETTINGS[first..] {
                    std::fs::write(folder.join(name), ":\n").unwrap();
                }
                let seen = scratch.run(line);
                let own =
                    |path: &std::path::Path| SETTINGS.iter().any(|name| path == folder.join(name));
                let mut found = false;
                for event in &seen.events {
                    let What::Read(_, path) = &event.what else {
                        continue;
                    };
                    if !own(path) {
                        continue;
                    }
                    found = true;
                    let is_it = |effect: &Effect| {
                        effect.kind == EffectKind::Read
                            && effect.object == Target::Path(path.clone())
                    };
                    if !done.effects.iter().any(is_it) {
                        wrong.push(format!("{line}: reads {}", path.display()));
                    }
                }
                if first == 0 && found != runs {
                    wrong.push(format!("{line}: reads settings: {found}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
