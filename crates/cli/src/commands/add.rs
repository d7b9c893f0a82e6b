//! `anyhook add`: puts known rules into a hooks.json, and leaves the rest of the file as it is.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhook::core::event::EventName;
use anyhook::core::hook::Hook;
use anyhook::files::digest;
use anyhook::load::{self, Layer};
use anyhook::packages::{LockedPackage, Packages};
use anyhook::text::word;
use anyhook::wires::native_files::Syntax;
use anyhook::world::World;
use clap::Args;
use jsonc_parser::cst::{CstArray, CstObject};
use serde_json::{Value, json};

use super::{CommandSpec, remove, update};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::manifest;
use crate::packages::{self, PackageSource};
use crate::person;
use crate::ui::{self, paint};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("add", AddArgs, run);

/// The rules that everybody has: those of `docs/rules.md`, which are tested as a package.
const RULES: &str = include_str!("../../../../examples/rules/hooks/hooks.json");

/// The packs: rules about one thing, each a folder `packs/NAME` with the cases that test it.
const PACKS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The longest text that a rule of `--deny` looks for.
const MOST_LETTERS: usize = 200;

/// One known rule.
#[derive(Clone)]
pub(super) struct KnownRule {
    /// Its name.
    pub name: String,
    event: String,
    matcher: Option<String>,
    hook: Value,
}

/// Rules about one thing, which are added together.
struct Pack {
    name: &'static str,
    about: &'static str,
    /// The names of known rules that belong to it.
    with: Vec<String>,
    rules: Vec<KnownRule>,
}

impl Pack {
    /// Returns its rules, with those that everybody has.
    fn all(&self) -> impl Iterator<Item = &KnownRule> {
        let known = known().iter().filter(|rule| self.with.contains(&rule.name));
        known.chain(&self.rules)
    }
}

/// List the rules and packs, or add one (such as no-force-push)
#[derive(Args)]
#[command(after_help = include_str!("help/add.txt"))]
pub(super) struct AddArgs {
    /// The rules and packs to add, or one package: a folder, a repository, or guardrails [default: list all]
    #[arg(num_args = 0..)]
    pub(super) rule: Vec<String>,
    /// Also add a rule that refuses every call with these words in it; may be given several times
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["update", "remove"])]
    deny: Vec<String>,
    /// Add it for all your projects
    #[arg(long)]
    pub(super) user: bool,
    /// The minisign key that has to sign the package, now and at each update
    #[arg(long, value_name = "KEY", conflicts_with_all = ["update", "remove"])]
    key: Option<String>,
    /// Update packages that you added [default: all]; each one that changed has to be trusted again; =try: change nothing
    #[arg(long, value_name = "HOW", value_parser = ["try", "write"], num_args = 0..=1, require_equals = true, default_missing_value = "write", hide_possible_values = true, overrides_with = "update")]
    pub(super) update: Option<String>,
    /// Remove a package that you added, its line in anyhook.lock, and your trust in it
    #[arg(long, conflicts_with = "update")]
    remove: bool,
    /// With --update and --remove: even if files were changed by hand; the changes are lost
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) form: JsonFlag,
}

impl AddArgs {
    /// Tells whether an update only shows what would change.
    pub(super) fn is_try(&self) -> bool {
        self.update.as_deref() == Some("try")
    }
}

/// No package has this name. That of a rule or a pack is told as one: its rules stand in the file of hooks.
pub(super) fn no_package(name: &str, packages: &Packages) -> CliError {
    let problem = packages::problem(packages.unknown(name));
    let is_rule = known().iter().any(|rule| rule.name == name);
    if !is_rule && packs().iter().all(|pack| pack.name != name) {
        return problem;
    }
    problem.help(format!(
        "`{name}` adds rules and is no package: take them out of the hooks.json, or switch each off: anyhook list off NAME"
    ))
}

