//! Webhook events when the unusual activity that a post's page reports begins and ends.

use sqlx::PgConnection;

use crate::blog_posts::PostId;
use crate::blog_posts::post_detail::{UnusualRatings, find_post_detail};
use crate::blog_posts::published_event::build_event_post;
use crate::db::commit;
use crate::web::error::AppError;
use crate::web::state::CoreState;
use crate::webhooks::payload::RatingSurge;
use crate::webhooks::{WebhookEvent, queue};

/// Maximum number of examined posts, of which the posts with the latest refused ratings come first.
const MAX_POSTS: i64 = 100;

/// Maximum number of refused ratings that are read, the newest ratings first.
const MAX_REFUSED_READ: i64 = 10_000;

/// Does nothing if no webhook subscribes. Logs the error of a single post, so that other posts are still examined.
pub async fn enqueue_events(state: &CoreState) -> Result<(), AppError> {
    for (id, is_ongoing) in posts_to_examine(state).await? {
        if let Err(error) = examine(state, id, is_ongoing).await {
            error.log();
        }
    }
    Ok(())
}

async fn examine(state: &CoreState, id: i64, is_ongoing: bool) -> Result<(), AppError> {
    let surge = match find_post_detail(&state.pool, &state.clock, PostId(id), None).await {
        Ok(post) => post.unusual_ratings.map(|unusual| (post.head.title, unusual)),
        // The surge of a post that was unpublished has ended, too.
        Err(AppError::NotFound) => None,
        Err(error) => return Err(error),
    };
    if surge.is_some() == is_ongoing {
        return Ok(());
    }
    let mut transaction = state.pool.begin().await?;
    match surge {
        Some((title, unusual)) => begin_surge(&mut transaction, state, id, title, &unusual).await?,
        None => end_surge(&mut transaction, state, id).await?,
    }
    commit(transaction).await?;
    Ok(())
}

/// Posts with an ongoing surge (`true`), and posts whose ratings were refused lately.
async fn posts_to_examine(state: &CoreState) -> sqlx::Result<Vec<(i64, bool)>> {
    let mut connection = state.pool.acquire().await?;
    let mut is_needed = false;
    for event in [WebhookEvent::SurgeBegan, WebhookEvent::SurgeEnded] {
        is_needed = is_needed || queue::is_subscribed(&mut connection, event).await?;
    }
    if !is_needed {
        // A webhook that subscribes later gets no event about the end of a surge whose beginning it does not know.
        sqlx::query!("delete from rating_surges").execute(&mut *connection).await?;
        return Ok(Vec::new());
    }
    let posts = sqlx::query!(
        r#"select blog_id as "id!", true as "is_ongoing!" from rating_surges
        union all
        select blog_id, false from (
            select blog_id, max(at) as latest from (
                select blog_id, at from refused_ratings
                where at > coalesce($1, clock_timestamp()) - interval '1 hour' order by at desc limit $2
            ) refused
            where not exists (select from rating_surges s where s.blog_id = refused.blog_id)
            group by blog_id order by latest desc limit $3
        ) latest"#,
        state.clock.now(),
        MAX_REFUSED_READ,
        MAX_POSTS,
    );
    let posts = posts.fetch_all(&mut *connection).await?;
    Ok(posts.into_iter().map(|post| (post.id, post.is_ongoing)).collect())
}

async fn begin_surge(
    connection: &mut PgConnection,
    state: &CoreState,
    id: i64,
    title: String,
    unusual: &UnusualRatings,
) -> sqlx::Result<()> {
    let begun = sqlx::query!(
        "insert into rating_surges (blog_id, began_at) select id, $2 from blog_posts where id = $1 on conflict do nothing",
        id,
        unusual.since,
    );
    if begun.execute(&mut *connection).await?.rows_affected() == 1 {
        let post = build_event_post(state, id, title);
        let data = RatingSurge { post, began_at: unusual.since, refused: unusual.blocked_attempts };
        queue::enqueue(connection, &state.clock, WebhookEvent::SurgeBegan, &data).await?;
    }
    Ok(())
}

async fn end_surge(connection: &mut PgConnection, state: &CoreState, id: i64) -> sqlx::Result<()> {
    let ended = sqlx::query!(
        r#"delete from rating_surges s using blog_posts p where s.blog_id = $1 and p.id = s.blog_id
        returning p.title, s.began_at, (
            select coalesce(sum(refused), 0)::bigint from rating_hours h
            where h.blog_id = s.blog_id and h.hour >= s.began_at
        ) as "refused!""#,
        id,
    );
    if let Some(ended) = ended.fetch_optional(&mut *connection).await? {
        let post = build_event_post(state, id, ended.title);
        let data = RatingSurge { post, began_at: ended.began_at, refused: ended.refused };
        queue::enqueue(connection, &state.clock, WebhookEvent::SurgeEnded, &data).await?;
    }
    Ok(())
}
