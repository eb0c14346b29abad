//! Confirmation page and form handler of bulk actions.

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::{Either, web};
use askama::Template;
use serde::Serialize;
use serde_json::Value;

use super::action::{BulkAction, MOST};
use super::subjects;
use super::subjects::ActionTarget;
use crate::admin::urls;
use crate::blog_posts::PostId;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::rate::Pauses;
use crate::users::{Accounts, Password};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Field, Fields, Input, Reason};
use crate::web::request::format::Format;
use crate::web::request::query::Query;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::Link;
use crate::web::response::text::query_of;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::state::AppState;

/// Separator of row keys in the `picks` field. Row keys may contain any other character.
const BETWEEN: char = '\n';

/// Keys of the selected rows, at most [`MOST`].
#[derive(Clone, Debug)]
pub struct Picks(Vec<String>);

impl Picks {
    fn of<'a>(picks: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let picks: Vec<String> = picks.map(str::trim).filter(|pick| !pick.is_empty()).map(str::to_owned).collect();
        match picks.len() {
            0 => Err(phrase!("invalid-no-rows")),
            // PostgreSQL rejects NUL in text, so no row can have such a key.
            _ if picks.iter().any(|pick| pick.contains('\0')) => Err(phrase!("invalid-no-rows")),
            1..=MOST => Ok(Self(picks)),
            _ => Err(phrase!("invalid-too-many-rows", most = MOST)),
        }
    }
}

impl Field for Picks {
    const MISSING: &'static str = "invalid-no-rows";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::of(text.split(BETWEEN))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Array(picks) => {
                let texts: Vec<String> =
                    picks.iter().map(|pick| pick.as_str().map_or_else(|| pick.to_string(), str::to_owned)).collect();
                Self::of(texts.iter().map(String::as_str))
            }
            _ => Err(phrase!("invalid-no-rows")),
        }
    }
}

impl Field for BulkAction {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::ALL.into_iter().find(|action| action.name() == text).ok_or_else(|| phrase!("invalid-action"))
    }
}

#[derive(Debug)]
pub struct BulkActionForm {
    action: BulkAction,
    picks: Picks,
    reason: Reason,
    password: Option<Password>,
}

impl Input for BulkActionForm {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (action, picks) = (fields.take::<BulkAction>("act"), fields.take::<Picks>("picks"));
        let (reason, password) = (fields.take("reason"), Password::again(fields)?);
        Some(Self { action: action?, picks: picks?, reason: reason?, password })
    }
}

/// Affected rows, before or after the action.
#[derive(Debug, Serialize)]
pub struct Preview {
    act: &'static str,
    rows: Vec<ActionTarget>,
    /// Number of selected rows that were deleted meanwhile or do not permit the action.
    passed_over: usize,
}

impl Preview {
    fn of(action: BulkAction, rows: Vec<ActionTarget>, picks: &Picks) -> Self {
        let passed_over = picks.0.len().saturating_sub(rows.len());
        Self { act: action.name(), rows, passed_over }
    }
}

#[derive(Template)]
#[template(path = "admin/act.html")]
pub struct BulkActionPage {
    layout: Layout,
    form: Form,
    data: Preview,
    action: BulkAction,
    needs_password: bool,
}

page!(BulkActionPage, data: Preview);

impl BulkActionPage {
    async fn of(
        state: &AppState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        action: BulkAction,
        picks: &Picks,
    ) -> Result<Self, AppError> {
        user.must_be(action.role())?;
        // No transaction: `find` locks the rows, and autocommit releases the locks as soon as the rows are read.
        let rows = subjects::find(&mut *state.pool.acquire().await?, state, user, action, &picks.0).await?;
        let needs_password = action.is_grave() && !user.is_confirmed;
        Ok(Self { layout, form, data: Preview::of(action, rows, picks), action, needs_password })
    }

    fn picks(&self) -> String {
        let picks = self.data.rows.iter().map(|row| row.pick.as_str());
        picks.collect::<Vec<_>>().join(&BETWEEN.to_string())
    }

    fn title(&self) -> Phrase {
        self.action.words()
    }

