use std::fs;
use std::time::Duration;

use super::*;
use crate::stores::RecordDetail;

/// Reads two files, and leaves their folder out of what is said.
fn read<T>(managed: &str, user: &str, table: fn(Config) -> ConfigResult<T>) -> Result<T, String> {
    let place = tempfile::tempdir().unwrap();
    let written = |name: &str, text: &str| {
        fs::write(place.path().join(name), text).unwrap();
        Some(place.path().join(name))
    };
    let files = [written("managed.toml", managed), written("user.toml", user)];
    let folder = format!("{}/", place.path().display());
    table(Config::read(files)).map_err(|error| error.to_string().replace(&folder, ""))
}

#[test]
fn what_is_missing_has_its_default_and_none_is_no_limit() {
    let session = |text| read("", text, |config| config.session).unwrap();
    let unlimited = session("[model]\n[session]\ninjection_size_limit = \"none\"\n");
    let expected = InjectionLimits {
        injection_size_limit: None,
        ..InjectionLimits::default()
    };
    assert_eq!(unlimited, expected);
    assert_eq!(session("[model]\n"), InjectionLimits::default());
    assert_eq!(session(""), InjectionLimits::default());
    let nowhere = Config::read([None, None]);
    assert_eq!(nowhere.session, Ok(InjectionLimits::default()));
    assert_eq!(nowhere.fleet, Ok(FleetSettings::default()));
}

#[test]
fn a_table_of_the_administrator_is_taken_as_a_whole() {
    let managed = "[session]\nstrict = true\n";
    let user = "[session]\ninjection_budget_per_turn = 1000000\n";
    let session = read(managed, user, |config| config.session).unwrap();
    assert_eq!(
        (session.strict, session.injection_budget_per_turn),
        (true, Some(10_000))
    );
    let user = "[fleet]\nserver = \"tls://a:4222\"\nlevel = \"redacted\"\n";
    let own = read("", user, |config| config.fleet).unwrap();
    assert_eq!(own.level, RecordDetail::Payload);
    let managed = "[fleet]\nserver = \"tls://b:4222\"\n";
    let fleet = read(managed, user, |config| config.fleet).unwrap();
    assert_eq!(
        (fleet.server.as_deref(), fleet.level),
        (Some("tls://b:4222"), RecordDetail::Verdicts)
    );
    let export = |managed| {
        let user = "[export]\notlp = \"http://a\"\nauthorization = \"Bearer x\"\n";
        read(managed, user, |config| config.export).unwrap()
    };
    assert_eq!(export("").authorization.as_deref(), Some("Bearer x"));
    assert_eq!(
        export("[export]\notlp = \"https://b\"\n").authorization,
        None
    );
    assert_eq!(export("[export]\n").otlp, None);
}

#[test]
fn the_record_is_required_where_the_administrator_says_so_whatever_the_person_keeps() {
    let user = "[record]\ninput = \"none\"\nsize = 8\ndays = 7\n[audit]\nrequired = false\n";
    let record = |managed, user| read(managed, user, |config| config.record);
    let own = record("", user).unwrap();
    assert_eq!(
        (own.keep, own.retention().total, own.retention().days),
        (RecordDetail::Verdicts, 8 << 20, 7)
    );
    assert_eq!(
        own.retention().segment,
        2 << 20,
        "no segment is longer than a quarter of all"
    );
    let managed = record("[audit]\nrequired = true\n", user).unwrap();
    assert_eq!(
        (managed.required, managed.keep),
        (true, RecordDetail::Verdicts)
    );
    let shape = record("[record]\ninput = \"shape\"\n", user).unwrap();
    assert_eq!(shape.keep, RecordDetail::Shape);
    let seen = |text| record("", text).unwrap().refusals;
    assert!(seen("") && seen("[record]\ndays = 7\n") && !seen("[record]\nrefusals = false\n"));
    let strict = RecordSettings::unreadable();
    assert_eq!(
        (strict.required, strict.keep),
        (true, RecordDetail::Verdicts)
    );
}

#[test]
fn a_passphrase_is_required_if_the_administrator_or_the_person_says_so() {
    for (managed, user, required) in [
        ("", "", false),
        ("required", "optional", true),
        ("optional", "required", true),
        ("optional", "", false),
    ] {
        let table = |text: &str| match text {
            "" => String::new(),
            text => format!("[approve]\npassphrase = \"{text}\"\n"),
        };
        let found = read(&table(managed), &table(user), |config| config.approve).unwrap();
        assert_eq!(found.passphrase_required, required, "{managed} {user}");
    }
    assert!(AnswerSettings::unreadable().passphrase_required);
}

#[test]
fn the_administrator_decides_first_how_long_is_waited() {
    let wait = |managed| {
        let found = read(managed, "[approve]\nwait = 90\n", |config| config.approve);
        found.unwrap().wait
    };
    assert_eq!(wait("[approve]\nwait = false\n"), Some(Duration::ZERO));
    assert_eq!(
        wait("[approve]\npassphrase = \"optional\"\n"),
        Some(Duration::from_secs(90))
    );
    let text =
        "[notify]\ncommands = [[\"notify-send\", \"Anyhook\"]]\npage = \"http://localhost:1/\"\n";
    let notify = read("", text, |config| config.notify).unwrap();
    assert_eq!(notify.commands, [["notify-send", "Anyhook"]]);
    assert_eq!(notify.page, "http://localhost:1");
}

#[test]
fn an_address_that_others_on_the_way_cannot_read_is_taken() {
    let fleet = |server: &str| {
        let text = format!("[fleet]\nserver = \"{server}\"\n");
        read("", &text, |config| config.fleet)
    };
    for server in [
        "tls://nats.example.com",
        "nats://127.0.0.1:4222",
        "nats://localhost",
        "tls://a.example.com:4222,tls://b.example.com:4222",
    ] {
        assert!(fleet(server).is_ok(), "{server}");
    }
}

#[test]
fn a_list_of_hosts_allows_what_it_names_and_nothing_else() {
    let text = "[http]\nhosts = [\"hooks.example.com\", \"*.corp.example\"]\nenv = []\n";
    let reach = read("", text, |config| config.http).unwrap();
    for host in ["HOOKS.example.com", "a.corp.example", "a.b.corp.example"] {
        assert!(reach.allows(host), "{host}");
    }
    for host in [
        "example.com",
        "corp.example",
        "acorp.example",
        ".corp.example",
        "localhost",
    ] {
        assert!(!reach.allows(host), "{host}");
    }
    assert!(!reach.sends("TOKEN"));
}

#[test]
fn a_mistake_is_named_with_its_place_and_what_is_meant_and_leaves_the_other_tables_alone() {
    for row in include_str!("mistakes.txt").split("\n\n").skip(1) {
        let (text, expected) = row.trim_end().split_once("\n  ").unwrap();
        let text = &text.replace('⏎', "\n");
        let said = read("", text, |config| match &*config.mistakes() {
            [one] => Err::<(), _>(one.clone()),
            other => panic!("{other:?}"),
        });
        assert_eq!(said, Err(format!("`user.toml:{expected}")));
    }
    let broken = read("", "[session\n", |config| config.session).unwrap_err();
    assert!(broken.starts_with("`user.toml:1:"), "{broken}");
    let held = read(
        "",
        "[audit]\nneeded = 1\n[session]\nstrict = true\n",
        |config| config.session,
    );
    assert_eq!(held.map(|session| session.strict), Ok(true));
}
