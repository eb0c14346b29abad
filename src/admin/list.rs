//! Lists of the admin area: each can be filtered, paged by keys, and taken along as JSON or CSV. What a list is of stands in a
//! file of its own; here is what all of them have.

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
use crate::users::models::find_by_name;
use crate::web::error::AppError;
use crate::web::request::id::parse;
use crate::web::request::query::Query;
use crate::web::request::visitor::{CurrentUser, UserId};
use crate::web::response::csv;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::paging::{Pager, Slice};
use crate::web::response::text::query_of;
use crate::web::response::view::View;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

/// Rows on a page, and in a file.
const ON_A_PAGE: usize = 50;
const IN_A_FILE: usize = 10_000;

/// What a list can be filtered by.
#[derive(Clone, Debug)]
pub struct Filter {
    /// In the address.
    pub name: &'static str,
    /// None: it is no field, but comes along.
    pub label: Option<Phrase>,
    /// What can be chosen, and what that is called; nothing: it is typed.
    pub choices: Vec<(&'static str, Phrase)>,
}

impl Filter {
    #[must_use]
    pub fn typed(name: &'static str, label: Phrase) -> Self {
        Self { name, label: Some(label), choices: Vec::new() }
    }

    #[must_use]
    pub fn hidden(name: &'static str) -> Self {
        Self { name, label: None, choices: Vec::new() }
    }

    #[must_use]
    pub fn of(name: &'static str, label: Phrase, choices: Vec<(&'static str, Phrase)>) -> Self {
        Self { name, label: Some(label), choices }
    }

    fn is_number(&self) -> bool {
        self.name == "post"
    }
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Typed(BTreeMap<String, String>);

impl Typed {
    /// None where nothing was.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// # Errors
    /// `invalid` for what cannot be a post's id.
    pub fn post(&self) -> Result<Option<i64>, AppError> {
        let no_id = || AppError::field("post", phrase!("invalid-id"));
        self.get("post").map(|post| parse(post).ok_or_else(no_id)).transpose()
    }

    /// The account with the name in this field.
    ///
    /// # Errors
    /// `invalid` where there is none.
    pub async fn user(&self, state: &AppState, field: &'static str) -> Result<Option<UserId>, AppError> {
        let Some(name) = self.get(field) else { return Ok(None) };
        let nobody = || AppError::field(field, phrase!("invalid-nobody", name = name));
        let username = Username::of_somebody(name).map_err(|_| nobody())?;
        match find_by_name(&state.pool, &username).await {
            Ok(user) => Ok(Some(user.id)),
            Err(AppError::NotFound) => Err(nobody()),
            Err(error) => Err(error),
        }
    }
}

/// A piece of what is shown of a row.
#[derive(Clone, Debug)]
pub enum Piece {
    /// An address or an id, from left to right in every language.
    Plain(String),
    Said(Phrase),
    /// A message with tags, such as one with a time.
    Html(Phrase),
    /// What should not be overlooked.
    Warning(Phrase),
    Minute(DateTime<Utc>),
    /// A message with `ago`: how long before the second time the first one was.
    Ago(Phrase, DateTime<Utc>, DateTime<Utc>),
    /// What it is called, and what it is.
    Pair(Phrase, String),
    /// What it is called, and what it is in words.
    Told(Phrase, Phrase),
    /// Text that leads to a path.
    Link(String, String),
    /// Words that lead to a path, and for those who hear the page what they lead to.
    Lead(String, Phrase, String),
    Strong(String),
}

impl Piece {
    /// The page of an account.
    #[must_use]
    pub fn user(name: &str) -> Self {
        Self::Link(crate::users::urls::author(name), name.to_owned())
    }

    /// A post, by its title or its number.
    #[must_use]
    pub fn post(id: i64, title: Option<&String>) -> Self {
        let path = crate::blog_posts::urls::POST.path_for(id);
        match title {
            Some(title) => Self::Link(path, title.clone()),
            None => Self::Lead(path, phrase!("log-post", id = id.to_string()), String::new()),
        }
    }
}

/// A row, as people see it.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// For `id`: a fragment leads to it.
    pub id: String,
    /// By which it is picked for an act.
    pub pick: Option<String>,
    pub head: Vec<Piece>,
    /// What somebody has said about it.
    pub said: Option<String>,
    pub details: Vec<Piece>,
    /// Less important than the rest.
    pub facts: Vec<Piece>,
}

