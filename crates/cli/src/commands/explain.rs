//! `anyhook explain`: shows what would happen at an event, and starts nothing.

mod line;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhook::core::event::EventName;
use anyhook::core::hook::{OnFault, Pace};
use anyhook::core::matcher::Hit;
use anyhook::core::report::WhyNot;
use anyhook::event::{Caller, Context, Explained, Explanation, Fires, Means};
use anyhook::layers::Layer;
use anyhook::load::{Loading, Trusting};
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
use crate::form::Form;
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
    let quiet = |hook: &&Explanation| matches!(&hook.fires, Fires::Yes { by: Means::Ours(said), .. } if said.is_identity());
    let (asked, passed): (Vec<_>, Vec<_>) = explained
        .hooks
        .iter()
        .filter(|hook| !quiet(hook))
        .partition(|hook| matches!(hook.fires, Fires::Yes { .. }));
    if asked.is_empty() {
        text.push_str("\n  no hook is asked\n");
    }
    for hook in asked {
        text.push('\n');
        text.push_str(&asked_about(hook));
    }
    text.push_str(&switched_off(explained));
    text.push_str(&passed_over(explained, &passed));
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

/// Says of every hook that is not asked why that is; those for other events are only counted.
fn passed_over(explained: &Explained, passed: &[&Explanation]) -> String {
    let elsewhere = |hook: &&&Explanation| matches!(hook.fires, Fires::No(WhyNot::OtherEvent));
    let mut text = String::new();
    let others = passed.iter().filter(elsewhere).count();
    let mut passed = passed.iter().filter(|hook| !elsewhere(hook)).peekable();
    if passed.peek().is_some() {
        text.push('\n');
    }
    for hook in passed {
        let why = why_not(explained, hook).unwrap_or_default();
        let name = ui::line(&hook.hook.name);
        let at = place(hook);
        let clause = hook.clause.as_deref();
        let clause = clause.map(|clause| format!(": `{}` is false", ui::line(clause)));
        text.push_str(&format!("  · {name}  {}\n", paint(ui::DIM, &at)));
        let why = format!("{}{}", visible(&why), clause.unwrap_or_default());
        text.push_str(&ui::wrapped("    ", &why));
    }
    if others > 0 {
        let are = if others == 1 { "hook is" } else { "hooks are" };
        text.push_str(&paint(
            ui::DIM,
            &format!("\n  {others} {are} for other events\n"),
        ));
    }
    text
}

/// Says of every hook of this event that is switched off by what.
fn switched_off(explained: &Explained) -> String {
    let own = explained.off.iter();
    let own = own.filter(|off| off.hook.event.covers(&explained.event.name));
    let mut text = String::new();
    for off in own {
        let at = view::place(&off.hook.info).unwrap_or_default();
        text.push_str(&format!(
            "\n  · {}  {}\n    switched off by {}\n",
            ui::line(&off.hook.info.name),
            paint(ui::DIM, &at),
            ui::line(&off.by.to_string())
        ));
    }
    text
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

fn asked_about(explanation: &Explanation) -> String {
    let Fires::Yes { hit, turn, by } = &explanation.fires else {
        return String::new();
    };
    let hook = &explanation.hook;
    let rule = match (hook.shadow, hook.guard) {
        (true, _) => "  shadow: what it says does not count",
        (false, true) => "  guard: its own failure refuses",
        (false, false) => "",
    };
    let at = place(explanation);
    let mut text = format!(
        "  {turn} {}{}  {}\n",
        paint(ui::BOLD, &ui::line(&hook.name)),
        paint(ui::DIM, rule),
        paint(ui::DIM, &at),
    );
    if let Some(matcher) = hook.matcher.as_deref() {
        let how = match hit {
            Hit::Alias => "selects another name of this tool; an approval would not count",
            Hit::Name | Hit::No => "selects it",
        };
        text.push_str(&format!("    matcher `{}` {how}\n", ui::line(matcher)));
    }
    if let Some(clause) = explanation.clause.as_deref() {
        text.push_str(&format!("    when `{}` holds\n", ui::line(clause)));
    }
    text.push_str(&means(by));
    if let (Means::Fault(fault), false) = (by, hook.shadow)
        && (explanation.on_fault != OnFault::Continue || fault.kind.always_denies())
    {
        let so = paint(ui::DENY, "blocks the action, because it failed");
        text.push_str(&format!("    {so}\n"));
    }
    if explanation.pace == Pace::Background {
        let told =
            "goes on in the background; what it says comes later, and no verdict of it counts";
        text.push_str(&format!("    {}\n", paint(ui::DIM, told)));
    }
    text
}

/// Says where a hook was written: layer, file and line.
fn place(explanation: &Explanation) -> String {
    let at = view::place(&explanation.hook).unwrap_or_default();
    match explanation.layer {
        Some(layer) => format!("{} {at}", layer.name()),
        None => at,
    }
}

/// Says what asking a hook comes to.
fn means(by: &Means) -> String {
    match by {
        Means::Process {
            argv,
            cwd,
            deadline,
        } => {
            let words: Vec<String> = argv
                .iter()
                .map(|word| text::word(&word.to_string_lossy()))
                .collect();
            let (cwd, seconds) = (cwd.to_string_lossy(), deadline.as_secs_f64());
            let place = format!("in {}, for at most {seconds} s", ui::line(&cwd));
            format!(
                "    runs {}\n    {}\n",
                ui::line(&words.join(" ")),
                paint(ui::DIM, &place)
            )
        }
        Means::Ours(said) => match anyhook::record::said_in_short(said) {
            said if said.is_empty() => "    has nothing to say\n".to_owned(),
            said => ui::wrapped("    ", &format!("starts nothing; says {}", visible(&said))),
        },
        Means::Fault(fault) => ui::beside(
            &format!("    {}: ", paint(ui::DENY, "fails")),
            11,
            &visible(&fault.text),
        ),
    }
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
    format!(
        "{}\n",
        serde_json::to_string_pretty(&page).unwrap_or_default()
    )
}

fn hook_as_json(explained: &Explained, explanation: &Explanation) -> Value {
    let hook = &explanation.hook;
    let mut row = Map::new();
    let mut set = |key: &str, value: Value| row.insert(key.to_owned(), value);
    set("name", json!(hook.name));
    set("event", json!(explanation.event.as_str()));
    set("at", json!(view::place(hook)));
    set("layer", json!(explanation.layer.map(Layer::name)));
    set("async", json!(explanation.pace == Pace::Background));
    set("matcher", json!(hook.matcher));
    set("guard", json!(hook.guard));
    set("shadow", json!(hook.shadow));
    set("clause", json!(explanation.clause));
    set(
        "fires",
        json!(matches!(explanation.fires, Fires::Yes { .. })),
    );
    match &explanation.fires {
        Fires::No(_) => {
            set("why", json!(why_not(explained, explanation)));
        }
        Fires::Yes { hit, turn, by } => {
            set("turn", json!(turn));
            set("alias", json!(*hit == Hit::Alias));
            match by {
                Means::Process {
                    argv,
                    cwd,
                    deadline,
                } => {
                    let argv: Vec<_> = argv.iter().map(|word| word.to_string_lossy()).collect();
                    set("argv", json!(argv));
                    set("cwd", json!(cwd));
                    set("timeout", json!(deadline.as_secs_f64()));
                }
                Means::Ours(said) => {
                    set("says", json!(said));
                }
                Means::Fault(fault) => {
                    set("fault", json!(fault.text));
                }
            }
        }
    }
    Value::Object(row)
}
