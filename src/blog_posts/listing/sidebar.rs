//! Tags, authors and languages that are suggested next to a list of posts.

use sqlx::PgPool;

use crate::blog_posts::editor::input::Tags;
use crate::i18n::{Language, TextLanguage};
use crate::users::Username;

/// Maximum number of rows that a query for suggestions reads: the latest posts, or the usernames that start with the
/// search text.
const MAX_ROWS: i64 = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestions {
    pub tags: Vec<String>,
    pub authors: Vec<String>,
}

impl Suggestions {
    /// Most frequent tags of the latest posts. Tags of posts in the language of the interface come first.
    pub async fn from_latest_posts(pool: &PgPool, language: Language) -> sqlx::Result<Self> {
        let tags = sqlx::query_scalar!(
            r#"select tag as "tag!" from (
                select tags, language from blog_posts where status = 'published'
                order by published_at desc, id desc limit $1
            ) as latest, unnest(tags) as tag
            group by tag order by count(*) filter (where language = $2) desc, count(*) desc, tag limit 7"#,
            MAX_ROWS,
            language.tag(),
        );
        Ok(Self { tags: tags.fetch_all(pool).await?, authors: Vec::new() })
    }

    /// Tag that equals the search text, and authors whose usernames start with the search text.
    pub async fn for_search(pool: &PgPool, searched: &str) -> sqlx::Result<Self> {
        let searched = searched.trim().trim_start_matches(['#', '@']);
        let tag = Tags::normalize_tag(searched).ok();
        let name = Username::parse_lenient(searched).ok().map(|name| name.key().replace('_', "\\_"));
        let row = sqlx::query!(
            r#"select exists (
                    select from blog_posts where status = 'published' and tags @> array[$1::text]
                ) as "has_tag!",
                array(
                    select username
                    from (select id, username, username_key from users where username_key like $2 || '%' limit $3) as candidates
                    where exists (select from blog_posts where author_id = candidates.id and status = 'published')
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

/// Languages of the latest posts, the most frequent first. Empty if all are in the same language.
pub async fn list_languages(pool: &PgPool) -> sqlx::Result<Vec<TextLanguage>> {
    let tags = sqlx::query_scalar!(
        r#"select language as "tag!" from (
            select language from blog_posts where status = 'published' order by published_at desc, id desc limit $1
        ) as latest where language is not null group by language order by count(*) desc, language limit 6"#,
        MAX_ROWS,
    );
    let languages: Vec<_> = tags.fetch_all(pool).await?.iter().filter_map(|tag| tag.parse().ok()).collect();
    Ok(if languages.len() > 1 { languages } else { Vec::new() })
}
