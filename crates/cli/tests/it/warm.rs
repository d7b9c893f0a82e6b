//! Hooks that are kept warm, with the real keeper. Nothing here sleeps: a test starts events until one ran in a process that was
//! ready, as often as a busy machine may need.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, IoSlice, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhook::core::transcript::{End, Transcript};
use anyhook::processes::{Confined, Job, Limits, Pool, find_program};
use anyhook::stores::Keep;
use anyhook::warm;
use anyhook::world::{Places, Supervisor, World};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::{Value, json};

use crate::env::{TestEnv, on};

/// Events until this time is over: a busy machine starts a keeper late, and one that failed is replaced after a minute.
fn tries() -> impl Iterator<Item = ()> {
    let begun = Instant::now();
    std::iter::repeat(()).take_while(move |()| begun.elapsed() < Duration::from_mins(3))
}

/// One script, and what tells whether a keeper ran it.
struct Hook<'e> {
    env: &'e TestEnv,
    world: World,
    interpreter: PathBuf,
    script: PathBuf,
}

/// What a Python script begins with, so that the test knows whose child it was.
const PYTHON: &str = "import os; open(os.environ['SIDE'], 'a').write(open(f'/proc/{os.getppid()}/cmdline').read() + '\\n')\n";
const NODE: &str = "require('fs').appendFileSync(process.env.SIDE, require('fs').readFileSync(`/proc/${process.ppid}/cmdline`) + '\\n');\n";

/// The path on which interpreters are looked for: one that chooses among others by folder and variables is no program.
const PATH: &str = "/usr/bin:/usr/local/bin:/bin";

impl<'e> Hook<'e> {
    fn new(env: &'e TestEnv, name: &str, text: &str) -> Self {
        let (program, before) = match name.rsplit_once('.') {
            Some((_, "py")) => ("python3", PYTHON),
            _ => ("node", NODE),
        };
        let interpreter = find_program(program.as_ref(), PATH.as_ref(), Path::new("/"));
        let home = env.path("home");
        let places = Places {
            config: home.join("config"),
            state: home.join("state"),
            home,
        };
        let supervisor = Supervisor {
            program: env!("CARGO_BIN_EXE_anyhook").into(),
            keep: Keep::Verdicts,
        };
        Self {
            world: World {
                places: Some(places),
                supervisor: Some(supervisor),
                ..World::real()
            },
            interpreter: interpreter.unwrap_or_else(|| panic!("no {program} on this machine")),
            script: env.write(&format!("project/{name}"), &format!("{before}{text}")),
            env,
        }
    }

    fn side(&self) -> PathBuf {
        self.env.path("home").join("side")
    }

