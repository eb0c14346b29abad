//! Posts as rows, and as the JSON of the contract.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;

use super::cursor::{Cursor, Order, Rank, Side};
use crate::clock::Clock;
use crate::error::AppError;
use crate::payload::{Field, Fields, Id, Input};
use crate::settings::RATING_LIMITERS;
use crate::state::Keys;
use crate::users::models::User;
use crate::users::{CurrentUser, Username};

/// Posts on one page of a list.
const PAGE_SIZE: u8 = 20;

/// Characters of a post that a list shows.
const EXCERPT: usize = 280;

#[derive(Clone, Debug, Serialize)]
pub struct Author {
    pub id: i64,
    pub username: String,
}

/// A post, whole.
#[derive(Clone, Debug, Serialize)]
pub struct Post {
    pub id: i64,
    pub title: String,
    pub content: String,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub average_rating: f64,
    pub rating_count: i64,
    /// The reader's own.
    pub my_rating: Option<i16>,
}

impl Post {
    /// Authors may change their posts, and staff may change all.
    #[must_use]
    pub fn may_be_changed_by(&self, user: &CurrentUser) -> bool {
        user.is_staff || user.id == self.author.id
    }

    /// Blocks of text between blank lines.
    pub fn paragraphs(&self) -> impl Iterator<Item = &str> {
        self.content.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.trim().is_empty())
    }
}

/// A post in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub id: i64,
    pub title: String,
    pub excerpt: String,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub average_rating: f64,
    pub rating_count: i64,
    pub my_rating: Option<i16>,
    #[serde(skip)]
    top_score: f64,
}

/// One page of a list, with cursors to the pages beside it.
#[derive(Clone, Debug)]
pub struct Listing {
    pub results: Vec<Summary>,
    pub next: Option<Cursor>,
    pub previous: Option<Cursor>,
}

/// Neither space nor control, nor one of the characters that Unicode has displayed as nothing.
fn is_visible(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !ignorable && !c.is_whitespace() && !c.is_control()
}

/// A title, 1 to 200 characters on one line.
#[derive(Clone, Debug)]
pub struct Title(String);

impl Field for Title {
    /// Control characters and those that turn the reading direction of what follows are left out.
    fn from_text(text: &str) -> Result<Self, String> {
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let spaced = text.replace(['\n', '\r', '\t'], " ");
        let clean: String = spaced.chars().filter(|c| !c.is_control() && !turns(*c)).collect();
        let clean = clean.trim().to_owned();
        match clean.chars().count() {
            _ if !clean.contains(is_visible) => Err("A post needs a title.".to_owned()),
            ..=200 => Ok(Self(clean)),
            count => Err(format!("Use at most 200 characters; these are {count}.")),
        }
    }
}

/// A post's text: 1 to 262,144 bytes of UTF-8, kept exactly.
#[derive(Clone, Debug)]
pub struct Content(String);

impl Content {
    pub const MAX_BYTES: usize = 262_144;
}

impl Field for Content {
    fn from_text(text: &str) -> Result<Self, String> {
        match text.len() {
            _ if !text.contains(is_visible) => Err("A post needs some text.".to_owned()),
            ..=Self::MAX_BYTES => Ok(Self(text.to_owned())),
            bytes => Err(format!("Use at most 262,144 bytes; this is {bytes}.")),
        }
    }
}

/// What an author sends.
#[derive(Clone, Debug)]
pub struct NewPost {
    title: Title,
    content: Content,
}

impl Input for NewPost {
    /// Percent-encoded or escaped, a text may be three times as long, and more so on its way to being refused.
    const MAX_BYTES: usize = 4 * Content::MAX_BYTES;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (title, content) = (fields.take("title"), fields.take("content"));
        Some(Self { title: title?, content: content? })
    }
}

