//! `anyhook fleet ship`: what is new goes to the server of `[fleet]`, to the receiver of `[export]`, or to both.
//!
//! Each has a place of its own in the record, and neither waits for the other: where one is not reached, the other goes on.

use std::path::PathBuf;
use std::time::Duration;

use anyhook::config::{Export as Receiver, Fleet as Settings};
use anyhook::files::with_causes;
use anyhook::stores::Filter;
use anyhook::world::{Places, World};
use anyhook_export::{Exported, Form, Request, export};

use super::{Typed, block};
use crate::command::apply;
use crate::error::PolicyError;
use crate::failed::{Failed, say};
use crate::keys::Secret;
use crate::machine::Machine;
use crate::rounds::{Member, follow, once};
use crate::server::Caller;
use crate::ship::{Shipment, Shipped, Shipper};

/// So often one looks for new records for a receiver.
const PAUSE: Duration = Duration::from_secs(1);
/// So long is waited at most before a receiver that was not reached is tried again.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

pub(super) fn ship(typed: &Typed) -> Result<String, Failed> {
    let world = World::real();
    let Some(places) = &world.places else {
        let what = "there is no home folder, so nothing was stored";
        return Err(PolicyError::unfit(what, "set HOME").into());
    };
    let settings = world.config().fleet.clone().map_err(PolicyError::from)?;
    let receiver = world.config().export.clone().map_err(PolicyError::from)?;
    let address = typed.server.clone().or(settings.server.clone());
    let request = receiver.otlp.clone().map(|to| asks(to, receiver, places));
    match (address, request) {
        (None, None) => {
            let help = "write `server = \"tls://…\"` below [fleet] in config.toml, or `otlp = \"https://…\"` below [export]: \
                        docs/teams.md";
            Err(
                PolicyError::unfit("no server of a fleet is configured, and no receiver", help)
                    .into(),
            )
        }
        (Some(address), None) => to_server(typed, &settings, &address, (&world, places)),
        (None, Some(request)) if typed.is_followed => exports(&request),
        (None, Some(request)) => exported(&request),
        (Some(address), Some(request)) => {
            if typed.is_followed {
                std::thread::spawn(move || -> () { exports(&request) });
                return to_server(typed, &settings, &address, (&world, places));
            }
            let exported = exported(&request);
            let shipped = to_server(typed, &settings, &address, (&world, places));
            match (shipped, exported) {
                (Ok(shipped), Ok(exported)) => Ok(shipped + &exported),
                // What one of them took is told although the other did not.
                (Ok(said), Err(failed)) | (Err(failed), Ok(said)) => {
                    say(&said);
                    Err(failed)
                }
                (Err(failed), Err(Failed::Policy(other))) => {
                    say(&format!("{}\n", with_causes(&other)));
                    Err(failed)
                }
                (Err(failed), Err(_)) => Err(failed),
            }
        }
    }
}

/// What is asked of the export: everything, as `anyhook log export otlp` asks it, with the same place of how far it came.
fn asks(to: String, receiver: Receiver, places: &Places) -> Request {
    Request {
        reports: places.reports(),
        filter: Filter::default(),
        form: Form::Otlp {
            to,
            authorization: receiver.authorization,
            state: places.state.join("export"),
            level: receiver.level,
        },
    }
}

fn exported(request: &Request) -> Result<String, Failed> {
    Ok(told(&export(request).map_err(PolicyError::Receiver)?))
}

fn told(done: &Exported) -> String {
    if done.busy {
        return "another process sends to this receiver\n".to_owned();
    }
    let mut said = format!("{} records were sent to the receiver\n", done.records);
    if done.rejected > 0 {
        said.push_str(&format!(
            "{} of them it rejected, and they are not sent again\n",
            done.rejected
        ));
    }
    if done.lost {
        said.push_str("records were removed by size or age before they were sent: keep more, in [record] of config.toml\n");
    }
    said
}

/// Goes on until the process is ended; a receiver that takes nothing is tried again later and later.
fn exports(request: &Request) -> ! {
    let mut pause = PAUSE;
    loop {
        let next = match export(request) {
            Ok(done) => {
                if done.lost || done.rejected > 0 {
                    say(&told(&done));
                }
                pause = PAUSE;
                PAUSE
            }
            Err(error) => {
                let seconds = pause.as_secs();
                say(&format!(
                    "{}; tried again in {seconds} s\n",
                    with_causes(&error)
                ));
                (pause * 2).min(LONGEST_PAUSE)
            }
        };
        std::thread::sleep(pause);
        pause = next;
    }
}

/// Whose key it is that connects.
fn key_of(typed: &Typed, settings: &Settings) -> Result<PathBuf, PolicyError> {
    let file = typed.key.clone().or(settings.key.clone());
    file.ok_or_else(|| {
        let help = "anyhook fleet keygen NAME; then `key = \"…/NAME.key\"` below [fleet]";
        PolicyError::unfit("no key of a person is configured", help)
    })
}

fn to_server(
    typed: &Typed,
    settings: &Settings,
    address: &str,
    (world, places): (&World, &Places),
) -> Result<String, Failed> {
    let file = key_of(typed, settings)?;
    let (person, key) = super::key(Some(&file))?;
    let managed = typed.managed.as_ref().unwrap_or(&world.managed);
    let machine = Machine::of_person(managed, &places.state)?;
    let record = world.config().record.clone().map_err(PolicyError::from)?;
    let shipment = Shipment {
        reports: places.reports(),
        state: crate::ship::state(&places.state),
        person: person.clone(),
        machine: machine.id().to_owned(),
        level: settings.level,
        record: record.retention.total,
        waiting: settings.waiting,
    };
    let Some(shipper) = Shipper::open(shipment, Secret::open(&file)?)? else {
        return Ok("another process ships the record of this person\n".to_owned());
    };
    let authority = typed.authority.as_ref().or(settings.authority.as_ref());
    let caller = Caller {
        server: address,
        authority: authority.map(PathBuf::as_path),
        name: &person,
        key: &key,
    };
    let mut member = Member::new(shipper, &caller, managed);
    if typed.is_followed {
        let applying = || apply(None, managed).map_err(|failed| failed.to_string());
        match block(follow(&mut member, &applying))? {}
    }
    Ok(shipped(block(once(&mut member))?))
}

fn shipped(done: Shipped) -> String {
    let Shipped {
        batches,
        records,
        thinned,
    } = done;
    let mut said = format!("{records} records were sent in {batches} batches\n");
    if thinned > 0 {
        said.push_str(&format!(
            "{thinned} others, none of them refusals, were left out while no server was reached\n"
        ));
    }
    said
}
