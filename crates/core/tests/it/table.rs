//! Random tables of hooks, and a driver that asks them and hands their answers in in any order.

use anyhook_core::dispatch::{Dispatch, DispatchOutcome, DispatchPolicy, DriverAction, Strictness};
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handler, HandlerResult};
use anyhook_core::hook::{Concurrency, Hook, HookRole, Hooks, Mode, OnFault, Recheck};
use anyhook_core::manifest::Action;
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{AskRound, SkipReason};
use anyhook_core::result::{HookId, HookResult, Kind};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// One hook of a table.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub declared: bool,
    pub priority: i32,
    pub turn: Concurrency,
    pub guard: bool,
    pub recheck: Recheck,
    pub role: HookRole,
    pub mode: Mode,
    pub on_fault: OnFault,
    pub selects: Selects,
    /// Whether it had its one time in this session, so that the driver does not ask it.
    pub spent: bool,
    /// Whether its action is the one that several hooks share, word for word.
    pub twin: bool,
    pub habit: Habit,
}

/// What a hook's matcher makes of the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selects {
    All,
    Name,
    Alias,
    OtherSubject,
    OtherEvent,
}

/// What a hook says: a pure function of the command that it sees.
#[derive(Debug, Clone)]
pub(crate) struct Habit {
    /// Which letter decides between the two.
    pub has: char,
    pub then: Saying,
    pub otherwise: Saying,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) struct Saying {
    pub word: Word,
    pub change: Change,
    pub inject: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Verdict(Kind),
    Fault,
}

/// What an answer does to the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    /// Adds a letter each time: never done.
    Append(char),
    /// Replaces one letter by another: done after the first time.
    Replace(char, char),
    /// Writes another field.
    Note(char),
    /// Removes that other field.
    Forget,
    /// Tries to change what the emitter gave.
    Session,
    /// Changes the command and takes it back in one answer.
    Undone,
}

/// The letters of commands.
const LETTERS: [char; 3] = ['a', 'b', 'c'];

fn saying() -> impl Strategy<Value = Saying> {
    let word = prop_oneof![
        10 => Just(Word::Verdict(Kind::Continue)),
        4 => Just(Word::Verdict(Kind::Allow)),
        3 => Just(Word::Verdict(Kind::Ask)),
        1 => Just(Word::Verdict(Kind::Deny)),
        1 => Just(Word::Verdict(Kind::Halt)),
        2 => Just(Word::Fault),
    ];
    let letter = || select(LETTERS.to_vec());
    let change = prop_oneof![
        8 => Just(Change::Nothing),
        1 => letter().prop_map(Change::Append),
        4 => (letter(), letter()).prop_map(|(from, to)| Change::Replace(from, to)),
        1 => letter().prop_map(Change::Note),
        1 => Just(Change::Forget),
        1 => Just(Change::Session),
        1 => Just(Change::Undone),
    ];
    (word, change, prop::bool::weighted(0.2)).prop_map(|(word, change, inject)| Saying {
        word,
        change,
        inject,
    })
}

fn habit() -> impl Strategy<Value = Habit> {
    (select(LETTERS.to_vec()), saying(), saying()).prop_map(|(has, then, otherwise)| Habit {
        has,
        then,
        otherwise,
    })
}

prop_compose! {
    fn spec()(
        (declared, twin, guard, alone) in (
            prop::bool::weighted(0.7),
            prop::bool::weighted(0.15),
            prop::bool::weighted(0.25),
            prop::bool::weighted(0.1),
        ),
        priority in prop_oneof![6 => Just(0), 1 => Just(-1), 1 => Just(7)],
        recheck in prop::option::weighted(0.2, Just(Recheck::No)),
        (observes, shadow) in (prop::bool::weighted(0.1), prop::bool::weighted(0.1)),
        on_fault in prop::option::weighted(0.3, select(vec![OnFault::Continue, OnFault::Deny, OnFault::Halt])),
        selects in prop_oneof![
            6 => Just(Selects::All),
            3 => Just(Selects::Name),
            2 => Just(Selects::Alias),
            1 => Just(Selects::OtherSubject),
            1 => Just(Selects::OtherEvent),
        ],
        habit in habit(),
        spent in prop::bool::weighted(0.05),
    ) -> Spec {
        let first = match (declared, guard) {
            (false, false) => Recheck::No,
            (true, _) | (_, true) => Recheck::Yes,
        };
        Spec {
            declared,
            priority,
            turn: if alone { Concurrency::Alone } else { Concurrency::Together },
            guard,
            recheck: recheck.unwrap_or(first),
            role: if observes { HookRole::Observe } else { HookRole::Decide },
            mode: if shadow { Mode::Shadow } else { Mode::Enforce },
            on_fault: on_fault.unwrap_or(if guard { OnFault::Deny } else { OnFault::Continue }),
            selects,
            spent,
            twin,
            habit,
        }
    }
}

