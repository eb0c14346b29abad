//! Admin list of invitations, with their inviters and numbers of registrations.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{
    AdminList, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct InvitationRow {
    id: i64,
    /// Username of the moderator who created the invitation.
    made_by: String,
    created_at: DateTime<Utc>,
    /// Time from which the invitation is invalid.
    expires_at: DateTime<Utc>,
    /// Number of registrations that the invitation allows.
    max_uses: i32,
    /// Number of registrations with the invitation so far.
    uses: i32,
    /// Role of the accounts: `reader`, `author` or `moderator`.
    role: String,
    /// `true` if the invitation has expired or all registrations are used.
    is_over: bool,
}

#[derive(Default)]
pub struct InvitationList;

impl AdminList for InvitationList {
    type Row = InvitationRow;

    const ROUTE: Route = urls::INVITATIONS;
    const NAME: &'static str = "invitations";
    const HEADER: &'static str = "id made_by created_at expires_at max_uses uses role is_over";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("column-joined"),
        ListColumn::new("label-role"),
        ListColumn::new("label-status"),
        ListColumn::new("label-made-by"),
        ListColumn::new("column-created").sorted_by("-created"),
    ];
    const DEFAULT_ORDER: &'static str = "-created";

    const CREATE: Option<(Route, &'static str)> = Some((crate::users::urls::INVITATIONS, "invitations-create"));

    fn filters() -> Vec<ListFilter> {
        let all = [
            ("", phrase!("invitations-all")),
            ("open", phrase!("invitations-valid")),
            ("over", phrase!("invitations-expired-or-used-up")),
        ];
        vec![
            ListFilter::text_filter("user", phrase!("label-made-by")),
            ListFilter::choice_filter("status", phrase!("label-status"), all.to_vec()),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<InvitationRow> {
        let (user, position) =
            (typed.find_user(state, "user").await?.map(|user| user.0), pager.position(SortKey::max_time()));
        let rows = sqlx::query_as!(
            InvitationRow,
            r#"select i.id as "id!", u.username as made_by, i.created_at as "created_at!", i.expires_at as "expires_at!",
                i.max_uses, i.uses, i.role, (i.uses = i.max_uses or i.expires_at <= clock.now) as "is_over!"
            from (select coalesce($1, clock_timestamp()) as now) clock, invitations i join users u on u.id = i.made_by
            where ($2::bigint is null or i.made_by = $2)
                and ($3::boolean is null or (i.uses = i.max_uses or i.expires_at <= clock.now) = $3)
                and case when $5 then i.id > $4 else i.id < $4 end
            order by case when $5 then i.id end, i.id desc limit $6"#,
            state.clock.now(),
            user,
            typed.get("status").map(|status| status == "over"),
            position.id,
            position.side == Direction::Before,
            pager.limit(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.created_at), row.id)))
    }

    fn entry(&self, row: &InvitationRow, now: DateTime<Utc>) -> RowDisplay {
        let time = PhraseValue::Minute(row.expires_at);
        let (kind, status) = match () {
            () if row.uses == row.max_uses => (BadgeKind::Neutral, phrase!("invitations-used-up")),
            () if row.expires_at <= now => (BadgeKind::Neutral, phrase!("invitations-expired", time = time)),
            () => (BadgeKind::Success, phrase!("invitations-valid-until", time = time)),
        };
        RowDisplay {
            id: format!("invitation-{}", row.id),
            key: (!row.is_over).then(|| row.id.to_string()),
            cells: vec![
                vec![DisplayPart::Said(phrase!("invitations-joined", uses = row.uses, max_uses = row.max_uses))],
                vec![DisplayPart::Said(Phrase::new(format!("role-{}", row.role)))],
                vec![DisplayPart::Badge(kind, status)],
                vec![DisplayPart::user_link(&row.made_by)],
                vec![DisplayPart::Time(row.created_at, now)],
            ],
        }
    }
}
