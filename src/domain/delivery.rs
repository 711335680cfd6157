//! What leaves the newsroom because of a report, and when: kinds, states, and the pace of the attempts (PRODUCT.md §5).
//! It must never ask for the time or for chance: both are handed in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long an attempt that failed is followed by none, by the number of failures in a row; the last one goes on, ms.
const DELAYS_MS: [i64; 5] = [30_000, 2 * 60_000, 10 * 60_000, 30 * 60_000, 60 * 60_000];
/// What chance may add to a delay, in parts of it: many that failed together do not come back together.
const JITTER: f64 = 0.2;
/// How long a delivery is tried before it counts as failed, in ms.
pub const GIVE_UP_AFTER_MS: i64 = 72 * 60 * 60_000;
/// Shortest time between two mails to one address, in ms.
pub const MAIL_EVERY_MS: i64 = 60_000;
/// A time of the next attempt further ahead than this was written by a clock that ran ahead, and does not count; ms.
pub const LONGEST_WAIT_MS: i64 = 2 * 60 * 60_000;
/// So many failed attempts at something that waits are an alarm; fewer are what any network does now and then.
pub const ALARM_AFTER_ATTEMPTS: u32 = 3;
/// What has waited longer than this is an alarm, whatever it waits for; in ms.
pub const ALARM_AFTER_MS: i64 = 15 * 60_000;
/// Most mails to an address that may have arrived and wait to be sent again, before nothing else goes out to it.
pub const MOST_IN_DOUBT: usize = 3;
/// So many attempts at each of them, and they hold up nothing else any more: it is they that are ill, not the server.
pub const TRIES_IN_DOUBT: u32 = 3;
/// After so many messages that are refused one after the other for what they say, with nothing that arrives in between, the
/// destination is held back; then it is asked as often again. Dividing lists, four reports among five hundred are told from
/// the others within eleven.
const REFUSALS_AT_ONCE: u32 = 16;
/// It is held back then as after so many failures, always: each refusal is one of fewer than two for every report of the
/// list, so they come to an end, and pauses that grow would keep what is well waiting for days behind what is ill.
const PAUSES_AS_AFTER: u32 = 2;
/// One in so many parts of a refused list is the longest there is instead of the shortest.
const WIDE_EVERY: u32 = 4;

/// Why nothing can go out where no mail server is named.
pub const NO_SERVER: &str =
    "Il server di posta non è configurato. Indicalo nelle impostazioni e premi «Riprova».";
/// Why nothing can go out where a mail has no recipient.
pub const NO_RECIPIENT: &str =
    "Manca l'indirizzo di chi riceve le e-mail. Indicalo nelle impostazioni e premi «Riprova».";

/// How something is delivered.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[schema(as = DeliveryKind)]
pub enum Kind {
    /// A mail to the newsroom.
    Email,
    /// A call of the webhook.
    Webhook,
}

impl Kind {
    /// The name as stored and as it travels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Webhook => "webhook",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Email, Self::Webhook]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = DeliveryState)]
pub enum State {
    /// It waits for its first attempt or another one.
    #[serde(rename = "in attesa")]
    Pending,
    /// It arrived.
    #[serde(rename = "consegnata")]
    Delivered,
    /// It was given up; somebody may ask for another try.
    #[serde(rename = "fallita")]
    Failed,
    /// It did not arrive, and somebody decided that it need not.
    #[serde(rename = "ignorata")]
    Ignored,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Delivered, Self::Failed, Self::Ignored];

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Ignored => "ignored",
        }
    }

    /// The state of that stored name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// What the settings lack for mail to go out though it is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailLack {
    /// The name of the mail server.
    Server,
    /// The address of the sender.
    Sender,
    /// The address of whom it goes to, for one department at least.
    Recipient,
}

/// How a destination answered lately. Times are milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// When the last attempt began.
    pub tried: Option<i64>,
    /// When the last one succeeded.
    pub sent: Option<i64>,
    /// Failed attempts since.
    pub failures: u32,
    /// Until when it is held back because of them.
    pub paused_until: Option<i64>,
    /// Messages that were refused for what they say since the last success, and did not hold back others.
    pub refusals: u32,
}

