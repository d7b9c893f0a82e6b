//! Which files belong to a manifest: every file below the package root that it executes, what those source and import, and
//! `hooks/scripts/**`.
//!
//! A word of a text, an argument that is only read and the target of a redirection are no such files: the agent may write
//! them, and is often told to.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat, Syntax, Variable};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::follow::Following;
use super::named::below;
use super::plugin;

/// The most files that one package may pin: each costs a read at each event.
const MOST_FILES: usize = 2000;
/// Names of the package root in a command, of ours and of the hosts.
const ROOTS: &[&str] = &["PACKAGE_ROOT", "PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];
/// Keys whose text runs, beside those of the hosts' own files.
const LINES: &[&str] = &[
    "command",
    "bash",
    "exec",
    "powershell",
    "linux",
    "osx",
    "windows",
    "macos",
    "run",
    "script",
];

/// Returns the package root: the directory that holds the folder of `<root>/hooks/hooks.json` or
/// `<root>/.anyhook/hooks.json`, the project of a host's own file or the plugin that it belongs to, the plugin of Claude Code
/// whose description names the file, else the manifest's own directory.
///
/// ```
/// use anyhook_engine::trust::package_root;
/// assert_eq!(package_root("p/hooks/hooks.json".as_ref()), std::path::Path::new("p"));
/// assert_eq!(package_root("p/.anyhook/hooks.json".as_ref()), std::path::Path::new("p"));
/// assert_eq!(package_root("p/hooks/hooks.local.json".as_ref()), std::path::Path::new("p"));
/// assert_eq!(package_root("p/.claude/settings.json".as_ref()), std::path::Path::new("p"));
/// assert_eq!(package_root("p/my/rules.json".as_ref()), std::path::Path::new("p/my"));
/// ```
pub fn package_root(manifest: &Path) -> PathBuf {
    if let Some(package) = NativeFormat::package_of(manifest) {
        return package;
    }
    let dir = manifest.parent().unwrap_or(Path::new(""));
    let name = manifest.file_name();
    let is_one_of =
        |names: [&str; 2], name: Option<&OsStr>| names.map(OsStr::new).map(Some).contains(&name);
    let is_packaged = is_one_of(["hooks.json", "hooks.local.json"], name)
        && is_one_of([".anyhook", "hooks"], dir.file_name());
    let root = match dir.parent() {
        Some(root) if is_packaged => root,
        Some(_) | None if let Some(plugin) = plugin::root_of(manifest) => return plugin,
        Some(_) | None => dir,
    };
    if root.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        root.to_owned()
    }
}

/// Returns the scripts of a manifest, as paths below the root.
///
/// A command line is looked for under every name that a host gives it, at whatever depth it stands: a host's own files have
/// forms of their own.
pub fn scripts(manifest: &[u8], root: &Path) -> Result<Vec<PathBuf>, String> {
    let text = str::from_utf8(manifest).map_err(|error| error.to_string())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let parsed = match parsed {
        Ok(parsed) => parsed,
        // Some hosts keep their hooks in TOML: its strings are looked at like those of JSON.
        Err(error) => {
            let json = Syntax::Toml
                .as_json(text)
                .ok_or_else(|| error.to_string())?;
            return scripts(json.to_string().as_bytes(), root);
        }
    };
    let mut executed = Executed::default();
    if let Some(value) = &parsed.value {
        executed.collect(value);
    }
    let bases = executed.dirs.iter().map(String::as_str).chain([""]);
    let bases: Vec<PathBuf> = bases.filter_map(|dir| below(root, "", dir)).collect();
    let mut following = Following::new(root);
    for line in &executed.lines {
        following.line(line, &bases);
    }
    for call in &executed.calls {
        following.call(call, &bases);
    }
    for (name, value) in &executed.variables {
        following.variable(name, value, &bases);
    }
    let mut found = following.all(MOST_FILES);
    walk(root, &mut found)?;
    let decides = plugin::decides(root, text).filter(|file| file.is_file());
    found.extend(decides.and_then(|file| below(root, "", &file.to_string_lossy())));
    if found.len() > MOST_FILES {
        return Err(format!("it runs more than {MOST_FILES} files"));
    }
    Ok(found.into_iter().collect())
}

