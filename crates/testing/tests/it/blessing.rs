//! Expectations that are written from what happens.

use std::num::NonZeroUsize;

use anyhook_testing::{BlessedFile, TestOptions, UnblessedCase, bless};

use crate::package::Package;
use crate::packages::hold;

fn blessed(package: &Package) -> (Vec<BlessedFile>, Vec<String>) {
    let how = TestOptions {
        jobs: NonZeroUsize::MIN,
        repeat: NonZeroUsize::new(2).unwrap(),
        ..TestOptions::default()
    };
    let (blessed, refused) = bless(&package.run_as(&how));
    let why = |UnblessedCase { case, why }: UnblessedCase| format!("{case}: {why}");
    (blessed, refused.into_iter().map(why).collect())
}

/// Blesses the one case. Once it is written it passes, and blessing changes nothing.
#[test]
fn what_becomes_of_a_case_that_is_blessed_is_what_stands_beside_it() {
    hold(include_str!("blessing.txt"), |package| {
        let (first, refused) = blessed(package);
        let [first] = &first[..] else { return refused };
        assert_eq!(refused, [""; 0]);
        package.case("only", &first.after);
        assert_eq!(blessed(package), (Vec::new(), Vec::new()), "{first:?}");
        let softer = first.softens.then_some("softer");
        let lines = softer.into_iter().chain(first.after.lines());
        lines.map(str::to_owned).collect()
    });
}
