//! Prints what lines do: those of the arguments, or of the input, where `⏎` stands for a line break.
#![allow(clippy::print_stdout, reason = "an example says what it finds")]

use anyhook_effects::effect::Object;
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell::read;

fn main() {
    let places = Places {
        folder: "/p".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    };
    let mut lines: Vec<String> = std::env::args().skip(1).collect();
    let all = lines.is_empty();
    if all {
        let input = std::io::stdin().lines().map_while(Result::ok);
        lines = input
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .collect();
    }
    let (mut unknown, mut times) = (0, Vec::new());
    for line in &lines {
        let text = line.replace('⏎', "\n");
        let begin = std::time::Instant::now();
        let done = read(&text, &places, &NoFiles);
        times.push(begin.elapsed());
        let cause = done
            .effects
            .iter()
            .find(|effect| effect.object == Object::Unknown);
        unknown += usize::from(cause.is_some());
        match cause {
            _ if !all => {
                println!("{line}: readable {}, plain {}", done.readable, done.plain);
                for effect in done.effects {
                    println!("    {effect:?}");
                }
            }
            Some(cause) => println!("{:?} {} | {line}", cause.kind, cause.through),
            None => {}
        }
    }
    times.sort();
    let of = |hundredth: usize| times.get(times.len() * hundredth / 100);
    println!(
        "{unknown} of {} lines have an unknown effect; half of them take {:?} or less, 99 of 100 {:?} or less",
        lines.len(),
        of(50),
        of(99)
    );
}