fn run(args: &AddArgs) -> Result<Exit, CliError> {
    if args.update.is_some() {
        return update::run(args);
    }
    if args.remove {
        return match &*args.rule {
            [name] => remove::run(name, args),
            _ => Err(
                CliError::new(Exit::Usage, "one package is removed at a time")
                    .help("anyhook add --remove NAME"),
            ),
        };
    }
    let all = known();
    let names: Vec<&String> = args.rule.iter().collect();
    if names.is_empty() && args.deny.is_empty() {
        let packed = packs().iter().flat_map(|pack| {
            let of_pack = |rule| as_json(rule, Some(pack.name));
            pack.rules.iter().map(of_pack)
        });
        let alone = all.iter().map(|rule| as_json(rule, None));
        let every: Vec<Value> = alone.chain(packed).collect();
        return args.form.say(&every, |_| table(all));
    }
    let is_package = |name: &&&String| packages::is_source(name);
    if let Some(package) = names.iter().find(is_package) {
        if names.len() > 1 {
            let what = format!("`{package}` is a package, and packages are added one by one");
            return Err(CliError::new(Exit::Usage, what));
        }
        return add_package(package, args);
    }
    if args.key.is_some() {
        let what = "`--key` is for a package, and a rule has none";
        let help = "the path of a package has a slash in it: anyhook add ./FOLDER";
        return Err(CliError::new(Exit::Usage, what).help(help));
    }
    let found = names.iter().map(|name| named(name));
    let found: Vec<Vec<&KnownRule>> = found.collect::<Result<_, _>>()?;
    let denied = args.deny.iter().map(|text| KnownRule::denying(text));
    let denied: Vec<KnownRule> = denied.collect::<Result<_, _>>()?;
    let mut rules: Vec<&KnownRule> = Vec::new();
    for rule in found.into_iter().flatten().chain(&denied) {
        if !rules.iter().any(|known| known.name == rule.name) {
            rules.push(rule);
        }
    }
    let world = World::real();
    let (file, layer) = target(args, &world)?;
    let added = add(&file, &rules)?;
    let Additions { new, other } = &added;
    let names_of =
        |rules: &[&KnownRule]| rules.iter().map(|rule| json!(rule.name)).collect::<Value>();
    let told =
        json!({"file": file.to_string_lossy(), "added": names_of(new), "others": names_of(other)});
    args.form.say(&told, |_| {
        let file = file.strip_prefix(&world.cwd).unwrap_or(&file);
        page(file, layer, &rules, &added)
    })?;
    for rule in other {
        let what = format!(
            "`{}` was not added: `{}` has another hook of that name",
            rule.name,
            ui::path(&file)
        );
        let problem = CliError::new(Exit::Negative, what);
        ui::problem(&problem.help("rename that hook, or remove it, and add the rule again"));
    }
    for name in names.iter().filter(|name| Path::new(name).is_dir()) {
        let path = word(&format!("./{name}"));
        ui::err(&format!(
            "`{name}` is a rule and a folder too; to add the folder: anyhook add {path}\n"
        ));
    }
    Ok(Exit::from(other.is_empty()))
}

/// Finds the rules of this name: those of a pack, or one.
fn named(name: &str) -> Result<Vec<&'static KnownRule>, CliError> {
    if let Some(pack) = packs().iter().find(|pack| pack.name == name) {
        return Ok(pack.all().collect());
    }
    let packed = packs().iter().flat_map(|pack| &pack.rules);
    if let Some(rule) = known().iter().chain(packed).find(|rule| rule.name == name) {
        return Ok(vec![rule]);
    }
    let names = known().iter().map(|rule| &*rule.name);
    let names = names.chain(packs().iter().map(|pack| pack.name));
    let problem = CliError::unknown("rule or pack", name, names);
    Err(if Path::new(name).is_dir() {
        let folder = word(&format!("./{name}"));
        problem.help(format!("to add the folder: anyhook add {folder}"))
    } else {
        problem.or_help("all known rules and packs: anyhook add".to_owned())
    })
}

/// Copies a package into the packages of this project, or of the person.
fn add_package(source: &str, args: &AddArgs) -> Result<Exit, CliError> {
    person::no_agent_above("anyhook add")?;
    let world = World::real();
    let packages = packages::of(args.user, &world)?;
    let PackageSource { tree, name, locked } =
        packages::read(source, &world.cwd, &packages, &world)?;
    let locked = LockedPackage {
        key: args.key.clone(),
        ..locked
    };
    let added = packages.add(&name, tree, locked.clone());
    let added = added.map_err(packages::problem)?;
    let facts = json!({
        "name": added.name, "files": added.files, "manifests": added.manifests, "source": locked.source,
        "revision": locked.revision,
    });
    args.form.say(&facts, |_| {
        format!(
            "{}  {} to {}: {} from {}\n\n{}",
            paint(ui::PASS, "added"),
            added.name,
            packages::shown(&packages.folder().join(&added.name), &world),
            ui::many(added.files, "file"),
            packages::from(&locked.source, locked.revision.as_deref()),
            packages::now_trust(&added.manifests, &world),
        )
    })
}

/// Returns the known rules.
pub(super) fn known() -> &'static [KnownRule] {
    static KNOWN: LazyLock<Vec<KnownRule>> = LazyLock::new(|| read(RULES));
    &KNOWN
}

