//! Posts as programs read them: those of all who wait, in one query.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sqlx::{PgConnection, PgPool};

use super::models::{Post, PostId, head};
use crate::db::Availability;
use crate::db::lookup::{Find, Lookup};
use crate::web::cache::pages::bounded_cache;
use crate::web::error::AppError;
use crate::web::request::visitor::{CurrentUser, UserId};

/// A post, and who reads it; none for guests.
type Wanted = (PostId, Option<UserId>);

/// Looks up posts, with the reader's own rating.
#[derive(Clone, Debug)]
pub struct Posts(Lookup<Wanted, Found>);

impl Posts {
    /// Has to be called inside a tokio runtime.
    #[must_use]
    pub fn new(pool: &PgPool, availability: &Availability) -> Self {
        Self(Lookup::start(pool, availability, ByPair { texts: bounded_cache(CAPACITY, ByBytes) }))
    }

    /// A post as it was written, for those who may change it. For others it has no link that is suspected.
    ///
    /// # Errors
    /// `not_found` where there is no such post, or it is somebody else's draft; `busy`; `unavailable`.
    pub async fn find(&self, id: PostId, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
        let found = self.0.find((id, reader.map(|reader| reader.id))).await?.ok_or(AppError::NotFound)?;
        let may_change = reader.is_some_and(|reader| found.text.post.head.may_be_changed_by(reader));
        let post = found.post();
        Ok(if may_change { post } else { found.text.without_unsafe_links(post) })
    }
}

/// The most bytes of posts that are kept. Those that were read least go first.
const CAPACITY: u64 = 16 << 20;

/// Bytes that a post takes besides its texts, about.
const OVERHEAD: usize = 1_024;

/// Looks up posts for readers. What does not change from reader to reader is kept, as long as its row is the same.
struct ByPair {
    texts: Cache<RowVersion, Arc<Text>, ByBytes>,
}

/// A post as it was written, as if nobody had rated it.
#[derive(Debug)]
struct Text {
    post: Post,
    /// Its source for others than its author, where that is another one.
    masked: Option<String>,
}

impl Text {
    fn without_unsafe_links(&self, post: Post) -> Post {
        let Some(suspected) = &self.post.unsafe_links else { return post };
        Post {
            content: self.masked.clone().unwrap_or(post.content),
            cover: post.cover.filter(|cover| !suspected.contains(cover)),
            unsafe_links: None,
            ..post
        }
    }
}

/// A post, and the transactions that wrote its row and its author's last (`xmin`): the text has the author's name.
type RowVersion = (PostId, i64);

#[derive(Clone)]
struct ByBytes;

