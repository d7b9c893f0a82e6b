//! Repeated runs of a case: what has to be the same each time, and where it was not.

use serde_json::{Map, Value, json};

use crate::judge::{FailedExpectation, Judgement};
use crate::matching::differences;
use crate::play::{Evidence, ProcessOutput};

/// What has to be the same each time that a case is run.
#[derive(PartialEq)]
pub(super) struct RunFingerprint {
    judged: Judgement,
    /// What each hook said, and what the answer was.
    words: Value,
}

impl RunFingerprint {
    /// The room has another name in each job: its name is no difference.
    pub(super) fn of(judged: &Judgement, evidence: &Evidence) -> Self {
        let rooms = evidence.rooms.each_ref().map(|room| room.to_string_lossy());
        let same = |text: &str| {
            let rooms = rooms.iter();
            rooms.fold(text.to_owned(), |text, room| text.replace(&**room, ""))
        };
        let mut words = Map::new();
        let heard = evidence.heard.iter();
        let heard = heard.map(|heard| (&*heard.hook, ProcessOutput::of(&heard.raw)));
        for (who, said) in heard.chain([("the answer", evidence.answer())]) {
            // Hooks of one name that were asked together may end in any order.
            let mut who = format!("`{who}`");
            while words.contains_key(&who) {
                who.push_str(" again");
            }
            let (stdout, stderr) = (same(&said.stdout), same(&said.stderr));
            words.insert(
                who,
                json!({"exit code": said.exit, "stdout": stdout, "stderr": stderr}),
            );
        }
        Self {
            judged: judged.clone(),
            words: words.into(),
        }
    }

    /// Tells what went otherwise the next time: what the hooks said, else what came of it.
    pub(super) fn against(&self, next: &Self) -> FailedExpectation {
        let differences = differences(&self.words, Some(&next.words));
        FailedExpectation {
            about: "repeat",
            message: if differences.is_empty() {
                "the same was said, and something else came of it".to_owned()
            } else {
                "the first run is expected, and the next is found".to_owned()
            },
            differences,
        }
    }
}
