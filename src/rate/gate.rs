//! The limiters that ratings have to pass: each post's gate, and a bucket for each reader's changes of one rating.

use super::models::Pair;
use super::submission::{Act, Item};
use crate::blog_posts::PostId;
use crate::database::clock::MAX_BACKWARD_MS;
use crate::database::limiter_states::KeyedLimit;
use crate::limiters::together::Limit;
use crate::limiters::{AnyLimiter, InvalidParameter, LeakyBucket, LeakyBucketParams, Limiter};

/// What the limits are called in verdicts.
pub const EDIT: &str = "edit";
const POST: &str = "post";

/// What becomes of a rating that a post's gate does not admit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It is refused.
    #[default]
    Refuse,
    /// It waits in a line, and is counted when the gate admits it.
    Hold,
}

/// The limiters of ratings. `None` means that one is switched off.
#[derive(Clone, Debug)]
pub struct Gates {
    post: Option<AnyLimiter>,
    /// Whether changes have to pass the post's gate too.
    post_on_edit: bool,
    edit: Option<AnyLimiter>,
    overflow: Overflow,
}

impl Gates {
    /// With `edit`, a reader may change one rating three times, and then once in ten minutes.
    ///
    /// # Errors
    /// Never in practice: the parameters are constants.
    pub fn new(post: Option<AnyLimiter>, post_on_edit: bool, edit: bool) -> Result<Self, InvalidParameter> {
        let leak_period_ms = 10 * 60_000;
        let params =
            LeakyBucketParams { capacity: 3, leak_amount: 1, leak_period_ms, max_backward_ms: MAX_BACKWARD_MS };
        let edit = if edit { Some(AnyLimiter::LeakyBucket(LeakyBucket::new(params)?)) } else { None };
        Ok(Self { post, post_on_edit, edit, overflow: Overflow::default() })
    }

    /// With this in place of refusals by the posts' gates.
    #[must_use]
    pub fn with_overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// Whether ratings wait that a post's gate does not admit.
    #[must_use]
    pub fn hold(&self) -> bool {
        self.overflow == Overflow::Hold
    }

    /// Whether such an act has to pass the post's gate.
    #[must_use]
    pub fn guards(&self, act: Act) -> bool {
        self.post.is_some() && (act == Act::Create || self.post_on_edit)
    }

    /// The limit of a reader's changes; none where that is switched off.
    #[must_use]
    pub fn of_change(&self, pair: Pair) -> Option<KeyedLimit<'_, AnyLimiter>> {
        self.edit.as_ref().map(|limiter| limit(edit_key(pair), EDIT, limiter))
    }

    /// The limit that a rating has to pass that waits for this post; none where posts have no gate.
    #[must_use]
    pub fn of_waiting(&self, post: PostId) -> Option<KeyedLimit<'_, AnyLimiter>> {
        self.post.as_ref().map(|limiter| limit(post_key(post), POST, limiter))
    }

    /// Milliseconds between two ratings that a post's gate admits, where it has a pace of its own.
    #[must_use]
    pub fn pace_ms(&self) -> Option<i64> {
        let Some(AnyLimiter::LeakyBucket(bucket)) = &self.post else { return None };
        let params = bucket.params();
        Some((params.leak_period_ms / params.leak_amount.max(1)).max(1))
    }

    /// The limits that a rating has to pass. It is refused unless all of them allow it.
    #[must_use]
    pub fn of(&self, item: &Item) -> Vec<KeyedLimit<'_, AnyLimiter>> {
        let change = item.act == Act::Change;
        let post = self.post.as_ref().filter(|_| self.guards(item.act));
        let edit = self.of_change(item.pair).filter(|_| change);
        let post = post.map(|limiter| limit(post_key(item.pair.post), POST, limiter));
        edit.into_iter().chain(post).collect()
    }

    /// The name of the limiter of posts, under which a post's row keeps its state.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.post.as_ref().map(Limiter::name)
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
