//! A table for a person: as wide as the terminal, its first column whole.

use super::{BOLD, paint, short, width, wrap};

/// Writes a table that is as wide as the terminal. The first column is never cut, since it is what a person types next;
/// the last one goes on in the next line; those between are cut, the widest first.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    // A column without anything in it would only take room.
    let is_used = |at: &usize| {
        rows.iter()
            .any(|row| row.get(*at).is_some_and(|cell| !cell.is_empty()))
    };
    let used: Vec<usize> = (0..head.len()).filter(is_used).collect();
    let kept = |row: &[String]| -> Vec<String> {
        used.iter().filter_map(|at| row.get(*at)).cloned().collect()
    };
    let head: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let head = kept(&head);
    let rows: Vec<Vec<String>> = rows.iter().map(|row| kept(row)).collect();
    let widths = widths(&head, &rows);
    let mut text = String::new();
    for (at, row) in std::iter::once(&head).chain(&rows).enumerate() {
        for line in lines(row, &widths) {
            let line = line.trim_end();
            text.push_str(&if at == 0 {
                paint(BOLD, line)
            } else {
                line.to_owned()
            });
            text.push('\n');
        }
    }
    text
}

/// The narrowest that a column is cut to, and that the last one is.
const NARROW: (usize, usize) = (8, 24);

/// Returns the width of each column but the last, and what is left for that.
fn widths(head: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let natural = |at: usize| {
        let cells = std::iter::once(head).chain(rows.iter().map(Vec::as_slice));
        cells
            .filter_map(|row| row.get(at))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let mut widths: Vec<usize> = (0..head.len()).map(natural).collect();
    let last = widths.pop().unwrap_or_default();
    let used = |widths: &[usize]| widths.iter().map(|width| width + 2).sum::<usize>();
    while used(&widths) + last.min(NARROW.1) > width() {
        let widest = widths.iter_mut().skip(1).max_by_key(|width| **width);
        match widest.filter(|width| **width > NARROW.0) {
            Some(width) => *width -= 1,
            None => break,
        }
    }
    let left = width().saturating_sub(used(&widths)).max(NARROW.1);
    widths.push(left);
    widths
}

/// Writes one row: more than one line where its last cell needs them.
fn lines(row: &[String], widths: &[usize]) -> Vec<String> {
    let Some((last, cells)) = row.split_last() else {
        return Vec::new();
    };
    let (room, widths) = widths
        .split_last()
        .map_or((NARROW.1, widths), |(room, rest)| (*room, rest));
    let cells = cells.iter().zip(widths);
    let before = cells.fold(String::new(), |before, (cell, width)| {
        before + &format!("{:width$}  ", short(cell, *width))
    });
    let indent = " ".repeat(before.chars().count());
    let mut wrapped = wrap(&short(last, usize::MAX), room).into_iter();
    let first = format!("{before}{}", wrapped.next().unwrap_or_default());
    let more = wrapped.map(|line| format!("{indent}{line}"));
    std::iter::once(first).chain(more).collect()
}