/// A table of hooks in the order in which they are asked, and the event that they are asked about.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub specs: Vec<Spec>,
    pub event: &'static str,
    pub command: String,
    pub strict: Strictness,
}

prop_compose! {
    pub(crate) fn table()(
        mut specs in prop::collection::vec(spec(), 0..8),
        shared in habit(),
        event in prop_oneof![6 => Just("tool:pre"), 1 => Just("tool:post"), 1 => Just("stop")],
        command in "[abc]{1,3}",
        strict in prop_oneof![4 => Just(Strictness::Lenient), 1 => Just(Strictness::Strict)],
    ) -> Table {
        for twin in specs.iter_mut().filter(|spec| spec.twin) {
            twin.habit = shared.clone();
        }
        specs.sort_by_key(|spec| spec.priority);
        Table { specs, event, command, strict }
    }
}

/// An action that is equal to another one only if the key is.
pub(crate) fn declared(key: &str) -> Handler {
    Handler::Declared(Box::new(Action::Broken(key.into())))
}

impl Table {
    pub(crate) fn event(&self) -> Event {
        let mut event = Event::new(
            self.event,
            json!({"tool_name": "Write", "session_id": "s", "tool_input": {"command": self.command}, "note": "n"}),
        );
        event.also = &["WriteFile"];
        event
    }

    pub(crate) fn hooks(&self) -> Hooks {
        self.specs
            .iter()
            .enumerate()
            .map(|(at, spec)| spec.hook(at, self.event))
            .collect()
    }

    pub(crate) fn policy(&self) -> DispatchPolicy {
        DispatchPolicy {
            strict: self.strict,
            ..DispatchPolicy::default()
        }
    }
}

impl Spec {
    pub(crate) fn hook(&self, at: usize, event: &str) -> Hook {
        let handler = if self.declared {
            declared(&if self.twin {
                "twin".to_owned()
            } else {
                format!("{at}")
            })
        } else {
            Handler::InProcess(Box::new(|_: &Event| HookResult::proceed()))
        };
        let event = if self.selects == Selects::OtherEvent {
            "session:start"
        } else {
            event
        };
        let matcher = match self.selects {
            _ if event == "stop" => "*",
            Selects::All | Selects::OtherEvent => "*",
            Selects::Name => "Write",
            Selects::Alias => "WriteFile",
            Selects::OtherSubject => "Read",
        };
        let mut hook = Hook::new(event, &format!("hook {at}"), handler)
            .priority(self.priority)
            .when(Matcher::parse(matcher).unwrap());
        if self.guard {
            hook = hook.guard();
        }
        if self.mode == Mode::Shadow {
            hook = hook.shadow();
        }
        hook.role = self.role;
        hook.on_fault = self.on_fault;
        hook.recheck = self.recheck;
        hook.turn = self.turn;
        hook
    }

    /// What the hook says about these data.
    pub(crate) fn saying(&self, data: &Map) -> &Saying {
        if command_of(data).contains(self.habit.has) {
            &self.habit.then
        } else {
            &self.habit.otherwise
        }
    }

    fn say(&self, data: &Map) -> Answer {
        let saying = self.saying(data);
        let command = command_of(data);
        let saw = format!("saw {command}");
        let result = match saying.word {
            _ if self.spent => return Answer::Skip,
            Word::Fault => {
                return Answer::Said(Err(Box::new(Fault::new(FaultKind::Errored, "it failed"))));
            }
            Word::Verdict(Kind::Continue) => HookResult::proceed(),
            Word::Verdict(Kind::Allow) => HookResult::allow_because(saw),
            Word::Verdict(Kind::Ask) => HookResult::ask(saw),
            Word::Verdict(Kind::Deny) => HookResult::deny(saw),
            Word::Verdict(Kind::Halt) => HookResult::halt(saw),
        };
        let mut result = result;
        for (field, value) in saying.change.of(&command) {
            result = match value {
                Some(value) => result.modify(field, value),
                None => result.remove(field),
            };
        }
        if saying.inject {
            result = result.inject(format!("saw {command}"));
        }
        Answer::Said(Ok(result))
    }
}