    /// What runs for one event.
    fn job(&self, args: &[&str], stdin: &str) -> Job {
        let args = [self.script.to_str().unwrap()]
            .into_iter()
            .chain(args.iter().copied());
        let side = self.side();
        let env = [
            ("PATH", PATH),
            ("HOME", "/nowhere"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("SIDE", side.to_str().unwrap()),
            ("ODD", "\u{fc} \"'\n${x}"),
        ];
        Job {
            program: self.interpreter.clone(),
            args: args.map(Into::into).collect(),
            env: env.map(|(name, value)| (name.into(), value.into())).into(),
            cwd: self.env.path("project"),
            stdin: stdin.as_bytes().into(),
            deadline: Duration::from_mins(1),
            confined: None,
            warm: None,
        }
    }

    fn cold(&self, args: &[&str], stdin: &str) -> Transcript {
        let (transcript, is_warm) = self.once(self.job(args, stdin));
        assert!(!is_warm, "no keeper was asked for it");
        transcript
    }

    /// Runs events until one ran in a process that was ready.
    fn warm(&self, args: &[&str], stdin: &str) -> Transcript {
        self.warmed(|| self.job(args, stdin))
    }

    fn warmed(&self, mut job: impl FnMut() -> Job) -> Transcript {
        for () in tries() {
            let mut job = job();
            job.warm = warm::of(&job, &self.world).map(Box::new);
            assert!(job.warm.is_some(), "it can be kept warm");
            if let (transcript, true) = self.once(job) {
                return transcript;
            }
        }
        panic!("no keeper was ready for {}", self.script.display());
    }

    /// Runs an event, and tells whether a keeper's process ran it.
    fn once(&self, job: Job) -> (Transcript, bool) {
        let _ = fs::remove_file(self.side());
        let transcript = run(job);
        let parent = fs::read_to_string(self.side()).unwrap_or_default();
        (transcript, parent.contains("background\0warm"))
    }
}

fn run(job: Job) -> Transcript {
    let mut pool = Pool::new(Limits::default());
    pool.start(0, job);
    let mut ended = pool.turn(None);
    while ended.is_empty() {
        ended = pool.turn(None);
    }
    pool.settle();
    ended.remove(0).1
}

/// What an event left: its two streams and its end.
fn left(transcript: &Transcript) -> (String, String, End) {
    (
        transcript.stdout.text().into_owned(),
        transcript.stderr.text().into_owned(),
        transcript.end.clone(),
    )
}

#[test]
fn a_python_script_says_the_same_bytes_with_the_same_code_cold_and_warm() {
    let table = [
        "print('hello')",
        "import sys; print(sys.stdin.read()[::-1], end=''); print('to err', file=sys.stderr); sys.exit(2)",
        "import sys, json; json.dump({'argv': sys.argv, 'file': __file__, 'name': __name__, 'path0': sys.path[0], 'doc': __doc__,\n 'cached': __cached__, 'spec': __spec__, 'package': __package__, 'vars': sorted(vars()), 'flags': str(sys.flags)}, sys.stdout)",
        "import os, json; env = dict(os.environ); env.pop('ANYHOOK_JOB'); print(json.dumps([os.getcwd(), env]))",
        "import os; print(os.isatty(0), os.getpgid(0) == os.getpid())",
        "import sys; print([(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.isatty(), s.seekable()) for s in (sys.stdin, sys.stdout, sys.stderr)])",
        "raise ValueError('no')",
        "def f():\n    return 1 / 0\n\ndef g():\n    try:\n        f()\n    except ZeroDivisionError:\n        raise KeyError('x')\ng()",
        "import sys; sys.exit('a reason')",
        "import sys; sys.exit()",
        "import sys; sys.exit(300)",
        "import os; print('lost in the buffer'); os._exit(7)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "raise KeyboardInterrupt",
        "import sys; sys.stdout.write('no newline'); sys.stdout.flush(); sys.stderr.write('e')",
        "import sys; sys.stdout.buffer.write(bytes(range(256)))",
        "import atexit, threading, time\natexit.register(print, 'at exit')\nthreading.Thread(target=lambda: (time.sleep(0.05), print('from a thread'))).start()\nprint('main is over')",
        "f = open(os.environ['SIDE'] + '.out', 'w'); f.write('not flushed by hand')",
        "print(open(os.environ['SIDE'] + '.out').read())",
        "import beside; print(beside.NAME, beside.__file__, beside.seen())",
        "import subprocess; print(subprocess.run(['sh', '-c', 'echo from sh; echo $ODD; exit 3'], capture_output=True))",
        "import subprocess; subprocess.run(['sh', '-c', 'echo straight; cat']); print('after')",
        "import sys; sys.excepthook = lambda t, v, tb: print('mine', t, v, tb.tb_lineno); raise OSError('x')",
        "class D:\n    def __del__(self): print('deleted')\nd = D()",
        "import pickle\nclass C: pass\nprint(type(pickle.loads(pickle.dumps(C()))).__module__)",
        "import locale, time, random; print(locale.getpreferredencoding(), time.tzname)",
        "import sys; sys.stdout.close(); sys.exit(4)",
        "import os; os.close(1); print('nowhere')",
        "x = (",
        "import nothing_by_that_name",
        "import sys; sys.setrecursionlimit(200)\ndef f(): f()\ntry: f()\nexcept RecursionError as e: print(e)",
        "print(sys.argv)",
        "async def main(): print('async')\nimport asyncio; asyncio.run(main())",
        "import multiprocessing as m\nif __name__ == '__main__':\n    p = m.Process(target=print, args=('child',)); p.start(); p.join(); print(p.exitcode)",
    ];
    let env = TestEnv::new();
    env.write(
        "project/beside.py",
        "import os\nNAME = os.environ['ODD']\ndef seen(): return __name__\n",
    );
    for (row, script) in table.into_iter().enumerate() {
        let hook = Hook::new(&env, &format!("row{row}.py"), script);
        let (args, stdin) = (["--flag", "two words", "\u{e9}"], "the event\n");
        // The script that cannot be read is never ready: it says so in a cold start.
        if script == "x = (" {
            continue;
        }
        let cold = left(&hook.cold(&args, stdin));
        assert_eq!(left(&hook.warm(&args, stdin)), cold, "{script}");
    }
}

#[test]
fn a_node_script_says_the_same_bytes_with_the_same_code_cold_and_warm() {
    let table = [
        "console.log('hello')",
        "const i = require('fs').readFileSync(0, 'utf8'); process.stdout.write(i.split('').reverse().join('')); console.error('err'); process.exit(2)",
        "console.log(JSON.stringify([process.argv, process.execArgv, process.cwd(), __filename, require.main === module, Object.keys(require.cache).length]))",
        "const e = {...process.env}; delete e.ANYHOOK_JOB; console.log(JSON.stringify(e))",
        "process.stdin.on('data', d => console.log(String(d))).on('end', () => { process.exitCode = 3 })",
        "throw new TypeError('no')",
        "Promise.reject(new Error('rejected'))",
        "setTimeout(() => console.log('later'), 5); process.on('exit', c => console.log('exit', c))",
        "require('fs').writeSync(1, 'to fd 1'); require('fs').writeSync(2, 'to fd 2'); process.kill(process.pid, 'SIGKILL')",
        "console.log(require('./beside.js'))",
        "console.log(String(require('child_process').execSync('echo $ODD; exit 0')))",
        "require('child_process').spawnSync('sh', ['-c', 'echo straight'], {stdio: 'inherit'}); console.log('after')",
        "console.log(Object.keys(globalThis).sort().join())",
        "(",
    ];
    let env = TestEnv::new();
    env.write(
        "project/beside.js",
        "module.exports = [process.env.ODD, __filename]\n",
    );
    for (row, script) in table.into_iter().enumerate() {
        let hook = Hook::new(&env, &format!("row{row}.js"), script);
        if script == "(" {
            continue;
        }
        let (args, stdin) = (["--flag", "two words"], "the event\n");
        let cold = left(&hook.cold(&args, stdin));
        assert_eq!(left(&hook.warm(&args, stdin)), cold, "{script}");
    }
}

/// Waits until a process is gone.
fn is_gone(pid: &str) {
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    let mut fds = [PollFd::new(&handle, PollFlags::IN)];
    let patience = Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    assert_eq!(
        poll(&mut fds, Some(&patience)),
        Ok(1),
        "{pid:?} is gone in time"
    );
}

#[test]
fn what_a_hostile_script_leaves_never_becomes_the_answer_of_another_event() {
    let script = r#"
import sys, json, threading, time
if sys.stdin.read() == "good\n":
    print(json.dumps({"modules": hasattr(json, "mine"), "key": os.environ.get("MINE"), "stamp": getattr(sys, "mine", None)}))
    sys.exit(0)
saved = os.dup(1)
json.mine = sys.mine = 1
json.dumps = lambda *a: "forged"
sys.modules["json"] = None
os.environ["MINE"] = "1"
def later():
    while True:
        try: os.write(saved, b'{"decision": "allow"}\n')
        except OSError: pass
        time.sleep(0.001)
threading.Thread(target=later, daemon=True).start()
for number in range(3, 64):
    try: os.write(number, b'{"code":0}\n"given"\n')
    except OSError: pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(os.environ["SIDE"] + ".pid", "w").write(str(os.getpid()))
        later()
    os._exit(0)
os.wait()
while not os.path.exists(os.environ["SIDE"] + ".pid") or not open(os.environ["SIDE"] + ".pid").read(): pass
os.closerange(0, 64)
os._exit(0)
"#;
    let env = TestEnv::new();
    let hook = Hook::new(&env, "hostile.py", script);
    let good = left(&hook.cold(&[], "good\n"));
    assert_eq!(
        good.0,
        "{\"modules\": false, \"key\": null, \"stamp\": null}\n"
    );
    for _ in 0..3 {
        let file = env.path("home").join("side.pid");
        let _ = fs::remove_file(&file);
        assert_eq!(hook.warm(&[], "hostile\n").end, End::Code(0));
        let daemon = fs::read_to_string(&file).unwrap();
        assert_eq!(left(&hook.warm(&[], "good\n")), good);
        // Nothing else finds a process that left its group, its parent and its environment.
        is_gone(&daemon);
    }
}

#[test]
fn nothing_of_one_run_is_there_for_the_next() {
    let env = TestEnv::new();
    let script = "import json; json.runs = getattr(json, 'runs', 0) + 1; print(json.runs)";
    let hook = Hook::new(&env, "leak.py", script);
    let runs: Vec<String> = (0..5).map(|_| left(&hook.warm(&[], "")).0).collect();
    assert_eq!(runs, ["1\n"; 5]);
}

#[test]
fn a_script_that_changed_answers_as_it_is_now_at_once() {
    let env = TestEnv::new();
    for (name, say) in [("turn.py", "print"), ("turn.js", "console.log")] {
        let hook = Hook::new(&env, name, &format!("{say}('old')"));
        assert_eq!(left(&hook.warm(&[], "")).0, "old\n");
        let meta = fs::metadata(&hook.script).unwrap();
        let text = fs::read_to_string(&hook.script).unwrap();
        fs::write(&hook.script, text.replace("old", "new")).unwrap();
        // In place, of the same size, with its old time.
        let file = fs::File::options().write(true).open(&hook.script).unwrap();
        file.set_modified(meta.modified().unwrap()).unwrap();
        let mut job = hook.job(&[], "");
        job.warm = warm::of(&job, &hook.world).map(Box::new);
        assert_eq!(left(&hook.once(job).0).0, "new\n");
        assert_eq!(left(&hook.warm(&[], "")).0, "new\n");
    }
}

#[test]
fn a_module_beside_the_script_that_changed_is_read_anew() {
    let env = TestEnv::new();
    env.write("project/beside.py", "WORD = 'old'\n");
    let hook = Hook::new(&env, "reads.py", "import beside; print(beside.WORD)");
    assert_eq!(left(&hook.warm(&[], "")).0, "old\n");
    env.write("project/beside.py", "WORD = 'new'\n");
    assert_eq!(left(&hook.warm(&[], "")).0, "new\n");
}

#[test]
fn a_hook_that_hangs_is_ended_at_its_time_with_all_that_it_started() {
    let script = "
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(['sh', '-c', 'trap : TERM; while :; do sleep 600; done'])
open(os.environ['SIDE'] + '.pids', 'w').write(f'{os.getpid()} {child.pid}')
while True: signal.pause()
";
    let env = TestEnv::new();
    let hook = Hook::new(&env, "hangs.py", script);
    let transcript = hook.warmed(|| Job {
        deadline: Duration::from_millis(1500),
        ..hook.job(&[], "")
    });
    assert_eq!(transcript.end, End::TimedOut);
    let pids = fs::read_to_string(env.path("home").join("side.pids")).unwrap();
    pids.split(' ').for_each(is_gone);
}

#[test]
fn a_hook_whose_caller_is_gone_is_ended() {
    let script = "
import signal
open(os.environ['SIDE'] + '.pid', 'w').write(str(os.getpid()))
os.close(1)
while True: signal.pause()
";
    let env = TestEnv::new();
    let hook = Hook::new(&env, "waits.py", script);
    let mut is_warm = false;
    for () in tries() {
        let mut job = hook.job(&[], "");
        job.warm = warm::of(&job, &hook.world).map(Box::new);
        let _ = fs::remove_file(hook.side());
        let _ = fs::remove_file(env.path("home").join("side.pid"));
        let mut pool = Pool::new(Limits {
            grace: Duration::ZERO,
            ..Limits::default()
        });
        pool.start(0, job);
        let file = env.path("home").join("side.pid");
        while fs::read_to_string(&file).is_ok_and(|pid| pid.is_empty()) || !file.exists() {
            pool.turn(Some(Instant::now() + Duration::from_millis(5)));
        }
        drop(pool);
        let parent = fs::read_to_string(hook.side()).unwrap();
        is_warm = parent.contains("background\0warm");
        is_gone(&fs::read_to_string(&file).unwrap());
        if is_warm {
            break;
        }
    }
    assert!(is_warm, "no keeper was ready");
}

#[test]
fn a_keeper_that_dies_while_a_hook_runs_is_the_failure_of_the_hook_which_is_not_run_twice() {
    let script = "
import signal
with open(os.environ['SIDE'] + '.runs', 'a') as runs: runs.write('run\\n')
if b'background\\0warm' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read():
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()
";
    let env = TestEnv::new();
    let hook = Hook::new(&env, "kills.py", script);
    let runs = env.path("home").join("side.runs");
    let mut before = 0;
    let transcript = hook.warmed(|| {
        before = fs::read_to_string(&runs)
            .unwrap_or_default()
            .lines()
            .count();
        hook.job(&[], "")
    });
    let End::NotStarted(why) = &transcript.end else {
        panic!("{transcript:?}")
    };
    assert!(why.ends_with("the hook is not run twice"), "{why}");
    let after = fs::read_to_string(&runs).unwrap().lines().count();
    assert_eq!(after, before + 1);
}

#[test]
fn a_guard_whose_keeper_dies_refuses() {
    let script = "
import os, signal
if b'background\\0warm' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read():
    open(os.environ['PROJECT_DIR'] + '/was-warm', 'w')
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()
";
    let hook = json!({"type": "command", "command": "/usr/bin/python3 ${PACKAGE_ROOT}/hooks/scripts/guard.py",
        "guard": true, "keep": "warm", "timeout": 10});
    let env = TestEnv::new();
    env.write("project/hooks/scripts/guard.py", script);
    env.manifest(&on("pre-tool-use", &json!([{"hooks": [hook]}])).to_string());
    env.trust();
    for () in tries() {
        let left = env.claude(&env.pre("Bash", &json!({"command": "ls"})));
        if env.path("project/was-warm").exists() {
            assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
            return;
        }
        assert_eq!(left.decision(), None, "{left:?}");
    }
    panic!("no keeper was ready");
}

/// Another program at the socket of a hook, which says this beside pipes of its own.
fn forged(hook: &Hook<'_>, words: &'static [u8], last: &'static [u8]) -> thread::JoinHandle<bool> {
    let job = hook.job(&[], "");
    let warm = warm::of(&job, &hook.world).unwrap();
    fs::create_dir_all(&warm.folder).unwrap();
    fs::set_permissions(&warm.folder, Permissions::from_mode(0o700)).unwrap();
    let listener = UnixListener::bind(warm.folder.join(&warm.key)).unwrap();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let pipes = [(); 3].map(|()| rustix::pipe::pipe().unwrap());
        // Of standard input the end to write to, of the others those to read from.
        let ends = [&pipes[0].1, &pipes[1].0, &pipes[2].0].map(AsFd::as_fd);
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut beside = SendAncillaryBuffer::new(&mut room);
        beside.push(SendAncillaryMessage::ScmRights(&ends));
        let words = [IoSlice::new(words)];
        // On a busy machine the caller may have given up waiting.
        let _ = sendmsg(&socket, &words, &mut beside, SendFlags::NOSIGNAL);
        let mut line = String::new();
        let _ = BufReader::new(&socket).read_line(&mut line);
        // A caller that was told to start cold has hung up by now.
        let _ = socket.write_all(last);
        !line.is_empty()
    })
}

