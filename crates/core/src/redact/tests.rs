use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The lines of a test, which stand in a file under its name.
fn rows(name: &str) -> impl Iterator<Item = String> {
    let text = include_str!("lines.txt");
    let (_, rows) = text.split_once(&format!("\n[{name}]\n")).unwrap();
    let rows = rows.lines().take_while(|row| !row.is_empty());
    rows.map(|row| row.replace('⏎', "\n"))
}

#[test]
fn every_rule_finds_its_good_sample_and_leaves_its_bad_one() {
    for rule in RULES {
        let good = rule.good.concat();
        let mut found = MatchedRules::new();
        let safe = Redactor::default().text(&good, &mut found).into_owned();
        assert!(found.contains(rule.id), "{}: {safe}", rule.id);
        assert_eq!(text(rule.bad), rule.bad, "{}", rule.id);
        assert_eq!(
            text(&safe),
            safe,
            "{}: a marker is nothing to hide",
            rule.id
        );
    }
}

#[test]
fn every_rule_has_one_id_and_a_pattern_that_can_be_read() {
    let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
    assert!(RULES.len() <= 128, "one bit each");
    for rule in RULES {
        if let SecretShape::Pattern { regex, .. } = rule.shape {
            assert!(regex_lite::Regex::new(regex).is_ok(), "{}", rule.id);
        }
    }
}

#[test]
fn there_are_forty_kinds_of_secrets_and_eight_of_personal_data() {
    let count = |class| RULES.iter().filter(|rule| rule.class == class).count();
    assert_eq!(
        (
            count(RedactionClass::Secret),
            count(RedactionClass::Personal)
        ),
        (72, 11)
    );
}

#[test]
fn ids_and_times_are_never_touched() {
    let data = json!({
        "session_id": "550e8400-e29b-41d4-a716-446655440000",
        "parent_id": "jane@example.org",
        "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
        "timestamp": "2026-11-21T17:15:29.000+00:00",
        "nested": {
            "uuid": "41111111-1111-4111-8111-111111111111",
            "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "at_ms": 1_700_000_000_000_u64,
            "started_at": 1_700_000_000_000_000_u64,
            "when": "2026-11-21 17:15:29 +0200",
            "version": "1.95.0-nightly",
            "ip": "192.168.100.200",
        },
    });
    let mut safe = data.clone();
    assert_eq!((value(&mut safe), safe), (MatchedRules::new(), data));
}

#[test]
fn code_without_secrets_stays_as_it_is() {
    for code in rows("code") {
        assert_eq!(text(&code), code);
    }
}

#[test]
fn a_secret_is_found_wherever_it_stands_in_a_text() {
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let marker = "[REDACTED:SECRET:github-token]";
    for (before, after) in [
        ("", ""),
        ("export GH=", "\n"),
        ("\"", "\","),
        ("é", "é"),
        ("x", " y"),
        ("{\\\"a\\\":\\\"", "\\\"}"),
        ("https://x?t=", "&y=1"),
    ] {
        let said = format!("{before}{token}{after}");
        assert!(!text(&said).contains(&token), "{said}");
        assert!(text(&said).contains(marker), "{said}");
    }
}

#[test]
fn the_token_of_a_header_is_hidden_also_where_it_is_letters_alone() {
    let token = ["VfKDknYtwmkdTiXG", "SSMfCFsoNDsfYjgo"].concat();
    for header in [
        "Authorization: Bearer ",
        "authorization:bearer ",
        "-H 'Authorization: token ",
        "{\"Authorization\": \"Bearer ",
        "{\\\"Authorization\\\": \\\"Bearer ",
    ] {
        let said = text(&format!("{header}{token}'")).into_owned();
        assert_eq!(
            said,
            format!("{header}[REDACTED:SECRET:authorization-header]'")
        );
    }
}

#[test]
fn a_long_key_is_hidden_to_its_end() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(200);
    let begin = ["-----BEGIN PRIVATE ", "KEY-----"].concat();
    let end = ["-----END PRIVATE ", "KEY-----"].concat();
    let whole = format!("a\n{begin}\n{body}{end}\nb");
    assert_eq!(text(&whole), "a\n[REDACTED:SECRET:private-key]\nb");
    let torn = format!("a\n{begin}\n{body}");
    assert_eq!(
        text(&torn),
        "a\n[REDACTED:SECRET:private-key]",
        "one without an end, too"
    );
}

#[test]
fn what_is_too_long_or_too_deep_is_hidden_as_a_whole() {
    let mut long = json!({"tool_result": {"out": "a".repeat(LONGEST + 1)}, "n": 1});
    assert_eq!(
        value(&mut long).into_iter().collect::<Vec<_>>(),
        ["unscanned"]
    );
    assert_eq!(long, json!({"tool_result": {"out": UNSCANNED}, "n": 1}));

    let mut deep = json!("jane@example.org");
    for _ in 0..200 {
        deep = json!([deep]);
    }
    value(&mut deep);
    assert!(!deep.to_string().contains("jane"));
}

