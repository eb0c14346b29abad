//! List of the API tokens of the signed-in user, and creation of a token.

use actix_web::http::header::{CACHE_CONTROL, LOCATION};
use actix_web::{Either, HttpResponse, web};
use askama::Template;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

use crate::access::{ApiScope, ScopeSet};
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{Phrase, filters, to_ascii_digits};
use crate::state::AppState;
use crate::users::models::lock_account_for_update;
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::tokens::models::{self, ApiToken, NewToken, TokenName};
use crate::users::two_factor::models::is_enabled;
use crate::users::{emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field, Fields, FormInput, YesOrNo};
use crate::web::request::format::ResponseFormat;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{PageResponse, RejectedForm, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

const DEFAULT_DAYS: i32 = 90;
const MAX_DAYS: i32 = 3_650;

/// Token lifetimes in days that the form offers, in addition to an unlimited lifetime.
const OFFERED_DAYS: [i32; 4] = [7, 30, DEFAULT_DAYS, 365];

/// Value of the field `expires_in_days` for a token that does not expire.
const NEVER: &str = "never";

#[derive(Debug, JsonSchema, Serialize)]
pub struct TokenList {
    results: Vec<ApiToken>,
}

/// New API token with its secret.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CreatedToken {
    #[serde(flatten)]
    details: ApiToken,
    /// Secret of the token, which no other response contains.
    token: String,
}

#[derive(Template)]
#[template(path = "users/tokens.html")]
pub struct TokensPage {
    layout: Layout,
    form: Form,
    data: TokenList,
    created: Option<CreatedToken>,
    asks_code: bool,
}

page!(TokensPage, data: TokenList);

impl TokensPage {
    async fn new(
        state: &CoreState,
        user: &CurrentUser,
        layout: Layout,
        form: Form,
        created: Option<CreatedToken>,
    ) -> Result<Self, AppError> {
        let data = TokenList { results: models::list(&state.pool, &state.clock, user.id).await? };
        Ok(Self { layout, form, data, created, asks_code: is_enabled(&state.pool, user.id).await? })
    }

    fn scopes(&self) -> impl Iterator<Item = ApiScope> {
        let is_staff = self.layout.user.as_ref().is_some_and(CurrentUser::is_staff);
        ApiScope::ALL.into_iter().filter(move |scope| is_staff || *scope != ApiScope::Admin)
    }

    fn days(&self) -> String {
        let chosen = self.form.value("expires_in_days");
        if chosen.is_empty() { DEFAULT_DAYS.to_string() } else { chosen.to_owned() }
    }
}

/// Lifetime of a token in days; `None` if the token does not expire.
struct Lifetime(Option<i32>);

impl Field for Lifetime {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        if text == NEVER {
            return Ok(Self(None));
        }
        let days = to_ascii_digits(text.trim()).parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
        days.map(|days| Self(Some(days))).ok_or_else(|| phrase!("invalid-lifetime", most = MAX_DAYS))
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        match value {
            // `null` stands for the default lifetime, as in other optional fields.
            Value::Null => Ok(Self(Some(DEFAULT_DAYS))),
            Value::String(text) => Self::from_text(text),
            value => Self::from_text(&value.to_string()),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "anyOf": [{ "type": "integer", "minimum": 1, "maximum": MAX_DAYS }, { "const": NEVER }, { "type": "null" }],
            "description": format!("Days until the token expires, or `never`; by default {DEFAULT_DAYS}")
        })
    }
}

/// Scopes in a JSON list, or in a text separated by spaces.
struct Scopes(ScopeSet);

impl Scopes {
    fn from_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Phrase> {
        let scopes: Option<ScopeSet> = names.map(ApiScope::from_name).collect();
        scopes.filter(|scopes| !scopes.is_empty()).map(Self).ok_or_else(|| phrase!("invalid-scopes"))
    }
}

impl Field for Scopes {
    const MISSING: &'static str = "invalid-scopes";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::from_names(text.split_whitespace())
    }

    fn from_json(value: &Value) -> Result<Self, Phrase> {
        let names = value.as_array().map(|names| names.iter().map(|name| name.as_str().unwrap_or_default()));
        names.map_or_else(|| Self::from_text(value.as_str().unwrap_or_default()), Self::from_names)
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "array", "items": { "type": "string", "enum": ApiScope::ALL.map(ApiScope::name) }, "minItems": 1
        })
    }
}

#[derive(Debug)]
pub struct TokenInput {
    new: NewToken,
    reauthentication: ReauthenticationInput,
}

