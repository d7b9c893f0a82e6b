//! Lines that carry their own answer: each program that bash would run is named `cN`, and what is only data `dN`.

use anyhook_effects::effect::{EffectKind, Target};
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell::read;
use anyhook_effects::word::Word;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// A text of a line with the numbers of the programs in it.
#[derive(Debug, Clone)]
struct Made {
    text: String,
    programs: Vec<u32>,
}

impl Made {
    /// Puts parts together: text, and what other lines hold.
    fn of(parts: &[(&str, &Made)]) -> Self {
        let mut made = Self {
            text: String::new(),
            programs: Vec::new(),
        };
        for (before, part) in parts {
            made.text.push_str(before);
            made.text.push_str(&part.text);
            made.programs.extend(&part.programs);
        }
        made
    }

    fn around(before: &str, inner: &Made, after: &str) -> Self {
        let mut made = Self::of(&[(before, inner)]);
        made.text.push_str(after);
        made
    }
}

/// A simple command.
fn simple() -> impl Strategy<Value = Made> {
    (0..1000_u32, 0..1000_u32, 0..9_u8).prop_map(|(program, data, form)| {
        let text = match form {
            0 => format!("c{program} d{data}"),
            1 => format!("\"c{program}\" 'd{data}; d1'"),
            2 => format!("c\\{program} \"d{data} > d1\""),
            3 => format!("'c'{program} d{data} # d2 $(d3)\n"),
            4 => format!("x=d{data} c{program}"),
            5 => format!("c{program} <<'E'\nd{data} $(d1) ` d2\nE\n"),
            6 => format!("c{program} \\\n d{data}"),
            7 => format!("$'c{program}' $'d{data}\\' d1'"),
            _ => format!("c{program} <<< d{data} 2>&1"),
        };
        Made {
            text,
            programs: vec![program],
        }
    })
}

/// A line that may stand wherever one command may.
fn closed(made: &Made) -> Made {
    let end = if made.text.ends_with('\n') {
        "}"
    } else {
        "\n}"
    };
    Made::around("{ ", made, end)
}

fn lines() -> impl Strategy<Value = Made> {
    simple().prop_recursive(4, 24, 3, |inner| {
        let inner = inner.prop_map(|made| closed(&made));
        (inner.clone(), inner.clone(), inner, 0..24_u8)
            .prop_map(|(a, b, c, form)| match form {
                0 => Made::of(&[("", &a), ("; ", &b)]),
                1 => Made::of(&[("", &a), (" && ", &b), (" || ", &c)]),
                2 => Made::of(&[("", &a), (" | ", &b)]),
                3 => Made::around("(", &a, ")"),
                4 => Made::around("{ ", &a, "; }"),
                5 => Made::around("c0 $(", &a, "\n)").with(0),
                6 => Made::around("c0 \"d1 $(", &a, "\n)\"").with(0),
                7 => Made::around("c0 <(", &a, "\n)").with(0),
                8 => Made::around("c0 ${v:-$(", &a, "\n)}").with(0),
                9 => Made::around("c0 \"${v:-'$(", &a, "\n)'}\"").with(0),
                10 => Made::around("c0 ${v#$(", &a, "\n)}").with(0),
                11 => Made::around("c0 $((1+$(", &a, "\n)))").with(0),
                12 => Made::around("v=$(", &a, "\n)"),
                13 => Made::around("a=(d1 $(", &a, "\n))"),
                14 => Made::around(
                    &Made::of(&[("if ", &a), ("\nthen ", &b), ("\nelse ", &c)]).text,
                    &Made::empty(),
                    "\nfi",
                )
                .also(&[&a, &b, &c]),
                15 => Made::around(
                    &Made::of(&[("for v in d1 d2; do ", &a)]).text,
                    &Made::empty(),
                    "\ndone",
                )
                .also(&[&a]),
                16 => Made::around(
                    &Made::of(&[("while ", &a), ("\ndo ", &b)]).text,
                    &Made::empty(),
                    "\ndone",
                )
                .also(&[&a, &b]),
                17 => Made::around(
                    &Made::of(&[("case d1 in d1) ", &a), ("\n;; (d2|d3) ", &b)]).text,
                    &Made::empty(),
                    "\nesac",
                )
                .also(&[&a, &b]),
                18 => Made::around("f() { ", &a, "\n}; f"),
                19 => Made::around("! ", &a, ""),
                20 => Made::around("[[ -n $(", &a, "\n) ]]"),
                21 => Made::around("c0 > /dev/null <<E\nd1 $(", &a, "\n)\nE\n").with(0),
                22 => Made::around("time ", &a, ""),
                _ => Made::around("", &a, " &"),
            })
            .prop_map(|made| closed(&made))
    })
}

impl Made {
    fn empty() -> Self {
        Self {
            text: String::new(),
            programs: Vec::new(),
        }
    }

    fn with(mut self, program: u32) -> Self {
        self.programs.push(program);
        self
    }

    fn also(mut self, inner: &[&Made]) -> Self {
        self.programs = inner
            .iter()
            .flat_map(|made| made.programs.clone())
            .collect();
        self
    }
}

/// The lines are the same in each run: one that is read wrongly is found when the reader changes, and never by luck.
#[test]
fn every_program_of_a_made_line_is_seen_and_no_data_is_one() {
    let config = ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let dice = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, dice);
    runner
        .run(&lines(), |made| {
            let places = Places {
                folder: "/p".into(),
                ..Places::default()
            };
            let done = read(&made.text, &places, &NoFiles);
            let names = done.commands.iter().filter_map(|one| one.words.first());
            let names: Vec<String> = names.filter_map(Word::known).map(Into::into).collect();
            let anything = done
                .effects
                .iter()
                .any(|effect| effect.kind == EffectKind::Exec && effect.object == Target::Unknown);
            for program in &made.programs {
                let is_seen = anything || names.contains(&format!("c{program}"));
                prop_assert!(is_seen, "c{program} is missed: {}", made.text);
            }
            let is_data = names.iter().any(|name| name.starts_with('d'));
            prop_assert!(!is_data, "{names:?}: {}", made.text);
            Ok(())
        })
        .unwrap();
}
