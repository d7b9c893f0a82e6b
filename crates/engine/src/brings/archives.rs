//! Which files an archive or a patch brings: `tar xf a.tgz` names none, so the archive is asked for its list.
//!
//! Where the archive is not there yet, holds links or more than a list shows, or the line does more than unpack it, the effect
//! stays what the reader of lines says: the whole folder.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::word::Word;

use super::MOST;
use super::git::{LONGEST, PATIENCE, answers};
use super::patches::Patch;
use crate::lists::SHOWING;
use crate::processes::{Job, SYSTEM, system_program};

/// The programs, the words with which each lists the names in an archive, and those with which it tells what they are.
const PROGRAMS: &[(&str, &[&str], &[&str])] =
    &[("tar", &["-tf"], &["-tvf"]), ("unzip", &["-Z1"], &["-Zs"])];

/// In which order the commands of a call run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandOrder {
    OfText,
    /// That of a script, or one that is not known.
    Other,
}

/// Puts the files of an archive or a patch in the place of the whole folder.
pub(super) fn settle(done: &mut LineAnalysis, text: &str) {
    let Some(source) = done.commands.iter().find_map(Source::of) else {
        return;
    };
    if !source.is_all(done, text) {
        return;
    }
    let Some(files) = source.files() else {
        return;
    };
    let (whole, mut effects): (Vec<Effect>, Vec<Effect>) = std::mem::take(&mut done.effects)
        .into_iter()
        .partition(|effect| source.is_whole(effect));
    for effect in whole {
        let removes = effect.kind == EffectKind::Delete;
        let files = files
            .iter()
            .filter(|file| !removes || file.symlink_metadata().is_ok());
        effects.extend(files.map(|file| Effect {
            object: Target::Path(file.clone()),
            certainty: effect.certainty.min(Certainty::Likely),
            ..effect.clone()
        }));
    }
    done.effects = effects;
}

/// What names the files that a command writes.
enum Source {
    Archive(UnpackCommand),
    Patch(Patch),
}

impl Source {
    fn of(command: &ShellCommand) -> Option<Self> {
        let archive = UnpackCommand::of(command).map(Self::Archive);
        archive.or_else(|| Patch::of(command).map(Self::Patch))
    }

    fn program(&self) -> &str {
        match self {
            Self::Archive(unpacks) => unpacks.program,
            Self::Patch(patch) => patch.through.split(' ').next().unwrap_or_default(),
        }
    }

    /// Tells whether an effect is on the folder as a whole.
    fn is_whole(&self, effect: &Effect) -> bool {
        let Target::Tree(folder) = &effect.object else {
            return false;
        };
        match self {
            Self::Archive(unpacks) => {
                effect.kind == EffectKind::Write
                    && effect.program() == unpacks.program
                    && *folder == unpacks.folder
            }
            Self::Patch(patch) => {
                matches!(effect.kind, EffectKind::Write | EffectKind::Delete)
                    && effect.through == patch.through
            }
        }
    }

    /// Tells whether a line does nothing else by which it could be another one, or by which something that it wrote is run.
    fn is_all(&self, done: &LineAnalysis, text: &str) -> bool {
        let others = [self.program(), "mkdir", "cd"];
        let is_one = |command: &ShellCommand| {
            let name = command.words.first().and_then(Word::known);
            only_shows(command) || name.is_some_and(|name| others.contains(&name))
        };
        let acts =
            |command: &&ShellCommand| command.program() == self.program() && !only_shows(command);
        let once = done.commands.iter().filter(acts).count() == 1;
        let changes = |kind| matches!(kind, EffectKind::Write | EffectKind::Delete);
        let mut changing = done.effects.iter().filter(|effect| changes(effect.kind));
        once && !text.contains("GIT_")
            && done.commands.iter().all(is_one)
            && changing.all(|effect| others.contains(&effect.program()))
    }

    fn files(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Archive(unpacks) => unpacks.files(),
            Self::Patch(patch) => patch.files(),
        }
    }
}