impl Weighter<RowVersion, Arc<Text>> for ByBytes {
    fn weight(&self, _: &RowVersion, text: &Arc<Text>) -> u64 {
        let masked = text.masked.as_ref().map_or(0, String::len);
        let bytes = OVERHEAD + text.post.content.len() + text.post.content_html.len() + masked;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// What changes with every rating, or is the reader's own.
#[derive(Clone, Debug)]
struct Live {
    wanted: Wanted,
    version: RowVersion,
    average_rating: f64,
    rating_count: i64,
    steady_rating: Option<f64>,
    steady_weight: f64,
    my_rating: Option<i16>,
}

/// A text is shared by all who read it, until each is answered.
#[derive(Clone, Debug)]
struct Found {
    live: Live,
    text: Arc<Text>,
}

impl Find<Wanted, Found> for ByPair {
    /// Texts may be long, and all of a group are in memory at once.
    const MAX_GROUP: usize = 32;

    async fn find(&self, connection: &mut PgConnection, wanted: Vec<Wanted>) -> sqlx::Result<HashMap<Wanted, Found>> {
        let found = live(connection, wanted).await?;
        let mut texts: HashMap<PostId, Arc<Text>> = HashMap::new();
        let mut missing = Vec::new();
        for version in found.iter().map(|live| live.version) {
            match self.texts.get(&version) {
                Some(text) => drop(texts.insert(version.0, text)),
                None => missing.push(version.0.0),
            }
        }
        if !missing.is_empty() {
            for (version, text) in read_texts(connection, &missing).await? {
                self.texts.insert(version, text.clone());
                texts.insert(version.0, text);
            }
        }
        // Without a text it was deleted just now.
        let found = found.into_iter().filter_map(|live| {
            let text = texts.get(&live.version.0)?.clone();
            Some((live.wanted, Found { live, text }))
        });
        Ok(found.collect())
    }
}

impl Found {
    fn post(&self) -> Post {
        let mut post = self.text.post.clone();
        (post.head.average_rating, post.head.rating_count) = (self.live.average_rating, self.live.rating_count);
        (post.head.steady_rating, post.head.steady_weight) = (self.live.steady_rating, self.live.steady_weight);
        post.head.my_rating = self.live.my_rating;
        post
    }
}

/// The posts among these that are there and may be read. (`limit 1` has each row looked up by its index, however few or
/// many there were when this was planned.)
async fn live(connection: &mut PgConnection, wanted: Vec<Wanted>) -> sqlx::Result<Vec<Live>> {
    let (posts, readers): (Vec<i64>, Vec<Option<i64>>) =
        wanted.into_iter().map(|(PostId(post), reader)| (post, reader.map(|UserId(id)| id))).unzip();
    let rows = sqlx::query!(
        r#"select wanted.post as "post!", wanted.reader, p.written_by | u.written_by as "written_by!",
            coalesce(t.average_rating, 0) as "average_rating!", coalesce(t.rating_count, 0) as "rating_count!",
            t.steady_rating as "steady_rating?", coalesce(t.steady_weight, 0) as "steady_weight!", r.rating as "my_rating?"
        from unnest($1::bigint[], $2::bigint[]) as wanted (post, reader)
            cross join lateral (
                select status, author_id, xmin::text::bigint << 32 as written_by from blog_posts
                where id = wanted.post limit 1
            ) as p
            cross join lateral (
                select xmin::text::bigint as written_by from users where id = p.author_id limit 1
            ) as u
            left join lateral (
                select average_rating, rating_count, steady_rating, steady_weight from rating_totals where blog_id = wanted.post limit 1
            ) as t on true
            left join lateral (
                select rating from rates where blog_id = wanted.post and user_id = wanted.reader limit 1
            ) as r on true
        where p.status = 'published' or p.author_id = wanted.reader"#,
        &posts,
        &readers as &[Option<i64>],
    );
    let live = rows.fetch_all(connection).await?.into_iter().map(|row| Live {
        wanted: (PostId(row.post), row.reader.map(UserId)),
        version: (PostId(row.post), row.written_by),
        average_rating: row.average_rating,
        rating_count: row.rating_count,
        steady_rating: row.steady_rating,
        steady_weight: row.steady_weight,
        my_rating: row.my_rating,
    });
    Ok(live.collect())
}

/// These posts, as if nobody had rated them.
async fn read_texts(connection: &mut PgConnection, posts: &[i64]) -> sqlx::Result<Vec<(RowVersion, Arc<Text>)>> {
    let rows = sqlx::query!(
        r#"select p.id, p.title, p.status, p.tags, p.author_id, u.username, u.display_name, p.created_at, p.updated_at, p.published_at,
            p.publish_at, p.withheld_by, p.own_slug, p.own_excerpt, p.language, p.own_language, p.cover,
            p.content, p.content_html, p.version, (p.xmin::text::bigint << 32) | u.xmin::text::bigint as "written_by!",
            (select suspected from post_links where post_id = p.id) as suspected,
            (select masked_content from post_links where post_id = p.id) as masked,
            0::float8 as "average_rating!", 0::bigint as "rating_count!",
            null::float8 as steady_rating, 0::float8 as "steady_weight!", null::smallint as my_rating
        from blog_posts p join users u on u.id = p.author_id
        where p.id = any($1)"#,
        posts,
    );
    let texts = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let version = (PostId(row.id), row.written_by);
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
            unsafe_links: Some(row.suspected.unwrap_or_default()),
        };
        (version, Arc::new(Text { post, masked: row.masked }))
    });
    Ok(texts.collect())
}
