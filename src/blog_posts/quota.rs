//! Quota of an account that is not staff: number of posts and drafts, and size of their texts.

use sqlx::{PgConnection, PgExecutor, PgPool};

use crate::i18n::{Phrase, format_size};
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::CoreState;

pub const MAX_POSTS: i64 = 5_000;

#[derive(Clone, Copy, Debug)]
pub struct TextUsage {
    pub posts: i64,
    pub bytes: i64,
}

impl TextUsage {
    pub async fn load(executor: impl PgExecutor<'_>, UserId(author): UserId) -> sqlx::Result<Self> {
        let usage = sqlx::query_as!(
            Self,
            r#"select count(*) as "posts!", coalesce(sum(octet_length(content)), 0) as "bytes!"
            from blog_posts where author_id = $1"#,
            author,
        );
        usage.fetch_one(executor).await
    }

    pub fn quota_message(self, quota_bytes: i64) -> Phrase {
        let (used, quota) = (format_size(self.bytes), format_size(quota_bytes));
        phrase!("drafts-quota", posts = self.posts, most = MAX_POSTS, used = used, quota = quota)
    }
}

/// Updates `users.text_bytes`, the size of each account's texts, for sorting the list of users.
pub async fn update_text_sizes(pool: &PgPool) -> sqlx::Result<()> {
    let updated = sqlx::query!(
        "with sizes as (select author_id, sum(octet_length(content))::bigint as bytes from blog_posts group by author_id)
        update users u set text_bytes = coalesce(s.bytes, 0) from users o left join sizes s on s.author_id = o.id
        where u.id = o.id and u.text_bytes <> coalesce(s.bytes, 0)",
    );
    updated.execute(pool).await.map(drop)
}

/// Checks that an account may store a text in place of `replaced`. Locks the row of the account, because concurrent
/// requests could otherwise exceed the quota together.
pub async fn check_quota(
    connection: &mut PgConnection,
    state: &CoreState,
    author: &CurrentUser,
    content: &str,
    replaced: Option<&str>,
) -> Result<(), AppError> {
    if author.is_staff() {
        return Ok(());
    }
    let size = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
    let (grows, quota) = (size(content) - replaced.map_or(0, size), state.text_quota_bytes);
    if grows <= 0 {
        return Ok(());
    }
    sqlx::query!("select from users where id = $1 for no key update", author.id.0)
        .fetch_optional(&mut *connection)
        .await?;
    let TextUsage { posts, bytes } = TextUsage::load(connection, author.id).await?;
    if replaced.is_none() && posts >= MAX_POSTS {
        return Err(AppError::invalid_field("content", phrase!("invalid-too-many-posts", most = MAX_POSTS)));
    }
    if bytes.saturating_add(grows) > quota {
        let (used, most) = (format_size(bytes), format_size(quota));
        return Err(AppError::invalid_field("content", phrase!("invalid-texts-too-large", used = used, most = most)));
    }
    Ok(())
}
