//! Page of a post.

use askama::Template;
use serde_json::json;

use crate::blog_posts::models::PostHeader;
use crate::blog_posts::post_detail::{PostDetail, ScoreStatus};
use crate::blog_posts::urls::absolute_url;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::score::DisplayedScore;
use crate::score::contributions::OwnRatingContribution;
use crate::users::rating_eligibility::{MissingRequirements, find_missing_requirements};
use crate::users::urls::existing_author_path;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::messages::Message;
use crate::web::response::text::format_duration;
use crate::web::state::CoreState;

#[derive(Template)]
#[template(path = "blog_posts/show.html")]
pub struct PostPage {
    layout: Layout,
    data: PostDetail,
    rating: RatingForm,
    public_url: String,
    score: Option<f64>,
    /// `None` if the user can rate the post, is the author or has not signed in.
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
        let score = data.head.displayed_score(state.score_shown);
        let score_status = data.score_status(state.score_shown);
        let unusual =
            data.unusual_ratings.map(|unusual| unusual.messages(state.score_shown, score)).unwrap_or_default();
        Ok(Self {
            layout,
            data,
            rating,
            public_url: state.settings.public_url.to_string(),
            score,
            cannot_rate,
            score_status,
            shows_steady_score: state.score_shown == DisplayedScore::Steady,
            unusual_messages: unusual,
        })
    }

    fn is_author(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.head.author.id)
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
        let mut data = json!({
            "@context": "https://schema.org",
            "@type": "BlogPosting",
            "headline": post.title,
            "description": self.data.excerpt,
            "url": format!("{}{}", self.public_url, post.path()),
            "datePublished": post.published_at,
            "dateModified": post.updated_at,
            "keywords": post.tags,
            "image": self.cover_url(),
            "author": { "@type": "Person", "name": post.author.name(),
                "url": existing_author_path(&post.author.username).map(|path| format!("{}{path}", self.public_url)) },
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
