//! Content next to a list of posts: suggested tags, authors and languages, and an example of a protected score.

use sqlx::PgPool;

use super::editor::input::Tags;
use crate::db::clock::Clock;
use crate::i18n::{Language, Phrase, PhraseValue, TextLanguage};
use crate::page_cache::ByteSize;
use crate::phrase;
use crate::score::DisplayedScore;
use crate::users::Username;
use crate::web::state::CoreState;
use evenkeel_limiters::SteadyScore;

/// Maximum number of latest posts or of similar usernames that a query for suggestions reads.
const MAX_ROWS: i64 = 200;
/// Maximum number of tags next to a list of posts.
pub(super) const MAX_TAGS: i64 = 7;
const MAX_BLOCKED_READ: i64 = 2_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestions {
    pub tags: Vec<String>,
    pub authors: Vec<String>,
}

impl Suggestions {
    /// Tag that equals the search text, and authors whose usernames start with the search text.
    pub async fn for_search(pool: &PgPool, searched: &str) -> sqlx::Result<Self> {
        let searched = searched.trim().trim_start_matches(['#', '@']);
        let tag = Tags::normalize_tag(searched).ok();
        let name = Username::parse_lenient(searched).ok().map(|name| name.key().replace('_', "\\_"));
        let row = sqlx::query!(
            r#"select exists (
                    select from blog_posts where status = 'published' and not is_page and tags @> array[$1::text]
                ) as "has_tag!",
                array(
                    select username
                    from (select id, username, username_key from users where username_key like $2 || '%' limit $3) as candidates
                    where exists (select from blog_posts where author_id = candidates.id and status = 'published' and not is_page)
                    order by username_key limit 5
                ) as "writers!""#,
            tag,
            name.filter(|name| name.chars().count() >= 2),
            MAX_ROWS,
        );
        let row = row.fetch_one(pool).await?;
        Ok(Self { tags: tag.filter(|_| row.has_tag).into_iter().collect(), authors: row.writers })
    }
}

#[derive(Clone, Debug)]
pub struct Introduction {
    pub tags: Vec<String>,
    /// Explanation of the protected score; `None` for signed-in users and if pages show the average.
    pub explanation: Option<Phrase>,
    pub protected_post: Option<ProtectedPost>,
}

impl Introduction {
    /// Introduction for signed-in users, who know what the site is.
    pub fn compact(tags: Vec<String>) -> Self {
        Self { tags, explanation: None, protected_post: None }
    }

    /// The front page of anonymous visitors is cached for a second, which limits the queries for the introduction.
    pub async fn load(pool: &PgPool, state: &CoreState, tags: Vec<String>) -> sqlx::Result<Self> {
        let is_protected = state.site().score_shown == DisplayedScore::Steady;
        let enough = PhraseValue::Number(SteadyScore::default().params().first, 0);
        Ok(Self {
            tags,
            explanation: is_protected.then(|| phrase!("list-explanation", enough = enough)),
            protected_post: if is_protected { ProtectedPost::find(pool, &state.clock).await? } else { None },
        })
    }
}

/// Most frequent tags and languages of the latest posts.
#[derive(Clone, Debug, Default)]
pub struct FrequentTags {
    /// Tags of posts in the language of the interface come first.
    pub tags: Vec<String>,
    /// Empty if all posts are in the same language.
    pub languages: Vec<TextLanguage>,
}

impl ByteSize for FrequentTags {
    fn byte_size(&self) -> usize {
        self.tags.iter().map(|tag| tag.len() + size_of::<String>()).sum()
    }
}

pub async fn list_frequent_tags(pool: &PgPool, language: Language, max: i64) -> sqlx::Result<FrequentTags> {
    let row = sqlx::query!(
        r#"with latest as materialized (
            select tags, language from blog_posts where status = 'published' and not is_page
            order by published_at desc, id desc limit $1
        )
        select array(
            select tag from latest, unnest(tags) as tag
            group by tag order by count(*) filter (where language = $2) desc, count(*) desc, tag limit $3
        ) as "tags!", array(
            select language from latest where language is not null
            group by language order by count(*) desc, language limit 6
        ) as "languages!""#,
        MAX_ROWS,
        language.tag(),
        max,
    );
    let row = row.fetch_one(pool).await?;
    let languages: Vec<TextLanguage> = row.languages.iter().filter_map(|tag| tag.parse().ok()).collect();
    Ok(FrequentTags { tags: row.tags, languages: if languages.len() > 1 { languages } else { Vec::new() } })
}

/// Post whose score would be different if its ratings of the last 24 hours had not been blocked.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtectedPost {
    pub id: i64,
    pub title: String,
    pub blocked: i64,
    pub score: f64,
    pub average_with_blocked: f64,
}

impl ProtectedPost {
    const MIN_USERS: i64 = 30;
    /// Minimum difference between the score and the average with blocked ratings, in stars.
    const MIN_DIFFERENCE: f64 = 0.3;

    pub async fn find(pool: &PgPool, clock: &Clock) -> sqlx::Result<Option<Self>> {
        let post = sqlx::query_as!(
            Self,
            r#"select p.id, p.title, h.blocked as "blocked!", t.steady_rating as "score!",
                (t.rating_sum + h.stars)::float8 / (t.rating_count + h.users) as "average_with_blocked!"
            from (select coalesce($1, clock_timestamp()) - interval '24 hours' as since) clock
                cross join lateral (
                    select blog_id from (
                        select blog_id from refused_ratings where at > clock.since order by at desc limit $2
                    ) latest group by blog_id order by count(*) desc, blog_id limit 1
                ) most
                join blog_posts p on p.id = most.blog_id
                join rating_totals t on t.blog_id = p.id
                cross join lateral (
                    select sum(refused)::bigint as blocked,
                        sum(refused_1 + refused_2 + refused_3 + refused_4 + refused_5)::bigint as users,
                        sum(refused_1 + 2 * refused_2 + 3 * refused_3 + 4 * refused_4 + 5 * refused_5)::bigint as stars
                    from rating_hours where blog_id = p.id and hour > clock.since
                ) h
            where p.status = 'published' and t.steady_rating is not null and h.users >= $3"#,
            clock.now(),
            MAX_BLOCKED_READ,
            Self::MIN_USERS,
        );
        let post = post.fetch_optional(pool).await?;
        Ok(post.filter(|post| (post.score - post.average_with_blocked).abs() >= Self::MIN_DIFFERENCE))
    }
}
