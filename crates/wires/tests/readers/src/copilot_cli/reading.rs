//! One answer on its way to a behaviour: which parts the host reads, and how the decision changes the rest.

use serde_json::Value;

use super::{Decision, Exit2, Row, Surface};
use crate::output::{Kind, Object, field, text, text_field, word};
use crate::{Asked, Behaviour, Gate};

/// An answer on its way to a behaviour.
pub(super) struct Reading {
    row: &'static Row,
    surface: Surface,
    done: Behaviour,
    reason: Option<String>,
    input: Option<Value>,
}

impl Reading {
    pub(super) fn new(row: &'static Row, surface: Surface) -> Self {
        Self {
            row,
            surface,
            done: Behaviour::default(),
            reason: None,
            input: None,
        }
    }

    /// Reads the standard output: lines of progress are taken away, and what is left must be one document.
    pub(super) fn document(&mut self, stdout: &[u8]) {
        let whole = text(stdout);
        let rest: Vec<&str> = whole.lines().filter(|line| !is_progress(line)).collect();
        let rest = rest.join("\n");
        match serde_json::from_str::<Value>(&rest) {
            Ok(Value::Object(object)) => {
                if let Err(why) = self.take(&object) {
                    self.done.errors.push(why);
                }
            }
            _ => self.unheard("stdout", rest.trim()),
        }
    }

    fn take(&mut self, object: &Object) -> Result<(), String> {
        let mut heard: Vec<&str> = Vec::new();
        match self.row.decision {
            Decision::None => {}
            Decision::Permission => self.permission(object, &mut heard)?,
            Decision::Behavior => self.behavior(object, &mut heard)?,
            Decision::Block => self.block(object, &mut heard)?,
            Decision::Prompt => self.prompt(object, &mut heard)?,
            Decision::Result => self.result(object, &mut heard)?,
            Decision::ResultOrBlock => {
                self.feedback(object, &mut heard)?;
                self.result(object, &mut heard)?;
            }
        }
        if self.row.context {
            heard.push("additionalContext");
            let said = text_field(object, "additionalContext")?;
            self.done
                .model_sees
                .extend(said.filter(|it| !it.is_empty()));
        }
        for (name, kind) in self.row.native {
            if *name == "interrupt" && !matches!(self.done.gate, Gate::Refused { .. }) {
                continue;
            }
            heard.push(name);
            if let Some(value) = field(object, name, *kind)? {
                self.done.native.push(((*name).to_owned(), value.clone()));
                if *name == "interrupt" && *value == Value::Bool(true) {
                    self.done.gate = Gate::Stops;
                    self.done.stops_agent = Some(self.reason.clone().unwrap_or_default());
                }
            }
        }
        let rest = object.keys().filter(|key| !heard.contains(&key.as_str()));
        self.done.ignored.extend(rest.cloned());
        Ok(())
    }

    fn permission(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend([
            "permissionDecision",
            "permissionDecisionReason",
            "modifiedArgs",
        ]);
        let why = text_field(object, "permissionDecisionReason")?;
        match word(object, "permissionDecision", &["allow", "deny", "ask"])? {
            Some("allow") => self.done.gate = Gate::RunsWithoutPrompt,
            Some("ask") if self.surface == Surface::Terminal => {
                self.done.gate = Gate::AskedOf(Asked::Person);
                // Without a person the tool is refused, and the model reads it.
                self.done.model_sees.extend(why.clone());
                self.done.person_sees.extend(why);
            }
            Some(_) => self.refused("permissionDecisionReason", why),
            None => {}
        }
        let input = object.get("modifiedArgs");
        self.input = input.filter(|value| !value.is_null()).cloned();
        Ok(())
    }

    fn behavior(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend(["behavior", "message"]);
        let why = text_field(object, "message")?;
        match word(object, "behavior", &["allow", "deny"])? {
            Some("allow") => self.done.gate = Gate::RunsWithoutPrompt,
            Some(_) => self.refused("message", why),
            None => {}
        }
        Ok(())
    }

    fn block(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend(["decision", "reason"]);
        let why = text_field(object, "reason")?;
        if word(object, "decision", &["block", "allow"])? == Some("block") {
            self.because("reason", why);
            // Without a reason the agent ends all the same.
            if self.reason.is_some() {
                self.done.gate = Gate::KeepsWorking;
            }
        }
        Ok(())
    }