#[test]
fn a_keeper_that_says_something_else_is_never_an_answer() {
    let count = |env: &TestEnv| {
        let runs = fs::read_to_string(env.path("home").join("side.runs"));
        runs.unwrap_or_default().lines().count()
    };
    let script = "open(os.environ['SIDE'] + '.runs', 'a').write('run\\n'); print('mine')";
    // Before it was told what the hook is, the hook starts cold.
    let before: [&[u8]; 4] = [
        b"{\"cold\":\"later\"}\n",
        b"\"given\"",
        b"what?\n",
        b"\xff\n",
    ];
    for words in before {
        let env = TestEnv::new();
        let hook = Hook::new(&env, "forged.py", script);
        let forger = forged(&hook, words, b"{\"code\":0}\n");
        let mut job = hook.job(&[], "");
        job.warm = warm::of(&job, &hook.world).map(Box::new);
        let (transcript, _) = hook.once(job);
        assert!(!forger.join().unwrap(), "it was told nothing");
        assert_eq!((left(&transcript).0.as_str(), count(&env)), ("mine\n", 1));
    }
    // From then on its answer is that of the hook, and what is none is a failure.
    let after: [&[u8]; 5] = [
        b"",
        b"{\"code\":0}",
        b"{\"code\":256}\n",
        b"\"given\"\n",
        b"{\"code\":0}\n{\"code\":0}\n",
    ];
    for last in after {
        let told = || {
            let env = TestEnv::new();
            let hook = Hook::new(&env, "forged.py", script);
            let forger = forged(&hook, b"\"given\"\n", last);
            let mut job = hook.job(&[], "");
            job.warm = warm::of(&job, &hook.world).map(Box::new);
            let (transcript, _) = hook.once(job);
            // One that answered too late for the patience of an event was told nothing.
            let was_told = forger.join().unwrap();
            if was_told {
                let is_failure = matches!(transcript.end, End::NotStarted(_));
                assert!(is_failure, "{transcript:?}");
            }
            assert_eq!(count(&env), usize::from(!was_told), "it is not run again");
            was_told
        };
        assert!(tries().any(|()| told()), "it was told what the hook is");
    }
}

