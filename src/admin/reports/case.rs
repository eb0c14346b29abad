//! Admin page of a report case, with its decision form.

use actix_web::web;
use askama::Template;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use crate::admin::urls;
use crate::i18n::{Phrase, filters};
use crate::reports::cases::{Case, CaseId, CaseStage, DecisionGround, Report, Ruling};
use crate::reports::decisions::{self, ConflictOfInterest, NewDecision};
use crate::reports::error::ReportError;
use crate::reports::input::Explanation;
use crate::reports::queries;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, IntegerUpTo};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

const MAX_REPORTS: i64 = 100;
const MAX_EARLIER_CASES: i64 = 10;

/// Decision in a submitted form: the ground for taking the post down, or `None` to keep the post.
#[derive(Clone, Copy, Debug)]
struct RulingField(Option<DecisionGround>);

impl Field for RulingField {
    const MISSING: &'static str = "invalid-ruling";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "keep" => Ok(Self(None)),
            text => {
                DecisionGround::from_name(text).map(|ground| Self(Some(ground))).ok_or_else(|| phrase!(Self::MISSING))
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["keep", "rules", "law"] })
    }
}

impl Field for CaseStage {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let all = [Self::Open, Self::Decided, Self::Appealed, Self::Closed];
        all.into_iter().find(|stage| stage.name() == text).ok_or_else(|| phrase!("invalid-choice"))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "enum": ["open", "decided", "appealed", "closed"] })
    }
}

/// Version of the post that the moderator has seen.
type Version = IntegerUpTo<{ i32::MAX }>;

#[derive(Debug)]
pub struct DecisionForm(NewDecision);

impl FormInput for DecisionForm {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (ruling, reason) = (fields.take::<RulingField>("ruling"), fields.take::<Explanation>("reason"));
        let (seen, version) = (fields.take::<CaseStage>("seen"), fields.take::<Version>("version"));
        Some(Self(NewDecision { ground: ruling?.0, reason: reason?.0, seen: seen?, version: version?.0 }))
    }
}

/// Case with its reports and the author's earlier cases.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseDetails {
    #[serde(flatten)]
    case: Case,
    /// Text of the post at the time of the first report.
    reported_text: String,
    /// Current text of the post; `None` if the post was deleted, or is a draft that staff have not taken down.
    present_text: Option<String>,
    version: Option<i32>,
    /// Total number of reports. `reports` contains only the most recent reports.
    count: i64,
    /// Number of reports by anonymous visitors.
    guests: i64,
    reports: Vec<Report>,
    decided_by: Option<String>,
    final_by: Option<String>,
    /// Decided cases of other posts by the same author.
    earlier: Vec<Case>,
    /// `true` if this user may decide the case now.
    may_decide: bool,
}

#[derive(Template)]
#[template(path = "admin/case.html")]
pub struct CasePage {
    layout: Layout,
    form: Form,
    data: CaseDetails,
    why_not: Option<Phrase>,
}

page!(CasePage, data: CaseDetails);

impl CasePage {
    fn path(&self) -> String {
        urls::REPORT_CASE.path_for(self.data.case.id)
    }

    fn earlier(&self) -> Vec<(String, &Case)> {
        self.data.earlier.iter().map(|case| (urls::REPORT_CASE.path_for(case.id), case)).collect()
    }

    fn is_changed(&self) -> bool {
        self.data.present_text.as_ref().is_some_and(|text| *text != self.data.reported_text)
    }

    fn is(&self, stage: CaseStage) -> bool {
        self.data.case.stage == stage
    }

    /// The page links to a published post instead of showing its text.
    fn is_shown(&self) -> bool {
        self.data.case.is_published
    }

    async fn load(
        state: &CoreState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        id: CaseId,
    ) -> Result<Self, AppError> {
        let mut connection = state.pool.acquire().await?;
        let case = queries::find_case(&mut connection, id).await?.ok_or(AppError::NotFound)?;
        let decides = decisions::check_conflict_of_interest(&mut connection, user, &case).await?;
        let why_not = decides.err().map(|why| match why {
            ConflictOfInterest::Author => phrase!("case-not-yours-author"),
            ConflictOfInterest::Reporter => phrase!("case-not-yours-reporter"),
            ConflictOfInterest::Decider => phrase!("case-not-yours-decision"),
            ConflictOfInterest::Rank => phrase!("case-not-yours-rank"),
        });
        drop(connection);
        if decides == Err(ConflictOfInterest::Author) {
            // Authors must not see who reported their posts and why, even if they are staff.
            return Err(ReportError::NotYourCase.into());
        }
        let is_author = case.author_id == Some(user.id);
        let may_decide = why_not.is_none() && case.stage != CaseStage::Closed && case.is_there;
        let mut data = case_details(&state.pool, case, may_decide).await?;
        if is_author {
            data.reports.iter_mut().for_each(|report| report.reporter = None);
        }
        Ok(Self { layout, form, data, why_not })
    }
}

