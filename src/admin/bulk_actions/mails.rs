//! Rows of the actions on pending emails.

use serde_json::json;
use sqlx::PgConnection;

use super::action::ActionTarget;

pub(super) async fn find_mails(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, recipient, kind from outbox where id = any($1) and not handed_over order by id for update",
        ids,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let label = format!("{} · {}", row.recipient, row.kind);
        ActionTarget::new(row.id.to_string(), label).with_details(json!({ "mail": row.kind }))
    });
    Ok(rows.collect())
}
