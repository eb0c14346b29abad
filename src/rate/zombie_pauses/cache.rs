//! Cache of the zombie pauses that this instance has read from the database. A zombie pause blocks a user from rating a
//! post after thousands of failed attempts.

use super::models::Pause;
use crate::rate::models::RatingKey;
use evenkeel_limiters::stores::MemoryStore;

/// Time in microseconds for which a cached pause is used without querying the database.
const TTL_MICROS: i64 = 5_000_000;

const MAX_ENTRIES: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseLookup {
    /// The cached pause is at most five seconds old and can be used without a query.
    Paused(Pause),
    /// The cached pause may be outdated, so the database must be queried.
    Stale,
    Missing,
}

/// Cached pauses, each with the time when it was read, in microseconds since the Unix epoch.
pub struct PauseCache(MemoryStore<RatingKey, Option<(Pause, i64)>>);

impl Default for PauseCache {
    fn default() -> Self {
        Self(MemoryStore::new(MAX_ENTRIES))
    }
}

impl PauseCache {
    pub fn find_cached_pause(&self, pair: RatingKey, now_micros: i64) -> PauseLookup {
        match self.0.get(&pair).flatten() {
            Some((pause, at)) if (at..at + TTL_MICROS).contains(&now_micros) => PauseLookup::Paused(pause),
            Some(_) => PauseLookup::Stale,
            None => PauseLookup::Missing,
        }
    }

    pub fn insert_pause(&self, pair: RatingKey, pause: Pause, now_micros: i64) {
        self.0.with_state(&pair, |recent| *recent = Some((pause, now_micros)));
    }

    pub fn remove_pause(&self, pair: RatingKey) {
        self.0.remove(&pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blog_posts::PostId;
    use crate::web::request::current_user::UserId;
    use evenkeel_limiters::{ZombiePause, ZombiePauseParams, ZombiePauseState};

    fn pair(user: i64, post: i64) -> RatingKey {
        RatingKey { user: UserId(user), post: PostId(post) }
    }

    const MINUTE_MS: i64 = 60_000;
    const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

    /// Simulates the attempts of one user to rate one post on two instances, as the rating writer and
    /// `ZombiePauses::refuse_if_paused` handle them.
    struct Site<'a> {
        limiter: &'a ZombiePause,
        instances: &'a [PauseCache; 2],
        pair: RatingKey,
        state: ZombiePauseState,
        attempts: u64,
        transactions: u64,
    }

    impl Site<'_> {
        fn fail(&mut self, now_ms: i64) {
            self.attempts += 1;
            let instance = &self.instances[usize::from(self.attempts.is_multiple_of(2))];
            let pause = self.state.is_paused().then_some(Pause { since_ms: 0, read_at_ms: now_ms });
            let recent = instance.find_cached_pause(self.pair, now_ms * 1_000);
            self.transactions +=
                u64::from(matches!((recent, pause), (PauseLookup::Missing, _) | (PauseLookup::Stale, None)));
            match (recent, pause) {
                (PauseLookup::Paused(_), _) => (),
                (_, Some(pause)) => instance.insert_pause(self.pair, pause, now_ms * 1_000),
                (_, None) => self.state = self.limiter.record_failure(&self.state, now_ms).0,
            }
        }

        fn succeed(&mut self) {
            self.state = self.limiter.record_success(&self.state).0;
        }
    }

    /// Simulates half a year with 2,000 zombie clients, most of which fail 40 times a day and some every minute, and
    /// with 500 legitimate users who fail repeatedly.
    #[test]
    fn a_fleet_of_zombies_costs_few_transactions_and_no_reader_is_paused() {
        let limiter = ZombiePause::new(ZombiePauseParams::default()).unwrap();
        let instances = [PauseCache::default(), PauseCache::default()];
        let site = |user: i64| Site {
            limiter: &limiter,
            instances: &instances,
            pair: pair(user, 1),
            state: ZombiePauseState::default(),
            attempts: 0,
            transactions: 0,
        };
        let mut shares = Vec::new();
        for (users, every_ms) in [(0..1_900, DAY_MS / 40), (1_900..1_990, 10 * MINUTE_MS), (1_990..2_000, MINUTE_MS)] {
            let (mut attempts, mut transactions) = (0, 0);
            for user in users {
                let mut zombie = site(user);
                (0..180 * DAY_MS / every_ms).for_each(|number| zombie.fail(user * 1_000 + number * every_ms));
                assert!(zombie.state.is_paused());
                (attempts, transactions) = (attempts + zombie.attempts, transactions + zombie.transactions);
            }
            println!("every {} s: {transactions} of {attempts} attempts opened a transaction", every_ms / 1_000);
            shares.push((attempts, transactions));
        }
        let (attempts, transactions) = shares.iter().fold((0, 0), |sum, share| (sum.0 + share.0, sum.1 + share.1));
        println!("all: {} in a hundred", 100 * transactions / attempts);
        // Maximum number of failures per client: a burst of 3,600 and one per day before the pause, the failure that
        // starts the pause, and one on each instance after that.
        let most = [3_600 + 92 + 1 + 2, 3_600 + 25 + 1 + 2, 3_600 + 2 + 1 + 2].map(|each| each + 1);
        for ((count, (_, transactions)), most) in [1_900, 90, 10].into_iter().zip(&shares).zip(most) {
            assert!(*transactions <= count * most, "{transactions}");
        }
        assert!(transactions * 2 < attempts);

        for user in 2_000..2_500 {
            let mut reader = site(user);
            for day in 0..180 {
                // Failure patterns that must not cause a pause: one a day, twenty once a week, or 600 a day for five
                // days.
                let failures = match user % 3 {
                    0 => 1,
                    1 if day % 7 == 0 => 20,
                    2 if (90..95).contains(&day) => 600,
                    _ => 0,
                };
                (0..failures).for_each(|number| reader.fail(day * DAY_MS + number * 1_000));
                if user % 3 == 1 && day % 60 == 0 {
                    reader.succeed();
                }
                assert!(!reader.state.is_paused(), "reader {user} on day {day}");
            }
        }
    }

    #[test]
    fn a_pause_is_known_for_a_few_seconds_and_then_asked_about() {
        let (recent, pause) = (PauseCache::default(), Pause { since_ms: 1, read_at_ms: 2 });
        let (one, other) = (pair(1, 2), pair(2, 1));
        assert_eq!(recent.find_cached_pause(one, 0), PauseLookup::Missing);
        recent.insert_pause(one, pause, 10);
        assert_eq!(recent.find_cached_pause(one, 10 + TTL_MICROS - 1), PauseLookup::Paused(pause));
        assert_eq!(recent.find_cached_pause(one, 10 + TTL_MICROS), PauseLookup::Stale);
        // An entry with a future time is stale. Future times occur if the clock is set back.
        assert_eq!(recent.find_cached_pause(one, 9), PauseLookup::Stale);
        assert_eq!(recent.find_cached_pause(other, 10), PauseLookup::Missing);
        recent.remove_pause(one);
        assert_eq!(recent.find_cached_pause(one, 10), PauseLookup::Missing);
    }
}
