//! Writes the items of a table as values of the types that the sources define.

use super::items::{Item, TableLine, TableWord};
use super::types::{Type, TypeField, split};

const TEXT: &str = "&'static str";

/// Every type that a table may fill.
pub(super) struct Types(pub(super) Vec<Type>);

impl Types {
    /// Finds a type by its name, or by that of the section that fills it.
    pub(super) fn find(&self, name: &str) -> Option<&Type> {
        self.0.iter().find(|of| of.name.eq_ignore_ascii_case(name))
    }

    /// Writes the static that a section fills.
    pub(super) fn one(
        &self,
        name: &str,
        ty: &str,
        lines: &[TableLine],
        more: &str,
    ) -> Result<String, String> {
        let of = self.find(ty).ok_or_else(|| format!("`{ty}` is no type"))?;
        let (path, fields) = (of.path(), self.fields(of, lines)?);
        Ok(format!(
            "pub(crate) static {name}: {path} = {path} {{ {more}{fields} }};\n"
        ))
    }

    /// Writes the row of a line, whose field is the first item.
    pub(super) fn line(&self, of: &Type, (first, items): &TableLine) -> Result<String, String> {
        let items: Vec<Item> = [Item::Word(TableWord::plain(first.trim_matches('"')))]
            .into_iter()
            .chain(items.iter().cloned())
            .collect();
        self.row(of, &items)
    }

    /// Writes a struct: its columns, and then fields.
    pub(super) fn row(&self, of: &Type, items: &[Item]) -> Result<String, String> {
        let columns = of.fields.get(..of.columns).unwrap_or_default();
        let types: Vec<&str> = columns.iter().map(|(_, ty)| &**ty).collect();
        let takes_all = types.last().is_some_and(|ty| ty.starts_with("&'static ["));
        let many = if takes_all { items.len() } else { types.len() };
        let (first, rest) = items.split_at_checked(many).ok_or("a column is missing")?;
        let named = columns.iter().zip(self.held(&types, first)?);
        let named = named.map(|((name, _), value)| format!("{name}: {value}, "));
        let (named, rest) = (named.collect::<String>(), lines_of(rest)?);
        Ok(format!(
            "{} {{ {named}{} }}",
            of.path(),
            self.fields(of, &rest)?
        ))
    }

    /// Writes the constants of a section; those of a struct may differ from another one in fields.
    pub(super) fn constants(&self, section: &str, lines: &[TableLine]) -> Result<String, String> {
        let ty = match section {
            "cans" => "Capabilities",
            "manners" => "InjectionSupport",
            "needs" => "&'static [RequiredField]",
            "lists" => "&'static [&'static str]",
            "pairs" => "&'static [(&'static str, &'static str)]",
            _ => return Err(format!("`[{section}]` is no section")),
        };
        let constant = |(name, items): &TableLine| {
            let value = match (self.find(ty), &items[..]) {
                (Some(of), [Item::Word(base), rest @ ..]) => {
                    let fields = self.given(of, &of.fields, &lines_of(rest)?)?;
                    format!("{ty} {{ {fields} ..{} }}", base.text)
                }
                (Some(of), items) => self.row(of, items)?,
                (None, items) => self.value(ty, items)?,
            };
            Ok(format!("pub(crate) const {name}: {ty} = {value};\n"))
        };
        lines.iter().map(constant).collect()
    }

    /// Writes the fields of a struct: those that the lines name, and the others as they are without a word.
    fn fields(&self, of: &Type, lines: &[TableLine]) -> Result<String, String> {
        let code = self.given(of, &of.fields, lines)?;
        let others = of.is_based.then(|| format!("..{}::BARE", of.path()));
        Ok(code + &others.unwrap_or_default())
    }

