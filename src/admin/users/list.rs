//! Admin list of user accounts.

use actix_web::{Either, HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use super::accounts::block_message;
use crate::access::Role;
use crate::admin::admin_list::{
    AdminList, AdminListPage, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::{admin_list, urls};
use crate::custom_limits::warnings;
use crate::db::clock::Clock;
use crate::i18n::{PhraseValue, format_size};
use crate::phrase;
use crate::state::AppState;
use crate::text::query_string;
use crate::users::Username;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Cursor, Direction, Pager, SortKey};
use crate::web::response::view::PageResponse;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UserRow {
    pub(super) id: UserId,
    pub(super) username: String,
    pub(super) created_at: DateTime<Utc>,
    /// Staff role; `None` if the user is not staff.
    pub(super) role: Option<String>,
    /// Time at which the user was blocked; `None` if the user is not blocked.
    pub(super) blocked_at: Option<DateTime<Utc>>,
    /// End of a temporary block; `None` if the user is not blocked, or blocked permanently.
    pub(super) blocked_until: Option<DateTime<Utc>>,
    /// Reason of the block, which the user can read.
    pub(super) blocked_reason: Option<String>,
    pub(super) delete_at: Option<DateTime<Utc>>,
    /// Email address, visible to admins and owners only.
    pub(super) email: Option<String>,
    pub(super) email_confirmed: bool,
    /// Number of published posts.
    pub(super) posts: i64,
    /// Size of the texts of all posts and drafts in bytes, computed every hour.
    pub(super) text_bytes: i64,
    /// Time of the user's last activity in any current session; `None` if the user is signed out.
    pub(super) seen_at: Option<DateTime<Utc>>,
    /// Warning level in percent.
    pub(super) warning_level: i32,
}

pub struct Users {
    pub role: Role,
}

impl AdminList for Users {
    type Row = UserRow;

    const ROUTE: Route = urls::USERS;
    const NAME: &'static str = "users";
    const HEADER: &'static str = "id username created_at role blocked_at blocked_until blocked_reason delete_at email \
        email_confirmed posts text_bytes seen_at warning_level";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-user").sorted_by("name"),
        ListColumn::new("label-status"),
        ListColumn::new("column-registered").sorted_by("-joined"),
        ListColumn::new("column-last-active"),
        ListColumn::number("label-posts"),
        ListColumn::new("column-text-size").sorted_by("-text"),
        ListColumn::new("column-warning-level"),
        ListColumn::new("label-email"),
    ];
    const DEFAULT_ORDER: &'static str = "-joined";

    const CREATE: Option<(Route, &'static str)> = Some((crate::users::urls::INVITATIONS, "invitations-create"));

    fn filters() -> Vec<ListFilter> {
        let choices = vec![
            ("", phrase!("users-all")),
            ("blocked", phrase!("users-blocked")),
            ("staff", phrase!("users-staff")),
            ("leaving", phrase!("users-pending-deletion")),
        ];
        vec![
            ListFilter::text_filter("name", phrase!("label-name-starts")),
            ListFilter::choice_filter("status", phrase!("label-status"), choices),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<UserRow> {
        let order = typed.order.map(|order| order.key);
        let is_by_text = order == Some("text");
        let position = pager.position(if is_by_text { SortKey::max_number() } else { SortKey::max_time() });
        let mut transaction = begin_with_custom_query_plans(&state.pool).await?;
        let status = typed.get("status");
        // A prefix that is not a valid username is used unchanged and matches nothing.
        let key =
            |name: &str| Username::parse_lenient(name).map_or_else(|_| name.to_owned(), |name| name.key().to_owned());
        let prefix = typed.get("name").map(str::trim).map(key);
        let limit = pager.limit();
        let ids = if order == Some("name") {
            ids_by_name(&mut transaction, &state.clock, status, prefix, &position, limit).await?
        } else {
            ids_by_number(&mut transaction, &state.clock, status, prefix, &position, limit, is_by_text).await?
        };
        let rows = find_users(&mut transaction, state, &ids).await?;
        #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
        let rank = |one: &UserRow| {
            if is_by_text { SortKey::Number(one.text_bytes as f64) } else { SortKey::Time(one.created_at) }
        };
        let mut page = pager.page_from_rows(rows, |one| (rank(one), one.id.0));
        page.results = page.results.into_iter().map(|user| user.visible_to(self.role)).collect();
        Ok(page)
    }

    fn entry(&self, row: &UserRow, now: DateTime<Utc>) -> RowDisplay {
        let name = row.username.as_str();
        let role = row.role.as_deref().and_then(Role::from_name);
        let role = role.map(|role| DisplayPart::Badge(BadgeKind::Info, role.label()));
        let posts = format!("{}{}", urls::POSTS.pattern, query_string(&[("author", Some(name))]));
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let posts = DisplayPart::NumberLink(posts, row.posts as f64, 0, name.to_owned());
        let level = phrase!("percent", percent = row.warning_level);
        let warning = (row.warning_level > 0).then_some(DisplayPart::Badge(BadgeKind::Warning, level));
        let cells = vec![
            std::iter::once(DisplayPart::user_link(name)).chain(role).collect(),
            row.status(),
            vec![DisplayPart::Time(row.created_at, now)],
            row.seen_at.map(|at| DisplayPart::Time(at, now)).into_iter().collect(),
            vec![posts],
            (row.text_bytes > 0).then(|| DisplayPart::Said(format_size(row.text_bytes))).into_iter().collect(),
            warning.into_iter().collect(),
            row.email.clone().map(DisplayPart::Plain).into_iter().collect(),
        ];
        RowDisplay { id: format!("user-{}", row.id), key: Some(name.to_owned()), cells }
    }
}

async fn ids_by_number(
    connection: &mut PgConnection,
    clock: &Clock,
    status: Option<&str>,
    prefix: Option<String>,
    position: &Cursor,
    limit: i64,
    is_by_text: bool,
) -> sqlx::Result<Vec<i64>> {
    let ids = sqlx::query_scalar!(
        "select id from users, (select coalesce($6, clock_timestamp()) as now) clock
        where erased_at is null and ($1::text is null or starts_with(username_key, $1))
            and case $2 when 'blocked' then blocked_at is not null and coalesce(blocked_until > clock.now, true)
                when 'staff' then is_staff when 'leaving' then delete_at is not null else true end
            and case when $8 and $4 then (text_bytes, id) > ($7, $3) when $8 then (text_bytes, id) < ($7, $3)
                when $4 then id > $3 else id < $3 end
        order by case when $8 and $4 then text_bytes end, case when $8 then text_bytes end desc,
            case when $4 then id end, id desc limit $5",
        prefix,
        status,
        position.id,
        position.side == Direction::Before,
        limit,
        clock.now(),
        position.sort_integer(),
        is_by_text,
    );
    ids.fetch_all(connection).await
}

/// Lists users before or after the user whose id is in the cursor.
async fn ids_by_name(
    connection: &mut PgConnection,
    clock: &Clock,
    status: Option<&str>,
    prefix: Option<String>,
    position: &Cursor,
    limit: i64,
) -> sqlx::Result<Vec<i64>> {
    let ids = sqlx::query_scalar!(
        r#"select id from users,
            (select (select username_key from users where id = $3) as name) as cursor,
            (select coalesce($6, clock_timestamp()) as now) clock
        where erased_at is null and ($1::text is null or starts_with(username_key, $1))
            and case $2 when 'blocked' then blocked_at is not null and coalesce(blocked_until > clock.now, true)
                when 'staff' then is_staff when 'leaving' then delete_at is not null else true end
            and case when cursor.name is null then true when $4 then username_key > cursor.name
                else username_key < cursor.name end
        order by case when $4 then username_key end, username_key desc limit $5"#,
        prefix,
        status,
        position.id,
        position.side == Direction::Before,
        limit,
        clock.now(),
    );
    ids.fetch_all(connection).await
}

pub async fn find_users(connection: &mut PgConnection, state: &CoreState, ids: &[i64]) -> sqlx::Result<Vec<UserRow>> {
    let rows = sqlx::query_as!(
        UserRow,
        r#"select u.id as "id: UserId", u.username, u.created_at, case when u.is_staff then u.staff_role end as role,
            block.at as "blocked_at?", block.until as "blocked_until?", block.reason as "blocked_reason?", u.delete_at,
            u.email as "email?",
            u.email_confirmed_at is not null as "email_confirmed!",
            (select count(*) from blog_posts where author_id = u.id and status = 'published') as "posts!", u.text_bytes,
            (select max(seen_at) from sessions where user_id = u.id) as seen_at,
            coalesce((
                select round(greatest(0, level - $3::float8 * extract(epoch from coalesce($2, clock_timestamp()) - set_at)::float8 / 86400))
                from warning_levels where user_id = u.id
            ), 0)::int as "warning_level!"
        from unnest($1::bigint[]) with ordinality as wanted (id, place) join users u on u.id = wanted.id
            left join lateral (
                select u.blocked_at as at, u.blocked_until as until, u.blocked_reason as reason
                where u.blocked_at is not null and coalesce(u.blocked_until > coalesce($2, clock_timestamp()), true)
            ) as block on true
        order by wanted.place"#,
        ids,
        state.clock.now(),
        warnings::DECAY_PER_DAY,
    );
    rows.fetch_all(connection).await
}

impl UserRow {
    pub fn visible_to(self, role: Role) -> Self {
        if role >= Role::Admin { self } else { Self { email: None, ..self } }
    }

    /// Returns `false` for actions that would change nothing, such as blocking a blocked user.
    pub fn is_changed_by(&self, action: &str) -> bool {
        match action {
            "block" => self.blocked_at.is_none(),
            "unblock" => self.blocked_at.is_some(),
            "reset_warning" => self.warning_level > 0,
            _ => true,
        }
    }

    pub fn status(&self) -> Vec<DisplayPart> {
        let blocked = self.blocked_at.map(|_| block_message(self.blocked_until));
        let reason = self.blocked_reason.clone().filter(|_| self.blocked_at.is_some()).map(DisplayPart::Quote);
        let leaves = self.delete_at.map(|at| phrase!("users-deletion-at", time = PhraseValue::Minute(at)));
        [
            blocked.map(|words| DisplayPart::Badge(BadgeKind::Danger, words)),
            reason,
            leaves.map(|words| DisplayPart::Badge(BadgeKind::Warning, words)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    let role = user.role.ok_or(AppError::NotFound)?;
    admin_list::respond(Users { role }, user, layout, request, query, &state).await
}
