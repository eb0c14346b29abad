//! Personal data export of an account: a ZIP archive that is streamed while it is written.

mod archive;
mod posts;
mod rows;

use std::io;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use anyhow::Context as _;
use async_zip::base::write::ZipFileWriter;
use chrono::{DateTime, Utc};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
use tokio::task::JoinHandle;

use self::archive::{write_file, write_rows};
use self::posts::{images, posts_after, revisions_after, write_post_files};
use self::rows::{ROWS_PER_QUERY, RowFile, decisions_after};
use crate::i18n::Locale;
use crate::images::image_library::ImageLibrary;
use crate::phrase;
use crate::state::AppState;
use crate::text::encode_path_segment;
use crate::users::models;
use crate::users::tokens::models::{self as tokens, ApiToken};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::locale;
use crate::web::state::CoreState;

const BUFFER: usize = 64 * 1024;

/// Time limit of an export, which ends exports whose client has stopped reading the response.
const TIMEOUT: Duration = Duration::from_mins(10);

pub async fn export(
    request: HttpRequest,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let is_elsewhere = |site: &HeaderValue| site == "cross-site";
    if request.headers().get("Sec-Fetch-Site").is_some_and(is_elsewhere) {
        // A cross-site link must not use up the export limit of a user.
        return Err(AppError::CrossSite);
    }
    if request.method() == Method::HEAD {
        // An empty stream instead of an empty body, so that the response to HEAD has no `Content-Length`, like the one to GET.
        return Ok(HttpResponse::Ok()
            .insert_header((CACHE_CONTROL, "no-store"))
            .content_type("application/zip")
            .streaming(futures_util::stream::empty::<io::Result<Bytes>>()));
    }
    state.accounts.throttle.count_export(user.id).await?;
    // These queries run before the response starts, so that their errors can be sent as an error response. Later errors
    // can only abort the download.
    let account = models::find_account(&state.pool, user.id).await?;
    let now = state.now().await?;
    let name = format!("{}-{}.zip", account.user.username, now.format("%Y-%m-%d"));
    let (ours, theirs) = duplex(BUFFER);
    let locale = locale::for_request(&request);
    let writing = tokio::spawn(async move {
        let writing = write(ours, &state, &state.images, user.id, &account, locale);
        let written = tokio::time::timeout(TIMEOUT, writing).await;
        written.context("the client did not read the export in time")?
    });
    tracing::info!(user_id = user.id.0, "export of personal data started");
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((CONTENT_ENCODING, "identity"));
    let disposition = format!("attachment; filename=\"export.zip\"; filename*=UTF-8''{}", encode_path_segment(&name));
    response.insert_header((CONTENT_DISPOSITION, disposition)).content_type("application/zip");
    Ok(response.streaming(body(theirs, writing)))
}

/// If writing fails, the body ends with an error, so that the client detects the truncated archive.
fn body(theirs: DuplexStream, writing: JoinHandle<anyhow::Result<()>>) -> impl Stream<Item = io::Result<Bytes>> {
    unfold(Some((theirs, writing)), async |left| {
        let (mut theirs, writing) = left?;
        let mut bytes = Vec::with_capacity(BUFFER);
        let failed = match theirs.read_buf(&mut bytes).await {
            Ok(1..) => return Some((Ok(bytes.into()), Some((theirs, writing)))),
            Ok(0) => match writing.await {
                Ok(Ok(())) => return None,
                Ok(Err(error)) => format!("{error:#}"),
                Err(panic) => panic.to_string(),
            },
            Err(error) => error.to_string(),
        };
        tracing::warn!(error = failed, "export of personal data aborted");
        Some((Err(io::Error::other("export aborted")), None))
    })
}

