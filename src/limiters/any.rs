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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limiters::{EmaParams, LeakyBucketParams, RateClassParams, SurgeParams};

    /// A limiter as itself and as any: the same answers and the same states, all the way.
    fn compare<L: Limiter<State: PartialEq + std::fmt::Debug>>(
        own: &L,
        any: AnyLimiter,
        wrap: fn(L::State) -> AnyState,
    ) {
        let (mut mine, mut same) = (L::State::default(), AnyState::default());
        assert_eq!(own.name(), any.name());
        for step in 0..200 {
            let event = Event::at(step * step * 40).with_value(3);
            assert_eq!(own.peek(&mine, event), any.peek(&same, event));
            assert_eq!(own.check(&mut mine, event), any.check(&mut same, event));
            if step % 10 == 0 {
                assert_eq!(own.refund(&mut mine, event), any.refund(&mut same, event));
            }
            assert_eq!(same, wrap(mine.clone()));
            assert_eq!(own.forgettable_at_ms(&mine), any.forgettable_at_ms(&same));
            let stored = serde_json::to_value(same).unwrap();
            assert_eq!(stored, serde_json::to_value(&mine).unwrap());
            assert_eq!(any.restore(stored).unwrap(), same);
        }
        assert!(any.check(&mut same, Event::at(0).costing(1_000)).is_err());
    }

    #[test]
    fn any_limiter_is_the_one_it_holds() {
        let bucket = LeakyBucket::new(LeakyBucketParams::default()).unwrap();
        let ema = Ema::new(EmaParams::default()).unwrap();
        let class = RateClass::new(RateClassParams::default()).unwrap();
        let surge = Surge::new(SurgeParams::default()).unwrap();
        compare(&bucket, AnyLimiter::LeakyBucket(bucket), AnyState::LeakyBucket);
        compare(&ema, AnyLimiter::Ema(ema), AnyState::Ema);
        compare(&class, AnyLimiter::RateClass(class), AnyState::RateClass);
        compare(&surge, AnyLimiter::Surge(surge), AnyState::Surge);
        // What another has learned is nothing to this one.
        let mut state = AnyState::Ema(EmaState { n: 9, ..Default::default() });
        assert_eq!(AnyLimiter::LeakyBucket(bucket).peek(&state, Event::at(0)).unwrap().remaining, Some(20));
        AnyLimiter::LeakyBucket(bucket).check(&mut state, Event::at(0)).unwrap();
        assert!(matches!(state, AnyState::LeakyBucket(_)));
    }
}
