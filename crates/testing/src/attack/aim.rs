//! The aims of an attack: the effects that a package refuses, which a way has to reach.

use std::path::{Component, Path, PathBuf};

use anyhook_effects::call;
use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::places::{NoFiles, Places, tidy};
use anyhook_effects::programs::{CommandMatch, CommandPattern};
use anyhook_effects::tools::ToolHints;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::plan::Case;

/// An effect that a way has to reach. A path counts from the scratch folder: `project/…` or `home/…`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Aim {
    /// A file or folder is gone.
    Removed(String),
    /// A file has another text.
    Written(String),
    /// A file was read.
    Read(String),
    /// What the remote had on `main` is replaced.
    Rewritten,
    /// The branch `main` of the remote is gone.
    Unpublished,
    /// This branch has another commit.
    Committed(String),
    /// Work that was not committed is gone.
    Discarded,
    /// This machine was connected to.
    Connected(String),
    /// Code ran that came from the network.
    Ran,
    /// A package was published.
    Published,
    /// A commit or a push was made that its checks refuse.
    Unchecked,
}

/// The machine that code comes from.
const HOST: &str = "example.com";

/// The scratch folder in texts, until its place is known.
pub(crate) const BASE: &str = "${BASE}";

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttackCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub input: Value,
}

/// The tool that runs lines.
const BASH: &str = "Bash";

impl AttackCall {
    /// A line of a shell.
    pub(crate) fn shell(line: &str) -> Self {
        Self {
            tool: BASH.to_owned(),
            input: json!({"command": line}),
        }
    }

    /// The line that bash runs, if it is one.
    pub(crate) fn line(&self) -> Option<&str> {
        let command = self.input.get("command").filter(|_| self.tool == BASH);
        command.and_then(Value::as_str)
    }

    /// Returns it as people read it: the line, or the tool and its arguments.
    pub fn shown(&self) -> String {
        let line = self.line().map(str::to_owned);
        line.unwrap_or_else(|| format!("{} {}", self.tool, self.input))
    }
}

impl Aim {
    /// The place of its file below the scratch folder.
    pub(crate) fn place(&self) -> &str {
        match self {
            Self::Removed(path) | Self::Written(path) | Self::Read(path) => path,
            _ => "",
        }
    }

    /// The name of its file as a line in the project writes it.
    pub(crate) fn name(&self) -> Option<String> {
        let place = self.place();
        if place == "home" {
            return Some("~".to_owned());
        }
        let project = place.strip_prefix("project/").map(str::to_owned);
        project.or_else(|| place.strip_prefix("home/").map(|rest| format!("~/{rest}")))
    }

    /// The machine that its lines name.
    pub(crate) fn host(&self) -> &str {
        match self {
            Self::Connected(host) => host,
            _ => HOST,
        }
    }

    /// The name of its section in the table, and what happens, with `{}` for its file, its branch or its machine.
    const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Removed(_) => ("removed", "`{}` is removed"),
            Self::Written(_) => ("written", "`{}` is changed"),
            Self::Read(_) => ("read", "`{}` is read"),
            Self::Rewritten => ("rewritten", "a push replaces commits of others"),
            Self::Unpublished => ("unpublished", "a push removes a branch"),
            Self::Committed(_) => ("committed", "`{}` gets another commit"),
            Self::Discarded => ("discarded", "work that is not committed is lost"),
            Self::Connected(_) => ("connected", "`{}` is connected to"),
            Self::Ran => ("ran", "code from the network runs"),
            Self::Published => ("published", "a package is published"),
            Self::Unchecked => ("unchecked", "a commit or a push passes its checks over"),
        }
    }

    /// The name of its section in the table.
    pub(crate) const fn word(&self) -> &'static str {
        self.words().0
    }

    /// Says what happens, for people.
    pub(crate) fn shown(&self) -> String {
        let of = match self {
            Self::Committed(of) | Self::Connected(of) => of.clone(),
            _ => self.name().unwrap_or_default(),
        };
        self.words().1.replace("{}", &of)
    }
}

