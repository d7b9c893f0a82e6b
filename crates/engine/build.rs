//! Makes a constant of each list of `tables/lists.txt`, so that a name which is not there does not compile.

use std::env::var_os;
use std::path::PathBuf;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=tables");
    let text = fs::read_to_string("tables/lists.txt")?;
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#');
    for line in text.lines().filter(says) {
        if let (Some(entry), Some((_, entries))) = (line.strip_prefix("  "), lists.last_mut()) {
            entries.push(entry);
        } else {
            let mut words = line.split(' ');
            lists.push((words.next().unwrap_or_default(), words.collect()));
        }
    }
    let code = lists
        .iter()
        .map(|(name, list)| format!("pub(crate) const {name}: &[&str] = &{list:?};\n"));
    let folder = PathBuf::from(var_os("OUT_DIR").unwrap_or_default());
    fs::write(folder.join("lists.rs"), code.collect::<String>())
}
