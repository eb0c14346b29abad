use proptest::prelude::*;

use super::*;

fn steady() -> SteadyScore {
    SteadyScore::new(SteadyScoreParams::default()).unwrap()
}

/// State of a post, with the ended periods that the caller has to store.
#[derive(Clone, Default)]
struct Post {
    state: SteadyScoreState,
    ended: Vec<ScorePeriod>,
}

impl Post {
    /// Adds a rating and returns the day on which the rating is counted.
    fn rate(&mut self, day: i64, stars: u8) -> i64 {
        let (state, ended) = steady().add_rating(&self.state, day, stars);
        self.state = state;
        self.ended.extend(ended);
        state.latest_rating_day().unwrap()
    }

    fn take_back(&mut self, day: i64, stars: u8) {
        if self.state.open.is_some_and(|open| day >= open.first_day) {
            self.state = steady().withdraw_rating(&self.state, stars);
        } else {
            let index =
                self.ended.iter().position(|period| (period.first_day..=period.last_day).contains(&day)).unwrap();
            self.change(index, |state, period| steady().withdraw_rating_from_ended_period(state, period, stars));
        }
    }

    fn exclude(&mut self, index: usize, excluded: bool) {
        self.change(index, |state, period| steady().set_period_excluded(state, period, excluded));
    }

    fn change(
        &mut self,
        index: usize,
        change: impl Fn(&SteadyScoreState, &ScorePeriod) -> (SteadyScoreState, ScorePeriod),
    ) {
        let (state, period) = change(&self.state, &self.ended[index]);
        (self.state, self.ended[index]) = (state, period);
    }

    fn score(&self) -> Score {
        steady().score(&self.state)
    }

    fn periods(&self) -> Vec<ScorePeriod> {
        self.ended.iter().copied().chain([steady().current_period(&self.state)]).collect()
    }
}

fn assert_same(one: Score, other: Score) {
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9;
    assert_eq!(one.score.is_some(), other.score.is_some(), "{one:?} {other:?}");
    let scores = one.score.zip(other.score);
    assert!(scores.is_none_or(|(one, other)| near(one, other)) && near(one.weight, other.weight), "{one:?} {other:?}");
}

#[derive(Clone, Debug)]
enum Step {
    Rate { days_later: i64, stars: u8, times: usize },
    Change { which: usize, stars: u8 },
    Withdraw { which: usize },
    Exclude { which: usize, excluded: bool },
    End,
}

fn step() -> impl Strategy<Value = Step> {
    let days_later = prop_oneof![4 => Just(0i64), 4 => Just(1), 1 => -3i64..40];
    let times = prop_oneof![6 => 1usize..5, 1 => 20usize..200];
    let rate =
        (days_later, 1u8..=5, times).prop_map(|(days_later, stars, times)| Step::Rate { days_later, stars, times });
    prop_oneof![
        10 => rate,
        2 => (any::<usize>(), 1u8..=5).prop_map(|(which, stars)| Step::Change { which, stars }),
        1 => any::<usize>().prop_map(|which| Step::Withdraw { which }),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(which, excluded)| Step::Exclude { which, excluded }),
        1 => Just(Step::End),
    ]
}

/// Applies the steps to a new post. Returns the post and its remaining ratings, each with the day on which the rating
/// is counted.
fn run(steps: Vec<Step>) -> (Post, Vec<(i64, u8)>) {
    let (mut post, mut ratings, mut day) = (Post::default(), Vec::<(i64, u8)>::new(), 20_000);
    for step in steps {
        match step {
            Step::Rate { days_later, stars, times } => {
                day += days_later;
                for _ in 0..times {
                    ratings.push((post.rate(day, stars), stars));
                }
            }
            Step::Change { which, stars } if !ratings.is_empty() => {
                let (counted_on, old) = ratings.swap_remove(which % ratings.len());
                post.take_back(counted_on, old);
                ratings.push((post.rate(day, stars), stars));
            }
            Step::Withdraw { which } if !ratings.is_empty() => {
                let (counted_on, old) = ratings.swap_remove(which % ratings.len());
                post.take_back(counted_on, old);
            }
            Step::Exclude { which, excluded } if !post.ended.is_empty() => {
                post.exclude(which % post.ended.len(), excluded);
            }
            Step::End if post.state.open.is_some_and(|open| open.last_day < day) => {
                let (state, ended) = steady().end_period(&post.state);
                post.state = state;
                post.ended.extend(ended);
            }
            _ => (),
        }
    }
    (post, ratings)
}

