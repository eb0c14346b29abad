//! The limiters that ratings have to pass: each post's gate, and a bucket for each reader's changes of one rating.

use std::collections::HashMap;

use crate::blog_posts::PostId;
use crate::db::clock::MAX_BACKWARD_MS;
use crate::db::limiter_states::KeyedLimit;
use crate::rate::models::Pair;
use crate::rate::writer::submission::{Operation, RatingRequest};
use evenkeel_limiters::together::Limit;
use evenkeel_limiters::{AnyLimiter, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter};

/// What the limits are called in verdicts.
pub const EDIT: &str = "edit";
const POST: &str = "post";

/// What stands before every new rating of a post.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatingLimiter {
    /// None: it is switched off.
    pub limiter: Option<AnyLimiter>,
}

impl RatingLimiter {
    /// What limiters are called where there is none.
    pub const OFF: &str = "off";

    /// The name of its limiter.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.limiter.as_ref().map_or(Self::OFF, Limiter::name)
    }
}

/// A limiter configuration and the choice of an administrator that put it in force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChosenLimiter {
    pub gate: RatingLimiter,
    /// Row id in `gate_choices`; `None` for the configuration of the settings. Limiter states belong to one choice, so
    /// that choosing a limiter starts it with fresh states.
    pub choice: Option<i64>,
}

/// The gates of posts, as they are at one moment, and the bucket of changes.
#[derive(Clone, Debug)]
pub struct RatingLimiters {
    site: ChosenLimiter,
    /// Overrides for single posts.
    own: HashMap<PostId, ChosenLimiter>,
    /// Whether changes have to pass the post's gate too.
    post_on_edit: bool,
    /// None where it is switched off.
    edit: Option<AnyLimiter>,
}

impl RatingLimiters {
    /// `site` for all posts. With `edit`, a reader may change one rating three times, and then once in ten minutes.
    pub fn new(site: RatingLimiter, post_on_edit: bool, edit: bool) -> Result<Self, InvalidParameter> {
        let leak_period_ms = 10 * 60_000;
        let params =
            LeakyBucketParams { capacity: 3, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_MS };
        let edit = if edit { Some(AnyLimiter::LeakyBucket(LeakyBucket::new(params)?)) } else { None };
        Ok(Self { site: ChosenLimiter { gate: site, choice: None }, own: HashMap::new(), post_on_edit, edit })
    }

    /// The same settings with other choices for the site and for single posts.
    #[must_use]
    pub fn with(&self, site: ChosenLimiter, own: HashMap<PostId, ChosenLimiter>) -> Self {
        Self { site, own, ..self.clone() }
    }

    /// The gate of posts that have none of their own.
    #[must_use]
    pub fn of_site(&self) -> &RatingLimiter {
        &self.site.gate
    }

    /// The gate of a post.
    #[must_use]
    pub fn of_post(&self, post: PostId) -> &RatingLimiter {
        &self.own.get(&post).unwrap_or(&self.site).gate
    }

    /// The choice that the limiter states of a post belong to.
    #[must_use]
    pub fn choice_of(&self, post: PostId) -> Option<i64> {
        self.own.get(&post).unwrap_or(&self.site).choice
    }

    /// Whether such an act has to pass the post's gate.
    #[must_use]
    pub fn guards(&self, post: PostId, operation: Operation) -> bool {
        self.of_post(post).limiter.is_some() && (operation == Operation::Create || self.post_on_edit)
    }

    /// The limit of a reader's changes; none where that is switched off.
    #[must_use]
    pub fn of_change(&self, pair: Pair) -> Option<KeyedLimit<'_, AnyLimiter>> {
        self.edit.as_ref().map(|limiter| limit(edit_key(pair), EDIT, limiter))
    }

    /// Limit of a post's ratings; `None` if its limiter is off.
    #[must_use]
    pub fn post_limit(&self, post: PostId) -> Option<KeyedLimit<'_, AnyLimiter>> {
        self.of_post(post).limiter.as_ref().map(|limiter| limit(post_key(post), POST, limiter))
    }

    /// The limits that a rating has to pass. It is refused unless all of them allow it.
    #[must_use]
    pub fn of(&self, request: &RatingRequest) -> Vec<KeyedLimit<'_, AnyLimiter>> {
        let (post, change) = (request.pair.post, request.operation == Operation::Change);
        let edit = self.of_change(request.pair).filter(|_| change);
        edit.into_iter().chain(self.post_limit(post).filter(|_| self.guards(post, request.operation))).collect()
    }
}

/// The key of a post's limiter.
pub fn post_key(post: PostId) -> String {
    format!("post:{post}")
}

fn edit_key(Pair { user, post }: Pair) -> String {
    format!("edit:{user}:{post}")
}

fn limit<'a>(key: String, name: &'static str, limiter: &'a AnyLimiter) -> KeyedLimit<'a, AnyLimiter> {
    KeyedLimit { key, limit: Limit { name, limiter } }
}
