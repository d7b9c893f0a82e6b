//! The fields of the tables, and how each is written in Rust.

use super::items::{Item, Line, Word};
use Kind::{
    Count, List, Maybe, Name, One, Pair, Pairs, Parts, Place, Rows, Struct, Text, Time, Times,
    Valued, Words,
};

/// What the items of a field are.
pub(super) enum Kind {
    Text,
    Words,
    Pair,
    Pairs,
    Count,
    Time,
    Times,
    /// A name of Rust.
    Name,
    /// A variant of this enum, and what it holds: texts and numbers, or what is said of it.
    One(&'static str, &'static [(&'static str, &'static [Kind])]),
    /// Several of them.
    List(&'static Kind),
    /// Names with a variant, a text or a number.
    Valued(&'static str),
    /// The fields of an entry.
    Parts,
    /// Where a matcher looks.
    Place,
    Maybe(&'static Kind),
    Struct(&'static Table),
    /// One row in each line.
    Rows(&'static Table),
}

/// A struct of Rust.
pub(super) struct Table {
    pub(super) ty: &'static str,
    /// Where the other fields are from; with columns, what is called with them.
    pub(super) base: &'static str,
    pub(super) columns: &'static [Kind],
    pub(super) fields: &'static [(&'static str, Kind)],
}

const fn plain(
    ty: &'static str,
    base: &'static str,
    fields: &'static [(&'static str, Kind)],
) -> Table {
    Table {
        ty,
        base,
        columns: &[],
        fields,
    }
}

const fn of(name: &'static str) -> Kind {
    One(name, &[])
}

const PROMPTS: Table = plain(
    "Prompted",
    "Prompted::NEW",
    &[
        ("id", Maybe(&Text)),
        ("of_agents", Words),
        ("of_host", Words),
        ("parent", Maybe(&Text)),
    ],
);

pub(super) const FACTS: Table = plain(
    "HostFacts",
    "HostFacts::BARE",
    &[
        ("aliases", Words),
        ("maturity", of("Maturity")),
        ("covers", Text),
        ("files", Words),
        ("instead", Text),
        ("also_reads", Words),
        ("executables", Words),
        ("project_variable", Maybe(&Text)),
        ("tools", Name),
        ("version_at", Maybe(&of("VersionAt"))),
        ("prompts", Struct(&PROMPTS)),
    ],
);

const WORDS: Table = plain(
    "relative::Words",
    "relative::Words::COMMON",
    &[
        ("place", of("crate::answer::Place")),
        ("refusal", Text),
        ("reasons", of("Reasons")),
        ("rewrites", Pairs),
        ("notices", of("Notices")),
        ("contexts", of("Contexts")),
        ("beside_exit_2", Text),
        ("misnamed", of("Misnamed")),
    ],
);

pub(super) const WIRE: Table = plain(
    "Relative",
    "Relative::BARE",
    &[
        ("named_by", Text),
        ("fields", Pairs),
        ("free_modes", Words),
        ("updates", One("Updates", &[("Replace", &[Pairs])])),
        ("schema", One("Schema", &[("Closed", &[Name])])),
        ("json", of("Counts")),
        ("aborts", Maybe(&Count)),
        ("words", Struct(&WORDS)),
        ("odd", Name),
    ],
);

pub(super) const CANS: Table = Table {
    ty: "Can",
    base: "",
    columns: &[Name],
    fields: &[
        ("verdicts", List(&of("Kind"))),
        ("rewrite", Words),
        ("coupling", of("Coupling")),
        ("inject", Maybe(&Name)),
        ("notify", of("Shown")),
        ("native", Words),
        ("later", of("Later")),
        ("texts", of("Texts")),
    ],
};

const NEED: Kind = List(&of("Need"));

const EVENTS: Table = Table {
    ty: "HostRow",
    base: "HostRow::new",
    columns: &[Text, Text, Name, Time],
    fields: &[
        ("also", Maybe(&Text)),
        ("failed", Maybe(&Text)),
        ("subject", Maybe(&Text)),
        ("needs", Name),
        ("fields", Pairs),
        ("form", of("relative::row::Form")),
        ("exit_2", of("Exit2")),
        ("text", of("relative::row::Text")),
        ("halt", of("Halt")),
        ("speech", of("Speech")),
        ("unless", Maybe(&Pair)),
        ("natives", Words),
        ("since", Maybe(&Text)),
    ],
};

const CURSOR: Table = Table {
    ty: "super::row::CursorRow",
    base: "super::row::row",
    columns: &[
        Text,
        Text,
        Name,
        of("super::row::Form"),
        of("super::row::Messages"),
    ],
    fields: &[
        ("subject", Maybe(&Text)),
        ("needs", NEED),
        ("fields", Pairs),
        ("adds", Pairs),
        ("names_twice", Name),
        (
            "call",
            One("super::row::Call", &[("Lifted", &[Text, Words])]),
        ),
        ("natives", Valued("serde_json::Value")),
        ("only", of("super::row::Only")),
        ("again", Pairs),
    ],
};

const WINDSURF: Table = Table {
    ty: "super::row::WindsurfRow",
    base: "super::row::row",
    columns: &[Text, Text, Name],
    fields: &[
        ("tool", Maybe(&of("super::row::Called"))),
        ("instead", Maybe(&Pair)),
        ("fields", Pairs),
        ("needs", Words),
    ],
};

const CLINE: Table = Table {
    ty: "super::row::ClineRow",
    base: "super::row::row",
    columns: &[Text, Text, Text, Name],
    fields: &[
        ("kit", Name),
        ("kit_names", Words),
        ("failed", Maybe(&Text)),
        ("fields", Pairs),
        ("adds", Maybe(&Pair)),
    ],
};

const ATHENA: Table = Table {
    ty: "super::row::AthenaRow",
    base: "super::row::row",
    columns: &[Text, Text, Name],
    fields: &[
        ("form", of("super::row::Form")),
        ("needs", NEED),
        ("keys", Pairs),
    ],
};

/// Events of a host of which no more is told than of every host's.
pub(super) const NATIVE: Table = Table {
    ty: "crate::NativeEvent",
    base: "crate::NativeEvent::new",
    columns: &[Text, Text, Name, Time],
    fields: &[],
};

/// Returns the table of the rows of events.
pub(super) fn events(host: &str) -> &'static Table {
    match host {
        "athena" => &ATHENA,
        "cline" => &CLINE,
        "cursor" => &CURSOR,
        "universal" => &NATIVE,
        "windsurf" => &WINDSURF,
        _ => &EVENTS,
    }
}