    fn what(&self) -> Phrase {
        self.action.message("-what")
    }
}

pub async fn form(
    user: CurrentUser,
    layout: Layout,
    format: Format,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<BulkActionPage>, Done<()>>, AppError> {
    let action = BulkAction::from_text(&query.get("act")?.unwrap_or_default());
    let action = action.map_err(|message| AppError::field("act", message))?;
    let picks = query.all("pick")?;
    let picks = Picks::of(picks.iter().flat_map(|pick| pick.split(BETWEEN)));
    let picks = match picks {
        // Without a valid selection, redirects to the list with an error message.
        Err(message) if format == Format::Html => {
            return Ok(Either::Right(Done::no_content(action.list()).message(message)));
        }
        picks => picks.map_err(|message| AppError::field("pick", message))?,
    };
    let page = BulkActionPage::of(&state, &user, layout, Form::default(), action, &picks).await?;
    Ok(Either::Left(View::new(page)))
}

/// Applies the action to all selected rows in one transaction.
pub async fn act(
    payload: Payload<BulkActionForm>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
    accounts: web::Data<Accounts>,
    pauses: web::Data<Pauses>,
) -> Result<Answer<Preview, BulkActionPage>, AppError> {
    let again = (BulkAction::from_text(payload.typed("act")), Picks::from_text(payload.typed("picks")));
    let act = async |BulkActionForm { action, picks, reason, password }: BulkActionForm| {
        user.must_be(action.role())?;
        if action.is_grave() {
            accounts.look_twice(&state, &session, &user, password).await?;
        }
        let by = user.clone();
        let all = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
            let rows = subjects::find(connection, state, &by, action, &picks.0).await?;
            subjects::act(connection, state, &by, action, &rows, reason.as_str()).await?;
            Ok(Preview::of(action, rows, &picks))
        };
        let data = state.in_one_transaction(all).await?;
        after(&state, &pauses, action, &data.rows);
        Ok(done(action, data))
    };
    let page = async |form: Form, error: &AppError| {
        let (Ok(action), Ok(picks)) = again else { return None };
        let needs_password = matches!(error, AppError::Invalid(errors) if errors.contains_key("current_password"));
        let page = BulkActionPage::of(&state, &user, layout, form, action, &picks).await.ok()?;
        Some(BulkActionPage { needs_password: needs_password || page.needs_password, ..page })
    };
    submit(payload, act, page).await
}

/// Updates the in-memory state of this instance after the commit: page cache, mail queue, rating pauses.
fn after(state: &AppState, pauses: &Pauses, action: BulkAction, rows: &[ActionTarget]) {
    match action {
        BulkAction::Unpublish => {
            state.pages.clear();
            state.mail.send_now();
        }
        BulkAction::Publish => state.pages.clear(),
        BulkAction::SendMails => state.mail.send_now(),
        BulkAction::LiftPauses => {
            for (user, post) in rows.iter().filter_map(|row| row.user.zip(row.post)) {
                pauses.forget_lifted(user, &[PostId(post)]);
            }
        }
        BulkAction::EndSessions
        | BulkAction::EndInvitations
        | BulkAction::DropMails
        | BulkAction::ForgetStates
        | BulkAction::ResetLimiter => {}
    }
    tracing::info!(act = action.name(), count = rows.len(), "bulk action applied");
}

/// Success message with a link to the inverse action.
fn done(action: BulkAction, data: Preview) -> Done<Preview> {
    let count = data.rows.len();
    let message = if count == 0 { phrase!("action-done-none") } else { action.message("-done").with("count", count) };
    let picks: Vec<&str> = data.rows.iter().map(|row| row.pick.as_str()).collect();
    let between = BETWEEN.to_string();
    let back = action.contrary().filter(|_| count > 0).map(|back| Link {
        path: format!(
            "{}{}",
            urls::ACT.pattern,
            query_of(&[("act", Some(back.name())), ("pick", Some(&picks.join(&between)))])
        ),
        text: back.words(),
    });
    Done::new(StatusCode::OK, data, action.list()).message(message).linking(back)
}
