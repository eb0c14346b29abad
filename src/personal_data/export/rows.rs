//! Rows of a personal data export whose JSON a database query creates.

use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

pub const ROWS_PER_QUERY: i64 = 1_000;

#[derive(Clone, Copy, Debug)]
pub enum RowFile {
    Refused,
    Pauses,
    Limits,
    Reports,
    /// Audit log entries without the identity and network of other actors.
    Log,
}

#[derive(Serialize)]
#[serde(transparent)]
pub struct ExportedRow {
    #[serde(skip)]
    pub id: i64,
    row: Value,
}

impl RowFile {
    pub(super) const ALL: [(Self, &str); 5] = [
        (Self::Refused, "refused_ratings.json"),
        (Self::Pauses, "pauses.json"),
        (Self::Limits, "limits.json"),
        (Self::Reports, "reports.json"),
        (Self::Log, "log.json"),
    ];

    pub(super) async fn rows_after(
        self,
        pool: &PgPool,
        UserId(user): UserId,
        after: i64,
    ) -> sqlx::Result<Vec<ExportedRow>> {
        match self {
            Self::Refused => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select id, jsonb_build_object('blog', blog_id, 'rating', rating, 'at', at) as "row!"
                    from refused_ratings where user_id = $1 and id > $2 order by id limit $3"#,
                    user,
                    after,
                    ROWS_PER_QUERY,
                );
                page.fetch_all(pool).await
            }
            Self::Pauses => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select blog_id as id, to_jsonb(z) - 'user_id' as "row!" from zombie_pauses z
                    where user_id = $1 and blog_id > $2 order by blog_id limit $3"#,
                    user,
                    after,
                    ROWS_PER_QUERY,
                );
                page.fetch_all(pool).await
            }
            Self::Limits => {
                let page = sqlx::query_as!(
                    ExportedRow,
                    r#"select id, to_jsonb(o) - array['id', 'user_id', 'network'] as "row!" from custom_limits o
                    where user_id = $1 and id > $2 order by id limit $3"#,
                    user,
                    after,
                    ROWS_PER_QUERY,
                );
                page.fetch_all(pool).await
            }
            Self::Reports => reports(pool, user, after).await,
            Self::Log => log(pool, user, after).await,
        }
    }
}

/// Reports by the user, and decisions about the user's reports and posts. Omits reports and appeals by other users.
async fn reports(pool: &PgPool, user: i64, after: i64) -> sqlx::Result<Vec<ExportedRow>> {
    let page = sqlx::query_as!(
        ExportedRow,
        r#"select c.id, jsonb_build_object('post', c.blog_id, 'title', c.title, 'is_your_post', c.author_id is not distinct from $1,
            'category', r.category, 'explanation', r.explanation, 'reported_at', r.reported_at,
            'ruling', c.ruling, 'ground', c.ground, 'reason', c.reason, 'decided_at', c.decided_at,
            'appeal', case when c.appeal_report = r.id or (c.appeal_by = 'author' and c.author_id = $1) then c.appeal end,
            'appealed_at', c.appealed_at, 'final_ruling', c.final_ruling, 'final_ground', c.final_ground,
            'final_reason', c.final_reason, 'final_at', c.final_at, 'before', c.before #- '{appeal,report}' #- case
                when (c.before #> '{appeal,report}') is distinct from to_jsonb(r.id) then array['appeal', 'text'] else '{}' end) as "row!"
        from report_cases c left join reports r on r.case_id = c.id and r.user_id = $1
        where c.id in (
            select case_id from reports where user_id = $1
            union select id from report_cases where author_id = $1 and ruling is not null
        ) and c.id > $2 order by c.id limit $3"#,
        user,
        after,
        ROWS_PER_QUERY,
    );
    page.fetch_all(pool).await
}

async fn log(pool: &PgPool, user: i64, after: i64) -> sqlx::Result<Vec<ExportedRow>> {
    let page = sqlx::query_as!(
        ExportedRow,
        r#"select id, jsonb_build_object('at', at, 'act', act, 'by_you', actor_id is not distinct from $1, 'post', post_id,
            'details', details, 'network', case when actor_id = $1 then network end) as "row!"
        from audit_log where id in (
            (select id from audit_log where actor_id = $1 and id > $2 order by id limit $3)
            union (select id from audit_log where user_id = $1 and id > $2 order by id limit $3)
        ) order by id limit $3"#,
        user,
        after,
        ROWS_PER_QUERY,
    );
    page.fetch_all(pool).await
}

/// Moderation decision by the user, or invitation that the user created.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Decision {
    #[serde(skip)]
    pub position: (bool, i64),
    decision: Value,
}

/// Reads moderation decisions, and then invitations, after the row with the given kind and id.
pub async fn decisions_after(
    state: &CoreState,
    UserId(user): UserId,
    (is_invitation, after): (bool, i64),
) -> sqlx::Result<Vec<Decision>> {
    let decisions = sqlx::query!(
        r#"(select id as "id!", to_jsonb(m) - 'moderator_id' as "row!" from moderations m
                    where not $4 and moderator_id = $1 and id > $2 order by id limit $3)
                union all
                (select id, to_jsonb(i) - 'made_by' from invitations i
                    where $4 and made_by = $1 and id > $2 order by id limit $3)"#,
        user,
        after,
        ROWS_PER_QUERY,
        is_invitation,
    );
    let rows = decisions.fetch_all(&state.pool).await?;
    if rows.is_empty() && !is_invitation {
        return Box::pin(decisions_after(state, UserId(user), (true, 0))).await;
    }
    let kind = if is_invitation { "invitation" } else { "moderation" };
    let decision = |id, row: Value| Decision { position: (is_invitation, id), decision: json!({ kind: row }) };
    Ok(rows.into_iter().map(|row| decision(row.id, row.row)).collect())
}