/// Returns the effects of the call of a case, as aims; `branch` is what the scratch project has checked out.
pub(super) fn aims(case: &Case, branch: &str) -> Vec<Aim> {
    let sent = case.payload.sent(
        Path::new("/p"),
        &case.package.root,
        case.workspace.is_some(),
    );
    let folder = sent.get("cwd").and_then(Value::as_str);
    let folder = folder.map_or_else(|| PathBuf::from("/p"), PathBuf::from);
    let places = Places {
        folder: folder.clone(),
        project: folder,
        home: Some("/h".into()),
        ..Places::default()
    };
    let input = sent.get("toolInput").or_else(|| sent.get("tool_input"));
    let tool = case.tool().unwrap_or_default();
    let done = call::read(
        anyhook::wires::tools::canonical(tool),
        input.unwrap_or(&Value::Null),
        ToolHints::default(),
        &places,
        &NoFiles,
    );
    let mut all = Vec::new();
    let unchecked = |command: &ShellCommand| {
        let verbs = ["git commit", "git push", "git merge"];
        verbs.iter().any(|verb| {
            CommandPattern::of(verb, &["--no-verify"]).meets(command) == CommandMatch::Yes
        })
    };
    if done.commands.iter().any(unchecked) {
        all.push(Aim::Unchecked);
    }
    let is_unread =
        |effect: &Effect| effect.kind == EffectKind::Exec && effect.object == Target::Unknown;
    let is_from_net = done
        .effects
        .iter()
        .any(|effect| effect.kind == EffectKind::Net && effect.object != Target::Unknown);
    if is_from_net && done.effects.iter().any(is_unread) {
        all.push(Aim::Ran);
    }
    for effect in done
        .effects
        .iter()
        .filter(|effect| effect.certainty != Certainty::Unknown)
    {
        all.extend(aim(effect, &places, branch));
    }
    all.dedup();
    all
}

fn aim(effect: &Effect, places: &Places, branch: &str) -> Option<Aim> {
    match (effect.kind, &effect.object) {
        (EffectKind::Push, Target::Push(push)) if push.deleted => Some(Aim::Unpublished),
        (EffectKind::Push, Target::Push(push)) if push.forced => Some(Aim::Rewritten),
        (EffectKind::Commit, _) => Some(Aim::Committed(branch.to_owned())),
        (EffectKind::Discard, _) => Some(Aim::Discarded),
        (EffectKind::Publish, _) => Some(Aim::Published),
        (EffectKind::Config, Target::Name(name)) if name.eq_ignore_ascii_case("core.hooksPath") => {
            Some(Aim::Unchecked)
        }
        (EffectKind::Net, Target::Host(host)) => {
            let name = host.split([':', '/']).next().unwrap_or_default();
            let is_name = !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || ".-".contains(letter));
            is_name.then(|| Aim::Connected(name.to_owned()))
        }
        (EffectKind::Delete, Target::Path(path) | Target::Tree(path)) => {
            below(path, places).map(Aim::Removed)
        }
        (EffectKind::Write, Target::Path(path)) => below(path, places).map(Aim::Written),
        (EffectKind::Read, Target::Path(path)) => below(path, places).map(Aim::Read),
        _ => None,
    }
}

/// Where a path is below the scratch folder; nothing where it is outside of project and home, which no line may change.
fn below(path: &Path, places: &Places) -> Option<String> {
    let path = tidy(path);
    let home = places.home.as_deref()?;
    let (folder, rest) = match (path.strip_prefix(&places.folder), path.strip_prefix(home)) {
        (Ok(rest), _) => ("project", rest),
        (Err(_), Ok(rest)) if rest.as_os_str().is_empty() => return Some("home".to_owned()),
        (Err(_), Ok(rest)) => ("home", rest),
        (Err(_), Err(_)) => return None,
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name.to_str().is_some_and(plain));
    let is_named = rest.components().next().is_some() && rest.components().all(is_plain);
    is_named.then(|| format!("{folder}/{}", rest.to_string_lossy()))
}

/// Tells whether a name means nothing to a shell, so that every table can write it.
fn plain(name: &str) -> bool {
    name.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "._-+@".contains(letter))
        && !name.starts_with('-')
}
