//! `anyhook fleet ship`: what is new goes to the server of `[fleet]`.

use std::path::Path;

use anyhook::files::with_causes;
use anyhook::world::World;

use crate::command::ConnectionArgs;
use crate::error::PolicyError;
use crate::machine::Machine;
use crate::rounds::rounds;
use crate::ship::{Shipment, ShipmentSummary, Shipper};

pub(crate) fn ship(
    connecting: ConnectionArgs,
    managed: &Path,
    is_followed: bool,
) -> Result<String, PolicyError> {
    let world = World::real();
    let Some(places) = &world.places else {
        let what = "there is no home folder, so nothing was stored";
        return Err(PolicyError::unfit(what, "set HOME"));
    };
    let settings = world.config().fleet.clone().map_err(|error| {
        let help = "docs/teams.md lists the fields of [fleet]";
        PolicyError::unfit(with_causes(&error), help)
    })?;
    let Some(server) = connecting.server.or(settings.server) else {
        let help = "write `server = \"tls://…\"` below [fleet] in config.toml: docs/teams.md";
        return Err(PolicyError::unfit(
            "no server of a fleet is configured",
            help,
        ));
    };
    let key = connecting.key.or(settings.key);
    if key.is_none() {
        let help = "anyhook fleet keygen NAME; then `key = \"…/NAME.key\"` below [fleet]";
        return Err(PolicyError::unfit("no key of a person is configured", help));
    }
    let authority = connecting.authority.or(settings.authority);
    let connecting = ConnectionArgs {
        key,
        server: None,
        authority,
    };
    let caller = connecting.caller(&server)?;
    // A process that may not write for the machine keeps its id below a folder of the person.
    let machine = Machine::here(managed).or_else(|_| Machine::here(&places.state))?;
    let shipment = Shipment {
        reports: places.reports(),
        state: places.state.join("fleet"),
        person: caller.name.clone(),
        machine: machine.id,
        level: settings.level,
    };
    let Some(mut shipper) = Shipper::open(shipment, caller.key.clone())? else {
        return Ok("another process ships the record of this person\n".to_owned());
    };
    let mut done = ShipmentSummary::default();
    rounds(&caller, is_followed, async |server| {
        shipper.send(server, &mut done).await
    })?;
    let ShipmentSummary { batches, records } = done;
    Ok(format!(
        "{records} records were sent in {batches} batches\n"
    ))
}