impl Pace {
    /// When the destination may be tried for what waits since `newest` (ms). A failing one is held back, but not from
    /// something new: that is tried at once, though never sooner than the shortest delay after the last attempt. To an
    /// address there is one mail a minute.
    pub fn opens_at(&self, kind: Kind, newest: i64, now: i64) -> i64 {
        let believed = |at: &i64| *at <= now + LONGEST_WAIT_MS;
        let after_failures = self
            .paused_until
            .filter(|_| self.failures > 0)
            .filter(believed)
            .map(|until| match self.tried {
                Some(tried) if newest > tried => until.min(tried + DELAYS_MS[0]),
                _ => until,
            });
        let after_mail = self
            .sent
            .filter(|sent| kind == Kind::Email && *sent <= now)
            .map(|sent| sent + MAIL_EVERY_MS);
        after_failures.max(after_mail).unwrap_or(i64::MIN)
    }

    /// The pace once an attempt began at `now`.
    pub fn tried_at(self, now: i64) -> Self {
        Self {
            tried: Some(now),
            ..self
        }
    }

    /// The pace when somebody asks for another try: nothing is held back any more, and delays begin anew. That it failed
    /// is not forgotten until it answers.
    pub fn forgiven(self) -> Self {
        Self {
            failures: self.failures.min(1),
            paused_until: None,
            ..self
        }
    }

    /// The pace after an attempt that failed at `now`; `chance` is from 0 to 1. An attempt for something new, made while
    /// the destination was held back, changes nothing of how long it is.
    pub fn failed(self, now: i64, chance: f64) -> Self {
        if self.is_held_back(now) {
            return self;
        }
        let failures = self.failures.saturating_add(1);
        Self {
            failures,
            paused_until: Some(now + delay_ms(failures, chance)),
            ..self
        }
    }

    /// The pace after one that was refused for good at `now`: what comes next has its own chance. Something new that is
    /// refused while the destination is held back changes nothing of how long it is.
    pub fn refused(self, now: i64) -> Self {
        if self.is_held_back(now) {
            return self;
        }
        Self {
            failures: self.failures.saturating_add(1),
            paused_until: None,
            ..self
        }
    }

    /// The pace after a message was refused at `now` for what it says: what comes next has its own chance at once. But a
    /// server that takes nothing at all is not asked about every part of a list without a pause, and something new that is
    /// refused while the destination is held back changes nothing of how long it is.
    pub fn unfit(self, now: i64, chance: f64) -> Self {
        if self.is_held_back(now) {
            return self;
        }
        let refusals = self.refusals.saturating_add(1);
        let pauses = refusals.is_multiple_of(REFUSALS_AT_ONCE);
        Self {
            failures: self.failures.max(1),
            paused_until: pauses.then(|| now + delay_ms(PAUSES_AS_AFTER, chance)),
            refusals,
            ..self
        }
    }

    /// The pace after a report that is alone was refused at `now` for what it says: the destination has not failed. But as
    /// for [`Pace::unfit`] there is an end to what is refused without a pause. What is not refused `for_good` comes again and
    /// again, so these pauses grow as after any failure.
    pub fn unfit_alone(self, now: i64, chance: f64, for_good: bool) -> Self {
        let after = self.unfit(now, chance);
        match (after.is_held_back(now), for_good) {
            (false, _) => Self {
                failures: self.failures,
                ..after
            },
            (true, true) => after,
            (true, false) => Self {
                refusals: after.refusals,
                ..self.failed(now, chance)
            },
        }
    }

    /// Whether the next part of a refused list is to be the longest that waits. Else it is the shortest: going down, what
    /// lies scattered is soon told from what can arrive; now and then looking elsewhere, what lies together is passed by.
    pub fn looks_elsewhere(self) -> bool {
        self.refusals.is_multiple_of(WIDE_EVERY)
    }

    fn is_held_back(self, now: i64) -> bool {
        self.failures > 0 && self.paused_until.is_some_and(|until| until > now)
    }

    /// The pace after a success at `now`.
    pub fn succeeded(self, now: i64) -> Self {
        Self {
            sent: Some(now),
            failures: 0,
            paused_until: None,
            refusals: 0,
            ..self
        }
    }
}