/// What a manifest executes, as it stands there.
#[derive(Default)]
struct Executed {
    lines: BTreeSet<String>,
    /// Programs with their arguments.
    calls: BTreeSet<Vec<String>>,
    variables: BTreeSet<(String, String)>,
    dirs: BTreeSet<String>,
}

impl Executed {
    fn collect(&mut self, value: &Value<'_>) {
        match value {
            Value::Array(list) => list.elements.iter().for_each(|value| self.collect(value)),
            Value::Object(object) => self.object(object),
            Value::StringLit(_)
            | Value::NumberLit(_)
            | Value::BooleanLit(_)
            | Value::NullKeyword(_) => {}
        }
    }

    fn object(&mut self, object: &Object<'_>) {
        let args = object.get_array("args").map(|args| strings(&args.elements));
        for property in &object.properties {
            let key = property.name.as_str();
            match &property.value {
                Value::StringLit(dir) if FORMATS.iter().any(|format| format.cwd == key) => {
                    self.dirs.insert(rooted(&dir.value));
                }
                Value::StringLit(text) if is_line(key) => match &args {
                    Some(args) => {
                        let all = std::iter::once(rooted(&text.value)).chain(args.iter().cloned());
                        self.calls.insert(all.collect());
                    }
                    None => drop(self.lines.insert(rooted(&text.value))),
                },
                Value::Array(call) if is_line(key) => {
                    self.calls.insert(strings(&call.elements));
                    self.collect(&property.value);
                }
                Value::Object(env) if key == "env" => {
                    let set = env.properties.iter().filter_map(|set| {
                        let value = set.value.as_string_lit()?;
                        Some((set.name.as_str().to_owned(), rooted(&value.value)))
                    });
                    self.variables.extend(set);
                }
                value => self.collect(value),
            }
        }
        // What one system has otherwise may be its arguments alone: each of them may be what runs.
        if let (Some(args), false) = (
            args,
            object
                .properties
                .iter()
                .any(|one| is_line(one.name.as_str())),
        ) {
            self.calls.extend(args.into_iter().map(|arg| vec![arg]));
        }
    }
}

fn is_line(key: &str) -> bool {
    LINES.contains(&key) || FORMATS.iter().any(|format| format.commands.contains(&key))
}

fn strings(list: &[Value<'_>]) -> Vec<String> {
    let texts = list.iter().filter_map(|value| value.as_string_lit());
    texts.map(|text| rooted(&text.value)).collect()
}

/// Writes the root in the place of the variables that name it.
pub(super) fn rooted(line: &str) -> String {
    if !line.contains('$') {
        return line.to_owned();
    }
    let is_root = |variable: &Variable| matches!(variable, Variable::Project | Variable::Package);
    let variables = FORMATS.iter().flat_map(|format| format.variables);
    let natives = variables.filter(|(_, variable)| is_root(variable));
    let names = ROOTS.iter().copied().chain(natives.map(|(name, _)| *name));
    names.fold(line.to_owned(), |line, name| {
        let line = line.replace(&format!("${{{name}}}"), ".");
        let variable = format!("${name}");
        let mut parts = line.split(&variable);
        let mut rooted = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let goes_on = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            rooted.push_str(if goes_on { "$" } else { "." });
            rooted.push_str(if goes_on { name } else { "" });
            rooted.push_str(part);
        }
        rooted
    })
}

/// Adds everything below `hooks/scripts`. A linked directory counts as a file of its own, and so do the files behind it.
fn walk(root: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    let top = PathBuf::from("hooks/scripts");
    if root.join(&top).symlink_metadata().is_err() {
        return Ok(());
    }
    let mut visited = BTreeSet::new();
    let mut open = vec![top];
    while let Some(path) = open.pop() {
        let full = root.join(&path);
        let is_link = full.is_symlink();
        if is_link || !full.is_dir() {
            found.insert(path.clone());
        }
        let real = full.canonicalize().ok().filter(|real| real.is_dir());
        let Some(real) = real.filter(|real| real.starts_with(root)) else {
            continue;
        };
        if !visited.insert(real) {
            continue;
        }
        let told = |error: std::io::Error| format!("`{}`: {error}", path.display());
        for entry in full.read_dir().map_err(told)? {
            open.push(path.join(entry.map_err(told)?.file_name()));
        }
        if found.len() + open.len() > MOST_FILES {
            return Err(format!(
                "`hooks/scripts` holds more than {MOST_FILES} files"
            ));
        }
    }
    Ok(())
}
