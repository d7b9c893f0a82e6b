//! What the tests share.

/// The rows that stand below a name in a file; `⏎` is the end of a line.
pub(crate) fn rows(file: &str, name: &str) -> impl Iterator<Item = String> {
    let (_, rows) = file.split_once(&format!("\n[{name}]\n")).unwrap();
    let rows = rows.lines().take_while(|row| !row.is_empty());
    rows.map(|row| row.replace('⏎', "\n"))
}

/// A table as it is now: lines, and below each what is told of it.
pub(crate) fn table_now(table: &str, told: impl Fn(&str) -> Vec<String>) -> String {
    let mut now = String::new();
    for row in table.lines().filter(|row| !row.starts_with("    ")) {
        now += &format!("{row}\n");
        if !row.is_empty() && !row.starts_with('#') {
            now.extend(told(row).iter().map(|line| format!("    {line}\n")));
        }
    }
    now
}
