//! Personal data export of an account: a ZIP archive that is streamed while it is written.

use std::io;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use anyhow::Context as _;
use async_zip::base::write::{EntryStreamWriter, ZipFileWriter};
use async_zip::{Compression, ZipEntryBuilder};
use chrono::{DateTime, Utc};
use futures_util::StreamExt as _;
use futures_util::io::{AsyncWrite, AsyncWriteExt as _};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
use tokio::task::JoinHandle;

use crate::blog_posts::{self, PostId};
use crate::i18n::Locale;
use crate::image_name::{ImageFile, ImageName};
use crate::images::image_library::ImageLibrary;
use crate::images::store::OpenFile;
use crate::phrase;
use crate::users::tokens::models::{self as tokens, ApiToken};
use crate::users::{AccountServices, models};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::locale;
use crate::web::response::text::{encode_path_segment, format_rfc3339};
use crate::web::state::AppState;

/// Capacity in bytes of the buffer between the archive writer and the response body.
const BUFFER: usize = 64 * 1024;

/// Number of posts that one query reads. Four posts contain at most 1 MiB of text.
const POSTS: i64 = 4;

/// Number of rows that one query reads.
const ROWS: i64 = 1_000;

/// Time limit of a whole export. It ends exports whose client has stopped reading the response.
const TIMEOUT: Duration = Duration::from_mins(10);

pub async fn export(
    request: HttpRequest,
    user: CurrentUser,
    state: web::Data<AppState>,
    accounts: web::Data<AccountServices>,
    library: web::Data<ImageLibrary>,
) -> Result<HttpResponse, AppError> {
    let is_elsewhere = |site: &HeaderValue| site == "cross-site";
    if request.headers().get("Sec-Fetch-Site").is_some_and(is_elsewhere) {
        // A cross-site link must not use up the export limit of a user.
        return Err(AppError::CrossSite);
    }
    if request.method() == Method::HEAD {
        return Ok(HttpResponse::Ok()
            .insert_header((CACHE_CONTROL, "no-store"))
            .content_type("application/zip")
            .finish());
    }
    accounts.throttle.count_export(user.id).await?;
    // These queries run before the response starts, so that their errors can be sent as an error response. Later errors
    // can only abort the download.
    let account = models::find_account(&state.pool, user.id).await?;
    let now = state.now().await?;
    let name = format!("{}-{}.zip", account.user.username, now.format("%Y-%m-%d"));
    let (ours, theirs) = duplex(BUFFER);
    let locale = locale::for_request(&request);
    let writing = tokio::spawn(async move {
        let writing = write(ours, &state, &library, user.id, &account, locale);
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

/// Response body that streams the archive. If writing fails, the body ends with an error, so that the client does not
/// mistake a truncated archive for a complete one.
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
    state: &AppState,
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
    posts(&mut archive, state, user).await?;
    write_post_files(&mut archive, state, user).await?;
    images(&mut archive, state, library, user).await?;
    ratings(&mut archive, state, user).await?;
    decisions(&mut archive, state, user).await?;
    for part in RowFile::ALL {
        part.write(&mut archive, state, user).await?;
    }
    archive.close().await?;
    Ok(())
}

/// Content of `account.json`: the account, and columns that the API does not return.
async fn details(state: &AppState, UserId(user): UserId, account: &models::Account) -> anyhow::Result<Value> {
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

/// Files of the export whose JSON content is created by a database query and copied to the archive unchanged.
#[derive(Clone, Copy, Debug)]
enum RowFile {
    /// Refused ratings that have not yet been deleted from the database.
    Refused,
    Pauses,
    /// Limit overrides of the user.
    Limits,
    /// Reports by the user, and decisions about the user's reports and posts.
    Reports,
    /// Audit log entries by the user or about the user. Omits the identity and network of other actors.
    Log,
}

struct ExportedRow {
    id: i64,
    row: Value,
}

impl RowFile {
    const ALL: [Self; 5] = [Self::Refused, Self::Pauses, Self::Limits, Self::Reports, Self::Log];

    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused_ratings.json",
            Self::Pauses => "pauses.json",
            Self::Limits => "limits.json",
            Self::Reports => "reports.json",
            Self::Log => "log.json",
        }
    }

    async fn write<W: AsyncWrite + Unpin>(
        self,
        archive: &mut ZipFileWriter<W>,
        state: &AppState,
        user: UserId,
    ) -> anyhow::Result<()> {
        let mut array = JsonArrayWriter::begin(archive, self.name()).await?;
        let mut after = 0;
        while let page = self.page(&state.pool, user, after).await?
            && let Some(last) = page.last()
        {
            after = last.id;
            for ExportedRow { row, .. } in &page {
                array.push(row).await?;
            }
        }
        array.end().await
    }

    async fn page(self, pool: &PgPool, UserId(user): UserId, after: i64) -> sqlx::Result<Vec<ExportedRow>> {
        match self {
            Self::Refused => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select id, jsonb_build_object('blog', blog_id, 'rating', rating, 'at', at) as "row!"
                    from refused_ratings where user_id = $1 and id > $2 order by id limit $3"#,
                    user,
                    after,
                    ROWS,
                );
                page.fetch_all(pool).await
            }
            Self::Pauses => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select blog_id as id, to_jsonb(z) - 'user_id' as "row!" from zombie_pauses z
                    where user_id = $1 and blog_id > $2 order by blog_id limit $3"#,
                    user,
                    after,
                    ROWS,
                );
                page.fetch_all(pool).await
            }
            Self::Limits => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select id, to_jsonb(o) - array['id', 'user_id', 'network'] as "row!" from limit_overrides o
                    where user_id = $1 and id > $2 order by id limit $3"#,
                    user,
                    after,
                    ROWS,
                );
                page.fetch_all(pool).await
            }
            Self::Reports => reports(pool, user, after).await,
            Self::Log => log(pool, user, after).await,
        }
    }
}

