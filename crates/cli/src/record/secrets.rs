//! What does not go into a file that is committed: secrets, by the name of their field and by their shape.

use regex_lite::Regex;
use serde_json::Value;

/// Stands where a secret was.
const GONE: &str = "[redacted]";

/// A field whose name has one of these words holds a secret.
const NAMES: &[&str] = &[
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "signature",
    "token",
];

/// Fields whose names have such a word, and that count something.
const COUNTS: &[&str] = &[
    "tokens",
    "maxtokens",
    "inputtokens",
    "outputtokens",
    "tokencount",
    "tokenbudget",
];

/// Secrets that are known by how they look.
const SHAPES: &[&str] = &[
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)",
    // Providers of models, code, clouds, payment and chat.
    r"\b(sk|pk|rk)[-_](ant-|proj-|live[-_]|test[-_]|or-)?[A-Za-z0-9_-]{16,}",
    r"\b(gh[pousr]|github_pat|glpat|npm|pypi|hf|dop_v1|shpat)[_-][A-Za-z0-9_-]{16,}",
    r"\b(AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bya29\.[A-Za-z0-9_-]{20,}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    // What stands behind a word that says so.
    r"(?i)\b(bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{16,}",
    r#"(?i)\b[a-z0-9_-]*(password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?[^\s"'&;,]{6,}"#,
    // Who and with which password, in an address.
    r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@",
];

/// Takes secrets out of every text of a value, and changes what is left by `also`.
pub(super) fn without(value: &mut Value, also: &dyn Fn(String) -> String) {
    let shapes: Vec<Regex> = SHAPES
        .iter()
        .filter_map(|shape| Regex::new(shape).ok())
        .collect();
    if shapes.len() == SHAPES.len() {
        walk(value, &shapes, also);
    } else {
        // A shape that cannot be looked for hides nothing: then nothing is kept.
        *value = GONE.into();
    }
}

fn walk(value: &mut Value, shapes: &[Regex], also: &dyn Fn(String) -> String) {
    match value {
        Value::String(text) => *text = also(clean(text, shapes)),
        Value::Array(list) => list.iter_mut().for_each(|value| walk(value, shapes, also)),
        Value::Object(map) => {
            let pairs = std::mem::take(map).into_iter();
            for (key, mut value) in pairs {
                if is_secret(&key) {
                    value = GONE.into();
                } else {
                    walk(&mut value, shapes, also);
                }
                map.insert(also(clean(&key, shapes)), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(text: &str, shapes: &[Regex]) -> String {
    shapes.iter().fold(text.to_owned(), |text, shape| {
        shape.replace_all(&text, GONE).into_owned()
    })
}

fn is_secret(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    !COUNTS.contains(&plain.as_str()) && NAMES.iter().any(|name| plain.contains(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cleaned(mut value: Value) -> Value {
        without(&mut value, &|text| text);
        value
    }

    #[test]
    fn no_known_shape_of_a_secret_is_left() {
        let long = "abcdefghijklmnopqrstuvwxyz0123456789";
        let secrets = [
            format!("sk-ant-{long}"),
            format!("ghp_{long}"),
            "AKIAABCDEFGHIJKLMNOP".to_owned(),
            format!("xoxb-{long}"),
            format!("eyJhbGciOiJI.{long}.{long}"),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{long}\n{long}"),
            format!("Authorization: Bearer {long}"),
            "DB_PASSWORD=hunter22x".to_owned(),
            "postgres://me:hunter22x@db/".to_owned(),
        ];
        for secret in secrets {
            let text =
                cleaned(json!({"toolInput": {"command": format!("run {secret}")}})).to_string();
            for part in [long, "hunter22x", "AKIAABCDEFGHIJKLMNOP"] {
                assert!(!text.contains(part), "{text}");
            }
            assert!(text.contains(GONE) && text.contains("run "), "{text}");
        }
    }

    #[test]
    fn a_field_whose_name_says_so_is_a_secret_whatever_it_holds() {
        let said = json!({
            "apiKey": 5, "nested": [{"client_secret": ["a"]}], "max_tokens": 9, "command": "git push",
            "Set-Cookie": "x",
        });
        assert_eq!(
            cleaned(said),
            json!({
                "apiKey": GONE, "nested": [{"client_secret": GONE}], "max_tokens": 9, "command": "git push",
                "Set-Cookie": GONE,
            })
        );
    }
}
