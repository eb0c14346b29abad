//! What is done to accounts, and what that will be, before it is done.

use std::time::Duration;

use actix_session::Session;
use actix_web::http::StatusCode;
use actix_web::{Either, web};
use askama::Template;
use serde::Serialize;
use serde_json::Value;

use crate::admin::urls;
use crate::i18n::{self, Phrase, filters};
use crate::page;
use crate::phrase;
use crate::users::staff::{self, Deed, MOST, PassedOver, Subject};
use crate::users::{Accounts, Password, Username};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::field::{Field, Fields, Input, Reason};
use crate::web::request::format::Format;
use crate::web::request::query::Query;
use crate::web::request::role::Role;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::messages::Link;
use crate::web::response::text::query_of;
use crate::web::response::view::{Answer, Done, View, submit};
use crate::web::state::AppState;

/// The most days of a block that ends.
const MOST_DAYS: u32 = 3_650;

/// The names of accounts, as keys.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let keys = names.map(str::trim).filter(|name| !name.is_empty());
        let keys = keys.map(|name| Username::of_somebody(name).map(|name| name.key().to_owned()));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        match keys.len() {
            0 => Err(phrase!("invalid-no-users")),
            1..=MOST => Ok(Self(keys)),
            count => Err(phrase!("invalid-too-many-users", most = MOST, count = count)),
        }
    }
}

impl Field for Names {
    const MISSING: &'static str = "invalid-no-users";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::of(text.split(','))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Array(names) => Self::of(names.iter().map(|name| name.as_str().unwrap_or_default())),
            _ => Err(phrase!("invalid-no-users")),
        }
    }
}

/// Which deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Block,
    Unblock,
    SignOut,
    ResetPassword,
    Role,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Block, Self::Unblock, Self::SignOut, Self::ResetPassword, Self::Role];

    fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Unblock => "unblock",
            Self::SignOut => "sign_out",
            Self::ResetPassword => "reset_password",
            Self::Role => "role",
        }
    }

    fn words(self) -> Phrase {
        match self {
            Self::Block => phrase!("users-block"),
            Self::Unblock => phrase!("users-unblock"),
            Self::SignOut => phrase!("users-sign-out"),
            Self::ResetPassword => phrase!("users-reset-password"),
            Self::Role => phrase!("users-role"),
        }
    }

    /// What it means.
    fn what(self) -> Phrase {
        match self {
            Self::Block => phrase!("users-block-what"),
            Self::Unblock => phrase!("users-unblock-what"),
            Self::SignOut => phrase!("users-sign-out-what"),
            Self::ResetPassword => phrase!("users-reset-password-what"),
            Self::Role => phrase!("users-role-what"),
        }
    }

    /// What it would be, before more is known.
    fn deed(self) -> Deed {
        match self {
            Self::Block => Deed::Block { reason: String::new(), length: None },
            Self::Unblock => Deed::Unblock,
            Self::SignOut => Deed::SignOut,
            Self::ResetPassword => Deed::ResetPassword,
            Self::Role => Deed::Role { role: None, reason: String::new() },
        }
    }
}

impl Field for Kind {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| phrase!("invalid-deed"))
    }
}

/// A number of days; nothing is for ever.
#[derive(Clone, Copy, Debug)]
struct Days(Option<u32>);

impl Field for Days {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text.trim().is_empty() {
            return Ok(Self(None));
        }
        let days = text.trim().parse().ok().filter(|days| (1..=MOST_DAYS).contains(days));
        days.map(|days| Self(Some(days))).ok_or_else(|| phrase!("invalid-block-days", most = MOST_DAYS))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            Value::Null => Ok(Self(None)),
            value => Self::from_text(&value.to_string()),
        }
    }
}

/// A role, or none.
#[derive(Clone, Copy, Debug)]
struct RoleOrNone(Option<Role>);

impl Field for RoleOrNone {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match text {
            "none" => Ok(Self(None)),
            name => Role::named(name).map(|role| Self(Some(role))).ok_or_else(|| phrase!("invalid-staff-role")),
        }
    }
}

#[derive(Debug)]
pub struct Wanted {
    names: Names,
    deed: Deed,
    password: Option<Password>,
}

