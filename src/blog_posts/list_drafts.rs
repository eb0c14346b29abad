//! List of the drafts of the signed-in user.

use actix_web::web;
use askama::Template;

use super::listing::{self, PAGE_SIZE, PostFilter, PostOrder, PostSummary};
use super::quota::TextUsage;
use super::urls;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::PageResponse;

#[derive(Template)]
#[template(path = "blog_posts/drafts.html")]
pub struct DraftsPage {
    layout: Layout,
    data: ResultPage<PostSummary>,
    /// Used part of the quota; `None` for staff, who have no quota.
    quota: Option<Phrase>,
}

page!(DraftsPage, data: ResultPage<PostSummary>, list data);

pub async fn list_drafts(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<DraftsPage>, AppError> {
    let pager = Pager::new(urls::DRAFTS.pattern, &query, &state.keys, PAGE_SIZE)?;
    let filter = PostFilter { author: Some(user.id), drafts: true, ..PostFilter::default() };
    let data = listing::list_posts(&state.pool, state.site().score_shown, Some(&user), &filter, PostOrder::New, &pager)
        .await?;
    let usage = if user.is_staff() { None } else { Some(TextUsage::load(&state.pool, user.id).await?) };
    let quota = usage.map(|usage| usage.quota_message(state.text_quota_bytes));
    Ok(PageResponse::new(DraftsPage { layout, data, quota }))
}
