//! Atom feeds (RFC 4287) and JSON Feeds 1.1 of all posts, of an author, or of a tag.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::list_posts::tag_from_query;
use super::models::PostId;
use super::show_author::find_author;
use super::urls::{self, post_path};
use crate::i18n::{Locale, format_rfc3339};
use crate::state::AppState;
use crate::text::query_string;
use crate::users::urls::existing_author_path;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::query::Query;
use crate::web::response::view::{render, with_etag};
use crate::web::routing::operation::QueryParameter;
use crate::web::state::CoreState;

const MAX_ENTRIES: i64 = 20;
/// Maximum total size of the HTML in a feed, in bytes. Posts beyond this size have only an excerpt.
const MAX_HTML_BYTES: i64 = 1 << 20;

struct Feed {
    locale: Locale,
    title: String,
    /// Path of the HTML page that corresponds to the feed.
    page: String,
    query: String,
    public_url: String,
    description: String,
    updated: DateTime<Utc>,
    entries: Vec<Entry>,
}

impl Feed {
    /// Returns the HTML with absolute URLs, because feed readers show the HTML outside of this site.
    fn content(&self, entry: &Entry) -> String {
        make_urls_absolute(&entry.html, &self.public_url, &entry.path())
    }

    fn cover(&self, entry: &Entry) -> Option<String> {
        entry.cover.as_ref().map(|cover| urls::absolute_url(cover, &self.public_url))
    }
}

/// `page` is the path of the page that contains the HTML, with a trailing slash.
fn make_urls_absolute(html: &str, origin: &str, page: &str) -> String {
    let mut output = String::with_capacity(html.len() + html.len() / 8);
    for piece in html.split_inclusive('>') {
        let (text, tag) = piece.split_at(piece.rfind('<').unwrap_or(piece.len()));
        output.push_str(text);
        let mut name = "";
        // Splits the tag at quotation marks: every second part is the value of an attribute.
        for (index, part) in tag.split('"').enumerate() {
            if index > 0 {
                output.push('"');
            }
            match name.rsplit(' ').next() {
                Some("srcset=") => {
                    let urls: Vec<String> = part.split(", ").map(|url| absolute_url(url, origin, page)).collect();
                    output.push_str(&urls.join(", "));
                }
                Some("src=" | "href=") => output.push_str(&absolute_url(part, origin, page)),
                _ => output.push_str(part),
            }
            name = if index % 2 == 0 { part } else { "" };
        }
    }
    output
}

fn absolute_url(url: &str, origin: &str, page: &str) -> String {
    let begin = url.find([':', '/', '?', '#']).map_or("", |at| &url[at..]);
    match url {
        // The URL has a scheme or a host.
        _ if begin.starts_with(':') || url.starts_with("//") => url.to_owned(),
        _ if url.starts_with('/') => format!("{origin}{url}"),
        _ => format!("{origin}{page}{url}"),
    }
}

struct Entry {
    id: PostId,
    feed_id: String,
    title: String,
    own_slug: Option<String>,
    cover: Option<String>,
    author: String,
    /// Display name of the author.
    name: String,
    language: Option<String>,
    tags: Vec<String>,
    html: String,
    excerpt: String,
    published_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    average_rating: f64,
    rating_count: i64,
    steady_rating: Option<f64>,
    steady_weight: f64,
}

impl Entry {
    fn path(&self) -> String {
        post_path(self.id, &self.title, self.own_slug.as_deref())
    }

    fn urn(&self) -> String {
        format!("urn:uuid:{}", self.feed_id)
    }
}

#[derive(Template)]
#[template(path = "blog_posts/feed.xml")]
struct Atom<'a> {
    feed: &'a Feed,
}

fn strip_invalid_xml_chars(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}'))
        .collect()
}

pub async fn atom_feed(
    reader: Option<CurrentUser>,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let feed = feed(reader.as_ref(), &query, &state).await?;
    let text = render(&Atom { feed: &feed }, feed.locale)?;
    Ok(file(&request, "application/atom+xml; charset=utf-8", text))
}

/// Removes members that are `null`, which JSON Feed does not allow.
fn remove_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let present = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(present.map(|(name, value)| (name, remove_nulls(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(remove_nulls).collect(),
        other => other,
    }
}

pub async fn json_feed(
    reader: Option<CurrentUser>,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let feed = feed(reader.as_ref(), &query, &state).await?;
    let item = |entry: &Entry| {
        let url = format!("{}{}", feed.public_url, entry.path());
        json!({
            "id": entry.urn(),
            "url": url,
            "title": entry.title,
            "content_html": if entry.html.is_empty() { None } else { Some(feed.content(entry)) },
            "content_text": if entry.html.is_empty() { Some(&entry.excerpt) } else { None },
            "summary": entry.excerpt,
            "image": feed.cover(entry),
            "date_published": format_rfc3339(&entry.published_at),
            "date_modified": format_rfc3339(&entry.updated_at),
            "authors": [{ "name": entry.name, "url": existing_author_path(&entry.author).map(|path| format!("{}{path}", feed.public_url)) }],
            "tags": entry.tags,
            "language": entry.language,
            // JSON Feed reserves names that begin with an underscore for extensions.
            "_ratings": {
                "average_rating": entry.average_rating,
                "rating_count": entry.rating_count,
                "steady_rating": entry.steady_rating,
                "steady_weight": entry.steady_weight,
            },
        })
    };
    let data = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": feed.description,
        "language": feed.locale.language.tag(),
        "home_page_url": format!("{}{}", feed.public_url, feed.page),
        "feed_url": format!("{}{}{}", feed.public_url, urls::JSON_FEED.pattern, feed.query),
        "items": feed.entries.iter().map(item).collect::<Vec<_>>(),
    });
    Ok(file(&request, "application/feed+json", remove_nulls(data).to_string()))
}

