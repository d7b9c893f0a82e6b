//! Hooks of a file that run unconfined because nothing says `sandbox`, and the edit that adds it for all of them.
//!
//! It never writes what a person was not shown: a file that is another one by now stays as it is.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhook::core::handler::Handler;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Manifest};
use anyhook::core::sandbox::Sandbox;
use anyhook::files::digest;
use anyhook::load;
use anyhook::sandbox::capabilities;
use anyhook::trust::Pinned;
use anyhook_confine::Level;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use rustix::fs::{Mode, OFlags};

use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// What is written: what it does not say is as for a package.
const FIELD: &str = "\"sandbox\": {}";

/// What can be done for hooks that run open.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// None of them does.
    Needless,
    /// Nothing, which this says.
    Never(String),
    /// `sandbox` can be written into the file.
    Edit(Edit),
}

/// A file into which `sandbox` is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    open: usize,
    before: String,
    after: String,
    line: usize,
}

impl Offer {
    /// Tells what can be done for the hooks of this file, where the kernel can confine so much.
    pub(crate) fn of(file: &Path, (text, manifest): (&[u8], &Manifest), level: &Level) -> Self {
        let hooks = load::hooks(manifest, file);
        let open = hooks.iter().filter(|hook| runs_open(hook)).count();
        if open == 0 {
            return Self::Needless;
        }
        let never = |why: &str| Self::Never(format!("{}, and {why}", counted(open)));
        if level.is_none() {
            return never(
                "this machine cannot confine them: it has neither Landlock nor seccomp nor Seatbelt",
            );
        }
        let edited = std::str::from_utf8(text).ok().and_then(|text| {
            let (after, line) = with_field(text)?;
            is_all(file, &hooks, &after).then(|| Edit {
                open,
                before: text.to_owned(),
                after,
                line,
            })
        });
        edited.map_or_else(
            || never("this file cannot hold `sandbox`: it is not in Anyhook's own form"),
            Self::Edit,
        )
    }

    /// Says it to a person; `level` is what the kernel can do.
    pub(crate) fn told(&self, level: &Level) -> String {
        match self {
            Self::Needless => String::new(),
            Self::Never(why) => format!("\n{}", ui::wrapped("  ", why)),
            Self::Edit(edit) => {
                let told = format!(
                    "{}: nothing says `sandbox`. Answer s to write `{FIELD}` into the file. Then each command has these limits: {} \
                     If a command needs more, add that to `sandbox`. This machine {level}.",
                    counted(edit.open),
                    capabilities(Some(&Sandbox::of_package())),
                );
                format!("\n{}", ui::wrapped("  ", &told))
            }
        }
    }
}

impl Edit {
    /// Puts it in the place of what was shown, which has to stand there still, in the package that was shown.
    pub(crate) fn write(&self, file: &Path, shown: &Pinned) -> Result<(), Problem> {
        let cannot = |why: String| {
            let name = ui::line(&file.to_string_lossy());
            let what = format!("`sandbox` cannot be written into `{name}`: {why}");
            Problem::new(Exit::CannotCreate, what)
                .help("nothing was written or trusted; write it yourself: anyhook help confine")
        };
        self.replace(&inside(file, &shown.root).map_err(cannot)?)
            .map_err(cannot)
    }

    fn replace(&self, file: &Path) -> Result<(), String> {
        let told = |error: std::io::Error| error.to_string();
        let changed = || "it changed while you looked at it".to_owned();
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let old = rustix::fs::open(file, flags, Mode::empty());
        let old = File::from(old.map_err(|error| told(error.into()))?);
        let meta = old.metadata().map_err(told)?;
        if let Some(why) = unsafe_to_edit(&meta) {
            return Err(why.to_owned());
        }
        let mut now = Vec::new();
        let most = self.before.len() as u64 + 1;
        old.take(most).read_to_end(&mut now).map_err(told)?;
        if now != self.before.as_bytes() {
            return Err(changed());
        }
        let folder = file.parent().unwrap_or(file);
        let mut new = tempfile::Builder::new();
        let new = new.prefix(".anyhook-").tempfile_in(folder);
        let mut new = new.map_err(told)?;
        new.write_all(self.after.as_bytes()).map_err(told)?;
        let like = new.as_file().set_permissions(meta.permissions());
        like.and_then(|()| new.as_file().sync_all()).map_err(told)?;
        let there = fs::symlink_metadata(file).map_err(told)?;
        if (there.dev(), there.ino()) != (meta.dev(), meta.ino()) {
            return Err(changed());
        }
        new.persist(file)
            .map(|_| ())
            .map_err(|error| told(error.error))
    }

