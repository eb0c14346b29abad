//! Generic admin list: filters, keyset pagination, bulk actions, and JSON and CSV output. Each list implements
//! [`AdminList`].

use std::collections::BTreeMap;

use actix_web::{Either, HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgPool, Postgres, Transaction};

use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::users::Username;
use crate::users::models::find_by_username;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::id::parse_id;
use crate::web::request::query::Query;
use crate::web::response::csv;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::text::query_string;
use crate::web::response::view::PageResponse;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

/// Maximum number of rows on a page.
const PAGE_SIZE: usize = 50;
/// Maximum number of rows in a CSV file.
const MAX_CSV_ROWS: usize = 10_000;

#[derive(Clone, Debug)]
pub struct ListFilter {
    /// Name of the query parameter.
    pub name: &'static str,
    /// Label of the form field; `None` for a hidden filter, which only links can set.
    pub label: Option<Phrase>,
    /// Allowed values with their labels. Empty for a text field.
    pub choices: Vec<(&'static str, Phrase)>,
}

impl ListFilter {
    #[must_use]
    pub fn text_filter(name: &'static str, label: Phrase) -> Self {
        Self { name, label: Some(label), choices: Vec::new() }
    }

    #[must_use]
    pub fn hidden_filter(name: &'static str) -> Self {
        Self { name, label: None, choices: Vec::new() }
    }

    #[must_use]
    pub fn choice_filter(name: &'static str, label: Phrase, choices: Vec<(&'static str, Phrase)>) -> Self {
        Self { name, label: Some(label), choices }
    }

    fn is_number(&self) -> bool {
        self.name == "post"
    }
}

/// Filter values from the query.
#[derive(Clone, Debug, Default)]
pub struct FilterValues(BTreeMap<String, String>);

impl FilterValues {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the post ID in the filter `post`; `None` if the filter is not set.
    ///
    /// # Errors
    /// Returns the error `invalid` if the value cannot be an ID.
    pub fn post_id(&self) -> Result<Option<i64>, AppError> {
        let no_id = || AppError::invalid_field("post", phrase!("invalid-id"));
        self.get("post").map(|post| parse_id(post).ok_or_else(no_id)).transpose()
    }

    /// Returns the user whose username is the value of the filter `field`; `None` if the filter is not set.
    ///
    /// # Errors
    /// Returns the error `invalid` if there is no such user.
    pub async fn find_user(&self, state: &AppState, field: &'static str) -> Result<Option<UserId>, AppError> {
        let Some(name) = self.get(field) else { return Ok(None) };
        let nobody = || AppError::invalid_field(field, phrase!("invalid-no-such-user", name = name));
        let username = Username::parse_lenient(name).map_err(|_| nobody())?;
        match find_by_username(&state.pool, &username).await {
            Ok(user) => Ok(Some(user.id)),
            Err(AppError::NotFound) => Err(nobody()),
            Err(error) => Err(error),
        }
    }
}

/// Part of a row in an admin list, such as a text, a link or a time.
#[derive(Clone, Debug)]
pub enum DisplayPart {
    /// URL or ID, displayed from left to right in every language.
    Plain(String),
    Said(Phrase),
    /// Message with HTML tags, such as a `<time>` element.
    Html(Phrase),
    /// Message with emphasis.
    Warning(Phrase),
    Minute(DateTime<Utc>),
    /// Message with the argument `$ago`, which is the duration from the first timestamp to the second.
    Ago(Phrase, DateTime<Utc>, DateTime<Utc>),
    /// Label with an untranslated value.
    Pair(Phrase, String),
    /// Label with a translated value.
    Told(Phrase, Phrase),
    /// Link with a path and an untranslated link text.
    Link(String, String),
    /// Link with a path, a translated link text, and the name of the linked object for screen readers.
    Lead(String, Phrase, String),
    Strong(String),
}

impl DisplayPart {
    #[must_use]
    pub fn user_link(name: &str) -> Self {
        Self::Link(crate::users::urls::author_path(name), name.to_owned())
    }

    /// Creates a link to a post. The link text is the title, or a text with the post ID if there is no title.
    #[must_use]
    pub fn post_link(id: i64, title: Option<&String>) -> Self {
        let path = crate::blog_posts::urls::POST_BY_ID.path_for(id);
        match title {
            Some(title) => Self::Link(path, title.clone()),
            None => Self::Lead(path, phrase!("log-post", id = id.to_string()), String::new()),
        }
    }
}

/// List row as displayed on the HTML page.
#[derive(Clone, Debug, Default)]
pub struct RowDisplay {
    /// HTML `id` attribute, for links to the row.
    pub id: String,
    /// Key of the row in bulk actions; `None` if the row cannot be selected.
    pub pick: Option<String>,
    pub head: Vec<DisplayPart>,
    /// Free text by a user, shown as a quotation.
    pub quoted_text: Option<String>,
    pub details: Vec<DisplayPart>,
    /// Secondary details, displayed less prominently.
    pub facts: Vec<DisplayPart>,
}

