//! stub
use super::super::*;
use anyhook_core::event::Map;
#[derive(Debug)]
pub struct Universal;
pub static HOST: Universal = Universal;
impl Wire for Universal {
    fn id(&self) -> &'static str {
        "universal"
    }
    fn read_event(&self, _: &[u8], _: Option<&str>) -> Result<Event, DecodeError> {
        Err(DecodeError {
            what: String::new(),
            at: None,
            event: None,
        })
    }
    fn write_event(&self, _: &Event) -> Value {
        Value::Null
    }
    fn read_result(&self, _: &Transcript, _: &Event) -> Said {
        Ok(HookResult::default())
    }
    fn write_result(&self, _: &Event, _: &HookResult) -> Reply {
        Reply::default()
    }
}
impl Host for Universal {
    fn rows(&self) -> &'static [NativeEvent] {
        &[]
    }
    fn can(&self, _: &Event) -> Can {
        Can::EVERYTHING
    }
    fn refuse_unread(&self, _: Option<&'static NativeEvent>, _: &str) -> Reply {
        Reply::default()
    }
    fn files(&self) -> &'static [&'static str] {
        &[]
    }
    fn executables(&self) -> &'static [&'static str] {
        &[]
    }
    fn project_variable(&self) -> Option<&'static str> {
        None
    }
    fn speaks(&self, _: &Map) -> bool {
        false
    }
}
