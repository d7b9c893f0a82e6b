//! Which machine this is, as the policy calls it.

use std::path::Path;

use anyhook::files;

use crate::disk;
use crate::error::PolicyError;
use crate::keys::random;

/// Where Linux keeps the id of a machine.
const SYSTEM: &str = "/etc/machine-id";

/// What a policy calls a machine.
///
/// ```
/// use anyhook_fleet::Machine;
///
/// let machine = Machine::called("a laptop");
/// assert_eq!(machine.id.len(), 16);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its id: 16 signs.
    pub id: String,
}

impl Machine {
    /// Finds out which machine this is: by the system's id, else by one that is kept below the managed folder.
    pub fn here(managed: &Path) -> Result<Self, PolicyError> {
        let own = managed.join("machine");
        for file in [&own, Path::new(SYSTEM)] {
            let id = files::read_up_to(file, 256).ok();
            let id = id.and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some(id) = id.filter(|id| id.trim().len() >= 8) {
                return Ok(Self::called(id.trim()));
            }
        }
        let id = files::hex(&random::<16>()?);
        disk::folder(managed)?;
        disk::replace(&own, id.as_bytes(), 0o644)?;
        Ok(Self::called(&id))
    }

    /// Names a machine by its system's id, which a policy and a record need not show.
    pub fn called(id: &str) -> Self {
        let mut id = files::digest(format!("anyhook machine\0{id}").as_bytes());
        id.truncate(16);
        Self { id }
    }
}
