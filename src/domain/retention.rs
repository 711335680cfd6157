//! When the age of a report erases it (PRODUCT.md §14): never without fourteen days of warning in the panel. A moved clock, a
//! changed setting or days of being off must never shorten the warning.

/// In ms. Ages count in these, whatever the clocks on the wall do.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
pub const WARNING_MS: i64 = 14 * DAY_MS;
/// In ms.
const NOTED_EVERY_MS: i64 = 60 * 60 * 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    pub days: u32,
    /// Nothing is erased before this moment, in ms.
    pub not_before: i64,
    /// When the timed work last ran, in ms.
    pub seen: i64,
}

impl Notice {
    /// The notice in force at `now`; `None` without a limit. A rule that is new or shorter waits for the whole warning. After
    /// more than a day off, or a jump of the clock, it waits as long as that took, at most the warning.
    pub fn in_force(before: Option<Self>, days: u32, now: i64) -> Option<Self> {
        if days == 0 {
            return None;
        }
        let Some(before) = before else {
            return Some(Self {
                days,
                not_before: now + WARNING_MS,
                seen: now,
            });
        };
        let away = (now - before.seen).abs();
        let pause = if days < before.days {
            WARNING_MS
        } else if away > DAY_MS {
            away.min(WARNING_MS)
        } else {
            0
        };
        // A delay by a clock that ran ahead is cut.
        let not_before = before.not_before.max(now + pause).min(now + WARNING_MS);
        let changed = pause > 0 || days != before.days || before.not_before > now + WARNING_MS;
        let noted = changed || !(0..NOTED_EVERY_MS).contains(&(now - before.seen));
        Some(Self {
            days,
            not_before: if changed {
                not_before
            } else {
                before.not_before
            },
            seen: if noted { now } else { before.seen },
        })
    }

    pub fn kept_ms(&self) -> i64 {
        i64::from(self.days) * DAY_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = DAY_MS / 24;
    const NOW: i64 = 1_800_000_000_000;

    fn old(days: u32) -> Notice {
        Notice {
            days,
            not_before: NOW - 100 * DAY_MS,
            seen: NOW - HOUR / 2,
        }
    }

    #[test]
    fn without_days_there_is_no_notice() {
        assert_eq!(Notice::in_force(Some(old(365)), 0, NOW), None);
        assert_eq!(Notice::in_force(None, 0, NOW), None);
    }

    #[test]
    fn a_new_or_shorter_rule_waits_for_the_whole_warning() {
        for before in [None, Some(old(366))] {
            let notice = Notice::in_force(before, 365, NOW).unwrap();
            assert_eq!(notice.not_before, NOW + WARNING_MS);
            assert_eq!((notice.days, notice.seen), (365, NOW));
        }
        // A longer one erases nothing sooner.
        let notice = Notice::in_force(Some(old(364)), 365, NOW).unwrap();
        assert!(notice.not_before <= NOW);
    }

    #[test]
    fn a_rule_in_force_is_left_alone_but_for_the_hourly_note() {
        assert_eq!(Notice::in_force(Some(old(365)), 365, NOW), Some(old(365)));
        let later = Notice::in_force(Some(old(365)), 365, NOW + HOUR).unwrap();
        assert_eq!(
            (later.not_before, later.seen),
            (NOW - 100 * DAY_MS, NOW + HOUR)
        );
        // A clock put right by some seconds, or by an hour, changes nothing that counts.
        for small in [-5_000, -HOUR, HOUR, 23 * HOUR] {
            let moved = Notice::in_force(Some(old(365)), 365, NOW + small).unwrap();
            assert_eq!(moved.not_before, NOW - 100 * DAY_MS);
        }
    }

    #[test]
    fn what_was_off_or_jumped_waits_as_long_and_no_longer_than_the_warning() {
        for (away, wait) in [
            (3 * DAY_MS, 3 * DAY_MS),
            (40 * DAY_MS, WARNING_MS),
            (1_000 * DAY_MS, WARNING_MS),
            (-3 * DAY_MS, 3 * DAY_MS),
        ] {
            let before = Notice {
                seen: NOW,
                ..old(365)
            };
            let notice = Notice::in_force(Some(before), 365, NOW + away).unwrap();
            assert_eq!(notice.not_before, NOW + away + wait, "{away}");
            assert_eq!(notice.seen, NOW + away);
        }
    }

    #[test]
    fn a_clock_that_ran_ahead_puts_nothing_off_for_good() {
        let ahead = NOW + 1_000 * DAY_MS;
        let jumped = Notice::in_force(Some(old(365)), 365, ahead);
        let back = Notice::in_force(jumped, 365, NOW).unwrap();
        assert_eq!(back.not_before, NOW + WARNING_MS);
    }

    #[test]
    fn a_wait_that_runs_goes_on_over_a_restart() {
        let begun = Notice::in_force(None, 365, NOW);
        let next = Notice::in_force(begun, 365, NOW + 2 * HOUR).unwrap();
        assert_eq!(next.not_before, NOW + WARNING_MS);
        let off = Notice::in_force(Some(next), 365, NOW + 5 * DAY_MS).unwrap();
        assert_eq!(
            off.not_before,
            NOW + WARNING_MS,
            "it lasts longer than the five days"
        );
    }
}