impl Input for Wanted {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (names, kind) = (fields.take::<Names>("users"), fields.take::<Kind>("act"));
        let password = Password::again(fields)?;
        let deed = match kind? {
            Kind::Block => {
                let (reason, days) = (fields.take::<Reason>("reason"), fields.take_if_there::<Days>("days"));
                let days = days?.and_then(|days| days.0);
                let length = days.map(|days| Duration::from_hours(24 * u64::from(days)));
                Deed::Block { reason: reason?.as_str().to_owned(), length }
            }
            Kind::Role => {
                let (role, reason) = (fields.take::<RoleOrNone>("role"), fields.take::<Reason>("reason"));
                Deed::Role { role: role?.0, reason: reason?.as_str().to_owned() }
            }
            kind => kind.deed(),
        };
        Some(Self { names: names?, deed, password })
    }
}

/// An account, and whether something will be done to it.
#[derive(Debug, Serialize)]
pub struct Considered {
    username: String,
    /// What they may do as staff.
    role: Option<Role>,
    /// `own`, `staff`, `already`, `unreachable` or `unknown`; none: it will be done.
    passed_over: Option<&'static str>,
    #[serde(skip)]
    why: Option<Phrase>,
}

impl Considered {
    fn of(by: &CurrentUser, deed: &Deed, subject: &Subject) -> Self {
        let passed_over = deed.check(by, subject).err();
        let (name, why) = match passed_over {
            None => (None, None),
            Some(PassedOver::Own) => (Some("own"), Some(phrase!("users-passed-own"))),
            Some(PassedOver::Staff) => (Some("staff"), Some(phrase!("users-passed-staff"))),
            Some(PassedOver::Unreachable) => (Some("unreachable"), Some(phrase!("users-passed-unreachable"))),
            Some(PassedOver::Already) => (Some("already"), Some(phrase!("users-passed-already"))),
        };
        Self { username: subject.username.clone(), role: subject.role, passed_over: name, why }
    }

    fn path(&self) -> String {
        crate::users::urls::author(&self.username)
    }
}

#[derive(Debug, Serialize)]
pub struct Preview {
    act: &'static str,
    users: Vec<Considered>,
    /// How many it will be done to.
    count: usize,
}

#[derive(Template)]
#[template(path = "admin/users_act.html")]
pub struct ActPage {
    layout: Layout,
    form: Form,
    data: Preview,
    kind: Kind,
    needs_password: bool,
}

page!(ActPage, data: Preview);

impl ActPage {
    async fn of(
        state: &AppState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        kind: Kind,
        names: &Names,
    ) -> Result<Self, AppError> {
        user.must_be(kind.deed().needs())?;
        let subjects = staff::subjects(&mut *state.pool.acquire().await?, state, &names.0, None).await?;
        let deed = kind.deed();
        // Which role it will be is not known yet.
        let considered = |subject: &Subject| match (kind, Considered::of(user, &deed, subject)) {
            (Kind::Role, one) if one.passed_over == Some("already") => {
                Considered { passed_over: None, why: None, ..one }
            }
            (_, one) => one,
        };
        let mut users: Vec<_> = subjects.iter().map(considered).collect();
        users.extend(unknown(names, &subjects));
        let count = users.iter().filter(|one| one.passed_over.is_none()).count();
        let data = Preview { act: kind.name(), users, count };
        Ok(Self { layout, form, data, kind, needs_password: needs_password(user, kind) })
    }

    /// The names that it will be done to, to be sent along.
    fn names(&self) -> String {
        let names = self.data.users.iter().filter(|one| one.passed_over.is_none()).map(|one| one.username.as_str());
        names.collect::<Vec<_>>().join(",")
    }

    fn is_block(&self) -> bool {
        self.kind == Kind::Block
    }

    fn is_role(&self) -> bool {
        self.kind == Kind::Role
    }
}

/// Those that are no accounts.
fn unknown(names: &Names, subjects: &[Subject]) -> Vec<Considered> {
    let is_known = |name: &&String| subjects.iter().any(|subject| subject.key == **name);
    let unknown = names.0.iter().filter(|name| !is_known(name));
    let considered = |name: &String| Considered {
        username: name.clone(),
        role: None,
        passed_over: Some("unknown"),
        why: Some(phrase!("users-passed-unknown")),
    };
    unknown.map(considered).collect()
}

