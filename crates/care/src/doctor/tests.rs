use std::collections::BTreeSet;

use super::*;

#[test]
fn every_check_has_a_name_of_its_own() {
    let slugs: BTreeSet<&str> = CHECKS.iter().map(|(slug, _)| *slug).collect();
    assert_eq!(slugs.len(), CHECKS.len());
}

#[test]
fn of_many_names_the_first_are_told_and_how_many_more() {
    assert_eq!(several(&["a"]), "`a`");
    assert_eq!(several(&["a", "b", "c", "d"]), "`a`, `b`, `c`, `d`");
    assert_eq!(
        several(&["a", "b", "c", "d", "e"]),
        "`a`, `b`, `c` and 2 more"
    );
}

#[test]
fn what_only_root_may_write_is_never_fixed_by_itself() {
    let fixes = Scope::ALL.map(|scope| SuggestedFix::install("claude-code", scope));
    let safe = fixes.map(|fix| fix.safe.is_some());
    assert_eq!(safe, [false, true, true, true]);
}

#[test]
fn what_is_managed_and_can_be_changed_by_others_is_a_finding() {
    use std::os::unix::fs::PermissionsExt as _;

    use anyhook_engine::world::{UserFolders, World};

    let place = tempfile::tempdir().unwrap();
    let folder = |name: &str| place.path().join(name);
    std::fs::create_dir_all(folder("managed")).unwrap();
    let file = folder("managed/hooks.json");
    std::fs::write(&file, r#"{"version": 1, "hooks": {}}"#).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let world = World {
        env: [("PATH".into(), folder("bin").into())].into(),
        cwd: place.path().into(),
        places: Some(UserFolders {
            home: place.path().into(),
            config: folder("config"),
            state: folder("state"),
        }),
        managed: folder("managed"),
        ..World::real()
    };
    let installer = Installer {
        world: &world,
        program: &folder("anyhook"),
        root: place.path(),
        os: "linux",
        probe: || (),
    };
    let claude = anyhook_wires::host("claude-code").unwrap();
    let seen = look(&installer, Some(claude)).remove(0);
    let findings = Diagnosis::of(seen).findings;
    let managed: Vec<_> = findings
        .iter()
        .filter(|finding| finding.check == "managed" && finding.file.as_deref() == Some(&*file))
        .collect();
    assert_eq!(managed.len(), 1, "{findings:?}");
    assert_eq!(managed[0].severity, DoctorSeverity::Problem);
    assert!(managed[0].fix.safe.is_none(), "it is root's to mend");
}

#[test]
fn a_policy_that_holds_no_longer_is_a_problem_for_doctor() {
    use anyhook_engine::policy::RevisionStamp;
    use anyhook_engine::world::World;

    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("managed/policy/revisions/3-0a1b2c3d");
    std::fs::create_dir_all(&folder).unwrap();
    let link = place.path().join("managed/policy/current");
    std::os::unix::fs::symlink("revisions/3-0a1b2c3d", link).unwrap();
    let world = World {
        managed: place.path().join("managed"),
        cwd: place.path().into(),
        ..World::real()
    };
    let found = |until: Option<i64>| {
        let stamp = RevisionStamp {
            source: "https://policy.example/x".into(),
            until,
            ..RevisionStamp::default()
        };
        std::fs::write(
            folder.join("stamp.json"),
            serde_json::to_vec(&stamp).unwrap(),
        )
        .unwrap();
        let installer = Installer {
            world: &world,
            program: &place.path().join("anyhook"),
            root: place.path(),
            os: "linux",
            probe: || (),
        };
        let claude = anyhook_wires::host("claude-code").unwrap();
        let findings = Diagnosis::of(look(&installer, Some(claude)).remove(0)).findings;
        let own = |finding: &DoctorFinding| finding.what.contains("policy 3-0a1b2c3d");
        let finding = findings.into_iter().find(own);
        finding.map(|finding| finding.fix.command)
    };
    assert_eq!(found(None), None);
    let fix = "sudo anyhook fleet policy apply https://policy.example/x";
    assert_eq!(found(Some(1)).as_deref(), Some(fix));
    std::fs::remove_file(folder.join("stamp.json")).unwrap();
}
