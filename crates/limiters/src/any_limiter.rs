//! Macro that defines enums over all limiters of requests, so that an application can choose a limiter at run time.

use super::limiter::InvalidParameter;

/// Invalid parameters of a limiter that is created by name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamsError<E> {
    /// The parameters cannot be deserialized: a field is unknown or has the wrong type.
    #[error(transparent)]
    Deserialize(E),
    /// A parameter is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] InvalidParameter),
}

/// Defines `AnyLimiter`, `AnyState` and `AnyParams` for a list of limiters.
macro_rules! any_limiter {
    ($($kind:ident)+) => {
        /// A limiter of requests that is chosen at run time by its name.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum AnyLimiter {
            $(#[doc = concat!("A [`", stringify!($kind), "`].")] $kind($kind),)+
        }

        /// State of an [`AnyLimiter`]. A saved state does not contain the name of the limiter, so it must be restored by
        /// a limiter with the same name.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub enum AnyState {
            /// State of a key without events.
            #[default]
            Fresh,
            $(#[doc = concat!("State of a [`", stringify!($kind), "`].")] $kind(<$kind as Limiter>::State),)+
        }

        /// Parameters of an [`AnyLimiter`], serialized without the name of the limiter.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum AnyParams {
            $(#[doc = concat!("Parameters of a [`", stringify!($kind), "`].")] $kind(<$kind as NamedLimiter>::Params),)+
        }

        impl AnyLimiter {
            /// Names of all limiters.
            pub const NAMES: &[&str] = &[$($kind::NAME),+];

            /// Creates the limiter with this name from its parameters. Returns `None` if no limiter has this name.
            ///
            /// # Errors
            /// Returns an error if the parameters cannot be deserialized or one of them is out of its range.
            pub fn by_name<'de, D: Deserializer<'de>>(
                name: &str,
                params: D,
            ) -> Option<Result<Self, ParamsError<D::Error>>> {
                match name {
                    $($kind::NAME => Some(
                        serde::Deserialize::deserialize(params)
                            .map_err(ParamsError::Deserialize)
                            .and_then(|params| Ok(Self::$kind($kind::with_params(params)?))),
                    ),)+
                    _ => None,
                }
            }

            /// Parameters of the limiter.
            #[must_use]
            pub fn params(&self) -> AnyParams {
                match self {
                    $(Self::$kind(limiter) => AnyParams::$kind(*limiter.params()),)+
                }
            }
        }

        /// A state of a different limiter is treated as a fresh state, because its statistics have another form.
        impl Limiter for AnyLimiter {
            type State = AnyState;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(limiter) => limiter.name(),)+
                }
            }

            fn evaluate(&self, state: &AnyState, event: Event) -> Result<Evaluation<AnyState>, InvalidCost> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        let Evaluation { decision, admitted, refused } = limiter.evaluate(&own, event)?;
                        Ok(Evaluation {
                            decision,
                            admitted: AnyState::$kind(admitted),
                            refused: AnyState::$kind(refused),
                        })
                    })+
                }
            }

            fn evaluate_retry(&self, state: &AnyState, event: Event) -> Result<Evaluation<AnyState>, InvalidCost> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        let Evaluation { decision, admitted, refused } = limiter.evaluate_retry(&own, event)?;
                        Ok(Evaluation {
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

            fn expires_at(&self, state: &AnyState) -> Option<Timestamp> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        limiter.expires_at(&own)
                    })+
                }
            }

            fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
                match self {
                    $(Self::$kind(limiter) => limiter.require_bounded_wait(),)+
                }
            }

            fn save<S: Serializer>(&self, state: &AnyState, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$kind(limiter) => {
                        let own = if let AnyState::$kind(own) = state { *own } else { Default::default() };
                        limiter.save(&own, serializer)
                    })+
                }
            }

            fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<AnyState, D::Error> {
                match self {
                    $(Self::$kind(limiter) => limiter.restore(saved).map(AnyState::$kind),)+
                }
            }
        }
    };
}

pub(super) use any_limiter;
