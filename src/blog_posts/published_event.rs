//! Event `post.published` for webhooks.

use sqlx::PgConnection;

use super::urls;
use crate::web::state::CoreState;
use crate::webhooks::payload::{EventPost, PublishedPost};
use crate::webhooks::{WebhookEvent, queue};

/// Queues an event for each post. Publishing a post again within a minute causes no second event.
pub async fn enqueue(connection: &mut PgConnection, state: &CoreState, ids: &[i64]) -> sqlx::Result<()> {
    if ids.is_empty() || !queue::is_subscribed(connection, WebhookEvent::PostPublished).await? {
        return Ok(());
    }
    let posts = sqlx::query!(
        "select p.id, p.title, u.username, p.language, p.tags, p.published_at
        from blog_posts p join users u on u.id = p.author_id
        where p.id = any($1) and not p.is_page and not exists (
            select from webhook_deliveries d
            where d.created_at > coalesce($2, clock_timestamp()) - interval '1 minute' and d.event = $3
                and d.data ->> 'id' = p.id::text
        )
        order by p.published_at, p.id",
        ids,
        state.clock.now(),
        WebhookEvent::PostPublished.name(),
    );
    for post in posts.fetch_all(&mut *connection).await? {
        let data = PublishedPost {
            post: build_event_post(state, post.id, post.title),
            author: post.username,
            language: post.language,
            tags: post.tags,
            published_at: post.published_at,
        };
        queue::enqueue(connection, &state.clock, WebhookEvent::PostPublished, &data).await?;
    }
    Ok(())
}

pub fn build_event_post(state: &CoreState, id: i64, title: String) -> EventPost {
    EventPost { id, title, url: state.settings.absolute_url(&urls::POST_BY_ID.path_for(id)) }
}
