//! Ways to an effect: a line of the table, the name of its target in one of many forms, and lines around it.

mod encode;
mod forms;
mod render;
mod rows;

use std::collections::BTreeSet;

use fastrand::Rng;

use super::aim::{Aim, Call};
use rows::{call, forms, makers, programs, tools, wrappers};

/// One way: rows of the tables, by their places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    how: How,
    form: Option<usize>,
    program: Option<usize>,
    /// From the inside out.
    around: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// A line, by its maker.
    Line(usize),
    /// A call of another tool.
    Tool(usize),
}

/// How many lines may stand around one another.
const DEEPEST: usize = 2;

impl Way {
    const fn of(how: How) -> Self {
        Self {
            how,
            form: None,
            program: None,
            around: Vec::new(),
        }
    }

    /// The calls that it is made of; nothing where these rows do not go together.
    pub(super) fn call(&self, aim: &Aim) -> Option<Call> {
        match self.how {
            How::Tool(at) => call(&tools(aim).get(at)?.1, aim),
            How::Line(_) => self.line(aim).map(|line| Call::shell(&line)),
        }
    }

    /// What makes it another way than the plainest one, by the names of its rows.
    pub(super) fn tricks(&self, aim: &Aim) -> Vec<&'static str> {
        let how = match self.how {
            How::Line(at) => makers(aim).get(at).map(|row| row.0),
            How::Tool(at) => tools(aim).get(at).map(|row| row.0),
        };
        let program = self
            .program
            .and_then(|at| programs().get(at))
            .map(|row| row.0);
        let form = self.form.and_then(|at| forms().get(at)).map(|row| row.0);
        let around = self.around.iter().filter_map(|at| wrappers().get(*at));
        let all = how.into_iter().chain(program).chain(form);
        all.chain(around.map(|row| row.0)).collect()
    }

    /// Returns the ways that have one part less.
    pub(super) fn simpler(&self) -> Vec<Self> {
        let mut simpler: Vec<Self> = (0..self.around.len()).map(|_| self.clone()).collect();
        for (at, way) in simpler.iter_mut().enumerate() {
            way.around.remove(at);
        }
        let is_other = matches!(self.how, How::Line(1..));
        simpler.extend(is_other.then(|| Self {
            how: How::Line(0),
            ..self.clone()
        }));
        simpler.extend(self.form.map(|_| Self {
            form: None,
            ..self.clone()
        }));
        simpler.extend(self.program.map(|_| Self {
            program: None,
            ..self.clone()
        }));
        simpler
    }
}

/// Makes so many ways to an aim, each of them once: first each row alone, then rows put together by the dice.
pub(super) fn ways(aim: &Aim, most: usize, seed: u64) -> Vec<Way> {
    let mut dice = Rng::with_seed(seed);
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    let mut add = |way: Way, all: &mut Vec<Way>| {
        if way.call(aim).is_some_and(|call| known.insert(call.shown())) {
            all.push(way);
        }
    };
    let mut alone = alone(aim);
    // The plainest line stays the first.
    if let Some((_, others)) = alone.split_first_mut() {
        dice.shuffle(others);
    }
    for way in alone.into_iter().take(most / 2 + 1) {
        add(way, &mut all);
    }
    // Rows that do not go together cost a throw, so there are more throws than ways.
    for _ in 0..most.saturating_mul(8) {
        if all.len() >= most {
            break;
        }
        add(thrown(aim, &mut dice), &mut all);
    }
    all.truncate(most.max(1));
    all
}

/// Every row alone.
fn alone(aim: &Aim) -> Vec<Way> {
    let line = Way::of(How::Line(0));
    let makers = (0..makers(aim).len()).map(|at| Way::of(How::Line(at)));
    let tools = (0..tools(aim).len()).map(|at| Way::of(How::Tool(at)));
    let forms = (0..forms().len()).map(|at| Way {
        form: Some(at),
        ..line.clone()
    });
    let programs = (0..programs().len()).map(|at| Way {
        program: Some(at),
        ..line.clone()
    });
    let around = (0..wrappers().len()).map(|at| Way {
        around: vec![at],
        ..line.clone()
    });
    makers
        .chain(tools)
        .chain(forms)
        .chain(programs)
        .chain(around)
        .collect()
}

fn thrown(aim: &Aim, dice: &mut Rng) -> Way {
    let mut below = |limit: usize| dice.usize(..limit.max(1));
    let maker = below(makers(aim).len());
    let form = (below(100) < 50).then(|| below(forms().len()));
    let program = (below(100) < 20).then(|| below(programs().len()));
    let around = below(DEEPEST + 1);
    Way {
        how: How::Line(maker),
        form,
        program,
        around: (0..around).map(|_| below(wrappers().len())).collect(),
    }
}