proptest! {
    /// The contributions of each period add up to its number of ratings. The contributions of all periods add up to the
    /// weight and the score of the post.
    #[test]
    fn contributions_of_all_periods_add_up(steps in prop::collection::vec(step(), 1..60)) {
        let (post, ratings) = run(steps);
        let (counted, shown) = (steady().counted_shares(&post.state), post.score());
        let (mut weight, mut stars) = (0.0, 0.0);
        for period in post.periods() {
            let of_period = ratings.iter().filter(|(day, _)| (period.first_day..=period.last_day).contains(day));
            prop_assert_eq!(period.count, i64::try_from(of_period.clone().count()).unwrap());
            prop_assert_eq!(period.stars, of_period.map(|(_, stars)| i64::from(*stars)).sum::<i64>());
            let part = period.contribution(counted);
            let all = [part.weight, part.held_back, part.limited, part.surge, part.excluded];
            prop_assert!(all.iter().all(|part| *part >= -1e-9), "{part:?}");
            prop_assert!((part.weight + part.uncounted() - to_f64(period.count)).abs() <= 1e-6, "{part:?}");
            weight += part.weight;
            stars += part.weight * period.average().unwrap_or_default();
        }
        prop_assert!((shown.weight - weight).abs() <= 1e-6, "{shown:?} {weight}");
        prop_assert!(weight <= to_f64(i64::try_from(ratings.len()).unwrap()) + 1e-6);
        if let Some(score) = shown.score.filter(|_| weight > 1e-6) {
            prop_assert!((score - stars / weight).abs() <= 1e-6, "{score} {}", stars / weight);
            let given = ratings.iter().map(|(_, stars)| f64::from(*stars));
            let (least, most) = given.fold((5.0_f64, 1.0_f64), |(least, most), stars| (least.min(stars), most.max(stars)));
            prop_assert!((least - 1e-6..=most + 1e-6).contains(&score), "{score}");
        }
    }

    #[test]
    fn order_within_a_day_does_not_matter(
        (given, shuffled) in prop::collection::vec(1u8..=5, 1..60)
            .prop_flat_map(|day| (Just(day.clone()), Just(day).prop_shuffle())),
    ) {
        let state = |day: &[u8]| {
            let mut post = Post::default();
            for rating in 0..80 {
                post.rate(rating / 2, 4);
            }
            for stars in day {
                post.rate(40, *stars);
            }
            post.state
        };
        prop_assert_eq!(state(&given), state(&shuffled));
    }

    #[test]
    fn excluding_and_including_a_period_cancel_out(steps in prop::collection::vec(step(), 1..40), which: usize) {
        let (mut post, _) = run(steps);
        prop_assume!(!post.ended.is_empty());
        let index = which % post.ended.len();
        post.exclude(index, false);
        let before = post.clone();
        post.exclude(index, true);
        let once = post.clone();
        post.exclude(index, true);
        prop_assert_eq!(post.state, once.state);
        prop_assert_eq!(post.ended[index].status(steady().counted_shares(&post.state)), PeriodStatus::Excluded);
        post.exclude(index, false);
        assert_same(post.score(), before.score());
        prop_assert_eq!(post.ended, before.ended);
    }

    /// Tests the bound that the documentation of [`SteadyScore`] states: if all 40 or more ratings have the same stars,
    /// one further rating moves the score by at most 0.1 stars.
    #[test]
    fn few_ratings_move_a_score_of_one_opinion_by_no_more_than_the_bound(
        groups in prop::collection::vec((prop_oneof![3 => 0i64..3, 1 => 3i64..40], 1usize..60), 1..12),
        usual in 1u8..=5,
        others in prop::collection::vec((any::<prop::sample::Index>(), 1u8..=5), 1..8),
    ) {
        let mut ratings = Vec::new();
        let mut day = 0;
        for (days_later, count) in groups {
            day += days_later;
            ratings.extend(std::iter::repeat_n((day, usual), count));
        }
        let agreeing = ratings.len();
        ratings.extend(others.iter().map(|(at, stars)| (ratings[at.index(agreeing)].0, *stars)).collect::<Vec<_>>());
        ratings.sort_by_key(|(day, _)| *day);
        let mut post = Post::default();
        for (day, stars) in &ratings {
            post.rate(*day, *stars);
        }
        let moved = (post.score().score.unwrap() - f64::from(usual)).abs();
        let [few, all] = [others.len(), ratings.len().min(40)].map(|count| to_f64(i64::try_from(count).unwrap()));
        prop_assert!(moved <= 4.0 * few / all + 1e-9, "{moved}");
    }

    #[test]
    fn a_state_survives_json(steps in prop::collection::vec(step(), 1..40)) {
        let (post, _) = run(steps);
        let json = serde_json::to_string(&(post.state, &post.ended)).unwrap();
        let (state, ended): (SteadyScoreState, Vec<ScorePeriod>) = serde_json::from_str(&json).unwrap();
        prop_assert_eq!((state, ended), (post.state, post.ended));
    }

    #[test]
    fn survives_any_state_and_any_rating(
        numbers: [f64; 9], since: Option<i64>, ended_on: Option<i64>, open: Option<(i64, i64, i64, i64)>, at: i64, stars: u8,
    ) {
        let weighted = |at: usize| WeightedStars { weight: numbers[at], stars: numbers[at + 1] };
        let open = open.map(|(first_day, last_day, count, stars)| OpenPeriod { first_day, last_day, count, stars });
        let state = SteadyScoreState {
            regular: weighted(0), provisional: weighted(2), held: weighted(4), usual: numbers[6], since, ended_on,
            reference: numbers[7], known: numbers[8], open,
        };
        let (next, ended) = steady().add_rating(&state, at, stars);
        let ended = ended.unwrap_or_else(|| steady().current_period(&state));
        let _ = (ended.contribution(steady().counted_shares(&state)), ended.status(steady().counted_shares(&state)));
        let _ = steady().withdraw_rating(&state, stars);
        let (next, ended) = steady().withdraw_rating_from_ended_period(&next, &ended, stars);
        let (next, _) = steady().set_period_excluded(&next, &ended, true);
        let _ = (steady().end_period(&next), steady().score(&next), steady().weight_limit(&next, i64::MAX));
    }
}

