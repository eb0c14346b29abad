//! Lines as rows.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::{LineWrites, Lines, Waiting};
use crate::blog_posts::PostId;
use crate::database::commit;
use crate::rate::models::{Pair, Stars};
use crate::web::visitor::UserId;

/// The most that are counted at once, of one post and of all of a batch.
const AT_ONCE: i64 = 100;
const AT_ONCE_OF_ALL: i64 = 512;

/// Posts that have a line, after this one: the first `most` of them. Each is found by the index.
///
/// # Errors
/// If the database fails.
pub async fn posts_with_lines(pool: &PgPool, PostId(after): PostId, most: i64) -> sqlx::Result<Vec<PostId>> {
    let posts = sqlx::query_scalar!(
        r#"with recursive lines (blog_id) as (
            select min(blog_id) from waiting_ratings where blog_id > $1
            union all
            select (select min(blog_id) from waiting_ratings where blog_id > lines.blog_id)
            from lines where lines.blog_id is not null
        ) select blog_id as "blog_id!" from lines where blog_id is not null limit $2"#,
        after,
        most,
    );
    Ok(posts.fetch_all(pool).await?.into_iter().map(PostId).collect())
}

/// The lines of these posts, whose totals are locked, and what waits of these pairs' readers.
///
/// # Errors
/// If the database fails.
pub async fn read(
    connection: &mut PgConnection,
    posts: &[i64],
    pairs: &BTreeSet<Pair>,
    pace_ms: impl Fn(PostId) -> Option<i64>,
) -> sqlx::Result<Lines> {
    let pace_ms = posts.iter().filter_map(|post| Some((PostId(*post), pace_ms(PostId(*post))?))).collect();
    let mut lines = Lines { pace_ms, ..Lines::default() };
    count(connection, posts, pairs, &mut lines).await?;
    if lines.of_posts.is_empty() {
        return Ok(lines);
    }
    let first = sqlx::query!(
        "select w.user_id, w.blog_id, w.rating, w.chosen_at from unnest($1::bigint[]) as post (id) cross join lateral (
            select * from waiting_ratings where blog_id = post.id order by id limit $2
        ) as w order by w.id limit $3",
        posts,
        AT_ONCE,
        AT_ONCE_OF_ALL,
    );
    let first = first.fetch_all(&mut *connection).await?.into_iter().filter_map(|row| {
        let pair = Pair { user: UserId(row.user_id), post: PostId(row.blog_id) };
        Some(Waiting { pair, stars: Stars::new(i64::from(row.rating))?, chosen_at: row.chosen_at })
    });
    lines.first = first.collect();
    let (users, blogs) = Pair::columns(pairs);
    let numbers = sqlx::query!(
        r#"select w.user_id, w.blog_id,
            (select count(*) from waiting_ratings where blog_id = w.blog_id and id <= w.id) as "number!"
        from unnest($1::bigint[], $2::bigint[]) as pair (user_id, blog_id) cross join lateral (
            select * from waiting_ratings where user_id = pair.user_id and blog_id = pair.blog_id limit 1
        ) as w"#,
        &users,
        &blogs,
    );
    for row in numbers.fetch_all(connection).await? {
        lines.numbers.insert(Pair { user: UserId(row.user_id), post: PostId(row.blog_id) }, row.number);
    }
    Ok(lines)
}

/// How many wait for each post, and of each reader.
async fn count(
    connection: &mut PgConnection,
    posts: &[i64],
    pairs: &BTreeSet<Pair>,
    lines: &mut Lines,
) -> sqlx::Result<()> {
    let counts = sqlx::query!(
        r#"select blog_id as "post", null::bigint as "reader", count(*) as "count!" from waiting_ratings
            where blog_id = any($1) group by blog_id
        union all
        select null, user_id, count(*) from waiting_ratings where user_id = any($2) group by user_id"#,
        posts,
        &Pair::columns(pairs).0,
    );
    for row in counts.fetch_all(connection).await? {
        match (row.post, row.reader) {
            (Some(post), _) => drop(lines.of_posts.insert(PostId(post), row.count)),
            (None, Some(reader)) => drop(lines.of_readers.insert(UserId(reader), row.count)),
            _ => (),
        }
    }
    Ok(())
}

/// # Errors
/// If the database fails.
pub async fn write(connection: &mut PgConnection, writes: &LineWrites, now: DateTime<Utc>) -> sqlx::Result<()> {
    if !writes.left.is_empty() {
        let (users, blogs) = Pair::columns(&writes.left);
        sqlx::query!(
            "delete from waiting_ratings w using unnest($1::bigint[], $2::bigint[]) as gone (user_id, blog_id)
            where w.user_id = gone.user_id and w.blog_id = gone.blog_id",
            &users,
            &blogs,
        )
        .execute(&mut *connection)
        .await?;
    }
    if writes.waiting.is_empty() {
        return Ok(());
    }
    let (users, blogs) = Pair::columns(writes.waiting.iter().map(|(pair, _)| pair));
    let ratings: Vec<i16> = writes.waiting.iter().map(|(_, stars)| stars.get()).collect();
    sqlx::query!(
        "insert into waiting_ratings (user_id, blog_id, rating, chosen_at)
        select user_id, blog_id, rating, $4 from unnest($1::bigint[], $2::bigint[], $3::smallint[])
            with ordinality as new (user_id, blog_id, rating, number)
        order by number
        on conflict on constraint unique_user_blog_waiting do update
            set rating = excluded.rating, chosen_at = excluded.chosen_at",
        &users,
        &blogs,
        &ratings,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What a reader has waiting of a post: the stars, and the number in the line.
///
/// # Errors
/// If the database fails.
pub async fn of_reader(pool: &PgPool, Pair { user, post }: Pair) -> sqlx::Result<Option<(i16, i64)>> {
    let waiting = sqlx::query!(
        r#"select rating, (select count(*) from waiting_ratings where blog_id = w.blog_id and id <= w.id) as "number!"
        from waiting_ratings w where user_id = $1 and blog_id = $2"#,
        user.0,
        post.0,
    );
    Ok(waiting.fetch_optional(pool).await?.map(|row| (row.rating, row.number)))
}

/// Takes a reader's rating out of its line. Returns whether it was there.
///
/// # Errors
/// If the database fails.
pub async fn take_back(pool: &PgPool, Pair { user, post }: Pair) -> sqlx::Result<bool> {
    let mut transaction = pool.begin().await?;
    // Whoever counts it does so under this lock: it is either counted or taken back.
    sqlx::query!("select from rating_totals where blog_id = $1 for no key update", post.0)
        .fetch_optional(&mut *transaction)
        .await?;
    let taken = sqlx::query!("delete from waiting_ratings where user_id = $1 and blog_id = $2", user.0, post.0);
    let taken = taken.execute(&mut *transaction).await?.rows_affected() > 0;
    commit(transaction).await?;
    Ok(taken)
}
