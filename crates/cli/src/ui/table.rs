//! A table for a person: as wide as the terminal, its first column never cut.

use super::{BOLD, paint, short, width, wrap};

/// Writes a table that is as wide as the terminal. The first column is never cut, since it is what a person types next: where
/// it leaves no room for the others, its long cells have a line of their own. The last one goes on in the next line; those
/// between are cut, the widest first.
pub(crate) fn table<R: Into<Vec<String>>>(head: &str, rows: impl IntoIterator<Item = R>) -> String {
    let head: Vec<String> = head.split('|').map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(Into::into).collect();
    // A column without anything in it would only take room.
    let is_used = |at: &usize| {
        rows.iter()
            .any(|row| row.get(*at).is_some_and(|cell| !cell.is_empty()))
    };
    let used: Vec<usize> = (0..head.len()).filter(is_used).collect();
    let kept = |row: &[String]| -> Vec<String> {
        used.iter().filter_map(|at| row.get(*at)).cloned().collect()
    };
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

/// The narrowest that a column is cut to, and that the first and the last one are.
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
    let over = (used(&widths) + last.min(NARROW.1)).saturating_sub(width());
    if let Some(first) = widths.first_mut() {
        *first = first.saturating_sub(over).max(NARROW.1.min(*first));
    }
    let left = width().saturating_sub(used(&widths)).max(NARROW.1);
    widths.push(left);
    widths
}

/// Writes one row: more than one line where its first or its last cell needs them.
fn lines(row: &[String], widths: &[usize]) -> Vec<String> {
    if let (Some(first), Some(room)) = (row.first(), widths.first())
        && row.len() > 1
        && first.chars().count() > *room
    {
        let others = row.iter().skip(1).cloned();
        let rest: Vec<String> = std::iter::once(String::new()).chain(others).collect();
        return [vec![short(first, usize::MAX)], lines(&rest, widths)].concat();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_first_cell_has_a_line_of_its_own_and_the_columns_stay_below_their_heads() {
        let long = "a-name-that-was-written-without-a-thought-of-tables/".repeat(3);
        let rows = [[&*long, "17", "3", "9.5"], ["short", "4", "1", "0.2"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        let text = table("hook|answered|refused|p50 ms", rows);
        let text = anstream::adapter::strip_str(&text).to_string();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines[0].find("answered").unwrap();
        assert_eq!(lines[1], long);
        assert_eq!(lines[2].find("17"), Some(at));
        assert_eq!(lines[3].find('4'), Some(at), "{text}");
        assert!(lines[0].len() <= width(), "{text}");
    }
}
