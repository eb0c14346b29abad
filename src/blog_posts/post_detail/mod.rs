//! Data of the HTML page of a post: text, ratings, and the previous and next posts.

pub mod unusual_ratings;

use chrono::NaiveDate;

use super::models::{PostHeader, PostId};
use super::slug::post_path;
use crate::blog_posts::post_detail::unusual_ratings::UnusualRatings;
use crate::i18n::{Phrase, PhraseValue};
use crate::image_name::ImageName;
use crate::markdown::Heading;
use crate::phrase;
use crate::score::{DisplayedScore, MIN_DISPLAYED_RATINGS};
use evenkeel_limiters::{CountedShares, SteadyScore, SteadyScoreState};

/// Post with the data of its HTML page. The Markdown source is omitted, because it is as long as all other fields
/// together.
#[derive(Clone, Debug, PartialEq)]
pub struct PostDetail {
    pub head: PostHeader,
    pub content_html: String,
    pub outline: Vec<Heading>,
    pub excerpt: String,
    /// Path or URL of the cover image, for link previews. Uploaded images are also shown above the text.
    pub cover: Option<String>,
    /// Path of the author's avatar image.
    pub avatar: Option<String>,
    pub reading_minutes: i32,
    /// Number of ratings with one to five stars.
    pub stars: [i64; 5],
    /// Post published immediately before this post.
    pub earlier: Option<AdjacentPost>,
    /// Post published immediately after this post.
    pub later: Option<AdjacentPost>,
    /// Warning about unusual activity in the latest ratings.
    pub unusual_ratings: Option<UnusualRatings>,
    /// True if staff unpublished the post and it has not been changed since.
    pub is_unpublished: bool,
    /// Numbers of ratings that count, are held back or do not count in the steady score.
    pub score: ScoreBreakdown,
}

/// Numbers of ratings of a post by their effect on the steady score. The numbers add up to the total number of ratings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreBreakdown {
    /// Sum of the weights of the ratings that count in the steady score, where each rating has a weight from 0 to 1.
    pub counted: f64,
    /// Number of ratings that do not count in the steady score for now, because they differ too much from the previous
    /// score.
    pub held_back: f64,
    /// Number of ratings that do not count in the steady score, because the post received more ratings than usual and
    /// their average was different.
    pub surplus: f64,
    pub excluded: Option<ExcludedRatings>,
}

/// Ratings that staff excluded from the score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedRatings {
    pub ratings: i64,
    /// Latest excluded day.
    pub last: NaiveDate,
    /// Reason that staff gave for excluding the latest day.
    pub reason: String,
    /// True if staff excluded other days for a different reason.
    pub has_other_reasons: bool,
}

impl ScoreBreakdown {
    #[must_use]
    pub fn new(state: &SteadyScoreState, ratings: i64, excluded: Option<ExcludedRatings>) -> Self {
        let rules = SteadyScore::default();
        let (counted, shares) = (rules.score(state).weight, rules.counted_shares(state));
        let open = rules.current_period(state).contribution(CountedShares { provisional: 0.0, held: 0.0 });
        let held_back = (state.held.weight + open.held_back) * (1.0 - shares.held);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let [ratings, out] =
            [ratings, excluded.as_ref().map_or(0, |excluded| excluded.ratings)].map(|count| count as f64);
        Self { counted, held_back, surplus: (ratings - counted - held_back - out).max(0.0), excluded }
    }

    /// True while a new post has too few ratings for its score to be protected from coordinated ratings (brigading).
    #[must_use]
    pub fn is_unprotected(&self) -> bool {
        self.counted > 0.0
            && self.counted < SteadyScore::default().params().first
            && self.surplus + self.held_back < 0.5
    }

    /// Sentences that explain why some ratings do not count.
    fn explanation(&self) -> Vec<Phrase> {
        #[expect(clippy::cast_possible_truncation, reason = "counts are far below 2^53")]
        let rounded = |part: f64| Some(part.round() as i64).filter(|count| *count > 0);
        let mut sentences = Vec::new();
        sentences.extend(rounded(self.surplus).map(|count| phrase!("score-left-out", count = count)));
        sentences.extend(rounded(self.held_back).map(|count| phrase!("score-held-back", count = count)));
        if let Some(excluded) = &self.excluded {
            let phrase = phrase!("score-excluded", ratings = excluded.ratings, last = excluded.last);
            sentences.push(
                phrase
                    .with_argument("why", excluded.reason.as_str())
                    .with_argument("others", excluded.has_other_reasons),
            );
        }
        sentences
    }
}

impl PostDetail {
    /// Name of the cover image if it was uploaded to this site.
    #[must_use]
    pub fn cover_image_name(&self) -> Option<ImageName> {
        self.cover.as_deref().and_then(ImageName::from_path)
    }

    /// Returns the number of stars, the number of ratings and the percentage of ratings, from five stars to one.
    /// Percentages are whole numbers that add up to 100 if the post has ratings.
    #[must_use]
    pub fn star_distribution(&self) -> Vec<(usize, i64, i64)> {
        let shares = percentages(self.stars);
        (0..5).rev().map(|index| (index + 1, self.stars[index], shares[index])).collect()
    }

    /// Sentences that explain the displayed score: why it differs from the average, and whether the score is already
    /// protected from coordinated ratings (brigading).
    #[must_use]
    pub fn score_explanation(&self, shown: DisplayedScore) -> Vec<Phrase> {
        let (score, average) = (self.head.displayed_score(shown), self.head.average_rating);
        if self.head.rating_count < MIN_DISPLAYED_RATINGS || score.is_some_and(|score| (score - average).abs() < 0.05) {
            let is_new = shown == DisplayedScore::Steady && self.score.is_unprotected();
            return (is_new && self.head.rating_count >= MIN_DISPLAYED_RATINGS)
                .then(|| phrase!("score-not-protected"))
                .into_iter()
                .collect();
        }
        let mut sentences = self.score.explanation();
        sentences.push(phrase!("score-average", average = PhraseValue::score(average)));
        sentences
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjacentPost {
    pub id: PostId,
    pub title: String,
    pub own_slug: Option<String>,
}

impl AdjacentPost {
    #[must_use]
    pub fn path(&self) -> String {
        post_path(self.id, &self.title, self.own_slug.as_deref())
    }
}

/// Rounds shares to whole percentages by the largest remainder method, so that the percentages add up to 100.
fn percentages(counts: [i64; 5]) -> [i64; 5] {
    let total: i64 = counts.iter().sum();
    if total == 0 {
        return [0; 5];
    }
    let exact = counts.map(|count| i128::from(count) * 100);
    let mut shares = exact.map(|count| i64::try_from(count / i128::from(total)).unwrap_or(0));
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by_key(|index| std::cmp::Reverse(exact[*index] % i128::from(total)));
    let missing = usize::try_from(100 - shares.iter().sum::<i64>()).unwrap_or(0);
    for index in order.into_iter().take(missing) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_add_up() {
        assert_eq!(percentages([0; 5]), [0; 5]);
        assert_eq!(percentages([1, 1, 1, 0, 0]), [34, 33, 33, 0, 0]);
        assert_eq!(percentages([1, 1, 1, 1, 2]), [17, 17, 17, 16, 33]);
        assert_eq!(percentages([0, 0, 0, 1, 999]).iter().sum::<i64>(), 100);
        assert_eq!(percentages([i64::MAX / 5; 5]), [20; 5]);
    }
}