pub(super) fn file(request: &HttpRequest, content_type: &'static str, text: String) -> HttpResponse {
    with_etag(request, HttpResponse::Ok().content_type(content_type).insert_header((CACHE_CONTROL, "no-cache")), text)
}

pub fn parameters() -> [QueryParameter; 2] {
    [
        QueryParameter::text("author", "Posts of the user with this username"),
        QueryParameter::text("tag", "Posts with this tag"),
    ]
}

async fn feed(reader: Option<&CurrentUser>, query: &Query, state: &CoreState) -> Result<Feed, AppError> {
    let pool = state.read_pool(reader).await;
    let tag = tag_from_query(query)?;
    let author = match query.get("author")? {
        Some(name) => Some(find_author(pool, &name).await?),
        None => None,
    };
    let entries = entries(pool, author.as_ref().map(|author| author.id), tag.as_deref()).await?;
    let site = &state.site().name;
    let (title, page) = match (&author, &tag) {
        (Some(author), Some(tag)) => (format!("{} #{tag} · {site}", author.username), author.path()),
        (Some(author), None) => (format!("{} · {site}", author.username), author.path()),
        (None, Some(tag)) => {
            (format!("#{tag} · {site}"), format!("{}{}", urls::POST_LIST.pattern, query_string(&[("tag", Some(tag))])))
        }
        (None, None) => (site.clone(), urls::POST_LIST.pattern.to_owned()),
    };
    let author = author.as_ref().map(|author| author.username.as_str());
    // Uses the locale of the site, not of the client: aggregators serve one copy of a feed to many people.
    let locale = Locale { language: state.site().language, zone: state.site().zone };
    Ok(Feed {
        locale,
        title,
        page,
        query: query_string(&[("author", author), ("tag", tag.as_deref())]),
        public_url: state.settings.public_url.to_string(),
        description: state.site().description(locale).into_owned(),
        updated: entries.iter().map(|entry| entry.updated_at).max().unwrap_or_default(),
        entries,
    })
}

async fn entries(pool: &PgPool, author: Option<UserId>, tag: Option<&str>) -> sqlx::Result<Vec<Entry>> {
    sqlx::query_as!(
        Entry,
        r#"select p.id as "id: PostId", p.feed_id::text as "feed_id!", p.title, p.own_slug, case when not exists (
                select from post_links l where l.post_id = p.id and p.cover = any(l.suspected)
            ) then p.cover end as cover,
            u.username as author, coalesce(u.display_name, u.username) as "name!", p.language, p.tags,
            p.excerpt,
            case when sum(octet_length(p.content_html)) over (order by p.published_at desc, p.id desc) <= $4
                then p.content_html else '' end as "html!",
            p.published_at as "published_at!", p.updated_at, coalesce(t.average_rating, 0) as "average_rating!",
            coalesce(t.rating_count, 0) as "rating_count!", t.steady_rating as "steady_rating?",
            coalesce(t.steady_weight, 0) as "steady_weight!"
        from (
            select * from blog_posts
            where status = 'published' and not is_page and ($1::bigint is null or author_id = $1)
                and ($2::text is null or tags @> array[$2::text])
            order by published_at desc, id desc limit $3
        ) p join users u on u.id = p.author_id left join rating_totals t on t.blog_id = p.id
        order by p.published_at desc, p.id desc"#,
        author.map(|UserId(id)| id),
        tag,
        MAX_ENTRIES,
        MAX_HTML_BYTES,
    )
    .fetch_all(pool)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_characters_invalid_in_xml() {
        assert_eq!(strip_invalid_xml_chars("a\u{b}\u{1b}b\n\tc\u{ffff}سلام🙂"), "ab\n\tcسلام🙂");
    }

    #[test]
    fn urls_in_feeds_are_absolute() {
        let html = "<p><a href=\"#one\">1</a> <a href=\"two?a=1&amp;b=2\" rel=\"x\">2</a> <a href=\"/three/\">3</a>\
            <a href=\"https://e.example/\">4</a> <a href=\"mailto:a@e.example\">5</a><img src=\"/images/x.png\" srcset=\"/a 1w, /b 2w\" alt=\"href=\">a href=\"/</p>";
        let absolute = "<p><a href=\"https://site.example/blogs/1/a/#one\">1</a> \
            <a href=\"https://site.example/blogs/1/a/two?a=1&amp;b=2\" rel=\"x\">2</a> \
            <a href=\"https://site.example/three/\">3</a><a href=\"https://e.example/\">4</a> \
            <a href=\"mailto:a@e.example\">5</a><img src=\"https://site.example/images/x.png\" \
            srcset=\"https://site.example/a 1w, https://site.example/b 2w\" alt=\"href=\">a href=\"/</p>";
        assert_eq!(make_urls_absolute(html, "https://site.example", "/blogs/1/a/"), absolute);
    }
}
