//! Synthetic rating histories, generated from a seed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{Distribution as _, Exp, LogNormal};

use super::history::{PastRating, ReplayHistory};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;

/// Number of posts in a scenario. Generation stops earlier if the scenario has at least `RATINGS` ratings.
const POSTS: u32 = 10;
const RATINGS: u64 = 500_000;

/// Percentages of ratings with 1, 2, 3, 4 and 5 stars.
type StarDistribution = [u32; 5];

const USUAL_MIND: StarDistribution = [5, 7, 15, 33, 40];

/// Distribution of stars after the opinion of honest users has changed permanently.
const OTHER_MIND: StarDistribution = [25, 35, 25, 10, 5];

const ONE_STAR: StarDistribution = [100, 0, 0, 0, 0];

/// Traffic pattern of synthetic ratings.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Name, such as `crowd_3h`.
    pub name: &'static str,
    /// Description of the ratings.
    pub description: &'static str,
    make: fn(&mut Traffic),
}

/// Scenarios of honest traffic, alone and with brigades.
pub const SCENARIOS: [Scenario; 17] = [
    Scenario {
        name: "steady",
        description: "two ratings an hour for 30 days",
        make: |t| t.honest(0.0, 30.0 * DAY, HOUR / 2.0),
    },
    Scenario {
        name: "bursty",
        description: "two ratings an hour on average, with log-normal intervals (coefficient of variation 2)",
        make: |t| t.bursty(30.0 * DAY, HOUR / 2.0),
    },
    Scenario {
        name: "launch",
        description: "launch of a post: 300 honest ratings in the first hours",
        make: |t| t.launch(300),
    },
    Scenario {
        name: "viral",
        description: "viral post: two ratings an hour, then 200 an hour for a week",
        make: Traffic::viral,
    },
    Scenario {
        name: "crowd_3h",
        description: "300 honest ratings, then 4,000 one-star ratings in 3 hours",
        make: |t| t.crowd(4_000, 3.0 * HOUR),
    },
    Scenario {
        name: "crowd_10min",
        description: "300 honest ratings, then 2,000 one-star ratings in 10 minutes",
        make: |t| t.crowd(2_000, 10.0 * MINUTE),
    },
    Scenario {
        name: "crowd_60s",
        description: "300 honest ratings, then 500 one-star ratings in 60 seconds",
        make: |t| t.crowd(500, MINUTE),
    },
    Scenario {
        name: "crowd_1d",
        description: "300 honest ratings, then 2,000 one-star ratings in a day",
        make: |t| t.crowd(2_000, DAY),
    },
    Scenario {
        name: "crowd_launch",
        description: "launch with 300 honest ratings; after an hour, 2,000 one-star ratings in 10 minutes",
        make: Traffic::crowd_at_launch,
    },
    Scenario {
        name: "crowd_week",
        description: "300 honest ratings, then 400 one-star ratings each evening for a week",
        make: Traffic::crowd_each_evening,
    },
    Scenario {
        name: "crowd_48h",
        description: "300 honest ratings, then 200,000 one-star ratings in 48 hours",
        make: |t| t.crowd(200_000, 2.0 * DAY),
    },
    Scenario {
        name: "crowd_7d",
        description: "300 honest ratings, then 2,000 one-star ratings in a week",
        make: |t| t.crowd(2_000, 7.0 * DAY),
    },
    Scenario {
        name: "thirty_a_day",
        description: "ten honest ratings a day, for 60 days also 30 one-star ratings a day",
        make: |t| t.drip(30),
    },
    Scenario {
        name: "three_a_day",
        description: "ten honest ratings a day, for 60 days also three one-star ratings a day",
        make: |t| t.drip(3),
    },
    Scenario {
        name: "creeping",
        description: "ten honest ratings a day, for 8 days also 200 a day whose average falls by 0.4 ★ each day",
        make: Traffic::creeping,
    },
    Scenario {
        name: "primed",
        description: "300 honest ratings, a one-star rating and, 30 days later, 2,000 one-star ratings in 10 minutes",
        make: Traffic::primed,
    },
    Scenario {
        name: "taste",
        description: "ten ratings a day; after 60 days, the opinion of users changes for good",
        make: Traffic::changed_opinion,
    },
];

impl Scenario {
    /// Returns the scenario with this name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }

    /// Generates posts with this traffic pattern. The result depends only on the seed.
    pub fn generate_history(&self, seed: u64) -> ReplayHistory {
        let mut history = ReplayHistory::default();
        for post in 0..POSTS {
            if history.len() >= RATINGS {
                break;
            }
            let random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1_000).wrapping_add(u64::from(post)));
            let mut traffic = Traffic { random, entries: Vec::new(), mind: USUAL_MIND };
            (self.make)(&mut traffic);
            history.insert(format!("{post:02}"), traffic.entries);
        }
        history
    }
}

/// Generator of the ratings of one post. Times are in seconds from the start of the scenario.
struct Traffic {
    random: Xoshiro256PlusPlus,
    entries: Vec<PastRating>,
    /// Distribution of stars of honest ratings.
    mind: StarDistribution,
}