    /// Tells whether this edit is all that is different between what was shown and what is there now.
    pub(crate) fn is_all_between(&self, shown: &Pinned, now: &Pinned) -> bool {
        let edit = [&self.before, &self.after].map(|text| digest(text.as_bytes()));
        let is_edit = |was: &str, is: &str| [was, is] == [&*edit[0], &*edit[1]];
        let mut both = shown.files.iter().zip(&now.files);
        shown.files.len() == now.files.len()
            && both.all(|((one, was), (other, is))| one == other && (was == is || is_edit(was, is)))
    }

    /// Says what was written, and how it is taken back.
    pub(crate) fn written(&self, file: &Path) -> String {
        let name = ui::line(&file.to_string_lossy());
        format!(
            "{} `{FIELD}`, line {} of {name}; to take it back, remove it there and run: anyhook trust {}\n",
            ui::paint(ui::CHANGE, "written"),
            self.line,
            ui::line(&anyhook::text::word(&file.to_string_lossy())),
        )
    }
}

fn counted(open: usize) -> String {
    format!(
        "{} unconfined",
        match open {
            1 => "1 command runs".to_owned(),
            many => format!("{many} commands run"),
        }
    )
}

fn is_command(hook: &Hook) -> bool {
    matches!(&hook.handler, Handler::Declared(action) if matches!(**action, Action::Command(_)))
}

fn runs_open(hook: &Hook) -> bool {
    is_command(hook) && hook.sandbox.is_none()
}

/// Tells whether this text closes every hook that runs open, and changes no other one.
fn is_all(file: &Path, before: &[Hook], after: &str) -> bool {
    let Ok(after) = load::parse(file, after).and_then(load::usable) else {
        return false;
    };
    let after = load::hooks(&after, file);
    let package = Sandbox::of_package();
    let is_closed = |(was, is): (&Hook, &Hook)| {
        let wanted = was.sandbox.as_deref().unwrap_or(&package);
        was.info.name == is.info.name && (!is_command(was) || is.sandbox.as_deref() == Some(wanted))
    };
    before.len() == after.len() && before.iter().zip(&after).all(is_closed)
}

/// Puts the field behind the first brace, and leaves every other byte as it is; returns its line too.
fn with_field(text: &str) -> Option<(String, usize)> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(body, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Value::Object(top) = parsed.value? else {
        return None;
    };
    let (before, rest) = text.split_at_checked(text.len() - body.len() + top.start() + 1)?;
    let blank = rest.len() - rest.trim_ascii_start().len();
    let blank = rest.get(..blank)?;
    // On a line of its own, where the first field has one, and indented as that.
    let (gap, end) = match blank.rfind('\n') {
        Some(at) if blank.get(..at)?.ends_with('\r') => (blank.get(at - 1..)?, ","),
        Some(at) => (blank.get(at..)?, ","),
        None if blank.is_empty() => ("", ", "),
        None => ("", ","),
    };
    let line = format!("{before}{gap}").matches('\n').count() + 1;
    Some((format!("{before}{gap}{FIELD}{end}{rest}"), line))
}

/// Finds where a file really stands, which has to be in its package.
fn inside(file: &Path, root: &Path) -> Result<PathBuf, String> {
    let real = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let folder = real(file.parent().unwrap_or(file))?;
    if !folder.starts_with(real(root)?) {
        return Err("a link to it leads out of the package".to_owned());
    }
    Ok(folder.join(file.file_name().unwrap_or_default()))
}

