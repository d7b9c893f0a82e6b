//! What a survey found, in words: of a file how it stands with its person, of a hook whether it runs.

use anyhook_core::taxonomy;
use anyhook_engine::trust::PinStatus;

use super::{HookStatus, LayerFile, LayerHook};

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
            Some(PinStatus::Trusted) => "trusted".to_owned(),
            Some(PinStatus::Never(None)) if self.hooks.is_empty() => "holds no hooks".to_owned(),
            Some(PinStatus::Never(None)) => "not trusted: does not run under an agent".to_owned(),
            Some(PinStatus::Never(Some(why))) => {
                format!("not trusted ({why}): what it guards is asked about")
            }
            Some(PinStatus::Changed(_)) if self.file.symlink_metadata().is_err() => {
                return "gone, and guards as you trusted it: bring it back, or type anyhook trust --forget"
                    .to_owned();
            }
            Some(PinStatus::Changed(changes)) => {
                let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                format!(
                    "trusted; a newer version waits for you: {}",
                    changes.join(", ")
                )
            }
            Some(PinStatus::Unreadable(why)) => format!("cannot be read: {why}"),
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
            // An event of a person's own is far from every other one.
            HookStatus::Yes if taxonomy::suggest(self.hook.event.as_str()).is_some() => {
                "never asked: no such event".to_owned()
            }
            HookStatus::Yes => "on".to_owned(),
            HookStatus::Off(by) => format!("off: {by}"),
            HookStatus::Untrusted => match &file.standing {
                Some(PinStatus::Never(Some(_))) => "asks: it cannot run".to_owned(),
                Some(_) | None => "not trusted".to_owned(),
            },
        }
    }
}
