//! Programs that run others, start them later or signal them.

use super::call::Call;
use super::{Program, row, wrappers};
use crate::command::{Inner, Input};
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Options of shells; with `-c` the first operand is the text.
const SHELL: &str = "c i l,login s,stdin x e u v n f a h k p r t m b C B H E P T D o: O: rcfile,init-file:F norc noprofile posix restricted verbose dump-strings debugger pretty-print no-rcs";

pub(super) static ROWS: &[Program] = &[
    row("sh|bash|dash|zsh|ksh|mksh|ash|rbash|oksh|yash|posh|ksh93|pdksh|hush", SHELL, "").more(shell),
    row("fish", "+ c,command:c C,init-command:c i,interactive l,login n,no-execute N,no-config p,profile:w d,debug: o,debug-output:w P,private", "").more(other_shell),
    row("csh|tcsh|nu|elvish|xonsh|oil|osh|ysh|es|rc|pwsh|powershell|cmd|cmd.exe|ion|murex", "+ c:x e l f i s", "").more(other_shell),
    row("sudo|doas|sudoedit|pkexec|gosu|su-exec|run0|please|fakeroot", "+ A,askpass b,background B C,close-from: c,login-class: D,chdir:/ E,preserve-env? e,edit!w g,group: H,set-home h,host: i,login K k l,list n,non-interactive P p,prompt: R,chroot:/ r,role: S,stdin s,shell T,command-timeout: t,type: U,other-user: u,user: V v,validate N a: d: L", "").more(sudo),
    row("su|runuser|sg", "c,command:c session-command:c g,group: G,supp-group: l,login m,p,preserve-environment s,shell:f u,user: P,pty w,whitelist-environment: f", "-*").more(su),
    row("env|genv|printenv-run", "+ i,ignore-environment u,unset: C,chdir:/ S,split-string: 0,null v,debug block-signal? default-signal? ignore-signal? list-signal-handling P:", "").more(env),
    row("setarch|linux32|linux64", "+ B,32bit F,fdpic-funcptrs I,short-inode L,addr-compat-layout R,addr-no-randomize S,whole-seconds T,sticky-timeouts X,read-implies-exec Z,mmap-page-zero 3,3gb 4gb uname-2.6 v,verbose list", "C").more(wrappers::second),
    row("capsh", "", "").more(wrappers::bounded),
    row("timeout|gtimeout", "+ f,foreground k,kill-after: p,preserve-status s,signal: v,verbose", "- C"),
    row("nice|gnice", "+ n,adjustment: 0 1 2 3 4 5 6 7 8 9", "C"),
    row("command", "+ p v!0 V!0", "C"),
    // The loader of programs runs what follows.
    row("ld-linux|ld-linux-x86-64.so|ld-linux-aarch64.so|ld-musl-x86_64.so|ld-musl-aarch64.so|ld.so|ld64.so", "+ library-path: argv0: preload:x audit:x inhibit-cache inhibit-rpath: glibc-hwcaps-prepend: glibc-hwcaps-mask: list!0 verify!0", "C"),
    row("ionice", "+ c,class: n,classdata: p,pid:!0 P: u: t,ignore", "C"),
    row("chrt", "+ a,all-tasks b,batch d,deadline f,fifo i,idle m,max o,other p,pid!0 r,rr R v,verbose T,sched-runtime: P,sched-period: D,sched-deadline:", "- C"),
    row("taskset", "+ a,all-tasks c,cpu-list p,pid!0", "- C"),
    row("nohup|setsid|stdbuf|catchsegv|chronic|caffeinate|systemd-inhibit|dbus-run-session|xvfb-run|faketime|unbuffer|torsocks|proxychains|proxychains4|tsocks|firejail|bwrap|eatmydata|ts|errno|softlimit|setlock|chpst|prlimit|numactl|cgexec|choom|aa-exec|setpriv|trickle|cpulimit|rlwrap|socksify|dotenv|direnv-exec|op|aws-vault|doppler|chamber|infisical|envconsul|with-contenv|tini|dumb-init|catatonit|ifne|pee|vipe|zrun|combine|lckdo|annotate-output|retry|pueue|nq|tsp|batch-run|entr|hyperfine-run|mask|reptyr|dtach|abduco", "+ c,ctty f,fork w,wait i,input: o,output: e,error: u: g: k d s: t: m: h: n: p: R: a: r: x: bind:W ro-bind:R tmpfs: chdir:/ proc: dev: setenv:- C: K: D: F: I: l: S: v", "C").more(wrappers::wrapper),
    row("time|gtime", "+ a,append f,format: o,output:w p,portability q v,verbose l h", "C"),
    row("watch|viddy", "+ n,interval: d,differences? t,no-title b,beep e,errexit g,chgexit c,color p,precise x,exec w,no-wrap s,shotsdir:W q,equexit:", "").more(joined),
    row("flock", "+ e,x,exclusive s,shared n,nonblock u,unlock w,timeout: E,conflict-exit-code: o,close F,no-fork c,command:c v,verbose", "u").more(locked),
    row("strace|ltrace|truss|ktrace|uftrace|bpftrace-run|tracexec", "+ o,output:w e,trace: p,attach: s: S: u,user: E,env: I: O: P: X: b: a: U: c C f ff F q r t tt T v x y Y w D k", "C"),
    row("script|asciinema|ttyrec|scriptreplay", "c,command:c a,append e,return f,flush O,log-out,B,log-io:w I,log-in:w T,log-timing:w E,echo: q,quiet t,timing? m: o:", "w").more(script),
    row("unshare|nsenter|setns|ip-netns|lxc-attach", "+ S,setuid: G,setgid: R,root:/ w,wd:/ mount-proc? map-user: map-group: map-users: map-groups: propagation: setgroups: t,target: r,map-root-user c,map-current-user f,fork kill-child? m,mount? u,uts? i,ipc? n,net? p,pid? U,user? C,cgroup? T,time? a,all F Z", "C").more(wrappers::wrapper),
    row("chroot|fakechroot|proot|arch-chroot", "+ userspec: groups: skip-chdir r:/ b:W w:/ 0 S:/ q:x", "").more(chroot),
    row("busybox|toybox|uutils|coreutils|ubase|sbase|doas-busybox|beep-run|nix-run|systemd-run", "+ user scope u,unit: p,property: t,pty P,pipe d,same-dir G E,setenv: slice: uid: gid: wait working-directory:/ q on-calendar: on-active: remain-after-exit list install", "C"),
    row("kill|pkill|killall|skill|xkill|killall5|fuser|taskkill|stop-process|tskill", "s,signal: l,list!0 L!0 q,queue: u,euid: U,uid: f,full x,exact P,parent: g: G: t: o,oldest n,newest e i v,verbose w k 9 15 1 2 3 0 timeout:", "g*"),
    row("printenv|ps", "0,null", "-*").more(shows),
    row("pgrep|pidof|top|htop|btop|pstree|pmap|pwdx|free|vmstat|iostat|mpstat|sar|dmesg|jobs|iotop|glances|nvtop|nvidia-smi|lscpu|lspci|lsusb|lsmod|dmidecode|hwinfo|inxi|ipcs|vm_stat|sysdiagnose|procs|atop|nmon|getent|loginctl|coredumpctl|systemd-analyze|busctl", "", "-*"),
    row("systemctl|service|launchctl|rc-service|rc-update|initctl|sv|svc|supervisorctl|monit|runit|s6-svc|update-rc.d|chkconfig|insserv|systemd-tmpfiles|shutdown|reboot|halt|poweroff|init|telinit|pm-suspend", "user system now f,force H,host:n M: root:W t,type: n,lines: o,output: q no-pager s,signal: kill-whom:", "-*").more(services),
    row("crontab|fcrontab|incrontab", "u: e l!0 r!k i", "r").more(schedules),
    row("at|batch|atrm|atd|anacron|launchd|schtasks", "f:r m M l!0 d!k t: q: c v V b r", "-*").does("x k"),
    row("last|lastb|lastlog|utmpdump", "f,file:r R,root:R n,limit: s,since: t,until: p,present: u,user: b: C S o,output:w d a F i w x", "-*"),
    row("journalctl", "D,directory:R file:r root:R image:r u,unit: n,lines: S,since: U,until: o,output: cursor-file:u vacuum-size: vacuum-time: vacuum-files: f e r k b? p: t: g: rotate flush", "-*"),
    row("screen|tmux|zellij|byobu|wezterm|kitty|alacritty|xterm|gnome-terminal|konsole|tilix|terminator|rxvt|urxvt|st|foot|osascript|xdotool|wmctrl|ydotool|automator|cliclick|expect|autoexpect|dialog|whiptail|fzf|sk|peco|gum|zenity", "", "-*").does("x").more(terminals),
    row("anyhook|aam", "+ config: state: host: manifest: color: format: dir:/ C:/ q,quiet", "").more(ours),
    row("anyhook-run", "host: manifest: deadline: record:/ C:/", "").more(our_events),
    row("runas|start-process|invoke-command|invoke-expression|iex|invoke-webrequest|iwr|invoke-restmethod|irm|remove-item|ri|del|erase|rd|set-content|add-content|out-file|tee-object|new-item|ni-item|md|copy-item|copy|xcopy|robocopy|clear-content|clear-item|rename-itemproperty|set-itemproperty|remove-itemproperty|new-itemproperty|reg|regedit|sc|net|netsh|icacls|takeown|attrib|cacls|cipher|format|diskpart|bcdedit|wmic|certutil|bitsadmin|mshta|rundll32|regsvr32|wscript|cscript|msiexec|install-module|install-package|uninstall-module|set-executionpolicy|start-service|stop-service|restart-service|start-job|new-service|add-type|import-module|expand-archive|compress-archive|set-acl|set-location|get-credential|new-object|stop-computer|restart-computer|set-alias|new-alias|set-variable", "", "").more(unread),
    row("get-content|gc-content|get-childitem|gci|get-item|test-path|select-string|get-location|write-output|write-host|get-process|get-command|measure-object|select-object|where-object|sort-object|format-table|format-list|get-help|get-date|resolve-path|get-filehash|findstr|where|ver|vol", "", "-*"),
];