/// What can be done to rows that are picked: the name of the act, and what it is called.
pub type ActionChoice = (&'static str, Phrase);

/// A list of the admin area.
pub trait List {
    type Row: Serialize;

    /// Where it is.
    const ADDRESS: Route;
    /// The name of its file, without the ending.
    const NAME: &'static str;
    /// The fields of a row.
    const HEADER: &'static [&'static str];

    fn filters(&self) -> Vec<Filter>;

    /// A page of rows.
    ///
    /// # Errors
    /// `invalid` for a filter that names nothing; those of the database.
    async fn page(&self, state: &AppState, typed: &Typed, pager: &Pager<'_>) -> Result<Slice<Self::Row>, AppError>;

    fn entry(&self, row: &Self::Row, now: DateTime<Utc>) -> Entry;

    /// What this user may do to rows, and at which path that is looked at before.
    fn acts(&self, _: &CurrentUser) -> (&'static str, Vec<ActionChoice>) {
        ("", Vec::new())
    }
}

/// A list for people.
#[derive(Template)]
#[template(path = "admin/list.html")]
pub struct ListPage {
    layout: Layout,
    path: &'static str,
    title: Phrase,
    what: Phrase,
    filters: Vec<Filter>,
    form: Form,
    data: Slice<Value>,
    entries: Vec<Entry>,
    act_path: &'static str,
    acts: Vec<ActionChoice>,
    /// Whether not everything is listed.
    is_filtered: bool,
    /// The path of the same list as CSV.
    csv: String,
}

page!(ListPage, data: Slice<Value>, list data);

/// What was asked for, by which filters.
struct Asked {
    filters: Vec<Filter>,
    typed: Typed,
    is_file: bool,
}

impl Asked {
    fn of(filters: Vec<Filter>, query: &Query) -> Result<Self, AppError> {
        let mut typed = BTreeMap::new();
        for Filter { name, .. } in &filters {
            typed.extend(query.get(name)?.map(|value| ((*name).to_owned(), value)));
        }
        let is_file = match query.get("format")?.as_deref() {
            None => false,
            Some("csv") => true,
            Some(_) => return Err(AppError::field("format", phrase!("invalid-format"))),
        };
        Ok(Self { filters, typed: Typed(typed), is_file })
    }

    /// The path of this list.
    fn path(&self, address: &Route, is_file: bool) -> String {
        let wanted = self.filters.iter().map(|filter| (filter.name, self.typed.get(filter.name)));
        let wanted: Vec<_> = wanted.chain([("format", is_file.then_some("csv"))]).collect();
        format!("{}{}", address.pattern, query_of(&wanted))
    }

    /// # Errors
    /// `invalid` for what cannot be chosen.
    fn check(&self) -> Result<(), AppError> {
        let is_unknown = |filter: &&Filter| {
            let is_there = |typed| filter.choices.iter().any(|(name, _)| *name == typed);
            !filter.choices.is_empty() && self.typed.get(filter.name).is_some_and(|typed| !is_there(typed))
        };
        match self.filters.iter().find(is_unknown) {
            Some(filter) => Err(AppError::field(filter.name, phrase!("invalid-choice"))),
            None => Ok(()),
        }
    }
}

impl ListPage {
    /// A page of what was found; with an error, of what is wrong with the filters.
    fn of<L: List>(
        list: &L,
        user: &CurrentUser,
        layout: Layout,
        asked: Asked,
        found: Slice<L::Row>,
        error: Option<&AppError>,
    ) -> Result<Self, AppError> {
        let (act_path, acts) = list.acts(user);
        let entries = found.results.iter().map(|row| list.entry(row, layout.now)).collect();
        let values = found.results.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        let results = values.map_err(|error| AppError::Internal(error.to_string()))?;
        let csv = asked.path(&L::ADDRESS, true);
        let Asked { filters, typed: Typed(typed), .. } = asked;
        let is_filtered = !typed.is_empty();
        Ok(Self {
            layout,
            path: L::ADDRESS.pattern,
            title: words(L::NAME, "title"),
            what: words(L::NAME, "what"),
            filters,
            form: match error {
                Some(error) => Form::rejected(typed, error),
                None => Form::typed(typed),
            },
            data: Slice { results, next: found.next, previous: found.previous, partial: found.partial },
            entries,
            act_path,
            acts,
            is_filtered,
            csv,
        })
    }
}

/// A list as it was asked for.
///
/// # Errors
/// `invalid` for a filter that names nothing; those of the database.
pub async fn answer<L: List>(
    list: L,
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: &AppState,
) -> Result<Either<View<ListPage>, HttpResponse>, AppError> {
    let asked = Asked::of(list.filters(), &query)?;
    let size = if asked.is_file { IN_A_FILE } else { ON_A_PAGE };
    let pager = Pager::new(asked.path(&L::ADDRESS, asked.is_file), &query, &state.keys, size)?;
    let found = match asked.check() {
        Ok(()) => list.page(state, &asked.typed, &pager).await,
        Err(error) => Err(error),
    };
    let found = match found {
        Err(error @ AppError::Invalid(_)) => {
            let none = Slice { results: Vec::new(), next: None, previous: None, partial: false };
            let page = ListPage::of(&list, &user, layout, asked, none, Some(&error))?;
            return Ok(Either::Left(View::rejected(page, error)));
        }
        found => found?,
    };
    if asked.is_file {
        let text = csv::of_fields(L::HEADER, &found.results)?;
        return Ok(Either::Right(csv::file(&request, &format!("{}.csv", L::NAME), text, found.link())));
    }
    Ok(Either::Left(View::new(ListPage::of(&list, &user, layout, asked, found, None)?)))
}

/// A list as its address is asked for it.
pub async fn show<L: List + Default>(
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<ListPage>, HttpResponse>, AppError> {
    answer(L::default(), user, layout, request, query, &state).await
}

/// What a list is called and of.
fn words(name: &str, part: &str) -> Phrase {
    Phrase::new(format!("{name}-{part}"))
}

/// A transaction whose statements are planned for their own values: which index serves depends on the filters.
pub async fn planned_anew(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let mut transaction = pool.begin().await?;
    // Compiling a statement would take longer than to run it.
    sqlx::query!(
        "select set_config(name, value, true) from (values ('plan_cache_mode', 'force_custom_plan'), ('jit', 'off'))
            as settings (name, value)"
    )
    .fetch_all(&mut *transaction)
    .await?;
    Ok(transaction)
}