impl Change {
    /// The rewrites that an answer about this command makes, in order.
    pub(crate) fn of(self, command: &str) -> Vec<(&'static str, Option<Value>)> {
        let input = |command: String| ("tool_input", Some(json!({"command": command})));
        match self {
            Self::Nothing => vec![],
            Self::Append(letter) => vec![input(format!("{command}{letter}"))],
            Self::Replace(from, to) => vec![input(command.replace(from, &to.to_string()))],
            Self::Note(letter) => vec![("note", Some(json!(letter.to_string())))],
            Self::Forget => vec![("note", None)],
            Self::Session => vec![("session_id", Some(json!("forged")))],
            Self::Undone => vec![input("undone".into()), input(command.to_owned())],
        }
    }
}

pub(crate) fn command_of(data: &Map) -> String {
    data["tool_input"]["command"].as_str().unwrap().to_owned()
}

enum Answer {
    Said(HandlerResult),
    Skip,
}

/// A small source of chance, so that a failing order can be run again.
#[derive(Debug, Clone)]
pub(crate) struct Chance(pub u64);

impl Chance {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// How answers are handed in, and when the event's time is over.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    pub chance: Chance,
    /// Whether `next` is called between two answers.
    pub piecemeal: bool,
    /// After how many answers the time is over.
    pub expires_after: Option<usize>,
}

impl Timing {
    pub(crate) fn in_order() -> Self {
        Self {
            chance: Chance(0),
            piecemeal: false,
            expires_after: None,
        }
    }
}

/// One asking: whom, whether again, and about which command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asking {
    pub hook: usize,
    pub asked: AskRound,
    pub command: String,
    pub answered: bool,
}

/// What came of a dispatch.
#[derive(Debug)]
pub(crate) struct Ran {
    pub finished: DispatchOutcome,
    pub data: Map,
    pub askings: Vec<Asking>,
    pub turns: usize,
}

/// Drives a dispatch over the table to its end.
pub(crate) fn run(table: &Table, mut timing: Timing) -> Ran {
    let hooks = table.hooks();
    let mut event = table.event();
    let mut dispatch = Dispatch::begin(&hooks, &event, table.policy());
    let mut askings = Vec::new();
    let (mut turns, mut answers) = (0, 0);
    'all: loop {
        turns += 1;
        assert!(turns < 10_000, "the dispatch does not end");
        let mut ids = match dispatch.next(&mut event) {
            DriverAction::Ask(id) => vec![id],
            DriverAction::Together(ids) => ids,
            DriverAction::Wait => panic!("every answer was handed in"),
            DriverAction::Done => break,
        };
        let data = event.data.json().into_owned();
        let first = askings.len();
        askings.extend(ids.iter().map(|&id| Asking {
            hook: id.index(),
            asked: dispatch.asked(id),
            command: command_of(&data),
            answered: false,
        }));
        let order = ids.clone();
        timing.chance.shuffle(&mut ids);
        for id in ids {
            if timing.piecemeal {
                assert_eq!(dispatch.next(&mut event), DriverAction::Wait);
            }
            if timing.expires_after.is_some_and(|after| answers >= after) {
                dispatch.expire(&mut event);
                break 'all;
            }
            answers += 1;
            let place = order.iter().position(|other| *other == id).unwrap();
            askings[first + place].answered = true;
            dispatch.answer(HookId(4_000), Ok(HookResult::halt("not asked")), None);
            assert!(!table.specs[id.index()].spent || dispatch.asked(id) == AskRound::First);
            match table.specs[id.index()].say(&data) {
                Answer::Said(said) => dispatch.answer(id, said, None),
                Answer::Skip => dispatch.skip(id, SkipReason::Once),
            }
            dispatch.answer(id, Ok(HookResult::halt("a second answer")), None);
        }
    }
    assert_eq!(dispatch.next(&mut event), DriverAction::Done);
    Ran {
        finished: dispatch.finish(),
        data: event.data.json().into_owned(),
        askings,
        turns,
    }
}