/// Reports by the user, and decisions about the user's reports and posts. Omits reports and appeals by other users.
async fn reports(pool: &PgPool, user: i64, after: i64) -> sqlx::Result<Vec<ExportedRow>> {
    let page = sqlx::query_as!(
        ExportedRow,
        r#"select c.id, jsonb_build_object('post', c.blog_id, 'title', c.title, 'is_your_post', c.author_id is not distinct from $1,
            'category', r.category, 'explanation', r.explanation, 'reported_at', r.reported_at,
            'ruling', c.ruling, 'ground', c.ground, 'reason', c.reason, 'decided_at', c.decided_at,
            'appeal', case when c.appeal_report = r.id or (c.appeal_by = 'author' and c.author_id = $1) then c.appeal end,
            'appealed_at', c.appealed_at, 'final_ruling', c.final_ruling, 'final_ground', c.final_ground,
            'final_reason', c.final_reason, 'final_at', c.final_at, 'before', c.before #- '{appeal,report}' #- case
                when (c.before #> '{appeal,report}') is distinct from to_jsonb(r.id) then array['appeal', 'text'] else '{}' end) as "row!"
        from report_cases c left join reports r on r.case_id = c.id and r.user_id = $1
        where c.id in (
            select case_id from reports where user_id = $1
            union select id from report_cases where author_id = $1 and ruling is not null
        ) and c.id > $2 order by c.id limit $3"#,
        user,
        after,
        ROWS,
    );
    page.fetch_all(pool).await
}

async fn log(pool: &PgPool, user: i64, after: i64) -> sqlx::Result<Vec<ExportedRow>> {
    let page = sqlx::query_as!(
        ExportedRow,
        r#"select id, jsonb_build_object('at', at, 'act', act, 'by_you', actor_id is not distinct from $1, 'post', post_id,
            'details', details, 'network', case when actor_id = $1 then network end) as "row!"
        from audit_log where id in (
            (select id from audit_log where actor_id = $1 and id > $2 order by id limit $3)
            union (select id from audit_log where user_id = $1 and id > $2 order by id limit $3)
        ) order by id limit $3"#,
        user,
        after,
        ROWS,
    );
    page.fetch_all(pool).await
}

