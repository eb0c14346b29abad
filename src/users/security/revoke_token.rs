//! View that revokes an API token.

use actix_web::web;
use serde_json::json;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::tokens::models::{self, TokenId};
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::EmptyResult;

pub async fn revoke_token(
    _: NoInput,
    user: CurrentUser,
    id: TokenId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let mut transaction = state.pool.begin().await?;
    let name = models::revoke(&mut transaction, user.id, id).await?.ok_or(AppError::NotFound)?;
    let log = json!({ "token": id, "name": name });
    let entry = NewEntry::new(AuditAction::RevokeToken).for_user(user.id).with_details(log);
    entry.insert(&user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    tracing::info!(user_id = user.id.0, token_id = id.0, "API token revoked");
    Ok(EmptyResult::no_content(urls::TOKENS.pattern).with_message(phrase!("done-token-revoked", name = name)))
}