pub(super) const TOOL: Table = Table {
    ty: "Tool",
    base: "Tool::new",
    columns: &[Text, Text, Pairs],
    fields: &[],
};

pub(super) const MCP: Table = plain("Mcp", "", &[("prefix", Text), ("between", Text)]);

const FILE: Table = Table {
    ty: "SettingsFile",
    base: "SettingsFile::new",
    columns: &[of("Scope"), Text],
    fields: &[
        ("platform", of("Platform")),
        ("at", Words),
        ("was_at", Maybe(&Words)),
        ("next", Maybe(&Text)),
    ],
};

pub(super) const SETTINGS: Table = plain(
    "Settings",
    "Settings::BARE",
    &[
        ("files", Rows(&FILE)),
        ("moved_by", Maybe(&Pair)),
        ("found_by", Words),
        ("shape", of("Shape")),
        ("entry", Parts),
        ("top", Valued("Constant")),
        ("commands", Words),
        ("without", Pairs),
        ("shell", of("Shell")),
        ("next", Text),
    ],
);

pub(super) const POSTS: Table = plain("Posts", "", &[("entry", Parts), ("events", Words)]);

const SWITCH: Table = plain(
    "Switch",
    "",
    &[
        ("place", of("crate::health::Place")),
        ("at", Words),
        ("off", of("Off")),
        ("stops", of("Stops")),
        ("pinned_in", Maybe(&of("crate::health::Place"))),
    ],
);

const SCOPES: Kind = List(&of("Scope"));

const TRUST: Table = plain(
    "Trust::",
    "",
    &[
        ("file", Text),
        ("at", Words),
        ("field", Text),
        ("pinned", Text),
        ("enabled", Text),
        ("yes", List(&of("Yes"))),
        ("unlisted", of("Unlisted")),
        ("stops", SCOPES),
        ("before", List(&One("Override", &[("Off", &[Text, Words])]))),
        ("fix", Text),
    ],
);

pub(super) const HEALTH: Table = plain(
    "Health",
    "",
    &[("switches", Rows(&SWITCH)), ("trust", Rows(&TRUST))],
);

const EVENT: Table = Table {
    ty: "EventForm",
    base: "EventForm::ignoring",
    columns: &[Text],
    fields: &[("tools", Maybe(&Text)), ("at", Maybe(&Place))],
};

const UNIT: Kind = of("Unit");

const PROMPT_TIME: Table = plain("PromptTime", "", &[("unit", UNIT), ("default", Time)]);

const TIMEOUT: Table = plain(
    "Timeout",
    "PLAIN.timeout",
    &[
        ("fields", Words),
        ("unit", UNIT),
        ("zero", Maybe(&Time)),
        ("default", Time),
        ("events", Times),
        ("prompts", Maybe(&Struct(&PROMPT_TIME))),
    ],
);

const WRITES: Table = plain(
    "Writes",
    "PLAIN.writes",
    &[
        ("list", of("crate::native_files::List")),
        ("version", Maybe(&Count)),
        ("holds", Words),
    ],
);

