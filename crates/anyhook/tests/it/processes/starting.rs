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
    let job = Job {
        env: env.map(|(name, value)| (name.into(), value.into())).into(),
        ..file(
            find_program(
                OsStr::new("env"),
                &std::env::var_os("PATH").unwrap(),
                Path::new("/"),
            )
            .unwrap(),
        )
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
    let jobs = [
        file(path("none")),
        file(path("plain")),
        file(path("lost")),
        file(path("folder")),
        file(path("binary")),
        Job {
            cwd: path("gone"),
            ..sh("")
        },
        Job {
            cwd: path("plain"),
            ..sh("")
        },
        file("/bin/a\0b"),
        Job {
            args: vec!["a\0b".into()],
            ..sh("")
        },
        Job {
            env: vec![("A".into(), "a\0b".into())],
            ..sh("")
        },
        Job {
            args: vec!["x".repeat(40 << 20).into()],
            ..sh("")
        },
        file("/bin/\u{1b}[2J"),
    ];
    let here = directory.path().display().to_string();
    let reasons = jobs.map(|job| not_started(run(job)).replace(&here, "HERE"));
    let expected = [
        "cannot start `HERE/none`: no such file",
        "cannot start `HERE/plain`: it is not executable",
        "cannot start `HERE/lost`: the interpreter that it names does not exist",
        "cannot start `HERE/folder`: it is a directory",
        "cannot start `HERE/binary`: it is neither a program of this system nor a script",
        "cannot start `/bin/sh`: the working directory `HERE/gone` does not exist",
        "cannot start `/bin/sh`: the working directory `HERE/plain` does not exist",
        "cannot start `/bin/a\\u{0}b`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its arguments and variables are too long for the system",
        "cannot start `/bin/\\u{1b}[2J`: no such file",
    ];
    assert_eq!(reasons, expected);
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
    let found = [
        find("tool", &full),
        find("tool", ""),
        find("tool", ":.:b:"),
        find("./tool", ""),
        find("b/tool", ""),
        find("a/tool", &full),
        find("c/tool", &full),
        find(absolute.to_str().unwrap(), ""),
        find("", &full),
        find("none", &full),
    ];
    let expected = [
        Some("b/tool"),
        None,
        None,
        Some("tool"),
        Some("b/tool"),
        None,
        None,
        Some("b/tool"),
        None,
        None,
    ];
    assert_eq!(found, expected.map(|path| path.map(str::to_owned)));
}
