//! Ways to an effect: a line of the table, the name of its target in one of many forms, and lines around it.

mod encode;
mod forms;
mod render;
mod rows;

use std::collections::BTreeSet;
use std::iter::repeat_with;

use fastrand::Rng;

use super::aim::{Aim, AttackCall};
use rows::{WayRow, call, makers, section, tools};

/// One way: rows of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    how: WayKind,
    form: Option<&'static WayRow>,
    program: Option<&'static WayRow>,
    /// From the inside out.
    around: Vec<&'static WayRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WayKind {
    /// A line, by its maker.
    Line(&'static WayRow),
    /// A call of another tool.
    Tool(&'static WayRow),
}

/// How many lines may stand around one another.
const DEEPEST: usize = 2;

impl Way {
    const fn of(how: WayKind) -> Self {
        Self {
            how,
            form: None,
            program: None,
            around: Vec::new(),
        }
    }

    /// The calls that it is made of; nothing where these rows do not go together.
    pub(super) fn call(&self, aim: &Aim) -> Option<AttackCall> {
        match self.how {
            WayKind::Tool((_, row)) => call(row, aim),
            WayKind::Line((_, row)) => Some(AttackCall::shell(&self.line(row, aim)?)),
        }
    }

    /// What makes it another way than the plainest one, by the names of its rows.
    pub(super) fn tricks(&self) -> Vec<&'static str> {
        let (WayKind::Line(how) | WayKind::Tool(how)) = self.how;
        let rows = [Some(how), self.program, self.form].into_iter().flatten();
        rows.chain(self.around.iter().copied())
            .map(|row| row.0)
            .collect()
    }

    /// Returns the ways that have one part less.
    pub(super) fn simpler(&self, aim: &Aim) -> Vec<Self> {
        let mut simpler = vec![self.clone(); self.around.len()];
        for (at, way) in simpler.iter_mut().enumerate() {
            way.around.remove(at);
        }
        let how = match self.how {
            WayKind::Line(row) => WayKind::Line(makers(aim).first().unwrap_or(row)),
            WayKind::Tool(_) => self.how,
        };
        simpler.push(Self {
            how,
            ..self.clone()
        });
        simpler.push(Self {
            form: None,
            ..self.clone()
        });
        simpler.push(Self {
            program: None,
            ..self.clone()
        });
        simpler.retain(|way| way != self);
        simpler
    }
}

/// Makes so many ways to an aim, each of them once: first each row alone, then rows put together by the dice.
pub(super) fn ways(aim: &Aim, most: usize, seed: u64) -> Vec<Way> {
    let mut dice = Rng::with_seed(seed);
    let mut known = BTreeSet::new();
    let mut alone = alone(aim);
    // The plainest line stays the first.
    if let Some((_, others)) = alone.split_first_mut() {
        dice.shuffle(others);
    }
    // Rows that do not go together cost a throw, so there are more throws than ways.
    let thrown = repeat_with(|| thrown(aim, &mut dice)).take(most.saturating_mul(8));
    let all = alone.into_iter().take(most / 2 + 1).chain(thrown.flatten());
    let new = all.filter(|way| way.call(aim).is_some_and(|call| known.insert(call.shown())));
    new.take(most.max(1)).collect()
}

/// Every row alone.
fn alone(aim: &Aim) -> Vec<Way> {
    let makers = makers(aim);
    let lines = makers.iter().map(|row| Way::of(WayKind::Line(row)));
    let tools = tools(aim).iter().map(|row| Way::of(WayKind::Tool(row)));
    let parted = makers.first().into_iter().flat_map(|plainest| {
        let line = || Way::of(WayKind::Line(plainest));
        let forms = section("form").iter().map(move |row| Way {
            form: Some(row),
            ..line()
        });
        let programs = section("program").iter().map(move |row| Way {
            program: Some(row),
            ..line()
        });
        let around = section("around").iter().map(move |row| Way {
            around: vec![row],
            ..line()
        });
        forms.chain(programs).chain(around)
    });
    lines.chain(tools).chain(parted).collect()
}

fn thrown(aim: &Aim, dice: &mut Rng) -> Option<Way> {
    let mut way = Way::of(WayKind::Line(dice.choice(makers(aim))?));
    if dice.usize(..100) < 50 {
        way.form = dice.choice(section("form"));
    }
    if dice.usize(..100) < 20 {
        way.program = dice.choice(section("program"));
    }
    for _ in 0..dice.usize(..=DEEPEST) {
        way.around.extend(dice.choice(section("around")));
    }
    Some(way)
}
