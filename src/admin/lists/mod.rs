//! Admin lists: posts, ratings, tags, sessions, invitations, users paused from rating, limiter states, pending mails
//! and flagged URLs.

mod flagged_links;
mod invitations;
mod limiter_states;
mod mails;
mod posts;
mod ratings;
mod sessions;
mod tags;
mod zombie_pauses;

pub use self::flagged_links::FlaggedLinks;
pub use self::invitations::Invitations;
pub use self::limiter_states::LimiterStates;
pub use self::mails::Mails;
pub use self::posts::Posts;
pub use self::ratings::Ratings;
pub use self::sessions::Sessions;
pub use self::tags::Tags;
pub use self::zombie_pauses::RatingPauses;
