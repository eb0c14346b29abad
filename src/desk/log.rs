//! The log of who did what, as a list that can be filtered and taken along.

use std::collections::BTreeMap;

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::urls;
use crate::audit_log::{self, Entry, Filter};
use crate::i18n::filters;
use crate::page;
use crate::phrase;
use crate::users::Username;
use crate::users::models::find_by_name;
use crate::web::csv;
use crate::web::error::AppError;
use crate::web::form::Form;
use crate::web::format::Format;
use crate::web::id::parse;
use crate::web::layout::Layout;
use crate::web::paging::{Pager, Slice};
use crate::web::query::Query;
use crate::web::state::AppState;
use crate::web::text::query_of;
use crate::web::view::View;
use crate::web::visitor::UserId;

/// Entries on a page, and in a file.
const ON_A_PAGE: usize = 50;
const IN_A_FILE: usize = 10_000;

/// What the list can be filtered by.
const FILTERS: [&str; 4] = ["act", "actor", "user", "post"];

#[derive(Template)]
#[template(path = "desk/log.html")]
pub struct LogPage {
    layout: Layout,
    form: Form,
    data: Slice<Entry>,
    /// Whether not everything is listed.
    is_filtered: bool,
    /// The path of the same list as CSV.
    csv: String,
}

page!(LogPage, data: Slice<Entry>, list data);

pub async fn list(
    (layout, format, request): (Layout, Format, HttpRequest),
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<LogPage>, HttpResponse>, AppError> {
    let mut typed = BTreeMap::new();
    for name in FILTERS {
        typed.extend(query.get(name)?.map(|value| (name.to_owned(), value)));
    }
    let path = |format| {
        let filters = FILTERS.map(|name| (name, typed.get(name).map(String::as_str)));
        let parameters: Vec<_> = filters.into_iter().chain([("format", format)]).collect();
        format!("{}{}", urls::LOG.pattern, query_of(&parameters))
    };
    let (csv, is_filtered) = (path(Some("csv")), !typed.is_empty());
    let filter = match filter(&state, &typed).await {
        Ok(filter) => filter,
        Err(error @ AppError::Invalid(_)) if format == Format::Html => {
            let data = Slice { results: Vec::new(), next: None, previous: None, partial: false };
            let form = Form::rejected(typed, &error);
            return Ok(Either::Left(View::rejected(LogPage { layout, form, data, is_filtered, csv }, error)));
        }
        Err(error) => return Err(error),
    };
    let wanted = query.get("format")?;
    let most = if wanted.is_some() { IN_A_FILE } else { ON_A_PAGE };
    let data =
        audit_log::page(&state.pool, &filter, (&Pager::new(path(wanted.as_deref()), &query, &state.keys)?, most))
            .await?;
    match wanted.as_deref() {
        None => {
            let form = Form::typed(typed);
            Ok(Either::Left(View::new(LogPage { layout, form, data, is_filtered, csv })))
        }
        Some("csv") => {
            let rows = csv::text(&Row::HEADER, data.results.iter().map(Row::of))?;
            Ok(Either::Right(csv::file(&request, "log.csv", rows, data.link())))
        }
        Some(_) => Err(AppError::field("format", phrase!("invalid-format"))),
    }
}

/// # Errors
/// `invalid` for a filter that names nothing.
async fn filter(state: &AppState, typed: &BTreeMap<String, String>) -> Result<Filter, AppError> {
    let act = typed.get("act").map(|act| act.parse().map_err(|()| AppError::field("act", phrase!("invalid-act"))));
    let post = typed.get("post").map(|post| parse(post).ok_or_else(|| AppError::field("post", phrase!("invalid-id"))));
    Ok(Filter {
        act: act.transpose()?,
        actor: user(state, "actor", typed.get("actor")).await?,
        user: user(state, "user", typed.get("user")).await?,
        post: post.transpose()?,
    })
}

async fn user(state: &AppState, field: &'static str, name: Option<&String>) -> Result<Option<UserId>, AppError> {
    let Some(name) = name else { return Ok(None) };
    let nobody = || AppError::field(field, phrase!("invalid-nobody", name = name.as_str()));
    let username = Username::of_somebody(name).map_err(|_| nobody())?;
    match find_by_name(&state.pool, &username).await {
        Ok(user) => Ok(Some(user.id)),
        Err(AppError::NotFound) => Err(nobody()),
        Err(error) => Err(error),
    }
}

/// An entry as a row.
#[derive(Serialize)]
struct Row<'a> {
    id: i64,
    at: DateTime<Utc>,
    act: &'a str,
    actor: Option<String>,
    user: Option<String>,
    post: Option<i64>,
    details: String,
    network: Option<&'a str>,
    request_id: Option<&'a str>,
}

impl<'a> Row<'a> {
    const HEADER: [&'static str; 9] = ["id", "at", "act", "actor", "user", "post", "details", "network", "request_id"];

    fn of(entry: &'a Entry) -> Self {
        Self {
            id: entry.id,
            at: entry.at,
            act: &entry.act,
            actor: entry.actor.as_deref().map(csv::guarded),
            user: entry.user.as_deref().map(csv::guarded),
            post: entry.post,
            details: entry.details.to_string(),
            network: entry.network.as_deref(),
            request_id: entry.request_id.as_deref(),
        }
    }
}
