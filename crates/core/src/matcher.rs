//! stub
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub name: &'a str,
    pub also: &'a [&'static str],
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    No,
    Name,
    Alias,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Matcher(String);
impl Matcher {
    pub fn all() -> Self {
        Self("*".into())
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
    pub fn parse(t: &str) -> Result<Self, ()> {
        Ok(Self(t.into()))
    }
    pub fn selects(&self, s: Option<&Subject<'_>>) -> Hit {
        if self.0 == "*" {
            return Hit::Name;
        }
        let Some(s) = s else { return Hit::Name };
        if self.0.split('|').any(|n| n == s.name) {
            Hit::Name
        } else if self.0.split('|').any(|n| s.also.contains(&n)) {
            Hit::Alias
        } else {
            Hit::No
        }
    }
}
