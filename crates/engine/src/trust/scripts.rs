//! What a manifest runs: every file below the package root that it executes, what those source and import, and everything in
//! its folder of hooks.
//!
//! A word of a text, an argument that is only read and the target of a redirection are no such files: the agent may write
//! them, and is often told to.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat, Syntax, VariableContent};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::follow::{FileFollower, FileOrigin, FollowedFiles, below};
use super::names::{PACKAGE, PROJECT, marked};
use super::place::name_of;
use super::plugin;
use super::tree::PackageTree;
use crate::files;
use crate::lists::LINE_KEYS;

/// Where a project or a plugin describes its MCP servers, below its root.
pub(crate) const SERVERS: &str = ".mcp.json";
/// The most files that one package may pin: each costs a read at each event.
const MOST_FILES: usize = 2000;
/// Names of the roots of the package and of the project in a command; those of the hosts stand in their rows.
const ROOTS: &[(&str, FileOrigin)] = &[
    ("PACKAGE_ROOT", FileOrigin::Copy),
    ("CLAUDE_PLUGIN_ROOT", FileOrigin::Copy),
    ("PROJECT_ROOT", FileOrigin::Live),
    ("PROJECT_DIR", FileOrigin::Live),
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
    let is_one = |path: &Path, names: &[&str]| {
        let name = path.file_name();
        names.iter().any(|one| name == Some(OsStr::new(one)))
    };
    let is_packaged = is_one(manifest, MANIFESTS) && is_one(dir, &[".anyhook", "hooks"]);
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
    let followed = followed(manifest, &PackageTree::new(root.to_owned()), str::to_owned)?;
    Ok(followed.files.into_iter().collect())
}

/// Follows a manifest, each command line of it as `line` writes it.
pub(super) fn followed(
    manifest: &[u8],
    tree: &PackageTree,
    line: impl Fn(&str) -> String,
) -> Result<FollowedFiles, String> {
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
            return followed(json.to_string().as_bytes(), tree, line);
        }
    };
    let mut executed = ExecutedScripts {
        line: &line,
        lines: [BTreeSet::new(), BTreeSet::new()],
        dirs: BTreeSet::from([String::new()]),
        calls_tools: false,
    };
    if let Some(value) = &parsed.value {
        executed.collect(value);
    }
    let root = &*tree.root;
    let servers = executed.add_servers(tree)?;
    let dirs = executed.dirs.iter();
    let folders: Vec<PathBuf> = dirs.filter_map(|dir| below(root, "", dir)).collect();
    let mut following = FileFollower::new(tree);
    for (lines, is_guard) in executed.lines.iter().zip([true, false]) {
        following.lines(lines, &folders, is_guard);
    }
    let mut own = BTreeSet::new();
    // What is new in its folder is not in the copy, and runs only where something names it.
    let tops = tops(tree, text).into_iter();
    for top in tops.filter(|_| tree.copy.is_none()) {
        own.extend(walk(tree, &top, &|path| is_apart(&top, path))?);
    }
    for file in &own {
        following.add(file, FileOrigin::Copy);
    }
    let mut followed = following.all(MOST_FILES);
    followed.files.extend(own);
    tree.touch(Path::new(plugin::DESCRIPTION));
    let decides = plugin::decides(root, text);
    let decides = decides.and_then(|file| below(root, "", &file.to_string_lossy()));
    followed.files.extend(decides.into_iter().chain(servers));
    if followed.files.len() > MOST_FILES {
        return Err(format!("it runs more than {MOST_FILES} files"));
    }
    Ok(followed)
}

/// What a manifest executes, as it stands there.
struct ExecutedScripts<'l> {
    /// How a line is written.
    line: &'l dyn Fn(&str) -> String,
    /// Command lines of guards, and of other hooks, with variables that no copy stands in for.
    lines: [BTreeSet<String>; 2],
    dirs: BTreeSet<String>,
    /// Whether a hook calls a tool of a server that the agent's configuration describes.
    calls_tools: bool,
}