/// Returns the new post's id and when it was written.
///
/// # Errors
/// When the database cannot be asked.
pub async fn create(pool: &PgPool, clock: &Clock, author: &CurrentUser, post: &NewPost) -> sqlx::Result<Post> {
    let row = sqlx::query!(
        r#"insert into blog_posts (author_id, title, content, created_at, updated_at)
        select $1, $2, $3, clock.now, clock.now from (select coalesce($4, clock_timestamp()) as now) clock
        returning id, created_at"#,
        author.id,
        post.title.0,
        post.content.0,
        clock.now(),
    );
    let row = row.fetch_one(pool).await?;
    Ok(Post {
        id: row.id,
        title: post.title.0.clone(),
        content: post.content.0.clone(),
        author: Author { id: author.id, username: author.username.clone() },
        created_at: row.created_at,
        updated_at: row.created_at,
        average_rating: 0.0,
        rating_count: 0,
        my_rating: None,
    })
}

/// # Errors
/// `not_found` where there is no such post.
pub async fn find(pool: &PgPool, Id(id): Id, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    let row = sqlx::query!(
        r#"select p.id, p.title, p.content, p.author_id, u.username, p.created_at, p.updated_at,
            p.average_rating, p.rating_count, r.rating as "my_rating?"
        from blog_posts p
            join users u on u.id = p.author_id
            left join rates r on r.blog_id = p.id and r.user_id = $2
        where p.id = $1"#,
        id,
        reader.map(|reader| reader.id),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    Ok(Post {
        id: row.id,
        title: row.title,
        content: row.content,
        author: Author { id: row.author_id, username: row.username },
        created_at: row.created_at,
        updated_at: row.updated_at,
        average_rating: row.average_rating,
        rating_count: row.rating_count,
        my_rating: row.my_rating,
    })
}

/// # Errors
/// `not_found`, or `forbidden` for somebody else's post.
pub async fn find_to_change(pool: &PgPool, id: Id, user: &CurrentUser) -> Result<Post, AppError> {
    let post = find(pool, id, Some(user)).await?;
    if post.may_be_changed_by(user) { Ok(post) } else { Err(AppError::Forbidden) }
}

/// # Errors
/// `not_found` where the post is gone.
pub async fn update(pool: &PgPool, clock: &Clock, Id(id): Id, post: &NewPost) -> Result<(), AppError> {
    let updated = sqlx::query!(
        r#"update blog_posts set title = $2, content = $3, updated_at = coalesce($4, clock_timestamp())
        where id = $1"#,
        id,
        post.title.0,
        post.content.0,
        clock.now(),
    );
    let updated = updated.execute(pool).await?.rows_affected();
    if updated == 1 { Ok(()) } else { Err(AppError::NotFound) }
}

/// Deletes a post, its ratings and what the limiters remember of it.
///
/// # Errors
/// `not_found` where the post is gone.
pub async fn delete(pool: &PgPool, Id(id): Id) -> Result<(), AppError> {
    let deleted = sqlx::query_scalar!(
        r#"with deleted as (
            delete from blog_posts where id = $1 returning id
        ), forgotten as (
            delete from limiter_states
            where limiter = any($2) and key in (select 'post:' || id from deleted)
        )
        select id from deleted"#,
        id,
        &RATING_LIMITERS.map(str::to_owned),
    );
    deleted.fetch_optional(pool).await?.map(|_| ()).ok_or(AppError::NotFound)
}

struct Row {
    id: i64,
    title: String,
    beginning: String,
    has_more: bool,
    author_id: i64,
    username: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    average_rating: f64,
    rating_count: i64,
    my_rating: Option<i16>,
    top_score: f64,
}

/// The same columns for several places and orders: compile-checked SQL has no variables for those.
/// `$1` is the reader, `$2` and `$3` the place, `$4` how many.
macro_rules! rows {
    ($pool:expr, $place:literal, $($argument:expr),*) => {
        sqlx::query_as!(
            Row,
            r#"select p.id, p.title, left(p.content, 600) as "beginning!",
                octet_length(p.content) > octet_length(left(p.content, 600)) as "has_more!", p.author_id, u.username,
                p.created_at, p.updated_at, p.average_rating, p.rating_count,
                r.rating as "my_rating?", p.top_score
            from blog_posts p
                join users u on u.id = p.author_id
                left join rates r on r.blog_id = p.id and r.user_id = $1
            "# + $place + " limit $4",
            $($argument),*
        )
        .fetch_all($pool)
        .await?
    };
}

