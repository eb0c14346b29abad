//! Navigation of the admin area: links to its pages, in groups.

use serde::Serialize;

use super::urls;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::routing::route::Route;

/// Link to a page of the admin area.
#[derive(Debug, Serialize)]
pub struct AdminLink {
    pub path: &'static str,
    #[serde(skip)]
    pub title: Phrase,
}

#[derive(Debug)]
pub struct AdminLinkGroup {
    pub title: Phrase,
    pub links: Vec<AdminLink>,
}

/// Message ID of the title of each group, and its links.
const GROUPS: [(&str, &[(Route, &str)]); 4] = [
    (
        "admin-group-moderation",
        &[
            (urls::REPORT_CASES, "cases-title"),
            (urls::POSTS, "posts-title"),
            (urls::TAGS, "tags-title"),
            (urls::FLAGGED_LINKS, "warnings-title"),
        ],
    ),
    (
        "admin-group-people",
        &[(urls::USERS, "users-title"), (urls::INVITATIONS, "invitations-title"), (urls::SESSIONS, "signed-in-title")],
    ),
    (
        "ratings-heading",
        &[(urls::RATINGS, "ratings-title"), (urls::LIMITER, "admin-limiter"), (urls::ZOMBIE_PAUSES, "pauses-title")],
    ),
    (
        "dashboard-system",
        &[
            (urls::LIMIT_OVERRIDES, "limits-title"),
            (urls::LIMITER_STATES, "states-title"),
            (urls::MAILS, "mails-title"),
            (urls::AUDIT_LOG, "log-title"),
        ],
    ),
];

/// Pages that the user may open, in groups.
#[must_use]
pub fn link_groups(user: &CurrentUser) -> Vec<AdminLinkGroup> {
    let may_open = |route: &Route| route.role.is_none_or(|role| user.has_role(role));
    let groups = GROUPS.iter().map(|(title, links)| {
        let links = links.iter().filter(|(route, _)| may_open(route));
        let links = links.map(|(route, title)| AdminLink { path: route.pattern, title: phrase!(*title) }).collect();
        AdminLinkGroup { title: phrase!(*title), links }
    });
    groups.filter(|group| !group.links.is_empty()).collect()
}

/// Navigation of a page.
#[derive(Debug)]
pub struct AdminNavigation {
    pub groups: Vec<AdminLinkGroup>,
    /// Path of the current page, without the query.
    here: String,
}

impl AdminNavigation {
    #[must_use]
    pub fn new(layout: &Layout) -> Self {
        let groups = layout.user.as_ref().map(link_groups).unwrap_or_default();
        Self { groups, here: layout.here.split('?').next().unwrap_or_default().to_owned() }
    }

    /// The link whose page is the current page, or is above it.
    #[must_use]
    pub fn current(&self) -> Option<&AdminLink> {
        let links = self.groups.iter().flat_map(|group| &group.links);
        links.filter(|link| self.here.starts_with(link.path)).max_by_key(|link| link.path.len())
    }

    #[must_use]
    pub fn is_dashboard(&self) -> bool {
        self.here == urls::ADMIN.pattern
    }

    #[must_use]
    pub fn is_current(&self, link: &AdminLink) -> bool {
        self.current().is_some_and(|current| current.path == link.path)
    }

    /// The link to the page above the current page, if it is not the dashboard.
    #[must_use]
    pub fn parent(&self) -> Option<&AdminLink> {
        self.current().filter(|link| link.path != self.here)
    }
}