/// A shell: `-c` TEXT, a script, or what it reads.
fn shell(call: &mut Call<'_>) {
    let words = &call.command.words;
    // `+x` turns an option off, and `-o NAME` takes a word.
    let operands: Vec<_> = {
        let all = call.reading.operands.iter();
        let mut all = all.peekable();
        while all
            .peek()
            .is_some_and(|operand| operand.word.head().starts_with('+'))
        {
            all.next();
        }
        // A lone dash ends the options.
        all.next_if(|operand| operand.word.known().as_deref() == Some("-"));
        all.cloned().collect()
    };
    let from = |at: usize| words.get(at..).unwrap_or_default().to_vec();
    wrappers::starts_up(call, operands.first().map(|operand| operand.at));
    let Some(first) = operands.first() else {
        reads_input(call, Vec::new());
        return;
    };
    // Behind the first operand words are no options of the shell.
    let own = words.get(..first.at).unwrap_or_default();
    let mut is_text = false;
    let mut reads = false;
    let mut unclear = false;
    for word in own.iter().skip(1) {
        let head = word.head();
        let short = head.starts_with('-') && !head.starts_with("--");
        is_text |= short && head.contains('c');
        reads |= short && head.contains('s') || head == "--stdin";
        unclear |= word.known().is_none();
    }
    let unclear = unclear
        || first.word.parts.first().is_some_and(|part| {
            !matches!(part, crate::word::Part::Text(_)) && !is_text && operands.len() > 1
        });
    let turned = call.reading.operands.len() > operands.len();
    if unclear && !is_text {
        call.shell(Word::unknown(), Vec::new());
    } else if call.has("n") && !["i", "c", "s"].iter().any(|name| call.may(name)) && !turned {
        // It looks at how the script is written, and runs nothing of it.
        call.act_path(Kind::Read, &first.word, Certainty::Exact, false);
    } else if is_text {
        call.shell(first.word.clone(), from(first.at + 1));
    } else if reads {
        let name = words.first().cloned();
        reads_input(call, name.into_iter().chain(from(first.at)).collect());
    } else if is_input(&first.word) {
        let name = words.first().cloned();
        reads_input(call, name.into_iter().chain(from(first.at + 1)).collect());
    } else {
        let arguments = from(first.at + 1);
        call.act_path(Kind::Read, &first.word, Certainty::Exact, false);
        call.acts.runs.push(Inner::File {
            file: first.word.clone(),
            shell: true,
            arguments,
            folders: call.folders.clone(),
        });
    }
}

