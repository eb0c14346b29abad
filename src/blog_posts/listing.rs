//! Lists of posts: which, in what order, and one page of them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};

use super::cursor::{Cursor, Order, Rank, Side, Slice};
use super::models::{Author, Status};
use super::search::{self, Found, Match};
use super::slug;
use crate::users::CurrentUser;

/// Posts on one page of a list.
pub const PAGE_SIZE: u8 = 20;

/// A post in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub id: i64,
    pub title: String,
    pub slug: String,
    pub status: Status,
    pub tags: Vec<String>,
    pub excerpt: String,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub published_at: Option<DateTime<Utc>>,
    pub average_rating: f64,
    pub rating_count: i64,
    pub my_rating: Option<i16>,
    #[serde(skip)]
    pub minutes: i32,
    /// Where what was searched for is in it: the title and a piece of the text, in parts that match and parts that do not.
    #[serde(skip)]
    pub found: Option<[Vec<search::Part>; 2]>,
    #[serde(skip)]
    top_score: f64,
}

impl Summary {
    #[must_use]
    pub fn path(&self) -> String {
        slug::path(self.id, &self.title)
    }

    /// When it was published or, for a draft, changed.
    #[must_use]
    pub fn date(&self) -> &DateTime<Utc> {
        self.published_at.as_ref().unwrap_or(&self.updated_at)
    }
}

pub type Listing = Slice<Summary>;

/// Which posts: all of those that are published, or fewer.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub author: Option<i64>,
    pub tag: Option<String>,
    /// The author's drafts instead.
    pub drafts: bool,
}

#[derive(FromRow)]
struct Row {
    id: i64,
    title: String,
    status: String,
    tags: Vec<String>,
    excerpt: String,
    author_id: i64,
    username: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    published_at: Option<DateTime<Utc>>,
    average_rating: f64,
    rating_count: i64,
    my_rating: Option<i16>,
    reading_minutes: i32,
    top_score: f64,
    /// The text's beginning, where it is searched.
    content: Option<String>,
}

/// One page of the posts that pass `filter`.
///
/// # Errors
/// When the database cannot be asked.
pub async fn list(
    pool: &PgPool,
    reader: Option<&CurrentUser>,
    filter: &Filter,
    order: Order,
    cursor: Option<Cursor>,
) -> sqlx::Result<Listing> {
    let place = cursor.unwrap_or_else(|| Cursor::before_all(order));
    let mut query = select(reader, "null::text");
    query.push(if filter.drafts { " where p.status = 'draft'" } else { " where p.status = 'published'" });
    if let Some(author) = filter.author {
        query.push(" and p.author_id = ").push_bind(author);
    }
    if let Some(tag) = &filter.tag {
        query.push(" and p.tags @> array[").push_bind(tag.clone()).push("]");
    }
    let key = match order {
        Order::New | Order::Relevance if filter.drafts => "p.updated_at",
        Order::New | Order::Relevance => "p.published_at",
        Order::Top => "p.top_score",
    };
    let (compare, direction) = if place.side == Side::After { (" < (", " desc") } else { (" > (", "") };
    query.push(" and (").push(key).push(", p.id)").push(compare);
    match place.rank {
        Rank::PublishedAt(time) => query.push_bind(time),
        Rank::TopScore(number) | Rank::Relevance(number) => query.push_bind(number),
    };
    query.push(", ").push_bind(place.id).push(") order by ").push(key).push(direction).push(", p.id").push(direction);
    // One more than is shown tells whether there is another page.
    query.push(" limit ").push_bind(i64::from(PAGE_SIZE) + 1);
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    let rank = |summary: &Summary| match order {
        Order::New | Order::Relevance if filter.drafts => Rank::PublishedAt(summary.updated_at),
        Order::New | Order::Relevance => Rank::PublishedAt(*summary.date()),
        Order::Top => Rank::TopScore(summary.top_score),
    };
    let rows = rows.into_iter().map(Summary::from).collect();
    Ok(Slice::of(rows, PAGE_SIZE.into(), place.side, cursor.is_some(), |summary| (rank(summary), summary.id)))
}

