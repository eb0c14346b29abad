//! Report cases: the reports of one post, the decision, and the appeal.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::input::ReportCategory;
use crate::blog_posts::PostId;
use crate::db::clock::saturating_add;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::current_user::UserId;
use crate::web::request::id::id;

/// Period for appeals after a decision. The EU Digital Services Act requires six months (article 20).
pub const APPEAL_PERIOD: TimeDelta = TimeDelta::days(183);

id! {
    CaseId
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Ruling {
    Kept,
    TakenDown,
    /// Outcome of a case whose post was deleted before staff decided the case.
    Gone,
}

impl Ruling {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Ground for taking a post down.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DecisionGround {
    Law,
    /// Violation of the site's rules.
    Rules,
}

impl DecisionGround {
    pub const ALL: [Self; 2] = [Self::Rules, Self::Law];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn label(self) -> Phrase {
        match self {
            Self::Law => phrase!("ground-law"),
            Self::Rules => phrase!("ground-rules"),
        }
    }
}

/// Decision by staff on a report case.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Decision {
    pub ruling: Ruling,
    /// Ground for taking the post down; `None` for other rulings.
    pub ground: Option<DecisionGround>,
    /// Explanation by staff; `None` if the post was deleted before a decision.
    pub reason: Option<String>,
    /// Time of the decision.
    pub at: DateTime<Utc>,
}

/// Role of a user in a report case: author of the post, or reporter.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CaseParty {
    Author,
    Reporter,
}

impl CaseParty {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Appeal {
    pub by: CaseParty,
    /// Id of the report by the user who appeals; `None` if the author of the post appeals.
    #[serde(default, skip_serializing)]
    pub report: Option<i64>,
    /// Appeal text. Visible to staff and to the appellant only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Time of the appeal.
    pub at: DateTime<Utc>,
}

/// First decision, and a reporter's appeal against it, in a case whose second decision the author has appealed.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct FirstDecision {
    pub decision: Decision,
    pub appeal: Appeal,
}

/// Progress of a report case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CaseStage {
    Open,
    Decided,
    Appealed,
    /// The appeal has been decided. The decision is final, except that the author may appeal if the post was taken down
    /// after a reporter's appeal.
    Closed,
}

impl CaseStage {
    pub(super) fn from_decisions(first: Option<&Decision>, appeal: Option<&Appeal>, last: Option<&Decision>) -> Self {
        match (first, appeal, last) {
            (None, ..) => Self::Open,
            (_, None, _) => Self::Decided,
            (_, _, None) => Self::Appealed,
            _ => Self::Closed,
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Report case of a post, without the individual reports.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Case {
    pub id: CaseId,
    pub post: PostId,
    /// Title of the post at the time of the first report.
    pub title: String,
    /// `true` if the post still exists, as a draft or published.
    pub is_there: bool,
    /// `true` if the post is published.
    pub is_published: bool,
    /// `true` if this case or another case has taken the post down.
    pub is_withheld: bool,
    /// Username of the author; `None` if the account was erased.
    pub author: Option<String>,
    #[serde(skip)]
    pub author_id: Option<UserId>,
    pub stage: CaseStage,
    /// Time of the first report.
    pub opened_at: DateTime<Utc>,
    /// First decision and its appeal in a reopened case, whose later decision is in `decision`.
    pub before: Option<FirstDecision>,
    /// Decision by staff; `None` while the case waits for a decision.
    pub decision: Option<Decision>,
    /// Users who decided the case or its appeals.
    #[serde(skip)]
    pub deciders: Vec<UserId>,
    /// Appeal against the decision.
    pub appeal: Option<Appeal>,
    /// Decision about the appeal.
    pub final_decision: Option<Decision>,
}

impl Case {
    pub fn latest_decision(&self) -> Option<&Decision> {
        self.final_decision.as_ref().or(self.decision.as_ref())
    }

    pub fn decision_description(&self, decision: &Decision) -> Phrase {
        let is_last = self.latest_decision() == Some(decision);
        // True if the latest decision reverses an earlier decision that took the post down.
        let is_back = |first: &Decision| is_last && first != decision && first.ruling == Ruling::TakenDown;
        match (decision.ruling, decision.ground) {
            (Ruling::Kept, _) if is_last && self.is_withheld => phrase!("ruling-kept-but-down"),
            (Ruling::Kept, _) if is_last && self.is_there && !self.is_published => phrase!("ruling-kept-draft"),
            (Ruling::Kept, _) if self.decision.as_ref().is_some_and(is_back) => phrase!("ruling-published-again"),
            (Ruling::Kept, _) => phrase!("ruling-kept"),
            (Ruling::TakenDown, Some(DecisionGround::Law)) => phrase!("ruling-taken-down-law"),
            (Ruling::TakenDown, _) => phrase!("ruling-taken-down"),
            (Ruling::Gone, _) if self.appeal.is_some() => phrase!("ruling-post-deleted-appeal"),
            (Ruling::Gone, _) => phrase!("ruling-post-deleted"),
        }
    }

    pub fn latest_decision_description(&self) -> Option<Phrase> {
        self.latest_decision().map(|decision| self.decision_description(decision))
    }

    pub fn post_path(&self) -> String {
        crate::blog_posts::urls::POST_BY_ID.path_for(self.post)
    }

    /// A decision can be appealed once, by the losing party. After a successful appeal by a reporter, the author may
    /// appeal against the new decision.
    pub fn eligible_appellant(&self) -> Option<CaseParty> {
        let ruling = self.latest_decision().filter(|_| self.is_there)?.ruling;
        let is_by_reporter = self.appeal.as_ref().is_some_and(|appeal| appeal.by == CaseParty::Reporter);
        match (self.stage, ruling) {
            (CaseStage::Decided, Ruling::TakenDown) => Some(CaseParty::Author),
            (CaseStage::Decided, Ruling::Kept) => Some(CaseParty::Reporter),
            (CaseStage::Closed, Ruling::TakenDown) if is_by_reporter => Some(CaseParty::Author),
            _ => None,
        }
    }

    pub fn appeal_deadline(&self) -> Option<DateTime<Utc>> {
        self.latest_decision().map(|decision| saturating_add(decision.at, APPEAL_PERIOD))
    }

    pub fn may_appeal(&self, side: CaseParty, now: DateTime<Utc>) -> bool {
        self.eligible_appellant() == Some(side) && self.appeal_deadline().is_some_and(|until| now < until)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Report {
    #[serde(skip)]
    pub id: i64,
    /// Username of the reporter, visible to staff only. `None` for anonymous visitors and erased accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reporter: Option<String>,
    pub category: String,
    pub explanation: String,
    pub reported_at: DateTime<Utc>,
}

impl Report {
    pub fn category_label(&self) -> Phrase {
        ReportCategory::from_name(&self.category).unwrap_or(ReportCategory::Other).label()
    }
}
