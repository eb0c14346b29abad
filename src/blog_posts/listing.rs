//! Lists of posts: which, in what order, and one page of them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};

use super::cursor::{Cursor, Order, Rank, Side, Slice};
use super::models::{Author, Status};
use super::search::{self, Search};
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
    rank: f64,
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
    pub search: Option<Search>,
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
    rank: f64,
    /// The text's beginning, where it is searched.
    content: Option<String>,
    lexemes: Option<Vec<String>>,
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
    let mut query = select(reader, filter, order);
    let key = match order {
        Order::New if filter.drafts => "p.updated_at",
        Order::New => "p.published_at",
        Order::Top => "p.top_score",
        Order::Relevance => "found.rank",
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
    Ok(page(rows, filter, order, place.side, cursor.is_some()))
}

/// Everything but the place and the order.
fn select(reader: Option<&CurrentUser>, filter: &Filter, order: Order) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(
        "select p.id, p.title, p.status, p.tags,
            case when p.rendered_by = 0 then left(p.content, 280) else p.excerpt end as excerpt, p.author_id, u.username, p.created_at, p.updated_at,
            p.published_at, p.average_rating, p.rating_count, r.rating as my_rating, p.reading_minutes, ",
    );
    query.push(match order {
        Order::New => "0::float8 as rank, ",
        Order::Top => "p.top_score as rank, ",
        Order::Relevance => "found.rank, ",
    });
    query.push(match filter.search {
        Some(_) => "left(p.content, 20000) as content, query.lexemes ",
        None => "null::text as content, null::text[] as lexemes ",
    });
    query.push(
        "from blog_posts p join users u on u.id = p.author_id left join rates r on r.blog_id = p.id and r.user_id = ",
    );
    query.push_bind(reader.map(|reader| reader.id));
    if let Some(search) = &filter.search {
        search.join(&mut query);
    }
    if filter.drafts {
        query.push(" where p.status = 'draft'");
    } else {
        query.push(" where p.status = 'published'");
    }
    if let Some(author) = filter.author {
        query.push(" and p.author_id = ").push_bind(author);
    }
    if let Some(tag) = &filter.tag {
        query.push(" and p.tags @> array[").push_bind(tag.clone()).push("]");
    }
    if filter.search.is_some() {
        query.push(search::MATCHES);
    }
    query
}

fn page(rows: Vec<Row>, filter: &Filter, order: Order, side: Side, has_cursor: bool) -> Listing {
    let rank = |summary: &Summary| match order {
        Order::New if filter.drafts => Rank::PublishedAt(summary.updated_at),
        Order::New => Rank::PublishedAt(*summary.date()),
        Order::Top => Rank::TopScore(summary.rank),
        Order::Relevance => Rank::Relevance(summary.rank),
    };
    let rows = rows.into_iter().map(Summary::from).collect();
    Slice::of(rows, PAGE_SIZE.into(), side, has_cursor, |summary| (rank(summary), summary.id))
}

impl From<Row> for Summary {
    fn from(row: Row) -> Self {
        let found = row.content.zip(row.lexemes).map(|(content, lexemes)| {
            [search::mark(&row.title, &lexemes), search::snippet(&row.excerpt, &content, &lexemes)]
        });
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
            found,
            rank: row.rank,
        }
    }
}
