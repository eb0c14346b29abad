//! Page of one user for staff: account, latest posts, ratings, sessions and audit log entries, and actions.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::list::{UserRow, find_users};
use crate::access::Role;
use crate::admin::admin_list::{AdminList, AdminTable, DisplayPart, RowDisplay, first_rows};
use crate::admin::audit_log::AuditLogList;
use crate::admin::bulk_actions::registry::{ActionChoice, choices_for};
use crate::admin::lists::{PostList, PostRow, RatingList, RatingRow, SessionList, SessionRow, TokenList, TokenRow};
use crate::admin::urls;
use crate::audit_log::Entry;
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::text::query_string;
use crate::users::Username;
use crate::users::models::find_by_username;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;

const ROWS: usize = 10;

#[derive(Debug, JsonSchema, Serialize)]
pub struct UserDetails {
    #[serde(flatten)]
    user: UserRow,
    latest_posts: Vec<PostRow>,
    latest_ratings: Vec<RatingRow>,
    /// Current sessions; `None` if the viewer is not an admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<SessionRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Vec<TokenRow>>,
    /// Latest audit log entries about the user; `None` if the viewer is not an admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Vec<Entry>>,
}

/// Table of the latest rows, with the path of the complete list.
#[derive(Debug)]
struct Section {
    /// HTML id, and message id of the heading.
    name: &'static str,
    table: AdminTable,
    all: String,
}

impl Section {
    fn new<L: AdminList>(
        name: &'static str,
        list: &L,
        rows: &[L::Row],
        filter: &str,
        value: &str,
        now: DateTime<Utc>,
    ) -> Self {
        // Omits the user column, which is equal in all rows, and row keys: only complete lists offer bulk actions.
        let own = L::COLUMNS.iter().position(|column| ["label-user", "label-author"].contains(&column.title));
        let entry = |row: &L::Row| {
            let mut row = RowDisplay { key: None, ..list.entry(row, now) };
            own.map(|own| row.cells.remove(own));
            row
        };
        let mut columns = L::COLUMNS.to_vec();
        own.map(|own| columns.remove(own));
        let all = format!("{}{}", L::ROUTE.pattern, query_string(&[(filter, Some(value))]));
        Self { name, table: AdminTable::unsorted(&columns, rows.iter().map(entry).collect()), all }
    }
}

#[derive(Template)]
#[template(path = "admin/user.html")]
pub struct UserPage {
    layout: Layout,
    data: UserDetails,
    sections: Vec<Section>,
    status: Vec<DisplayPart>,
    actions: Vec<ActionChoice>,
}

page!(UserPage, data: UserDetails);

impl UserPage {
    fn role(&self) -> Option<Role> {
        self.data.user.role.as_deref().and_then(Role::from_name)
    }
}

pub async fn show(
    viewer: CurrentUser,
    layout: Layout,
    name: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<PageResponse<UserPage>, AppError> {
    let username = Username::parse_lenient(&name).map_err(|_| AppError::NotFound)?;
    let account = find_by_username(&state.pool, &username).await?;
    let role = viewer.role.ok_or(AppError::NotFound)?;
    let users = find_users(&mut *state.pool.acquire().await?, &state, &[account.id.0]).await?;
    let user = users.into_iter().next().ok_or(AppError::NotFound)?.visible_to(role);
    let name = user.username.clone();
    let latest_posts = first_rows(&PostList, &state, "author", &name, ROWS).await?;
    let latest_ratings = first_rows(&RatingList, &state, "user", &name, ROWS).await?;
    let mut sections = vec![
        Section::new("posts-title", &PostList, &latest_posts, "author", &name, layout.now),
        Section::new("ratings-title", &RatingList, &latest_ratings, "user", &name, layout.now),
    ];
    let (mut sessions, mut tokens, mut log) = (None, None, None);
    if role >= Role::Admin {
        let rows = first_rows(&SessionList, &state, "user", &name, ROWS).await?;
        sections.push(Section::new("signed-in-title", &SessionList, &rows, "user", &name, layout.now));
        sessions = Some(rows);
        let rows = first_rows(&TokenList, &state, "user", &name, ROWS).await?;
        sections.push(Section::new("api-tokens-title", &TokenList, &rows, "user", &name, layout.now));
        tokens = Some(rows);
        let rows = first_rows(&AuditLogList, &state, "user", &name, ROWS).await?;
        sections.push(Section::new("log-title", &AuditLogList, &rows, "user", &name, layout.now));
        log = Some(rows);
    }
    let mut actions = choices_for(&viewer, &urls::USERS);
    let can_act = viewer.id != user.id && viewer.outranks(user.role.as_deref().and_then(Role::from_name));
    let is_own_level = |action: &str| viewer.id == user.id && viewer.has_role(Role::Owner) && action == "reset_warning";
    actions.retain(|(action, _)| (can_act || is_own_level(action)) && user.is_changed_by(action));
    let status = user.status();
    let data = UserDetails { user, latest_posts, latest_ratings, sessions, tokens, log };
    Ok(PageResponse::new(UserPage { layout, data, sections, status, actions }))
}
