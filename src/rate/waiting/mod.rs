//! Lines of ratings that wait, where `RATING_OVERFLOW` is `hold`: what a post's gate would refuse is kept, and counted in
//! the order it came as soon as the gate admits it. Nobody overtakes: while a post has a line, new ratings join it.

pub mod rows;
pub mod views;

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::models::{Pair, Stars};
use crate::blog_posts::PostId;
use crate::web::visitor::UserId;

/// The most ratings that wait for one post. With more, its gate refuses.
const MOST_OF_POST: i64 = 10_000;

/// The most ratings of one reader that wait.
const MOST_OF_READER: i64 = 20;

/// How long the first of a line waits if its gate does not say, in milliseconds.
pub const UNKNOWN_WAIT_MS: i64 = 1_000;

/// A rating that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub pair: Pair,
    pub stars: Stars,
    /// When these were chosen.
    pub chosen_at: DateTime<Utc>,
}

/// Where in its line a rating waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// 1 is the next to be counted.
    pub number: i64,
    /// Milliseconds until it is counted, if the line moves as fast as now.
    pub wait_ms: i64,
    /// When that is.
    pub counted_after: DateTime<Utc>,
}

/// The lines of the posts of a batch, all of them locked.
#[derive(Debug, Default)]
pub struct Lines {
    /// How many wait for each post, and how many ratings of each reader wait.
    of_posts: HashMap<PostId, i64>,
    of_readers: HashMap<UserId, i64>,
    /// The pairs of the batch that wait, and their numbers.
    numbers: HashMap<Pair, i64>,
    /// The first of each line, in order.
    first: Vec<Waiting>,
    /// Those of the first whose readers have a later rating that is counted: by an instance where none waits.
    outdated: HashSet<Pair>,
    /// Posts whose gate does not admit the first of the line, and when it will, in milliseconds.
    stopped: HashMap<PostId, i64>,
    /// Milliseconds between two that are admitted, of posts whose gate has a pace.
    pace_ms: HashMap<PostId, i64>,
}

/// What changes in the lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LineWrites {
    /// New in their lines, in this order, or with other stars than before.
    pub waiting: Vec<(Pair, Stars)>,
    /// Have left their lines: counted, or taken back.
    pub left: HashSet<Pair>,
}

impl LineWrites {
    fn put(&mut self, pair: Pair, stars: Stars) {
        match self.waiting.iter_mut().find(|(there, _)| *there == pair) {
            Some((_, there)) => *there = stars,
            None => self.waiting.push((pair, stars)),
        }
    }
}

