//! Changes of posts by the `import` command, which adapts links between imported posts.

use sqlx::PgPool;

use crate::blog_posts::models::PostId;
use crate::blog_posts::rendering::{self, PostText, Renderer};
use crate::db::commit;
use crate::permits::Requester;
use crate::web::error::AppError;
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct PostSource {
    pub source: PostText,
    pub cover: Option<String>,
    pub version: i32,
}

pub async fn find_post_source(pool: &PgPool, PostId(id): PostId) -> sqlx::Result<PostSource> {
    let row = sqlx::query!("select title, content, own_language, cover, version from blog_posts where id = $1", id);
    let row = row.fetch_one(pool).await?;
    Ok(PostSource {
        source: PostText {
            title: row.title,
            content: row.content,
            own_language: row.own_language.and_then(|own| own.parse().ok()),
        },
        cover: row.cover,
        version: row.version,
    })
}

/// Replaces the text of a post, not its timestamps. Returns `false` if the post was changed since `version`.
pub async fn replace_post_text(
    state: &CoreState,
    renderer: &Renderer,
    PostId(id): PostId,
    PostSource { source, cover, version }: PostSource,
) -> Result<bool, AppError> {
    let content = source.content.clone();
    let (prepared, checked_links) = renderer.render(Requester::Other, source, cover.as_deref()).await?;
    let mut transaction = state.pool.begin().await?;
    let updated = sqlx::query!(
        "update blog_posts set content = $2, version = version + 1 where id = $1 and version = $3",
        id,
        content,
        version
    );
    if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
    commit(transaction).await?;
    state.page_cache.invalidate();
    Ok(true)
}
