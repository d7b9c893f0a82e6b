//! The folders that places are counted from.

use std::path::{Path, PathBuf};

/// The folders that places are counted from. They have no links in them: see [`Roots::new`].
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Roots {
    /// The project.
    pub project: PathBuf,
    /// The home of the person, if there is one.
    pub home: Option<PathBuf>,
    /// The folder of the package, if a package is confined.
    pub package: Option<PathBuf>,
    /// The folder that belongs to this package alone, if a package is confined.
    pub private: Option<PathBuf>,
    /// The folders of the home that hold interpreters and their libraries.
    pub programs: Vec<PathBuf>,
}

/// The places of one kind that every confined command may read.
pub(crate) fn places(kind: &str) -> impl Iterator<Item = &'static str> {
    let all = include_str!("../tables/places.txt").lines();
    all.filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(' '))
}

impl Roots {
    /// Takes these folders by the names that they have without links.
    pub fn new(project: &Path, home: Option<&Path>) -> std::io::Result<Self> {
        let home = home.and_then(|home| home.canonicalize().ok());
        let programs = places("home").filter_map(|below| Some(home.as_ref()?.join(below)));
        Ok(Self {
            project: project.canonicalize()?,
            programs: programs.filter(|folder| folder.is_dir()).collect(),
            home,
            ..Self::default()
        })
    }

    /// Says whether the project is the home, or a folder around it: all of the home is below `./**` then.
    pub fn project_holds_home(&self) -> bool {
        self.home
            .as_ref()
            .is_some_and(|home| home.starts_with(&self.project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_that_is_the_home_or_holds_it_is_known() {
        let holds = |project: &str| {
            let (project, home) = (project.into(), Some("/home/ann".into()));
            let roots = Roots {
                project,
                home,
                package: None,
                private: None,
                programs: Vec::new(),
            };
            roots.project_holds_home()
        };
        let projects = ["/home/ann", "/home", "/", "/home/ann/shop", "/home/an"];
        assert_eq!(projects.map(holds), [true, true, true, false, false]);
    }

    #[test]
    fn folders_are_known_by_the_names_that_they_have_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("home/.cargo/bin")).unwrap();
        let roots = Roots::new(&real.join("home/.."), Some(&real.join("home/../home"))).unwrap();
        assert_eq!(
            (roots.project, roots.home),
            (real.clone(), Some(real.join("home")))
        );
        assert_eq!(roots.programs, [real.join("home/.cargo/bin")]);
        assert!(Roots::new(&real.join("none"), None).is_err());
    }
}
