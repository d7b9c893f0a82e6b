//! `anyhook explain`: shows what would happen at an event, and starts nothing.

mod line;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhook::core::event::EventName;
use anyhook::core::hook::{OnFault, Pace};
use anyhook::core::matcher::Hit;
use anyhook::core::report::WhyNot;
use anyhook::event::{Caller, Context, Explained, Explanation, Fires, Means};
use anyhook::layers::Layer;
use anyhook::load::{Loading, Trusting};
use anyhook::processes::Job;
use anyhook::state::FileState;
use anyhook::survey::{Survey, Surveyed};
use anyhook::text;
use anyhook::trust::{Kept, Standing};
use anyhook::wires::{Host, hosts};
use anyhook::world::World;
use clap::Args;
use serde_json::{Map, Value, json};

use super::run::known_event;
use super::{Row, why};
use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::{Form, pretty};
use crate::permits::Permits;
use crate::ui::{self, paint, short, visible};
use crate::{findings, payload, view};

/// The row.
pub(crate) const ROW: Row = verb!("explain", ExplainArgs, run);

/// Show which hooks would answer an event, and what rules answer
#[derive(Args, Clone, Default)]
#[command(
    after_help = "Examples:\n  anyhook explain 'git push -f'\n  anyhook explain --event pre-tool-use --tool Bash --input command='rm -rf build'\n  \
             anyhook explain --host claude-code < payload.json\n  anyhook explain k3f9\n  anyhook explain --past"
)]
struct ExplainArgs {
    /// A shell line, as an agent would run it in this project; or an event; or the id of a past one
    #[arg(value_name = "LINE", conflicts_with_all = ["event", "tool", "input", "host"])]
    what: Option<String>,
    /// The event, in any spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The tool that is about to run
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// An argument of the tool, or without --tool a field of the event; KEY:=JSON for a number, a list, an object
    #[arg(long, value_name = "KEY=VALUE")]
    input: Vec<String>,
    /// The agent whose payload is piped in [default: the universal form]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Use only this hooks.json
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Show what happened to a past event: the one of this id or its beginning, else the newest
    #[arg(long, conflicts_with_all = ["event", "tool", "input", "host", "manifest"])]
    past: bool,
    #[command(flatten)]
    form: Form,
}

impl ExplainArgs {
    /// The shell line that is asked about.
    fn line(&self) -> Option<&str> {
        self.what.as_deref().filter(|_| self.event.is_none())
    }
}

fn run(args: &ExplainArgs) -> Result<Exit, Problem> {
    match args.what.as_deref() {
        Some(what) if !args.past && is_event(what) => explained(&ExplainArgs {
            event: Some(what.to_owned()),
            ..args.clone()
        }),
        what if args.past => why::run(what, args.form),
        Some(id) if why::is_known(id) => why::run(Some(id), args.form),
        _ => explained(args),
    }
}

/// Tells whether a word is an event and no shell line.
fn is_event(what: &str) -> bool {
    EventName::new(what).spec().is_some()
}

fn explained(args: &ExplainArgs) -> Result<Exit, Problem> {
    let host = host(args.host.as_deref())?;
    if let (Some(name), None) = (&args.event, &args.host) {
        known_event(name)?;
    }
    let bytes = payload_of(args)?;
    let manifest = args.manifest.as_ref();
    if let Some(file) = manifest {
        std::fs::File::open(file).map_err(|error| Problem::unreadable(file, error))?;
        ui::err(&findings::of(file));
    }
    let world = World::real();
    let places = world.places.as_ref();
    let sessions = places.map(|places| FileState::new(places.sessions()));
    let line = Context {
        hint: args.event.as_deref(),
        manifest: manifest.cloned(),
        // A person who writes a hook asks what it would do, before it is trusted.
        loading: Loading {
            trust: Trusting::All,
            ..Loading::default()
        },
        state: sessions.as_ref().map(|sessions| sessions as _),
        // What an agent would meet: a project's file has to be trusted, unless a person names one here.
        ..Context::new(
            &world,
            host,
            if manifest.is_some() {
                Caller::Person
            } else {
                Caller::Host
            },
        )
    };
    let explained = line.explain(&bytes).map_err(|error| {
        Problem::new(Exit::Data, "the event cannot be read")
            .because(error)
            .help("a payload is one JSON object; --event names the event where it does not")
    })?;
    let permits = Permits {
        trusted: explained.trusted.clone(),
        approvals: explained.approvals.clone(),
        trouble: None,
    };
    let untrusted = manifest.map_or_else(|| untrusted(&world), |_| Vec::new());
    if args.form.is_json() {
        ui::raw(&as_json(&explained, &permits, &untrusted))?;
    } else if let Some(line) = args.line() {
        ui::out(&line::page(line, &explained, &untrusted))?;
    } else {
        let (said, as_if) = (
            permits.page(world.clock.now()),
            as_if_trusted(&untrusted, &permits.trusted),
        );
        ui::out(&format!("{}{as_if}{said}", page(&explained)))?;
    }
    let fires = |hook: &Explanation| matches!(hook.fires, Fires::Yes { .. });
    let any = explained.hooks.iter().any(fires);
    Ok(if any { Exit::Done } else { Exit::Negative })
}