/// Says why a file is not replaced, although its content is what was shown.
fn unsafe_to_edit(meta: &fs::Metadata) -> Option<&'static str> {
    if !meta.is_file() {
        Some("it is not a regular file")
    } else if meta.permissions().readonly() {
        Some("it is read only")
    } else if meta.nlink() > 1 {
        Some("it has a second name")
    } else if meta.uid() != rustix::process::geteuid().as_raw() {
        Some("it belongs to another user")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Level = Level {
        landlock: None,
        seccomp: false,
        namespaces: true,
        seatbelt: false,
    };
    const SOME: Level = Level {
        landlock: Some(4),
        seccomp: true,
        namespaces: false,
        seatbelt: false,
    };
    const HOOKS: &str =
        r#""hooks": {"stop": [{"hooks": [{"type": "command", "command": "true"}]}]}"#;

    fn offer(file: &str, text: &str, level: &Level) -> Offer {
        let manifest = load::parse(file.as_ref(), text).unwrap().manifest;
        Offer::of(file.as_ref(), (text.as_bytes(), &manifest), level)
    }

    fn edited(text: &str) -> (String, usize) {
        match offer("/p/hooks/hooks.json", text, &SOME) {
            Offer::Edit(edit) => (edit.after, edit.line),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn the_field_is_all_that_is_written_whatever_the_file_looks_like() {
        for (before, after, line) in [
            ("{", "{\"sandbox\": {}, ", 1),
            ("{ ", "{\"sandbox\": {}, ", 1),
            ("{\n  ", "{\n  \"sandbox\": {},\n  ", 2),
            ("{\r\n\t", "{\r\n\t\"sandbox\": {},\r\n\t", 2),
            ("{\n\n  // a\n  ", "{\n  \"sandbox\": {},\n\n  // a\n  ", 2),
            ("{ // a {\n  ", "{\"sandbox\": {}, // a {\n  ", 1),
            (
                "\u{feff}/* { */\n{\n",
                "\u{feff}/* { */\n{\n\"sandbox\": {},\n",
                3,
            ),
        ] {
            let rest = format!("\"version\": 1,\r\n\n{HOOKS},}} // é\n");
            let expected = (format!("{after}{rest}"), line);
            assert_eq!(edited(&format!("{before}{rest}")), expected);
        }
    }

    #[test]
    fn nothing_is_offered_where_every_command_is_confined_or_none_is_there() {
        let rule = r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "rule", "then": {"notify": "x"}}]}]}}"#;
        let said = format!(r#"{{"version": 1, "sandbox": {{"network": "any"}}, {HOOKS}}}"#);
        let open = format!(r#"{{"version": 1, {HOOKS}}}"#);
        let package = "/p/.agent-packages/x/hooks/hooks.json";
        for (file, text) in [("/p/h.json", rule), ("/p/h.json", &said), (package, &open)] {
            assert_eq!(offer(file, text, &SOME), Offer::Needless, "{text}");
        }
    }

    #[test]
    fn a_hook_that_says_what_it_needs_keeps_it_beside_those_that_run_open() {
        let own = r#"{"type": "command", "command": "x", "sandbox": {"network": "any", "write": ["./**"]}}"#;
        let text = format!(
            r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [{own}, {{"type": "command", "command": "true"}}]}}]}}}}"#
        );
        let Offer::Edit(edit) = offer("/p/hooks/hooks.json", &text, &SOME) else {
            panic!("{text}");
        };
        assert_eq!(edit.open, 1);
    }

    #[test]
    fn a_file_of_an_agent_holds_none_and_a_machine_that_confines_nothing_is_named() {
        let plugin = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}]}]}}"#;
        for file in ["/p/.claude/settings.json", "/p/hooks/hooks.json"] {
            let Offer::Never(why) = offer(file, plugin, &SOME) else {
                panic!("{file}");
            };
            assert!(why.contains("cannot hold `sandbox`"), "{why}");
        }
        let text = format!(r#"{{"version": 1, {HOOKS}}}"#);
        let Offer::Never(why) = offer("/p/hooks/hooks.json", &text, &NONE) else {
            panic!("{text}");
        };
        assert!(why.contains("this machine cannot confine them"), "{why}");
    }

    #[test]
    fn only_the_edit_may_lie_between_what_was_shown_and_what_is_trusted() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("hooks/hooks.json");
        fs::create_dir(place.path().join("hooks")).unwrap();
        let text = format!(r#"{{"version": 1, {HOOKS}}}"#);
        fs::write(&file, &text).unwrap();
        let look = || anyhook::trust::Trust::look(&file).unwrap();
        let Offer::Edit(edit) = offer("/p/hooks/hooks.json", &text, &SOME) else {
            panic!("{text}");
        };
        let shown = look();
        assert!(edit.is_all_between(&shown, &shown));
        edit.write(&file, &shown).unwrap();
        assert!(edit.is_all_between(&shown, &look()));
        fs::write(place.path().join("hooks/new.sh"), "").unwrap();
        assert!(!edit.is_all_between(&shown, &look()));
        fs::remove_file(place.path().join("hooks/new.sh")).unwrap();
        fs::write(&file, format!("{} ", edit.after)).unwrap();
        assert!(!edit.is_all_between(&shown, &look()));
    }
}
