//! Models of a dump: tables with Django-style names, ordered so that each table follows the tables that its foreign
//! keys reference.

use sqlx::{AssertSqlSafe, PgConnection};

/// Model of the first object of a dump, which contains the version of Evenkeel.
pub const DUMP_HEADER: &str = "site.dump";

/// Model in a dump, named as in Django. The fields of a model are all or some columns of a table.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Name of the model, such as `users.user`.
    pub name: &'static str,
    pub table: &'static str,
    /// Columns of the primary key. A single column is dumped as `pk`, the columns of a composite key are dumped as
    /// fields. Empty if the table has no primary key.
    pub key: &'static [&'static str],
    pub part: ModelColumns,
}

/// Columns of a table that belong to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelColumns {
    All,
    /// All columns except this foreign key, which references a table that comes later in the dump.
    Without(&'static str),
    /// Only this column, and only the rows in which the column is not null.
    Only(&'static str),
}

const fn all(name: &'static str, table: &'static str, key: &'static [&'static str]) -> Model {
    Model { name, table, key, part: ModelColumns::All }
}

pub const MODELS: &[Model] = &[
    Model { name: "users.user", table: "users", key: &["id"], part: ModelColumns::Without("invitation_id") },
    all("users.invitation", "invitations", &["id"]),
    Model { name: "users.invitee", table: "users", key: &["id"], part: ModelColumns::Only("invitation_id") },
    all("users.secondfactor", "second_factors", &["user_id"]),
    all("users.recoverycode", "recovery_codes", &["user_id", "code_hash"]),
    all("users.signin", "sign_ins", &["user_id", "network"]),
    all("users.session", "sessions", &["token_hash"]),
    all("users.apitoken", "api_tokens", &["id"]),
    all("users.ownerclaim", "owner_claims", &["id"]),
    all("images.image", "images", &["id"]),
    all("images.owner", "image_owners", &["id"]),
    all("reports.case", "report_cases", &["id"]),
    all("reports.report", "reports", &["id"]),
    all("blog_posts.blogpost", "blog_posts", &["id"]),
    all("blog_posts.links", "post_links", &["post_id"]),
    all("images.use", "image_uses", &[]),
    all("rate.total", "rating_totals", &["blog_id"]),
    all("rate.rate", "rates", &["blog_id", "user_id"]),
    all("rate.scoreperiod", "score_periods", &["blog_id", "first_day"]),
    all("rate.hour", "rating_history", &["blog_id", "hour"]),
    all("rate.moderation", "moderations", &["id"]),
    all("rate.gatechoice", "gate_choices", &["id"]),
    all("rate.refused", "refused_ratings", &["id"]),
    all("rate.zombiepause", "zombie_pauses", &["user_id", "blog_id"]),
    all("limiters.override", "limit_overrides", &["id"]),
    all("limiters.warning", "warning_levels", &["user_id"]),
    all("limiters.state", "limiter_states", &["limiter", "key"]),
    all("links.suspected", "suspected_links", &["hash"]),
    all("mail.outgoing", "outbox", &["id"]),
    all("webhooks.webhook", "webhooks", &["id"]),
    all("webhooks.delivery", "webhook_deliveries", &["id"]),
    all("rate.surge", "rating_surges", &["blog_id"]),
    all("audit_log.entry", "audit_log", &["id"]),
    all("site.hour", "site_hours", &["hour"]),
];

/// Table in which a trigger creates a row for each published post.
pub const TABLE_FILLED_BY_TRIGGER: &str = "rating_totals";

/// Tables that are never dumped: records of migrations and loads, responses that are kept for a day, and threat lists,
/// which the site downloads again.
pub const EXCLUDED_TABLES: &[&str] =
    &["_sqlx_migrations", "data_loads", "idempotent_requests", "request_paces", "threat_answers", "threat_lists"];

impl Model {
    pub fn find_by_name(name: &str) -> Option<&'static Self> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// Name of the column that the dump contains as `pk`.
    pub fn primary_key(&self) -> Option<&'static str> {
        if let [key] = self.key { Some(key) } else { None }
    }

    /// Names of the columns that are fields, in table order and without generated columns.
    pub async fn field_names(&self, connection: &mut PgConnection) -> sqlx::Result<Vec<String>> {
        let columns = sqlx::query_scalar!(
            r#"select attname::text as "name!" from pg_attribute
            where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = '' order by attnum"#,
            self.table,
        );
        let mut columns = columns.fetch_all(connection).await?;
        columns.retain(|column| match self.part {
            _ if self.primary_key() == Some(column) => false,
            ModelColumns::All => true,
            ModelColumns::Without(other) => column != other,
            ModelColumns::Only(only) => column == only,
        });
        Ok(columns)
    }

    /// Advances the id sequence beyond the largest id.
    pub async fn advance_sequence(&self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let table = self.table;
        if let ModelColumns::Only(_) = self.part {
            return Ok(());
        }
        let counted = "select exists (select from pg_attribute where attrelid = to_regclass($1) and attidentity <> '')";
        if !sqlx::query_scalar::<_, bool>(counted).bind(table).fetch_one(&mut *connection).await? {
            return Ok(());
        }
        let go_on = format!(
            "select setval(pg_get_serial_sequence('{table}', 'id'), greatest(max(id), 1), max(id) is not null) from {table}"
        );
        sqlx::query(AssertSqlSafe(go_on)).execute(connection).await.map(drop)
    }
}
