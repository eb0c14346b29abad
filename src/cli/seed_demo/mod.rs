//! `evenkeel seed_demo`: adds demo authors, posts and ratings.
//!
//! The transaction that creates a post also writes its rating totals, so that no other transaction changes them.

mod covers;
mod ratings;

use anyhow::{Context as _, anyhow, bail};
use chrono::{DateTime, TimeDelta, Utc};
use evenkeel_image_encoding::{CropMode, EncodedImage, encode};
use evenkeel_markdown::FlaggedUrls;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use sqlx::{Connection as _, PgConnection, PgTransaction};

use self::ratings::{HISTORY_DAYS, RatingDistribution, fill_history, insert_brigade, insert_ratings};
use crate::audit_log::Actor;
use crate::blog_posts::Tags;
use crate::blog_posts::rendering::links::LinkCheckResult;
use crate::blog_posts::rendering::{PostText, RenderedPost, save_rendered_post};
use crate::cli::error_messages::to_command_error;
use crate::cli::progress;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::images::models::{ImageUse, add_user_image, save_image_uses};
use crate::images::store::ImageStore;
use crate::log::print_line;
use crate::permits::Requester;
use crate::rate::limiter::overrides::{self, ExpectedOverride, NewOverride};
use crate::rate::{Settings, recount};
use crate::users::username::confusable_skeleton;
use crate::users::{Password, PasswordHasher, Username};
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::Field as _;

const POSTS: &str = include_str!("posts.txt");
/// Number of demo users who rate posts but write none.
const READERS: usize = 400;
/// Number of accounts of the brigade, which have not rated before: a replay would replace the honest ratings of users
/// who rate the same post again. At least the number of refused users in one hour of `insert_brigade`.
const BRIGADE: usize = 376;
const POSTS_PER_COVER: usize = 2;

#[derive(Debug)]
pub struct SeedResult {
    pub posts: usize,
    pub ratings: usize,
    pub username: String,
    pub password: String,
}

