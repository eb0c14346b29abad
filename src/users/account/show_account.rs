//! Account of the signed-in user as JSON.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, VARY};
use actix_web::{HttpResponse, web};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::ApiScope;
use crate::state::AppState;
use crate::users::models::{Account, Profile, User, find_account};
use crate::users::urls::author_path;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::format::ResponseFormat;
use crate::web::response::view::VARY_HEADERS;

/// Account of the user. API tokens without the scope `account` get only the public fields.
#[derive(JsonSchema, Serialize)]
pub struct OwnAccount {
    #[serde(flatten)]
    user: User,
    #[serde(flatten)]
    profile: Profile,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_confirmed: Option<bool>,
    /// Time of the scheduled deletion, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_at: Option<DateTime<Utc>>,
    /// `true` if the posts are deleted together with the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_posts: Option<bool>,
}

/// Redirects browsers to the user's author page.
pub async fn show_current_user(
    user: CurrentUser,
    format: ResponseFormat,
    state: web::Data<AppState>,
) -> Result<HttpResponse, AppError> {
    if format == ResponseFormat::Html {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((CACHE_CONTROL, "no-store")).insert_header((VARY, VARY_HEADERS));
        return Ok(response.insert_header((LOCATION, author_path(&user.username))).finish());
    }
    let account = find_account(&state.pool, user.id).await?;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    let is_visible = user.scopes.is_none_or(|scopes| scopes.allows(ApiScope::Account));
    let Account { user, profile, email, email_confirmed, delete_at, delete_posts } = account;
    Ok(response.json(OwnAccount {
        user,
        profile,
        email: Some(email).filter(|_| is_visible),
        email_confirmed: Some(email_confirmed).filter(|_| is_visible),
        delete_at: delete_at.filter(|_| is_visible),
        delete_posts: delete_posts.filter(|_| is_visible),
    }))
}