/// Tells whether a name of a file is standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    const NAMES: &[&str] = &[
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/fd/0",
        "/proc/thread-self/fd/0",
    ];
    word.known().is_some_and(|text| NAMES.contains(&&*text))
}

/// A program that reads commands for a shell from its input.
fn reads_input(call: &mut Call<'_>, arguments: Vec<Word>) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => call.shell(Word::text(text), arguments),
        Input::File(file) => {
            call.acts.runs.push(Inner::File {
                file,
                shell: true,
                arguments: arguments.into_iter().skip(1).collect(),
                folders: call.folders.clone(),
            });
        }
        Input::Unknown { .. } => call.shell(Word::unknown(), Vec::new()),
    }
}

/// A shell whose language is not read here.
fn other_shell(call: &mut Call<'_>) {
    if call.row.name() == "fish" && call.reading.operands.is_empty() {
        if !call.may("c") {
            reads_input(call, Vec::new());
        }
        return;
    }
    call.anything();
}

/// PowerShell's own words and programs of Windows: what they do is not known here.
fn unread(call: &mut Call<'_>) {
    call.anything();
}

/// What stands in front of a command may be assignments.
fn run_assigned(call: &mut Call<'_>, mut words: Vec<Word>, mut assigned: Vec<(String, Word)>) {
    while let Some(first) = words.first() {
        let head = first.head().to_owned();
        let Some((name, _)) = head.split_once('=') else {
            break;
        };
        let value = first.without(name.len() + 1);
        assigned.push((name.to_owned(), value));
        words.remove(0);
    }
    let input = call.command.input.clone();
    call.run_with(words, false, assigned, input);
}

