//! Finding out whether a person is there, and asking one: for what an agent may not do itself. No switch skips it.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Write};

use anyhook::config::AnswerSettings;
use anyhook::files::with_causes;
use anyhook::passphrase::{HashCost, PassphraseError, PassphraseState, PassphraseStore};
use anyhook::processes::{AncestorProcess, ancestors, below_an_agent};
use anyhook::wires::hosts::HOSTS;
use anyhook::world::{UserFolders, World};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::error::CliError;
use crate::exit::Exit;
use crate::ui::{self, visible};

/// The longest answer that is read.
const LONGEST: u64 = 4096;

/// Tells whether this caller may decide: a person at a terminal, and no agent above. `command` is what the person typed.
pub(crate) fn is_there(command: &str) -> Result<(), CliError> {
    allowed(command, std::io::stdin().is_terminal(), &ancestors())
}

/// Tells whether no agent started this: what it must not do itself, a person's own scripts may.
pub(crate) fn no_agent_above(command: &str) -> Result<(), CliError> {
    allowed(command, true, &ancestors())
}

fn allowed(command: &str, terminal: bool, above: &[AncestorProcess]) -> Result<(), CliError> {
    let agents: Vec<&str> = HOSTS
        .iter()
        .flat_map(|host| host.facts().executables)
        .copied()
        .collect();
    if let Some(agent) = below_an_agent(above, &agents) {
        let what = format!(
            "`{command}` is for a person, and this runs below the agent `{}`",
            agent.name
        );
        return Err(CliError::new(Exit::Permission, what).help("type it in a terminal of your own"));
    }
    if !terminal {
        let what = format!("`{command}` needs a terminal, where a person is");
        return Err(CliError::new(Exit::Permission, what).help("type it in a terminal of your own"));
    }
    Ok(())
}

fn no_terminal(error: std::io::Error) -> CliError {
    CliError::new(Exit::Permission, "there is no terminal to ask on").because(error)
}

fn terminal() -> Result<File, CliError> {
    let mut options = File::options();
    let opened = options.read(true).write(true).open("/dev/tty");
    opened.map_err(no_terminal)
}

/// Asks the person, on the terminal itself: standard input may be anything. Returns the line without what surrounds it.
pub(crate) fn ask(question: &str) -> Result<String, CliError> {
    let mut terminal = terminal()?;
    let shown = ui::wrapped("", &visible(question));
    let end = if question.ends_with(' ') { " " } else { "" };
    terminal
        .write_all(format!("{}{end}", shown.trim_end()).as_bytes())
        .map_err(no_terminal)?;
    let mut answer = String::new();
    BufReader::new(std::io::Read::take(terminal, LONGEST))
        .read_line(&mut answer)
        .map_err(no_terminal)?;
    Ok(answer.trim().to_owned())
}

/// Proves that it is the person, where a passphrase is set or has to be: a terminal alone can be an agent's own.
pub(crate) fn proves(world: &World) -> Result<(), CliError> {
    let Some(places) = &world.places else {
        return Ok(());
    };
    let passphrase = PassphraseStore::of(places);
    let (approve, unread) = match world.config().approve.clone() {
        Ok(approve) => (approve, None),
        Err(error) => (AnswerSettings::unreadable(), Some(error)),
    };
    match passphrase.standing() {
        PassphraseState::None if approve.passphrase_required => {
            let what = "nothing is granted here before a passphrase is set";
            let problem = CliError::new(Exit::Permission, what);
            let problem = problem.help("set one: anyhook approve --set-passphrase");
            Err(match unread {
                Some(error) => problem.because(error),
                None => problem,
            })
        }
        PassphraseState::None => Ok(()),
        PassphraseState::Set | PassphraseState::Gone(_) => {
            let given = if passphrase.standing() == PassphraseState::Set {
                ask_hidden("Passphrase: ")?
            } else {
                String::new()
            };
            passphrase
                .prove(&given, world.clock.now())
                .map_err(|error| unproved(&error))
        }
    }
}

/// Sets the passphrase: the old one is asked for first, and the new one twice.
pub(crate) fn sets(world: &World, places: &UserFolders) -> Result<(), CliError> {
    let passphrase = PassphraseStore::of(places);
    match passphrase.standing() {
        PassphraseState::None => {}
        PassphraseState::Set | PassphraseState::Gone(_) => proves(world)?,
    }
    let new = ask_hidden("New passphrase, of at least 12 characters: ")?;
    if new.chars().count() < 12 {
        return Err(unproved(&PassphraseError::Length));
    }
    if ask_hidden("Once more: ")? != new {
        let what = "the two are not the same, so nothing changed";
        return Err(CliError::new(Exit::Negative, what));
    }
    passphrase
        .set(&new, HashCost::default())
        .map_err(|error| unproved(&error))
}

fn unproved(error: &PassphraseError) -> CliError {
    let help = match error {
        PassphraseError::Wrong { wait } if wait.is_zero() => {
            Some("nothing changed; type the command again".to_owned())
        }
        PassphraseError::Wrong { wait } => Some(format!(
            "nothing changed; the next attempt counts in {} s",
            wait.as_secs()
        )),
        PassphraseError::Length => {
            Some("several words are easy to remember and hard to guess".to_owned())
        }
        _ => None,
    };
    CliError::new(Exit::Permission, with_causes(error)).or_help(help)
}

/// Asks on the terminal, and shows nothing of what is typed.
fn ask_hidden(question: &str) -> Result<String, CliError> {
    let terminal = terminal()?;
    let _silent = SilentTerminal::on(&terminal).map_err(no_terminal)?;
    ask(question)
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct SilentTerminal<'t> {
    terminal: &'t File,
    before: Termios,
}

impl<'t> SilentTerminal<'t> {
    fn on(terminal: &'t File) -> std::io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(terminal, OptionalActions::Drain, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for SilentTerminal<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Tells whether an answer says yes; everything else says no.
pub(crate) fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str) -> AncestorProcess {
        AncestorProcess {
            name: name.to_owned(),
            exe: None,
            words: Vec::new(),
        }
    }

    #[test]
    fn a_person_at_a_terminal_may_decide() {
        let above = [process("bash"), process("tmux")];
        assert!(allowed("anyhook trust", true, &above).is_ok());
    }

    #[test]
    fn trust_and_approve_are_refused_below_an_agent_even_with_a_terminal() {
        let above = [process("sh"), process("claude"), process("bash")];
        for command in ["anyhook trust", "anyhook approve"] {
            let problem = allowed(command, true, &above).unwrap_err();
            assert_eq!(problem.exit, Exit::Permission);
            assert_eq!(
                problem.what,
                format!("`{command}` is for a person, and this runs below the agent `claude`")
            );
        }
    }

    #[test]
    fn trust_and_approve_need_a_terminal() {
        for command in ["anyhook trust", "anyhook approve"] {
            let problem = allowed(command, false, &[process("bash")]).unwrap_err();
            assert_eq!(problem.exit, Exit::Permission);
        }
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        let yes = ["y", "Y", "yes", "YES"];
        let no = ["", "n", "yes please", "ja", "always"];
        assert!(yes.iter().all(|answer| is_yes(answer)) && !no.iter().any(|answer| is_yes(answer)));
    }
}
