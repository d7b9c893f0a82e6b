//! The same as one page with plots, which loads nothing: no script, no font, no address.

use std::fmt::Write as _;

use crate::ui;
use anyhook::record::{Counted, bars, columns, safe};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;\
background:#fff}h2{margin-top:2rem}table{border-collapse:collapse;width:100%}td,th{text-align:right;padding:.2rem .6rem;\
border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}svg{width:100%;height:auto}\
.all{fill:#9db4c8}.no{fill:#c0392b}text{font-size:11px;fill:#444}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}text{fill:#bbb}}";

/// Writes the page.
pub(super) fn page(counted: &Counted) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Anyhook statistics</title><style>{STYLE}</style>\n<h1>What agents tried</h1>\n\
         <p>{} events, {} refused, {} asked about ({} of these then ran), {} faults of hooks. Days are those of UTC. Red is \
         what was refused.</p>\n",
        counted.events, counted.refused, counted.asked, counted.yes, counted.faults
    );
    text.push_str(&columns(&counted.days));
    text.push_str(&bars("Agents", &counted.hosts));
    text.push_str(&bars("Projects", &counted.projects));
    text.push_str(&hooks(counted));
    text + "</html>\n"
}

fn hooks(counted: &Counted) -> String {
    let mut text = String::from(
        "<h2>Hooks</h2>\n<table><tr><th>hook<th>answered<th>refused<th>asked<th>would refuse<th>faults<th>p50 ms<th>p95<th>p99\n",
    );
    for (name, hook) in &counted.hooks {
        let name = safe(&ui::line(name));
        if hook.is_idle() {
            let _ = writeln!(text, "<tr><td>{name}<td colspan=\"8\">never fired");
            continue;
        }
        let [p50, p95, p99] = hook.percentiles().map(|us| f64::from(us) / 1000.0);
        let _ = writeln!(
            text,
            "<tr><td>{name}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{p50:.1}<td>{p95:.1}<td>{p99:.1}",
            hook.answered, hook.refused, hook.asked, hook.would, hook.faults
        );
    }
    text + "</table>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_becomes_a_part_of_the_page() {
        let mut counted = Counted::default();
        let hostile = "<script>alert('x')</script>\"".to_owned();
        counted.days.insert(
            hostile.clone(),
            anyhook::record::Tally {
                events: 3,
                refused: 1,
            },
        );
        counted
            .hosts
            .insert(hostile.clone(), anyhook::record::Tally::default());
        counted
            .hooks
            .insert(hostile, anyhook::record::OfHook::default());
        let page = page(&counted);
        assert!(
            !page.contains("<script") && page.contains("&lt;script&gt;"),
            "{page}"
        );
        assert!(!page.contains("http"), "it loads nothing");
    }
}