/// Returns the packs.
fn packs() -> &'static [Pack] {
    static READ: LazyLock<Vec<Pack>> = LazyLock::new(|| {
        let packs = PACKS.iter().filter_map(|(file, text)| {
            let name = file.strip_suffix("/hooks.json")?;
            let about = text.lines().next()?.trim_start_matches("// ");
            let with = Syntax::Json.as_json(text).unwrap_or_default();
            let with = with.get("with").and_then(Value::as_array).cloned();
            let with = with.unwrap_or_default().into_iter();
            Some(Pack {
                name,
                about: about.trim_end_matches('.'),
                with: with
                    .filter_map(|name| Some(name.as_str()?.to_owned()))
                    .collect(),
                rules: read(text),
            })
        });
        packs.collect()
    });
    &READ
}

pub(super) fn read(text: &str) -> Vec<KnownRule> {
    let package = Syntax::Json.as_json(text).unwrap_or_default();
    let events = package.get("hooks").and_then(Value::as_object);
    let mut all = Vec::new();
    for (event, groups) in events.into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let hooks = group.get("hooks").and_then(Value::as_array);
            all.extend(hooks.into_iter().flatten().filter_map(|hook| {
                Some(KnownRule {
                    name: hook.get("name")?.as_str()?.to_owned(),
                    event: event.clone(),
                    matcher: group
                        .get("matcher")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                    hook: hook.clone(),
                })
            }));
        }
    }
    all
}

impl KnownRule {
    /// Makes a rule that refuses every call with these words in it.
    fn denying(text: &str) -> Result<Self, CliError> {
        let text = text.trim();
        let is_odd = text.contains(char::is_control);
        if text.is_empty() || is_odd || text.chars().count() > MOST_LETTERS {
            let what = format!(
                "`--deny` takes a line of 1 to {MOST_LETTERS} letters, which a call must not hold"
            );
            return Err(CliError::new(Exit::Usage, what).help("anyhook add --deny 'DROP TABLE'"));
        }
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(6).collect();
        let mut name = format!("no-{}", words.join("-"));
        // Another text with the same words, and a known rule of that name, are other rules.
        if words.join(" ") != lower || known().iter().any(|rule| rule.name == name) {
            let digest = digest(text.as_bytes());
            name = format!(
                "{}-{}",
                name.trim_end_matches('-'),
                digest.get(..4).unwrap_or_default()
            );
        }
        let quoted = text.replace('\\', "\\\\").replace('\'', "\\'");
        let said = text.replace("{{", "{ {");
        Ok(Self {
            hook: json!({
                "name": name, "type": "rule", "when": format!("mentions('{quoted}')"),
                "then": {"deny": format!("Rule {name}: `{said}` is not wanted here. Do it in another way, or ask the user to run it.")},
            }),
            name,
            event: "pre-tool-use".to_owned(),
            matcher: None,
        })
    }

    /// Tells whether a hook of a file is this rule: what it says may be in other words.
    fn is(&self, hook: &Hook) -> bool {
        let when = self.hook.get("when").and_then(Value::as_str);
        *hook.info.name == *self.name && hook.condition.as_deref() == when
    }

    /// The verdict, and the first sentence of what it says.
    fn says(&self) -> (&str, &str) {
        let then = self.hook.get("then").and_then(Value::as_object);
        let first = then.and_then(|then| then.iter().next());
        let (verdict, text) = first.map_or(("", ""), |(verdict, text)| {
            // What has no text of its own is a snapshot.
            let kept = "what the action may destroy is kept before it";
            (verdict.as_str(), text.as_str().unwrap_or(kept))
        });
        let text = text.strip_prefix("Rule ").unwrap_or(text);
        let text = text.strip_prefix(&*self.name).unwrap_or(text);
        let text = text.trim_start_matches(": ");
        let end = text.find(". ").or_else(|| text.find(": {{"));
        (
            verdict,
            end.map_or(text, |end| text.get(..end).unwrap_or(text)),
        )
    }

    fn group(&self) -> Value {
        match &self.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": [self.hook]}),
            None => json!({"hooks": [self.hook]}),
        }
    }
}

fn table(all: &[KnownRule]) -> String {
    let rules = all.iter().map(|rule| {
        let (verdict, says) = rule.says();
        [&*rule.name, verdict, says].map(str::to_owned)
    });
    let packs = packs().iter().map(|pack| {
        let rules = pack.all().count().to_string();
        [pack.name, &rules, pack.about].map(str::to_owned)
    });
    let rules = ui::table("rule|says|about", rules);
    let packs = ui::table("pack|rules|about", packs);
    format!(
        "{rules}\n{packs}\nanyhook add NAME         writes a rule or a pack into this project\n\
         anyhook add --user NAME  writes it for all your projects\n\
         anyhook add guardrails   adds a whole package of guards, which is in the program\n"
    )
}

fn as_json(rule: &KnownRule, pack: Option<&str>) -> Value {
    let (verdict, _) = rule.says();
    json!({
        "name": rule.name, "event": rule.event, "matcher": rule.matcher, "verdict": verdict, "hook": rule.hook, "pack": pack,
    })
}

