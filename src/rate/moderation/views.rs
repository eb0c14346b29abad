//! Views that preview and apply moderation decisions.

use actix_web::web;
use askama::Template;
use sqlx::PgConnection;

use super::input::{DateRange, ModerationAction, ModerationDecision};
use super::models::{self, Moderation, ModerationPreview};
use crate::blog_posts::PostId;
use crate::blog_posts::models::find_published_title;
use crate::i18n::filters;
use crate::page;
use crate::rate::urls;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;

#[derive(Template)]
#[template(path = "rate/moderate.html")]
pub struct ModerationPage {
    layout: Layout,
    post: PostId,
    action: ModerationAction,
    title: String,
    form: Form,
    /// `None` until the moderator has selected days.
    data: Option<ModerationPreview>,
}

page!(ModerationPage, data: Option<ModerationPreview>);

impl ModerationPage {
    fn history(&self) -> String {
        urls::RATING_HISTORY.path_for(self.post)
    }

    fn here(&self) -> String {
        path(self.action, self.post)
    }

    /// Form for the opposite action.
    fn contrary(&self) -> String {
        path(if self.is_exclusion() { ModerationAction::Restore } else { ModerationAction::Exclude }, self.post)
    }

    fn is_exclusion(&self) -> bool {
        self.action == ModerationAction::Exclude
    }
}

fn path(action: ModerationAction, post: PostId) -> String {
    match action {
        ModerationAction::Exclude => urls::EXCLUDE_RATINGS.path_for(post),
        ModerationAction::Restore => urls::RESTORE_RATINGS.path_for(post),
    }
}

pub async fn moderation_form(
    moderator: CurrentUser,
    action: ModerationAction,
    post: PostId,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<ModerationPage>, AppError> {
    let title = find_published_title(&state.pool, post).await?.ok_or(AppError::NotFound)?;
    moderator.require_staff()?;
    let values = ["from", "to"].into_iter().filter_map(|name| {
        let value = query.get(name).ok().flatten()?;
        Some((name.to_owned(), value))
    });
    let values = values.collect();
    let preview = async || {
        let Some(window) = DateRange::from_query(&query)? else { return Ok(None) };
        models::preview_decision(&state.pool, &state.clock, post, action, &window).await.map(Some)
    };
    match preview().await {
        Ok(data) => {
            Ok(PageResponse::new(ModerationPage { layout, post, action, title, form: Form::with_values(values), data }))
        }
        Err(error @ AppError::Invalid(_)) => {
            let form = Form::rejected(values, &error);
            Ok(PageResponse::invalid_form_response(
                ModerationPage { layout, post, action, title, form, data: None },
                error,
            ))
        }
        Err(error) => Err(error),
    }
}

pub async fn decide(
    payload: Payload<ModerationDecision>,
    moderator: CurrentUser,
    action: ModerationAction,
    post: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Moderation, ModerationPage, 201>, AppError> {
    let window = DateRange::from_form(payload.submitted_value("from"), payload.submitted_value("to"));
    let decide = async |decision: ModerationDecision| {
        moderator.require_staff()?;
        let by = moderator.clone();
        let decide = async move |connection: &mut PgConnection, state: &CoreState| {
            models::apply_decision(connection, &state.clock, post, &by, action, &decision).await
        };
        let entry = state.transaction_then(decide, |state, _| state.page_cache.invalidate()).await?;
        tracing::info!(
            user_id = moderator.id.0,
            post_id = post.0,
            action = entry.action,
            days = entry.days,
            "days excluded from or included in the score of a post"
        );
        let message = entry.description();
        let location = format!("{}#moderations", urls::RATING_HISTORY.path_for(post));
        Ok(ActionResult::new(entry, location).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let title = find_published_title(&state.pool, post).await.ok()?.filter(|_| moderator.is_staff())?;
        // A rejected form is displayed with a preview if the submitted days are valid.
        let data = match window {
            Some(window) => models::preview_decision(&state.pool, &state.clock, post, action, &window).await.ok(),
            None => None,
        };
        Some(ModerationPage { layout, post, action, title, form, data })
    };
    handle_form(payload, decide, page).await
}