#[test]
fn keys_are_texts_too_and_lose_no_value() {
    let (a, b) = ("jane@example.org", "joe@example.org");
    let mut data = json!({"people": {a: 1, b: 2, "x": 3}});
    value(&mut data);
    assert_eq!(
        data,
        json!({"people": {"[REDACTED:PII:email]": 1, "[REDACTED:PII:email] 2": 2, "x": 3}})
    );
}

#[test]
fn a_card_number_without_quotes_is_hidden_and_a_count_is_not() {
    let mut data =
        json!({"input": {"card": 4_111_111_111_111_111_u64, "count": 4_111_111_111_111_112_u64}});
    value(&mut data);
    assert_eq!(
        data,
        json!({"input": {"card": "[REDACTED:PII:payment-card]", "count": 4_111_111_111_111_112_u64}})
    );
}

#[test]
fn a_place_that_several_rules_find_is_hidden_once() {
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let said = format!("Authorization: Bearer {token}");
    assert_eq!(
        text(&said),
        "Authorization: Bearer [REDACTED:SECRET:github-token]"
    );
}

/// Puts a text somewhere into a value: in a field, in a key, between lines, deep in lists.
fn buried(secret: &str, place: u8, noise: &str) -> Value {
    match place % 6 {
        0 => json!({"prompt": secret}),
        1 => json!({"tool_input": {"a": [{"b": format!("{noise}\n {secret}\n{noise}")}]}}),
        2 => json!({"tool_input": {secret: noise}}),
        3 => {
            json!({"tool_result": {"stdout": format!("{noise} {secret} {noise}")}, "n": [1, null]})
        }
        4 => json!({"messages": [[[{"content": json!({"inner": secret}).to_string()}]]]}),
        _ => json!({"error": format!("cannot log in with '{secret}'")}),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_survives_and_the_shape_stays(
        rule in 0..RULES.len(),
        seed in any::<u32>(),
        place in any::<u8>(),
        noise in "[ a-zA-Zé.,:;]{0,40}",
    ) {
        let rule = &RULES[rule];
        let mut last = seed;
        let mut draw = || {
            last = last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            last >> 8
        };
        let secret = made_up(rule, &mut draw);
        let mut data = buried(&secret, place, &noise);
        let before = data.clone();
        let found = value(&mut data);
        prop_assert!(!found.is_empty(), "{} {before}", rule.id);
        let hidden = telling(rule, &secret);
        prop_assert!(!data.to_string().contains(&hidden), "{}: {data}", rule.id);
        prop_assert_eq!(shape(&before), shape(&data));
        let again = data.clone();
        value(&mut data);
        prop_assert_eq!(again, data);
    }

    #[test]
    fn no_text_makes_it_panic(said in "(?s).{0,300}") {
        let _ = text(&said);
    }
}

/// Makes a secret up, by numbers that the caller draws; what has a checksum is always the good sample.
fn made_up(rule: &RedactionRule, draw: &mut dyn FnMut() -> u32) -> String {
    let mut letters = |set: &str, count: usize| -> String {
        let of_set: &[u8] = match set {
            "digits" => b"0123456789",
            "hex" => b"0123456789abcdef",
            "upper" => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            _ => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        };
        let drawn = (0..count).map(|_| char::from(of_set[draw() as usize % of_set.len()]));
        drawn.collect()
    };
    match rule.shape {
        SecretShape::Token {
            prefixes,
            body,
            least,
            ..
        } => {
            let prefix = prefixes[least % prefixes.len()];
            prefix.to_owned() + &letters(&format!("{body:?}").to_lowercase(), least + 3)
        }
        SecretShape::Pattern { .. } if rule.made.is_empty() => rule.good.concat(),
        SecretShape::Pattern { .. } => {
            let mut made = String::new();
            for (text, drawn) in parts(rule.made) {
                made += text;
                made += &drawn.map_or(String::new(), |(set, count)| letters(set, count));
            }
            made
        }
    }
}

/// The parts of a made-up text: each a text, and a set and a number of letters that are drawn behind it.
fn parts(made: &str) -> Vec<(&str, Option<(&str, usize)>)> {
    let part = |part| match str::split_once(part, '<') {
        Some((text, drawn)) => {
            let (set, count) = drawn.split_once(' ').unwrap();
            (text, Some((set, count.parse().unwrap())))
        }
        None => (part, None),
    };
    made.split('>').map(part).collect()
}

/// The part of a made-up secret that lets a stranger in.
fn telling(rule: &RedactionRule, secret: &str) -> String {
    if matches!(rule.shape, SecretShape::Token { .. }) {
        return secret.to_owned();
    }
    // The longest run of drawn letters, where there is one.
    let drawn = parts(rule.made).into_iter().filter_map(|(_, drawn)| drawn);
    let most = drawn.map(|(_, count)| count).max().unwrap_or(0);
    let mut runs = secret.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    runs.find(|run| run.len() >= most.max(8))
        .unwrap_or(secret)
        .to_owned()
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.values().map(shape).collect(),
        Value::Array(list) => list.iter().map(shape).collect(),
        _ => Value::Null,
    }
}

