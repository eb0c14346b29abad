//! `sitemap.xml`, its parts, and `robots.txt`.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::feeds::file;
use super::urls::{self, post_path};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::routing::route::RouteTable;
use crate::web::state::CoreState;

/// Number of consecutive post ids per sitemap file, which limits the work per request.
const IDS_PER_SITEMAP: i64 = 2_500;
/// Maximum number of sitemap files in a sitemap index, as defined by the sitemap protocol.
const MAX_SITEMAPS: i64 = 50_000;

#[derive(Template)]
#[template(path = "blog_posts/sitemap.xml")]
struct Sitemap {
    public_url: String,
    is_first: bool,
    posts: Vec<(String, DateTime<Utc>)>,
}

#[derive(Template)]
#[template(path = "blog_posts/sitemap_index.xml")]
struct SitemapIndex {
    url: String,
    parts: i64,
}

/// The query parameter `part` selects a file of the sitemap index.
pub async fn sitemap(
    reader: Option<CurrentUser>,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let pool = state.read_pool(reader.as_ref()).await;
    // Includes drafts, so that PostgreSQL reads only the last entry of the primary key index.
    let last = sqlx::query_scalar!(r#"select coalesce(max(id), 1) as "last!" from blog_posts"#);
    let last = last.fetch_one(pool).await?;
    let parts = ((last - 1) / IDS_PER_SITEMAP + 1).min(MAX_SITEMAPS);
    let selected_part = match query.get("part")? {
        Some(part) => {
            Some(part.parse::<i64>().ok().filter(|part| (1..=parts).contains(part)).ok_or(AppError::NotFound)?)
        }
        None => (parts == 1).then_some(1),
    };
    let text = match selected_part {
        Some(part) => sitemap_part(pool, &state, part).await?.render()?,
        None => SitemapIndex { url: state.settings.absolute_url(urls::SITEMAP.pattern), parts }.render()?,
    };
    Ok(file(&request, "application/xml; charset=utf-8", text))
}

async fn sitemap_part(pool: &PgPool, state: &CoreState, part: i64) -> sqlx::Result<Sitemap> {
    let rows = sqlx::query!(
        "select id, title, own_slug, updated_at from blog_posts where status = 'published' and id between $1 and $2 order by id",
        (part - 1) * IDS_PER_SITEMAP + 1,
        part * IDS_PER_SITEMAP,
    );
    let rows = rows.fetch_all(pool).await?;
    let posts = rows.into_iter();
    let posts = posts.map(|row| (post_path(row.id, &row.title, row.own_slug.as_deref()), row.updated_at)).collect();
    Ok(Sitemap { public_url: state.settings.public_url.to_string(), is_first: part == 1, posts })
}

/// Disallows URLs that only redirect (such as the sign-in URL) or contain a secret in their query.
pub async fn robots_txt(state: web::Data<AppState>) -> HttpResponse {
    let not_theirs = RouteTable::global().iter().filter(|route| route.follows_next || route.has_secret_query);
    let disallow: Vec<String> = not_theirs.map(|route| format!("Disallow: {}\n", route.pattern)).collect();
    let sitemap = state.settings.absolute_url(urls::SITEMAP.pattern);
    let text = format!("User-agent: *\n{}\nSitemap: {sitemap}\n", disallow.concat());
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text)
}
