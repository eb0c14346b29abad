//! Rows of earlier versions of posts, and their statements.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use crate::blog_posts::models::{Post, PostId};
use crate::db::clock::Clock;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::extractor;
use crate::web::request::id::parse_id;
use crate::web::routing::operation::Describe;
use crate::web::state::CoreState;

/// Maximum number of earlier versions of a post.
const MAX_REVISIONS: i64 = 50;
/// Minimum time in seconds between two earlier versions of a draft, which is saved automatically while it is written.
const DRAFT_INTERVAL_S: f64 = 600.0;
const RETENTION_S: f64 = 30.0 * 86_400.0;
const DELETE_BATCH: i64 = 1_000;

/// Earlier version of a post in a list.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RevisionSummary {
    /// Version number of the post with this text.
    pub version: i32,
    pub title: String,
    /// Length of the text.
    pub characters: i32,
    /// Time at which the text was saved.
    pub saved_at: DateTime<Utc>,
    /// Time at which an edit replaced the text.
    pub replaced_at: DateTime<Utc>,
}

/// Earlier version of a post.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Revision {
    /// Version number of the post with this text.
    pub version: i32,
    pub title: String,
    /// Markdown source.
    pub content: String,
    /// Time at which the text was saved.
    pub saved_at: DateTime<Utc>,
    /// Time at which an edit replaced the text.
    pub replaced_at: DateTime<Utc>,
}

/// Version number in a path.
#[derive(Clone, Copy, Debug)]
pub struct RevisionVersion(pub i32);

impl Describe for RevisionVersion {}

extractor!(RevisionVersion, AppError, |request| {
    let version = request.match_info().get("version").and_then(parse_id);
    version.and_then(|version| i32::try_from(version).ok()).map(Self).ok_or(AppError::NotFound)
});

/// Texts of drafts are visible to their author only, even after the draft was published.
pub(super) fn sees_private_texts(post: &Post, user: &CurrentUser) -> bool {
    post.head.author.id == user.id
}

/// Stores the text of a post before it is replaced by another text. The row of the post must be locked. `is_required` is
/// false if a version of a draft may be omitted, because a previous save has stored one in the last ten minutes.
pub async fn store_revision(
    connection: &mut PgConnection,
    clock: &Clock,
    PostId(id): PostId,
    (title, content): (&str, &str),
    is_required: bool,
) -> sqlx::Result<()> {
    let stored = sqlx::query!(
        "with added as (
            insert into post_revisions (post_id, version, title, content, images, is_private, saved_at, replaced_at)
            select p.id, p.version, p.title, p.content, array(select image_id from image_uses where post_id = p.id),
                p.status = 'draft' and p.submitted_at is null, p.updated_at, clock.now
            from blog_posts p, (select coalesce($2, clock_timestamp()) as now) clock
            where p.id = $1 and (p.title, p.content) <> ($3, $4) and ($5 or p.status = 'published' or not exists (
                select from post_revisions
                where post_id = p.id and replaced_at > clock.now - make_interval(secs => $6)
            ))
            returning post_id
        )
        delete from post_revisions where post_id = (select post_id from added) and version in (
            select version from post_revisions where post_id = $1 order by version desc offset $7
        )",
        id,
        clock.now(),
        title,
        content,
        is_required,
        DRAFT_INTERVAL_S,
        // The statement does not see the row that it adds.
        MAX_REVISIONS - 1,
    );
    stored.execute(connection).await.map(drop)
}

/// Lists the earlier versions of a post that the user may see, the latest first.
pub async fn list_revisions(pool: &PgPool, post: &Post, user: &CurrentUser) -> sqlx::Result<Vec<RevisionSummary>> {
    let revisions = sqlx::query_as!(
        RevisionSummary,
        r#"select version, title, char_length(content) as "characters!", saved_at, replaced_at from post_revisions
        where post_id = $1 and ($2 or not is_private) order by version desc"#,
        post.head.id.0,
        sees_private_texts(post, user),
    );
    revisions.fetch_all(pool).await
}

pub async fn find_revision(
    pool: &PgPool,
    post: &Post,
    user: &CurrentUser,
    RevisionVersion(version): RevisionVersion,
) -> Result<Revision, AppError> {
    let revision = sqlx::query_as!(
        Revision,
        "select version, title, content, saved_at, replaced_at from post_revisions
        where post_id = $1 and version = $2 and ($3 or not is_private)",
        post.head.id.0,
        version,
        sees_private_texts(post, user),
    );
    revision.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

/// Deletes old versions, and the oldest versions of authors whose versions together are larger than the quota of texts.
pub async fn delete_expired(state: &CoreState) -> sqlx::Result<()> {
    loop {
        let deleted = sqlx::query!(
            "delete from post_revisions where (post_id, version) in (
                select post_id, version from (
                    select r.post_id, r.version, r.replaced_at, sum(octet_length(r.content)) over (
                        partition by p.author_id order by r.replaced_at desc, r.version desc, r.post_id
                    ) as bytes
                    from post_revisions r join blog_posts p on p.id = r.post_id
                ) sizes
                where replaced_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2) or bytes > $3
                limit $4
            )",
            state.clock.now(),
            RETENTION_S,
            state.text_quota_bytes,
            DELETE_BATCH,
        );
        if deleted.execute(&state.pool).await?.rows_affected() < DELETE_BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}