#[test]
fn no_rule_describes_a_short_word_so_none_is_looked_through() {
    let is_word = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphabetic() || b"_-".contains(&b))
    };
    for rule in RULES {
        match rule.shape {
            SecretShape::Token {
                prefixes, least, ..
            } => {
                let mut words = prefixes.iter().filter(|prefix| is_word(prefix));
                assert!(
                    words.all(|word| word.len() + least >= scan::LONG),
                    "{}",
                    rule.id
                );
            }
            SecretShape::Pattern { near, regex, .. } => {
                let keywords = match near {
                    Prefilter::Words(keywords) => keywords,
                    Prefilter::Digits(least) => {
                        assert!(least >= scan::FEWEST, "{}", rule.id);
                        &[]
                    }
                };
                let regex = regex_lite::Regex::new(regex).unwrap();
                for keyword in keywords.iter().chain(&[""]).filter(|word| is_word(word)) {
                    let fillers = ["a", "F", "Z", "_", "-", "aB", "xY-", "ab_", "dead-beef-"];
                    let room = scan::LONG - 1 - keyword.len();
                    for (filler, before) in fillers
                        .iter()
                        .flat_map(|one| (0..=room).map(move |at| (one, at)))
                    {
                        let fill =
                            |length: usize| filler.chars().cycle().take(length).collect::<String>();
                        let text =
                            [fill(before), (*keyword).to_owned(), fill(room - before)].concat();
                        assert!(!regex.is_match(&text), "{}: {text}", rule.id);
                    }
                }
            }
        }
    }
}

#[test]
fn of_a_long_secret_everything_is_hidden() {
    let long = "aB3dE5fG7h".repeat(40);
    for (before, after) in [
        ("export PASSWORD=", "\n"),
        ("deploy --password ", " now"),
        ("curl -u admin:", " x"),
        ("postgres://app:", "@db/x"),
    ] {
        let said = text(&format!("{before}{long}{after}")).into_owned();
        assert!(said.starts_with(before) && said.ends_with(after), "{said}");
        assert!(!said.contains("fG7h"), "{said}");
    }
}

#[test]
fn a_number_of_a_person_is_found_whatever_stands_close_to_it() {
    for (number, id) in [
        ("MT84 MALT 0110 0001 2345 MTLC AST0 01S", "iban"),
        ("GB29NWBK60161331926819", "iban"),
        ("AB 12 34 56 C", "uk-nino"),
        ("X1234567L", "es-dni"),
        ("(202) 555-0143", "phone"),
        ("+44 (0) 20 7946 0958", "phone"),
    ] {
        for (before, after) in [
            ("", ""),
            ("1 a ", " b 22"),
            ("12:30 ", ", 3 of 4"),
            ("é", "\n7"),
        ] {
            let said = text(&format!("{before}{number}{after}")).into_owned();
            assert_eq!(said, format!("{before}[REDACTED:PII:{id}]{after}"));
        }
    }
}

#[test]
fn a_password_that_a_program_gets_as_an_argument_is_hidden_and_the_rest_stays() {
    const SECRET: &str = "S3cretPw";
    for line in rows("hidden") {
        let told = line.replace('*', ARGUMENT_MARKER);
        // A rule of the table may find it too, and name it.
        let mut found = text(&line.replace('*', SECRET)).into_owned();
        for rule in ["assigned-secret", "secret-option", "user-option"] {
            found = found.replace(rule, ARGUMENT);
        }
        assert_eq!(found, told);
        assert_eq!(text(&told), told, "a marker is nothing to hide");
    }
    let mut list = json!({"argv": ["docker", "login", "-u", "me", "-p", SECRET, "reg"]});
    value(&mut list);
    assert_eq!(
        list["argv"],
        json!(["docker", "login", "-u", "me", "-p", ARGUMENT_MARKER, "reg"])
    );
}

#[test]
fn a_secret_in_a_list_of_words_that_several_rows_find_is_hidden_once() {
    let password = "a".repeat(60);
    let mut list =
        json!({"argv": ["mongosh", "--password", password, &format!("--password={password}")]});
    value(&mut list);
    let joined = format!("--password={ARGUMENT_MARKER}");
    assert_eq!(
        list["argv"],
        json!(["mongosh", "--password", ARGUMENT_MARKER, joined])
    );
}

#[test]
fn what_is_no_secret_of_a_program_stays_in_a_command() {
    for line in rows("stays") {
        assert_eq!(text(&line), line);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_as_commands_and_what_was_hidden_stays_hidden(line in "(mysql -p|echo | ?\\|? docker secret|<<E|'|\"|\\\\|\\$|\n|ü|x| ){0,20}") {
        let safe = text(&line).into_owned();
        // Half of a quote may be hidden, so that a second reading finds other words; it only hides more.
        let hidden = |text: &str| text.matches("[REDACTED:").count();
        prop_assert!(hidden(&text(&safe)) >= hidden(&safe));
    }
}
