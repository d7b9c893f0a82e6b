//! What programs do with their words: a few rows until the table is merged.

use crate::command::{Acts, Command, Inner, Input};
use crate::effect::{Effect, Kind, Object};
use crate::places::{Places, objects};
use crate::word::Word;

/// Says what a command does.
pub fn act(command: &Command, _: &Places) -> Acts {
    let mut acts = Acts::default();
    let Some(name) = command.words.first().and_then(Word::known) else {
        return acts;
    };
    let words = command.words.get(1..).unwrap_or_default();
    let operands: Vec<&Word> = words
        .iter()
        .filter(|word| !word.head().starts_with('-'))
        .collect();
    let inner = |words: &[Word]| Inner::Command {
        command: Command {
            words: words.to_vec(),
            ..command.clone()
        },
        more: &*name == "xargs",
    };
    if name.contains('/') && !name.starts_with("/bin/") {
        acts.runs.push(Inner::File {
            file: Word::text(&*name),
            shell: false,
            arguments: words.to_vec(),
            folders: command.folders.clone(),
        });
        return acts;
    }
    let kind = match name.rsplit('/').next().unwrap_or_default() {
        "rm" | "rmdir" => Kind::Delete,
        "touch" | "mkdir" | "tee" | "cp" | "mv" => Kind::Write,
        "cat" | "grep" | "wc" | "head" => Kind::Read,
        "curl" => Kind::Net,
        "echo" => {
            let known: Option<Vec<_>> = words.iter().map(Word::known).collect();
            acts.prints = known.map(|known| known.join(" ") + "\n");
            return acts;
        }
        "sudo" | "env" | "xargs" | "nice" | "timeout" => {
            acts.runs.push(inner(words));
            return acts;
        }
        "sh" | "bash" => {
            match (words, &command.input) {
                ([option, text, rest @ ..], _) if option.known().as_deref() == Some("-c") => {
                    acts.runs.push(Inner::Shell {
                        text: text.clone(),
                        arguments: rest.to_vec(),
                        folders: command.folders.clone(),
                    });
                }
                ([file, rest @ ..], _) => acts.runs.push(Inner::File {
                    file: file.clone(),
                    shell: true,
                    arguments: rest.to_vec(),
                    folders: command.folders.clone(),
                }),
                ([], Input::Text(text)) => acts.runs.push(Inner::Shell {
                    text: Word::text(text),
                    arguments: Vec::new(),
                    folders: command.folders.clone(),
                }),
                ([], Input::File(file)) => acts.runs.push(Inner::File {
                    file: file.clone(),
                    shell: true,
                    arguments: Vec::new(),
                    folders: command.folders.clone(),
                }),
                ([], Input::Unknown { .. }) => acts.runs.push(Inner::Shell {
                    text: Word::unknown(),
                    arguments: Vec::new(),
                    folders: command.folders.clone(),
                }),
                ([], Input::Inherited) => {}
            }
            return acts;
        }
        _ => return acts,
    };
    if let (true, Input::Text(text)) = (operands.is_empty(), &command.input) {
        acts.prints = Some(text.clone());
    }
    for word in operands {
        for (object, certainty) in objects(word, &command.folders) {
            acts.effects.push(Effect {
                kind,
                object: if kind == Kind::Net {
                    Object::Unknown
                } else {
                    object
                },
                certainty,
                through: name.to_string(),
            });
        }
    }
    acts
}