/// One more than is shown tells whether there is another page.
const LIMIT: i64 = 1 + PAGE_SIZE as i64;

/// One page of everybody's posts.
///
/// # Errors
/// When the database cannot be asked.
pub async fn list(
    pool: &PgPool,
    reader: Option<&CurrentUser>,
    order: Order,
    cursor: Option<Cursor>,
) -> sqlx::Result<Listing> {
    let me = reader.map(|reader| reader.id);
    let Cursor { side, rank, id } = cursor.unwrap_or_else(|| Cursor::before_all(order));
    let rows: Vec<Row> = match (rank, side) {
        (Rank::CreatedAt(time), Side::After) => rows!(
            pool,
            "where (p.created_at, p.id) < ($2, $3) order by p.created_at desc, p.id desc",
            me,
            time,
            id,
            LIMIT
        ),
        (Rank::CreatedAt(time), Side::Before) => {
            rows!(pool, "where (p.created_at, p.id) > ($2, $3) order by p.created_at, p.id", me, time, id, LIMIT)
        }
        (Rank::TopScore(score), Side::After) => rows!(
            pool,
            "where (p.top_score, p.id) < ($2, $3) order by p.top_score desc, p.id desc",
            me,
            score,
            id,
            LIMIT
        ),
        (Rank::TopScore(score), Side::Before) => {
            rows!(pool, "where (p.top_score, p.id) > ($2, $3) order by p.top_score, p.id", me, score, id, LIMIT)
        }
    };
    Ok(page(rows, order, side, cursor.is_some()))
}

/// The same columns, but for an author who may have no posts: then there is one row, and all but theirs is null.
macro_rules! rows_of_author {
    ($pool:expr, $place:literal, $order:literal, $($argument:expr),*) => {
        sqlx::query!(
            r#"select u.id as author_id, u.username, u.created_at as author_since, p.id as "id?", p.title as "title?",
                left(p.content, 600) as beginning, octet_length(p.content) > octet_length(left(p.content, 600)) as has_more,
                p.created_at as "created_at?", p.updated_at as "updated_at?", p.average_rating as "average_rating?",
                p.rating_count as "rating_count?", r.rating as "my_rating?", p.top_score as "top_score?"
            from users u
                left join blog_posts p on p.author_id = u.id and "# + $place + r#"
                left join rates r on r.blog_id = p.id and r.user_id = $1
            where u.username_key = $5 "# + $order + " limit $4",
            $($argument),*
        )
        .fetch_all($pool)
        .await?
        .into_iter()
        .map(|row| {
            let user = User { id: row.author_id, username: row.username.clone(), created_at: row.author_since };
            let post = (|| {
                Some(Row {
                    id: row.id?,
                    title: row.title?,
                    beginning: row.beginning?,
                    has_more: row.has_more?,
                    author_id: row.author_id,
                    username: row.username,
                    created_at: row.created_at?,
                    updated_at: row.updated_at?,
                    average_rating: row.average_rating?,
                    rating_count: row.rating_count?,
                    my_rating: row.my_rating,
                    top_score: row.top_score?,
                })
            })();
            (user, post)
        })
        .collect()
    };
}

/// One page of an author's posts, newest first.
///
/// # Errors
/// `not_found` where nobody has this name.
pub async fn list_by_author(
    pool: &PgPool,
    reader: Option<&CurrentUser>,
    author: &Username,
    cursor: Option<Cursor>,
) -> Result<(User, Listing), AppError> {
    let (me, key) = (reader.map(|reader| reader.id), author.key());
    let Cursor { side, rank, id } = cursor.unwrap_or_else(|| Cursor::before_all(Order::New));
    let Rank::CreatedAt(time) = rank else { return Err(AppError::NotFound) };
    let rows: Vec<(User, Option<Row>)> = match side {
        Side::After => rows_of_author!(
            pool,
            "(p.created_at, p.id) < ($2, $3)",
            "order by p.created_at desc, p.id desc",
            me,
            time,
            id,
            LIMIT,
            key
        ),
        Side::Before => rows_of_author!(
            pool,
            "(p.created_at, p.id) > ($2, $3)",
            "order by p.created_at, p.id",
            me,
            time,
            id,
            LIMIT,
            key
        ),
    };
    let user = rows.first().map(|(user, _)| user.clone()).ok_or(AppError::NotFound)?;
    let posts = rows.into_iter().filter_map(|(_, post)| post).collect();
    Ok((user, page(posts, Order::New, side, cursor.is_some())))
}

