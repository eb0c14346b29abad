//! Selected rows of the bulk actions on posts.

use sqlx::PgConnection;

use super::action::ActionTarget;
use crate::web::request::current_user::UserId;

/// Staff can publish only drafts that staff unpublished and that have not changed since.
pub(super) async fn find_posts(
    connection: &mut PgConnection,
    ids: &[i64],
    are_published: bool,
) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, title, author_id from blog_posts
        where id = any($1) and case when $2 then status = 'published'
            else status = 'draft' and withheld_by is null and unpublished_version = version end
        order by id for no key update",
        ids,
        are_published,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| ActionTarget {
        user: Some(UserId(row.author_id)),
        post: Some(row.id),
        ..ActionTarget::new(row.id.to_string(), row.title)
    });
    Ok(rows.collect())
}