    /// Writes the fields that the lines name. A list of structs has a line for each.
    fn given(
        &self,
        of: &Type,
        fields: &[TypeField],
        lines: &[TableLine],
    ) -> Result<String, String> {
        let is_known = |name: &str| fields.iter().any(|(field, _)| field == name);
        if let Some((name, _)) = lines.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!("`{name}` is no field of `{}`", of.name));
        }
        let mut code = String::new();
        for (name, ty) in fields {
            let given = lines.iter().filter(|(field, _)| field == name);
            let all: Vec<&[Item]> = given.map(|(_, items)| &**items).collect();
            if all.is_empty() {
                continue;
            }
            let of_row = inside(ty, "&'static [", "]").filter(|inner| self.is_row(inner));
            let value = match of_row {
                None => self.value(ty, &all.concat())?,
                Some(inner) => {
                    let rows = all.into_iter().map(|items| self.value(inner, items));
                    format!("&[{}]", rows.collect::<Result<Vec<_>, _>>()?.join(", "))
                }
            };
            code += &format!("{name}: {value}, ");
        }
        Ok(code)
    }

    fn is_row(&self, ty: &str) -> bool {
        let of = self.find(ty);
        ty.starts_with('(') && ty.contains('[') || of.is_some_and(Type::is_row)
    }

    /// Writes one item for each type; the last one takes all that are left.
    fn held(&self, types: &[&str], items: &[Item]) -> Result<Vec<String>, String> {
        let given = |(at, ty): (usize, &&str)| {
            let end = if at + 1 == types.len() {
                items.len()
            } else {
                at + 1
            };
            self.value(ty, items.get(at..end).unwrap_or_default())
        };
        types.iter().enumerate().map(given).collect()
    }

    /// Writes items as a value of a type. A word in capitals, or with a path, is a constant of Rust, except where a text stands.
    fn value(&self, ty: &str, items: &[Item]) -> Result<String, String> {
        let wrong = || format!("`{items:?}` cannot stand for `{ty}`");
        let word = match items {
            [Item::Word(word)] => Some(word),
            _ => None,
        };
        if let Some(inner) = inside(ty, "Option<", ">") {
            let is_none = word.is_some_and(|word| word.text == "None");
            return if is_none {
                Ok("None".to_owned())
            } else {
                Ok(format!("Some({})", self.value(inner, items)?))
            };
        }
        let is_constant = word.is_some_and(TableWord::is_constant);
        if let Some(inner) =
            inside(ty, "&'static [", "]").filter(|inner| !is_constant || *inner == TEXT)
        {
            let each = items
                .iter()
                .map(|item| self.value(inner, std::slice::from_ref(item)));
            return Ok(format!(
                "&[{}]",
                each.collect::<Result<Vec<_>, _>>()?.join(", ")
            ));
        }
        if let Some(pair) = inside(ty, "(", ")") {
            let (first, rest) = match items {
                [Item::Pair(name, word)] => (name.clone(), vec![Item::Word(word.clone())]),
                [Item::Field(name, items)] => (TableWord::plain(name), items.clone()),
                [Item::Word(one)] => (one.clone(), vec![Item::Word(one.clone())]),
                [Item::Word(first), rest @ ..] => (first.clone(), rest.to_vec()),
                _ => return Err(wrong()),
            };
            let all: Vec<Item> = [Item::Word(first)].into_iter().chain(rest).collect();
            return Ok(format!("({})", self.held(&split(pair), &all)?.join(", ")));
        }
        if let Some(inner) = ty
            .strip_prefix("&'static ")
            .filter(|_| ty != TEXT && !is_constant)
        {
            return Ok(format!("&{}", self.value(inner, items)?));
        }
        let of = self.find(ty);
        match (ty, word, of) {
            (TEXT, Some(word), _) => Ok(word.literal()),
            ("Duration", Some(word), _) => time(word).ok_or_else(wrong),
            (_, Some(word), Some(of)) if word.is_quoted => {
                Ok(format!("{}::Text({})", of.path(), word.literal()))
            }
            (_, Some(word), Some(of)) if word.is_number() => {
                Ok(format!("{}::Number({})", of.path(), word.text))
            }
            (_, Some(word), _) if is_constant || word.is_number() => Ok(word.text.clone()),
            (_, _, Some(of)) if of.variants.is_empty() => self.row(of, items),
            (_, _, Some(of)) => self.variant(of, items),
            (_, Some(word), None) => Ok(format!("{ty}::{}", word.text)),
            (_, None, None) => Err(wrong()),
        }
    }

    fn variant(&self, of: &Type, items: &[Item]) -> Result<String, String> {
        let (first, rest) = match items {
            [Item::Word(first), rest @ ..] => (&first.text, rest),
            [Item::Field(first, rest)] => (first, &rest[..]),
            _ => return Err(format!("`{items:?}` is no `{}`", of.name)),
        };
        let path = format!("{}::{first}", of.path());
        let held = of.variants.iter().find(|(name, _)| name == first);
        let held = held.map_or(&[][..], |(_, held)| held);
        let types: Vec<&str> = held.iter().map(|(_, ty)| &**ty).collect();
        match held {
            [] => Ok(path),
            [(name, _), ..] if name.is_empty() => {
                Ok(format!("{path}({})", self.held(&types, rest)?.join(", ")))
            }
            _ => Ok(format!(
                "{path} {{ {} }}",
                self.given(of, held, &lines_of(rest)?)?
            )),
        }
    }
}

fn inside<'t>(ty: &'t str, before: &str, after: &str) -> Option<&'t str> {
    ty.strip_prefix(before)?.strip_suffix(after)
}

fn lines_of(items: &[Item]) -> Result<Vec<TableLine>, String> {
    let line = |item: &Item| match item {
        Item::Field(name, items) => Ok((name.clone(), items.clone())),
        other => Err(format!("`{other:?}` is no field")),
    };
    items.iter().map(line).collect()
}

/// Writes a time: a number with its unit behind it.
fn time(word: &TableWord) -> Option<String> {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
    let of = |(unit, millis): (&str, u64)| {
        Some(word.text.strip_suffix(unit)?.parse::<u64>().ok()? * millis)
    };
    let millis = units.into_iter().find_map(of)?;
    Some(format!("Duration::from_millis({millis})"))
}
