//! Posts and images in a personal data export.

use async_zip::base::write::ZipFileWriter;
use async_zip::{Compression, ZipEntryBuilder};
use chrono::{DateTime, Utc};
use evenkeel_markdown::image_name::{ImageFile, ImageName};
use futures_util::StreamExt as _;
use futures_util::io::{AsyncWrite, AsyncWriteExt as _};
use serde::Serialize;

use super::archive::{write_file, write_rows};
use super::rows::ROWS_PER_QUERY;
use crate::blog_posts::{self, PostId};
use crate::i18n::format_rfc3339;
use crate::images::image_library::ImageLibrary;
use crate::images::store::OpenFile;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

/// Number of texts per query, which are at most 1 MiB together.
const TEXTS: i64 = 4;

#[derive(Serialize)]
pub struct Post {
    pub id: i64,
    title: String,
    status: String,
    is_page: bool,
    accepts_ratings: bool,
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

pub async fn posts_after(state: &CoreState, UserId(user): UserId, after: i64) -> sqlx::Result<Vec<Post>> {
    let posts = sqlx::query_as!(
        Post,
        r#"select p.id, p.title, p.status, p.is_page, p.accepts_ratings, p.tags, p.own_slug as slug, p.own_excerpt as excerpt, p.own_language as language, p.cover,
                p.created_at, p.updated_at, p.published_at, p.publish_at, t.average_rating as "average_rating?",
                t.rating_count as "rating_count?"
            from blog_posts p left join rating_totals t on t.blog_id = p.id
            where p.author_id = $1 and p.id > $2 order by p.id limit $3"#,
        user,
        after,
        ROWS_PER_QUERY,
    );
    posts.fetch_all(&state.pool).await
}

/// Writes each post as a Markdown file with front matter for static site generators.
pub async fn write_post_files<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &CoreState,
    UserId(user): UserId,
) -> anyhow::Result<()> {
    let mut after = 0;
    loop {
        let page = sqlx::query!(
            "select id, title, status, tags, own_slug, content, created_at, updated_at, published_at from blog_posts
            where author_id = $1 and id > $2 order by id limit $3",
            user,
            after,
            TEXTS,
        );
        let page = page.fetch_all(&state.pool).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.id;
        for post in page {
            let slug = blog_posts::slug(post.own_slug.as_ref().unwrap_or(&post.title));
            // Title and tags are written as JSON strings, which are valid YAML strings.
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
pub struct Revision {
    pub post: i64,
    pub version: i32,
    title: String,
    content: String,
    saved_at: DateTime<Utc>,
    replaced_at: DateTime<Utc>,
}

/// Reads the earlier versions of posts after a post and version.
pub async fn revisions_after(
    state: &CoreState,
    UserId(user): UserId,
    (post, version): (i64, i32),
) -> sqlx::Result<Vec<Revision>> {
    let revisions = sqlx::query_as!(
        Revision,
        "select r.post_id as post, r.version, r.title, r.content, r.saved_at, r.replaced_at
        from post_revisions r join blog_posts p on p.id = r.post_id
        where p.author_id = $1 and (r.post_id, r.version) > ($2, $3) order by r.post_id, r.version limit $4",
        user,
        post,
        version,
        TEXTS,
    );
    revisions.fetch_all(&state.pool).await
}

#[derive(Serialize)]
struct Image {
    #[serde(skip)]
    id: i64,
    name: String,
    alt: String,
    added_at: DateTime<Utc>,
}

async fn images_after(state: &CoreState, UserId(user): UserId, after: i64) -> sqlx::Result<Vec<Image>> {
    let page = sqlx::query_as!(
        Image,
        "select o.id, i.name, o.alt, o.added_at from image_owners o join images i on i.id = o.image_id
        where user_id = $1 and o.id > $2 order by o.id limit $3",
        user,
        after,
        ROWS_PER_QUERY,
    );
    page.fetch_all(&state.pool).await
}

/// The image files are stored without compression, because image formats are already compressed.
pub async fn images<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    state: &CoreState,
    library: &ImageLibrary,
    user: UserId,
) -> anyhow::Result<()> {
    write_rows(archive, "images.json", 0, |after| images_after(state, user, after), |image| image.id).await?;
    let mut after = 0;
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
