//! What a job is started with, and which program that is.

use super::*;

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    let env = [
        ("B", "two words"),
        ("A", "1\n2"),
        ("PATH", "/nowhere"),
        ("A", "last"),
    ];
    let path = std::env::var_os("PATH").unwrap();
    let program = find_program(OsStr::new("env"), &path, Path::new("/"));
    let job = Job {
        env: env.map(|(name, value)| (name.into(), value.into())).into(),
        ..file(program.unwrap())
    };
    let output = run(job).stdout.text().into_owned();
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines, ["A=last", "B=two words", "PATH=/nowhere"]);
}

#[test]
fn a_relative_program_counts_from_the_directory_of_the_job() {
    let directory = TempDir::new().unwrap();
    let cwd = directory.path().canonicalize().unwrap();
    write_program(
        &cwd.join("hook"),
        "#!/bin/sh\npwd; echo \"$0\" \"$1\"",
        "755",
    );
    let job = Job {
        cwd: cwd.clone(),
        args: vec!["a b".into()],
        ..file("hook")
    };
    let expected = format!("{0}\n{0}/hook a b\n", cwd.display());
    assert_eq!(said(run(job)), (kept(expected), kept(""), End::Code(0)));
}

#[test]
fn a_script_without_an_interpreter_line_is_one_for_sh() {
    let directory = TempDir::new().unwrap();
    let script = directory.path().join("hook");
    write_program(&script, "echo \"$1\"; exit 2", "755");
    let job = Job {
        args: vec!["a b".into()],
        ..file(script)
    };
    assert_eq!(said(run(job)), (kept("a b\n"), kept(""), End::Code(2)));
}

#[test]
fn what_cannot_start_says_why() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_program(&path("plain"), "#!/bin/sh\n", "644");
    write_program(&path("lost"), "#!/no/such/interpreter\n", "755");
    write_program(&path("empty"), "", "755");
    let binary = "printf '\\001\\000\\002' > \"$0\" && chmod 755 \"$0\"";
    assert!(
        Command::new("/bin/sh")
            .args(["-c", binary])
            .arg(path("binary"))
            .status()
            .unwrap()
            .success()
    );
    fs::create_dir(path("folder")).unwrap();
    let here = directory.path().display().to_string();
    let refused = |job: Job, what: &str, why: &str| {
        let said = not_started(run(job)).replace(&here, "HERE");
        assert_eq!(said, format!("cannot start `{what}`: {why}"));
    };
    for (name, why) in [
        ("none", "no such file"),
        ("plain", "it is not executable"),
        ("lost", "the interpreter that it names does not exist"),
        ("folder", "it is a directory"),
        (
            "binary",
            "it is neither a program of this system nor a script",
        ),
    ] {
        refused(file(path(name)), &format!("HERE/{name}"), why);
    }
    for name in ["gone", "plain"] {
        let job = Job {
            cwd: path(name),
            ..sh("")
        };
        let why = format!("the working directory `HERE/{name}` does not exist");
        refused(job, "/bin/sh", &why);
    }
    let with = |args: Vec<String>, env: &[(&str, &str)]| Job {
        args: args.into_iter().map(Into::into).collect(),
        env: env
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        ..sh("")
    };
    let nul = "its path, an argument, a variable or the working directory holds a NUL byte";
    refused(file("/bin/a\0b"), "/bin/a\\u{0}b", nul);
    refused(with(vec!["a\0b".into()], &[]), "/bin/sh", nul);
    refused(with(vec![], &[("A", "a\0b")]), "/bin/sh", nul);
    let long = "its arguments and variables are too long for the system";
    refused(with(vec!["x".repeat(40 << 20)], &[]), "/bin/sh", long);
    refused(file("/bin/\u{1b}[2J"), "/bin/\\u{1b}[2J", "no such file");
    assert_eq!(run(file(path("empty"))).end, End::Code(0));
}

#[test]
fn a_program_is_found_without_a_shell() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    for folder in ["a", "b", "c/tool"] {
        fs::create_dir_all(here.join(folder)).unwrap();
    }
    write_program(&here.join("tool"), "", "755");
    write_program(&here.join("a/tool"), "", "644");
    write_program(&here.join("b/tool"), "", "755");
    let full = format!("{0}/c:{0}/a:{0}/b", here.display());
    let find = |name: &str, path: &str| {
        let found = find_program(OsStr::new(name), OsStr::new(path), here)?;
        Some(found.strip_prefix(here).unwrap().display().to_string())
    };
    let absolute = here.join("b/tool");
    for (name, path, found) in [
        ("tool", &*full, Some("b/tool")),
        ("tool", "", None),
        ("tool", ":.:b:", None),
        ("./tool", "", Some("tool")),
        ("b/tool", "", Some("b/tool")),
        ("a/tool", &full, None),
        ("c/tool", &full, None),
        (absolute.to_str().unwrap(), "", Some("b/tool")),
        ("", &full, None),
        ("none", &full, None),
    ] {
        assert_eq!(find(name, path).as_deref(), found, "{name} on {path}");
    }
}