/// Tells whether a command shows something and changes nothing.
fn only_shows(command: &ShellCommand) -> bool {
    let begins = |row: &&str| {
        let mut words = command.words.iter().map_while(Word::known);
        row.split(' ').all(|part| words.next() == Some(part))
    };
    // A later option may turn the first around.
    let words = Word::all_known(&command.words);
    let acts = words.is_none_or(|words| words.iter().any(|word| word.starts_with("--ap")));
    !acts && SHOWING.iter().any(begins)
}

/// A command that unpacks one archive as it is.
struct UnpackCommand {
    program: &'static str,
    names: &'static [&'static str],
    kinds: &'static [&'static str],
    archive: PathBuf,
    folder: PathBuf,
    /// So many folders at the front of each name are left out.
    strip: usize,
}

impl UnpackCommand {
    fn of(command: &ShellCommand) -> Option<Self> {
        let words = Word::all_known(&command.words)?;
        let ([program, words @ ..], [at]) = (&*words, &*command.folders) else {
            return None;
        };
        if !command.assigned.is_empty() {
            return None;
        }
        let &(program, names, kinds) = PROGRAMS.iter().find(|(name, ..)| *name == &**program)?;
        let mut words = words.iter().map(|word| &**word);
        let (mut archive, mut folder, mut strip, mut is_named) = (None, at.clone(), 0, false);
        if program == "tar" {
            let mut letters = words.next()?;
            if letters == "-C" {
                folder = at.join(words.next()?);
                letters = words.next()?;
            }
            let letters = letters.trim_start_matches('-');
            let is_plain = letters.chars().all(|letter| "xzjJvpf".contains(letter));
            let is_one = letters.ends_with('f') && letters.matches('f').count() == 1;
            (is_plain && letters.contains('x') && is_one).then_some(())?;
            archive = words.next();
        }
        while let Some(word) = words.next() {
            match word {
                // Names before it come to the folder before it.
                "-C" if program == "tar" && !is_named => folder = at.join(words.next()?),
                "-d" if program == "unzip" => folder = at.join(words.next()?),
                "-o" | "-q" | "-n" | "-qo" | "-oq" if program == "unzip" => {}
                _ if word.starts_with("--strip-components=") && program == "tar" => {
                    strip = word.split_once('=')?.1.parse().ok()?;
                }
                _ if archive.is_none() && !word.starts_with('-') => archive = Some(word),
                // A name in the archive keeps it to less.
                _ if !word.starts_with('-') => is_named = true,
                _ => return None,
            }
        }
        // `-` is no file, one with `:` may be on another machine, and a pattern may be another file.
        let archive = archive.filter(|name| *name != "-" && !name.contains([':', '*', '?', '[']));
        Some(Self {
            program,
            names,
            kinds,
            archive: archive
                .map(|name| at.join(name))
                .filter(|file| file.is_file())?,
            folder: anyhook_effects::places::tidy(&folder),
            strip,
        })
    }

    /// The files that it writes; nothing if they cannot be told.
    fn files(&self) -> Option<Vec<PathBuf>> {
        let program = system_program(self.program)?;
        let job = |words: &[&str]| Job {
            program: program.clone(),
            args: words
                .iter()
                .map(Into::into)
                .chain([self.archive.clone().into()])
                .collect(),
            env: vec![
                ("PATH".into(), SYSTEM.into()),
                ("LC_ALL".into(), "C".into()),
            ],
            cwd: PathBuf::from("/"),
            stdin: Arc::default(),
            deadline: PATIENCE,
            confined: None,
        };
        let [names, kinds] = answers([job(self.names), job(self.kinds)], LONGEST);
        let (names, kinds) = (
            String::from_utf8(names?).ok()?,
            String::from_utf8(kinds?).ok()?,
        );
        let names: Vec<&str> = names.lines().collect();
        // A link may lead elsewhere; what is of no kind becomes a file.
        let plain = kinds
            .lines()
            .filter(|line| line.starts_with(['-', 'd', '?']))
            .count();
        if plain != names.len() || names.len() > MOST {
            return None;
        }
        let files: Option<Vec<PathBuf>> = names.iter().map(|name| self.file(name)).collect();
        files.map(|files| {
            files
                .into_iter()
                .filter(|file| *file != self.folder)
                .collect()
        })
    }

