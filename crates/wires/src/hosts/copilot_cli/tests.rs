#[test]
fn later() {}
