//! Selected rows of the bulk actions on posts.

use sqlx::PgConnection;

use super::action::ActionTarget;
use crate::web::request::current_user::UserId;

/// Staff can publish only drafts that authors submitted, or that staff unpublished and that have not changed since.
pub(super) async fn find_posts(
    connection: &mut PgConnection,
    ids: &[i64],
    are_published: bool,
) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, title, author_id from blog_posts
        where id = any($1) and case when $2 then status = 'published'
            else status = 'draft' and withheld_by is null and (unpublished_version = version or submitted_at is not null) end
        order by id for no key update",
        ids,
        are_published,
    );
    let rows = rows.fetch_all(connection).await?.into_iter();
    Ok(rows.map(|row| target(row.id, row.title, row.author_id)).collect())
}

pub(super) async fn find_submitted_posts(
    connection: &mut PgConnection,
    ids: &[i64],
) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, title, author_id from blog_posts
        where id = any($1) and status = 'draft' and submitted_at is not null order by id for no key update",
        ids,
    );
    let rows = rows.fetch_all(connection).await?.into_iter();
    Ok(rows.map(|row| target(row.id, row.title, row.author_id)).collect())
}

fn target(id: i64, title: String, author: i64) -> ActionTarget {
    ActionTarget { user: Some(UserId(author)), post: Some(id), ..ActionTarget::new(id.to_string(), title) }
}
