//! Errors of a YAML text, in words for the person who wrote it: the parser's own are for programmers.

use anyhook_core::taxonomy::nearest;
use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

/// What is wrong, and what helps.
pub(super) fn words(error: &Error) -> (String, Option<String>) {
    if let Error::AliasError { error, .. } = error {
        // What an alias stands for is wrong: that is what there is to tell.
        return words(error);
    }
    let text = match error {
        Error::Eof { .. } => "the file ends where more belongs".to_owned(),
        Error::MultipleDocuments { .. }
        | Error::Budget {
            breach: BudgetBreach::Documents { .. },
            ..
        } => "a file is one document: a line of `---` begins another".to_owned(),
        Error::Budget {
            breach: BudgetBreach::MergeKeys { .. },
            ..
        } => "`<<` takes over fields from elsewhere: write them out".to_owned(),
        Error::Budget { .. } => "this is too long or too deep to be written by hand".to_owned(),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            "aliases stand for too much: write it out".to_owned()
        }
        Error::Unexpected { expected, .. } => belongs(expected),
        Error::ExternallyTaggedEnumExpectedScalarOrMapping { .. } => belongs("scalar"),
        Error::InvalidScalar { ty, .. } if ty.starts_with('u') => {
            "a whole number from 0 up belongs here".to_owned()
        }
        Error::InvalidBooleanStrict { .. } => "`true` or `false` belongs here".to_owned(),
        Error::NullIntoString { .. } => "a text belongs here, and there is none".to_owned(),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the field `{key}` stands here a second time")
        }
        Error::DuplicateMappingKey { key: None, .. } => {
            "a field stands here a second time".to_owned()
        }
        other => plain(other),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    (words.join(" "), help(error))
}

/// What belongs where something else stands.
fn belongs(expected: &str) -> String {
    match expected {
        "mapping start" => "fields belong here, each as `name: value`",
        "sequence start" => "a list belongs here: `[one, two]`, or lines that begin with `-`",
        "string scalar" | "scalar" => "one value belongs here, and no list or mapping",
        other => return format!("expected {other}"),
    }
    .to_owned()
}

/// The name that was meant, where one is near.
fn help(error: &Error) -> Option<String> {
    let (word, known) = match error {
        Error::SerdeUnknownField {
            field, expected, ..
        } => (field, expected),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => (variant, expected),
        _ => return None,
    };
    let near = nearest(word, known.iter().copied())?;
    Some(format!("did you mean `{near}`?"))
}

/// The parser's own message, without the place that it repeats.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => text,
    }
}
