//! The structs and enums that tables fill, as the sources define them.

use std::fs;
use std::path::Path;

/// Where they stand, and how a module of a table calls that place.
const SOURCES: &[(&str, &str)] = &[
    ("answer.rs", "crate::answer"),
    ("health.rs", "crate::health"),
    ("hosts/relative.rs", "crate::hosts::relative"),
    ("hosts/relative/row.rs", "crate::hosts::relative::row"),
    ("hosts/relative/words.rs", "crate::hosts::relative::words"),
    ("lib.rs", "crate"),
    ("native_files.rs", "crate::native_files"),
    ("native_files/row.rs", "crate::native_files::row"),
    ("payload.rs", "crate::payload"),
    ("payload/tool.rs", "crate::payload::tool"),
    ("prompts.rs", "crate::prompts"),
    ("settings.rs", "crate::settings"),
    ("settings/posted.rs", "crate::settings::posted"),
    ("version.rs", "crate::version"),
];

/// The two of another crate. Those that they name are taken for enums of plain names.
const OF_CORE: &[(&str, &str)] = &[
    (
        "anyhook_core::can",
        "struct Can { verdicts: &'static [Kind], rewrite: &'static [&'static str], coupling: Coupling, \
         inject: Option<Manner>, notify: Shown, native: &'static [&'static str], later: Later, texts: Texts }",
    ),
    (
        "anyhook_core::can",
        "struct Manner { roles: &'static [Role], lifetimes: &'static [Lifetime], places: &'static [Placing], \
         when_refused: Shown }",
    ),
    (
        "anyhook_core::hook",
        "enum At { Subject, Field(&'static [&'static str]) }",
    ),
];

/// A field, and the text of its type.
pub(super) type Field = (String, String);

/// A struct or an enum.
pub(super) struct Type {
    module: &'static str,
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    /// What each variant holds; what has no names is numbered.
    pub(super) variants: Vec<(String, Vec<Field>)>,
    /// The types that its `new` takes.
    pub(super) columns: Vec<String>,
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
            |(_, held): &(String, Vec<Field>)| held.iter().any(|(name, _)| !name.is_empty());
        self.variants.is_empty() || self.variants.iter().any(has_names)
    }
}

/// Reads all of them.
pub(super) fn read(sources: &Path) -> Result<Vec<Type>, String> {
    let of_core = OF_CORE
        .iter()
        .flat_map(|(module, text)| of_text(module, text));
    let mut all: Vec<Type> = of_core.collect();
    for (file, module) in SOURCES {
        let text = fs::read_to_string(sources.join(file));
        let text = text.map_err(|cause| format!("{file}: {cause}"))?;
        let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with("#[");
        let lines: Vec<&str> = text.lines().map(str::trim).filter(is_code).collect();
        all.extend(of_text(module, &lines.join(" ")));
    }
    Ok(all)
}

fn of_text(module: &'static str, code: &str) -> Vec<Type> {
    let blocks = |word: &'static str| {
        let starts = code
            .match_indices(word)
            .filter_map(|(at, _)| code.get(at..));
        starts.filter_map(move |rest| named(rest.strip_prefix(word)?, " {"))
    };
    let of = |name| Type {
        module,
        name,
        fields: Vec::new(),
        variants: Vec::new(),
        columns: Vec::new(),
        is_based: false,
    };
    let structs = blocks("struct ").map(|(name, body)| Type {
        fields: fields(body),
        is_based: body.contains(" = "),
        ..of(name)
    });
    let enums = blocks("enum ").map(|(name, body)| Type {
        variants: variants(body),
        ..of(name)
    });
    let mut all: Vec<Type> = structs.chain(enums).collect();
    for (name, body) in blocks("impl ") {
        if let Some(of) = all.iter_mut().find(|of| of.name == name) {
            let mut functions = body.split("const fn ").filter_map(|rest| named(rest, "("));
            if let Some((_, taken)) = functions.find(|(name, _)| name == "new") {
                of.columns = fields(taken).into_iter().map(|(_, ty)| ty).collect();
            }
        }
    }
    all
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

fn fields(body: &str) -> Vec<Field> {
    let field = |part: &str| {
        let (name, ty) = part.split_once(": ").unwrap_or(("", part));
        let name = name.rsplit(' ').next().unwrap_or(name);
        let (ty, _) = ty.split_once(" = ").unwrap_or((ty, ""));
        (name.to_owned(), ty.to_owned())
    };
    split(body).into_iter().map(field).collect()
}

fn variants(body: &str) -> Vec<(String, Vec<Field>)> {
    let variant = |part: &str| {
        let held = named(part, "(").or_else(|| named(part, " {"));
        let (name, held) = held.unwrap_or((part.to_owned(), ""));
        (name, fields(held))
    };
    split(body).into_iter().map(variant).collect()
}
