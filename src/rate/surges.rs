//! Events for webhooks when the ratings of a post begin to show unusual activity, and when this ends. The activity is the
//! one that the page of the post reports.

use sqlx::PgConnection;

use crate::blog_posts::PostId;
use crate::blog_posts::queries::find_post_detail;
use crate::blog_posts::urls::POST_BY_ID;
use crate::db::commit;
use crate::web::error::AppError;
use crate::web::state::AppState;
use crate::webhooks::payload::{EventPost, RatingSurge};
use crate::webhooks::{WebhookEvent, queue};

/// Maximum number of posts that are examined at once: those whose ratings were refused most recently.
const MAX_POSTS: i64 = 100;

/// Maximum number of refused ratings, newest first, that are read to find these posts.
const MAX_REFUSED_READ: i64 = 10_000;

/// Queues the events that are due. Does nothing if no webhook subscribes to them.
///
/// # Errors
/// If the database fails.
pub async fn enqueue_events(state: &AppState) -> Result<(), AppError> {
    for id in posts_to_examine(state).await? {
        let surge = match find_post_detail(&state.pool, &state.clock, PostId(id), None).await {
            Ok(post) => post.unusual_ratings.map(|unusual| (post.head.title, unusual)),
            // The surge of a post that was unpublished has ended, too.
            Err(AppError::NotFound) => None,
            Err(error) => return Err(error),
        };
        let mut transaction = state.pool.begin().await?;
        match surge {
            Some((title, unusual)) => {
                let begun = sqlx::query!(
                    "insert into rating_surges (blog_id, began_at) select id, $2 from blog_posts where id = $1
                    on conflict do nothing",
                    id,
                    unusual.since,
                );
                if begun.execute(&mut *transaction).await?.rows_affected() == 1 {
                    let post = event_post(state, id, title);
                    let data = RatingSurge { post, began_at: unusual.since, refused: unusual.rejected };
                    queue::enqueue(&mut transaction, &state.clock, WebhookEvent::SurgeBegan, &data).await?;
                }
            }
            None => end_surge(&mut transaction, state, id).await?,
        }
        commit(transaction).await?;
    }
    Ok(())
}

/// Returns the posts whose ratings were refused lately, and those with a surge that has not ended.
async fn posts_to_examine(state: &AppState) -> sqlx::Result<Vec<i64>> {
    let mut connection = state.pool.acquire().await?;
    let mut is_needed = false;
    for event in [WebhookEvent::SurgeBegan, WebhookEvent::SurgeEnded] {
        is_needed = is_needed || queue::is_subscribed(&mut connection, event).await?;
    }
    if !is_needed {
        return Ok(Vec::new());
    }
    let posts = sqlx::query_scalar!(
        r#"select blog_id as "id!" from rating_surges
        union
        (select blog_id from (
            select blog_id, at from refused_ratings
            where at > coalesce($1, clock_timestamp()) - interval '1 hour' order by at desc limit $2
        ) latest group by blog_id order by max(at) desc limit $3)"#,
        state.clock.now(),
        MAX_REFUSED_READ,
        MAX_POSTS,
    );
    posts.fetch_all(&mut *connection).await
}

async fn end_surge(connection: &mut PgConnection, state: &AppState, id: i64) -> sqlx::Result<()> {
    let ended = sqlx::query!(
        r#"delete from rating_surges s using blog_posts p where s.blog_id = $1 and p.id = s.blog_id
        returning p.title, s.began_at, (
            select coalesce(sum(refused), 0)::bigint from rating_history h
            where h.blog_id = s.blog_id and h.hour >= s.began_at
        ) as "refused!""#,
        id,
    );
    if let Some(ended) = ended.fetch_optional(&mut *connection).await? {
        let post = event_post(state, id, ended.title);
        let data = RatingSurge { post, began_at: ended.began_at, refused: ended.refused };
        queue::enqueue(connection, &state.clock, WebhookEvent::SurgeEnded, &data).await?;
    }
    Ok(())
}

fn event_post(state: &AppState, id: i64, title: String) -> EventPost {
    EventPost { id, title, url: state.settings.absolute_url(&POST_BY_ID.path_for(id)) }
}
