//! Lists of the admin area, each in its own file.

mod flagged_links;
mod invitations;
mod limiter_states;
mod mails;
mod posts;
mod ratings;
mod sessions;
mod tags;
mod tokens;
mod zombie_pauses;

pub use self::flagged_links::FlaggedLinkList;
pub use self::invitations::InvitationList;
pub use self::limiter_states::LimiterStateList;
pub use self::mails::PendingMailList;
pub use self::posts::{PostList, PostRow};
pub use self::ratings::{RatingList, RatingRow};
pub use self::sessions::{SessionList, SessionRow};
pub use self::tags::TagList;
pub use self::tokens::{TokenList, TokenRow};
pub use self::zombie_pauses::{ZombiePauseList, show as show_zombie_pauses};
