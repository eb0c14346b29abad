//! Views that preview and apply moderation decisions.

use actix_web::http::StatusCode;
use actix_web::{Responder, web};
use askama::Template;

use super::input::{Action, Decision, Window};
use super::models::{self, Moderation, Preview};
use crate::blog_posts::PostId;
use crate::i18n::filters;
use crate::page;
use crate::rate::{history, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::query::Query;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "rate/moderate.html")]
pub struct ModeratePage {
    layout: Layout,
    post: PostId,
    action: Action,
    title: String,
    form: Form,
    /// Preview; `None` until days are selected.
    data: Option<Preview>,
}

page!(ModeratePage, data: Option<Preview>);

impl ModeratePage {
    fn history(&self) -> String {
        urls::HISTORY.path_for(self.post)
    }

    fn here(&self) -> String {
        path(self.action, self.post)
    }

    /// Path of the form for the opposite action.
    fn contrary(&self) -> String {
        path(if self.is_void() { Action::Restore } else { Action::Void }, self.post)
    }

    fn is_void(&self) -> bool {
        self.action == Action::Void
    }
}

fn path(action: Action, post: PostId) -> String {
    match action {
        Action::Void => urls::VOID.path_for(post),
        Action::Restore => urls::RESTORE.path_for(post),
    }
}

pub async fn form(
    moderator: CurrentUser,
    action: Action,
    post: PostId,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<impl Responder, AppError> {
    let title = history::title(&state.pool, post).await?;
    moderator.must_be_staff()?;
    let typed = ["from", "to"].into_iter().filter_map(|name| {
        let typed = query.get(name).ok().flatten()?;
        Some((name.to_owned(), typed))
    });
    let typed = typed.collect();
    let looked = async || {
        let Some(window) = Window::of_query(&query)? else { return Ok(None) };
        models::preview(&state.pool, &state.clock, post, action, &window).await.map(Some)
    };
    match looked().await {
        Ok(data) => Ok(View::new(ModeratePage { layout, post, action, title, form: Form::typed(typed), data })),
        Err(error @ AppError::Invalid(_)) => {
            let form = Form::rejected(typed, &error);
            Ok(View::rejected(ModeratePage { layout, post, action, title, form, data: None }, error))
        }
        Err(error) => Err(error),
    }
}

/// Excludes days from the score or includes them again, in a spawned task, so that a client that disconnects does not
/// cancel it.
pub async fn decide(
    payload: Payload<Decision>,
    moderator: CurrentUser,
    action: Action,
    post: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Answer<Moderation, ModeratePage>, AppError> {
    let window = Window::of_texts(payload.typed("from"), payload.typed("to"));
    let decide = async |decision: Decision| {
        moderator.must_be_staff()?;
        let (pool, clock, by) = (state.pool.clone(), state.clock.clone(), moderator.clone());
        let deciding = tokio::spawn(async move { models::decide(&pool, &clock, post, &by, action, &decision).await });
        let entry = deciding.await.map_err(|panic| AppError::Internal(panic.to_string()))??;
        state.pages.clear_soon();
        tracing::info!(
            user_id = moderator.id.0,
            post_id = post.0,
            action = entry.action,
            days = entry.days,
            "days of a score moderated"
        );
        let message = entry.words();
        let location = format!("{}#moderations", urls::HISTORY.path_for(post));
        Ok(Done::new(StatusCode::CREATED, entry, location).message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let title = history::title(&state.pool, post).await.ok().filter(|_| moderator.is_staff())?;
        // A rejected form still displays the preview if its days are valid.
        let data = match window {
            Some(window) => models::preview(&state.pool, &state.clock, post, action, &window).await.ok(),
            None => None,
        };
        Some(ModeratePage { layout, post, action, title, form, data })
    };
    submit(payload, decide, page).await
}
