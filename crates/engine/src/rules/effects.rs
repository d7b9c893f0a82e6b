//! The effects and commands of a call, as rules ask about them: read once for all rules of an event.
//!
//! What refuses counts an effect whose object cannot be read; what approves never does.

use std::path::Path;
use std::sync::LazyLock;

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::places::NoFiles;
use anyhook_effects::programs::{CommandMatch, CommandPattern, files_of_git, may_be};
use anyhook_effects::shell;
use anyhook_effects::word::Word;
use serde_json::Value;

use super::Facts;
use super::objects;
use super::paths::EventFolders;
use super::searches::{Searches, spelled};
use super::sent::{self, without_port};
use super::{chains, remotes};
use crate::brings::is_straight;

impl Facts<'_> {
    pub(super) fn of(&self, kind: EffectKind) -> impl Iterator<Item = &Effect> {
        let all = self.call().effects.iter();
        all.filter(move |effect| effect.kind == kind)
    }

    /// Tells whether something of this kind happens to a file that matches and is no exception; without patterns, to any.
    pub(super) fn falls_on(&self, kind: EffectKind, patterns: &[String]) -> bool {
        self.is_found(patterns, |effect| effect.kind == kind)
    }

    /// Tells whether a redirection takes away what is in such a file.
    pub(super) fn empties(&self, patterns: &[String]) -> bool {
        self.is_found(patterns, |effect| {
            effect.kind == EffectKind::Delete && effect.through == ">"
        })
    }

    fn is_found(&self, patterns: &[String], is_meant: impl Fn(&Effect) -> bool) -> bool {
        let (except, wanted) = exceptions(patterns);
        let searches = Searches::of(self, &except);
        let is_one = |at: usize, effect: &Effect| {
            let is_other = |one: &str| one.ends_with('/') && self.is_file(at, effect);
            let matches = |one: &&str| searches.matches(effect, one) && !is_other(one);
            wanted.is_empty() || wanted.iter().any(matches)
        };
        let mut all = self.call().effects.iter().enumerate();
        all.any(|(at, effect)| {
            is_meant(effect) && is_one(at, effect) && !self.spares(at, effect, &except)
        })
    }

    /// Tells whether what `rm` takes for a folder is one file: `rm -rf yarn.lock`.
    fn is_file(&self, at: usize, effect: &Effect) -> bool {
        let is_one = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        matches!(&effect.object, Target::Tree(path) if is_one(path))
            && effect.program() == "rm"
            && effect.certainty != Certainty::Unknown
            && !self.may_be_moved(at, effect)
            && is_straight(self.line(), self.call())
    }

    /// Tells whether an exception surely holds all that an effect falls on.
    fn spares(&self, at: usize, effect: &Effect, except: &[&str]) -> bool {
        let mut except = except.iter();
        except.any(|pattern| objects::is_spared(effect, pattern, self.folders()))
            && !self.may_be_moved(at, effect)
    }

    /// Tells whether one of the effects before may have put a link or something else to where an effect falls.
    fn may_be_moved(&self, at: usize, effect: &Effect) -> bool {
        let before = self.call().effects.get(..at).unwrap_or_default();
        // What the command itself does comes behind its start.
        let is_start = |earlier: &Effect| earlier.kind == EffectKind::Exec;
        let own = before.iter().rposition(is_start).unwrap_or_default();
        let mut earlier = before.iter().take(own);
        // `x/` is what a link leads to.
        let mut words = self.call().commands.iter().flat_map(|it| &it.words);
        let leads = words.any(|word| spelled(word, "").ends_with('/'));
        // Without an option `cp` makes no link: it writes into a file.
        let is_option = |word: &Word| word.known().is_none_or(|text| text.starts_with('-'));
        let links = |it: &ShellCommand| may_be(it, "cp") && it.words.iter().skip(1).any(is_option);
        let links = self.call().commands.iter().any(links);
        let moves = |earlier: &Effect| {
            objects::may_move(earlier, effect)
                && (links || earlier.through != "cp")
                && (leads || !objects::takes_link(earlier, effect))
        };
        earlier.any(moves)
    }

    /// Finds a file that is read, written or deleted and that matches, with the pattern; one that the exceptions hold is
    /// passed over.
    pub(crate) fn touched<'p>(
        &self,
        patterns: &'p [String],
        except: &[String],
    ) -> Option<(String, &'p str)> {
        let (mut spared, patterns) = exceptions(patterns);
        spared.extend(except.iter().map(String::as_str));
        let searches = Searches::of(self, &spared);
        let named = self.arguments();
        let mut effects = self.call().effects.iter().chain(&named).enumerate();
        effects.find_map(|(at, effect)| {
            if !matches!(
                effect.kind,
                EffectKind::Read | EffectKind::Write | EffectKind::Delete
            ) {
                return None;
            }
            let mut all = patterns.iter();
            let found = all.find(|pattern| searches.matches(effect, pattern))?;
            let is_spared = self.spares(at, effect, &spared) || self.is_of_example(effect);
            (!is_spared).then(|| (objects::shown(effect), *found))
        })
    }

    /// Tells whether a file of the project that is not there is made by a copy of an example of it, in which no secret is yet.
    fn is_of_example(&self, effect: &Effect) -> bool {
        const ENDS: [&str; 4] = [".example", ".sample", ".template", ".dist"];
        let Target::Path(path) = &effect.object else {
            return false;
        };
        let made = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_copy = |command: &ShellCommand| {
            let words = Word::all_known(&command.words).unwrap_or_default();
            let (["cp", source, _] | ["cp", "-n" | "-v", source, _]) = *words else {
                return false;
            };
            let name = source.rsplit('/').next().unwrap_or_default();
            let stem = ENDS.iter().find_map(|end| name.strip_suffix(end));
            stem.is_some_and(|stem| !stem.is_empty() && made.starts_with(stem))
        };
        let mut copies = self
            .call()
            .commands
            .iter()
            .filter(|one| one.program() == "cp");
        (effect.kind, effect.program()) == (EffectKind::Write, "cp")
            && path.symlink_metadata().is_err()
            && self.folders().is_of_project(path)
            && copies.all(is_copy)
    }

    /// What programs may read whose code is not read here: each of their arguments that can be a path.
    fn arguments(&self) -> Vec<Effect> {
        let mut all = Vec::new();
        for effect in self.of(EffectKind::Exec) {
            let Target::Program {
                arguments,
                opaque: true,
                ..
            } = &effect.object
            else {
                continue;
            };
            let texts = arguments.iter().flatten();
            let can_be_path = |part: &&str| {
                part.contains(['/', '.']) && !part.contains("://") && part.len() < 4096
            };
            let parts = texts.flat_map(|text| text.split('=').filter(can_be_path));
            let folders = [&self.folders().cwd, &self.folders().project];
            all.extend(parts.flat_map(|part| {
                folders.map(|folder| {
                    let path = Target::Path(folder.join(part));
                    Effect::new(EffectKind::Read, path, Certainty::Likely, &*effect.through)
                })
            }));
        }
        all
    }

    /// What approves must be sure: there are files, all of them match, and nothing else happens.
    pub(crate) fn stays_in(&self, patterns: &[String]) -> bool {
        let is_inside = |effect: &Effect| {
            matches!(
                effect.kind,
                EffectKind::Read | EffectKind::Write | EffectKind::Delete
            ) && patterns
                .iter()
                .any(|pattern| objects::is_inside(effect, pattern, self.folders()))
        };
        let (effects, commands) = (&self.call().effects, &self.call().commands);
        commands.is_empty() && !effects.is_empty() && effects.iter().all(is_inside)
    }

    /// Tells whether some command is this program with these words and options, or may be.
    pub(super) fn runs(&self, words: &[String]) -> bool {
        let Some((program, options)) = words.split_first() else {
            return false;
        };
        if let Some(wanted) = program.strip_prefix('@') {
            return self.runs_listed(|kind| kind == wanted);
        }
        let pattern = CommandPattern::of(program, options);
        let is_it = |command: &ShellCommand| pattern.meets(command) >= CommandMatch::May;
        self.runs_unread() || self.call().commands.iter().any(is_it)
    }

    pub(super) fn touches(&self, patterns: &[String]) -> bool {
        self.touched(patterns, &[]).is_some()
    }

    /// Tells whether it has an effect of one of these names; without names, any.
    pub(super) fn does(&self, names: &[String]) -> bool {
        let mut effects = self.call().effects.iter();
        effects
            .any(|effect| names.is_empty() || names.iter().any(|name| effect.kind.name() == name))
    }

    /// Tells whether something runs that cannot be read at all.
    pub(super) fn runs_unread(&self) -> bool {
        self.of(EffectKind::Exec)
            .any(|effect| effect.object == Target::Unknown)
    }

    /// Tells whether code runs that is not read here.
    pub(super) fn is_opaque(&self) -> bool {
        self.runs_unread() || self.of(EffectKind::Exec).any(Effect::is_opaque)
    }

    /// Tells whether it connects to a machine with such a name that is no exception; without names, to any. An exception holds
    /// where the name is known, and nothing of the line leads elsewhere.
    pub(super) fn connects(&self, hosts: &[String]) -> bool {
        let (except, wanted) = exceptions(hosts);
        let is_led = sent::is_led_elsewhere(self.line());
        let is_one = |name: &str| wanted.iter().any(|wanted| objects::is_name(wanted, name));
        let spares = |effect: &Effect, host: &str| {
            let is_known = effect.certainty != Certainty::Unknown && !is_led;
            let is_it = |name: &str| except.iter().any(|one| name.eq_ignore_ascii_case(one));
            is_known && (is_it(host) || is_it(without_port(host)))
        };
        let is_host = |host: &str| is_one(without_port(host)) || is_one(host);
        let EventFolders { cwd, home, .. } = self.folders();
        self.of(EffectKind::Net).any(|effect| match &effect.object {
            Target::Host(host) if spares(effect, host) => false,
            _ if wanted.is_empty() => true,
            Target::Unknown => true,
            Target::Host(host) => is_host(host),
            Target::Name(name) => {
                let behind = remotes::hosts_of(cwd, home.as_deref(), name);
                is_one(name) || behind.is_none_or(|hosts| hosts.iter().any(|host| is_host(host)))
            }
            _ => false,
        })
    }

    /// Tells whether something happens whose object has such a name; without names, whether it happens.
    pub(super) fn names(&self, kind: EffectKind, names: &[String]) -> bool {
        // Who writes the file of the settings may set any of them.
        let writes_settings =
            kind == EffectKind::Config && self.of(EffectKind::Write).any(objects::is_settings);
        writes_settings
            || self.of(kind).any(|effect| match &effect.object {
                Target::Name(name) => {
                    let package = if kind == EffectKind::Install {
                        without_version(name)
                    } else {
                        name
                    };
                    let is_one = |wanted: &String| {
                        objects::is_name(wanted, name) || objects::is_name(wanted, package)
                    };
                    names.is_empty() || names.iter().any(is_one)
                }
                _ => true,
            })
    }

    /// Tells whether a package is installed whose name is one letter off a well-known one: `reqeusts`.
    pub(super) fn typosquats(&self) -> bool {
        static POPULAR: LazyLock<Vec<&str>> = LazyLock::new(|| {
            let lines = include_str!("popular.txt").lines();
            let names = lines.filter(|line| !line.starts_with('#'));
            names.flat_map(str::split_whitespace).collect()
        });
        const SHORTEST: usize = 5;
        self.of(EffectKind::Install)
            .any(|effect| match &effect.object {
                Target::Name(name) => {
                    let name = without_version(name).to_lowercase().replace('_', "-");
                    let is_near = |popular: &&str| {
                        popular.len() >= SHORTEST
                            && strsim::osa_distance(&name, &popular.replace('_', "-")) <= 1
                    };
                    let mut all = POPULAR.iter();
                    !all.clone().any(|popular| popular.replace('_', "-") == name)
                        && all.any(is_near)
                }
                _ => false,
            })
    }

    /// Tells whether a line is one plain command that begins with the words of one of these, and does nothing that only an
    /// option of it does; or whether all its commands are on the lists that are named.
    pub(super) fn only_runs(&self, beginnings: &[String]) -> bool {
        let line = self.input().and_then(|input| input.get("command"));
        let Some(line) = line
            .and_then(Value::as_str)
            .filter(|_| self.tool() == "Bash")
        else {
            return false;
        };
        let known = chains::LISTS
            .iter()
            .filter(|(name, _)| beginnings.iter().any(|one| one == name));
        let lists: Vec<&str> = known.map(|(_, list)| *list).collect();
        if !lists.is_empty() && chains::only_runs(self, line, &lists) {
            return true;
        }
        let [command] = &*self.call().commands else {
            return false;
        };
        // A line break ends a command even where nothing follows it; who hides one means something by it.
        let is_one =
            self.call().plain && self.call().readable && !line.trim().contains(['\n', '\r']);
        is_one
            && beginnings
                .iter()
                .any(|beginning| self.begins(command, beginning))
    }

    fn begins(&self, command: &ShellCommand, beginning: &str) -> bool {
        let mut words = beginning.split_whitespace().peekable();
        let given = Word::all_known(&command.words);
        let Some(given) = given.filter(|_| words.peek().is_some()) else {
            return false;
        };
        let mut given = given.iter();
        if !words.all(|word| given.next().is_some_and(|given| *given == word)) {
            return false;
        }
        // The reader does not know what git shows of a file: only what the author of the rule wrote is approved.
        let is_written = |file: &Word| {
            let mut words = beginning.split_whitespace();
            file.known()
                .is_some_and(|file| words.any(|word| word == file))
        };
        if !files_of_git(command).iter().all(is_written) {
            return false;
        }
        let alone = shell::read(beginning, &self.folders().around().places(), &NoFiles);
        let runs_others = alone.effects.iter().any(Effect::is_opaque);
        self.call().effects.iter().all(|effect| {
            let option = effect
                .through
                .split_whitespace()
                .find(|word| word.starts_with('-'));
            let is_asked =
                option.is_none_or(|option| beginning.split_whitespace().any(|word| word == option));
            let is_known =
                effect.certainty != Certainty::Unknown && effect.object != Target::Unknown;
            is_known
                && match effect.kind {
                    EffectKind::Exec => runs_others || !effect.is_opaque(),
                    EffectKind::Read => objects::is_inside(effect, "./**", self.folders()),
                    EffectKind::Write | EffectKind::Delete => {
                        is_asked && objects::is_inside(effect, "./**", self.folders())
                    }
                    _ => is_asked,
                }
        })
    }
}

/// Splits the patterns of a guard: its exceptions, which begin with `!`, and the others.
pub(super) fn exceptions(patterns: &[String]) -> (Vec<&str>, Vec<&str>) {
    let (mut except, mut wanted) = (Vec::new(), Vec::new());
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(pattern) => except.push(pattern),
            None => wanted.push(pattern.as_str()),
        }
    }
    (except, wanted)
}

/// The name of a package as a person calls it: `left-pad` of `left-pad@1.3`, `ruff` of `ruff==0.1`.
fn without_version(name: &str) -> &str {
    let is_end = |(at, letter): (usize, char)| at > 0 && "@=<>~![;".contains(letter);
    let end = name.char_indices().find(|one| is_end(*one));
    end.and_then(|(at, _)| name.get(..at)).unwrap_or(name)
}
