//! A table in a file: JSON, or YAML where this program reads it. Its functions are names that the program knows.

use std::path::Path;

use anyhook_core::manifest::{Finding, Place};

use crate::mounts::tree::{Key, Node, Tree};

use super::mistakes::below;
use super::{Function, Mistake, Mistakes, Pattern, Table, Whereabouts};

/// The file, and who knows its functions.
struct Reader<'r> {
    file: &'r str,
    resolve: &'r dyn Fn(&str) -> Option<Function>,
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
        let is_json = Path::new(file)
            .extension()
            .is_some_and(|ending| ending == "json");
        let unreadable = |finding: Finding| {
            let at = Whereabouts {
                file: file.to_owned(),
                line: finding.at.line,
                column: Some(finding.at.column),
                entry: "table".into(),
            };
            let help = finding.help;
            Mistakes(vec![Mistake {
                at,
                what: finding.message,
                help,
            }])
        };
        let node = Node::read(text, is_json).map_err(unreadable)?;
        let mut table = Self::new();
        let reader = Reader { file, resolve };
        reader.table(&node, &mut table);
        Ok(table)
    }
}

impl Reader<'_> {
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
                Tree::Text(_) => {
                    if let Some(function) = self.function(node, &at, table) {
                        table.add(spec, at, None, function);
                    }
                }
                Tree::Map(fields) => self.group(&event.name, &at, fields, table),
                Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) => {
                    self.has_to_be(node, &at.entry, "the name of a function, or a group", table);
                }
            }
        }
    }

    fn group(&self, event: &str, at: &Whereabouts, fields: &[(Key, Node)], table: &mut Table) {
        let mut pattern = Some(Pattern::Every);
        let mut functions = None;
        for (key, node) in fields {
            let entry = format!("{}.{}", at.entry, key.name);
            match (&*key.name, &node.tree) {
                ("matcher", Tree::Null) => {}
                ("matcher", Tree::Text(text)) => pattern = Some(Pattern::from(&**text)),
                ("matcher", _) => {
                    pattern = None;
                    self.has_to_be(node, &entry, "a pattern, which is a text", table);
                }
                ("hooks", Tree::List(names)) => functions = Some(self.functions(at, names, table)),
                ("hooks", _) => {
                    functions = Some(Vec::new());
                    self.has_to_be(node, &entry, "a list", table);
                }
                (other, _) => {
                    let at = self.at(&key.at, entry);
                    let help = "a group has `matcher` and `hooks`";
                    table.wrong(&at, format!("a group has no `{other}`"), Some(help.into()));
                }
            }
        }
        let Some(functions) = functions else {
            return table.wrong(at, "this group has no `hooks`".into(), None);
        };
        if let Some(pattern) = pattern {
            table.add_group(event, at, pattern, functions);
        }
    }

    fn functions(&self, at: &Whereabouts, names: &[Node], table: &mut Table) -> Vec<Function> {
        let found = names.iter().enumerate().filter_map(|(index, node)| {
            let entry = below(at, &format!("hooks[{index}]")).entry;
            self.function(node, &self.at(&node.at, entry), table)
        });
        found.collect()
    }

    fn function(&self, node: &Node, at: &Whereabouts, table: &mut Table) -> Option<Function> {
        let Tree::Text(name) = &node.tree else {
            self.has_to_be(node, &at.entry, "the name of a function", table);
            return None;
        };
        let found = (self.resolve)(name);
        if found.is_none() {
            table.wrong(at, format!("there is no function `{name}`"), None);
        }
        found
    }
}