fn page(rows: Vec<Row>, order: Order, side: Side, has_cursor: bool) -> Listing {
    let more = rows.len() > usize::from(PAGE_SIZE);
    let mut results: Vec<Summary> = rows.into_iter().take(PAGE_SIZE.into()).map(Summary::from).collect();
    let (has_next, has_previous) = match side {
        Side::After => (more, has_cursor),
        Side::Before => (has_cursor, more),
    };
    if side == Side::Before {
        results.reverse();
    }
    let place = |summary: &Summary, side| Cursor {
        side,
        rank: match order {
            Order::New => Rank::CreatedAt(summary.created_at),
            Order::Top => Rank::TopScore(summary.top_score),
        },
        id: summary.id,
    };
    let next = results.last().filter(|_| has_next).map(|last| place(last, Side::After));
    let previous = results.first().filter(|_| has_previous).map(|first| place(first, Side::Before));
    Listing { results, next, previous }
}

impl From<Row> for Summary {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            title: row.title,
            excerpt: excerpt(&row.beginning, row.has_more),
            author: Author { id: row.author_id, username: row.username },
            created_at: row.created_at,
            updated_at: row.updated_at,
            average_rating: row.average_rating,
            rating_count: row.rating_count,
            my_rating: row.my_rating,
            top_score: row.top_score,
        }
    }
}

/// At most 280 characters on one line, ending with an ellipsis where something is left out.
fn excerpt(beginning: &str, has_more: bool) -> String {
    let words = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= EXCERPT && !has_more {
        return words;
    }
    let cut: String = words.chars().take(EXCERPT - 1).collect();
    // Between two words, unless one is so long that little would be left.
    let end = cut.rfind(' ').filter(|end| cut.len() - end < 80).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', ':', '.', '،', '؛']))
}

/// The path of a page of a list.
#[must_use]
pub fn page_path(base: &str, cursor: &Cursor, keys: &Keys) -> String {
    let separator = if base.contains('?') { '&' } else { '?' };
    format!("{base}{separator}cursor={}", cursor.encode(keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_of_at_most_280_characters() {
        assert_eq!(excerpt("a\n\nb\t c", false), "a b c");
        assert_eq!(excerpt("a.  ", true), "a…");
        assert_eq!(excerpt(&"گ".repeat(280), false).chars().count(), 280);
        let cut = excerpt(&"گ".repeat(281), false);
        assert!(cut.chars().count() == 280 && cut.ends_with('…'));
        assert_eq!(excerpt(&"four ".repeat(100), false), format!("{}four…", "four ".repeat(54)));
    }

    #[test]
    fn a_title_is_one_visible_line() {
        let title = |text: &str| Title::from_text(text).map(|title| title.0);
        assert_eq!(title(" a\r\nb\u{202e}c\u{7} ").unwrap(), "a  bc");
        assert_eq!(title("سلام 👩‍💻").unwrap(), "سلام 👩‍💻");
        assert!(title("\u{200b}\u{3164}").is_err());
        assert!(title(" \u{202e} ").is_err() && title(&"x".repeat(201)).is_err() && title(&"ک".repeat(200)).is_ok());
    }

    #[test]
    fn content_is_kept_exactly_and_counted_in_bytes() {
        assert_eq!(Content::from_text(" a\r\n").unwrap().0, " a\r\n");
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2)).is_ok());
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2 + 1)).is_err());
        assert!(Content::from_text(" \n ").is_err());
    }
}