pub async fn seed(
    connection: &mut PgConnection,
    clock: &Clock,
    hasher: &PasswordHasher,
    images: &ImageStore,
    settings: &Settings,
    force: bool,
) -> anyhow::Result<SeedResult> {
    if !force {
        check_no_posts(connection).await?;
    }
    let now = clock.read(connection).await?;
    let mut random = StdRng::seed_from_u64(1974);
    let posts: Vec<DemoPost> = parse(POSTS)?;
    let bar = progress::item_progress_bar("Adding", "posts", posts.len() as u64);
    let begin = now - TimeDelta::days(HISTORY_DAYS + 30);
    let readers = create_numbered_users(connection, "reader", READERS, begin).await?;
    let authors = create_users(connection, posts.iter().map(|post| post.author), begin).await?;
    let mut ratings = 0;
    for (index, post) in posts.iter().enumerate() {
        let age = TimeDelta::days(HISTORY_DAYS) / i32::try_from(posts.len())? * i32::try_from(posts.len() - index)?;
        let created_at = now - age + TimeDelta::minutes(random.random_range(0..600));
        let author = *authors.get(post.author).context("the author of a demo post was not created")?;
        let others: Vec<i64> =
            readers.values().chain(authors.values()).copied().filter(|user| *user != author).collect();
        let post_ratings =
            RatingDistribution::random(&mut random, age).ratings(&mut random, others, created_at.min(now), now);
        let mut transaction = connection.begin().await?;
        let id = insert_post(&mut transaction, author, post, created_at.min(now)).await?;
        ratings += post_ratings.len();
        insert_ratings(&mut transaction, id, post_ratings).await?;
        if index % POSTS_PER_COVER == 0 {
            add_cover(&mut transaction, clock, images, author, id, index / POSTS_PER_COVER).await?;
        }
        commit(transaction).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    fill_history(connection).await?;
    recount::compute_missing_scores(connection).await?;
    // `insert_brigade` uses the newest accounts.
    create_numbered_users(connection, "newcomer", BRIGADE, now - TimeDelta::days(2)).await?;
    insert_brigade(connection, now).await?;
    choose_limiter(connection, clock, settings).await?;
    insert_hourly_stats(connection, now).await?;
    let (username, password) = create_demo_user(connection, hasher, now).await?;
    Ok(SeedResult { posts: posts.len(), ratings, username, password })
}

async fn check_no_posts(connection: &mut PgConnection) -> anyhow::Result<()> {
    let has_posts = sqlx::query_scalar!(r#"select exists (select from blog_posts) as "exists!""#);
    if has_posts.fetch_one(connection).await? {
        bail!("the database already has posts; run `evenkeel seed_demo --force` to add the demo anyway");
    }
    Ok(())
}

struct DemoPost {
    author: &'static str,
    title: &'static str,
    tags: Tags,
    content: &'static str,
}

/// Parses `posts.txt`. Each post begins with a line `=== author | title | tag, tag`.
fn parse(text: &'static str) -> anyhow::Result<Vec<DemoPost>> {
    let parts = text.strip_prefix("=== ").context("posts.txt does not begin with a post")?.split("\n=== ");
    parts
        .map(|part| {
            let (heading, content) = part.split_once('\n').context("posts.txt has a post without text")?;
            let (author, rest) = heading.split_once(" | ").context("posts.txt has a heading without an author")?;
            let (title, tags) = rest.split_once(" | ").context("posts.txt has a heading without tags")?;
            let tags = Tags::from_text(tags).map_err(anyhow::Error::msg)?;
            Ok(DemoPost { author, title, tags, content: content.trim() })
        })
        .collect()
}

type Ids = std::collections::BTreeMap<String, i64>;

/// Creates missing users, with an unusable password. Returns the ids of all users by name.
async fn create_users(
    connection: &mut PgConnection,
    names: impl Iterator<Item = &str>,
    created_at: DateTime<Utc>,
) -> anyhow::Result<Ids> {
    let names: std::collections::BTreeSet<&str> = names.collect();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let (mut keys, mut skeletons) = (Vec::new(), Vec::new());
    for name in &names {
        let username = Username::from_text(name).map_err(|problem| anyhow::anyhow!("{name}: {problem}"))?;
        keys.push(username.key().to_owned());
        skeletons.push(username.skeleton().to_owned());
    }
    sqlx::query!(
        r#"insert into users (username, username_key, username_skeleton, email, password_hash, created_at)
        select name, key, skeleton, 'demo@example.com', '!demo', $3
        from unnest($1::text[], $2::text[], $4::text[]) as new (name, key, skeleton)
        on conflict do nothing"#,
        &names,
        &keys,
        created_at,
        &skeletons,
    )
    .execute(&mut *connection)
    .await?;
    let rows = sqlx::query!("select id, username_key from users where username_key = any($1)", &keys);
    let ids: Ids = rows.fetch_all(connection).await?.into_iter().map(|row| (row.username_key, row.id)).collect();
    let ids_by_name = names.into_iter().zip(keys).filter_map(|(name, key)| Some((name, *ids.get(&key)?)));
    Ok(ids_by_name.collect())
}

async fn create_numbered_users(
    connection: &mut PgConnection,
    prefix: &str,
    count: usize,
    created_at: DateTime<Utc>,
) -> anyhow::Result<Ids> {
    let names: Vec<String> = (1..=count).map(|number| format!("{prefix}_{number:03}")).collect();
    create_users(connection, names.iter().map(String::as_str), created_at).await
}

fn rendered(title: &str, content: &str) -> anyhow::Result<RenderedPost> {
    let source = PostText { title: title.to_owned(), content: content.to_owned(), own_language: None };
    source.render_post(&FlaggedUrls::new(), &|| true).context("rendering a demo post was cancelled")
}

async fn insert_post(
    transaction: &mut PgTransaction<'_>,
    author: i64,
    post: &DemoPost,
    created_at: DateTime<Utc>,
) -> anyhow::Result<i64> {
    let id = sqlx::query_scalar!(
        r#"insert into blog_posts (author_id, title, content, created_at, updated_at, published_at, tags)
        values ($1, $2, $3, $4, $4, $4, $5) returning id"#,
        author,
        post.title,
        post.content,
        created_at,
        &post.tags.0,
    );
    let id = id.fetch_one(&mut **transaction).await?;
    save_rendered_post(transaction, id, &rendered(post.title, post.content)?, &LinkCheckResult::default()).await?;
    Ok(id)
}

async fn add_cover(
    transaction: &mut PgTransaction<'_>,
    clock: &Clock,
    images: &ImageStore,
    author: i64,
    post: i64,
    number: usize,
) -> anyhow::Result<()> {
    let cover = tokio::task::spawn_blocking(move || {
        let file = covers::draw_cover(number)?;
        encode(&file, CropMode::Whole).map_err(|problem| anyhow!("cannot encode a demo cover: {problem:?}"))
    });
    let EncodedImage { name, files, .. } = cover.await??;
    let bytes = i64::try_from(files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>())?;
    add_user_image(transaction, clock, UserId(author), &name, bytes, "", i64::MAX).await.map_err(to_command_error)?;
    for (file, bytes) in files {
        images.write_file(&file, bytes).await.map_err(to_command_error)?;
    }
    let path = name.path();
    sqlx::query!("update blog_posts set cover = $2 where id = $1", post, path).execute(&mut **transaction).await?;
    save_image_uses(transaction, ImageUse::Post(post), None, &[name.to_string()]).await?;
    Ok(())
}

/// Sets `surge` as the limiter: a replay with the default limiter would contradict the demo history of ratings.
async fn choose_limiter(connection: &mut PgConnection, clock: &Clock, settings: &Settings) -> anyhow::Result<()> {
    if overrides::active_override(connection, None).await?.is_some() {
        return Ok(());
    }
    print_line("The rating limiter is now surge; to use RATING_LIMITER again, run: evenkeel limiter undo");
    let limiter = settings.rating_limiter("surge");
    let reason = "Chosen by seed_demo: this limiter refuses the ratings of the demo's brigade.".to_owned();
    let new = NewOverride { scope: None, limiter, reason, expected: ExpectedOverride::Any };
    let mut transaction = connection.begin().await?;
    overrides::add_override(&mut transaction, clock, Actor::default(), settings, new)
        .await
        .map_err(|error| anyhow!("{error:?}"))?;
    Ok(commit(transaction).await?)
}

/// Adds two days of statistics for the dashboard: past ratings, and made-up visits that follow the time of day.
async fn insert_hourly_stats(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query!(
        r#"insert into site_hours as h (hour, visitors, pages, ratings, refused)
        select hours.hour, visits.count + ratings.admitted, 4 * visits.count + 2 * ratings.admitted, ratings.admitted,
            ratings.refused
        from generate_series(
                date_trunc('hour', $1::timestamptz, 'UTC') - interval '47 hours', date_trunc('hour', $1, 'UTC'),
                interval '1 hour'
            ) as hours (hour)
            cross join lateral (
                select (30 + 20 * cos(pi() * (extract(hour from hours.hour) - 18) / 12))::bigint as count
            ) as visits
            cross join lateral (
                select coalesce(sum(admitted), 0)::bigint as admitted, coalesce(sum(refused), 0)::bigint as refused
                from rating_hours where hour = hours.hour
            ) as ratings
        -- A running instance may have counted visits of these hours already.
        on conflict (hour) do update set visitors = greatest(h.visitors, excluded.visitors),
            pages = greatest(h.pages, excluded.pages), ratings = greatest(h.ratings, excluded.ratings),
            refused = greatest(h.refused, excluded.refused)"#,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_drafts(connection: &mut PgConnection, author: i64, now: DateTime<Utc>) -> anyhow::Result<()> {
    for (title, content) in [
        (
            "Notes on keeping an even keel",
            "What I have so far:\n\n- ballast *low*\n- weight **amidships**\n- and a reef early",
        ),
        ("پیش‌نویس: نامه‌ای که نفرستادم", "هنوز نمی‌دانم از کجا شروع کنم."),
    ] {
        let id = sqlx::query_scalar!(
            r#"insert into blog_posts (author_id, title, content, status, created_at, updated_at)
            values ($1, $2, $3, 'draft', $4, $4) returning id"#,
            author,
            title,
            content,
            now,
        );
        let id = id.fetch_one(&mut *connection).await?;
        save_rendered_post(connection, id, &rendered(title, content)?, &LinkCheckResult::default()).await?;
    }
    Ok(())
}

/// Creates a demo user with a random password, because the demo may be reachable from the internet.
async fn create_demo_user(
    connection: &mut PgConnection,
    hasher: &PasswordHasher,
    now: DateTime<Utc>,
) -> anyhow::Result<(String, String)> {
    let password = format!("{:032x}", rand::random::<u128>());
    let typed = Password::from_text(&password).map_err(anyhow::Error::msg)?;
    let hash = hasher.rehash(Requester::Other, typed).await.map_err(|error| anyhow::anyhow!(error))?;
    for number in 1.. {
        let name = if number == 1 { "demo".to_owned() } else { format!("demo{number}") };
        let inserted = sqlx::query_scalar!(
            r#"insert into users (username, username_key, username_skeleton, email, password_hash, created_at)
            values ($1, $1, $4, 'demo@example.com', $2, $3)
            on conflict do nothing returning id"#,
            name,
            hash,
            now,
            confusable_skeleton(&name),
        );
        if let Some(id) = inserted.fetch_optional(&mut *connection).await? {
            insert_drafts(connection, id, now).await?;
            return Ok((name, password));
        }
    }
    bail!("no username is available for the demo user")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_has_posts_by_many_authors_in_all_three_languages() {
        let posts = parse(POSTS).unwrap();
        let authors: std::collections::BTreeSet<&str> = posts.iter().map(|post| post.author).collect();
        assert_eq!((posts.len(), authors.len()), (45, 14));
        assert!(posts.iter().all(|post| !post.tags.0.is_empty()));
        assert!(posts.iter().all(|post| post.content.chars().count() > 800 && !post.title.is_empty()));
        let is_in = |post: &&DemoPost, tag: &str| {
            rendered(post.title, post.content).unwrap().language.is_some_and(|language| language.tag() == tag)
        };
        let of = |tag: &str| posts.iter().filter(|post| is_in(post, tag)).count();
        assert!(of("en") >= 20 && of("fa") >= 8 && of("de") >= 3, "{} {} {}", of("en"), of("fa"), of("de"));
    }
}
