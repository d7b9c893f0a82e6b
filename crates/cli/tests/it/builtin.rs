//! The modules that are built in, asked through `hooks.json` by real processes.

use crate::env::TestEnv;

#[test]
fn the_guide_names_every_module_and_its_file_is_without_a_finding() {
    let guide = std::fs::read_to_string(crate::env::repository().join("docs/modules.md")).unwrap();
    for module in anyhook::modules::MODULES {
        let summary = module.summary;
        let row = format!("| {summary} |");
        assert!(guide.contains(&row), "{row}");
    }
    let (_, rest) = guide.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let env = TestEnv::new();
    let file = env.manifest(example);
    assert_eq!(anyhook::load::parse(&file, example).unwrap().findings, []);
    let left = env.anyhook("check");
    assert_eq!(left.code, 0, "{left:?}");
}