fn host(name: Option<&str>) -> Result<&'static dyn Host, Problem> {
    match name {
        None => Ok(&hosts::universal::Universal),
        Some(name) => error::host(name),
    }
}

/// Finds the files that an agent would not run yet.
fn untrusted(world: &World) -> Vec<PathBuf> {
    let survey = Survey::of(world, "");
    let files = survey.files.into_iter();
    let waits = |file: &Surveyed| {
        let standing = file.standing.as_ref();
        file.layer.needs_trust() && standing.is_some_and(|standing| *standing != Standing::Trusted)
    };
    files.filter(waits).map(|file| file.file).collect()
}

/// Says where what runs is a copy, and where that is not what is shown.
fn as_if_trusted(untrusted: &[PathBuf], trusted: &[Kept]) -> String {
    let mut text = String::new();
    for kept in trusted {
        let [name, copy] =
            [&kept.manifest, &kept.copy].map(|file| ui::line(&file.to_string_lossy()));
        text.push_str(&format!(
            "\n{}: {name} runs as the copy in {copy}\n",
            paint(ui::DIM, "trusted")
        ));
        if !kept.is_valid() {
            text.push_str("  A newer version waits, and the hooks above are those of it: they run after: anyhook trust\n");
        }
    }
    let is_copied = |file: &&PathBuf| !trusted.iter().any(|kept| kept.manifest == **file);
    for file in untrusted.iter().filter(is_copied) {
        let name = ui::line(&file.to_string_lossy());
        text.push_str(&format!(
            "\n{}: {name} is not trusted, or changed since.\n  This is what its hooks do after: anyhook trust\n",
            paint(ui::ASK, "as if trusted")
        ));
    }
    text
}

fn nothing_asked() -> Problem {
    Problem::new(Exit::Usage, "no event to explain").help(
        "name one: anyhook explain --event pre-tool-use --tool Bash --input command='ls'; or pipe a payload in",
    )
}

/// The payload: what the flags describe, else what is piped in, else an event with nothing but its name.
fn payload_of(args: &ExplainArgs) -> Result<Vec<u8>, Problem> {
    if let Some(line) = args.line() {
        let bash = ExplainArgs {
            event: Some("pre-tool-use".to_owned()),
            tool: Some("Bash".to_owned()),
            input: vec![format!("command={line}")],
            ..ExplainArgs::default()
        };
        return Ok(described(&bash)?.to_string().into_bytes());
    }
    let is_described = args.tool.is_some() || !args.input.is_empty();
    if !is_described && !std::io::stdin().is_terminal() {
        let piped = payload::stdin()?;
        if !piped.is_empty() {
            return Ok(piped);
        }
    }
    if !is_described && args.event.is_none() {
        return Err(nothing_asked());
    }
    Ok(described(args)?.to_string().into_bytes())
}

/// The payload that the flags describe, in the universal form.
fn described(args: &ExplainArgs) -> Result<Value, Problem> {
    let fields = args.input.iter().map(|pair| field(pair));
    let fields = fields.collect::<Result<Map<String, Value>, Problem>>()?;
    let mut payload = match &args.tool {
        Some(tool) => Map::from_iter([
            ("tool_name".to_owned(), tool.as_str().into()),
            ("tool_input".to_owned(), fields.into()),
        ]),
        None => fields,
    };
    if let Some(event) = &args.event {
        payload.insert("hookEventName".to_owned(), event.as_str().into());
    }
    if !payload.contains_key("cwd")
        && let Ok(cwd) = std::env::current_dir()
    {
        payload.insert("cwd".to_owned(), cwd.to_string_lossy().into());
    }
    Ok(Value::Object(payload))
}