/// Name and label of a bulk action.
pub type ActionChoice = (&'static str, Phrase);

pub trait AdminList {
    type Row: Serialize;

    const ROUTE: Route;
    /// Prefix of the IDs of Fluent messages, and name of the CSV file without its extension.
    const NAME: &'static str;
    /// Columns of the CSV file.
    const HEADER: &'static [&'static str];

    fn filters(&self) -> Vec<ListFilter>;

    /// Returns a page of rows.
    ///
    /// # Errors
    /// Returns the error `invalid` if a filter names a user that does not exist or has an invalid value.
    async fn page(
        &self,
        state: &AppState,
        typed: &FilterValues,
        pager: &Pager<'_>,
    ) -> Result<ResultPage<Self::Row>, AppError>;

    fn entry(&self, row: &Self::Row, now: DateTime<Utc>) -> RowDisplay;

    /// Path of the bulk action form, and the bulk actions that this user may perform.
    fn actions(&self, _: &CurrentUser) -> (&'static str, Vec<ActionChoice>) {
        ("", Vec::new())
    }
}

#[derive(Template)]
#[template(path = "admin/list.html")]
pub struct AdminListPage {
    layout: Layout,
    path: &'static str,
    title: Phrase,
    what: Phrase,
    filters: Vec<ListFilter>,
    form: Form,
    data: ResultPage<Value>,
    entries: Vec<RowDisplay>,
    act_path: &'static str,
    acts: Vec<ActionChoice>,
    is_filtered: bool,
    /// Path of the CSV export with the current filters.
    csv: String,
}

page!(AdminListPage, data: ResultPage<Value>, list data);

/// Parsed query of a list.
struct ListQuery {
    filters: Vec<ListFilter>,
    typed: FilterValues,
    is_file: bool,
}

impl ListQuery {
    fn parse(filters: Vec<ListFilter>, query: &Query) -> Result<Self, AppError> {
        let mut typed = BTreeMap::new();
        for ListFilter { name, .. } in &filters {
            typed.extend(query.get(name)?.map(|value| ((*name).to_owned(), value)));
        }
        let is_file = match query.get("format")?.as_deref() {
            None => false,
            Some("csv") => true,
            Some(_) => return Err(AppError::invalid_field("format", phrase!("invalid-format"))),
        };
        Ok(Self { filters, typed: FilterValues(typed), is_file })
    }

    /// Path of the list with the current filters.
    fn path(&self, address: &Route, is_file: bool) -> String {
        let wanted = self.filters.iter().map(|filter| (filter.name, self.typed.get(filter.name)));
        let wanted: Vec<_> = wanted.chain([("format", is_file.then_some("csv"))]).collect();
        format!("{}{}", address.pattern, query_string(&wanted))
    }

    /// Checks the values of filters that have a fixed set of allowed values.
    ///
    /// # Errors
    /// Returns the error `invalid` if a value is not in the set.
    fn check(&self) -> Result<(), AppError> {
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
    /// Builds the page from the rows and, if a filter value was rejected, the error.
    fn of<L: AdminList>(
        list: &L,
        user: &CurrentUser,
        layout: Layout,
        asked: ListQuery,
        found: ResultPage<L::Row>,
        error: Option<&AppError>,
    ) -> Result<Self, AppError> {
        let (act_path, acts) = list.actions(user);
        let entries = found.results.iter().map(|row| list.entry(row, layout.now)).collect();
        let values = found.results.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        let results = values.map_err(|error| AppError::Internal(error.to_string()))?;
        let csv = asked.path(&L::ROUTE, true);
        let ListQuery { filters, typed: FilterValues(typed), .. } = asked;
        let is_filtered = !typed.is_empty();
        Ok(Self {
            layout,
            path: L::ROUTE.pattern,
            title: list_message(L::NAME, "title"),
            what: list_message(L::NAME, "what"),
            filters,
            form: match error {
                Some(error) => Form::rejected(typed, error),
                None => Form::with_values(typed),
            },
            data: ResultPage { results, next: found.next, previous: found.previous, partial: found.partial },
            entries,
            act_path,
            acts,
            is_filtered,
            csv,
        })
    }
}

/// Responds with a list as an HTML page, JSON or a CSV file.
///
/// # Errors
/// Returns the error `invalid` if a filter has an invalid value.
pub async fn respond<L: AdminList>(
    list: L,
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: &AppState,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    let asked = ListQuery::parse(list.filters(), &query)?;
    let size = if asked.is_file { MAX_CSV_ROWS } else { PAGE_SIZE };
    let pager = Pager::new(asked.path(&L::ROUTE, asked.is_file), &query, &state.keys, size)?;
    let found = match asked.check() {
        Ok(()) => list.page(state, &asked.typed, &pager).await,
        Err(error) => Err(error),
    };
    let found = match found {
        Err(error @ AppError::Invalid(_)) => {
            let none = ResultPage { results: Vec::new(), next: None, previous: None, partial: false };
            let page = AdminListPage::of(&list, &user, layout, asked, none, Some(&error))?;
            return Ok(Either::Left(PageResponse::invalid_form_response(page, error)));
        }
        found => found?,
    };
    if asked.is_file {
        let text = csv::fields_to_csv(L::HEADER, &found.results)?;
        return Ok(Either::Right(csv::csv_attachment(&request, &format!("{}.csv", L::NAME), text, found.link())));
    }
    Ok(Either::Left(PageResponse::new(AdminListPage::of(&list, &user, layout, asked, found, None)?)))
}

/// Request handler for lists that implement `Default`.
pub async fn show<L: AdminList + Default>(
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    respond(L::default(), user, layout, request, query, &state).await
}

/// Fluent message of a list, such as its title.
fn list_message(name: &str, part: &str) -> Phrase {
    Phrase::new(format!("{name}-{part}"))
}

/// Begins a transaction with custom query plans (`plan_cache_mode`), because the best index depends on the filter
/// values.
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