pub(super) fn rest(call: &Call<'_>) -> Vec<Word> {
    let at = call.reading.operands.first().map(|operand| operand.at);
    at.and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec()
}

fn sudo(call: &mut Call<'_>) {
    let words = rest(call);
    if call.has("e") || call.name == "sudoedit" {
        for word in &words {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        call.opaque = true;
        return;
    }
    // The settings of the other user, for a shell that is started as at a login.
    call.opaque |= call.may("i");
    if words.is_empty() && (call.has("s") || call.has("i")) {
        reads_input(call, Vec::new());
    } else if matches!(&*call.name, "gosu" | "su-exec") {
        run_assigned(
            call,
            words.get(1..).unwrap_or_default().to_vec(),
            Vec::new(),
        );
    } else {
        run_assigned(call, words, Vec::new());
    }
}

fn su(call: &mut Call<'_>) {
    let is_dash = |word: &Word| word.known().as_deref() == Some("-");
    call.opaque |= call.may("l") || call.words().first().is_some_and(is_dash);
    if !call.may("c") && !call.may("session-command") {
        let words = call.words();
        match (&*call.name, words.get(1)) {
            ("sg", Some(text)) => call.shell(text.clone(), Vec::new()),
            ("runuser", _) if call.may("u") => run_assigned(call, rest(call), Vec::new()),
            _ => reads_input(call, Vec::new()),
        }
    }
}

/// Every variable of the environment is printed, secrets among them.
fn environment(call: &mut Call<'_>) {
    let all = Object::Path(crate::places::ENVIRONMENT.into());
    call.effect(Kind::Read, all, Certainty::Exact);
}

/// `printenv` alone prints all; `ps eww` that of each process.
fn shows(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let first = words.first().and_then(Word::known);
    let is_all = match &*call.name {
        "printenv" => call.words().is_empty(),
        "ps" => first.is_some_and(|text| {
            text.contains('e') && text.chars().all(|letter| letter.is_ascii_alphabetic())
        }),
        _ => false,
    };
    if is_all {
        environment(call);
    }
}

fn env(call: &mut Call<'_>) {
    let assigned = Vec::new();
    let text = call.reading.values("S").last().cloned();
    let mut words = rest(call);
    if words
        .first()
        .is_some_and(|word| word.known().as_deref() == Some("-"))
    {
        words.remove(0);
    }
    if let Some(text) = text {
        let Some(text) = text.known() else {
            call.anything();
            return;
        };
        // Quotes and variables in it follow other rules than those of a shell.
        if text.contains(['\'', '"', '\\', '$']) {
            call.shell(Word::text(&*text), Vec::new());
            return;
        }
        let mut all: Vec<Word> = text.split_whitespace().map(Word::text).collect();
        all.append(&mut words);
        if all.first().is_some_and(|word| word.head().starts_with('-')) {
            all.insert(0, Word::text("env"));
        }
        words = all;
    }
    if words.iter().all(|word| word.head().contains('=')) {
        environment(call);
    }
    run_assigned(call, words, assigned);
}

/// A word in front of a command that the shell splits may hold the command itself.
fn may_be_many(call: &mut Call<'_>, word: Option<&Word>) {
    if word.is_some_and(|word| word.parts.contains(&crate::word::Part::Split)) {
        call.anything();
    }
}

/// `flock FILE COMMAND…` or `flock FILE -c TEXT`.
fn locked(call: &mut Call<'_>) {
    let words = rest(call);
    may_be_many(call, words.first());
    let words = words.get(1..).unwrap_or_default();
    match words.split_first() {
        Some((first, rest)) if matches!(first.known().as_deref(), Some("-c" | "--command")) => {
            let text = rest.first().cloned().unwrap_or_else(Word::unknown);
            call.shell(text, Vec::new());
        }
        _ => call.run(words.to_vec(), false),
    }
}

/// `watch` hands its words to a shell as one text.
fn joined(call: &mut Call<'_>) {
    let words = rest(call);
    if call.has("x") {
        call.run(words, false);
        return;
    }
    let texts: Option<Vec<String>> = words
        .iter()
        .map(|word| word.known().map(std::borrow::Cow::into_owned))
        .collect();
    call.shell(
        texts.map_or_else(Word::unknown, |texts| Word::text(texts.join(" "))),
        Vec::new(),
    );
}

/// `script FILE COMMAND…` of BSD, `script -c TEXT FILE` of Linux.
fn script(call: &mut Call<'_>) {
    let file = call.words().first().cloned();
    may_be_many(call, file.as_ref());
    let at = call.reading.operands.get(1).map(|operand| operand.at);
    if let Some(words) = at.and_then(|at| call.command.words.get(at..)) {
        call.run(words.to_vec(), false);
    }
    if call.reading.operands.is_empty() && call.name == "script" {
        call.act_path(
            Kind::Write,
            &Word::text("typescript"),
            Certainty::Likely,
            false,
        );
    }
}

fn chroot(call: &mut Call<'_>) {
    let words = rest(call);
    let root = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    call.folders = match root.as_deref() {
        Some("/") => vec!["/".into()],
        // Paths begin in another place.
        _ => Vec::new(),
    };
    if root.as_deref() == Some("/") {
        call.run(words.get(1..).unwrap_or_default().to_vec(), false);
    } else {
        call.anything();
    }
}

/// Verbs of managers of services that only show, and those that change what runs at the next start.
const SHOWING: &[&str] = &[
    "status",
    "show",
    "list-units",
    "list-unit-files",
    "is-active",
    "is-enabled",
    "is-failed",
    "cat",
    "list-timers",
    "list",
    "print",
    "list-dependencies",
    "help",
];
const SETTING: &[&str] = &[
    "enable",
    "disable",
    "mask",
    "unmask",
    "edit",
    "link",
    "set-property",
    "set-environment",
    "load",
    "unload",
    "bootstrap",
    "bootout",
    "daemon-reload",
];

fn services(call: &mut Call<'_>) {
    let words = call.words();
    let texts: Vec<String> = words
        .iter()
        .filter_map(|word| word.known().map(std::borrow::Cow::into_owned))
        .collect();
    let verb = match &*call.name {
        "service" | "rc-service" | "sv" => texts.get(1),
        _ => texts.first(),
    };
    let verb = verb.map(String::as_str).unwrap_or_default().to_owned();
    let reads = SHOWING.contains(&&*verb);
    if !reads && words.len() == texts.len() {
        let is_first = matches!(&*call.name, "service" | "rc-service");
        let named = if is_first {
            texts.first()
        } else {
            texts.last()
        };
        let name = named.cloned().unwrap_or_else(|| call.name.clone());
        call.effect(Kind::Signal, Object::Name(name), Certainty::Exact);
        call.opaque = true;
    } else if !reads {
        call.anything();
    }
    let is_setting = SETTING.contains(&&*verb);
    if is_setting {
        call.named(Kind::Config, None, Certainty::Exact);
    }
}

/// A table of times runs commands later.
fn schedules(call: &mut Call<'_>) {
    if !call.has("l") {
        call.effect(
            Kind::Config,
            Object::Name("crontab".to_owned()),
            Certainty::Exact,
        );
        call.opaque = true;
    }
}

/// Text that such a program hands to a shell: in its words or from its input.
fn terminals(call: &mut Call<'_>) {
    let shows = matches!(
        call.reading.text(0).as_deref(),
        Some(
            "ls" | "list-sessions"
                | "list-windows"
                | "list-panes"
                | "capture-pane"
                | "display-message"
                | "has-session"
                | "info"
        )
    );
    if call.row.name() == "screen" && shows {
        call.opaque = false;
        return;
    }
    starts(call);
    if call.name == "tmux" || call.name == "screen" {
        let words = call.words();
        for word in words.iter().skip(1) {
            let is_line = word.known().is_none_or(|text| text.contains(' '));
            if is_line {
                call.shell(word.clone(), Vec::new());
            }
        }
    }
}

/// The command that `screen` or `zellij run` starts, behind its options.
fn starts(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let known = |word: &Word| word.known().map(std::borrow::Cow::into_owned);
    let at = match &*call.name {
        "zellij" => words
            .iter()
            .position(|word| known(word).as_deref() == Some("--"))
            .map(|at| at + 1),
        "screen" => {
            let takes = |text: &str| text.ends_with(['S', 'c', 'e', 'h', 'p', 's', 't', 'T']);
            let mut at = 0;
            while let Some(text) = words
                .get(at)
                .and_then(known)
                .filter(|text| text.starts_with('-'))
            {
                at += 1 + usize::from(takes(&text));
            }
            Some(at)
        }
        _ => None,
    };
    if let Some(words) = at.and_then(|at| words.get(at..)) {
        let words = words.to_vec();
        call.run(words, false);
    }
}

/// Verbs of ours that only look.
const READING: &[&str] = &[
    "approvals",
    "check",
    "completions",
    "config",
    "demo",
    "doctor",
    "events",
    "explain",
    "get",
    "help",
    "list",
    "log",
    "platform",
    "say",
    "schema",
    "test",
    "why",
    "attack",
    "effects",
    "--help",
    "--version",
];

/// Verbs of ours that reach other machines.
const CONNECTING: &[&str] = &[
    "add",
    "agent",
    "ask-model",
    "ask-server",
    "export",
    "fleet",
    "policy",
    "ship",
    "update",
];

/// The name of older versions for `anyhook run`: it asks hooks and writes what the agent is told.
fn our_events(call: &mut Call<'_>) {
    let mut words = call.command.words.iter().skip(1);
    if words.any(|word| word.known().as_deref() != Some("--version")) {
        let name = Object::Name("anyhook run".to_owned());
        call.effect(Kind::Config, name, Certainty::Exact);
    }
}

/// Our own program: what guards the agent is a setting that only a person changes.
fn ours(call: &mut Call<'_>) {
    let words = rest(call);
    let verb = words.first().map(Word::known);
    let verb = match verb {
        None => return,
        Some(None) => {
            call.anything();
            return;
        }
        Some(Some(verb)) => verb.into_owned(),
    };
    if CONNECTING.contains(&&*verb) {
        call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
    }
    let mends = ["--fix", "--o", "-o", "--write"];
    let changes = words.iter().any(|word| {
        let head = word.head();
        mends.iter().any(|mark| head.starts_with(mark))
            || (head.is_empty() && word.known().is_none())
    });
    if verb == "confine" {
        let at = words
            .iter()
            .position(|word| word.known().as_deref() == Some("--"));
        let inner = at.map_or_else(
            || words.get(1..).unwrap_or_default(),
            |at| words.get(at + 1..).unwrap_or_default(),
        );
        call.run(inner.to_vec(), false);
    } else if !READING.contains(&&*verb)
        || (changes && !matches!(&*verb, "say" | "get" | "explain"))
    {
        call.effect(
            Kind::Config,
            Object::Name(format!("anyhook {verb}")),
            Certainty::Exact,
        );
    }
}