impl ExecutedScripts<'_> {
    /// Adds what the description of servers starts, where a hook calls a tool of one, and returns its name below the root.
    fn add_servers(&mut self, tree: &PackageTree) -> Result<Option<PathBuf>, String> {
        if !self.calls_tools || !tree.is_file(Path::new(SERVERS)) {
            return Ok(None);
        }
        let text = files::read_document(&tree.root.join(SERVERS))?;
        let text = String::from_utf8_lossy(&text);
        let parsed = parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
        // What is no JSON describes no server, and the call of a tool says so.
        if let Some(value) = parsed.ok().and_then(|parsed| parsed.value) {
            self.collect(&value);
        }
        Ok(Some(PathBuf::from(SERVERS)))
    }

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
        let is_guard = object.get_boolean("guard").is_some_and(|guard| guard.value);
        let args = object.get_array("args");
        let args = args.map_or_else(String::new, |args| self.words(args));
        let mut lines = vec![args.clone()];
        for property in &object.properties {
            let key = property.name.as_str();
            match &property.value {
                Value::StringLit(dir) if FORMATS.iter().any(|format| format.cwd == key) => {
                    let dir = marked(&dir.value, &BTreeSet::new());
                    self.dirs.insert(dir.replace([PACKAGE, PROJECT], "."));
                }
                Value::StringLit(kind) if key == "type" && kind.value == "mcp_tool" => {
                    self.calls_tools = true;
                }
                Value::StringLit(text) if is_line(key) => {
                    lines.push((self.line)(&text.value) + &args);
                }
                Value::Array(call) if is_line(key) => {
                    lines.push(self.words(call));
                    self.collect(&property.value);
                }
                Value::Object(env) if key == "env" => {
                    for set in &env.properties {
                        let value = set.value.as_string_lit().map(|text| &*text.value);
                        let value = value.unwrap_or_default();
                        lines.push(format!("{}=\"{value}\"", set.name.as_str()));
                    }
                }
                value => self.collect(value),
            }
        }
        let [guards, others] = &mut self.lines;
        if is_guard { guards } else { others }.extend(lines);
    }

    /// Writes a program and its arguments, or these alone, as a line.
    fn words(&self, list: &Array<'_>) -> String {
        let texts = list
            .elements
            .iter()
            .filter_map(|value| value.as_string_lit());
        let texts = texts.map(|text| (self.line)(&text.value));
        texts.fold(String::new(), |line, text| line + " \"" + &text + "\"")
    }
}

fn is_line(key: &str) -> bool {
    LINE_KEYS.contains(&key)
        || FORMATS
            .iter()
            .any(|format| format.commands.iter().any(|(field, _)| *field == key))
}

/// The variables that name the root of a package or of a project, of ours and of the hosts.
pub(super) fn roots() -> impl Iterator<Item = (&'static str, FileOrigin)> {
    let variables = FORMATS.iter().flat_map(|format| format.variables);
    let natives = variables.filter_map(|(name, variable)| match variable {
        VariableContent::Project => Some((*name, FileOrigin::Live)),
        VariableContent::Package => Some((*name, FileOrigin::Copy)),
        VariableContent::Cwd | VariableContent::Session | VariableContent::Text(_) => None,
    });
    ROOTS.iter().copied().chain(natives)
}

/// Returns the folders of which everything belongs to a manifest: the one that a manifest of ours stands in, and those of an
/// agent that it names.
fn tops(tree: &PackageTree, named: &str) -> Vec<PathBuf> {
    let mut ours = MANIFESTS.iter().map(|name| Path::new("hooks").join(name));
    let is_ours = ours.any(|manifest| tree.is_file(&manifest));
    let own = if is_ours { "hooks" } else { "hooks/scripts" };
    let files = FORMATS.iter().flat_map(|format| format.files);
    let agents = files.filter_map(|file| file.split_once('/'));
    let agents = agents.map(|(folder, _)| format!("{folder}/hooks"));
    let named = agents.filter(|folder| named.contains(&format!("{folder}/")));
    let all: BTreeSet<String> = named.chain([own.to_owned()]).collect();
    all.into_iter().map(PathBuf::from).collect()
}

/// The names of manifests, each of which is trusted for itself.
const MANIFESTS: &[&str] = &["hooks.json", "hooks.local.json"];

/// Tells whether a file of a folder of hooks runs with none of them: a manifest, or the cases of `anyhook test`.
fn is_apart(top: &Path, path: &Path) -> bool {
    let name = path.strip_prefix(top).unwrap_or(path);
    let is_manifest = MANIFESTS.iter().any(|manifest| name == Path::new(manifest));
    is_manifest || name == Path::new("tests") || NativeFormat::of_file(path).is_some()
}

/// Returns everything below a folder but what is left out. A linked directory counts as a file of its own, and so do the files
/// behind it.
pub(super) fn walk(
    tree: &PackageTree,
    top: &Path,
    is_left: &dyn Fn(&Path) -> bool,
) -> Result<BTreeSet<PathBuf>, String> {
    let (mut found, mut visited) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![top.to_owned()];
    let is_link = tree.own_meta(top).is_some_and(|own| own.is_symlink());
    if is_link || tree.meta(top).is_some_and(|meta| !meta.is_dir()) {
        found.insert(top.to_owned());
    }
    while let Some(folder) = open.pop() {
        let is_folder = tree.is_folder(&folder);
        let real = tree.inside(&folder).filter(|_| is_folder);
        if !real.is_some_and(|real| visited.insert(real)) {
            continue;
        }
        let told = |error: std::io::Error| format!("`{}`: {error}", name_of(&folder));
        for entry in tree.entries(&folder).map_err(told)? {
            let entry = entry.map_err(told)?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type());
            if is_left(&path) {
                continue;
            }
            let kind = kind.map_err(told)?;
            if kind.is_dir() || kind.is_symlink() {
                open.push(path.clone());
            }
            if !kind.is_dir() {
                found.insert(path);
            }
        }
        if found.len() + open.len() > MOST_FILES {
            let what = if top == Path::new("") {
                "the package".into()
            } else {
                format!("`{}`", name_of(top))
            };
            return Err(format!("{what} holds more than {MOST_FILES} files"));
        }
    }
    Ok(found)
}
