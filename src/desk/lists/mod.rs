//! What is there, each kind as a list: posts, ratings, tags, sessions, paused pairs, states of limiters, mails that wait,
//! and posts with suspected links.

mod invitations;
mod mails;
mod pauses;
mod posts;
mod ratings;
mod sessions;
mod states;
mod tags;
mod warnings;

pub use self::invitations::Invitations;
pub use self::mails::Mails;
pub use self::pauses::Pauses;
pub use self::posts::Posts;
pub use self::ratings::Ratings;
pub use self::sessions::Sessions;
pub use self::states::States;
pub use self::tags::Tags;
pub use self::warnings::Warnings;