/// Writes `staff.json`: moderation decisions and invitations by the user.
async fn decisions<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &AppState,
    UserId(user): UserId,
) -> anyhow::Result<()> {
    let mut array = JsonArrayWriter::begin(archive, "staff.json").await?;
    for is_invitation in [false, true] {
        let mut after = 0;
        loop {
            let page = sqlx::query!(
                r#"(select id as "id!", to_jsonb(m) - 'moderator_id' as "row!" from moderations m
                    where not $4 and moderator_id = $1 and id > $2 order by id limit $3)
                union all
                (select id, to_jsonb(i) - 'made_by' from invitations i
                    where $4 and made_by = $1 and id > $2 order by id limit $3)"#,
                user,
                after,
                ROWS,
                is_invitation,
            );
            let page = page.fetch_all(&state.pool).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for decision in &page {
                array.push(&json!({ if is_invitation { "invitation" } else { "moderation" }: decision.row })).await?;
            }
        }
    }
    array.end().await
}

async fn write_file<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    name: &str,
    content: &[u8],
) -> anyhow::Result<()> {
    let entry = ZipEntryBuilder::new(name.into(), Compression::Deflate);
    Ok(archive.write_entry_whole(entry, content).await?)
}

/// JSON array that is written item by item.
struct JsonArrayWriter<'a, W: AsyncWrite + Unpin> {
    entry: EntryStreamWriter<'a, W>,
    is_empty: bool,
}

impl<'a, W: AsyncWrite + Unpin> JsonArrayWriter<'a, W> {
    async fn begin(archive: &'a mut ZipFileWriter<W>, name: &str) -> anyhow::Result<Self> {
        let entry = ZipEntryBuilder::new(name.into(), Compression::Deflate);
        Ok(Self { entry: archive.write_entry_stream(entry).await?, is_empty: true })
    }

    async fn push(&mut self, item: &impl Serialize) -> anyhow::Result<()> {
        self.entry.write_all(if self.is_empty { b"[\n" } else { b",\n" }).await?;
        self.is_empty = false;
        Ok(self.entry.write_all(&serde_json::to_vec(item)?).await?)
    }

    async fn end(mut self) -> anyhow::Result<()> {
        self.entry.write_all(if self.is_empty { b"[]\n" } else { b"\n]\n" }).await?;
        Ok(self.entry.close().await?)
    }
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

async fn sign_ins(state: &AppState, UserId(user): UserId) -> sqlx::Result<SignIns> {
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
struct Post {
    id: i64,
    title: String,
    status: String,
    tags: Vec<String>,
    /// `slug`, `excerpt` and `language` are `None` unless the author has set them.
    slug: Option<String>,
    excerpt: Option<String>,
    language: Option<String>,
    cover: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    published_at: Option<DateTime<Utc>>,
    publish_at: Option<DateTime<Utc>>,
    average_rating: Option<f64>,
    rating_count: Option<i64>,
}

async fn posts<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &AppState,
    UserId(user): UserId,
) -> anyhow::Result<()> {
    let mut array = JsonArrayWriter::begin(archive, "posts.json").await?;
    let mut after = 0;
    loop {
        let page = sqlx::query_as!(
            Post,
            r#"select p.id, p.title, p.status, p.tags, p.own_slug as slug, p.own_excerpt as excerpt, p.own_language as language, p.cover,
                p.created_at, p.updated_at, p.published_at, p.publish_at, t.average_rating as "average_rating?",
                t.rating_count as "rating_count?"
            from blog_posts p left join rating_totals t on t.blog_id = p.id
            where p.author_id = $1 and p.id > $2 order by p.id limit $3"#,
            user,
            after,
            ROWS,
        );
        let page = page.fetch_all(&state.pool).await?;
        let Some(last) = page.last() else { return array.end().await };
        after = last.id;
        for post in &page {
            array.push(post).await?;
        }
    }
}

/// Writes each post as a Markdown file with front matter for static site generators.
async fn write_post_files<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &AppState,
    UserId(user): UserId,
) -> anyhow::Result<()> {
    let mut after = 0;
    loop {
        let page = sqlx::query!(
            "select id, title, status, tags, own_slug, content, created_at, updated_at, published_at from blog_posts
            where author_id = $1 and id > $2 order by id limit $3",
            user,
            after,
            POSTS,
        );
        let page = page.fetch_all(&state.pool).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.id;
        for post in page {
            let slug = blog_posts::slug(post.own_slug.as_ref().unwrap_or(&post.title));
            // JSON strings are valid YAML strings.
            let (title, tags) = (serde_json::to_string(&post.title)?, serde_json::to_string(&post.tags)?);
            let date = format_rfc3339(post.published_at.as_ref().unwrap_or(&post.created_at));
            let (changed, is_draft) = (format_rfc3339(&post.updated_at), post.status == "draft");
            let head = format!(
                "---\ntitle: {title}\ndate: {date}\nlastmod: {changed}\ndraft: {is_draft}\nslug: \"{slug}\"\ntags: {tags}\n---\n\n"
            );
            let name = format!("posts/{}-{slug}.md", PostId(post.id));
            write_file(archive, &name, format!("{head}{}", post.content).as_bytes()).await?;
        }
    }
}

