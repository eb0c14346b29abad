//! One type for all limiters whose events are requests, for those who choose among them at run time.

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Decision, Ema, EmaState, Event, InvalidCost, Judgement, LeakyBucket, LeakyBucketState, Limiter, RateClass,
    RateClassState, Surge, SurgeState,
};

/// Any limiter whose events are requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyLimiter {
    LeakyBucket(LeakyBucket),
    Ema(Ema),
    RateClass(RateClass),
    Surge(Surge),
}

/// The state of any of them. Serialised it is that state alone: [`Limiter::restore`] knows whose it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnyState {
    /// Of a key never seen before, by any limiter.
    #[default]
    Fresh,
    LeakyBucket(LeakyBucketState),
    Ema(EmaState),
    RateClass(RateClassState),
    Surge(SurgeState),
}

/// Evaluates `$body` for the limiter that `$any` is, with its own part of `$state` and the way back to an [`AnyState`].
/// What another limiter has learned says nothing to this one, so it counts as fresh.
macro_rules! for_each_kind {
    ($any:expr, $state:expr, |$limiter:ident, $own:ident, $wrap:ident| $body:expr) => {
        for_each_kind!(@ $any, $state, $limiter, $own, $wrap, $body, LeakyBucket Ema RateClass Surge)
    };
    (@ $any:expr, $state:expr, $limiter:ident, $own:ident, $wrap:ident, $body:expr, $($kind:ident)+) => {
        match $any {
            $(AnyLimiter::$kind($limiter) => {
                let $own = match $state { AnyState::$kind(own) => *own, _ => Default::default() };
                let $wrap = AnyState::$kind;
                $body
            })+
        }
    };
}

impl Limiter for AnyLimiter {
    type State = AnyState;

    fn name(&self) -> &'static str {
        match self {
            Self::LeakyBucket(limiter) => limiter.name(),
            Self::Ema(limiter) => limiter.name(),
            Self::RateClass(limiter) => limiter.name(),
            Self::Surge(limiter) => limiter.name(),
        }
    }

    fn judge(&self, state: &AnyState, event: Event) -> Result<Judgement<AnyState>, InvalidCost> {
        for_each_kind!(self, state, |limiter, own, wrap| {
            let Judgement { decision, admitted, refused } = limiter.judge(&own, event)?;
            Ok(Judgement { decision, admitted: wrap(admitted), refused: wrap(refused) })
        })
    }

    fn peek(&self, state: &AnyState, event: Event) -> Result<Decision, InvalidCost> {
        for_each_kind!(self, state, |limiter, own, _wrap| limiter.peek(&own, event))
    }

    fn refund(&self, state: &mut AnyState, event: Event) -> bool {
        for_each_kind!(self, &*state, |limiter, own, wrap| {
            let mut own = own;
            let refunded = limiter.refund(&mut own, event);
            *state = wrap(own);
            refunded
        })
    }

    fn forgettable_at_ms(&self, state: &AnyState) -> Option<i64> {
        for_each_kind!(self, state, |limiter, own, _wrap| limiter.forgettable_at_ms(&own))
    }

    fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<AnyState, D::Error> {
        Ok(match self {
            Self::LeakyBucket(_) => AnyState::LeakyBucket(Deserialize::deserialize(stored)?),
            Self::Ema(_) => AnyState::Ema(Deserialize::deserialize(stored)?),
            Self::RateClass(_) => AnyState::RateClass(Deserialize::deserialize(stored)?),
            Self::Surge(_) => AnyState::Surge(Deserialize::deserialize(stored)?),
        })
    }
}
