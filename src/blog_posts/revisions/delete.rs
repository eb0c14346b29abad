//! Delete an earlier version of a post, for example because it contains a secret.

use actix_web::web;
use serde_json::json;

use super::models::{RevisionVersion, sees_private_texts};
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::models::{PostId, find_editable_post};
use crate::blog_posts::urls;
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::EmptyResult;

pub async fn delete(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    RevisionVersion(version): RevisionVersion,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let mut transaction = state.pool.begin().await?;
    let deleted = sqlx::query!(
        "delete from post_revisions
        where post_id = $1 and version = $2 and ($3 or not is_private) and is_credential(decode($4, 'hex'))",
        id.0,
        version,
        sees_private_texts(&post, &user),
        user.session,
    );
    if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
        user.check_credential(&state.pool).await?;
        return Err(AppError::NotFound);
    }
    if post.head.author.id != user.id {
        let entry = NewEntry::new(AuditAction::DeleteRevision).for_post(id.0).for_user(post.head.author.id);
        let entry = entry.with_details(json!({ "version": version }));
        entry.insert(&user, &mut transaction, &state.clock).await?;
    }
    commit(transaction).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, version, "earlier version of a post deleted");
    Ok(EmptyResult::no_content(urls::REVISIONS.path_for(id)).with_message(phrase!("done-revision-deleted")))
}