/// Reads `key=text` or `key:=json`.
fn field(pair: &str) -> Result<(String, Value), Problem> {
    let wrong = |what: String| Problem::new(Exit::Usage, what).help("write KEY=TEXT, or KEY:=JSON");
    let (key, value) = pair
        .split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| wrong(format!("`{pair}` has no `=`")))?;
    match key.strip_suffix(':') {
        None => Ok((key.to_owned(), value.into())),
        Some(key) => match serde_json::from_str(value) {
            Ok(value) => Ok((key.to_owned(), value)),
            Err(error) => Err(wrong(format!("`{pair}` is no JSON")).because(error)),
        },
    }
}

fn page(explained: &Explained) -> String {
    let event = &explained.event;
    let about = event
        .subject
        .as_deref()
        .map(|subject| format!(" · {}", short(subject, 60)));
    let mut text = format!(
        "{}{}  {}\n",
        paint(ui::BOLD, &ui::line(event.name.universal())),
        about.unwrap_or_default(),
        paint(ui::DIM, &ui::line(event.name.as_str())),
    );
    text.push_str(&done(explained));
    // Our own guard that has nothing to say is no news.
    let is_shown = |hook: &&Explanation| match &hook.fires {
        Fires::No(why) => *why != WhyNot::OtherEvent,
        Fires::Yes { by, .. } => !matches!(by, Means::Ours(said) if said.is_identity()),
    };
    let is_asked = |hook: &&Explanation| matches!(hook.fires, Fires::Yes { .. });
    let shown = explained.hooks.iter().filter(is_shown);
    let (asked, passed): (Vec<_>, Vec<_>) = shown.partition(is_asked);
    if asked.is_empty() {
        text.push_str("\n  no hook is asked\n");
    }
    for hook in asked.into_iter().chain(passed) {
        text.push_str(&told_of(explained, hook));
    }
    for off in &explained.off {
        if off.hook.event.covers(&explained.event.name) {
            let (name, by) = (ui::line(&off.hook.info.name), ui::line(&off.by.to_string()));
            let at = view::place(&off.hook.info).unwrap_or_default();
            let at = paint(ui::DIM, &at);
            text.push_str(&format!("\n  · {name}  {at}\n    switched off by {by}\n"));
        }
    }
    let is_elsewhere = |hook: &&Explanation| matches!(hook.fires, Fires::No(WhyNot::OtherEvent));
    match explained.hooks.iter().filter(is_elsewhere).count() {
        0 => {}
        1 => text.push_str(&paint(ui::DIM, "\n  1 hook is for other events\n")),
        many => {
            let others = format!("\n  {many} hooks are for other events\n");
            text.push_str(&paint(ui::DIM, &others));
        }
    }
    for remark in &explained.remarks {
        text.push_str(&format!(
            "\n{}: {}\n",
            paint(ui::ASK, "warning"),
            visible(&remark.text)
        ));
    }
    text
}

/// Says what the call does.
fn done(explained: &Explained) -> String {
    let lines = explained.sentences().into_iter();
    let lines: String = lines
        .map(|line| ui::wrapped("  ", &visible(&line)))
        .collect();
    if lines.is_empty() {
        lines
    } else {
        format!("\n{lines}")
    }
}

fn why_not(explained: &Explained, hook: &Explanation) -> Option<String> {
    let Fires::No(why) = hook.fires else {
        return None;
    };
    let roster: Vec<_> = explained
        .hooks
        .iter()
        .map(|hook| hook.hook.clone())
        .collect();
    Some(anyhook::record::not_asked(
        &explained.event,
        &roster,
        why,
        &hook.hook,
    ))
}

/// One hook: whose turn it is, where it stands, and why it is asked or not.
fn told_of(explained: &Explained, hook: &Explanation) -> String {
    let info = &hook.hook;
    let (turn, lines) = match &hook.fires {
        Fires::Yes { hit, turn, by } => (turn.to_string(), asked(hook, *hit, by)),
        Fires::No(_) => {
            let why = visible(&why_not(explained, hook).unwrap_or_default());
            let clause = hook.clause.as_deref();
            let clause = clause.map(|clause| format!(": `{}` is false", ui::line(clause)));
            ("·".to_owned(), vec![why + &clause.unwrap_or_default()])
        }
    };
    let rule = match (&hook.fires, info.shadow, info.guard) {
        (Fires::Yes { .. }, true, _) => "  shadow: what it says does not count",
        (Fires::Yes { .. }, false, true) => "  guard: its own failure refuses",
        (Fires::Yes { .. }, false, false) | (Fires::No(_), ..) => "",
    };
    let layer = hook.layer.map(|layer| format!("{} ", layer.name()));
    let at = layer.unwrap_or_default() + &view::place(info).unwrap_or_default();
    let name = paint(ui::BOLD, &ui::line(&info.name));
    let lines: String = lines.iter().map(|line| ui::wrapped("    ", line)).collect();
    format!(
        "\n  {turn} {name}{}\n{lines}",
        paint(ui::DIM, &format!("{rule}  {at}"))
    )
}