impl Traffic {
    /// Adds honest ratings as a Poisson process with a mean interval of `gap` seconds.
    fn honest(&mut self, from: f64, until: f64, gap: f64) {
        let Ok(gaps) = Exp::new(gap.recip()) else { return };
        let mut time = from + gaps.sample(&mut self.random);
        while time < until {
            self.rate(time, None);
            time += gaps.sample(&mut self.random);
        }
    }

    /// Adds honest ratings in bursts, at log-normally distributed intervals with a mean of `gap` seconds and a standard
    /// deviation of twice the mean.
    fn bursty(&mut self, until: f64, gap: f64) {
        let Ok(gaps) = LogNormal::from_mean_cv(gap, 2.0) else { return };
        let mut time = gaps.sample(&mut self.random);
        while time < until {
            self.rate(time, None);
            time += gaps.sample(&mut self.random);
        }
    }

    /// Adds honest ratings of a newly published post: `count` ratings at exponentially distributed times with a mean of
    /// two hours, then on average one rating every four hours from the second to the tenth day.
    fn launch(&mut self, count: u32) {
        let Ok(times) = Exp::new((2.0 * HOUR).recip()) else { return };
        for _ in 0..count {
            let time = times.sample(&mut self.random);
            self.rate(time, None);
        }
        self.honest(DAY, 10.0 * DAY, 4.0 * HOUR);
    }

    fn viral(&mut self) {
        self.honest(0.0, 14.0 * DAY, HOUR / 2.0);
        self.honest(14.0 * DAY, 21.0 * DAY, HOUR / 200.0);
    }

    /// Adds 300 honest ratings over 30 days, then `count` brigade ratings within `length` seconds. Honest ratings
    /// continue during and after the brigade.
    fn crowd(&mut self, count: u32, length: f64) {
        self.honest(0.0, 34.0 * DAY, 30.0 * DAY / 300.0);
        self.brigade(count, 30.0 * DAY, length);
    }

    fn crowd_at_launch(&mut self) {
        self.launch(300);
        self.brigade(2_000, HOUR, 10.0 * MINUTE);
    }

    fn crowd_each_evening(&mut self) {
        self.honest(0.0, 40.0 * DAY, 30.0 * DAY / 300.0);
        for day in 30..37 {
            self.brigade(400, f64::from(day) * DAY + 19.0 * HOUR, 3.0 * HOUR);
        }
    }

    /// Adds ten honest ratings a day for 120 days. In the last 60 days, also adds a brigade of `a_day` ratings a day.
    fn drip(&mut self, a_day: u32) {
        self.honest(0.0, 120.0 * DAY, DAY / 10.0);
        for day in 60..120 {
            self.brigade(a_day, f64::from(day) * DAY, DAY);
        }
    }

    /// Adds a brigade whose daily average rating starts at the usual average and falls slowly, so that no day differs
    /// much from the previous day.
    fn creeping(&mut self) {
        self.honest(0.0, 80.0 * DAY, DAY / 10.0);
        for day in 0..8 {
            // The daily average falls from 4 to 1.2 stars: `five_stars` percent of the ratings have five stars, and the
            // other ratings have one star.
            let five_stars = 75 - 10 * day;
            self.send(200, f64::from(60 + day) * DAY, DAY, [100 - five_stars, 0, 0, 0, five_stars]);
        }
    }

    fn primed(&mut self) {
        self.honest(0.0, 30.0 * DAY, 30.0 * DAY / 300.0);
        self.brigade(1, 30.0 * DAY, 1.0);
        self.brigade(2_000, 60.0 * DAY, 10.0 * MINUTE);
        self.honest(60.0 * DAY, 64.0 * DAY, 30.0 * DAY / 300.0);
    }

    fn changed_opinion(&mut self) {
        self.honest(0.0, 60.0 * DAY, DAY / 10.0);
        self.mind = OTHER_MIND;
        self.honest(60.0 * DAY, 120.0 * DAY, DAY / 10.0);
    }

    fn brigade(&mut self, count: u32, from: f64, length: f64) {
        self.send(count, from, length, ONE_STAR);
    }

    fn send(&mut self, count: u32, from: f64, length: f64, mind: StarDistribution) {
        for _ in 0..count {
            let time = from + length * self.random.random::<f64>();
            self.rate(time, Some(mind));
        }
    }

    /// Adds a rating. `agenda` is the star distribution of the brigade, or `None` for an honest rating.
    fn rate(&mut self, time: f64, agenda: Option<StarDistribution>) {
        let rating = self.stars_of(agenda.unwrap_or(self.mind));
        #[expect(clippy::cast_possible_truncation, reason = "scenarios last for days")]
        let time_ms = (time * 1_000.0) as i64;
        self.entries.push(PastRating { time_ms, rating, brigade: agenda.is_some(), user: None });
    }

    fn stars_of(&mut self, mind: StarDistribution) -> u8 {
        let mut left = self.random.random_range(0..mind.iter().sum::<u32>());
        for (share, stars) in mind.into_iter().zip(1..) {
            if left < share {
                return stars;
            }
            left -= share;
        }
        5
    }
}
