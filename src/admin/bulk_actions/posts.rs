//! Selected rows of the bulk actions on posts.

use sqlx::PgConnection;

use super::action::ActionTarget;
use crate::web::request::current_user::UserId;

/// Posts to which a bulk action applies.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum PostSelection {
    Published,
    /// Drafts that authors submitted, or that staff unpublished and that have not changed since.
    Publishable,
    Submitted,
}

pub(super) async fn find_posts(
    connection: &mut PgConnection,
    ids: &[i64],
    selection: PostSelection,
) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, title, author_id from blog_posts
        where id = any($1) and case $2
            when 'published' then status = 'published'
            when 'submitted' then status = 'draft' and submitted_at is not null
            else status = 'draft' and withheld_by is null and (unpublished_version = version or submitted_at is not null)
        end
        order by id for no key update",
        ids,
        <&str>::from(selection),
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| ActionTarget {
        user: Some(UserId(row.author_id)),
        post: Some(row.id),
        ..ActionTarget::new(row.id.to_string(), row.title)
    });
    Ok(rows.collect())
}
