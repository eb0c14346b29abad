//! Pausing of hopeless clients, as Let's Encrypt does it.
//!
//! A program that retries for ever what can only fail (a duplicate, its author's own post) costs a transaction each
//! time. Such failures are counted by reader and post where ratings are written ([`ZombiePause`]); after thousands
//! without a success the pair is paused. Its attempts are refused with a signed link, by which a person
//! lifts all pauses of the account.
//!
//! Each instance remembers the pauses it has met. For a few seconds it refuses without asking anybody; after
//! that it asks with one plain query. Only a pair that is not known here opens a transaction.

mod models;
mod token;
pub mod views;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

pub use self::models::sweep;
use self::token::Token;
use super::batch::Pair;
use crate::database::clock::Clock;
use crate::limiters::ZombiePause;
use crate::limiters::stores::Memory;
use crate::site::settings::Settings;
use crate::web::error::AppError;
use crate::web::state::Keys;

/// Where pauses are lifted.
pub const UNPAUSE: &str = "/unpause/";

/// How long a pause is known without asking.
const REMEMBERED_MICROS: i64 = 5_000_000;

/// Pauses that an instance remembers.
const MOST_REMEMBERED: usize = 100_000;

/// A pause that is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Milliseconds since the Unix epoch. Names this pause, and no later one of the same pair.
    pub since_ms: i64,
    /// When it was found in force, by the database's clock; milliseconds since the Unix epoch.
    pub seen_ms: i64,
}

/// What an instance knows of a pair without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It is paused, as of a few seconds ago.
    Paused(Pause),
    /// It was paused when it was last asked about.
    WasPaused,
    Nothing,
}

/// The pauses that an instance has met.
pub struct Remembered(Memory<Pair, Option<(Pause, i64)>>);

impl Default for Remembered {
    fn default() -> Self {
        Self(Memory::new(MOST_REMEMBERED))
    }
}

impl Remembered {
    #[must_use]
    pub fn look(&self, pair: Pair, now_micros: i64) -> Known {
        match self.0.get(&pair).flatten() {
            Some((pause, at)) if (at..at + REMEMBERED_MICROS).contains(&now_micros) => Known::Paused(pause),
            Some(_) => Known::WasPaused,
            None => Known::Nothing,
        }
    }

    pub fn remember(&self, pair: Pair, pause: Pause, now_micros: i64) {
        self.0.with(pair, |known| *known = Some((pause, now_micros)));
    }

    pub fn forget(&self, pair: Pair) {
        self.0.reset(&pair);
    }
}

/// The pauses of an instance.
pub struct Pauses {
    /// Whether anybody is paused, and by which rules.
    enabled: bool,
    rules: ZombiePause,
    remembered: Remembered,
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    public_url: String,
}

impl Pauses {
    #[must_use]
    pub fn new(settings: &Settings, pool: PgPool, clock: Clock, keys: Keys) -> Self {
        Self {
            enabled: settings.zombie_pause,
            rules: settings.zombie_pause_rules,
            remembered: Remembered::default(),
            pool,
            clock,
            keys,
            public_url: settings.public_url.clone(),
        }
    }

    /// What judges failures; none where nobody is paused.
    #[must_use]
    pub fn limiter(&self) -> Option<&ZombiePause> {
        self.enabled.then_some(&self.rules)
    }

    /// Refuses a pair that is known to be paused, without a transaction.
    ///
    /// # Errors
    /// `paused`, or `unavailable`.
    pub async fn refuse_known(&self, pair: Pair) -> Result<(), AppError> {
        match self.remembered.look(pair, self.clock.local_micros()) {
            Known::Nothing => Ok(()),
            Known::Paused(pause) => Err(self.error(pair, pause)),
            Known::WasPaused => {
                if let Some(pause) = models::pause_of(&self.pool, &self.clock, pair).await? {
                    return Err(self.refused(pair, pause));
                }
                self.remembered.forget(pair);
                Ok(())
            }
        }
    }

    /// Remembers a pause that was found in force. Returns what its pair is told.
    #[must_use]
    pub fn refused(&self, pair: Pair, pause: Pause) -> AppError {
        self.remembered.remember(pair, pause, self.clock.local_micros());
        self.error(pair, pause)
    }

