//! Admin list of user accounts.

use actix_web::{Either, HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::admin::admin_list;
use crate::admin::admin_list::{
    ActionChoice, AdminList, AdminListPage, DisplayPart, FilterValues, ListFilter, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::i18n::PhraseValue;
use crate::limit_overrides::warnings;
use crate::phrase;
use crate::users::Username;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::request::role::Role;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};
use crate::web::response::text::query_string;
use crate::web::response::view::PageResponse;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

#[derive(Clone, Debug, Serialize)]
pub struct UserRow {
    id: UserId,
    username: String,
    created_at: DateTime<Utc>,
    /// Staff role; `None` if the user is not staff.
    role: Option<String>,
    blocked_at: Option<DateTime<Utc>>,
    /// End of a temporary block; `None` if the user is not blocked, or blocked permanently.
    blocked_until: Option<DateTime<Utc>>,
    blocked_reason: Option<String>,
    delete_at: Option<DateTime<Utc>>,
    /// Email address, visible to admins and owners only.
    email: Option<String>,
    email_confirmed: bool,
    /// Number of published posts.
    posts: i64,
    /// Time of the user's last activity in any current session; `None` if the user is signed out.
    seen_at: Option<DateTime<Utc>>,
    /// Warning level in percent.
    warning_level: i32,
}

/// List of users, with the columns that the role of the viewer permits.
struct Users {
    role: Role,
}

impl AdminList for Users {
    type Row = UserRow;

    const ROUTE: Route = urls::USERS;
    const NAME: &'static str = "users";
    const HEADER: &'static [&'static str] = &[
        "id",
        "username",
        "created_at",
        "role",
        "blocked_at",
        "blocked_until",
        "blocked_reason",
        "delete_at",
        "email",
        "email_confirmed",
        "posts",
        "seen_at",
        "warning_level",
    ];

    fn filters(&self) -> Vec<ListFilter> {
        let choices = vec![
            ("", phrase!("users-all")),
            ("blocked", phrase!("users-blocked")),
            ("staff", phrase!("users-staff")),
            // Users who have requested deletion of their account.
            ("leaving", phrase!("users-pending-deletion")),
        ];
        vec![
            ListFilter::text_filter("name", phrase!("label-name")),
            ListFilter::choice_filter("status", phrase!("label-status"), choices),
        ]
    }

    /// Returns a page of users, filtered by status and username prefix. The newest accounts come first.
    async fn page(
        &self,
        state: &AppState,
        typed: &FilterValues,
        pager: &Pager<'_>,
    ) -> Result<ResultPage<UserRow>, AppError> {
        let position = pager.position(SortKey::max_time());
        let status = typed.get("status");
        // Normalizes the prefix in the same way as usernames. A prefix that is not a valid username is used unchanged
        // and matches nothing.
        let key =
            |name: &str| Username::parse_lenient(name).map_or_else(|_| name.to_owned(), |name| name.key().to_owned());
        let prefix = typed.get("name").map(str::trim).map(key);
        let rows = sqlx::query_as!(
            UserRow,
            r#"select u.id as "id: UserId", u.username, u.created_at, case when u.is_staff then u.staff_role end as role,
            u.blocked_at, u.blocked_until, u.blocked_reason, u.delete_at, u.email as "email?",
            u.email_confirmed_at is not null as "email_confirmed!",
            (select count(*) from blog_posts where author_id = u.id and status = 'published') as "posts!",
            (select max(seen_at) from sessions where user_id = u.id) as seen_at,
            coalesce((
                select round(greatest(0, level - $7::float8 * extract(epoch from coalesce($6, clock_timestamp()) - set_at)::float8 / 86400))
                from warning_levels where user_id = u.id
            ), 0)::int as "warning_level!"
        from users u
        where u.erased_at is null and ($1::text is null or starts_with(u.username_key, $1))
            and case $2 when 'blocked' then u.blocked_at is not null when 'staff' then u.is_staff
                when 'leaving' then u.delete_at is not null else true end
            and case when $4 then u.id > $3 else u.id < $3 end
        order by case when $4 then u.id end, u.id desc limit $5"#,
            prefix,
            status,
            position.id,
            position.side == Direction::Before,
            pager.limit(),
            state.clock.now(),
            warnings::DECAY_PER_DAY,
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        let mut page = pager.page_from_rows(rows, |one| (SortKey::Time(one.created_at), one.id.0));
        if self.role < Role::Admin {
            page.results.iter_mut().for_each(|one| one.email = None);
        }
        Ok(page)
    }

    fn entry(&self, row: &UserRow, now: DateTime<Utc>) -> RowDisplay {
        let name = row.username.as_str();
        let blocked = row.blocked_at.map(|_| match row.blocked_until {
            Some(until) => phrase!("users-blocked-until", time = PhraseValue::Minute(until)),
            None => phrase!("users-blocked-indefinitely"),
        });
        let leaves =
            row.delete_at.map(|at| DisplayPart::Html(phrase!("users-deletion-at", time = PhraseValue::Minute(at))));
        let role = row.role.as_deref().and_then(Role::from_name).map(|role| DisplayPart::Said(role.label()));
        let head = [Some(DisplayPart::Strong(name.to_owned())), role, blocked.map(DisplayPart::Warning), leaves];
        let since = DisplayPart::Html(phrase!("users-joined", time = PhraseValue::Day(row.created_at)));
        let seen = row.seen_at.map(|at| DisplayPart::Ago(phrase!("users-last-active"), at, now));
        let posts = phrase!("users-posts", count = row.posts);
        let posts = DisplayPart::Lead(crate::users::urls::author_path(name), posts, name.to_owned());
        let log = format!("{}{}", urls::AUDIT_LOG.pattern, query_string(&[("user", Some(name))]));
        let log = (self.role >= Role::Admin).then(|| DisplayPart::Lead(log, phrase!("log-title"), name.to_owned()));
        let email = row.email.clone().map(DisplayPart::Plain);
        let warned = (row.warning_level > 0).then(|| {
            DisplayPart::Warning(phrase!(
                "users-warning-level",
                level = phrase!("percent", percent = row.warning_level)
            ))
        });
        let unconfirmed = (row.email.is_some() && !row.email_confirmed)
            .then(|| DisplayPart::Said(phrase!("users-email-unconfirmed")));
        RowDisplay {
            id: format!("user-{}", row.id),
            pick: Some(name.to_owned()),
            head: head.into_iter().flatten().collect(),
            quoted_text: row.blocked_reason.clone(),
            details: Vec::new(),
            facts: [Some(since), seen, Some(posts), warned, log, email, unconfirmed].into_iter().flatten().collect(),
        }
    }

    fn actions(&self, user: &CurrentUser) -> (&'static str, Vec<ActionChoice>) {
        let acts = [
            ("block", phrase!("users-block"), Role::Moderator),
            ("unblock", phrase!("users-unblock"), Role::Moderator),
            ("reset_warning", phrase!("users-reset-warning"), Role::Moderator),
            ("sign_out", phrase!("users-sign-out"), Role::Admin),
            ("reset_password", phrase!("users-reset-password"), Role::Admin),
            ("role", phrase!("users-role"), Role::Owner),
        ];
        let acts = acts.into_iter().filter(|(.., role)| user.has_role(*role)).map(|(name, words, _)| (name, words));
        (urls::USER_ACTION.pattern, acts.collect())
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