/// One page of the posts that a search has found.
///
/// # Errors
/// When the database cannot be asked.
pub async fn list_found(
    pool: &PgPool,
    reader: Option<&CurrentUser>,
    found: &Found,
    order: Order,
    cursor: Option<Cursor>,
) -> sqlx::Result<Listing> {
    let place = cursor.unwrap_or_else(|| Cursor::before_all(order));
    let rank = |found: &Match| if order == Order::Top { found.top_score } else { found.relevance };
    let (Rank::TopScore(from) | Rank::Relevance(from)) = place.rank else { return Ok(Slice::empty()) };
    let mut matches = found.matches.clone();
    matches.sort_by(|one, other| rank(other).total_cmp(&rank(one)).then(other.id.cmp(&one.id)));
    if place.side == Side::Before {
        matches.reverse();
    }
    let beyond = |found: &Match| {
        let compared = rank(found).total_cmp(&from).then(found.id.cmp(&place.id));
        if place.side == Side::After { compared.is_lt() } else { compared.is_gt() }
    };
    let page: Vec<Match> = matches.into_iter().filter(beyond).take(usize::from(PAGE_SIZE) + 1).collect();
    let ids: Vec<i64> = page.iter().map(|found| found.id).collect();
    let mut query = select(reader, "left(p.content, 8000)");
    query.push(" where p.status = 'published' and p.id = any(").push_bind(ids).push(")");
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    let mut rows: HashMap<i64, Summary> =
        rows.into_iter().map(|row| (row.id, Summary::found(row, &found.lexemes))).collect();
    let ranked = page.iter().filter_map(|found| Some((rows.remove(&found.id)?, rank(found)))).collect();
    let as_rank = |rank| if order == Order::Top { Rank::TopScore(rank) } else { Rank::Relevance(rank) };
    let slice = Slice::of(ranked, PAGE_SIZE.into(), place.side, cursor.is_some(), |(summary, rank)| {
        (as_rank(*rank), summary.id)
    });
    let results = slice.results.into_iter().map(|(summary, _)| summary).collect();
    Ok(Slice { results, next: slice.next, previous: slice.previous })
}

/// Everything but which posts, and in what order. `content` is what is needed of the text.
fn select(reader: Option<&CurrentUser>, content: &'static str) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(
        "select p.id, p.title, p.status, p.tags,
            case when p.rendered_by = 0 then left(p.content, 280) else p.excerpt end as excerpt, p.author_id, u.username,
            p.created_at, p.updated_at, p.published_at, p.average_rating, p.rating_count, r.rating as my_rating,
            p.reading_minutes, p.top_score, ",
    );
    query.push(content).push(
        " as content from blog_posts p join users u on u.id = p.author_id
            left join rates r on r.blog_id = p.id and r.user_id = ",
    );
    query.push_bind(reader.map(|reader| reader.id));
    query
}

impl Summary {
    /// With what was searched for marked in it.
    fn found(row: Row, lexemes: &[String]) -> Self {
        let content = row.content.clone().unwrap_or_default();
        let summary = Self::from(row);
        let found = [search::mark(&summary.title, lexemes), search::snippet(&summary.excerpt, &content, lexemes)];
        Self { found: Some(found), ..summary }
    }
}

impl From<Row> for Summary {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            slug: slug::of(&row.title),
            title: row.title,
            status: Status::of(&row.status),
            tags: row.tags,
            excerpt: row.excerpt,
            author: Author { id: row.author_id, username: row.username },
            created_at: row.created_at,
            updated_at: row.updated_at,
            published_at: row.published_at,
            average_rating: row.average_rating,
            rating_count: row.rating_count,
            my_rating: row.my_rating,
            minutes: row.reading_minutes,
            found: None,
            top_score: row.top_score,
        }
    }
}