const SUBJECT: Table = Table {
    ty: "",
    base: "",
    columns: &[Text, Words],
    fields: &[],
};

pub(super) const HOOKS: Table = plain(
    "NativeFormat",
    "PLAIN",
    &[
        ("files", Words),
        ("top", of("Top")),
        ("more", Pairs),
        ("own", Words),
        ("also_read_by", Words),
        ("off", Maybe(&Text)),
        ("matching", of("Matching")),
        ("kinds", Pairs),
        ("servers", Pairs),
        ("words", Rows(&SUBJECT)),
        ("events", Rows(&EVENT)),
        ("names", Words),
        ("under", Pairs),
        ("timeout", Struct(&TIMEOUT)),
        ("commands", Valued("Platform")),
        ("cwd", Text),
        ("prompts", of("crate::native_files::Prompts")),
        (
            "failure",
            One(
                "Failure",
                &[("On", &[Words]), ("Where", &[Text, of("Refuses")])],
            ),
        ),
        ("shell", Text),
        ("folder", of("Folder")),
        ("writes", Struct(&WRITES)),
        ("always", Valued("Always")),
        ("variables", Valued("Variable")),
    ],
);

impl Table {
    /// Writes the row of a line, whose field is the first item.
    pub(super) fn line(&self, (first, items): &Line) -> Result<String, String> {
        let first = Item::Word(Word {
            text: first.clone(),
            is_quoted: false,
        });
        let items: Vec<Item> = [first].into_iter().chain(items.iter().cloned()).collect();
        self.row(&items)
    }

    pub(super) fn row(&self, mut items: &[Item]) -> Result<String, String> {
        let mut name = self.ty.to_owned();
        if let (true, [Item::Word(variant), rest @ ..]) = (name.ends_with("::"), items) {
            name.push_str(&variant.text);
            items = rest;
        }
        let many = if self.fields.is_empty() {
            items.len()
        } else {
            self.columns.len()
        };
        let (columns, rest) = items.split_at_checked(many).ok_or("a column is missing")?;
        let values = held(self.columns, columns)?.join(", ");
        let base = match (self.columns.len(), self.base) {
            (0, base) => base.to_owned(),
            (1, "") => values,
            (_, base) => format!("{base}({values})"),
        };
        if rest.is_empty() && !self.columns.is_empty() {
            return Ok(base);
        }
        let lines = rest.iter().map(|item| match item {
            Item::Field(name, items) => Ok((name.clone(), items.clone())),
            other => Err(format!("`{other:?}` is no field")),
        });
        let fields = self.fields_of(&lines.collect::<Result<Vec<_>, _>>()?)?;
        let base = if base.is_empty() {
            base
        } else {
            format!("..{base}")
        };
        Ok(format!("{name} {{ {fields}{base} }}"))
    }

    /// Writes the fields that these lines name, and the empty ones where no others take their place.
    pub(super) fn fields_of(&self, lines: &[Line]) -> Result<String, String> {
        let is_known = |name: &str| self.fields.iter().any(|(field, _)| *field == name);
        if let Some((name, _)) = lines.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!("`{name}` is no field of `{}`", self.ty));
        }
        let is_whole = self.base.is_empty() && self.columns.is_empty() && !self.ty.ends_with("::");
        let mut code = String::new();
        for (field, kind) in self.fields {
            let given = lines.iter().filter(|(name, _)| name == field);
            let all: Vec<&[Item]> = given.map(|(_, items)| &**items).collect();
            let value = match kind {
                Maybe(_) if all.is_empty() && is_whole => "None".to_owned(),
                _ if all.is_empty() && !is_whole => continue,
                Rows(table) => {
                    let rows = all.into_iter().map(|items| table.row(items));
                    format!("&[{}]", rows.collect::<Result<Vec<_>, _>>()?.join(", "))
                }
                kind => kind.code(&all.concat())?,
            };
            code += &format!("{field}: {value}, ");
        }
        Ok(code)
    }
}

/// Writes one item for each kind; the last one may take all that are left.
fn held(kinds: &[Kind], items: &[Item]) -> Result<Vec<String>, String> {
    let given = |(at, kind): (usize, &Kind)| {
        let given = match kind {
            Words | Pairs => items.get(at..),
            _ => items.get(at..=at),
        };
        kind.code(given.unwrap_or_default())
    };
    kinds.iter().enumerate().map(given).collect()
}