/// What one cannot take back by oneself is asked twice.
fn needs_password(user: &CurrentUser, kind: Kind) -> bool {
    matches!(kind, Kind::Role | Kind::ResetPassword) && !user.is_confirmed
}

pub async fn form(
    user: CurrentUser,
    layout: Layout,
    format: Format,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<View<ActPage>, Done<()>>, AppError> {
    let kind = query.get("act")?.unwrap_or_default();
    let kind = Kind::from_text(&kind).map_err(|message| AppError::field("act", message))?;
    let names = query.all("pick")?;
    let names = match Names::of(names.iter().flat_map(|name| name.split(','))) {
        // Back to the list, which says so.
        Err(message) if format == Format::Html => {
            return Ok(Either::Right(Done::no_content(urls::USERS.pattern).message(message)));
        }
        names => names.map_err(|message| AppError::field("pick", message))?,
    };
    let page = ActPage::of(&state, &user, layout, Form::default(), kind, &names).await?;
    Ok(Either::Left(View::new(page)))
}

/// Does it to all of them, or to none.
pub async fn act(
    payload: Payload<Wanted>,
    user: CurrentUser,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
    accounts: web::Data<Accounts>,
) -> Result<Answer<Preview, ActPage>, AppError> {
    let again = (Kind::from_text(payload.typed("act")), Names::from_text(payload.typed("users")));
    let act = async |Wanted { names, deed, password }: Wanted| {
        user.must_be(deed.needs())?;
        if let Deed::Role { .. } | Deed::ResetPassword = deed {
            accounts.look_twice(&state, &session, &user, password).await?;
        }
        let kind = match &deed {
            Deed::Block { .. } => Kind::Block,
            Deed::Unblock => Kind::Unblock,
            Deed::SignOut => Kind::SignOut,
            Deed::ResetPassword => Kind::ResetPassword,
            Deed::Role { .. } => Kind::Role,
        };
        let by = user.clone();
        let all = async move |connection: &mut sqlx::PgConnection, state: &AppState| {
            let subjects = staff::subjects(connection, state, &names.0, Some(&deed)).await?;
            staff::check_again(connection, &by, &deed).await?;
            let mut users = unknown(&names, &subjects);
            for subject in &subjects {
                let considered = Considered::of(&by, &deed, subject);
                if considered.passed_over.is_none() {
                    staff::act(connection, state, &by, subject, &deed).await?;
                }
                users.push(considered);
            }
            Ok(users)
        };
        let users = state.in_one_transaction(all).await?;
        state.mail.send_now();
        Ok(done(kind, users))
    };
    let page = async |form: Form, error: &AppError| {
        let (Ok(kind), Ok(names)) = again else { return None };
        let needs_password = matches!(error, AppError::Invalid(errors) if errors.contains_key("current_password"));
        let page = ActPage::of(&state, &user, layout, form, kind, &names).await.ok()?;
        Some(ActPage { needs_password: needs_password || page.needs_password, ..page })
    };
    submit(payload, act, page).await
}

/// What was done, with the way back.
fn done(kind: Kind, users: Vec<Considered>) -> Done<Preview> {
    let names: Vec<&str> =
        users.iter().filter(|one| one.passed_over.is_none()).map(|one| one.username.as_str()).collect();
    let (count, first) = (names.len(), names.first().copied().unwrap_or_default());
    tracing::info!(act = kind.name(), count, "staff acted on accounts");
    let words = i18n::Value::Choice(kind.name().into());
    let message = match count {
        1 => phrase!("done-users-one", act = words, name = first),
        count => phrase!("done-users", act = words, count = count),
    };
    let back = match kind {
        Kind::Block => Some(Kind::Unblock),
        Kind::Unblock => Some(Kind::Block),
        Kind::SignOut | Kind::ResetPassword | Kind::Role => None,
    };
    let back = back.filter(|_| count > 0).map(|back| Link {
        path: format!(
            "{}{}",
            urls::ACT_ON_USERS.pattern,
            query_of(&[("act", Some(back.name())), ("pick", Some(&names.join(",")))])
        ),
        text: back.words(),
    });
    let data = Preview { act: kind.name(), count, users };
    Done::new(StatusCode::OK, data, urls::USERS.pattern).message(message).linking(back)
}