/// Finds the file to write: the person's own, else that of this project, else a new one here.
fn target(args: &AddArgs, world: &World) -> Result<(PathBuf, Layer), CliError> {
    if args.user {
        // It needs no trust, so an agent must not write it.
        person::no_agent_above("anyhook add --user")?;
        return Ok((crate::error::places(world)?.user_manifest(), Layer::User));
    }
    let here = std::slice::from_ref(&world.cwd);
    let found = load::find(world, here, "", None).into_iter();
    let mut found = found.filter(|found| found.layer == Layer::Project);
    let file = found.next().map(|found| found.file);
    let file = file.unwrap_or_else(|| world.cwd.join("hooks/hooks.json"));
    Ok((file, Layer::Project))
}

/// What became of rules that a file did not have.
#[derive(Default)]
struct Additions<'k> {
    /// Those that it has now.
    new: Vec<&'k KnownRule>,
    /// Those of which it has the name, for another hook.
    other: Vec<&'k KnownRule>,
}

/// Writes the rules that the file does not have yet.
fn add<'k>(file: &Path, rules: &[&'k KnownRule]) -> Result<Additions<'k>, CliError> {
    let mut added = Additions::default();
    manifest::edit(file, |there, top| {
        let there = load::hooks(there, file);
        for rule in rules {
            let is_named = |hook: &Hook| *hook.info.name == *rule.name;
            if !there.iter().any(is_named) {
                added.new.push(rule);
            } else if !there.iter().any(|hook| rule.is(hook)) {
                added.other.push(rule);
            }
        }
        append(top, &added.new)
    })?;
    Ok(added)
}

/// Puts rules by their names into the text of a manifest: what `init` begins with. `unknown` is what they do where they hold
/// only because of what is not known of the call.
pub(super) fn with_known(
    text: &str,
    names: &[&str],
    unknown: Option<&str>,
) -> Result<String, CliError> {
    let is_named = |rule: &&KnownRule| names.contains(&&*rule.name);
    let rules = known().iter().filter(is_named).cloned();
    let rules: Vec<KnownRule> = rules
        .map(|mut rule| {
            if let (Some(way), Some(hook)) = (unknown, rule.hook.as_object_mut()) {
                hook.insert("when unknown".to_owned(), way.into());
            }
            rule
        })
        .collect();
    with(text, &rules)
}

/// Puts rules into the text of a manifest.
pub(super) fn with(text: &str, rules: &[KnownRule]) -> Result<String, CliError> {
    let text = manifest::changed(text, |top| append(top, &rules.iter().collect::<Vec<_>>()));
    text.ok_or_else(|| CliError::new(Exit::Software, "the first rules cannot be written"))
}

/// Puts a group for each rule at the end of the list of its event.
fn append(top: &CstObject, rules: &[&KnownRule]) -> Option<bool> {
    let hooks = top.object_value_or_create("hooks")?;
    for rule in rules {
        let list = list_of(&hooks, &rule.event)?;
        list.ensure_multiline();
        list.append(manifest::input(&rule.group()));
    }
    Some(!rules.is_empty())
}

/// Finds the list of an event, in whichever spelling it is there.
fn list_of(hooks: &CstObject, event: &str) -> Option<CstArray> {
    let wanted = EventName::new(event);
    let is_it = |name: &String| EventName::new(name) == wanted;
    let mut names = hooks
        .properties()
        .into_iter()
        .filter_map(|property| property.decoded_name());
    let name = names.find(is_it);
    hooks.array_value_or_create(name.as_deref().unwrap_or(event))
}

fn page(file: &Path, layer: Layer, rules: &[&KnownRule], added: &Additions<'_>) -> String {
    let name = ui::path(file);
    let mut text = String::new();
    let is_one = |all: &[&KnownRule], rule: &KnownRule| all.iter().any(|one| one.name == rule.name);
    for rule in rules.iter().filter(|rule| !is_one(&added.other, rule)) {
        if is_one(&added.new, rule) {
            let (verdict, says) = rule.says();
            let line = format!("{}  {} to {name}\n", paint(ui::PASS, "added"), rule.name);
            text.push_str(&(line + &ui::wrapped("       ", &format!("{verdict}: {says}"))));
        } else {
            text.push_str(&format!("{} is in {name} already\n", rule.name));
        }
    }
    if !added.new.is_empty() {
        text.push_str(match layer {
            Layer::User => "\nIt holds in all your projects. Now: anyhook install, if no agent asks your hooks yet\n",
            _ => "\nNow: anyhook trust, which shows the file to you and lets it run\n",
        });
    }
    text
}
