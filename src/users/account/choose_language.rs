//! Language selection by users and anonymous visitors, available on every page.

use actix_web::cookie::time::Duration;
use actix_web::{HttpRequest, HttpResponse, Responder as _, web};
use schemars::JsonSchema;
use serde::Serialize;

use crate::i18n::Language;
use crate::phrase;
use crate::state::AppState;
use crate::users::models;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::cookies::CookieName;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText};
use crate::web::response::layout::local_path;
use crate::web::response::view::ActionResult;

/// Maximum cookie lifetime that browsers accept.
const LIFETIME: Duration = Duration::days(400);

#[derive(Debug)]
pub struct LanguageInput {
    language: Language,
    next: Option<String>,
}

impl FormInput for LanguageInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (language, next) = (fields.take("language"), fields.take_optional::<NonEmptyText>("next"));
        Some(Self { language: language?, next: next?.map(|NonEmptyText(next)| next) })
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct ChosenLanguage {
    language: Language,
}

pub async fn set_language(
    payload: Payload<LanguageInput>,
    user: Option<CurrentUser>,
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    let LanguageInput { language, next } = payload.into_result()?;
    if let Some(user) = user {
        models::set_language(&mut *state.pool.acquire().await?, user.id, language).await?;
    }
    let message = phrase!("done-language", language = language.name());
    let done: ActionResult<_> =
        ActionResult::new(ChosenLanguage { language }, local_path(next.as_deref())).with_message(message);
    let mut response = done.respond_to(&request);
    let mut cookie = CookieName::Language.cookie(state.settings.production, language.tag());
    cookie.set_max_age(LIFETIME);
    response.add_cookie(&cookie).map_err(|error| AppError::Internal(error.to_string()))?;
    Ok(response)
}