#[test]
fn a_keeper_that_does_not_answer_is_not_waited_for() {
    let env = TestEnv::new();
    let hook = Hook::new(&env, "alone.py", "print('mine')");
    let mut job = hook.job(&[], "");
    let warm = warm::of(&job, &hook.world).unwrap();
    fs::create_dir_all(&warm.folder).unwrap();
    fs::set_permissions(&warm.folder, Permissions::from_mode(0o700)).unwrap();
    let _silent = UnixListener::bind(warm.folder.join(&warm.key)).unwrap();
    job.warm = Some(Box::new(warm));
    assert_eq!(left(&hook.once(job).0).0, "mine\n");
}

#[test]
fn sockets_in_a_folder_that_others_can_enter_are_not_asked() {
    let env = TestEnv::new();
    let mut hook = Hook::new(&env, "open.py", "print('mine')");
    // No keeper comes, which would close the folder and look who is there.
    let supervisor = hook.world.supervisor.as_mut().unwrap();
    supervisor.program = "/bin/true".into();
    let mut job = hook.job(&[], "");
    let warm = warm::of(&job, &hook.world).unwrap();
    fs::create_dir_all(&warm.folder).unwrap();
    fs::set_permissions(&warm.folder, Permissions::from_mode(0o770)).unwrap();
    let forger = UnixListener::bind(warm.folder.join(&warm.key)).unwrap();
    forger.set_nonblocking(true).unwrap();
    job.warm = Some(Box::new(warm));
    assert_eq!(left(&hook.once(job).0).0, "mine\n");
    let error = forger.accept().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_warm_hook_has_three_files_open_and_no_socket_of_the_keeper() {
    let env = TestEnv::new();
    let list = "print(sorted(os.readlink(f'/proc/self/fd/{n}').split(':')[0] for n in os.listdir('/proc/self/fd') if n != '3'))";
    let hook = Hook::new(&env, "files.py", list);
    assert_eq!(left(&hook.warm(&[], "")).0, "['pipe', 'pipe', 'pipe']\n");
}

#[test]
fn a_keeper_without_events_ends_by_itself_and_takes_its_socket_away() {
    let env = TestEnv::new();
    let hook = Hook::new(&env, "idle.py", "print('mine')");
    let warm = warm::of(&hook.job(&[], ""), &hook.world).unwrap();
    let mut order: Value = serde_json::from_slice(&warm.order).unwrap();
    order["idle_millis"] = json!(0);
    let mut keeper = Command::new(env!("CARGO_BIN_EXE_anyhook"));
    keeper
        .args(["background", warm::WORD])
        .stdin(Stdio::piped());
    let mut keeper = keeper.spawn().unwrap();
    keeper
        .stdin
        .take()
        .unwrap()
        .write_all(order.to_string().as_bytes())
        .unwrap();
    assert!(keeper.wait().unwrap().success());
    assert!(!warm.folder.join(&warm.key).exists());
}

#[test]
fn what_cannot_be_warm_starts_cold() {
    let env = TestEnv::new();
    let hook = Hook::new(&env, "plain.py", "print('mine')");
    let is_warm = |job: Job| warm::of(&job, &hook.world).is_some();
    assert!(is_warm(hook.job(&[], "")));
    let with = |args: &[&str]| Job {
        args: args.iter().map(Into::into).collect(),
        ..hook.job(&[], "")
    };
    assert!(!is_warm(with(&["-c", "print(1)"])));
    assert!(!is_warm(with(&["-"])));
    assert!(!is_warm(with(&["no-such-file.py"])));
    assert!(!is_warm(with(&[])));
    let spec = anyhook_confine::Spec::default();
    let confined = Some(Box::new(Confined {
        helper: Vec::new(),
        spec,
        watched: false,
    }));
    assert!(!is_warm(Job {
        confined,
        ..hook.job(&[], "")
    }));
    let sh = Job {
        program: "/bin/sh".into(),
        ..hook.job(&[], "")
    };
    assert!(!is_warm(sh));
    // A script that names its interpreter itself can.
    let text = fs::read_to_string(&hook.script).unwrap();
    fs::write(&hook.script, format!("#!/usr/bin/env python3\n{text}")).unwrap();
    fs::set_permissions(&hook.script, Permissions::from_mode(0o755)).unwrap();
    let script = || Job {
        program: hook.script.clone(),
        args: vec!["--flag".into()],
        ..hook.job(&[], "")
    };
    let cold = left(&hook.once(script()).0);
    assert_eq!(left(&hook.warmed(script)), cold);
}

#[test]
fn events_at_the_same_time_have_a_process_each() {
    let env = TestEnv::new();
    let hook = Hook::new(
        &env,
        "many.py",
        "import sys; print(sys.stdin.read(), sys.argv[1:])",
    );
    hook.warm(&[], "");
    let mut pool = Pool::new(Limits::default());
    for number in 0..8 {
        let text = number.to_string();
        let mut job = hook.job(&[&text], &text);
        job.warm = warm::of(&job, &hook.world).map(Box::new);
        pool.start(number, job);
    }
    let mut said = Vec::new();
    while !pool.is_idle() {
        said.extend(pool.turn(None));
    }
    pool.settle();
    said.sort_by_key(|(key, _)| *key);
    let said: Vec<String> = said
        .iter()
        .map(|(_, transcript)| left(transcript).0)
        .collect();
    let expected: Vec<String> = (0..8)
        .map(|number| format!("{number} ['{number}']\n"))
        .collect();
    assert_eq!(said, expected);
}
