//! Cases, as rows: what was reported of one post, what was decided, and why.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::input::Category;
use crate::blog_posts::PostId;
use crate::db::clock::saturating_add;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::id::id;
use crate::web::request::visitor::UserId;

/// How long somebody may appeal. European law asks for six months (Digital Services Act, article 20).
pub const APPEAL_FOR: TimeDelta = TimeDelta::days(183);

id! {
    /// The id of a case.
    CaseId
}

/// What was decided about a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    Kept,
    TakenDown,
    /// Nothing: it was deleted first.
    Gone,
}

impl Ruling {
    /// As rows and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::TakenDown => "taken_down",
            Self::Gone => "gone",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Kept, Self::TakenDown, Self::Gone].into_iter().find(|ruling| ruling.name() == name)
    }
}

/// What a post was taken down for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    Law,
    /// What this site allows.
    Rules,
}

impl Ground {
    pub const ALL: [Self; 2] = [Self::Rules, Self::Law];

    /// As rows and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Law => "law",
            Self::Rules => "rules",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ground| ground.name() == name)
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> Phrase {
        match self {
            Self::Law => phrase!("ground-law"),
            Self::Rules => phrase!("ground-rules"),
        }
    }
}

/// What staff have decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub ruling: Ruling,
    /// Of what was taken down.
    pub ground: Option<Ground>,
    /// None where the post was gone.
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

/// On which side of a case somebody stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Author,
    Reporter,
}

impl Side {
    /// As rows and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::Reporter => "reporter",
        }
    }
}

/// What somebody says against a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appeal {
    pub by: Side,
    /// The report of the one who appeals. None: the author.
    #[serde(default, skip_serializing)]
    pub report: Option<i64>,
    /// For staff, and for the one who appeals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub at: DateTime<Utc>,
}

/// What was decided, and what somebody said against it, before the author appealed, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    pub decision: Decision,
    pub appeal: Appeal,
}

/// How far a case has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nobody has decided yet.
    Open,
    Decided,
    /// Somebody has appealed.
    Appealed,
    /// The appeal is decided. That is final, but for an author who lost by it.
    Closed,
}

impl Stage {
    /// As JSON and forms have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Decided => "decided",
            Self::Appealed => "appealed",
            Self::Closed => "closed",
        }
    }
}

/// A case, without those who reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    pub id: CaseId,
    pub post: PostId,
    /// As it was when it was reported first.
    pub title: String,
    /// Whether the post is there, seen by everybody or by its author alone.
    pub is_there: bool,
    /// Whether everybody sees it now, and whether a decision keeps it down: this one or another.
    pub is_published: bool,
    pub is_withheld: bool,
    /// None: their account is gone.
    pub author: Option<String>,
    #[serde(skip)]
    pub author_id: Option<UserId>,
    pub stage: Stage,
    pub opened_at: DateTime<Utc>,
    pub before: Option<Before>,
    pub decision: Option<Decision>,
    /// All who have decided it.
    #[serde(skip)]
    pub deciders: Vec<UserId>,
    pub appeal: Option<Appeal>,
    pub final_decision: Option<Decision>,
}

impl Case {
    /// What stands now.
    #[must_use]
    pub fn stands(&self) -> Option<&Decision> {
        self.final_decision.as_ref().or(self.decision.as_ref())
    }

    /// What one of its decisions means for the post, in words.
    #[must_use]
    pub fn words(&self, decision: &Decision) -> Phrase {
        let is_last = self.stands() == Some(decision);
        // What was down before is seen again.
        let is_back = |first: &Decision| is_last && first != decision && first.ruling == Ruling::TakenDown;
        match (decision.ruling, decision.ground) {
            (Ruling::Kept, _) if is_last && self.is_withheld => phrase!("ruling-kept-but-down"),
            (Ruling::Kept, _) if is_last && self.is_there && !self.is_published => phrase!("ruling-kept-draft"),
            (Ruling::Kept, _) if self.decision.as_ref().is_some_and(is_back) => phrase!("ruling-put-back"),
            (Ruling::Kept, _) => phrase!("ruling-kept"),
            (Ruling::TakenDown, Some(Ground::Law)) => phrase!("ruling-taken-down-law"),
            (Ruling::TakenDown, _) => phrase!("ruling-taken-down"),
            (Ruling::Gone, _) if self.appeal.is_some() => phrase!("ruling-gone-appeal"),
            (Ruling::Gone, _) => phrase!("ruling-gone"),
        }
    }

    /// What stands now, in words.
    #[must_use]
    pub fn standing(&self) -> Option<Phrase> {
        self.stands().map(|decision| self.words(decision))
    }

    /// The post's address.
    #[must_use]
    pub fn post_path(&self) -> String {
        crate::blog_posts::urls::POST.path_for(self.post)
    }

    /// Who may appeal against what stands: those whom it went against, once. An author who loses because a reporter appealed
    /// has not been heard yet.
    #[must_use]
    pub fn appellant(&self) -> Option<Side> {
        let ruling = self.stands().filter(|_| self.is_there)?.ruling;
        let is_by_reporter = self.appeal.as_ref().is_some_and(|appeal| appeal.by == Side::Reporter);
        match (self.stage, ruling) {
            (Stage::Decided, Ruling::TakenDown) => Some(Side::Author),
            (Stage::Decided, Ruling::Kept) => Some(Side::Reporter),
            (Stage::Closed, Ruling::TakenDown) if is_by_reporter => Some(Side::Author),
            _ => None,
        }
    }

    /// Until when they may.
    #[must_use]
    pub fn appeal_until(&self) -> Option<DateTime<Utc>> {
        self.stands().map(|decision| saturating_add(decision.at, APPEAL_FOR))
    }

    /// Whether somebody on this side may appeal now.
    #[must_use]
    pub fn may_appeal(&self, side: Side, now: DateTime<Utc>) -> bool {
        self.appellant() == Some(side) && self.appeal_until().is_some_and(|until| now < until)
    }
}

/// A report of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    #[serde(skip)]
    pub id: i64,
    /// None for guests, and for those whose account is gone. Staff alone see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reporter: Option<String>,
    pub category: String,
    pub explanation: String,
    pub reported_at: DateTime<Utc>,
}

impl Report {
    /// What is wrong, in words.
    #[must_use]
    pub fn words(&self) -> Phrase {
        Category::named(&self.category).unwrap_or(Category::Other).words()
    }
}
