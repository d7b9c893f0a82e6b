//! The structs and enums that tables fill, as the sources define them.

use std::fs;
use std::path::Path;

/// The files in which they stand.
const SOURCES: &str = "answer health hosts/relative hosts/relative/row hosts/relative/words lib native_files \
                       native_files/row payload payload/tool prompts settings settings/posted version";

/// Those of another crate. The types that they name are taken for enums of plain names.
const OF_CORE: &str = include_str!("core.txt");

/// A field, and the text of its type.
pub(super) type TypeField = (String, String);

/// A struct or an enum.
pub(super) struct Type {
    module: String,
    pub(super) name: String,
    pub(super) fields: Vec<TypeField>,
    /// What each variant holds; what has no names is numbered.
    pub(super) variants: Vec<(String, Vec<TypeField>)>,
    /// How many fields, from the first on, a row says without their names.
    pub(super) columns: usize,
    /// Whether it has a `BARE`, from which the other fields are.
    pub(super) is_based: bool,
}

impl Type {
    pub(super) fn path(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// Tells whether a table has a line for each.
    pub(super) fn is_row(&self) -> bool {
        let has_names =
            |(_, held): &(String, Vec<TypeField>)| held.iter().any(|(name, _)| !name.is_empty());
        self.variants.is_empty() || self.variants.iter().any(has_names)
    }
}

/// Reads all of them.
pub(super) fn read(sources: &Path) -> Result<Vec<Type>, String> {
    let of_core = OF_CORE.lines().filter_map(|line| line.split_once(' '));
    let mut all: Vec<Type> = of_core
        .flat_map(|(module, code)| of_text(module, code))
        .collect();
    for file in SOURCES.split_whitespace() {
        let text = fs::read_to_string(sources.join(file).with_extension("rs"));
        let text = text.map_err(|cause| format!("{file}: {cause}"))?;
        let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with("#[");
        let lines: Vec<&str> = text.lines().map(str::trim).filter(is_code).collect();
        let module = match file {
            "lib" => "crate".to_owned(),
            file => format!("crate::{}", file.replace('/', "::")),
        };
        all.extend(of_text(&module, &lines.join(" ")));
    }
    Ok(all)
}

fn of_text(module: &str, code: &str) -> Vec<Type> {
    let blocks = |word: &'static str| {
        let starts = code.match_indices(word);
        starts.filter_map(move |(at, _)| {
            let (head, body) = code.get(at + word.len()..)?.split_once(" {")?;
            let (name, columns) = head.split_once('(').unwrap_or((head, ""));
            let is_name = name.chars().all(char::is_alphanumeric) && !columns.contains(';');
            is_name.then(|| (name.to_owned(), split(columns).len(), inner(body)))
        })
    };
    let of = |name| Type {
        module: module.to_owned(),
        name,
        fields: Vec::new(),
        variants: Vec::new(),
        columns: 0,
        is_based: false,
    };
    let structs = blocks("struct ").map(|(name, columns, body)| Type {
        fields: fields(body),
        columns,
        is_based: body.contains(" = "),
        ..of(name)
    });
    let enums = blocks("enum ").map(|(name, _, body)| Type {
        variants: variants(body),
        ..of(name)
    });
    structs.chain(enums).collect()
}

/// Takes a name, and what stands in the brackets that open behind it.
fn named<'t>(rest: &'t str, opens: &str) -> Option<(String, &'t str)> {
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    let (name, rest) = rest.split_at(end);
    Some((name.to_owned(), inner(rest.strip_prefix(opens)?)))
}

/// Returns what stands before the bracket that closes.
fn inner(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|letter| {
        depth += i32::from("([{".contains(letter)) - i32::from(")]}".contains(letter));
        depth < 0
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Splits at the commas that stand in no brackets.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|letter| {
        depth += i32::from("([{".contains(letter)) - i32::from(")]}".contains(letter));
        letter == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

fn fields(body: &str) -> Vec<TypeField> {
    let field = |part: &str| {
        let (name, ty) = part.split_once(": ").unwrap_or(("", part));
        let name = name.rsplit(' ').next().unwrap_or(name);
        let (ty, _) = ty.split_once(" = ").unwrap_or((ty, ""));
        (name.to_owned(), ty.to_owned())
    };
    split(body).into_iter().map(field).collect()
}

fn variants(body: &str) -> Vec<(String, Vec<TypeField>)> {
    let variant = |part: &str| {
        let held = named(part, "(").or_else(|| named(part, " {"));
        let (name, held) = held.unwrap_or((part.to_owned(), ""));
        (name, fields(held))
    };
    split(body).into_iter().map(variant).collect()
}
