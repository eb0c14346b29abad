//! Data of the HTML page of a post: text, ratings, and the previous and next posts.

pub mod page;
pub mod unusual_ratings;

use chrono::NaiveDate;
use evenkeel_markdown::Heading;
use evenkeel_markdown::image_name::ImageName;

use super::models::{PostHeader, PostId};
use super::slug::post_path;
use crate::blog_posts::post_detail::unusual_ratings::UnusualRatings;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::score::contributions::{OwnRatingContribution, counted_ratings, explain_uncounted};
use crate::score::{DisplayedScore, MANY_RATINGS};
use evenkeel_limiters::{ScoreContribution, SteadyScore};

/// The Markdown source is omitted, because it is as long as all other fields together.
#[derive(Clone, Debug, PartialEq)]
pub struct PostDetail {
    pub head: PostHeader,
    pub content_html: String,
    pub outline: Vec<Heading>,
    pub excerpt: String,
    /// Path or URL of the cover image, for link previews. Uploaded images are also shown above the text.
    pub cover: Option<String>,
    pub avatar: Option<String>,
    pub reading_minutes: i32,
    pub stars: [i64; 5],
    pub earlier: Option<AdjacentPost>,
    pub later: Option<AdjacentPost>,
    pub unusual_ratings: Option<UnusualRatings>,
    /// True if staff unpublished the post and it has not been changed since.
    pub is_unpublished: bool,
    pub contribution: ScoreContribution,
    pub latest_exclusion: Option<LatestExclusion>,
    pub own_rating: Option<OwnRatingContribution>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestExclusion {
    pub last: NaiveDate,
    pub reason: String,
}

/// Protection of a post's score from coordinated ratings (brigading): one line, and sentences with the details.
#[derive(Debug)]
pub struct ScoreStatus {
    pub line: Phrase,
    pub details: Vec<Phrase>,
    /// True if the post has enough ratings for a score that a brigade cannot move.
    pub is_protected: bool,
}

impl PostDetail {
    pub fn cover_image_name(&self) -> Option<ImageName> {
        self.cover.as_deref().and_then(ImageName::from_path)
    }

    /// Returns the number of stars, the number of ratings and the percentage of ratings, from five stars to one.
    pub fn star_distribution(&self) -> Vec<(usize, i64, i64)> {
        let shares = percentages(self.stars);
        (0..5).rev().map(|index| (index + 1, self.stars[index], shares[index])).collect()
    }

    /// `None` if pages show the average, or if the post has too few ratings for a score.
    pub fn score_status(&self, shown: DisplayedScore) -> Option<ScoreStatus> {
        let ratings = self.head.rating_count;
        if shown == DisplayedScore::Average || ratings < MANY_RATINGS {
            return None;
        }
        let mut details = explain_uncounted(&self.contribution);
        let first = SteadyScore::default().params().first;
        let enough = || PhraseValue::Number(first, 0);
        let is_protected =
            self.contribution.weight + self.contribution.uncounted() - self.contribution.excluded >= first;
        let line = if !details.is_empty() {
            let counted = counted_ratings(&self.contribution);
            phrase!(
                "score-status-counted",
                protected = is_protected,
                enough = enough(),
                counted = counted,
                count = ratings,
            )
        } else if is_protected {
            phrase!("score-status-protected")
        } else {
            phrase!("score-status-new", enough = enough())
        };
        if details.is_empty() && is_protected {
            details.push(phrase!("score-all-count", count = ratings));
        }
        details.extend(
            self.latest_exclusion
                .as_ref()
                .map(|excluded| phrase!("score-excluded-reason", last = excluded.last, why = excluded.reason.as_str())),
        );
        details.extend((!is_protected).then(|| phrase!("score-not-protected", enough = enough())));
        if self.contribution.uncounted() >= 0.5 {
            details.push(phrase!("score-average", average = PhraseValue::score(self.head.average_rating)));
        }
        Some(ScoreStatus { line, details, is_protected })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjacentPost {
    pub id: PostId,
    pub title: String,
    pub own_slug: Option<String>,
}

impl AdjacentPost {
    pub fn path(&self) -> String {
        post_path(self.id, &self.title, self.own_slug.as_deref())
    }
}

/// Shares in whole percent. Shares with the largest remainders are rounded up, so that the sum is 100.
fn percentages(counts: [i64; 5]) -> [i64; 5] {
    let total = counts.iter().map(|count| i128::from(*count)).sum::<i128>();
    if total == 0 {
        return [0; 5];
    }
    let hundredths = counts.map(|count| i128::from(count) * 100);
    let mut shares = hundredths.map(|part| i64::try_from(part / total).unwrap_or_default());
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by_key(|index: &usize| std::cmp::Reverse(hundredths[*index] % total));
    let missing = 100 - shares.iter().sum::<i64>();
    for index in order.into_iter().take(usize::try_from(missing).unwrap_or_default()) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_100_percent() {
        assert_eq!(percentages([0; 5]), [0; 5]);
        assert_eq!(percentages([2, 2, 2, 8, 2]), [13, 13, 12, 50, 12]);
        assert_eq!(percentages([1, 1, 1, 0, 0]), [34, 33, 33, 0, 0]);
        assert_eq!(percentages([i64::MAX / 5; 5]), [20; 5]);
    }
}