    /// A refused prompt makes no request: the person reads why, and the program leaves with 1.
    fn prompt(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend(["decision", "reason"]);
        let why = text_field(object, "reason")?;
        if word(object, "decision", &["block", "allow"])? == Some("block") {
            self.because("reason", why);
            // Without a reason the prompt goes through.
            if let Some(reason) = self.reason.take() {
                self.done.gate = Gate::Refused { erased: false };
                self.done.person_sees.push(reason);
            }
        }
        Ok(())
    }

    /// A tool that has run is not refused: the model reads why a hook would have.
    fn feedback(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend(["decision", "reason"]);
        let why = text_field(object, "reason")?;
        if word(object, "decision", &["block", "allow"])? == Some("block") {
            self.because("reason", why);
        }
        Ok(())
    }

    fn result(&mut self, object: &Object, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.push("modifiedResult");
        let Some(Value::Object(result)) = field(object, "modifiedResult", Kind::Object)? else {
            return Ok(());
        };
        let is_success = result.get("resultType").and_then(Value::as_str) == Some("success");
        if !is_success || text_field(result, "textResultForLlm")?.is_none() {
            return Err("`modifiedResult` has not the form of a result".to_owned());
        }
        self.done.result = Some(Value::Object(result.clone()));
        Ok(())
    }

    fn refused(&mut self, name: &str, why: Option<String>) {
        self.because(name, why);
        self.done.gate = Gate::Refused { erased: false };
    }

    /// A refusal must give a reason.
    fn because(&mut self, name: &str, why: Option<String>) {
        if why.as_deref().is_none_or(str::is_empty) {
            self.done.errors.push(format!("a refusal without `{name}`"));
        }
        self.reason = why.filter(|it| !it.is_empty());
    }

    pub(super) fn exit_2(&mut self, stdout: &[u8], stderr: &str) {
        match self.row.exit_2 {
            Exit2::Warns => {
                match self.surface {
                    Surface::Terminal => self.document(stdout),
                    Surface::Job => self.unheard("stdout", &text(stdout)),
                }
                self.warned(stderr);
            }
            Exit2::Tells => {
                self.done
                    .model_sees
                    .extend(Some(text(stdout)).filter(|it| !it.is_empty()));
                self.unheard("stderr", stderr);
            }
            Exit2::Refuses => {
                self.document(stdout);
                self.done.gate = Gate::Refused { erased: false };
                // It reaches neither model nor person: the reason of a refusal is JSON or none.
                self.unheard("stderr", stderr);
            }
        }
    }

    fn warned(&mut self, stderr: &str) {
        match self.surface {
            Surface::Terminal if !stderr.is_empty() => {
                self.done.person_sees.push(stderr.to_owned());
            }
            Surface::Terminal | Surface::Job => self.unheard("stderr", stderr),
        }
    }

    /// Another exit code is a failure of the hook.
    pub(super) fn failed(&mut self, code: i32, stdout: &[u8], stderr: &str) {
        self.unheard("stdout", &text(stdout));
        self.unheard("stderr", stderr);
        self.done.errors.push(format!("the hook left with {code}"));
        if self.row.fails_closed {
            self.done.gate = Gate::Refused { erased: false };
            self.reason = Some("the hook errored".to_owned());
        }
    }

    pub(super) fn unheard(&mut self, name: &str, said: &str) {
        if !said.is_empty() && said != "{}" {
            self.done.ignored.push(name.to_owned());
        }
    }

    /// Tells the reason of the decision that stands, and replaces the arguments of a call that is not refused.
    pub(super) fn settle(mut self) -> Behaviour {
        if let Some(reason) = self.reason {
            self.done.model_sees.insert(0, reason);
        }
        let has_no_request = self.row.decision == Decision::Prompt && self.done.gate != Gate::Runs;
        if has_no_request {
            // What was for the model goes nowhere.
            let said = std::mem::take(&mut self.done.model_sees);
            let texts = said.iter().map(|_| "additionalContext".to_owned());
            let answers = self.done.native.drain(..).map(|(name, _)| name);
            self.done.ignored.extend(texts.chain(answers));
        }
        match self.done.gate {
            Gate::Refused { .. } | Gate::Stops if self.input.is_some() => {
                self.done.ignored.push("modifiedArgs".to_owned());
            }
            _ => self.done.input = self.input,
        }
        self.done
    }
}

fn is_progress(line: &str) -> bool {
    serde_json::from_str::<Value>(line)
        .is_ok_and(|line| line.get("type").is_some_and(|kind| kind == "progress"))
}