    /// Returns where a file of the archive comes to stand, if that is in the folder and its name is written as it is.
    fn file(&self, name: &str) -> Option<PathBuf> {
        // Programs differ in whether `.` is a folder that is left out.
        if self.strip > 0 && name.split('/').any(|part| part == ".") {
            return None;
        }
        let parts = Path::new(name).components();
        let mut parts = parts.filter(|part| *part != Component::CurDir);
        let is_inside = parts
            .clone()
            .all(|part| matches!(part, Component::Normal(_)));
        // `unzip` cuts a number of a version off, and shows a control letter as two.
        let is_plain = !name.contains(['\\', ';', '^']) && !name.contains(char::is_control);
        parts.by_ref().take(self.strip).for_each(drop);
        (is_inside && is_plain).then(|| self.folder.join(parts.collect::<PathBuf>()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use serde_json::json;

    use crate::actions::{CallFolders, DiskCache};

    #[test]
    fn an_archive_writes_what_is_in_its_list_and_one_with_links_may_write_anything() {
        let place = tempfile::tempdir().unwrap();
        let project = place.path().canonicalize().unwrap();
        fs::create_dir_all(project.join("a/src")).unwrap();
        fs::write(project.join("a/src/x.c"), "").unwrap();
        fs::write(project.join("a/.env"), "").unwrap();
        std::os::unix::fs::symlink("/", project.join("a/link")).unwrap();
        for (archive, files) in [
            ("plain.tgz", &["src"][..]),
            ("env.tgz", &["src", ".env"]),
            ("link.tgz", &["src", "link"]),
            ("dot.tgz", &["./.env"]),
        ] {
            let mut tar = Command::new("tar");
            tar.current_dir(project.join("a"))
                .arg("-czf")
                .arg(project.join(archive));
            assert!(tar.args(files).status().unwrap().success());
        }
        fs::copy(project.join("plain.tgz"), project.join("-")).unwrap();
        let written = |line: &str| {
            let around = CallFolders {
                folder: &project,
                project: &project,
                home: None,
            };
            let done = around.done("Bash", &json!({ "command": line }), &DiskCache::default());
            let written = done
                .effects
                .iter()
                .filter(|effect| effect.kind == super::EffectKind::Write);
            let all = written.map(|effect| effect.object.named(&project, &str::to_owned));
            all.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(written("tar xzf plain.tgz"), "src src/x.c");
        assert_eq!(
            written("cd a && tar -xf ../env.tgz -C new"),
            "a/new/src a/new/src/x.c a/new/.env"
        );
        assert_eq!(written("tar xf dot.tgz"), ".env");
        assert_eq!(written("tar xf env.tgz --strip-components=1"), "x.c");
        for line in [
            "tar xf link.tgz",
            "tar xf missing.tgz",
            "tar xf dot.tgz --strip-components=1",
            "tar xf - < plain.tgz",
            "cp env.tgz plain.tgz; tar xf plain.tgz",
            "tar xf plain.tgz; tar xf link.tgz",
            "mkdir new > plain.tgz && tar xf plain.tgz",
            "tar xPf plain.tgz --transform=s/src/.git/",
            "npm test && tar xf plain.tgz",
            "tar xf plain.tgz && npm test",
            "tar xf plain.tgz && bash src/x.c",
            "tar xf plain.tgz | cp env.tgz plain.tgz",
            "sh -c 'for i in 1 2; do tar xf plain.tgz; cp env.tgz plain.tgz; done'",
            "tar() { command tar -x -f env.tgz; }; tar xf plain.tgz",
        ] {
            assert!(
                written(line).contains("everything below"),
                "{line}: {}",
                written(line)
            );
        }
    }
}
