//! A table in a file: JSON, or YAML where this program reads it. Its functions are names that the program knows, and
//! where the program says so its other entries are what a manifest could declare.

use std::path::Path;
use std::sync::Arc;

use anyhook_core::manifest::{Finding, Place};
use anyhook_engine::world::World;

use crate::mounts::tree::{Key, Node, Tree};

use super::declared::Declaration;
use super::entries::Does;
use super::mistakes::below;
use super::specs::Spec;
use super::{Function, Mistake, Mistakes, Pattern, Table, Whereabouts};

/// The file, and who knows its functions.
struct Reader<'r> {
    file: &'r str,
    resolve: &'r dyn Fn(&str) -> Option<Function>,
    /// Where commands run, if they may.
    world: Option<&'r Arc<World>>,
}

impl Table {
    /// Reads a table from a file's text: an object of events, each a list of names, or of groups of names for the two
    /// events of a tool. A file whose name ends in `.json` is JSON, any other YAML.
    ///
    /// Everything that is wrong is kept for [`finish`](Table::finish), with line and column. Only a text that cannot be
    /// read at all is told at once.
    ///
    /// ```
    /// use anyhook::athena::{Function, Return, Table};
    ///
    /// let text = r#"{"PreToolUse": [{"matcher": "write|edit", "hooks": ["deny_all"]}], "Stop": ["log"]}"#;
    /// let known = |name: &str| match name {
    ///     "deny_all" => Some(Function::new(|_, _| Return::deny("read-only"))),
    ///     "log" => Some(Function::new(|_, _| ())),
    ///     _ => None,
    /// };
    /// assert_eq!(Table::read(text, "hooks.json", &known)?.finish()?.len(), 2);
    ///
    /// let wrong = Table::read(r#"{"Stop": "log"}"#, "hooks.json", &known)?.finish().unwrap_err();
    /// assert_eq!(wrong.to_string(), "hooks.json:1:10: Stop: this has to be a list, and is a text");
    /// # Ok::<(), anyhook::athena::Mistakes>(())
    /// ```
    pub fn read(
        text: &str,
        file: &str,
        resolve: &dyn Fn(&str) -> Option<Function>,
    ) -> Result<Self, Mistakes> {
        let reader = Reader {
            file,
            resolve,
            world: None,
        };
        reader.read(text)
    }

    /// Reads a table whose entries may also be what a manifest can declare: an object with a `type`, such as `command`
    /// or `rule`, wherever the name of a function may stand. The caller of this lets the file start processes, so it is
    /// not for a file that a stranger may have written.
    ///
    /// An entry is checked like that of a manifest, is carried out by the same runner, and reads the universal payload.
    /// Its scripts are looked for as those of a manifest at `file`. What it says is held against what the event knows,
    /// like the return of a function, and its failure halts unless it has an `on-failure` of its own.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use anyhook::athena::{PreTool, Table, run_pre_tool_use};
    /// use anyhook::world::World;
    /// use serde_json::json;
    ///
    /// let text = r#"{"PreToolUse": [{"matcher": "write|edit", "hooks": [
    ///     {"type": "command", "command": "echo 'read-only' >&2; exit 2"}
    /// ]}]}"#;
    /// let world = Arc::new(World::real());
    /// let hooks = Table::read_in(&world, text, "table.json", &|_| None)?.finish()?;
    /// let said = run_pre_tool_use(&hooks, "write", &json!({"path": "a"}), Some("c1"));
    /// assert!(matches!(said, PreTool::Deny(why) if &*why.text == "read-only"));
    ///
    /// // Who did not say so runs nothing.
    /// let mistakes = Table::read(text, "table.json", &|_| None)?.finish().unwrap_err();
    /// assert!(mistakes.0[0].what.contains("names of functions only"));
    /// # Ok::<(), anyhook::athena::Mistakes>(())
    /// ```
    pub fn read_in(
        world: &Arc<World>,
        text: &str,
        file: &str,
        resolve: &dyn Fn(&str) -> Option<Function>,
    ) -> Result<Self, Mistakes> {
        let reader = Reader {
            file,
            resolve,
            world: Some(world),
        };
        reader.read(text)
    }
}