    /// They are lifted: on this instance nobody has to wait until that is known.
    pub fn lifted(&self, user: i64, blogs: &[i64]) {
        for blog in blogs {
            self.remembered.forget((user, *blog));
        }
    }

    fn error(&self, pair: Pair, pause: Pause) -> AppError {
        AppError::Paused { link: format!("{}{}", self.public_url, self.path(pair, pause)) }
    }

    /// Where a pause, and with it all others of its user, can be lifted.
    #[must_use]
    pub fn path(&self, (user, blog): Pair, pause: Pause) -> String {
        let token = Token { user, blog, paused_at_ms: pause.since_ms };
        let now = DateTime::<Utc>::from_timestamp_millis(pause.seen_ms).unwrap_or_default();
        format!("{}?token={}", UNPAUSE, token.sign(&self.keys, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limiters::{ZombiePauseParams, ZombiePauseState};

    const MINUTE_MS: i64 = 60_000;
    const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

    /// What happens to the attempts of one pair at two instances, as the writer and [`Pauses::refuse_known`] do it.
    struct Site<'a> {
        limiter: &'a ZombiePause,
        instances: &'a [Remembered; 2],
        pair: Pair,
        state: ZombiePauseState,
        attempts: u64,
        transactions: u64,
    }

    impl Site<'_> {
        fn fail(&mut self, now_ms: i64) {
            self.attempts += 1;
            let instance = &self.instances[usize::from(self.attempts.is_multiple_of(2))];
            let pause = self.state.is_paused().then_some(Pause { since_ms: 0, seen_ms: now_ms });
            let known = instance.look(self.pair, now_ms * 1_000);
            self.transactions += u64::from(matches!((known, pause), (Known::Nothing, _) | (Known::WasPaused, None)));
            match (known, pause) {
                (Known::Paused(_), _) => (),
                (_, Some(pause)) => instance.remember(self.pair, pause, now_ms * 1_000),
                (_, None) => self.state = self.limiter.fail(&self.state, now_ms).0,
            }
        }

        fn succeed(&mut self) {
            self.state = self.limiter.success(&self.state).0;
        }
    }

    /// Half a year of 2,000 zombies, of which most fail 40 times a day and some every minute, and of 500 readers who
    /// are clumsy, stubborn or have a bad extension.
    #[test]
    fn a_fleet_of_zombies_costs_few_transactions_and_no_reader_is_paused() {
        let limiter = ZombiePause::new(ZombiePauseParams::default()).unwrap();
        let instances = [Remembered::default(), Remembered::default()];
        let site = |user: i64| Site {
            limiter: &limiter,
            instances: &instances,
            pair: (user, 1),
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
        // 3,600 failures at once and one a day, the one that pauses, and one at each instance that meets it then.
        let most = [3_600 + 92 + 1 + 2, 3_600 + 25 + 1 + 2, 3_600 + 2 + 1 + 2].map(|each| each + 1);
        for ((count, (_, transactions)), most) in [1_900, 90, 10].into_iter().zip(&shares).zip(most) {
            assert!(*transactions <= count * most, "{transactions}");
        }
        assert!(transactions * 2 < attempts);

        for user in 2_000..2_500 {
            let mut reader = site(user);
            for day in 0..180 {
                // Once a day for ever; twenty in an evening now and then; and hundreds until it is noticed.
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
        let (remembered, pause) = (Remembered::default(), Pause { since_ms: 1, seen_ms: 2 });
        assert_eq!(remembered.look((1, 2), 0), Known::Nothing);
        remembered.remember((1, 2), pause, 10);
        assert_eq!(remembered.look((1, 2), 10 + REMEMBERED_MICROS - 1), Known::Paused(pause));
        assert_eq!(remembered.look((1, 2), 10 + REMEMBERED_MICROS), Known::WasPaused);
        // A clock that was set back proves nothing.
        assert_eq!(remembered.look((1, 2), 9), Known::WasPaused);
        assert_eq!(remembered.look((2, 1), 10), Known::Nothing);
        remembered.forget((1, 2));
        assert_eq!(remembered.look((1, 2), 10), Known::Nothing);
    }
}
