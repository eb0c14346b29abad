//! Posts by id, as JSON responses and the editor need them.

use sqlx::PgPool;

use super::models::{Post, PostId, head};
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;

/// Finds a post as the reader may see it. Flagged URLs are removed for users who cannot change the post.
pub async fn find_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    let (post, masked_content) = read_post(pool, id, reader).await?;
    if reader.is_some_and(|reader| post.head.is_editable_by(reader)) {
        return Ok(post);
    }
    let flagged = post.unsafe_links.unwrap_or_default();
    Ok(Post {
        content: masked_content.unwrap_or(post.content),
        cover: post.cover.filter(|cover| !flagged.contains(cover)),
        unsafe_links: None,
        ..post
    })
}

/// Finds a post as stored, including flagged URLs.
pub async fn find_stored_post(pool: &PgPool, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    read_post(pool, id, reader).await.map(|(post, _)| post)
}

/// Reads a published post or a draft of the user. The second value is the Markdown source with flagged URLs masked;
/// `None` if no URL is flagged.
async fn read_post(
    pool: &PgPool,
    PostId(id): PostId,
    reader: Option<&CurrentUser>,
) -> Result<(Post, Option<String>), AppError> {
    let row = sqlx::query!(
        r#"select p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at,
            p.updated_at, p.published_at, p.publish_at, p.withheld_by, p.own_slug, p.own_excerpt, p.language,
            p.own_language, p.cover, p.content, p.content_html, p.version,
            l.suspected as "flagged?", l.masked_content as "masked_content?",
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!",
            r.rating as "my_rating?"
        from blog_posts p
            join users u on u.id = p.author_id
            left join rating_totals t on t.blog_id = p.id
            left join rates r on r.blog_id = p.id and r.user_id = $2
            left join post_links l on l.post_id = p.id
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id,
        reader.map(|reader| reader.id.0),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let post = Post {
        head: head!(row),
        content_html: row.content_html,
        content: row.content,
        cover: row.cover,
        own_slug: row.own_slug,
        own_excerpt: row.own_excerpt,
        own_language: row.own_language,
        version: row.version,
        notice: None,
        unsafe_links: Some(row.flagged.unwrap_or_default()),
    };
    Ok((post, row.masked_content))
}