impl FormInput for TokenInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.take::<TokenName>("name");
        let days = fields.take_optional::<Lifetime>("expires_in_days");
        // HTML forms have a checkbox for each scope instead of the field `scopes`.
        let checked: Vec<ApiScope> = ApiScope::ALL
            .into_iter()
            .filter(|scope| matches!(fields.take_undocumented(&scope.checkbox()), Some(Some(YesOrNo(true)))))
            .collect();
        let scopes = if checked.is_empty() {
            fields.take::<Scopes>("scopes")
        } else {
            Some(Scopes(checked.into_iter().collect()))
        };
        let reauthentication = ReauthenticationInput::from_fields(fields, "current_password");
        let (TokenName(name), Scopes(scopes)) = (name?, scopes?);
        let days = days?.map_or(Some(DEFAULT_DAYS), |Lifetime(days)| days);
        Some(Self { new: NewToken { name, scopes, days }, reauthentication: reauthentication? })
    }
}

pub async fn list_tokens(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<TokensPage>, AppError> {
    Ok(PageResponse::new(TokensPage::new(&state, &user, layout, Form::default(), None).await?))
}

pub async fn create_token(
    payload: Payload<TokenInput>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    state: web::Data<AppState>,
) -> Result<Either<Either<HttpResponse, PageResponse<TokensPage>>, RejectedForm<TokensPage>>, AppError> {
    let format = payload.format();
    let new_page = layout.clone();
    let act = async |input| {
        let created = create(&state, &user, client, input).await?;
        if format == ResponseFormat::Json {
            let mut response = HttpResponse::Created();
            response.insert_header((CACHE_CONTROL, "no-store")).insert_header((LOCATION, urls::TOKENS.pattern));
            return Ok(Either::Left(response.json(created)));
        }
        let page = TokensPage::new(&state, &user, new_page, Form::default(), Some(created)).await?;
        Ok(Either::Right(PageResponse::new(page)))
    };
    let page = async |form, _: &AppError| TokensPage::new(&state, &user, layout, form, None).await.ok();
    handle_form(payload, act, page).await
}

async fn create(
    state: &AppState,
    user: &CurrentUser,
    client: Client,
    TokenInput { new, reauthentication }: TokenInput,
) -> Result<CreatedToken, AppError> {
    if new.scopes.allows(ApiScope::Admin) && !user.is_staff() {
        return Err(AppError::invalid_field("scopes", phrase!("invalid-scope-admin")));
    }
    let session_version =
        state.accounts.reauthenticate(state, user, client, "current_password", reauthentication).await?;
    let mut transaction = state.pool.begin().await?;
    if !lock_account_for_update(&mut transaction, user.id, Some(session_version)).await? {
        return Err(AppError::NotSignedIn { next: None });
    }
    user.check_credential(&mut *transaction).await?;
    let created = models::create(&mut transaction, &state.clock, user.id, &new).await?;
    let (details, secret) = created.ok_or_else(|| {
        AppError::invalid_field("name", phrase!("invalid-too-many-tokens", most = models::MAX_TOKENS))
    })?;
    let (phrase, path) = (phrase!("mail-token-created"), Some(urls::TOKENS.pattern));
    emails::enqueue(&mut transaction, state, user.id, "token_created", phrase, path).await?;
    let log = json!({ "token": details.id, "name": details.name, "scopes": details.scopes });
    let entry = NewEntry::new(AuditAction::CreateToken).for_user(user.id).with_details(log);
    entry.insert(user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    state.mail.wake_delivery();
    tracing::info!(user_id = user.id.0, token_id = details.id.0, "API token created");
    Ok(CreatedToken { details, token: secret.reveal().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetime_is_a_number_of_days_or_none() {
        let days = |value: Value| Lifetime::from_json(&value).map(|Lifetime(days)| days).ok();
        assert_eq!(days(json!(1)), Some(Some(1)));
        assert_eq!(days(json!("90")), Some(Some(90)));
        assert_eq!((days(json!(null)), days(json!("never"))), (Some(Some(DEFAULT_DAYS)), Some(None)));
        for wrong in [json!(0), json!(3_651), json!(1.5), json!("soon"), json!([])] {
            assert_eq!(days(wrong.clone()), None, "{wrong}");
        }
    }

    #[test]
    fn scopes_are_a_list_or_words() {
        let names = |value: Value| Scopes::from_json(&value).map(|Scopes(scopes)| scopes.names()).ok();
        assert_eq!(names(json!(["rate", "read"])), Some(vec!["read".to_owned(), "rate".to_owned()]));
        assert_eq!(names(json!("write")), Some(vec!["write".to_owned()]));
        for wrong in [json!([]), json!(""), json!(["all"]), json!([1]), json!(1)] {
            assert_eq!(names(wrong.clone()), None, "{wrong}");
        }
    }
}