/// Says what selects a hook that is asked, and what it would do.
fn asked(hook: &Explanation, hit: Hit, by: &Means) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(matcher) = hook.hook.matcher.as_deref() {
        let how = match hit {
            Hit::Alias => "selects another name of this tool; an approval would not count",
            Hit::Name | Hit::No => "selects it",
        };
        lines.push(format!("matcher `{}` {how}", ui::line(matcher)));
    }
    if let Some(clause) = hook.clause.as_deref() {
        lines.push(format!("when `{}` holds", ui::line(clause)));
    }
    match by {
        Means::Process(job) => {
            let words: Vec<String> = argv(job).map(|word| text::word(&word)).collect();
            lines.push(format!("runs {}", ui::line(&words.join(" "))));
            let (cwd, seconds) = (job.cwd.to_string_lossy(), job.deadline.as_secs_f64());
            lines.push(format!("in {}, for at most {seconds} s", ui::line(&cwd)));
        }
        Means::Ours(said) => {
            let said = visible(&anyhook::record::said_in_short(said));
            lines.push(format!("starts nothing; says {said}"));
        }
        Means::Fault(fault) => {
            let fails = paint(ui::DENY, "fails");
            lines.push(format!("{fails}: {}", visible(&fault.text)));
            let blocks = hook.on_fault != OnFault::Continue || fault.kind.always_denies();
            if blocks && !hook.hook.shadow {
                lines.push(paint(ui::DENY, "blocks the action, because it failed"));
            }
        }
    }
    if hook.pace == Pace::Background {
        let told =
            "goes on in the background; what it says comes later, and no verdict of it counts";
        lines.push(told.to_owned());
    }
    lines
}

fn as_json(explained: &Explained, permits: &Permits, untrusted: &[PathBuf]) -> String {
    let hooks = explained.hooks.iter();
    let hooks: Vec<_> = hooks.map(|hook| hook_as_json(explained, hook)).collect();
    let remarks = explained.remarks.iter();
    let remarks: Vec<_> = remarks.map(|remark| &remark.text).collect();
    let off = explained.off.iter().map(|off| {
        json!({
            "name": off.hook.info.name, "event": off.hook.event.as_str(),
            "at": view::place(&off.hook.info), "by": off.by.to_string(),
        })
    });
    let mut page = json!({
        "event": explained.event, "said": explained.said, "effects": explained.effects, "hooks": hooks, "switched_off": off.collect::<Vec<_>>(), "remarks": remarks,
        "as_if_trusted": untrusted,
    });
    if let Value::Object(page) = &mut page {
        page.extend(permits.as_json());
    }
    pretty(&page)
}

/// The program of a process and its arguments, as they would be started.
fn argv(job: &Job) -> impl Iterator<Item = Cow<'_, str>> {
    let args = job.args.iter().map(AsRef::as_ref);
    let words = std::iter::once(job.program.as_os_str()).chain(args);
    words.map(OsStr::to_string_lossy)
}

fn hook_as_json(explained: &Explained, explanation: &Explanation) -> Value {
    let hook = &explanation.hook;
    let mut row = Map::new();
    let mut add = |more: Value| {
        if let Value::Object(more) = more {
            row.extend(more);
        }
    };
    add(json!({
        "name": hook.name, "event": explanation.event.as_str(), "at": view::place(hook),
        "layer": explanation.layer.map(Layer::name), "async": explanation.pace == Pace::Background,
        "matcher": hook.matcher, "guard": hook.guard, "shadow": hook.shadow, "clause": explanation.clause,
        "fires": matches!(explanation.fires, Fires::Yes { .. }),
    }));
    match &explanation.fires {
        Fires::No(_) => add(json!({"why": why_not(explained, explanation)})),
        Fires::Yes { hit, turn, by } => {
            add(json!({"turn": turn, "alias": *hit == Hit::Alias}));
            add(match by {
                Means::Process(job) => {
                    let argv: Vec<_> = argv(job).collect();
                    json!({"argv": argv, "cwd": job.cwd, "timeout": job.deadline.as_secs_f64()})
                }
                Means::Ours(said) => json!({"says": said}),
                Means::Fault(fault) => json!({"fault": fault.text}),
            });
        }
    }
    Value::Object(row)
}