/// How long to wait after so many failed attempts (1 and up), in ms; `chance` is from 0 to 1.
pub fn delay_ms(failures: u32, chance: f64) -> i64 {
    let step = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let delay = DELAYS_MS[step.min(DELAYS_MS.len() - 1)];
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "at most twelve minutes, in milliseconds"
    )]
    let extra = (delay as f64 * JITTER * chance.clamp(0.0, 1.0)) as i64;
    delay + extra
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const SECOND: i64 = 1_000;
    const MINUTE: i64 = 60 * SECOND;

    #[test]
    fn delays_are_those_of_the_product() {
        // Source: PRODUCT.md §5.
        let seconds = (1..=7).map(|failures| delay_ms(failures, 0.0) / SECOND);
        let published = [30, 120, 600, 1_800, 3_600, 3_600, 3_600];
        assert!(seconds.eq(published));
        for failures in 1..=9 {
            let (least, most) = (delay_ms(failures, 0.0), delay_ms(failures, 1.0));
            assert_eq!(most, least + least / 5);
            assert!((least..=most).contains(&delay_ms(failures, 0.5)));
        }
        assert_eq!(delay_ms(u32::MAX, 0.0), 60 * MINUTE);
        assert_eq!(delay_ms(1, 7.0), delay_ms(1, 1.0));
    }

    #[test]
    fn a_failing_destination_is_held_back_longer_each_time() {
        let mut pace = Pace::default();
        assert!(pace.opens_at(Kind::Webhook, NOW, NOW) <= NOW);
        let mut now = NOW;
        for delay in [
            30 * SECOND,
            2 * MINUTE,
            10 * MINUTE,
            30 * MINUTE,
            60 * MINUTE,
            60 * MINUTE,
        ] {
            pace = Pace {
                tried: Some(now),
                ..pace
            }
            .failed(now, 0.0);
            let opens = pace.opens_at(Kind::Webhook, NOW, now);
            assert_eq!(opens, now + delay);
            now = opens;
        }
        assert_eq!(
            pace.succeeded(now).opens_at(Kind::Webhook, NOW, now),
            i64::MIN
        );
    }

    #[test]
    fn something_new_is_tried_soon_and_does_not_prolong_the_wait() {
        let failing = Pace {
            tried: Some(NOW),
            failures: 5,
            paused_until: Some(NOW + 60 * MINUTE),
            ..Pace::default()
        };
        assert_eq!(failing.opens_at(Kind::Email, NOW, NOW), NOW + 60 * MINUTE);
        assert_eq!(
            failing.opens_at(Kind::Email, NOW + 1, NOW + 1),
            NOW + 30 * SECOND
        );
        let later = NOW + 40 * MINUTE;
        assert!(failing.opens_at(Kind::Email, later, later) < later);
        assert_eq!(failing.failed(later, 0.0), failing);
        assert_eq!(failing.failed(NOW + 60 * MINUTE, 0.0).failures, 6);
    }

    #[test]
    fn a_mail_a_minute_and_webhooks_as_they_come() {
        let pace = Pace::default().succeeded(NOW);
        assert_eq!(pace.opens_at(Kind::Email, NOW, NOW), NOW + MINUTE);
        assert_eq!(pace.opens_at(Kind::Webhook, NOW, NOW), i64::MIN);
    }

    #[test]
    fn another_try_is_not_held_back_and_forgets_no_failure() {
        let failing = Pace {
            tried: Some(NOW),
            failures: 7,
            paused_until: Some(NOW + 60 * MINUTE),
            ..Pace::default()
        };
        let forgiven = failing.forgiven();
        assert_eq!(forgiven.opens_at(Kind::Webhook, NOW, NOW), i64::MIN);
        assert_eq!(forgiven.failures, 1);
        let again = forgiven.failed(NOW, 0.0);
        assert_eq!(again.paused_until, Some(NOW + 2 * MINUTE));
        assert_eq!(Pace::default().forgiven(), Pace::default());
    }

    #[test]
    fn a_refusal_holds_nothing_back() {
        let pace = Pace::default().refused(NOW);
        assert_eq!(pace.failures, 1);
        assert_eq!(pace.opens_at(Kind::Email, NOW, NOW), i64::MIN);
    }

    #[test]
    fn parts_of_a_list_go_at_once_sixteen_at_a_time() {
        let (mut pace, mut now) = (Pace::default(), NOW);
        let delay = 2 * MINUTE;
        for round in 0..6 {
            for _ in 1..REFUSALS_AT_ONCE {
                pace = pace.unfit(now, 0.0);
                assert_eq!(pace.opens_at(Kind::Email, NOW, now), i64::MIN);
            }
            // However often: what is asked about comes to an end, whether a list was refused or one for good.
            pace = match round % 2 {
                0 => pace.tried_at(now).unfit(now, 0.0),
                _ => pace.tried_at(now).unfit_alone(now, 0.0, true),
            };
            assert_eq!(pace.opens_at(Kind::Email, NOW, now), now + delay);
            // Something new that is refused meanwhile ends no pause.
            assert_eq!(pace.unfit(now + SECOND, 0.0), pace);
            assert_eq!(pace.unfit_alone(now + SECOND, 0.0, true), pace);
            assert_eq!(pace.unfit_alone(now + SECOND, 0.0, false), pace);
            assert_eq!(pace.refused(now + SECOND), pace);
            now += delay;
        }
        let well = pace.succeeded(NOW).unfit(NOW, 0.0);
        assert_eq!((well.refusals, well.paused_until), (1, None));
        assert_eq!(well.opens_at(Kind::Email, NOW, NOW), NOW + MINUTE);
    }

    #[test]
    fn what_is_refused_alone_is_no_failure_until_there_is_too_much_of_it() {
        for for_good in [true, false] {
            let mut pace = Pace::default();
            for n in 1..REFUSALS_AT_ONCE {
                pace = pace.unfit_alone(NOW, 0.0, for_good);
                assert_eq!((pace.failures, pace.refusals), (0, n));
            }
            let held = pace.unfit_alone(NOW, 0.0, for_good);
            assert_eq!((held.failures, held.refusals), (1, REFUSALS_AT_ONCE));
            assert!(held.opens_at(Kind::Email, NOW, NOW) > NOW);
            let later = NOW + 2 * MINUTE;
            let next = held.unfit_alone(later, 0.0, for_good);
            assert_eq!(next.opens_at(Kind::Email, NOW, later), i64::MIN);
            let failing = Pace::default().failed(NOW, 0.0).failed(later, 0.0);
            let after = 10 * MINUTE + later;
            assert_eq!(failing.unfit_alone(after, 0.0, for_good).failures, 2);
        }
    }

    #[test]
    fn what_is_refused_alone_for_now_is_asked_about_less_and_less() {
        let (mut pace, mut now) = (Pace::default(), NOW);
        for delay in [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE] {
            for _ in 0..REFUSALS_AT_ONCE {
                pace = pace.unfit_alone(now, 0.0, false);
            }
            assert_eq!(pace.opens_at(Kind::Email, NOW, now), now + delay);
            now += delay;
        }
    }

    #[test]
    fn one_part_in_four_is_sought_elsewhere() {
        let mut pace = Pace::default();
        let mut wide = Vec::new();
        for n in 1..=8 {
            pace = pace.unfit(NOW, 0.0);
            if pace.looks_elsewhere() {
                wide.push(n);
            }
        }
        assert_eq!(wide, [4, 8]);
    }

    #[test]
    fn times_of_a_clock_that_ran_ahead_do_not_count() {
        let ahead = Pace {
            tried: Some(NOW),
            sent: Some(NOW),
            failures: 3,
            paused_until: Some(NOW + 10 * MINUTE),
            refusals: 0,
        };
        let back = NOW - 24 * 60 * MINUTE;
        assert_eq!(ahead.opens_at(Kind::Email, back, back), i64::MIN);
        assert!(ahead.opens_at(Kind::Email, NOW, NOW) > NOW);
    }

    #[test]
    fn names_parse_back() {
        for kind in [Kind::Email, Kind::Webhook] {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(state));
        }
        assert_eq!((Kind::parse("fax"), State::parse("fallita")), (None, None));
    }
}