#[derive(Serialize)]
struct Image {
    #[serde(skip)]
    id: i64,
    name: String,
    alt: String,
    added_at: DateTime<Utc>,
}

async fn images_after(state: &AppState, UserId(user): UserId, after: i64) -> sqlx::Result<Vec<Image>> {
    let page = sqlx::query_as!(
        Image,
        "select o.id, i.name, o.alt, o.added_at from image_owners o join images i on i.id = o.image_id
        where user_id = $1 and o.id > $2 order by o.id limit $3",
        user,
        after,
        ROWS,
    );
    page.fetch_all(&state.pool).await
}

/// Writes `images.json` and the image files. The files are stored without compression, because image formats are
/// already compressed.
async fn images<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &AppState,
    library: &ImageLibrary,
    user: UserId,
) -> anyhow::Result<()> {
    let mut array = JsonArrayWriter::begin(archive, "images.json").await?;
    let mut after = 0;
    while let images = images_after(state, user, after).await?
        && let Some(last) = images.last()
    {
        after = last.id;
        for image in &images {
            array.push(image).await?;
        }
    }
    array.end().await?;
    after = 0;
    while let images = images_after(state, user, after).await?
        && let Some(last) = images.last()
    {
        after = last.id;
        for name in images.iter().filter_map(|image| ImageName::parse(&image.name)) {
            // Images that were deleted during the export are skipped.
            if let Some(reading) = library.store.read_file(&ImageFile { name: name.clone(), width: None }).await? {
                image(archive, &name, reading).await?;
            }
        }
    }
    Ok(())
}

async fn image<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    name: &ImageName,
    mut reading: OpenFile,
) -> anyhow::Result<()> {
    let entry = ZipEntryBuilder::new(format!("images/{name}").into(), Compression::Stored);
    let mut entry = archive.write_entry_stream(entry).await?;
    while let Some(piece) = reading.content.next().await {
        entry.write_all(&piece?).await?;
    }
    Ok(entry.close().await?)
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

async fn ratings<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &AppState,
    UserId(user): UserId,
) -> anyhow::Result<()> {
    let mut array = JsonArrayWriter::begin(archive, "ratings.json").await?;
    let mut before: Option<(DateTime<Utc>, i64)> = None;
    loop {
        let page = sqlx::query_as!(
            ExportedRating,
            r#"select r.id, blog_id as post, case when p.status = 'published' then p.title end as title, rating,
                r.created_at, r.updated_at
            from rates r join blog_posts p on p.id = r.blog_id
            where user_id = $1 and (r.updated_at, r.id) < (coalesce($2::timestamptz, 'infinity'), $3)
            order by r.updated_at desc, r.id desc limit $4"#,
            user,
            before.map(|(time, _)| time),
            before.map_or(i64::MAX, |(_, id)| id),
            ROWS,
        );
        let page = page.fetch_all(&state.pool).await?;
        let Some(last) = page.last() else { return array.end().await };
        before = Some((last.updated_at, last.id));
        for rating in &page {
            array.push(rating).await?;
        }
    }
}