impl Reader<'_> {
    fn read(&self, text: &str) -> Result<Table, Mistakes> {
        let file = Path::new(self.file);
        let is_json = file.extension().is_some_and(|ending| ending == "json");
        let node = Node::read(text, is_json).map_err(|finding: Finding| {
            let at = self.at(&finding.at, "table");
            let (what, help) = (finding.message, finding.help);
            Mistakes(vec![Mistake { at, what, help }])
        })?;
        let mut table = Table::new();
        self.table(&node, &mut table);
        Ok(table)
    }

    fn at(&self, place: &Place, entry: impl Into<String>) -> Whereabouts {
        Whereabouts {
            file: self.file.to_owned(),
            line: place.line,
            column: Some(place.column),
            entry: entry.into(),
        }
    }

    fn table(&self, node: &Node, table: &mut Table) {
        let mut twice = Vec::new();
        node.twice(&mut twice);
        for finding in twice {
            table.wrong(
                &self.at(&finding.at, "table"),
                finding.message,
                finding.help,
            );
        }
        match &node.tree {
            // No table at all is one without functions (ATH-01).
            Tree::Null => {}
            Tree::Map(events) => events
                .iter()
                .for_each(|(event, list)| self.list(event, list, table)),
            Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => {
                self.has_to_be(node, "table", "an object of events", table);
            }
        }
    }

    fn has_to_be(&self, node: &Node, entry: &str, wanted: &str, table: &mut Table) {
        let what = format!("this has to be {wanted}, and is {}", node.kind());
        table.wrong(&self.at(&node.at, entry), what, None);
    }

    fn list(&self, event: &Key, list: &Node, table: &mut Table) {
        let Tree::List(entries) = &list.tree else {
            if table
                .event(&event.name, &self.at(&event.at, &event.name))
                .is_some()
            {
                self.has_to_be(list, &event.name, "a list", table);
            }
            return;
        };
        let at = self.at(&event.at, &event.name);
        let Some(spec) = table.event(&event.name, &at) else {
            return;
        };
        for (index, node) in entries.iter().enumerate() {
            let at = self.at(&node.at, format!("{}[{index}]", event.name));
            match &node.tree {
                Tree::Map(fields) if !is_entry(fields) => {
                    self.group(spec, &at, fields, table);
                }
                Tree::Text(_) | Tree::Map(_) => {
                    if let Some(does) = self.does(node, spec, &at, table) {
                        table.add(spec, at, None, does);
                    }
                }
                Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) => {
                    self.has_to_be(node, &at.entry, "the name of a function, or a group", table);
                }
            }
        }
    }

    fn group(
        &self,
        spec: &'static Spec,
        at: &Whereabouts,
        fields: &[(Key, Node)],
        table: &mut Table,
    ) {
        let mut pattern = Some(Pattern::Every);
        let mut entries = None;
        for (key, node) in fields {
            let entry = format!("{}.{}", at.entry, key.name);
            match (&*key.name, &node.tree) {
                ("matcher", Tree::Null) => {}
                ("matcher", Tree::Text(text)) => pattern = Some(Pattern::from(&**text)),
                ("matcher", _) => {
                    pattern = None;
                    self.has_to_be(node, &entry, "a pattern, which is a text", table);
                }
                ("hooks", Tree::List(all)) => entries = Some(self.entries(spec, at, all, table)),
                ("hooks", _) => {
                    entries = Some(Vec::new());
                    self.has_to_be(node, &entry, "a list", table);
                }
                (other, _) => {
                    let at = self.at(&key.at, entry);
                    let help = "a group has `matcher` and `hooks`";
                    table.wrong(&at, format!("a group has no `{other}`"), Some(help.into()));
                }
            }
        }
        let Some(entries) = entries else {
            return table.wrong(at, "this group has no `hooks`".into(), None);
        };
        if let Some(pattern) = pattern {
            table.add_group(spec.name, at, pattern, entries);
        }
    }

    /// Reads the entries of a group, each at its place.
    fn entries(
        &self,
        spec: &'static Spec,
        at: &Whereabouts,
        nodes: &[Node],
        table: &mut Table,
    ) -> Vec<Option<Does>> {
        let found = nodes.iter().enumerate().map(|(index, node)| {
            let entry = below(at, &format!("hooks[{index}]")).entry;
            self.does(node, spec, &self.at(&node.at, entry), table)
        });
        found.collect()
    }

    fn does(
        &self,
        node: &Node,
        spec: &'static Spec,
        at: &Whereabouts,
        table: &mut Table,
    ) -> Option<Does> {
        match &node.tree {
            Tree::Text(name) => self.function(name, at, table).map(Does::Function),
            Tree::Map(_) => self.declared(node, spec, at, table),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) => {
                self.has_to_be(node, &at.entry, "the name of a function", table);
                None
            }
        }
    }

    fn declared(
        &self,
        node: &Node,
        spec: &'static Spec,
        at: &Whereabouts,
        table: &mut Table,
    ) -> Option<Does> {
        let Some(world) = self.world else {
            let what = "this table may hold names of functions only";
            let help = "a program that lets a table start processes reads it with `Table::read_in`";
            table.wrong(at, what.into(), Some(help.into()));
            return None;
        };
        match Declaration::read(node, spec, at, world) {
            Ok(declared) => Some(Does::Declared(Arc::new(declared))),
            Err(all) => {
                for wrong in all {
                    table.wrong(&wrong.at, wrong.what, wrong.help);
                }
                None
            }
        }
    }

    fn function(&self, name: &str, at: &Whereabouts, table: &mut Table) -> Option<Function> {
        let found = (self.resolve)(name);
        if found.is_none() {
            table.wrong(at, format!("there is no function `{name}`"), None);
        }
        found
    }
}

/// Tells whether an object is an entry of a manifest rather than a group.
fn is_entry(fields: &[(Key, Node)]) -> bool {
    fields.iter().any(|(key, _)| key.name == "type")
}
