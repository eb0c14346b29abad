//! List of report cases that concern the signed-in user.

use actix_web::web;
use askama::Template;
use chrono::DateTime;
use schemars::JsonSchema;
use serde::Serialize;

use super::cases::{Case, CaseParty, CaseStage};
use super::show::{CaseDetail, party_of_user};
use super::{queries, urls};
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::PageResponse;

#[derive(Template)]
#[template(path = "reports/mine.html")]
pub struct CaseListPage {
    layout: Layout,
    data: ResultPage<CaseListItem>,
}

page!(CaseListPage, data: ResultPage<CaseListItem>, list data);

#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseListItem {
    #[serde(flatten)]
    case: Case,
    side: CaseParty,
}

impl CaseListItem {
    fn path(&self) -> String {
        urls::CASE.path_for(self.case.id)
    }

    fn is_author(&self) -> bool {
        self.side == CaseParty::Author
    }
}

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<CaseListPage>, AppError> {
    let pager = Pager::new(urls::CASE_LIST.pattern, &query, &state.keys, queries::PAGE_SIZE)?;
    let ResultPage { results, next, previous, partial } = queries::list_user_cases(&state.pool, &user, &pager).await?;
    let mine = |case: Case| {
        let side = party_of_user(&case, &user);
        CaseListItem { case: CaseDetail::new(case, side, None, DateTime::default()).case, side }
    };
    let results = results.into_iter().map(mine).collect();
    Ok(PageResponse::new(CaseListPage { layout, data: ResultPage { results, next, previous, partial } }))
}
