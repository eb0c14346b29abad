//! Decisions by staff on report cases, and their effects on posts.

use serde_json::{Value, json};
use sqlx::PgConnection;

use super::cases::{Case, CaseId, CaseParty, CaseStage, Decision, DecisionGround, Ruling};
use super::error::ReportError;
use super::{emails, queries};
use crate::access::Role;
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::published_event;
use crate::custom_limits::warnings;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::CoreState;

/// If `ground` is `None`, the post stays published.
#[derive(Clone, Debug)]
pub struct NewDecision {
    pub ground: Option<DecisionGround>,
    pub reason: String,
    /// Stage of the case when the moderator opened the form. `version` is the version of the post at that time.
    pub seen: CaseStage,
    pub version: i32,
}

impl NewDecision {
    fn ruling(&self) -> Ruling {
        if self.ground.is_some() { Ruling::TakenDown } else { Ruling::Kept }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictOfInterest {
    Author,
    Reporter,
    /// The staff member made a previous decision on the case, and an appeal against this decision is pending.
    Decider,
    /// The author of the post has the same role as the staff member, or a higher role.
    Rank,
}

/// Owners may always decide, because a site may have no other staff.
pub async fn check_conflict_of_interest(
    connection: &mut PgConnection,
    by: &CurrentUser,
    case: &Case,
) -> sqlx::Result<Result<(), ConflictOfInterest>> {
    if by.has_role(Role::Owner) {
        return Ok(Ok(()));
    }
    let has_reported = sqlx::query_scalar!(
        r#"select exists (select from reports where case_id = $1 and user_id = $2) as "reported!""#,
        case.id.0,
        by.id.0,
    );
    let author_role = match case.author_id {
        Some(author) => find_role(connection, author).await?,
        None => None,
    };
    Ok(match () {
        () if case.author_id == Some(by.id) => Err(ConflictOfInterest::Author),
        () if !by.outranks(author_role) => Err(ConflictOfInterest::Rank),
        () if has_reported.fetch_one(connection).await? => Err(ConflictOfInterest::Reporter),
        () if case.stage == CaseStage::Appealed && case.deciders.contains(&by.id) => Err(ConflictOfInterest::Decider),
        () => Ok(()),
    })
}

async fn find_role(connection: &mut PgConnection, UserId(user): UserId) -> sqlx::Result<Option<Role>> {
    let role = sqlx::query_scalar!("select staff_role from users where id = $1 and is_staff", user);
    Ok(role.fetch_optional(connection).await?.as_deref().and_then(Role::from_name))
}

/// A decision can be revised until there is an appeal.
pub async fn decide_case(
    connection: &mut PgConnection,
    state: &CoreState,
    by: &CurrentUser,
    case: CaseId,
    decision: &NewDecision,
) -> Result<Case, AppError> {
    let (decided, details) = apply_decision(connection, state, by, case, decision).await?;
    let act = if decision.seen == CaseStage::Appealed { AuditAction::DecideAppeal } else { AuditAction::DecideReport };
    let record = NewEntry::new(act).for_post(decided.post.0).with_details(details);
    let record = decided.author_id.into_iter().fold(record, NewEntry::for_user);
    record.insert(by, connection, &state.clock).await?;
    Ok(decided)
}

/// Returns the case, and the details of the entry in the audit log.
pub async fn apply_decision(
    connection: &mut PgConnection,
    state: &CoreState,
    by: &CurrentUser,
    case: CaseId,
    decision: &NewDecision,
) -> Result<(Case, Value), AppError> {
    // Locks the post before the case, as the deletion of a post does, to avoid deadlocks.
    let post = sqlx::query_scalar!("select blog_id from report_cases where id = $1", case.0);
    let post = post.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    let locked = sqlx::query!(
        r#"select status = 'published' as "is_published!", version from blog_posts
        where id = $1 and deleted_at is null for no key update"#,
        post,
    );
    let locked = locked.fetch_optional(&mut *connection).await?;
    let before = queries::lock_case(connection, case).await?;
    let Some(locked) = locked.filter(|_| before.stage != CaseStage::Closed && decision.seen == before.stage) else {
        return Err(ReportError::AlreadyDecided.into());
    };
    if locked.version != decision.version {
        return Err(ReportError::PostChanged.into());
    }
    if check_conflict_of_interest(connection, by, &before).await?.is_err() {
        return Err(ReportError::NotYourCase.into());
    }
    store_decision(connection, state, by, &before, decision).await?;
    let was_down = before.latest_decision().is_some_and(|decision| decision.ruling == Ruling::TakenDown);
    apply_ruling(connection, state, &before, post, locked.is_published, decision.ruling()).await?;
    let name = |decision: &Decision| decision.ruling.name();
    let details = json!({
        "case": case, "before": before.latest_decision().map(name), "after": decision.ruling(),
        "ground": decision.ground, "reason": decision.reason,
    });
    let decided = queries::find_case(connection, case).await?.ok_or(AppError::NotFound)?;
    notify_parties(connection, state, &decided, was_down).await?;
    Ok((decided, details))
}

/// The warning level of the author changes only with the state of the post, so that several cases count once.
async fn apply_ruling(
    connection: &mut PgConnection,
    state: &CoreState,
    case: &Case,
    post: i64,
    is_published: bool,
    ruling: Ruling,
) -> sqlx::Result<()> {
    let (has_changed, points) = match ruling {
        Ruling::TakenDown => {
            (take_down(connection, state, case.id, post, is_published).await?, warnings::POST_TAKEN_DOWN)
        }
        Ruling::Kept | Ruling::Gone => (restore(connection, state, case.id, post).await?, -warnings::POST_TAKEN_DOWN),
    };
    let Some(author) = case.author_id.filter(|_| has_changed) else { return Ok(()) };
    let now = state.clock.read(connection).await?;
    warnings::add_points(connection, now, &[author], points).await
}

async fn store_decision(
    connection: &mut PgConnection,
    state: &CoreState,
    by: &CurrentUser,
    case: &Case,
    decision: &NewDecision,
) -> sqlx::Result<()> {
    let now = state.clock.read(connection).await?;
    let (ruling, ground) = (decision.ruling().name(), decision.ground.map(DecisionGround::name));
    if case.stage == CaseStage::Appealed {
        let last = sqlx::query!(
            "update report_cases set final_ruling = $2, final_ground = $3, final_reason = $4, final_at = $5, final_by = $6,
                deciders = deciders || $6::bigint where id = $1",
            case.id.0,
            ruling,
            ground,
            decision.reason,
            now,
            by.id.0,
        );
        return last.execute(connection).await.map(drop);
    }
    let first = sqlx::query!(
        "update report_cases set ruling = $2, ground = $3, reason = $4, decided_at = $5, decided_by = $6,
            deciders = deciders || $6::bigint where id = $1",
        case.id.0,
        ruling,
        ground,
        decision.reason,
        now,
        by.id.0,
    );
    first.execute(connection).await.map(drop)
}

/// Returns `false` if a case has already taken the post down. Records in the case whether the post was published.
async fn take_down(
    connection: &mut PgConnection,
    state: &CoreState,
    CaseId(case): CaseId,
    post: i64,
    is_published: bool,
) -> sqlx::Result<bool> {
    let taken_down = sqlx::query!(
        "with noted as (
            update report_cases set was_published = $4
            where id = $2 and not exists (select from blog_posts where id = $1 and withheld_by is not null)
        )
        update blog_posts set withheld_by = $2, status = 'draft', publish_at = null, version = version + 1,
            updated_at = coalesce($3, clock_timestamp()), published_at = null,
            first_published_at = coalesce(first_published_at, published_at)
        where id = $1 and withheld_by is null",
        post,
        case,
        state.clock.now(),
        is_published,
    );
    Ok(taken_down.execute(connection).await?.rows_affected() == 1)
}

/// Restores a post that this case took down, unless another case also takes the post down and can restore it later.
async fn restore(
    connection: &mut PgConnection,
    state: &CoreState,
    CaseId(case): CaseId,
    post: i64,
) -> sqlx::Result<bool> {
    let put_back = sqlx::query!(
        r#"with other as (
            select max(id) as id from report_cases
            where blog_id = $1 and id <> $2 and coalesce(final_ruling, ruling) = 'taken_down'
        ), shown as (
            select other.id as other, (c.was_published and other.id is null) as yes, coalesce($3, clock_timestamp()) as now
            from other, report_cases c where c.id = $2
        ), handed_over as (
            update report_cases o set was_published = c.was_published
            from shown, report_cases c
            where c.id = $2 and o.id = shown.other
                and exists (select from blog_posts where id = $1 and withheld_by = $2)
        )
        update blog_posts p set withheld_by = shown.other, version = version + 1, updated_at = shown.now,
            status = case when shown.yes then 'published' else 'draft' end,
            published_at = case when shown.yes then coalesce(p.first_published_at, shown.now) end
        from shown where p.id = $1 and p.withheld_by = $2
        returning shown.yes as "is_published!", p.withheld_by is null as "is_restored!""#,
        post,
        case,
        state.clock.now(),
    );
    let Some(put_back) = put_back.fetch_optional(&mut *connection).await? else { return Ok(false) };
    if put_back.is_published {
        published_event::enqueue(connection, state, &[post]).await?;
    }
    Ok(put_back.is_restored)
}

async fn notify_parties(
    connection: &mut PgConnection,
    state: &CoreState,
    case: &Case,
    was_down: bool,
) -> Result<(), AppError> {
    if !state.mail.is_enabled() {
        return Ok(());
    }
    if let Some(author) = case.author_id {
        emails::notify(connection, state, author, CaseParty::Author, case, was_down).await?;
    }
    let reporters = sqlx::query_scalar!(
        r#"select user_id as "user_id!: UserId" from reports where case_id = $1 and user_id is not null order by user_id"#,
        case.id.0,
    );
    for reporter in reporters.fetch_all(&mut *connection).await? {
        emails::notify(connection, state, reporter, CaseParty::Reporter, case, was_down).await?;
    }
    Ok(())
}
