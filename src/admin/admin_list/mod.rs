//! Generic admin list: filters, keyset pagination, bulk actions, and JSON and CSV output.

mod columns;
mod table;

use std::collections::BTreeMap;

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgPool, Postgres, Transaction};

pub use self::columns::{FilterValues, ListColumn, ListFilter, ListOrder, find_user_id};
pub use self::table::{AdminTable, BadgeKind, ColumnHeader, DisplayPart, RowDisplay};
use crate::admin::bulk_actions::registry::{ActionChoice, choices_for};
use crate::i18n::{Locale, Phrase, filters};
use crate::state::AppState;
use crate::text::query_string;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::csv;
use crate::web::response::form::Form;
use crate::web::response::layout::{Layout, local_path};
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::PageResponse;
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;
use crate::{page, phrase};

const PAGE_SIZE: usize = 50;
const MAX_CSV_ROWS: usize = 10_000;

pub type ListResult<Row> = Result<ResultPage<Row>, AppError>;

pub trait AdminList {
    type Row: Serialize;

    const ROUTE: Route;
    /// Prefix of the IDs of Fluent messages, and name of the CSV file without its extension.
    const NAME: &'static str;
    /// Column names of the CSV file, separated by spaces.
    const HEADER: &'static str;
    const COLUMNS: &'static [ListColumn];
    /// Default value of the query parameter `sort`. Empty if the list is not sorted by a column by default.
    const DEFAULT_ORDER: &'static str = "";

    /// Page that creates a row, and the message ID of the link to it.
    const CREATE: Option<(Route, &'static str)> = None;

    fn filters() -> Vec<ListFilter>;

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<Self::Row>;

    fn entry(&self, row: &Self::Row, now: DateTime<Utc>) -> RowDisplay;
}

#[derive(Template)]
#[template(path = "admin/list.html")]
pub struct AdminListPage {
    layout: Layout,
    path: &'static str,
    title: Phrase,
    what: Phrase,
    create: Option<(&'static str, Phrase)>,
    filters: Vec<ListFilter>,
    sort: Option<String>,
    form: Form,
    data: ResultPage<Value>,
    table: AdminTable,
    acts: Vec<ActionChoice>,
    is_filtered: bool,
    /// Path of the CSV export with the current filters.
    csv: String,
}

page!(AdminListPage, data: ResultPage<Value>, list data);

struct ListQuery {
    filters: Vec<ListFilter>,
    typed: FilterValues,
    /// `false` if the list cannot be sorted by the requested key.
    is_order_known: bool,
    is_file: bool,
}

impl ListQuery {
    fn parse<L: AdminList>(query: &Query) -> Result<Self, AppError> {
        let filters = L::filters();
        let mut values = BTreeMap::new();
        for ListFilter { name, .. } in &filters {
            values.extend(query.get(name)?.map(|value| ((*name).to_owned(), value)));
        }
        // Lists that cannot be sorted reject every value of `sort`, and do not document this parameter.
        let sort = query.get_undocumented("sort")?;
        let order = sort.as_deref().and_then(|text| ListOrder::parse(text, L::COLUMNS));
        let is_order_known = sort.is_none() || order.is_some();
        let is_file = match query.get("format")?.as_deref() {
            None => false,
            Some("csv") => true,
            Some(_) => return Err(AppError::invalid_field("format", phrase!("invalid-format"))),
        };
        Ok(Self { filters, typed: FilterValues { values, order }, is_order_known, is_file })
    }

    fn sort(&self) -> Option<String> {
        self.typed.order.map(|order| order.to_string())
    }

    fn path(&self, route: &Route, is_file: bool) -> String {
        self.path_sorted_by(route, self.sort().as_deref(), is_file)
    }

    fn path_sorted_by(&self, route: &Route, sort: Option<&str>, is_file: bool) -> String {
        let parameters = self.filters.iter().map(|filter| (filter.name, self.typed.get(filter.name)));
        let parameters: Vec<_> = parameters.chain([("sort", sort), ("format", is_file.then_some("csv"))]).collect();
        format!("{}{}", route.pattern, query_string(&parameters))
    }

    fn headers<L: AdminList>(&self) -> Vec<ColumnHeader> {
        let order = self.typed.order.or_else(|| ListOrder::parse(L::DEFAULT_ORDER, L::COLUMNS));
        let header = |column: &ListColumn| {
            let current = order.filter(|order| column.sort_key() == Some(order.key));
            let next = current.map(|order| order.reversed().to_string()).or_else(|| column.sort.map(str::to_owned));
            ColumnHeader {
                sorted: current.map(|order| if order.is_ascending { "ascending" } else { "descending" }),
                sort_path: next.map(|sort| self.path_sorted_by(&L::ROUTE, Some(&sort), false)),
                ..ColumnHeader::unsorted(column)
            }
        };
        L::COLUMNS.iter().map(header).collect()
    }