async fn write(
    to: DuplexStream,
    state: &CoreState,
    library: &ImageLibrary,
    user: UserId,
    account: &models::Account,
    locale: Locale,
) -> anyhow::Result<()> {
    let mut archive = ZipFileWriter::with_tokio(to);
    write_file(
        &mut archive,
        "README.txt",
        format!("{}\n", phrase!("export-readme").translate_to_text(locale)).as_bytes(),
    )
    .await?;
    write_file(&mut archive, "account.json", &serde_json::to_vec_pretty(&details(state, user, account).await?)?)
        .await?;
    write_file(&mut archive, "sessions.json", &serde_json::to_vec_pretty(&sign_ins(state, user).await?)?).await?;
    write_rows(&mut archive, "posts.json", 0, |after| posts_after(state, user, after), |post| post.id).await?;
    write_post_files(&mut archive, state, user).await?;
    let revisions = |last| revisions_after(state, user, last);
    write_rows(&mut archive, "revisions.json", (0, 0), revisions, |row| (row.post, row.version)).await?;
    images(&mut archive, state, library, user).await?;
    let position = |rating: &ExportedRating| Some((rating.updated_at, rating.id));
    write_rows(&mut archive, "ratings.json", None, |last| ratings_after(state, user, last), position).await?;
    let decisions = |last| decisions_after(state, user, last);
    write_rows(&mut archive, "staff.json", (false, 0), decisions, |decision| decision.position).await?;
    for (file, name) in RowFile::ALL {
        write_rows(&mut archive, name, 0, |after| file.rows_after(&state.pool, user, after), |row| row.id).await?;
    }
    archive.close().await?;
    Ok(())
}

/// Content of `account.json`: the account, and columns that the API does not return.
async fn details(state: &CoreState, UserId(user): UserId, account: &models::Account) -> anyhow::Result<Value> {
    let mut details = serde_json::to_value(account)?;
    let stored_details = sqlx::query_scalar!(
        r#"select jsonb_build_object(
            'is_staff', u.is_staff, 'staff_role', case when u.is_staff then u.staff_role end,
            'blocked_at', u.blocked_at, 'blocked_until', u.blocked_until, 'blocked_reason', u.blocked_reason, 'is_approved', u.is_approved, 'email_confirmed_at', u.email_confirmed_at,
            'warning_level', (select jsonb_build_object('level', level, 'set_at', set_at) from warning_levels where user_id = u.id),
            'second_factor_since', (select confirmed_at from second_factors where user_id = u.id),
            'invited_by', (
                select i.username from invitations join users i on i.id = made_by where invitations.id = u.invitation_id
            )
        ) as "kept!" from users u where u.id = $1"#,
        user,
    );
    let stored_details = stored_details.fetch_one(&state.pool).await?;
    if let (Value::Object(details), Value::Object(stored_details)) = (&mut details, stored_details) {
        details.extend(stored_details);
    }
    Ok(details)
}

#[derive(Serialize)]
struct SignIns {
    sessions: Vec<Session>,
    api_tokens: Vec<ApiToken>,
    networks: Vec<Network>,
}

#[derive(Serialize)]
struct Session {
    device: Option<String>,
    network: Option<String>,
    created_at: DateTime<Utc>,
    seen_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

#[derive(Serialize)]
struct Network {
    network: String,
    seen_at: DateTime<Utc>,
}

async fn sign_ins(state: &CoreState, UserId(user): UserId) -> sqlx::Result<SignIns> {
    let sessions = sqlx::query_as!(
        Session,
        "select device, network, created_at, seen_at, expires_at from sessions where user_id = $1
        order by created_at limit 1000",
        user,
    );
    let networks = sqlx::query_as!(
        Network,
        "select network, seen_at from sign_ins where user_id = $1 order by 2 limit 1000",
        user
    );
    let api_tokens = tokens::list(&state.pool, &state.clock, UserId(user)).await?;
    Ok(SignIns {
        sessions: sessions.fetch_all(&state.pool).await?,
        api_tokens,
        networks: networks.fetch_all(&state.pool).await?,
    })
}

#[derive(Serialize)]
struct ExportedRating {
    #[serde(skip)]
    id: i64,
    post: i64,
    /// Title of the rated post. `None` if the post was unpublished after it was rated.
    title: Option<String>,
    rating: i16,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// Reads ratings in the order of change, so that a rating changed during the export is not missed, but may be repeated.
async fn ratings_after(
    state: &CoreState,
    UserId(user): UserId,
    last: Option<(DateTime<Utc>, i64)>,
) -> sqlx::Result<Vec<ExportedRating>> {
    let ratings = sqlx::query_as!(
        ExportedRating,
        r#"select r.id, blog_id as post, case when p.status = 'published' then p.title end as title, rating,
                r.created_at, r.updated_at
            from rates r join blog_posts p on p.id = r.blog_id
            where user_id = $1 and (r.updated_at, r.id) > (coalesce($2::timestamptz, '-infinity'), $3)
            order by r.updated_at, r.id limit $4"#,
        user,
        last.map(|(time, _)| time),
        last.map_or(0, |(_, id)| id),
        ROWS_PER_QUERY,
    );
    ratings.fetch_all(&state.pool).await
}
