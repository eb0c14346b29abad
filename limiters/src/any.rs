//! One type for all limiters whose events are requests, for those who choose among them at run time.

use super::limiter::InvalidParameter;

/// Why a limiter cannot be made from the parameters that were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParams<E> {
    /// They are not the parameters of this limiter.
    #[error(transparent)]
    Unreadable(E),
    /// A parameter is outside of its range.
    #[error(transparent)]
    OutOfRange(#[from] InvalidParameter),
}

/// Makes `AnyLimiter` and `AnyState` of a list of limiters.
macro_rules! any_limiter {
    ($($kind:ident)+) => {
        /// Any limiter whose events are requests.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum AnyLimiter {
            $(#[doc = concat!("A [`", stringify!($kind), "`].")] $kind($kind),)+
        }

        /// The state of any of them. It is serialised as that state alone; [`Limiter::restore`] knows which limiter it
        /// belongs to.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum AnyState {
            /// The state of a key that no limiter has seen.
            #[default]
            Fresh,
            $(#[doc = concat!("What a [`", stringify!($kind), "`] remembers.")] $kind(<$kind as Limiter>::State),)+
        }

        /// The parameters of any of them. They are serialised as those alone.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum AnyParams {
            $(#[doc = concat!("Those of a [`", stringify!($kind), "`].")] $kind(<$kind as Named>::Params),)+
        }

        impl AnyLimiter {
            /// The names of all limiters.
            pub const NAMES: &[&str] = &[$($kind::NAME),+];

            /// Makes the limiter of this name from its parameters; `None` when no limiter has this name.
            ///
            /// # Errors
            /// When `params` are not those of this limiter, or one is out of its range.
            pub fn named<'de, D: Deserializer<'de>>(
                name: &str,
                params: D,
            ) -> Option<Result<Self, InvalidParams<D::Error>>> {
                match name {
                    $($kind::NAME => Some(
                        serde::Deserialize::deserialize(params)
                            .map_err(InvalidParams::Unreadable)
                            .and_then(|params| Ok(Self::$kind($kind::with_params(params)?))),
                    ),)+
                    _ => None,
                }
            }

            /// What it was made from.
            #[must_use]
            pub fn params(&self) -> AnyParams {
                match self {
                    $(Self::$kind(limiter) => AnyParams::$kind(*limiter.params()),)+
                }
            }
        }

        /// The state of another limiter counts as fresh: what that limiter has learned means nothing to this one.
        impl Limiter for AnyLimiter {
            type State = AnyState;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(limiter) => limiter.name(),)+
                }
            }

            fn judge(&self, state: &AnyState, event: Event) -> Result<Judgement<AnyState>, InvalidCost> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        let Judgement { decision, admitted, refused } = limiter.judge(&own, event)?;
                        Ok(Judgement {
                            decision,
                            admitted: AnyState::$kind(admitted),
                            refused: AnyState::$kind(refused),
                        })
                    })+
                }
            }

            fn judge_retry(&self, state: &AnyState, event: Event) -> Result<Judgement<AnyState>, InvalidCost> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        let Judgement { decision, admitted, refused } = limiter.judge_retry(&own, event)?;
                        Ok(Judgement {
                            decision,
                            admitted: AnyState::$kind(admitted),
                            refused: AnyState::$kind(refused),
                        })
                    })+
                }
            }

            fn peek(&self, state: &AnyState, event: Event) -> Result<Decision, InvalidCost> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        limiter.peek(&own, event)
                    })+
                }
            }

            fn refund(&self, state: &mut AnyState, event: Event) -> bool {
                match self {
                    $(Self::$kind(limiter) => {
                        let mut own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        let refunded = limiter.refund(&mut own, event);
                        *state = AnyState::$kind(own);
                        refunded
                    })+
                }
            }

            fn forgettable_at_ms(&self, state: &AnyState) -> Option<i64> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        limiter.forgettable_at_ms(&own)
                    })+
                }
            }

            fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
                match self {
                    $(Self::$kind(limiter) => limiter.require_bounded_wait(),)+
                }
            }

            fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<AnyState, D::Error> {
                match self {
                    $(Self::$kind(limiter) => limiter.restore(stored).map(AnyState::$kind),)+
                }
            }
        }
    };
}

pub(super) use any_limiter;