impl Kind {
    fn code(&self, items: &[Item]) -> Result<String, String> {
        let wrong = || format!("`{items:?}` cannot stand here");
        let word = match items {
            [Item::Word(word)] => Some(word),
            _ => None,
        };
        let each = |code: &dyn Fn(&Item) -> Option<String>| {
            let all: Option<Vec<String>> = items.iter().map(code).collect();
            Ok(format!("&[{}]", all.ok_or_else(wrong)?.join(", ")))
        };
        match self {
            Text => word.map(Word::literal).ok_or_else(wrong),
            Count | Name => word.map(|word| word.text.clone()).ok_or_else(wrong),
            Time => word.and_then(time).ok_or_else(wrong),
            Words => each(&|item| text(item)),
            Pair => items
                .first()
                .and_then(|item| pair(item, literal))
                .ok_or_else(wrong),
            Pairs => each(&|item| pair(item, literal)),
            Times => each(&|item| pair(item, time)),
            Valued(name) => each(&|item| pair(item, |word| Some(variant(name, word)))),
            Parts => each(&part),
            Place if word.is_some_and(|word| word.text == "Subject") => {
                Ok("At::Subject".to_owned())
            }
            Place => Ok(format!("At::Field({})", Words.code(items)?)),
            One(name, variants) => {
                let (first, rest) = match items {
                    [Item::Word(first), rest @ ..] => (&first.text, rest),
                    [Item::Field(first, rest), ..] => (first, &rest[..]),
                    _ => return Err(wrong()),
                };
                let known = variants.iter().find(|(name, _)| name == first);
                let held = match known {
                    Some((_, kinds)) => Some(held(kinds, rest)?),
                    None => rest.iter().map(text).collect(),
                };
                let held = held.ok_or_else(wrong)?.join(", ");
                let held = if held.is_empty() {
                    held
                } else {
                    format!("({held})")
                };
                Ok(format!("{name}::{first}{held}"))
            }
            List(kind) => {
                let all = items
                    .iter()
                    .map(|item| kind.code(std::slice::from_ref(item)));
                Ok(format!(
                    "&[{}]",
                    all.collect::<Result<Vec<_>, _>>()?.join(", ")
                ))
            }
            Maybe(_) if word.is_some_and(|word| word.text == "None") => Ok("None".to_owned()),
            Maybe(kind) => Ok(format!("Some({})", kind.code(items)?)),
            Struct(table) => table.row(items),
            Rows(table) => Err(format!(
                "a row of `{}` stands in a line of its own",
                table.ty
            )),
        }
    }
}

/// Writes a text or a number.
fn text(item: &Item) -> Option<String> {
    match item {
        Item::Word(word) if word.is_number() => Some(word.text.clone()),
        Item::Word(word) => Some(word.literal()),
        Item::Pair(..) | Item::Field(..) => None,
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "other values of a pair may be wrong"
)]
fn literal(word: &Word) -> Option<String> {
    Some(word.literal())
}

fn pair(item: &Item, value: impl Fn(&Word) -> Option<String>) -> Option<String> {
    match item {
        Item::Pair(name, word) => Some(format!("({}, {})", name.literal(), value(word)?)),
        Item::Word(word) => Some(format!("({}, {})", word.literal(), value(word)?)),
        Item::Field(..) => None,
    }
}

fn variant(name: &str, word: &Word) -> String {
    match word {
        word if word.is_quoted => format!("{name}::Text({})", word.literal()),
        word if word.is_number() => format!("{name}::Number({})", word.text),
        word => format!("{name}::{}", word.text),
    }
}

/// Writes a time: a number with its unit behind it.
fn time(word: &Word) -> Option<String> {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
    let of = |(unit, millis): (&str, u64)| {
        Some(word.text.strip_suffix(unit)?.parse::<u64>().ok()? * millis)
    };
    let millis = units.into_iter().find_map(of)?;
    Some(format!("Duration::from_millis({millis})"))
}

/// Writes a field of an entry.
fn part(item: &Item) -> Option<String> {
    match item {
        Item::Pair(name, word) => {
            let part = match word.text.split_once('<') {
                Some((_, limit)) if !word.is_quoted => {
                    format!("Part::Timeout(Unit::SecondsBelow({limit}))")
                }
                _ if ["Seconds", "Millis"].contains(&&*word.text) => {
                    format!("Part::Timeout(Unit::{})", word.text)
                }
                _ => variant("Part", word),
            };
            Some(format!("({}, {part})", name.literal()))
        }
        Item::Field(name, items) if name == "on_gates" => {
            let field = part(items.first()?)?;
            let (name, part) = field.strip_suffix(')')?.split_once(", ")?;
            Some(format!("{name}, Part::OnGates(&{part}))"))
        }
        Item::Field(name, items) => {
            let is_list = items.iter().all(|item| matches!(item, Item::Word(_)));
            let (name_of, each): (_, fn(&Item) -> Option<String>) = if is_list {
                ("Texts", text)
            } else {
                ("Object", part)
            };
            let fields: Option<Vec<String>> = items.iter().map(each).collect();
            Some(format!(
                "({name:?}, Part::{name_of}(&[{}]))",
                fields?.join(", ")
            ))
        }
        Item::Word(_) => None,
    }
}