/// Deterministic random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Generates a random history of `count` ratings, as pairs of day and stars. The ratings arrive in groups, and all
/// ratings of a group choose their stars at random from one of `opinions`.
fn history(random: &mut Random, count: usize, opinions: &[&[u8]]) -> Vec<(i64, u8)> {
    let (mut day, mut ratings) = (0, Vec::new());
    while ratings.len() < count {
        day += random.choose(&[0, 0, 1, 1, 1, 2, 5, 30]);
        let group = random.choose(&[1, 1, 2, 3, 8, 20, 60]).min(count - ratings.len());
        let opinion = random.choose(opinions);
        ratings.extend((0..group).map(|_| (day, random.choose(opinion))));
    }
    ratings
}

/// Score of a post with these ratings, which are added in the order of their days.
fn score_of(mut ratings: Vec<(i64, u8)>) -> f64 {
    ratings.sort_by_key(|(day, _)| *day);
    let mut post = Post::default();
    // Every history begins with a rating on day 0, so that the age of the post is always the same.
    post.rate(0, 3);
    for (day, stars) in &ratings {
        post.rate(*day, *stars);
    }
    post.score().score.unwrap()
}

/// Returns how far `few` additional ratings can move the score in each of 60 random histories of `count` ratings, in
/// ascending order. For each history, the largest change of several attempts with random days and stars is returned.
fn moves(count: usize, few: usize, opinions: &[&[u8]]) -> Vec<f64> {
    let mut random = Random(36);
    let mut moves: Vec<f64> = (0..60)
        .map(|_| {
            let others = history(&mut random, count, opinions);
            let before = score_of(others.clone());
            let tries = (0..12).map(|_| {
                let (day, together) = (random.choose(&others).0, random.below(2) == 0);
                let mut with = others.clone();
                for _ in 0..few {
                    let other_day = random.choose(&others).0 + random.choose(&[0, 0, 1]);
                    with.push((if together { day } else { other_day }, random.choose(&[1, 1, 5])));
                }
                (score_of(with) - before).abs()
            });
            tries.fold(0.0, f64::max)
        })
        .collect();
    moves.sort_by(f64::total_cmp);
    moves
}

/// One additional rating among 10, 30 or 100 others, or ten among 100, moves the score by at most three times as much
/// as it moves the average, plus 0.1 stars. This bound was found by a random search and is not proven; specially
/// constructed histories can exceed it.
#[test]
fn few_accounts_move_the_score_little_in_random_histories() {
    let any: &[&[u8]] = &[&[1, 1, 2, 3, 4, 5], &[5], &[1], &[4, 5], &[3, 4, 5]];
    let two: &[&[u8]] = &[&[5], &[1]];
    for (others, few) in [(10, 1), (30, 1), (100, 1), (100, 10)] {
        for opinions in [any, two] {
            let moves = moves(others, few, opinions);
            let [all, part] = [others + few, few].map(|count| to_f64(i64::try_from(count).unwrap()));
            let bound = 12.0 * part / all + 0.1;
            assert!(moves[59] <= bound, "{few} among {others}: {:?}, bound {bound}", &moves[55..]);
        }
    }
}

