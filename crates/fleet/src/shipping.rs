//! `anyhook fleet ship`: what is new goes to the server of `[fleet]`.

use std::path::{Path, PathBuf};

use anyhook::world::World;

use crate::command::Connecting;
use crate::error::PolicyError;
use crate::fleet_verbs::key;
use crate::keys::Secret;
use crate::machine::Machine;
use crate::rounds::rounds;
use crate::server::Caller;
use crate::ship::{Shipment, Shipped, Shipper};

pub(crate) fn ship(
    connecting: &Connecting,
    managed: &Path,
    is_followed: bool,
) -> Result<String, PolicyError> {
    let world = World::real();
    let Some(places) = &world.places else {
        let what = "there is no home folder, so nothing was stored";
        return Err(PolicyError::unfit(what, "set HOME"));
    };
    let settings = world.config().fleet.clone().map_err(PolicyError::from)?;
    let Some(address) = connecting.server.as_ref().or(settings.server.as_ref()) else {
        let help = "write `server = \"tls://…\"` below [fleet] in config.toml: docs/teams.md";
        return Err(PolicyError::unfit(
            "no server of a fleet is configured",
            help,
        ));
    };
    let Some(file) = connecting.key.as_ref().or(settings.key.as_ref()) else {
        let help = "anyhook fleet keygen NAME; then `key = \"…/NAME.key\"` below [fleet]";
        return Err(PolicyError::unfit("no key of a person is configured", help));
    };
    let (person, key) = key(Some(file))?;
    let shipment = Shipment {
        reports: places.reports(),
        state: places.state.join("fleet"),
        person: person.clone(),
        machine: Machine::of_person(managed, &places.state)?.id().to_owned(),
        level: settings.level,
    };
    let Some(mut shipper) = Shipper::open(shipment, Secret::open(file)?)? else {
        return Ok("another process ships the record of this person\n".to_owned());
    };
    let authority = connecting
        .authority
        .as_ref()
        .or(settings.authority.as_ref());
    let caller = Caller {
        server: address,
        authority: authority.map(PathBuf::as_path),
        name: &person,
        key: &key,
    };
    let mut done = Shipped::default();
    rounds(&caller, is_followed, async |server| {
        shipper.send(server, &mut done).await
    })?;
    let Shipped { batches, records } = done;
    Ok(format!(
        "{records} records were sent in {batches} batches\n"
    ))
}
