//! Times as a person writes them: so long ago, or a date.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp};

/// Reads a moment, in milliseconds since 1970: `30m`, `2h`, `7d` or `4w` ago, a day, or a day with a time.
///
/// ```
/// use anyhook_care::record::moment;
/// assert_eq!(moment("1970-01-01T00:00:07Z"), Some(7_000));
/// assert_eq!(moment("soon"), None);
/// ```
pub fn moment(text: &str) -> Option<i64> {
    let now = Timestamp::now().as_millisecond();
    let before = ago(text).map(|ago| now.saturating_sub(ago));
    before.or_else(|| date(text))
}

/// Writes a moment as this machine's clock showed it.
///
/// ```
/// use anyhook_care::record::time;
/// assert_eq!(time(None, "%H"), "");
/// assert_eq!(time(Some(0), "%Y").len(), 4);
/// ```
pub fn time(at: Option<i64>, form: &str) -> String {
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    let zoned = at.map(|at| at.to_zoned(TimeZone::system()));
    zoned
        .map(|at| at.strftime(form).to_string())
        .unwrap_or_default()
}

/// Names the day of a moment by its date; days are those of UTC.
pub(crate) fn day(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).unwrap_or_default();
    at.strftime("%Y-%m-%d").to_string()
}

fn ago(text: &str) -> Option<i64> {
    let span: Span = text.parse().ok()?;
    let ago = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    i64::try_from(ago.as_millis()).ok().filter(|ago| *ago >= 0)
}

fn date(text: &str) -> Option<i64> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let at: DateTime = text.parse().ok()?;
    let at = at.to_zoned(TimeZone::system()).ok()?;
    Some(at.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_so_long_ago_or_a_date() {
        assert_eq!(ago("2h"), Some(7_200_000));
        assert_eq!(ago("90d"), Some(90 * 86_400_000));
        assert_eq!(
            [ago("2"), ago("h"), ago("-2h"), ago("2y"), ago("")],
            [None; 5]
        );
        assert_eq!(date("1970-01-01T00:00:07Z"), Some(7_000));
        assert_eq!(date("2026-11-22").map(|at| at % 60_000), Some(0));
        assert_eq!(date("soon"), None);
    }
}