#[test]
fn one_account_among_forty_moves_the_score_by_a_tenth() {
    for (first, second) in [(0, 0), (0, 1), (0, 30)] {
        let mut post = Post::default();
        (0..40).for_each(|_| {
            post.rate(first, 5);
        });
        post.rate(second, 1);
        assert!(post.score().score.unwrap() >= 4.9, "{:?}", post.score());
    }
}

#[test]
fn withdrawing_more_than_was_counted_leaves_nothing_below_zero() {
    let mut post = Post::default();
    post.rate(0, 1);
    post.rate(1, 2);
    post.take_back(0, 5);
    post.take_back(0, 5);
    assert_eq!((post.ended[0].count, post.ended[0].stars), (0, 0));
    assert_same(post.score(), Score { score: Some(2.0), weight: 1.0 });
}

#[test]
fn standing_names_the_main_reason() {
    let statuses = |post: &Post| {
        let counted = steady().counted_shares(&post.state);
        post.periods().iter().map(|period| period.status(counted)).collect::<Vec<_>>()
    };
    let mut post = Post::default();
    for day in 0..60 {
        post.rate(day, 4);
        post.rate(day, 5);
    }
    assert!(statuses(&post).iter().all(|statuses| *statuses == PeriodStatus::Whole));
    let last = |post: &Post| *statuses(post).last().unwrap();
    let mut limited = post.clone();
    (0..50).for_each(|rating| {
        limited.rate(60 + 7, 4 + u8::from(rating % 2 == 0));
    });
    assert_eq!(last(&limited), PeriodStatus::Limited);
    let mut surge = post.clone();
    (0..50).for_each(|_| {
        surge.rate(60 + 7, 1);
    });
    assert_eq!(last(&surge), PeriodStatus::Surge);
    let mut held_back = post.clone();
    (0..14).for_each(|rating| {
        held_back.rate(60 + 7 + rating / 2, 1);
    });
    assert_eq!(last(&held_back), PeriodStatus::HeldBack);
    post.exclude(3, true);
    assert_eq!(statuses(&post)[3], PeriodStatus::Excluded);
}

#[test]
fn held_back_ratings_count_once_they_outweigh_the_others() {
    let mut post = Post::default();
    for day in 0..20 {
        (0..3).for_each(|_| {
            post.rate(day, 5);
        });
    }
    let mut scores = Vec::new();
    for day in 20..300 {
        (0..3).for_each(|_| {
            post.rate(day, 2);
        });
        scores.push(post.score().score.unwrap());
    }
    assert!(scores[10] > 4.5, "{}", scores[10]);
    assert!(*scores.last().unwrap() < 2.5, "{}", scores.last().unwrap());
    let steepest = scores.windows(2).map(|pair| (pair[0] - pair[1]).abs()).fold(0.0, f64::max);
    assert!(steepest < 0.5, "a day moved the score by {steepest}");
}

#[test]
fn names_invalid_parameters() {
    let named = |params| SteadyScore::new(params).unwrap_err().name;
    let valid = SteadyScoreParams::default();
    assert_eq!(named(SteadyScoreParams { factor: -0.5, ..valid }), "factor");
    assert_eq!(named(SteadyScoreParams { least: 0.0, ..valid }), "least");
    assert_eq!(named(SteadyScoreParams { memory_days: f64::NAN, ..valid }), "memory_days");
    assert_eq!(named(SteadyScoreParams { shift: f64::INFINITY, ..valid }), "shift");
    assert_eq!(named(SteadyScoreParams { noise: -1.0, ..valid }), "noise");
    assert_eq!(named(SteadyScoreParams { shift: 0.0, noise: 0.0, ..valid }), "noise");
    assert_eq!(named(SteadyScoreParams { young: 0.0, ..valid }), "young");
    assert_eq!(named(SteadyScoreParams { first: -1.0, ..valid }), "first");
    assert_eq!(named(SteadyScoreParams { period_ratings: 0, ..valid }), "period_ratings");
    assert_eq!(named(SteadyScoreParams { outweigh: 0.0, ..valid }), "outweigh");
    assert_eq!(named(SteadyScoreParams { evidence: 0.0, ..valid }), "evidence");
    assert_eq!(*steady().params(), valid);
}
