//! Navigation of the admin area: links to its pages, in groups.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use actix_web::web;
use schemars::JsonSchema;
use serde::Serialize;

use super::dashboard::overview::{PendingCounts, count_pending_items};
use super::urls;
use crate::i18n::Phrase;
use crate::phrase;
use crate::state::AppState;
use crate::web::request::context::RequestContext;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::response::layout::Layout;
use crate::web::routing::route::Route;

/// Link to a page of the admin area.
#[derive(Debug, JsonSchema, Serialize)]
pub struct AdminLink {
    pub path: &'static str,
    #[serde(skip)]
    pub title: Phrase,
    /// Number of open items on the page.
    #[serde(skip)]
    pub open: i64,
}

impl AdminLink {
    pub fn href(&self) -> &'static str {
        if self.open > 0 { open_items_path(self.path) } else { self.path }
    }
}

/// Path of the open items of an admin page. The list of posts shows submitted posts only with a filter.
pub fn open_items_path(page: &'static str) -> &'static str {
    if page == urls::POSTS.pattern { "/admin/posts/?status=submitted" } else { page }
}

#[derive(Debug)]
pub struct AdminLinkGroup {
    pub title: Phrase,
    pub links: Vec<AdminLink>,
}

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
        &[
            (urls::USERS, "users-title"),
            (urls::INVITATIONS, "invitations-title"),
            (urls::SESSIONS, "signed-in-title"),
            (urls::TOKENS, "api-tokens-title"),
        ],
    ),
    (
        "ratings-heading",
        &[(urls::RATINGS, "ratings-title"), (urls::LIMITER, "admin-limiter"), (urls::ZOMBIE_PAUSES, "pauses-title")],
    ),
    (
        "dashboard-system",
        &[
            (urls::SITE_SETTINGS, "settings-title"),
            (urls::CUSTOM_LIMITS, "limits-title"),
            (urls::LIMITER_STATES, "states-title"),
            (urls::MAILS, "mails-title"),
            (urls::WEBHOOKS, "webhooks-title"),
            (urls::AUDIT_LOG, "log-title"),
        ],
    ),
];

pub fn link_groups(user: &CurrentUser, open: &[(&str, i64)]) -> Vec<AdminLinkGroup> {
    let may_open = |route: &Route| route.role.is_none_or(|role| user.has_role(role));
    let groups = GROUPS.iter().map(|(title, links)| {
        let links = links.iter().filter(|(route, _)| may_open(route));
        let link = |(route, title): &(Route, &'static str)| AdminLink {
            path: route.pattern,
            title: phrase!(*title),
            open: open.iter().find(|(path, _)| *path == route.pattern).map_or(0, |(_, count)| *count),
        };
        AdminLinkGroup { title: phrase!(*title), links: links.map(link).collect() }
    });
    groups.filter(|group| !group.links.is_empty()).collect()
}

#[derive(Debug)]
pub struct AdminNavigation {
    pub groups: Vec<AdminLinkGroup>,
    /// Path of the current page.
    here: String,
}

impl AdminNavigation {
    pub fn new(layout: &Layout) -> Self {
        let groups = layout.user.as_ref().map(|user| link_groups(user, &layout.link_counts)).unwrap_or_default();
        Self { groups, here: layout.path.clone() }
    }

    /// Menu link whose path is the longest prefix of the current path.
    pub fn current(&self) -> Option<&AdminLink> {
        let links = self.groups.iter().flat_map(|group| &group.links);
        links.filter(|link| self.here.starts_with(link.path)).max_by_key(|link| link.path.len())
    }

    pub fn is_dashboard(&self) -> bool {
        self.here == urls::ADMIN.pattern
    }

    pub fn is_current(&self, link: &AdminLink) -> bool {
        self.current().is_some_and(|current| current.path == link.path)
    }

    /// Menu link to the parent of the current page; `None` if the parent is the dashboard.
    pub fn parent(&self) -> Option<&AdminLink> {
        self.current().filter(|link| link.path != self.here)
    }
}

/// Numbers of open items, by the path of the page that lists them.
pub fn open_items(counts: PendingCounts) -> Vec<(&'static str, i64)> {
    let PendingCounts { reports, posts, mails, links, pauses, webhooks } = counts;
    [
        (urls::REPORT_CASES, reports),
        (urls::POSTS, posts),
        (urls::MAILS, mails),
        (urls::FLAGGED_LINKS, links),
        (urls::ZOMBIE_PAUSES, pauses),
        (urls::WEBHOOKS, webhooks),
    ]
    .map(|(route, count)| (route.pattern, count))
    .into()
}

/// Middleware that counts open items for the menu, except on the dashboard, whose view reads the counts.
pub async fn count_open_items(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let path = request.path();
    let is_page =
        *request.method() == Method::GET && path.starts_with(urls::ADMIN.pattern) && path != urls::ADMIN.pattern;
    let is_staff = || CurrentUser::for_request(request.request()).is_some_and(|user| user.is_staff());
    if is_page
        && ResponseFormat::for_request(request.request()) == ResponseFormat::Html
        && is_staff()
        && let Some(state) = request.app_data::<web::Data<AppState>>().cloned()
        // The query is boxed, so that the middleware future, which every request allocates, stays small.
        && let Ok(counts) = Box::pin(async move { count_pending_items(&mut *state.pool.acquire().await?).await }).await
    {
        RequestContext::update(&request, |context| context.link_counts = open_items(counts));
    }
    next.call(request).await
}
