//! Page of a post, and the post as JSON.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, VARY};
use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::models::{PostHeader, PostId, find_post, find_published_title};
use super::post_detail::{PostDetail, ScoreStatus, find_cached_detail, find_post_detail};
use super::urls::{self, absolute_url};
use crate::i18n::{Phrase, filters, format_duration};
use crate::score::DisplayedScore;
use crate::score::contributions::OwnRatingContribution;
use crate::state::AppState;
use crate::users::rating_eligibility::{MissingRequirements, find_missing_requirements};
use crate::users::urls::existing_author_path;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::Field as _;
use crate::web::request::format::ResponseFormat;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::messages::Message;
use crate::web::response::sign_in_reason::SignInReason;
use crate::web::response::view::{PageResponse, VARY_HEADERS, json_response};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// HTML requests are redirected to the URL with the current slug, JSON requests to the URL without a slug.
pub async fn show(
    id: PostId,
    reader: Option<CurrentUser>,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<PostPage>, HttpResponse>, AppError> {
    let slug = request.match_info().get("slug").map(|slug| percent_decode_str(slug).decode_utf8_lossy().into_owned());
    if ResponseFormat::for_request(&request) == ResponseFormat::Json {
        let post = match &reader {
            Some(reader) => state.posts.find(id, reader).await?,
            None => find_post(state.read_pool(None).await, id, None).await?,
        };
        return Ok(Either::Right(match slug {
            Some(_) => permanent_redirect(&request, &urls::POST_BY_ID.path_for(id), post.head.is_draft()),
            None => json_response(&request, &mut HttpResponse::Ok(), &post),
        }));
    }
    // Boxed, so that JSON requests do not allocate the larger future of the page.
    Box::pin(show_page(&request, id, slug.as_deref(), reader.as_ref(), layout, &query, &state)).await
}

async fn show_page(
    request: &HttpRequest,
    id: PostId,
    slug: Option<&str>,
    reader: Option<&CurrentUser>,
    layout: Layout,
    query: &Query,
    state: &AppState,
) -> Result<Either<PageResponse<PostPage>, HttpResponse>, AppError> {
    let article = match reader {
        Some(reader) => find_cached_detail(state, id, reader).await?,
        None => find_post_detail(state.read_pool(None).await, &state.clock, id, None).await?,
    };
    if slug != Some(&*article.head.slug) {
        return Ok(Either::Right(permanent_redirect(request, &article.head.path(), article.head.is_draft())));
    }
    // Stars selected before signing in stay selected. Invalid values in old links are ignored.
    let stars_parameter = query.get_undocumented("stars").ok().flatten();
    let chosen = (1..=5u8).find(|stars| stars_parameter.as_ref() == Some(&stars.to_string()));
    let rating = RatingForm { selected: chosen, failure: None };
    Ok(Either::Left(PageResponse::new(PostPage::load(state, layout, article, rating).await?)))
}

/// Redirects and keeps the query string. For visitors, the page cache has already removed undeclared parameters.
pub(super) fn permanent_redirect(request: &HttpRequest, path: &str, secret: bool) -> HttpResponse {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, format!("{path}{query}")))
        .insert_header((VARY, VARY_HEADERS))
        // Slugs change with titles. A redirect to a draft must not be cached, because the slug contains the title.
        .insert_header((CACHE_CONTROL, if secret { "no-store" } else { "no-cache" }))
        .finish()
}

#[derive(Template)]
#[template(path = "blog_posts/show.html")]
pub struct PostPage {
    layout: Layout,
    data: PostDetail,
    rating: RatingForm,
    public_url: String,
    score: Option<f64>,
    /// Reason why the user cannot rate the post; `None` for anonymous visitors, the author and users who can rate.
    cannot_rate: Option<CannotRate>,
    score_status: Option<ScoreStatus>,
    shows_steady_score: bool,
    unusual_messages: Vec<Phrase>,
}

#[derive(Debug)]
struct CannotRate {
    title: Phrase,
    /// Advice to the user; `None` for blocked users, whose pages begin with the reason of the block.
    detail: Option<Phrase>,
    needs_confirmed_email: bool,
}

impl From<MissingRequirements> for CannotRate {
    fn from(missing: MissingRequirements) -> Self {
        let title = missing.message();
        let detail = Some(title.attribute("detail"));
        Self { title, detail, needs_confirmed_email: missing.needs_confirmed_email }
    }
}

#[derive(Debug, Default)]
pub struct RatingForm {
    pub selected: Option<u8>,
    pub failure: Option<RatingFailure>,
}

#[derive(Debug)]
pub struct RatingFailure {
    pub title: Phrase,
    pub detail: Vec<Phrase>,
    /// Seconds after which the user can retry.
    pub retry_after: Option<i64>,
    pub link: Option<String>,
    /// Stars that the page offers to submit automatically after the wait.
    pub submit_later: Option<u8>,
}

