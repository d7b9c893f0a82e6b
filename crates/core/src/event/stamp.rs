//! A time as text: the one form of time that a hook reads.

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// Writes milliseconds since 1970 in UTC, as RFC 3339 has it.
pub(super) fn rfc3339(at: i64) -> String {
    let (year, month, day) = date(at.div_euclid(DAY));
    let of_day = at.rem_euclid(DAY);
    let (seconds, millis) = (of_day / SECOND, of_day % SECOND);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}+00:00")
}

/// Turns days since 1970 into year, month and day. Years are counted from March, so that the leap day is their last.
fn date(days: i64) -> (i64, i64, i64) {
    // 719,468 days lie between the first of March of year 0 and 1970.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_other_clocks_write_them() {
        let moments = [
            (0, "1970-01-01T00:00:00.000+00:00"),
            (-1, "1969-12-31T23:59:59.999+00:00"),
            (951_782_400_000, "2000-02-29T00:00:00.000+00:00"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999+00:00"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000+00:00"),
            (1_732_190_845_123, "2024-11-21T12:07:25.123+00:00"),
        ];
        let written: Vec<String> = moments.iter().map(|(at, _)| rfc3339(*at)).collect();
        let expected: Vec<&str> = moments.iter().map(|(_, text)| *text).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn each_day_is_followed_by_the_next() {
        let mut last = date(-200_000);
        for days in -199_999..200_000 {
            let next = date(days);
            let (year, month, day) = last;
            let follows = [
                (year, month, day + 1),
                (year, month + 1, 1),
                (year + 1, 1, 1),
            ];
            assert!(follows.contains(&next), "{last:?} is followed by {next:?}");
            last = next;
        }
        assert_eq!(date(0), (1970, 1, 1));
    }
}
