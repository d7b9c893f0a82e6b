//! Which files belong to a manifest: every file below the package root that it names, and `hooks/scripts/**`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat, Syntax, Variable};
use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The most files that one package may pin: each costs a read at each event.
const MOST_FILES: usize = 2000;
/// Names of the package root in a command, of ours and of the hosts.
const ROOTS: &[&str] = &[
    "${PACKAGE_ROOT}",
    "$PACKAGE_ROOT",
    "${PROJECT_DIR}",
    "$PROJECT_DIR",
    "${CLAUDE_PLUGIN_ROOT}",
    "$CLAUDE_PLUGIN_ROOT",
];
/// Keys whose text is for people, for models or for matching, and names nothing that runs.
const WORDS: &[&str] = &[
    "$schema",
    "comment",
    "description",
    "if",
    "matcher",
    "message",
    "name",
    "prompt",
    "reason",
    "statusMessage",
    "status-message",
    "title",
    "when",
];

/// Returns the package root: the directory that holds the folder of `<root>/hooks/hooks.json` or
/// `<root>/.anyhook/hooks.json`, the project of a host's own file or the plugin that it belongs to, else the manifest's own
/// directory.
///
/// ```
/// use anyhook::trust::package_root;
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
/// Every string of the manifest that is not one for people or for matching is looked at as a command line, whatever its
/// key is called: a host's own files have other keys, and a script that is pinned too many costs nothing.
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
    let mut strings = Strings::default();
    if let Some(value) = &parsed.value {
        strings.collect(value);
    }
    let mut found = BTreeSet::new();
    let bases = strings.dirs.iter().map(String::as_str).chain([""]);
    let bases: Vec<PathBuf> = bases.filter_map(|dir| below(root, "", dir)).collect();
    for word in strings.lines.iter().flat_map(|line| words(line)) {
        for base in &bases {
            let path = below(root, base, &word);
            found.extend(path.filter(|path| is_file(&root.join(path))));
        }
    }
    walk(root, &mut found)?;
    if found.len() > MOST_FILES {
        return Err(format!("it names more than {MOST_FILES} files"));
    }
    Ok(found.into_iter().collect())
}

#[derive(Default)]
struct Strings {
    lines: BTreeSet<String>,
    dirs: BTreeSet<String>,
}

impl Strings {
    fn collect(&mut self, value: &Value<'_>) {
        match value {
            Value::StringLit(text) => {
                self.lines.insert(rooted(&text.value));
            }
            Value::Array(list) => list.elements.iter().for_each(|value| self.collect(value)),
            Value::Object(object) => {
                for property in &object.properties {
                    let key = property.name.as_str();
                    let is_folder = FORMATS.iter().any(|format| format.cwd == key);
                    if let (true, Value::StringLit(dir)) = (is_folder, &property.value) {
                        self.dirs.insert(rooted(&dir.value));
                    } else if !(WORDS.contains(&key) && property.value.as_string_lit().is_some()) {
                        self.collect(&property.value);
                    }
                }
            }
            Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {}
        }
    }
}

fn rooted(line: &str) -> String {
    if !line.contains('$') {
        return line.to_owned();
    }
    let is_root = |variable: &Variable| matches!(variable, Variable::Project | Variable::Package);
    let variables = FORMATS.iter().flat_map(|format| format.variables);
    let natives = variables.filter(|(_, variable)| is_root(variable));
    let line = ROOTS
        .iter()
        .fold(line.to_owned(), |line, name| line.replace(name, "."));
    natives.fold(line, |line, (name, _)| {
        let line = line.replace(&format!("${{{name}}}"), ".");
        line.replace(&format!("${name}"), ".")
    })
}

/// Takes a command line apart in every way in which a file may be named in it.
fn words(line: &str) -> BTreeSet<String> {
    let is_between = |c: char| c.is_whitespace() || ";|&<>()=,:'\"`{}".contains(c);
    let bare: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
    let mut words: BTreeSet<String> = [line.to_owned(), bare.clone()].into();
    let split = shlex::split(line).unwrap_or_default();
    words.extend(
        split
            .iter()
            .map(|word| word.trim_matches(is_between).into()),
    );
    words.extend(line.split(['"', '\'']).map(str::to_owned));
    words.extend(line.split(is_between).map(str::to_owned));
    words.extend(bare.split(is_between).map(str::to_owned));
    let options: Vec<String> = words
        .iter()
        .filter(|word| word.starts_with(['-', '@']))
        .flat_map(|word| [word.get(1..), word.get(2..)])
        .flatten()
        .map(str::to_owned)
        .collect();
    words.extend(options);
    words.remove("");
    words
}

/// Returns the path below the root that a word means, if it stays there.
fn below(root: &Path, base: impl AsRef<Path>, word: &str) -> Option<PathBuf> {
    if word.contains('\0') {
        return None;
    }
    let word = Path::new(word);
    let word = match word.strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        Err(_) if word.is_absolute() => return None,
        Err(_) => base.as_ref().join(word),
    };
    let mut path = PathBuf::new();
    for part in word.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Anything but a directory: what a link leads to is looked at when it is pinned.
fn is_file(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => !path.is_dir(),
        Ok(meta) => !meta.is_dir(),
        Err(_) => false,
    }
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
