//! Selected rows of the bulk actions on pending emails.

use serde_json::json;
use sqlx::PgConnection;

use super::action::ActionTarget;
use crate::web::request::current_user::UserId;

pub(super) async fn find_mails(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, recipient, kind,
            -- Several accounts may have the same address. The one with the highest role decides who may act.
            (select u.id from users u where u.email = recipient and u.is_staff
                order by array_position(array['owner', 'admin', 'moderator'], u.staff_role) limit 1) as staff_member
        from outbox where id = any($1) and not handed_over order by id for update",
        ids,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let label = format!("{} · {}", row.recipient, row.kind);
        ActionTarget {
            user: row.staff_member.map(UserId),
            ..ActionTarget::new(row.id.to_string(), label).with_details(json!({ "mail": row.kind }))
        }
    });
    Ok(rows.collect())
}
