//! The list of accounts.

use std::collections::BTreeMap;

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;

use crate::desk::urls;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::users::Username;
use crate::web::csv;
use crate::web::error::AppError;
use crate::web::form::Form;
use crate::web::layout::Layout;
use crate::web::paging::{Pager, Rank, Side, Slice};
use crate::web::query::Query;
use crate::web::role::Role;
use crate::web::state::AppState;
use crate::web::text::query_of;
use crate::web::view::View;
use crate::web::visitor::{CurrentUser, UserId};

/// Accounts on a page, and in a file.
const ON_A_PAGE: usize = 50;
const IN_A_FILE: usize = 10_000;

/// Which accounts are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    #[default]
    All,
    Blocked,
    Staff,
    /// Whose owners have asked for that.
    Leaving,
}

impl Status {
    const ALL: [Self; 4] = [Self::All, Self::Blocked, Self::Staff, Self::Leaving];

    fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Blocked => "blocked",
            Self::Staff => "staff",
            Self::Leaving => "leaving",
        }
    }

    fn words(self) -> Phrase {
        match self {
            Self::All => phrase!("users-all"),
            Self::Blocked => phrase!("users-blocked"),
            Self::Staff => phrase!("users-staff"),
            Self::Leaving => phrase!("users-leaving"),
        }
    }
}

/// An account, for staff.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    id: UserId,
    username: String,
    created_at: DateTime<Utc>,
    /// None: no staff.
    role: Option<String>,
    blocked_at: Option<DateTime<Utc>>,
    /// None: without an end.
    blocked_until: Option<DateTime<Utc>>,
    blocked_reason: Option<String>,
    delete_at: Option<DateTime<Utc>>,
    /// For admins alone.
    email: Option<String>,
    email_confirmed: bool,
    /// Posts that everybody may see.
    posts: i64,
    /// When they were last here, if they are still signed in.
    seen_at: Option<DateTime<Utc>>,
}

impl Listed {
    fn path(&self) -> String {
        crate::users::urls::author(&self.username)
    }

    fn role(&self) -> Option<Phrase> {
        self.role.as_deref().and_then(Role::named).map(Role::words)
    }

    /// What was done to them and by them.
    fn log(&self) -> String {
        format!("{}{}", urls::LOG.pattern, query_of(&[("user", Some(&self.username))]))
    }
}

#[derive(Template)]
#[template(path = "desk/users.html")]
pub struct UsersPage {
    layout: Layout,
    form: Form,
    data: Slice<Listed>,
    is_filtered: bool,
    /// The path of the same list as CSV.
    csv: String,
    role: Role,
}

page!(UsersPage, data: Slice<Listed>, list data);

impl UsersPage {
    fn may(&self, role: Role) -> bool {
        self.role >= role
    }
}

pub async fn list(
    user: CurrentUser,
    (layout, request): (Layout, HttpRequest),
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<UsersPage>, HttpResponse>, AppError> {
    let role = user.role.ok_or(AppError::NotFound)?;
    let (q, status) = (query.get("q")?, query.get("status")?.unwrap_or_default());
    let status = Status::ALL.into_iter().find(|one| one.name() == status);
    let status = status.ok_or_else(|| AppError::field("status", phrase!("invalid-user-status")))?;
    let path = |format| {
        let parameters = [("q", q.as_deref()), ("status", Some(status.name())), ("format", format)];
        format!("{}{}", urls::USERS.pattern, query_of(&parameters))
    };
    let wanted = query.get("format")?;
    let most = if wanted.is_some() { IN_A_FILE } else { ON_A_PAGE };
    let pager = Pager::new(path(wanted.as_deref()), &query, &state.keys)?;
    let mut data = page(&state.pool, (q.as_deref(), status), (&pager, most)).await?;
    if role < Role::Admin {
        data.results.iter_mut().for_each(|one| one.email = None);
    }
    match wanted.as_deref() {
        None => {
            let typed = [("q", q.clone()), ("status", Some(status.name().to_owned()))];
            let typed = typed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            let form = Form::typed(typed.collect::<BTreeMap<_, _>>());
            let is_filtered = q.is_some() || status != Status::All;
            Ok(Either::Left(View::new(UsersPage { layout, form, data, is_filtered, csv: path(Some("csv")), role })))
        }
        Some("csv") => {
            let rows = data.results.iter().map(|one| Listed {
                username: csv::guarded(&one.username),
                blocked_reason: one.blocked_reason.as_deref().map(csv::guarded),
                email: one.email.as_deref().map(csv::guarded),
                ..one.clone()
            });
            Ok(Either::Right(csv::file(&request, "users.csv", csv::text(&HEADER, rows)?, data.link())))
        }
        Some(_) => Err(AppError::field("format", phrase!("invalid-format"))),
    }
}

const HEADER: [&str; 12] = [
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
];

/// Accounts, the latest first: with this status, and whose names begin with `q`.
async fn page(
    pool: &PgPool,
    (q, status): (Option<&str>, Status),
    (pager, most): (&Pager<'_>, usize),
) -> sqlx::Result<Slice<Listed>> {
    let position = pager.position(Rank::latest());
    // As names are compared. What can be no name begins none.
    let prefix =
        q.map(|q| Username::of_somebody(q.trim()).map_or_else(|_| q.trim().to_owned(), |name| name.key().to_owned()));
    let rows = sqlx::query_as!(
        Listed,
        r#"select u.id as "id: UserId", u.username, u.created_at, case when u.is_staff then u.staff_role end as role,
            u.blocked_at, u.blocked_until, u.blocked_reason, u.delete_at, u.email as "email?",
            u.email_confirmed_at is not null as "email_confirmed!",
            (select count(*) from blog_posts where author_id = u.id and status = 'published') as "posts!",
            (select max(seen_at) from sessions where user_id = u.id) as seen_at
        from users u
        where u.erased_at is null and ($1::text is null or starts_with(u.username_key, $1))
            and case $2 when 'blocked' then u.blocked_at is not null when 'staff' then u.is_staff
                when 'leaving' then u.delete_at is not null else true end
            and case when $4 then u.id > $3 else u.id < $3 end
        order by case when $4 then u.id end, u.id desc limit $5"#,
        prefix,
        status.name(),
        position.id,
        position.side == Side::Before,
        i64::try_from(most + 1).unwrap_or(i64::MAX),
    );
    let mut transaction = pool.begin().await?;
    // Which index serves depends on the filters.
    sqlx::query!("set local plan_cache_mode = force_custom_plan").execute(&mut *transaction).await?;
    let rows = rows.fetch_all(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(pager.page(rows, most, |one| (Rank::Time(one.created_at), one.id.0)))
}
