//! The plot of the page: one bar for each program.

use std::fmt::Write as _;

use super::Row;

const LINE: f64 = 34.0;
const LEFT: f64 = 330.0;
const WIDE: f64 = 420.0;

/// Draws the processor time of every program, as bars from zero.
pub(crate) fn bars(rows: &[Row]) -> String {
    let longest = rows.iter().map(Row::processor).fold(1.0, f64::max);
    let (wide, mut top) = (LEFT + WIDE + 90.0, 44.0);
    #[expect(clippy::cast_precision_loss, reason = "a few rows")]
    let tall = top + LINE * rows.len() as f64 + 8.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {tall}\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <title>Processor time of one event, in milliseconds</title>\n\
         <rect width=\"{wide}\" height=\"{tall}\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"26\" font-size=\"16\">Processor time of one event, in milliseconds (less is better)</text>\n"
    );
    for (place, row) in rows.iter().enumerate() {
        let length = (row.processor() / longest * WIDE).max(1.0);
        let color = if place == 0 { "#1f6feb" } else { "#9aa4b2" };
        let name = row.contender.name.replace('`', "");
        let (middle, end) = (top + 17.0, LEFT + length + 8.0);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{middle:.0}\" text-anchor=\"end\">{name}</text>\n\
             <rect x=\"{LEFT}\" y=\"{top:.0}\" width=\"{length:.1}\" height=\"24\" fill=\"{color}\"/>\n\
             <text x=\"{end:.0}\" y=\"{middle:.0}\">{:.2}</text>",
            LEFT - 10.0,
            row.processor() / 1000.0
        );
        top += LINE;
    }
    text + "</svg>\n"
}