    fn check(&self) -> Result<(), AppError> {
        if !self.is_order_known {
            return Err(AppError::invalid_field("sort", phrase!("invalid-choice")));
        }
        let is_unknown = |filter: &&ListFilter| {
            let is_there = |typed| filter.choices.iter().any(|(name, _)| *name == typed);
            !filter.choices.is_empty() && self.typed.get(filter.name).is_some_and(|typed| !is_there(typed))
        };
        match self.filters.iter().find(is_unknown) {
            Some(filter) => Err(AppError::invalid_field(filter.name, phrase!("invalid-choice"))),
            None => Ok(()),
        }
    }
}

impl AdminListPage {
    fn new<L: AdminList>(
        list: &L,
        user: &CurrentUser,
        layout: Layout,
        list_query: ListQuery,
        page: ResultPage<L::Row>,
        error: Option<&AppError>,
    ) -> Result<Self, AppError> {
        let acts = choices_for(user, &L::ROUTE);
        let rows = page.results.iter().map(|row| list.entry(row, layout.now)).collect();
        let table = AdminTable { headers: list_query.headers::<L>(), rows };
        let values = page.results.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        let results = values.map_err(|error| AppError::Internal(error.to_string()))?;
        let (csv, sort) = (list_query.path(&L::ROUTE, true), list_query.sort());
        let ListQuery { filters, typed: FilterValues { values: typed, .. }, .. } = list_query;
        let is_filtered = !typed.is_empty();
        Ok(Self {
            layout,
            path: L::ROUTE.pattern,
            title: Phrase::new(format!("{}-title", L::NAME)),
            what: Phrase::new(format!("{}-what", L::NAME)),
            create: L::CREATE.map(|(route, text)| (route.pattern, phrase!(text))),
            filters,
            sort,
            form: match error {
                Some(error) => Form::rejected(typed, error),
                None => Form::with_values(typed),
            },
            data: ResultPage { results, next: page.next, previous: page.previous, partial: page.partial },
            table,
            acts,
            is_filtered,
            csv,
        })
    }
}

pub async fn first_rows<L: AdminList>(
    list: &L,
    state: &CoreState,
    filter: &str,
    value: &str,
    count: usize,
) -> Result<Vec<L::Row>, AppError> {
    let values = [(filter.to_owned(), value.to_owned())].into();
    let typed = FilterValues { values, order: None };
    let pager = Pager::first_page(L::ROUTE.pattern, &state.keys, count);
    Ok(list.page(state, &typed, &pager).await?.results)
}

pub async fn respond<L: AdminList>(
    list: L,
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: &CoreState,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    let list_query = ListQuery::parse::<L>(&query)?;
    let size = if list_query.is_file { MAX_CSV_ROWS } else { PAGE_SIZE };
    let is_ascending = list_query.typed.order.is_some_and(|order| order.is_ascending);
    let pager =
        Pager::new(list_query.path(&L::ROUTE, list_query.is_file), &query, &state.keys, size)?.ascending(is_ascending);
    let page = match list_query.check() {
        Ok(()) => list.page(state, &list_query.typed, &pager).await,
        Err(error) => Err(error),
    };
    let page = match page {
        Err(error @ AppError::Invalid(_)) => {
            let none = ResultPage { results: Vec::new(), next: None, previous: None, partial: false };
            let page = AdminListPage::new(&list, &user, layout, list_query, none, Some(&error))?;
            return Ok(Either::Left(PageResponse::invalid_form_response(page, error)));
        }
        page => page?,
    };
    if list_query.is_file {
        let header: Vec<&str> = L::HEADER.split(' ').collect();
        let text = csv::fields_to_csv(&header, &page.results)?;
        return Ok(Either::Right(csv::csv_attachment(&request, &format!("{}.csv", L::NAME), &text, page.link())));
    }
    Ok(Either::Left(PageResponse::new(AdminListPage::new(&list, &user, layout, list_query, page, None)?)))
}

pub fn endpoint<L: AdminList<Row: JsonSchema> + Default + 'static>(summary: &'static str) -> Endpoint {
    describe::<L>(Endpoint::new(L::ROUTE).get(summary, show::<L>))
}

pub fn describe<L: AdminList<Row: JsonSchema>>(endpoint: Endpoint) -> Endpoint {
    let filter = |filter: ListFilter| {
        let is_number = filter.is_number();
        let ListFilter { name, label, choices } = filter;
        let label = label.map_or_else(
            || format!("Filter by {name}"),
            |label| label.translate_to_text(Locale::default()).into_owned(),
        );
        let values: Vec<&str> = choices.iter().map(|(value, _)| *value).collect();
        if is_number {
            QueryParameter::id(name, label)
        } else if values.is_empty() {
            QueryParameter::text(name, label)
        } else {
            QueryParameter::choice(name, label, &values)
        }
    };
    let keys = L::COLUMNS.iter().filter_map(ListColumn::sort_key).flat_map(|key| [key.to_owned(), format!("-{key}")]);
    let keys: Vec<String> = keys.collect();
    let sort = QueryParameter::choice("sort", "Sort key, with a minus sign for descending order", &keys);
    let format = QueryParameter::choice("format", "`csv` for a CSV file", &["csv"]);
    let parameters = L::filters().into_iter().map(filter);
    endpoint
        .query(
            parameters.chain([sort].into_iter().filter(|_| !keys.is_empty())).chain([format, QueryParameter::cursor()]),
        )
        .json::<ResultPage<L::Row>>(200)
        .file("text/csv")
}

pub async fn show<L: AdminList + Default>(
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    respond(L::default(), user, layout, request, query, &state).await
}

/// Returns the query parameter `list` if it is a path below `default`, otherwise `default`.
pub fn list_path_from_query(query: &Query, default: &str) -> Result<String, AppError> {
    let list = query.get_undocumented("list")?.filter(|list| list.starts_with(default));
    Ok(local_path(Some(list.as_deref().unwrap_or(default))))
}

/// Begins a transaction with custom query plans, because the best index depends on the filter values.
pub async fn begin_with_custom_query_plans(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let mut transaction = pool.begin().await?;
    // Disables JIT, because compiling these statements would take longer than running them.
    sqlx::query!(
        "select set_config(name, value, true) from (values ('plan_cache_mode', 'force_custom_plan'), ('jit', 'off'))
            as settings (name, value)"
    )
    .fetch_all(&mut *transaction)
    .await?;
    Ok(transaction)
}
