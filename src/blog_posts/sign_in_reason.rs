//! Reason for signing in, shown on the sign-in page.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;

use super::models::PostId;
use super::queries::find_published_title;
use super::urls;
use crate::phrase;
use crate::web::request::form_field::Field as _;
use crate::web::response::sign_in_reason::SignInReason;

/// For a path such as `/blogs/42/?stars=4`, the reason is to rate the post; other paths have no reason.
pub fn sign_in_reason(pool: PgPool, next: String) -> BoxFuture<'static, Option<SignInReason>> {
    async move {
        let (post, stars) = parse_rating_path(&next)?;
        let title = find_published_title(&pool, post).await.ok()??;
        Some(SignInReason(phrase!("sign-in-to-rate", stars = stars, title = title)))
    }
    .boxed()
}

fn parse_rating_path(next: &str) -> Option<(PostId, u8)> {
    let (path, query) = next.split_once('?')?;
    let stars: u8 = query.strip_prefix("stars=")?.parse().ok()?;
    let id = path.strip_prefix(urls::POST_LIST.pattern)?.trim_end_matches('/');
    Some((PostId::from_text(id).ok()?, stars)).filter(|_| (1..=5).contains(&stars))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_post_paths_with_stars() {
        assert_eq!(parse_rating_path("/blogs/42/?stars=4"), Some((PostId(42), 4)));
        for next in
            ["/", "/blogs/42/", "/blogs/42/?stars=6", "/blogs/42/?stars=0", "/blogs/x/?stars=4", "/users/?stars=4"]
        {
            assert_eq!(parse_rating_path(next), None, "{next}");
        }
    }
}
