//! What a survey found, in words: of a file how it stands with its person, of a hook whether it runs.

use anyhook_engine::trust::Standing;

use super::{LayerFile, LayerHook, Runs};

impl LayerFile {
    /// Says in words how the file stands.
    ///
    /// ```
    /// use anyhook_care::survey::LayerFile;
    /// use anyhook_engine::layers::Layer;
    ///
    /// let file = "/etc/anyhook/hooks.json".into();
    /// assert_eq!(LayerFile::absent(Layer::Managed, file).stands(), "not there");
    /// ```
    pub fn stands(&self) -> String {
        let stands = match &self.standing {
            None => "not there".to_owned(),
            Some(_) if !self.layer.needs_trust() => "always trusted".to_owned(),
            Some(Standing::Trusted) => "trusted".to_owned(),
            Some(Standing::Never(None)) => "not trusted: does not run under an agent".to_owned(),
            Some(Standing::Never(Some(why))) => {
                format!("not trusted ({why}): what it guards is asked about")
            }
            Some(Standing::Changed(changes)) => {
                let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                format!(
                    "trusted; a newer version waits for you: {}",
                    changes.join(", ")
                )
            }
            Some(Standing::Unreadable(why)) => format!("cannot be read: {why}"),
        };
        match &self.trouble {
            Some(trouble) => format!("{stands}; {trouble}"),
            None => stands,
        }
    }
}

impl LayerHook {
    /// Says whether the hook of a file runs, and if not, why.
    pub fn state(&self, file: &LayerFile) -> String {
        match &self.runs {
            Runs::Yes => "on".to_owned(),
            Runs::Off(by) => format!("off: {by}"),
            Runs::Untrusted => match &file.standing {
                Some(Standing::Never(Some(_))) => "asks: it cannot run".to_owned(),
                Some(_) | None => "not trusted".to_owned(),
            },
        }
    }
}