impl Lines {
    /// The first of the lines, for the gates to be asked about.
    pub fn take_first(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.first)
    }

    /// Finds those of the first whose readers have a later rating. `rated_at` says when a pair's rating was counted.
    pub fn find_outdated(&mut self, rated_at: impl Fn(Pair) -> Option<DateTime<Utc>>) {
        let outdated = |waiting: &&Waiting| rated_at(waiting.pair).is_some_and(|at| at > waiting.chosen_at);
        self.outdated = self.first.iter().filter(outdated).map(|waiting| waiting.pair).collect();
    }

    #[must_use]
    pub fn is_outdated(&self, pair: Pair) -> bool {
        self.outdated.contains(&pair)
    }

    /// The pairs that may be counted in this batch.
    pub fn first_pairs(&self) -> impl Iterator<Item = Pair> {
        self.first.iter().map(|waiting| waiting.pair)
    }

    /// The pairs of the batch that wait.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.numbers.keys().copied()
    }

    /// The posts that have a line.
    pub fn posts(&self) -> impl Iterator<Item = PostId> {
        self.of_posts.keys().copied()
    }

    #[must_use]
    pub fn has_line(&self, post: PostId) -> bool {
        self.of_posts.get(&post).is_some_and(|count| *count > 0)
    }

    #[must_use]
    pub fn waits(&self, pair: Pair) -> bool {
        self.numbers.contains_key(&pair)
    }

    /// The post's gate does not admit the next one for so long.
    pub fn stop(&mut self, post: PostId, retry_after_ms: i64) {
        self.stopped.insert(post, retry_after_ms);
    }

    #[must_use]
    pub fn is_stopped(&self, post: PostId) -> bool {
        self.stopped.contains_key(&post)
    }

    /// Leaves its line.
    pub fn leave(&mut self, pair: Pair, writes: &mut LineWrites) {
        // Who waits behind it moves up. Those who leave and are not of the batch are the first.
        let number = self.numbers.remove(&pair).unwrap_or(0);
        for (behind, theirs) in &mut self.numbers {
            *theirs -= i64::from(behind.post == pair.post && *theirs > number);
        }
        if let Some(count) = self.of_posts.get_mut(&pair.post) {
            *count -= 1;
        }
        if let Some(count) = self.of_readers.get_mut(&pair.user) {
            *count -= 1;
        }
        writes.waiting.retain(|(there, _)| *there != pair);
        writes.left.insert(pair);
    }

    /// Joins the line of its post, or keeps its place there with other stars.
    ///
    /// # Errors
    /// The place that it would have, if the line is full or the reader has too many that wait.
    pub fn join(&mut self, waiting: Waiting, writes: &mut LineWrites) -> Result<Place, Place> {
        let Waiting { pair, stars, chosen_at: now } = waiting;
        if let Some(number) = self.numbers.get(&pair) {
            writes.put(pair, stars);
            return Ok(self.place(pair.post, *number, now));
        }
        let of_post = self.of_posts.get(&pair.post).copied().unwrap_or(0);
        let of_reader = self.of_readers.get(&pair.user).copied().unwrap_or(0);
        let place = self.place(pair.post, of_post + 1, now);
        if of_post >= MOST_OF_POST || of_reader >= MOST_OF_READER {
            return Err(place);
        }
        self.of_posts.insert(pair.post, of_post + 1);
        self.of_readers.insert(pair.user, of_reader + 1);
        self.numbers.insert(pair, place.number);
        writes.put(pair, stars);
        Ok(place)
    }

    fn place(&self, post: PostId, number: i64, now: DateTime<Utc>) -> Place {
        let first_ms = self.stopped.get(&post).copied().unwrap_or(UNKNOWN_WAIT_MS);
        let each_ms = self.pace_ms.get(&post).copied().unwrap_or(first_ms);
        let wait_ms = first_ms.saturating_add(each_ms.saturating_mul(number - 1));
        let counted_after =
            now.checked_add_signed(TimeDelta::milliseconds(wait_ms)).unwrap_or(DateTime::<Utc>::MAX_UTC);
        Place { number, wait_ms, counted_after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(user: i64, post: i64) -> Pair {
        Pair { user: UserId(user), post: PostId(post) }
    }

    #[test]
    fn a_line_has_places_and_an_end() {
        let (mut lines, mut writes) =
            (Lines { pace_ms: HashMap::from([(PostId(1), 100)]), ..Lines::default() }, LineWrites::default());
        let stars = |stars| Stars::new(stars).unwrap();
        let now = DateTime::UNIX_EPOCH;
        let waiting = |user, post, n| Waiting { pair: pair(user, post), stars: stars(n), chosen_at: now };
        let place = |number, wait_ms| Place { number, wait_ms, counted_after: now + TimeDelta::milliseconds(wait_ms) };
        lines.stop(PostId(1), 30);
        assert_eq!(lines.join(waiting(1, 1, 5), &mut writes), Ok(place(1, 30)));
        assert_eq!(lines.join(waiting(2, 1, 4), &mut writes), Ok(place(2, 130)));
        // Other stars keep the place.
        assert_eq!(lines.join(waiting(1, 1, 1), &mut writes), Ok(place(1, 30)));
        assert_eq!(writes.waiting, [(pair(1, 1), stars(1)), (pair(2, 1), stars(4))]);
        lines.of_posts.insert(PostId(2), MOST_OF_POST);
        lines.of_readers.insert(UserId(3), MOST_OF_READER);
        assert!(lines.join(waiting(4, 2, 5), &mut writes).is_err());
        assert!(lines.join(waiting(3, 1, 5), &mut writes).is_err());
        lines.leave(pair(1, 1), &mut writes);
        assert_eq!(lines.numbers[&pair(2, 1)], 1);
        assert_eq!((writes.waiting.len(), lines.waits(pair(1, 1)), lines.has_line(PostId(1))), (1, false, true));
        lines.leave(pair(2, 1), &mut writes);
        assert!(!lines.has_line(PostId(1)) && writes.left.len() == 2);
    }
}