async fn case_details(pool: &PgPool, case: Case, may_decide: bool) -> sqlx::Result<CaseDetails> {
    let mut connection = pool.acquire().await?;
    let reports = sqlx::query_as!(
        Report,
        r#"select r.id, u.username as "reporter?", r.category, r.explanation, r.reported_at
        from reports r left join users u on u.id = r.user_id and u.erased_at is null
        where r.case_id = $1 order by r.id desc limit $2"#,
        case.id.0,
        MAX_REPORTS,
    );
    let reports = reports.fetch_all(&mut *connection).await?;
    let details = sqlx::query!(
        r#"select (select count(*) from reports where case_id = c.id) as "count!",
            (select count(*) from reports where case_id = c.id and user_id is null) as "guests!",
            d.username as "decided_by?", f.username as "final_by?", c.content as reported_text,
            case when p.status = 'published' or p.withheld_by = c.id then p.content end as "present_text?",
            p.version as "version?"
        from report_cases c left join users d on d.id = c.decided_by left join users f on f.id = c.final_by
            left join blog_posts p on p.id = c.blog_id where c.id = $1"#,
        case.id.0,
    );
    let details = details.fetch_one(&mut *connection).await?;
    let earlier = earlier(&mut connection, &case).await?;
    Ok(CaseDetails {
        case,
        reported_text: details.reported_text,
        present_text: details.present_text,
        version: details.version,
        count: details.count,
        guests: details.guests,
        reports,
        decided_by: details.decided_by,
        final_by: details.final_by,
        earlier,
        may_decide,
    })
}

async fn earlier(connection: &mut PgConnection, case: &Case) -> sqlx::Result<Vec<Case>> {
    let earlier = sqlx::query_scalar!(
        "select id from report_cases where author_id = $1 and id <> $2 and decided_at is not null order by id desc limit $3",
        case.author_id.map(|author| author.0),
        case.id.0,
        MAX_EARLIER_CASES,
    );
    let earlier = earlier.fetch_all(&mut *connection).await?;
    queries::find_cases_by_ids(connection, &earlier).await
}

pub async fn show(
    id: CaseId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<CasePage>, AppError> {
    Ok(PageResponse::new(CasePage::load(&state, &user, layout, Form::default(), id).await?))
}

pub async fn decide(
    payload: Payload<DecisionForm>,
    id: CaseId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Case, CasePage>, AppError> {
    let act = async |DecisionForm(new_decision): DecisionForm| {
        let by = user.clone();
        let decide = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
            decisions::decide_case(connection, state, &by, id, &new_decision).await
        };
        let refresh = |state: &CoreState, _: &Case| {
            state.page_cache.invalidate();
            state.mail.wake_delivery();
        };
        let case = state.transaction_then(decide, refresh).await?;
        let ruling = case.latest_decision().map_or(Ruling::Gone, |decision| decision.ruling);
        tracing::info!(
            case_id = id.0,
            user_id = user.id.0,
            ruling = ruling.name(),
            "decision on a reported post recorded"
        );
        let (title, mail) = (case.title.as_str(), state.mail.is_enabled());
        let message = match ruling {
            Ruling::TakenDown => phrase!("done-taken-down", title = title, mail = mail),
            _ => phrase!("done-report-dismissed", title = title, mail = mail),
        };
        // Links to the page of the case, because the decision can be revised there.
        let link = MessageLink { path: urls::REPORT_CASE.path_for(id), text: phrase!("case-view") };
        Ok(ActionResult::new(case, urls::REPORT_CASES.pattern).with_message(message).with_link(Some(link)))
    };
    let page = async |form: Form, _: &AppError| CasePage::load(&state, &user, layout, form, id).await.ok();
    handle_form(payload, act, page).await
}