impl RatingFailure {
    fn wait(&self) -> Phrase {
        format_duration(self.retry_after.unwrap_or(1))
    }
}

impl PostPage {
    pub async fn load(
        state: &CoreState,
        layout: Layout,
        data: PostDetail,
        rating: RatingForm,
    ) -> Result<Self, AppError> {
        let cannot_rate = match &layout.user {
            Some(CurrentUser { block: Some(block), .. }) => {
                let title = AppError::Blocked(block.clone()).error_text().title;
                Some(CannotRate { title, detail: None, needs_confirmed_email: false })
            }
            Some(user) if data.head.my_rating.is_none() && user.id != data.head.author.id => {
                find_missing_requirements(state, user.id).await?.map(CannotRate::from)
            }
            _ => None,
        };
        let score = data.head.displayed_score(state.site().score_shown);
        let score_status = data.score_status(state.site().score_shown);
        let unusual =
            data.unusual_ratings.map(|unusual| unusual.messages(state.site().score_shown, score)).unwrap_or_default();
        Ok(Self {
            layout,
            data,
            rating,
            public_url: state.settings.public_url.to_string(),
            score,
            cannot_rate,
            score_status,
            shows_steady_score: state.site().score_shown == DisplayedScore::Steady,
            unusual_messages: unusual,
        })
    }

    fn is_author(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.head.author.id)
    }

    fn has_ratings(&self) -> bool {
        !self.data.head.is_draft() && self.data.head.has_ratings()
    }

    fn may_change(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| self.data.head.is_editable_by(user))
    }

    /// After a rejected change, the form shows the rating that still counts.
    fn is_chosen(&self, stars: &u8) -> bool {
        let (selected, mine) = (self.rating.selected.map(i16::from), self.data.head.my_rating);
        let chosen = if self.rating.failure.is_some() { mine.or(selected) } else { selected.or(mine) };
        chosen == Some(i16::from(*stars))
    }

    fn own_rating_explanation(&self) -> Vec<Phrase> {
        let own = self.data.own_rating.as_ref().filter(|_| self.shows_steady_score);
        own.map(OwnRatingContribution::explanation).unwrap_or_default()
    }

    /// Number of stars that the user selected before signing in and has not submitted yet.
    fn stars_to_submit(&self) -> Option<u8> {
        let (chosen, mine) = (self.rating.selected?, self.data.head.my_rating);
        let is_news = mine != Some(i16::from(chosen)) && self.rating.failure.is_none();
        is_news.then_some(chosen)
    }

    /// True if the message is about the rating, or the page scrolls to stars that were selected before signing in.
    fn is_next_to_stars(&self, message: &Message) -> bool {
        !self.is_author() && (message.is_inline() || (self.stars_to_submit().is_some() && self.cannot_rate.is_none()))
    }

    fn rating_message(&self) -> Option<&Phrase> {
        let message = self.layout.message.as_ref()?;
        message.is_inline().then_some(&message.text)
    }

    fn has_rated(&self) -> bool {
        self.data.head.my_rating.is_some()
    }

    fn cover_url(&self) -> Option<String> {
        self.data.cover.as_ref().map(|cover| absolute_url(cover, &self.public_url))
    }

    fn json_ld(&self) -> String {
        let post = &self.data.head;
        let author = json!({ "@type": "Person", "name": post.author.name(),
            "url": existing_author_path(&post.author.username).map(|path| format!("{}{path}", self.public_url)) });
        // Search engines display the date and the author, which pages such as an imprint do not show either.
        let if_post = |value: Value| Some(value).filter(|_| !post.is_page);
        let mut data = json!({
            "@context": "https://schema.org",
            "@type": if post.is_page { "WebPage" } else { "BlogPosting" },
            "headline": post.title,
            "description": self.data.excerpt,
            "url": format!("{}{}", self.public_url, post.path()),
            "datePublished": if_post(json!(post.published_at)),
            "dateModified": if_post(json!(post.updated_at)),
            "keywords": post.tags,
            "image": self.cover_url(),
            "author": if_post(author),
        });
        if let Some(score) = self.score.filter(|_| post.rating_count > 0) {
            data["aggregateRating"] = json!({
                "@type": "AggregateRating",
                "ratingValue": (score * 10.0).round() / 10.0,
                "ratingCount": post.rating_count,
                "bestRating": 5,
                "worstRating": 1,
            });
        }
        // Escapes `<`, so that no text can close the surrounding `<script>` element.
        data.to_string().replace('<', "\\u003c")
    }
}

page!(PostPage, data.head: PostHeader);

/// Reason to sign in before opening `next`: to rate the post for `/blogs/42/?stars=4`; `None` for other paths.
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
